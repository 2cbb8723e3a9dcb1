//! `agentcall card`: fetch a card, check it, and say in plain words what came of it.

use super::args::{CardArgs, SessionArgs};
use super::exit::{Exit, Failure, Kind};
use super::output::{Form, Printer};
use super::setup::Settled;
use crate::discovery::fetch::{self, Attempt, FetchedCard, Outcome};
use crate::discovery::{CardContext, CardReport, explain, validate};
use crate::trace::output::{CardLine, OutputLine};

/// Fetches, validates, explains. A refused card is explained too, and ends with the exit code of
/// [`Kind::Card`].
///
/// # Errors
/// [`Failure`] when there is no card to look at, or nobody to tell.
pub async fn card(args: &CardArgs, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    let settled = Settled::of(&args.net, &SessionArgs::default(), &args.config)?;
    settled.credentials.token.iter().for_each(|token| printer.hide(token));
    let source = settled.source(&args.url)?;
    let fetched = fetch::fetch(&source, &settled.net, &settled.credentials, settled.wait).await?;
    let report = validate(
        &fetched.bytes,
        &CardContext::of(&fetched, settled.net.policy.local, settled.settings.dialect.value.clone()),
    );
    match printer.form() {
        Form::Json => printer.json(&OutputLine::Card(CardLine { card: report.record() }))?,
        Form::Text => print(&fetched, &report, printer)?,
    }
    match report.offer {
        Some(_) => Ok(Exit::Well),
        None => Err(Failure::silent(Kind::Card)),
    }
}

fn print(fetched: &FetchedCard, report: &CardReport, printer: &mut Printer<'_>) -> Result<(), Failure> {
    for attempt in &fetched.tried {
        printer.line(&asked(attempt))?;
    }
    for line in explain(report) {
        printer.line(&line)?;
    }
    fetched.notes.iter().try_for_each(|note| printer.line(&format!("Also: {note}.")))
}

/// `Asked http://…/agent-card.json: 404`
fn asked(attempt: &Attempt) -> String {
    let Attempt { url, status, outcome, .. } = attempt;
    let came = match outcome {
        Outcome::Card => ", the card".to_owned(),
        Outcome::Redirected(to) => format!(", redirected to {to}"),
        Outcome::AskedForToken => ", asked again with the token".to_owned(),
        Outcome::NotAnObject => ", not a JSON object".to_owned(),
        Outcome::Refused => String::new(),
    };
    format!("Asked {url}: {status}{came}")
}

//! `agentcall run`: scripted sessions, one after the other, without a terminal.
//!
//! All scenarios are read before the first session is opened, so that a slip in the last one costs nothing.
//! Each gets an engine, and so a session, of its own.

mod json;
mod text;

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::args::RunArgs;
use super::devices::{Absent, Devices, SIMULATED};
use super::exit::{Exit, Failure, Kind};
use super::output::{Form, Printer};
use super::setup::Settled;
use super::signals::{Signals, interrupted};
use crate::client::{Client, Request};
use crate::device::ArmedBy;
use crate::files;
use crate::redact::Scrubber;
use crate::scenario::{self, Class, Options, Outcome, Scenario, ScenarioError, Sink, parse};
use crate::words::sentence;

/// Largest scenario file that is read, in bytes.
const SCENARIO_BYTES: usize = 1024 * 1024;

/// Reports one scenario; tells when nobody reads any more.
trait Report: Sink {
    /// The scenario is over.
    fn over(&mut self, at: Duration, outcome: &Outcome, ok: bool, failure: Option<&Failure>);
    /// The first failure to write.
    fn broken(&mut self) -> Option<Failure>;
}

/// Runs the scenarios and reports each. The exit code is that of the first one that failed.
///
/// # Errors
/// What failed first; it was reported already.
pub async fn run(args: &RunArgs, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    let scenarios = args.scenarios.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    scenarios.iter().flat_map(|scenario| &scenario.notes).for_each(|note| printer.aside(note));
    let settled = Settled::of(&args.net, &args.session, &args.config)?;
    let mut signals = Signals::listen()?;
    let mut first = Ok(Exit::Well);
    for scenario in scenarios {
        let result = one(scenario, args, &settled, &mut signals, printer).await;
        if let Err(Failure { kind: Kind::Interrupted(_) | Kind::BrokenPipe, .. }) = result {
            return result;
        }
        first = if first == Ok(Exit::Well) { result } else { first };
    }
    first
}

/// Where a report goes, until nobody reads it any more.
struct Out<'a, 'p> {
    printer: &'a mut Printer<'p>,
    /// Told when nobody reads.
    silence: Arc<Notify>,
    /// The first failure to write.
    broken: Option<Failure>,
}

impl<'a, 'p> Out<'a, 'p> {
    fn new(printer: &'a mut Printer<'p>, silence: Arc<Notify>) -> Self {
        Self { printer, silence, broken: None }
    }

    /// Writes, unless that has failed before.
    fn write(&mut self, write: impl FnOnce(&mut Printer<'p>) -> Result<(), Failure>) {
        if self.broken.is_none()
            && let Err(failure) = write(self.printer)
        {
            self.broken = Some(failure);
            self.silence.notify_one();
        }
    }
}

/// How far a scenario has come.
struct Tally {
    file: String,
    steps: usize,
    passed: usize,
}

impl Tally {
    fn of(scenario: &Scenario) -> Self {
        Self { file: scenario.file.clone(), steps: scenario.steps.len(), passed: 0 }
    }

    fn step(&mut self, ok: bool) {
        self.passed += usize::from(ok);
    }
}

/// Hides the token in text that is put together from several frames: an agent may send it in pieces, each of
/// which passes the engine's scrubber.
struct Secrets(Scrubber);

impl Secrets {
    fn of(settled: &Settled) -> Self {
        let mut scrubber = Scrubber::new();
        settled.credentials.token.iter().for_each(|token| scrubber.add_token(token));
        Self(scrubber)
    }

    fn hide(&self, text: &str) -> String {
        self.0.scrub(text).into_owned()
    }
}

fn secrets_kept(outcome: Outcome, secrets: &Secrets) -> Outcome {
    Outcome { message: outcome.message.map(|message| sentence(&secrets.hide(&message))), ..outcome }
}

/// Reads a scenario file.
fn read(path: &Path) -> Result<Scenario, Failure> {
    let failed = |why: String| {
        Failure::new(Kind::Usage, format!("reading the scenario {} failed: {why}", files::shown(path)))
    };
    let bytes = files::read_at_most(path, SCENARIO_BYTES).map_err(|error| failed(error.to_string()))?;
    if bytes.len() > SCENARIO_BYTES {
        return Err(failed("it has more than 1 MiB".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    parse(&path.display().to_string(), &text).map_err(|error| {
        let place = format!("{}:{}:{}", error.file, error.line, error.column);
        Failure::new(Kind::Usage, format!("{place}: {}", error.message)).hint(hint(&error))
    })
}

/// The wrong line, and where else there are some.
fn hint(error: &ScenarioError) -> Option<String> {
    let line = Some(error.shown.trim()).filter(|line| !line.is_empty());
    let also: Vec<String> =
        error.also.iter().map(|e| format!("{}:{}: {}", e.line, e.column, e.message)).collect();
    let also = (!also.is_empty()).then(|| format!("Also wrong: {}", also.join(" | ")));
    let parts: Vec<String> =
        line.map(|line| format!("The line is: {line}")).into_iter().chain(also).collect();
    (!parts.is_empty()).then(|| parts.join(" | "))
}

async fn one(
    scenario: Scenario,
    args: &RunArgs,
    settled: &Settled,
    signals: &mut Signals,
    printer: &mut Printer<'_>,
) -> Result<Exit, Failure> {
    let config =
        settled.client(&args.url, devices(&scenario, args, settled).await?, ArmedBy::ScenarioStep)?;
    let silence = Arc::new(Notify::new());
    let (secrets, form) = (Secrets::of(settled), printer.form());
    let out = Out::new(printer, Arc::clone(&silence));
    let mut report: Box<dyn Report + '_> = match form {
        Form::Json => Box::new(json::JsonReport::new(&scenario, out, secrets)),
        Form::Text => Box::new(text::TextReport::new(&scenario, out, secrets)),
    };
    let started = Instant::now();
    let client = Client::spawn(config);
    let options = Options { started, timeout: args.timeout };
    let played = play(scenario, client, options, signals, &silence, report.as_mut()).await;
    if let Some(broken) = report.broken() {
        return Err(broken);
    }
    let outcome = secrets_kept(played?, &Secrets::of(settled));
    let ok = outcome.is_ok(args.strict);
    let failure = failure(&outcome);
    report.over(started.elapsed(), &outcome, ok, failure.as_ref());
    if let Some(broken) = report.broken() {
        return Err(broken);
    }
    match (failure, ok) {
        (Some(failure), _) => Err(Failure::silent(failure.kind)),
        (None, true) => Ok(Exit::Well),
        (None, false) => Ok(Exit::Findings),
    }
}

async fn devices(scenario: &Scenario, args: &RunArgs, settled: &Settled) -> Result<Devices, Failure> {
    let mut wanted = settled.devices(SIMULATED);
    if let Some(reader) = &scenario.reader {
        wanted.readers = vec![reader.clone()];
    }
    if let Some(camera) = &scenario.camera {
        wanted.camera.clone_from(camera);
    }
    let devices = Devices::choose(&wanted, None, Absent::Fails).await?;
    devices.permitted(&args.allow)?;
    Ok(devices)
}

/// Plays it. A signal, or a reader of our output that is gone, ends the session in order; a second signal
/// ends it at once.
async fn play(
    scenario: Scenario,
    client: Client,
    options: Options,
    signals: &mut Signals,
    silence: &Notify,
    sink: &mut dyn Report,
) -> Result<Outcome, Failure> {
    let Client { requests, notices } = client;
    let quit = requests.clone();
    let mut played = pin!(scenario::run(scenario, requests, notices, options, sink));
    let mut ended: Option<Failure> = None;
    loop {
        let why = tokio::select! {
            outcome = &mut played => return ended.map_or(Ok(outcome), Err),
            signal = signals.next() => interrupted(signal),
            () = silence.notified() => Failure::silent(Kind::BrokenPipe),
        };
        if ended.is_some() {
            return Err(why);
        }
        ended = Some(why);
        let quit = quit.clone();
        tokio::spawn(async move { quit.send(Request::Quit).await });
    }
}

/// The failure behind an outcome, where there is more to it than exit code 1.
fn failure(outcome: &Outcome) -> Option<Failure> {
    let kind = match outcome.class {
        Class::Ok | Class::Findings | Class::Expectation => return None,
        Class::Usage => Kind::Usage,
        Class::Card => Kind::Card,
        Class::Connection => Kind::Connection,
        Class::Timeout => Kind::Timeout,
        Class::Device => Kind::Device,
        Class::Internal => Kind::Internal,
    };
    let message = outcome.message.as_deref().unwrap_or("the scenario failed");
    Some(without_keys(Failure::new(kind, message).hint(outcome.hint.clone())))
}

/// What to do about it, in a sentence.
fn advice(outcome: &Outcome) -> Option<String> {
    outcome.hint.as_deref().filter(|hint| !names_a_key(hint)).map(sentence)
}

/// Without a hint that is for somebody at the keys.
fn without_keys(failure: Failure) -> Failure {
    let hint = failure.hint.clone().filter(|hint| !names_a_key(hint));
    failure.hint(hint)
}

/// `r reconnects`, `Esc drops it`
fn names_a_key(hint: &str) -> bool {
    let first = hint.split(' ').next().unwrap_or_default();
    first.chars().count() == 1 || matches!(first, "Esc" | "Enter")
}

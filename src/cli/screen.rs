//! `agentcall connect` and `agentcall demo`: the terminal screen on an agent.

use std::ffi::OsString;
use std::io::IsTerminal;

use super::args::{ConnectArgs, DemoArgs};
use super::devices::{AUTO, Absent, Devices, SIMULATED};
use super::exit::{Exit, Failure, Kind, Signal};
use super::kit::Kit;
use super::setup::Settled;
use crate::agent::AgentConfig;
use crate::app::Options;
use crate::client::Client;
use crate::client::notice::Line;
use crate::command::{Keymap, KeymapError};
use crate::device::ArmedBy;
use crate::discovery::fetch::CardSource;
use crate::files;
use crate::tui::guard::Guard;
use crate::tui::{self, Outcome};

/// The screen on the agent at a URL.
///
/// # Errors
/// [`Failure`] when there is no terminal, or a setting cannot be used; what the agent does is shown on screen.
pub async fn connect(args: &ConnectArgs) -> Result<Exit, Failure> {
    needs_terminal()?;
    let settled = Settled::of(&args.net, &args.session, &args.config)?;
    if let CardSource::File(path) = settled.source(&args.url)?
        && !path.is_file()
    {
        // A slip of the path is better said here than on a screen that has nothing else to show.
        let message = format!("there is no card file {}", files::shown(&path));
        return Err(
            Failure::new(Kind::Usage, message).hint("An agent's URL begins with https://.".to_owned())
        );
    }
    show(&args.url, &settled, AUTO).await
}

/// The screen on an agent of our own, with simulated devices.
///
/// # Errors
/// As [`connect`].
pub async fn demo(args: &DemoArgs) -> Result<Exit, Failure> {
    needs_terminal()?;
    let settled = Settled::for_own_agent(&args.session, &args.config)?;
    let config = AgentConfig {
        dialect: settled.settings.dialect.value.clone(),
        transports: args.transport,
        ..AgentConfig::default()
    };
    let agent = super::agent::start(config).await?;
    let shown = show(&format!("http://{}", agent.addr), &settled, SIMULATED).await;
    agent.stop().await;
    shown
}

/// The screen, with devices of `otherwise` where none are chosen.
async fn show(url: &str, settled: &Settled, otherwise: &str) -> Result<Exit, Failure> {
    let kit = Kit::lay_out()?;
    let devices =
        Devices::choose(&settled.devices(otherwise), Some(&kit.pictures()), Absent::MayCome).await?;
    let config = settled.client(url, devices, ArmedBy::Key)?;
    let keys = settled.settings.keys.iter().map(|(id, key)| (id.as_str(), key.as_str()));
    let options = Options {
        keymap: Keymap::with(keys)?,
        tags: kit.tags(settled.settings.tags.as_deref())?,
        trace: Some(settled.settings.trace_megabytes.bytes()),
    };
    let left = tui::run(Client::spawn(config), options, *settled.settings.focus).await;
    let left = left.map_err(|error| Failure::new(Kind::Usage, error.to_string()))?;
    match left.outcome {
        Outcome::Quit => left.never_live.map_or(Ok(Exit::Well), |line| Err(never_live(&line))),
        Outcome::Terminated => Err(Failure::silent(Kind::Interrupted(Signal::Terminate))),
        Outcome::Interrupted => Err(Failure::silent(Kind::Interrupted(Signal::Interrupt))),
        Outcome::ToldToQuit => Err(Failure::silent(Kind::Interrupted(Signal::Quit))),
        Outcome::TerminalGone => Err(Failure::silent(Kind::Interrupted(Signal::Hangup))),
    }
}

/// Whoever quits after looking at a failure has not had a session: a script must see that, and the reason stays
/// readable when the screen is gone. It is not said to a terminal that takes nothing: that would never end.
fn never_live(line: &Line) -> Failure {
    let failure = Failure::try_from(line)
        .unwrap_or_else(|()| Failure::new(Kind::Connection, &line.text).hint(line.hint.clone()));
    if Guard::terminal_takes_output() { failure } else { Failure::silent(failure.kind) }
}

fn needs_terminal() -> Result<(), Failure> {
    let missing = [(std::io::stdin().is_terminal(), "input"), (std::io::stdout().is_terminal(), "output")]
        .into_iter()
        .find_map(|(is_terminal, name)| (!is_terminal).then_some(name));
    let message = if let Some(missing) = missing {
        format!("the screen needs a terminal, and standard {missing} is none")
    } else if let Some(term) = poor_terminal(std::env::var_os("TERM")) {
        format!("the screen needs a terminal on which text can be placed, and by TERM={term} this is none")
    } else {
        return Ok(());
    };
    Err(Failure::new(Kind::Usage, message).hint(
        "Without such a terminal, agentcall run plays a scenario; agentcall agent serves the demo's agent."
            .to_owned(),
    ))
}

/// The name by which a terminal says that it can do nothing but write lines. Where the variable is not used (Windows), or
/// names what nobody here knows, the terminal gets what nearly all understand.
fn poor_terminal(term: Option<OsString>) -> Option<&'static str> {
    match term {
        Some(term) if term == "dumb" => Some("dumb"),
        Some(term) if term == "unknown" => Some("unknown"),
        Some(term) if term.is_empty() && cfg!(unix) => Some("\"\""),
        None if cfg!(unix) => Some("(not set)"),
        _ => None,
    }
}

impl From<KeymapError> for Failure {
    fn from(error: KeymapError) -> Self {
        Self::new(Kind::Usage, error.to_string())
            .hint("Keys stand in [keys] of the configuration.".to_owned())
    }
}

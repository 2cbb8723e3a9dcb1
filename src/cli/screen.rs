//! `agentcall connect` and `agentcall demo`: the screen on an agent.

use std::io::IsTerminal;

use super::args::{ConnectArgs, DemoArgs, NetArgs};
use super::devices::Devices;
use super::exit::{Exit, Failure, Kind, Signal};
use super::samples::Samples;
use super::setup::Settled;
use super::signals::interrupted;
use crate::agent::{AgentConfig, serve};
use crate::app::Options;
use crate::client::Client;
use crate::command::Keymap;
use crate::device::ArmedBy;
use crate::tui::{self, Outcome};

/// Shows the screen on any advertised agent.
///
/// # Errors
/// [`Failure`] before the screen is up; what happens later is on the screen.
pub async fn connect(args: &ConnectArgs) -> Result<Exit, Failure> {
    let settled = Settled::of(&args.net, &args.session, &args.config)?;
    show(&settled, &args.url).await
}

/// Serves the reference agent on a free loopback port and shows the screen on it.
///
/// # Errors
/// As [`connect`], and when the agent cannot listen.
pub async fn demo(args: &DemoArgs) -> Result<Exit, Failure> {
    let net = NetArgs { local: true, ..NetArgs::default() };
    let settled = Settled::of(&net, &args.session, &args.config)?;
    terminal()?;
    let agent = serve(AgentConfig::default())
        .await
        .map_err(|error| Failure::new(Kind::Connection, error.to_string()))?;
    let shown = show(&settled, &agent.card_url).await;
    agent.stop().await;
    shown
}

/// The screen needs a terminal; scripts have `run`.
fn terminal() -> Result<(), Failure> {
    let missing = match (std::io::stdin().is_terminal(), std::io::stdout().is_terminal()) {
        (true, true) => return Ok(()),
        (false, _) => "standard input",
        (true, false) => "standard output",
    };
    let message = format!("the screen needs a terminal, and {missing} is none");
    Err(Failure::new(Kind::Usage, message)
        .hint("agentcall run does the same from a scenario file, without a terminal.".to_owned()))
}

async fn show(settled: &Settled, target: &str) -> Result<Exit, Failure> {
    terminal()?;
    let settings = &settled.settings;
    let keys = settings.keys.value.iter().map(|(id, key)| (id.as_str(), key.as_str()));
    let keymap = Keymap::with(keys).map_err(|error| Failure::new(Kind::Usage, error.to_string()))?;
    let samples = Samples::unpack()?;
    let devices = Devices::choose(settled.reader(), settled.camera(), Some(&samples.pictures()))?;
    let config = settled.client(target, devices, ArmedBy::Key)?;
    let options = Options { keymap, tags: samples.choices(settings.tags.as_deref()) };
    let outcome = tui::run(Client::spawn(config), options, *settings.focus)
        .await
        .map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
    match outcome {
        Outcome::Quit => Ok(Exit::Well),
        Outcome::Terminated => Err(silent(Signal::Terminate)),
        Outcome::TerminalGone => Err(silent(Signal::Hangup)),
    }
}

/// Ended from outside: the exit code says it, the screen has nothing to add.
fn silent(signal: Signal) -> Failure {
    Failure::silent(interrupted(signal).kind)
}

//! The command line as it is typed: raw, before files and environment are looked at.
//!
//! `setup` resolves it. The words of the help stand here and nowhere else.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::agent::{AgentConfig, Fault, Transports};
use crate::protocol::Modalities;
use crate::redact::Token;
use crate::scenario::grammar;

/// How long `--wait` waits when no time is given.
const WAIT_SECONDS: &str = "60";

const EXIT_CODES: &str = "\
Exit codes:
  0    all well
  1    a must-level finding (should-level too with --strict), or a failed expectation
  2    usage, configuration, or a URL refused for its form
  3    the card is incompatible or out of bounds
  4    connection, address policy, TLS or HTTP status
  5    connecting or the whole run took too long
  6    a device
  70   our own fault
  129, 130, 131, 143   ended by the signal SIGHUP, SIGINT, SIGQUIT (connect, demo), SIGTERM,
       in order; Ctrl-C is SIGINT to run, and inside the screen a key that quits with 0
  141  nobody reads standard output any more";

const DEVICES_HELP: &str = "\
A name is the exact one, a part of it that no other device has, simulated, or auto. If one that was named is not there, \
the exit code is 6. --probe arms what is named, or else every contactless reader and the first camera: running it is \
your consent, and nothing that is read is kept, sent or shown. Sound is listed, and never opened.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "agentcall",
    version,
    about = "Terminal client for AgentCall agents: discover, talk, scan, show",
    after_help = EXIT_CODES,
    disable_help_subcommand = true,
    max_term_width = 110
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open the terminal screen on a built-in agent with simulated devices
    Demo(DemoArgs),
    /// Open the terminal screen on an agent
    Connect(ConnectArgs),
    /// Run scripted sessions against an agent, without a terminal
    Run(RunArgs),
    /// Fetch an agent's card, check it, and explain it in plain words
    Card(CardArgs),
    /// List readers, cameras, microphones and speakers, and say what is wrong with them
    Devices(DevicesArgs),
    /// Serve the reference agent, for people who write clients
    Agent(AgentArgs),
    /// JSON Schemas of the wire and of the --json output
    Schemas(SchemasArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each subcommand
    Man(ManArgs),
}

/// How an agent is reached.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reaching the agent")]
pub struct NetArgs {
    /// Allow plain HTTP and addresses of this machine and network, for development
    #[arg(long)]
    pub local: bool,
    /// Trust the certificates in this PEM file too; can be repeated
    #[arg(long, value_name = "FILE")]
    pub ca: Vec<PathBuf>,
    /// Reach public addresses through this HTTP proxy: none, environment, or http://HOST:PORT [default: none]
    #[arg(long, value_name = "PROXY", value_parser = secret)]
    pub proxy: Option<Token>,
    /// Take the bearer token from this environment variable
    #[arg(long, value_name = "NAME", conflicts_with = "token_file")]
    pub token_env: Option<String>,
    /// Take the bearer token from this file
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Send the token to this origin, and to no other; needed when the card is a file
    #[arg(long, value_name = "URL")]
    pub token_origin: Option<String>,
    /// Wait until the agent is up, for 60 seconds or as many as are given
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
          default_missing_value = WAIT_SECONDS, value_parser = seconds)]
    pub wait: Option<Duration>,
}

/// Where settings come from.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct ConfigArgs {
    /// Read settings from this file instead of the usual one
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What a session offers, and with which devices.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Session")]
pub struct SessionArgs {
    /// Offer only these: nfc, photo, both with a comma between them, or none
    #[arg(long, value_name = "LIST", value_parser = values::modalities(), hide_possible_values = true)]
    pub modalities: Option<Modalities>,
    /// Use the reader of this name or part of a name, auto for every contactless one, now or later, or simulated, which
    /// reads tag files; can be repeated for several at once [default: auto in connect, else simulated]
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub reader: Vec<String>,
    /// Use the camera of this name, part of a name or node, auto for the first one, simulated for a moving test card, or
    /// file:PATH for a picture [default: auto in connect, else simulated]
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub camera: Option<String>,
    /// Use the microphone of this name or part of a name, default for the one that the system prefers, simulated for a
    /// tone, silence, tone:HZ, or file:PATH for a sound file [default: auto in connect, else simulated]
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub microphone: Option<String>,
    /// Use the speaker of this name or part of a name, default for the one that the system prefers, simulated for none that
    /// is heard, or file:PATH for a WAV file that is written [default: auto in connect, else simulated]
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub speaker: Option<String>,
    /// Speak what the agent says with the speech_command of the settings, where its card leaves the voice to the client
    #[arg(long)]
    pub speak: bool,
    /// Send no acks
    #[arg(long)]
    pub no_acks: bool,
}

/// `agentcall demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Talk to the built-in agent over this: websocket, or webrtc, which carries sound
    #[arg(long, value_name = "NAME", default_value = "websocket", value_parser = values::transport(),
          hide_possible_values = true)]
    pub transport: Transports,
    /// The session.
    #[command(flatten)]
    pub session: SessionArgs,
    /// The settings.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// `agentcall connect`
#[derive(Debug, Args)]
#[command(after_help = format!(
    "Every contactless reader and the first camera are used unless you name others; agentcall devices lists them. \
Simulated ones are labelled SIMULATED.\n\n{EXIT_CODES}"
))]
pub struct ConnectArgs {
    /// The agent's origin, its card's URL, or a card file
    pub url: String,
    /// The network.
    #[command(flatten)]
    pub net: NetArgs,
    /// The session.
    #[command(flatten)]
    pub session: SessionArgs,
    /// The settings.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// `agentcall run`
#[derive(Debug, Args)]
#[command(after_help = run_help())]
pub struct RunArgs {
    /// The agent's origin, its card's URL, or a card file
    pub url: String,
    /// Scenario files, each run in a fresh session
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<PathBuf>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Let should-level findings fail the run too (but for a card that names no A2A interface, R28)
    #[arg(long)]
    pub strict: bool,
    /// End each scenario after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub timeout: Duration,
    /// Let the scenario use these real devices without a key: reader, camera, microphone, with commas between them
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    pub allow: Vec<AllowedDevice>,
    /// The network.
    #[command(flatten)]
    pub net: NetArgs,
    /// The session.
    #[command(flatten)]
    pub session: SessionArgs,
    /// The settings.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// A kind of device that `run` may use without a person at the keys (R33).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum AllowedDevice {
    /// A reader.
    Reader,
    /// A camera.
    Camera,
    /// A microphone.
    Microphone,
}

/// `agentcall card`
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct CardArgs {
    /// The agent's origin, its card's URL, or a card file
    #[arg(value_name = "URL|FILE")]
    pub url: String,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// The network.
    #[command(flatten)]
    pub net: NetArgs,
    /// The settings.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// `agentcall devices`
#[derive(Debug, Args)]
#[command(after_help = format!("{DEVICES_HELP}\n\n{EXIT_CODES}"))]
pub struct DevicesArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Go on telling what is plugged in and pulled out, until Ctrl-C
    #[arg(long, conflicts_with = "probe")]
    pub watch: bool,
    /// Read one tag and one picture, without any agent, and tell times and sizes
    #[arg(long)]
    pub probe: bool,
    /// Read so many, and tell how often it went well and how the times are spread
    #[arg(long, value_name = "N", default_value = "1", requires = "probe", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub repeat: u32,
    /// Wait at most so many seconds for each tag or picture
    #[arg(long, value_name = "SECONDS", default_value = "30", requires = "probe", value_parser = seconds)]
    pub within: Duration,
    /// Write a table of every read to this file; one that holds something already is refused
    #[arg(long, value_name = "FILE", requires = "probe")]
    pub csv: Option<PathBuf>,
    /// Only this reader; can be repeated
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub reader: Vec<String>,
    /// Only this camera; with --probe in one of its formats, as in "HD Webcam@MJPG 640x480"
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub camera: Option<String>,
    /// Only this microphone
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub microphone: Option<String>,
    /// Only this speaker
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub speaker: Option<String>,
}

/// `agentcall agent`
#[derive(Debug, Args)]
#[command(after_help = format!("{}\n\nA signal ends it with 0: that is how it is meant to end.", values::faults_help()))]
pub struct AgentArgs {
    /// Listen on this address; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value_t = AgentConfig::DEFAULT_LISTEN)]
    pub listen: SocketAddr,
    /// Serve sessions over this: websocket, webrtc, or both; with both there are two cards
    #[arg(long, value_name = "NAME", default_value = "websocket", value_parser = values::transports(),
          hide_possible_values = true)]
    pub transport: Transports,
    /// Accept only these: nfc, photo, both with a comma between them, or none for a text-only agent
    #[arg(long, value_name = "LIST", default_value = "nfc,photo", value_parser = values::modalities(),
          hide_possible_values = true)]
    pub accept: Modalities,
    /// Speak the replies of calls with espeak-ng, after the recording that is played back
    #[arg(long)]
    pub speak: bool,
    /// Advertise the extension under its legacy URI
    #[arg(long)]
    pub legacy_uri: bool,
    /// Do this wrong on purpose (see below); several names at once, or repeated
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', value_parser = values::faults(),
          hide_possible_values = true)]
    pub fault: Vec<Fault>,
}

/// `agentcall schemas`
#[derive(Debug, Args)]
pub struct SchemasArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub action: SchemasAction,
}

/// What to do with the schemas.
#[derive(Debug, Subcommand)]
pub enum SchemasAction {
    /// Write them into a directory, which is made if it is not there
    Export {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// `agentcall completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `agentcall man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page for each subcommand into this directory, instead of printing the main page
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number of seconds above 0 and at most 86400".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if seconds > 0.0 && seconds <= 86_400.0 { Ok(Duration::from_secs_f64(seconds)) } else { Err(wrong()) }
}

/// A name of a device that is not empty.
fn name() -> clap::builder::NonEmptyStringValueParser {
    clap::builder::NonEmptyStringValueParser::new()
}

/// A text that may hold a password, and is judged where it is not repeated.
#[allow(clippy::unnecessary_wraps, reason = "clap asks for a result")]
fn secret(text: &str) -> Result<Token, String> {
    Ok(Token::new(text))
}

/// The language of scenarios, then the exit codes.
fn run_help() -> String {
    format!("{}\n\n{EXIT_CODES}", grammar::help())
}

mod values;

#[cfg(test)]
mod tests;

//! The command line: one file a subcommand, composing everything below; it holds no logic of its own.
//!
//! Order: [`main`] installs the panic hook, parses, hands over to one subcommand, says a failure, and maps
//! the outcome to an exit code. `exit` holds the codes, `output` is the only way to standard output.

mod agent;
pub mod args;
mod card;
mod completions;
mod devices;
pub mod exit;
mod fault;
mod kit;
mod man;
pub mod output;
mod run;
mod schemas;
mod screen;
mod setup;
mod signals;
mod usage;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tokio::runtime::Builder;

use self::args::{Cli, Command};
use self::exit::{Exit, Failure, Kind};
use self::fault::Faults;
use self::output::{Form, Printer};
use self::usage::{Unparsed, unparsed};

/// How long the end waits for what still runs in the background.
const LAST_MOMENTS: Duration = Duration::from_millis(500);

/// Runs the program for this command line, the program's name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    guarded(form(&args), |printer, faults| match Cli::try_parse_from(&args) {
        Ok(cli) => execute(cli.command, printer, faults),
        Err(error) => match unparsed(&error) {
            Unparsed::Told(text) => printer.raw(text.as_bytes()).map(|()| Exit::Well),
            Unparsed::Wrong(failure) => Err(failure),
        },
    })
}

/// Runs `work`; a panic in it, or in any thread it has started, becomes one line and exit code 70.
pub fn guarded(
    form: Form,
    work: impl FnOnce(&mut Printer<'_>, &Faults) -> Result<Exit, Failure>,
) -> ExitCode {
    let faults = fault::install(form);
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let is_seen = std::io::stderr().is_terminal();
    let mut printer = Printer::new(form, &mut out, &mut err).live(is_seen);
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut printer, &faults)));
    // Only a panic leaves lines behind, and its own line is out already.
    let _nobody_reads = printer.flush();
    match result {
        // The hook has said it already.
        _ if faults.any() => ExitCode::from(Kind::Internal.code()),
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            printer.failure(&failure);
            ExitCode::from(failure.kind.code())
        }
        Err(_) => ExitCode::from(Kind::Internal.code()),
    }
}

/// Whether errors are for programs, known before the command line is parsed.
fn form(args: &[OsString]) -> Form {
    let json = args.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    if json { Form::Json } else { Form::Text }
}

fn execute(command: Command, printer: &mut Printer<'_>, faults: &Faults) -> Result<Exit, Failure> {
    match command {
        Command::Schemas(args) => schemas::schemas(&args.action, printer),
        Command::Completions(args) => completions::completions(args.shell, printer),
        Command::Man(args) => man::man(args.directory.as_deref(), printer),
        Command::Card(args) => in_runtime(faults, until_signal(card::card(&args, printer))),
        Command::Devices(args) => in_runtime(faults, devices::devices(&args, printer)),
        Command::Demo(args) => in_runtime(faults, screen::demo(&args)),
        Command::Connect(args) => in_runtime(faults, screen::connect(&args)),
        Command::Run(args) => on_this_thread(faults, run::run(&args, printer)),
        Command::Agent(args) => in_runtime(faults, agent::agent(&args, printer)),
    }
}

/// Runs it to its end, or until something panics anywhere.
fn in_runtime(faults: &Faults, work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    on(Builder::new_multi_thread(), faults, work)
}

/// The same on this thread alone: where every frame passes through every task, handing it from thread to thread
/// costs more than all the rest (docs/performance.md).
fn on_this_thread(
    faults: &Faults,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    on(Builder::new_current_thread(), faults, work)
}

fn on(
    mut builder: Builder,
    faults: &Faults,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Kind::Internal, format!("starting the runtime failed: {error}")))?;
    let result = runtime.block_on(async {
        tokio::select! {
            result = work => result,
            () = faults.happened() => Err(Failure::silent(Kind::Internal)),
        }
    });
    // A name that is being resolved cannot be interrupted; the end does not wait for it.
    runtime.shutdown_timeout(LAST_MOMENTS);
    result
}

/// For work that a signal may simply drop.
async fn until_signal(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let mut signals = signals::Signals::listen()?;
    tokio::select! {
        result = work => result,
        signal = signals.next() => Err(signals::interrupted(signal)),
    }
}

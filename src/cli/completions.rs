//! `agentcall completions SHELL`: a completion script, made from the definition of the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::exit::{Exit, Failure};
use super::output::Printer;

/// Prints the script.
///
/// # Errors
/// When nobody can be told.
pub fn completions(shell: Shell, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "agentcall", &mut script);
    printer.raw(&script)?;
    Ok(Exit::Well)
}

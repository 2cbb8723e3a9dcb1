//! `agentcall man [DIR]`: manual pages, made from the definition of the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use super::args::Cli;
use super::exit::{Exit, Failure};
use super::output::Printer;
use super::schemas;

/// Prints the main page, or writes that and one for each subcommand.
///
/// # Errors
/// When a page cannot be written.
pub fn man(directory: Option<&Path>, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    command.build();
    let Some(directory) = directory else {
        printer.raw(&page(command))?;
        return Ok(Exit::Well);
    };
    schemas::make(directory)?;
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    for command in std::iter::once(command).chain(subcommands) {
        let path = directory.join(format!("{}.1", command.get_display_name().unwrap_or(command.get_name())));
        schemas::write(&path, &page(command))?;
        printer.line(&path.display().to_string())?;
    }
    Ok(Exit::Well)
}

fn page(command: clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).expect("writing to memory does not fail");
    page
}

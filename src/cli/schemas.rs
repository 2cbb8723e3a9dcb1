//! `agentcall schemas export DIR`: the JSON Schemas of the wire and of our own output, made from the types.

use std::path::Path;

use serde_json::Value;

use super::args::SchemasAction;
use super::exit::{Exit, Failure, Kind};
use super::output::Printer;
use crate::discovery::CardRecord;
use crate::protocol::schema;
use crate::trace::output;

/// Writes them and names each file.
///
/// # Errors
/// [`Kind::Usage`] with the path that cannot be written.
pub fn schemas(action: &SchemasAction, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    let SchemasAction::Export { directory } = action;
    make(directory)?;
    for (name, schema) in schema::all().into_iter().chain([output::schema::<CardRecord>()]) {
        let path = directory.join(format!("{name}.schema.json"));
        write(&path, text(&schema).as_bytes())?;
        printer.line(&path.display().to_string())?;
    }
    Ok(Exit::Well)
}

fn text(schema: &Value) -> String {
    let mut text = serde_json::to_string_pretty(schema).expect("a schema has only string keys");
    text.push('\n');
    text
}

/// Makes a directory with its parents.
pub(super) fn make(directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| {
        Failure::new(Kind::Usage, format!("making the directory {} failed: {error}", directory.display()))
    })
}

/// Writes a file.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .map_err(|error| Failure::new(Kind::Usage, format!("writing {} failed: {error}", path.display())))
}

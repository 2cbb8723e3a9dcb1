//! From the parser's own words to one sentence and a hint, with no value of `uid=` in it.

use clap::error::ErrorKind;

use super::exit::{Failure, Kind};
use crate::redact::mask_uid_values;

/// What came of a command line that asks for nothing to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Unparsed {
    /// `--help` or `--version`: text for standard output.
    Told(String),
    /// The command line is wrong.
    Wrong(Failure),
}

/// Reads the parser's error.
pub fn unparsed(error: &clap::Error) -> Unparsed {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Unparsed::Told(text),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Unparsed::Wrong(Failure::new(Kind::Usage, "say what to do").hint(help_hint(&text)))
        }
        _ => Unparsed::Wrong(wrong(&text)),
    }
}

fn wrong(text: &str) -> Failure {
    let text = mask_uid_values(text);
    let mut paragraphs = text.split("\n\n").map(joined);
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
    let tip = paragraphs.find_map(|p| p.strip_prefix("tip: ").map(str::to_owned));
    let hint = match (tip, help_hint(&text)) {
        (Some(tip), Some(help)) => Some(format!("{} {help}", crate::words::sentence(&tip))),
        (tip, help) => tip.or(help),
    };
    Failure::new(Kind::Usage, message).hint(hint)
}

/// `See agentcall run --help.`, from the usage line, which some errors lack.
fn help_hint(text: &str) -> Option<String> {
    let Some(usage) = text.lines().find_map(|line| line.strip_prefix("Usage: ")) else {
        return text.contains("'--help'").then(|| "--help lists what is possible.".to_owned());
    };
    let words: Vec<&str> =
        usage.split(' ').take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    Some(format!("See {} --help.", words.join(" ")))
}

/// The lines of a paragraph as one.
fn joined(paragraph: &str) -> String {
    paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

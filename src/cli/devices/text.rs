//! Devices for people: sections with aligned columns, and under each what is wrong with it and what to do.

use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

use super::inventory::{Found, Inventory, Section};
use crate::client::devices::Trouble;
use crate::safe_text::SafeText;

/// The widest the column of names becomes, of a hundred columns.
const NAMES: usize = 45;
/// Fewer columns than this are too few for what stands beside a name.
const BESIDE: usize = 24;
const INDENT: &str = "  ";

/// The lines, each at most `width` columns wide where words allow it.
pub fn lines(inventory: &Inventory, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    // What is wrong with microphones is most often wrong with speakers too: what to do about it is said once.
    let mut advised: Vec<&Trouble> = Vec::new();
    for section in &inventory.sections {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(section_lines(section, width));
        for trouble in &section.troubles {
            let hint = trouble.hint.clone().filter(|_| !advised.contains(&trouble));
            lines.extend(trouble_lines(&Trouble { hint, ..trouble.clone() }, INDENT, width));
            advised.push(trouble);
        }
    }
    lines
}

/// The heading and the devices.
fn section_lines(section: &Section, width: usize) -> Vec<String> {
    let host = section.host.as_ref().map(|host| format!(" · {host}")).unwrap_or_default();
    let mut lines = vec![SafeText::line(&format!("{}{host}", section.sort.title())).as_str().to_owned()];
    let column = column(section.devices.iter().map(|found| safe(&found.name).width()), width);
    for found in &section.devices {
        lines.extend(device_lines(found, column, width));
    }
    if section.devices.is_empty() && section.troubles.is_empty() {
        lines.push(format!("{INDENT}none"));
    }
    lines
}

/// How wide the column of names is: as the widest of those that leave room beside them.
fn column(names: impl Iterator<Item = usize>, width: usize) -> usize {
    let most = (width * NAMES / 100).max(12);
    names.filter(|name| *name <= most).max().unwrap_or(0)
}

/// One device: its name, what it is beside it or below, and what is wrong with it.
pub fn device_lines(found: &Found, column: usize, width: usize) -> Vec<String> {
    let name = safe(&found.name);
    let what = safe(&found.parts().join(" · "));
    let beside = INDENT.len() + column + 2;
    let mut lines = if what.is_empty() {
        vec![format!("{INDENT}{name}")]
    } else if name.width() > column || width < beside + BESIDE {
        let mut lines = vec![format!("{INDENT}{name}")];
        lines.extend(wrapped(&what, "      ", "      ", width));
        lines
    } else {
        let pad = " ".repeat(column - name.width());
        wrapped(&what, &format!("{INDENT}{name}{pad}  "), &" ".repeat(beside), width)
    };
    lines.extend(found.trouble.iter().flat_map(|trouble| trouble_lines(trouble, "    ", width)));
    lines
}

/// What is wrong, then what to do.
pub fn trouble_lines(trouble: &Trouble, indent: &str, width: usize) -> Vec<String> {
    let mut lines = wrapped(&safe(&trouble.text), &format!("{indent}! "), &format!("{indent}  "), width);
    if let Some(hint) = &trouble.hint {
        lines.extend(wrapped(&safe(hint), &format!("{indent}  → "), &format!("{indent}    "), width));
    }
    lines
}

fn safe(text: &str) -> String {
    SafeText::line(text).as_str().to_owned()
}

fn wrapped(text: &str, first: &str, then: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(20))
        .initial_indent(first)
        .subsequent_indent(then)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    textwrap::wrap(text, options).into_iter().map(|line| line.trim_end().to_owned()).collect()
}

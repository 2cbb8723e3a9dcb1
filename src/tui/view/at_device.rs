//! What happened at a device, for the inspector: the sentence, what to do, and of a read every APDU with its time.

use ratatui::style::Style;
use ratatui::text::Line;

use super::View;
use super::text::{labelled, left, right, word};
use crate::client::devices::DeviceEvent;
use crate::device::nfc::{Apdu, TagRead};
use crate::safe_text::SafeText;
use crate::units::{Bytes, count};

/// Columns of the table: bytes sent and answered, status word, microseconds.
const NUMBERS: [usize; 4] = [6, 10, 8, 11];
/// Columns of a command's header.
const HEADER: usize = 13;

pub(super) fn lines(view: View<'_>, event: &DeviceEvent, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let style = if event.is_trouble() { theme.trouble() } else { theme.strong() };
    let mut lines = labelled("◇ ", style, &SafeText::line(&event.to_string()), style, width);
    if let Some(hint) = event.hint() {
        lines.extend(labelled("  → ", theme.dim(), &SafeText::line(&hint), theme.dim(), width));
    }
    if event.times > 1 {
        lines.push(Line::from(word(format!("  it came {} times", event.times), theme.dim())));
    }
    if let Some(read) = event.read() {
        lines.push(Line::default());
        lines.extend(table(view, read));
    }
    lines
}

/// The commands in the order in which they went, their sum, and what the read took besides.
fn table(view: View<'_>, read: &TagRead) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = vec![Line::from(word(row("APDU", ["sent", "answered", "status", "µs"]), theme.dim()))];
    lines.extend(read.apdus.iter().map(|apdu| {
        // 90 00 and 91 00 say that all is well.
        let went_well = matches!(apdu.status, Some(0x9000 | 0x9100));
        let style = if went_well { Style::new() } else { theme.notice() };
        Line::from(word(apdu_row(apdu), style))
    }));
    let sum = read.in_apdus();
    let apdus = count(read.apdus.len(), "APDU");
    lines.push(Line::from(word(row(&apdus, ["", "", "", &micros(sum)]), theme.strong())));
    lines.push(Line::from(word(
        row("between", ["", "", "", &micros(read.took.saturating_sub(sum))]),
        theme.dim(),
    )));
    lines.push(Line::from(word(row("the read", ["", "", "", &micros(read.took)]), theme.strong())));
    lines.push(Line::default());
    lines.push(Line::from(word("What was answered is not kept: it may be the tag's id.", theme.dim())));
    lines
}

fn apdu_row(apdu: &Apdu) -> String {
    let [cla, ins, p1, p2] = apdu.header;
    let status = apdu.status.map_or_else(|| "none".to_owned(), |status| format!("{status:04X}"));
    let numbers =
        [&Bytes(apdu.sent).to_string(), &Bytes(apdu.answered).to_string(), &status, &micros(apdu.took)];
    row(&format!("{cla:02X} {ins:02X} {p1:02X} {p2:02X}"), numbers.map(String::as_str))
}

fn row(header: &str, numbers: [&str; 4]) -> String {
    let numbers: String = numbers.iter().zip(NUMBERS).map(|(text, width)| right(text, width)).collect();
    format!("{}{numbers}", left(header, HEADER))
}

fn micros(time: std::time::Duration) -> String {
    Bytes(usize::try_from(time.as_micros()).unwrap_or(usize::MAX)).to_string()
}

//! The event stream: sequence, time, time since the last, direction, type, summary, size, findings in place. What happened
//! at devices stands between the frames with a mark of its own.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Padding, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::text::{fit, fit_ends, labelled, left, right, word};
use super::{View, framed, titled};
use crate::app::{Pane, Row, Source, Way};
use crate::client::devices::DeviceEvent;
use crate::device::DeviceKind;
use crate::protocol::Event;
use crate::safe_text::SafeText;
use crate::trace::record::Body;
use crate::units::Bytes;

/// Fewer columns than this of a device's name say nothing.
const SHORT_NAME: usize = 6;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let (title, note) = titled("Events", &note(view), area.width);
    let padding = if view.model.is_narrow() { Padding::ZERO } else { Padding::right(1) };
    let block = framed(view, Pane::Events, &title, &note).padding(padding);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let height = usize::from(inner.height).saturating_sub(1);
    let columns = Columns::of(usize::from(inner.width));
    let rows = view.model.events.window(height);
    let mut lines = vec![Line::from(word(columns.header(), view.theme.dim()))];
    if rows.is_empty() {
        lines.push(Line::default());
        let text = SafeText::line(&empty(view));
        lines.extend(labelled(" ", view.theme.dim(), &text, view.theme.dim(), usize::from(inner.width)));
    }
    lines.extend(rows.into_iter().map(|(row, selected)| line(view, row, selected, columns)));
    frame.render_widget(Paragraph::new(lines), inner);
}

/// `31 of 31 · 2 findings · follow`
fn note(view: View<'_>) -> String {
    let events = &view.model.events;
    let (shown, all) = events.counts();
    let mut parts = Vec::new();
    if !events.filter().is_empty() {
        parts.push(format!("/{}", fit(SafeText::line(events.filter()).as_str(), 20)));
    }
    parts.push(format!("{} of {}", Bytes(shown), Bytes(all)));
    if events.is_searching() {
        parts.push("searching".to_owned());
    }
    match events.findings() {
        0 => {}
        1 => parts.push("1 finding".to_owned()),
        n => parts.push(format!("{n} findings")),
    }
    if events.dropped() > 0 {
        let dropped = usize::try_from(events.dropped()).unwrap_or(usize::MAX);
        parts.push(format!("{} older events dropped (trace_megabytes)", Bytes(dropped)));
    }
    parts.push(if events.is_following() { "follow" } else { "frozen" }.to_owned());
    parts.join(" · ")
}

fn empty(view: View<'_>) -> String {
    if view.model.events.filter().is_empty() {
        "Every frame appears here, in both directions, and what happens at devices.".to_owned()
    } else if view.model.events.is_searching() {
        "Searching older events.".to_owned()
    } else {
        format!("No event is like this. {} shows all again.", view.model.key("leave"))
    }
}

/// How wide the columns are.
#[derive(Clone, Copy)]
struct Columns {
    sequence: usize,
    at: usize,
    since: usize,
    what: usize,
    size: usize,
}

impl Columns {
    /// Two for the finding's mark and two for the arrow stand between. Where there is little room the size goes first: what
    /// an event is comes before how long its frame was.
    fn of(width: usize) -> Self {
        let (sequence, at, since, size) = match width {
            0..56 => (7, 7, 6, 0),
            56..70 => (7, 7, 6, 7),
            70..90 => (9, 8, 6, 7),
            _ => (9, 9, 7, 8),
        };
        Self { sequence, at, since, size, what: width.saturating_sub(sequence + at + since + size + 6) }
    }

    fn header(self) -> String {
        format!(
            "{}{}{}     {} {}",
            right("seq", self.sequence),
            right("+s", self.at),
            right("Δms", self.since),
            left("what", self.what),
            right("size", self.size)
        )
    }
}

fn line(view: View<'_>, row: &Row, selected: bool, columns: Columns) -> Line<'static> {
    let theme = view.theme;
    let sequence = match row.sequences {
        Some((first, last)) if first != last => format!("{first}…{last}"),
        Some((first, _)) => first.to_string(),
        None => String::new(),
    };
    let (mark, mark_style) = match row.findings().iter().map(crate::protocol::Finding::is_must).max() {
        Some(true) => ("‼", theme.trouble()),
        Some(false) => ("!", theme.notice()),
        None => (" ", theme.dim()),
    };
    let (arrow, arrow_style) = match row.way {
        Way::Out => ("→", theme.accent()),
        Way::In => ("←", theme.dim()),
        Way::Device if row.device().is_some_and(DeviceEvent::is_trouble) => ("◇", theme.trouble()),
        Way::Device => ("◇", theme.notice()),
    };
    let size = if row.way == Way::Device { String::new() } else { Bytes(row.bytes).to_string() };
    let plain = Style::new();
    let line = Line::from(vec![
        word(right(&sequence, columns.sequence), theme.dim()),
        word(right(&format!("{:.3}", row.at.as_secs_f64()), columns.at), theme.dim()),
        word(right(&row.since.as_millis().to_string(), columns.since), theme.dim()),
        word(" ", plain),
        word(mark, mark_style),
        word(" ", plain),
        word(arrow, arrow_style),
        word(" ", plain),
        word(left(&what(view, row, columns.what), columns.what), plain),
        word(" ", plain),
        word(right(&size, columns.size), theme.dim()),
    ]);
    match (selected, view.model.pane == Pane::Events) {
        (true, true) => line.style(theme.selected()),
        (true, false) => line.style(theme.strong()),
        _ => line,
    }
}

/// `text.delta ×8  "I do not k…"`, `reader  tag put on ACR122U`
fn what(view: View<'_>, row: &Row, width: usize) -> String {
    let times = if row.count > 1 { format!(" ×{}", row.count) } else { String::new() };
    let record = match &row.source {
        Source::Frame(record) => record,
        Source::Device(event) => {
            let device = format!("{}{times}  ", event.device());
            let room = width.saturating_sub(device.width());
            return device + &happened(view, row, event, room);
        }
    };
    let past = if record.deliberate { " [deliberate]" } else { "" };
    let verdict = match &record.body {
        _ if !record.acted => "not acted on  ",
        Body::Event(Event::Unknown { .. }) => "unknown type  ",
        _ => "",
    };
    format!("{}{times}{past}  {verdict}{}", row.kind, row.summary)
}

/// The sentence where there is room for it, else what happened, and behind it as much of the device's name as fits; none
/// of it where there is but one device that it can be. The inspector has the whole.
fn happened(view: View<'_>, row: &Row, event: &DeviceEvent, room: usize) -> String {
    if row.summary.width() <= room {
        return row.summary.as_str().to_owned();
    }
    let brief = SafeText::line(&event.brief());
    let is_one_of_many = event.device() == DeviceKind::Reader && view.model.physical.readers.len() > 1;
    let left = room.saturating_sub(brief.width() + 2);
    let says_its_name = event.trouble().is_some() || event.name.is_empty();
    if left < SHORT_NAME || says_its_name || !(is_one_of_many || event.is_about_its_name()) {
        return brief.as_str().to_owned();
    }
    format!("{brief}: {}", fit_ends(SafeText::line(&event.name).as_str(), left))
}

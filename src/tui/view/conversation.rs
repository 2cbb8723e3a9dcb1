//! The conversation pane: wrapped from the newest line up, or from the line where it is held, as far as the
//! pane reaches. Nothing beyond it is touched, however long the conversation is.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Padding, Paragraph};

use super::text::{labelled, word};
use super::{View, framed, proposal};
use crate::app::{Answer, Item, Link, Pane, Spot};
use crate::safe_text::SafeText;
use crate::units::count;

/// What stands in the pane: its lines, where the first of them is, and whether the newest is among them.
struct Part {
    lines: Vec<Line<'static>>,
    top: Spot,
    newest: bool,
}

/// Draws the pane; says where its first line is, and whether its newest line is on the screen.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) -> (Spot, bool) {
    let padding = if view.model.is_narrow() { Padding::ZERO } else { Padding::horizontal(1) };
    let note = match view.model.held_at {
        Some(_) => format!("held · {} follows", view.model.key("last")),
        None => String::new(),
    };
    // On a narrow screen the tab names it already.
    let title = if view.model.is_narrow() { "" } else { "Conversation" };
    let block = framed(view, Pane::Talk, title, &note).padding(padding);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let rows = proposal::height(view).min(inner.height / 2);
    let [talk, below] = ratatui::layout::Layout::vertical([
        ratatui::layout::Constraint::Min(0),
        ratatui::layout::Constraint::Length(rows),
    ])
    .areas(inner);
    let mut part = part(view, usize::from(talk.width), usize::from(talk.height));
    if !view.model.conversation.has_begun() {
        invite(view, &mut part.lines, usize::from(talk.width), usize::from(talk.height));
    }
    frame.render_widget(Paragraph::new(part.lines), talk);
    proposal::draw(frame, below, view);
    (part.top, part.newest)
}

fn part(view: View<'_>, width: usize, height: usize) -> Part {
    let held = view.model.held_at.and_then(|spot| from(view, spot, width, height));
    held.unwrap_or_else(|| newest(view, width, height))
}

/// The last lines that fit.
fn newest(view: View<'_>, width: usize, height: usize) -> Part {
    let conversation = &view.model.conversation;
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut top = Spot { item: conversation.first(), line: 0 };
    for (at, item) in conversation.items().iter().enumerate().rev() {
        if lines.len() >= height {
            break;
        }
        let more = item_lines(view, item, width);
        let cut = (lines.len() + more.len()).saturating_sub(height);
        top = Spot { item: conversation.first() + at as u64, line: isize::try_from(cut).unwrap_or(0) };
        lines.extend(more.into_iter().rev());
    }
    lines.truncate(height);
    lines.reverse();
    Part { lines, top, newest: true }
}

/// The lines from a place on; nothing if they would not fill the pane, which then shows the newest.
fn from(view: View<'_>, spot: Spot, width: usize, height: usize) -> Option<Part> {
    let (mut at, skip) = settle(view, spot, width)?;
    let items = view.model.conversation.items();
    let top = Spot { item: view.model.conversation.first() + at as u64, line: isize::try_from(skip).ok()? };
    let mut lines = Vec::new();
    while lines.len() < height + skip {
        lines.extend(item_lines(view, items.get(at)?, width));
        at += 1;
    }
    let lines = lines.into_iter().skip(skip).take(height).collect();
    Some(Part { lines, top, newest: false })
}

/// The index of the item in which the place lies, and the line in it.
fn settle(view: View<'_>, spot: Spot, width: usize) -> Option<(usize, usize)> {
    let conversation = &view.model.conversation;
    let items = conversation.items();
    let Some(index) = spot.item.checked_sub(conversation.first()) else { return Some((0, 0)) };
    let mut at = usize::try_from(index).ok()?;
    let mut line = spot.line;
    let height = |at: usize| {
        items.get(at).map(|item| isize::try_from(item_lines(view, item, width).len()).unwrap_or(isize::MAX))
    };
    while line < 0 {
        let Some(before) = at.checked_sub(1) else { return Some((0, 0)) };
        at = before;
        line = line.saturating_add(height(at)?);
    }
    while line >= height(at)? {
        line -= height(at)?;
        at += 1;
    }
    Some((at, usize::try_from(line).ok()?))
}

fn item_lines(view: View<'_>, item: &Item, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let plain = Style::new();
    match item {
        Item::You(text) => labelled("you   ", theme.accent(), text, plain, width),
        Item::Showed(text) => {
            labelled("you   ", theme.accent(), &joined("showed ", text), theme.dim(), width)
        }
        Item::Agent { text, segments, state } => answer(view, text, segments, *state, width),
        Item::Failure(code, message) => {
            let text = SafeText::block(&format!("{code}: {message}"));
            labelled("fail  ", theme.trouble(), &text, theme.trouble(), width)
        }
        Item::Trouble(text, hint) => {
            let mut lines = labelled("  !   ", theme.trouble(), text, theme.trouble(), width);
            if let Some(hint) = hint {
                lines.extend(labelled("      ", theme.dim(), hint, plain, width));
            }
            lines
        }
        Item::Asked(prompt) => labelled("asks  ", theme.notice(), prompt, theme.notice(), width),
        Item::Note(text) => labelled("  ·   ", theme.dim(), text, theme.dim(), width),
    }
}

/// What the agent says: text, what it speaks beyond it, and how its run stands.
fn answer(
    view: View<'_>,
    text: &SafeText,
    segments: &[SafeText],
    state: Answer,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = labelled("agent ", theme.strong(), text, Style::new(), width);
    if !segments.is_empty() {
        let said = count(segments.len(), "speech segment");
        lines.push(Line::from(word(format!("      ♪ {said}"), theme.dim())));
        // A segment that only repeats the text says nothing new.
        for segment in segments.iter().filter(|segment| !text.as_str().contains(segment.as_str())) {
            lines.extend(labelled("      ♪ ", theme.dim(), segment, theme.dim(), width));
        }
    }
    match state {
        Answer::Streaming | Answer::Full => {
            if let Some(last) = lines.last_mut() {
                last.push_span(word("▌", theme.accent()));
            }
        }
        Answer::Broken => lines.push(Line::from(word("      (broken off)", theme.notice()))),
        Answer::Done => {}
    }
    lines
}

fn joined(words: &str, text: &SafeText) -> SafeText {
    let mut out = SafeText::line(words);
    out.push(text);
    out
}

/// What would fill the pane, and with which key; as long as there is room below what is there.
fn invite(view: View<'_>, lines: &mut Vec<Line<'static>>, width: usize, height: usize) {
    let model = view.model;
    let text = match &model.link {
        Link::Live => {
            let scan = if model.session.negotiated.is_empty() {
                String::new()
            } else {
                format!(", {} scans a tag, {} shows a photo", model.key("scan"), model.key("capture"))
            };
            format!("Nothing has been said yet: {} types a message{scan}.", model.key("type"))
        }
        Link::Over(..) => format!("{} connects again.", model.key("reconnect")),
        _ => "The conversation appears here once the session is live.".to_owned(),
    };
    let lines_of_text = labelled("", view.theme.dim(), &SafeText::line(&text), view.theme.dim(), width);
    if lines.len() + lines_of_text.len() < height {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(lines_of_text);
    }
}

//! The keys that work now and no others, and the line about what just happened.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::View;
use super::text::{fit, word};
use crate::app::{Link, Mode, Model, Question, Tone};
use crate::client::notice::TagName;
use crate::command::Context;
use crate::command::registry::by_id;
use crate::protocol::Modality;

pub(super) fn status_line(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let theme = view.theme;
    let Some(status) = view.model.status.as_ref().filter(|_| area.height > 0) else { return };
    let (mark, style) = match status.tone {
        Tone::Trouble => (" ! ", theme.trouble()),
        Tone::Note => (" · ", theme.well()),
    };
    let mut spans = vec![word(mark, style)];
    let hint = status.hint.as_ref().map(|hint| format!("  {hint}")).unwrap_or_default();
    let room = usize::from(area.width).saturating_sub(4);
    let text = fit(status.text.as_str(), room);
    let left = room.saturating_sub(text.width());
    spans.push(word(text, style));
    if left > 12 {
        spans.push(word(fit(&hint, left), theme.dim()));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let View { model, theme } = view;
    let entries: Vec<(String, &str)> = ids(model)
        .into_iter()
        .filter_map(|id| Some((keys(model, id), title(model, id).or(by_id(id).map(|c| c.title))?)))
        .collect();
    let width = |(key, title): &(String, &str)| key.width() + title.width() + 3;
    // Help and quit, where they work, always find room: they stand at the end and are counted first.
    let last = if is_open(model) { 0 } else { 2.min(entries.len()) };
    let (first, last) = entries.split_at(entries.len() - last);
    let mut room = usize::from(area.width).saturating_sub(last.iter().map(width).sum());
    let mut shown: Vec<&(String, &str)> = Vec::new();
    for entry in first {
        if width(entry) > room {
            break;
        }
        room -= width(entry);
        shown.push(entry);
    }
    let spans: Vec<_> = shown
        .into_iter()
        .chain(last)
        .flat_map(|(key, title)| {
            [word(format!(" {key}"), theme.key()), word(format!(" {title} "), theme.dim())]
        })
        .collect();
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

/// Whether a field or a page is open, so that keys of the panes do not count.
fn is_open(model: &Model) -> bool {
    matches!(model.context(), Context::Typing | Context::Overlay)
}

/// The key to show; up and down go together.
fn keys(model: &Model, id: &str) -> String {
    match id {
        "up" => format!("{} {}", model.key("up"), model.key("down")),
        "accept" if matches!(model.mode, Mode::Asking(_)) => "y".to_owned(),
        "rotate-left" => format!("{} {}", model.key("rotate-left"), model.key("rotate-right")),
        _ => model.key(id),
    }
}

/// What a key means here, where the registry's title is too general.
fn title(model: &Model, id: &str) -> Option<&'static str> {
    Some(match (id, &model.mode) {
        ("accept", Mode::Typing) => "send",
        ("accept", Mode::Teaching(_)) => "propose it",
        ("accept", Mode::Passport(_)) => "attach it",
        ("accept", Mode::Filtering(_)) => "keep the filter",
        ("accept", Mode::Confirming(..)) => "confirm",
        ("accept", Mode::Palette(_)) => "do it",
        ("accept", Mode::Picker(..)) => "place it",
        ("accept", Mode::Asking(Question::Quit)) => "quit",
        ("accept", Mode::Asking(Question::Reconnect)) => "reconnect",
        ("accept", Mode::Asking(Question::End)) => "end it",
        ("leave", Mode::Typing) => "leave, text kept",
        ("leave", Mode::Panes) if model.session.held.is_some() => "drop queued",
        ("leave", Mode::Panes) => "show all events",
        ("leave", Mode::Asking(_)) => "stay",
        ("leave", Mode::Help(_) | Mode::Devices(_) | Mode::Call(_)) => "close",
        ("up", Mode::Help(_) | Mode::Devices(_) | Mode::Call(_)) => "scroll",
        ("up", _) => "choose",
        ("follow", _) if model.events.is_following() => "freeze",
        ("rotate-left", _) => "rotate",
        ("cancel", _) if model.session.run.is_active() => "cancel the response",
        ("cancel", _) => "decline",
        _ => return None,
    })
}

/// The commands worth a place now, most useful first; in the panes help and quit are the last two.
fn ids(model: &Model) -> Vec<&'static str> {
    let mut ids = match model.context() {
        Context::Panes => panes(model),
        Context::Talking => vec!["talk-done", "talk-drop", "call"],
        Context::Armed => armed(model),
        Context::Review => review(model),
        Context::Typing if matches!(model.mode, Mode::Typing) => return vec!["accept", "new-line", "leave"],
        Context::Typing => return vec!["accept", "leave"],
        Context::Overlay => {
            return match &model.mode {
                Mode::Help(_) | Mode::Call(_) => vec!["up", "leave"],
                Mode::Devices(_) => vec!["look-again", "up", "leave"],
                Mode::Palette(_) | Mode::Picker(..) => vec!["accept", "up", "leave"],
                _ => vec!["accept", "leave"],
            };
        }
    };
    ids.extend(["help", "quit"]);
    ids
}

fn armed(model: &Model) -> Vec<&'static str> {
    if model.is_aiming() {
        vec!["shutter", "disarm", "rotate-left", "mirror", "intent"]
    } else if model.physical.is_reader_simulated() {
        vec!["place", "disarm", "intent"]
    } else {
        vec!["disarm", "intent"]
    }
}

fn review(model: &Model) -> Vec<&'static str> {
    let name = model.physical.activity.review().map(|review| review.name);
    let first = if name == Some(TagName::Withheld) { "insist" } else { "send" };
    let mut ids = vec![first, "drop", "intent"];
    let both = model.physical.activity.review().is_some_and(|r| r.tag.is_some() && r.photo.is_some());
    if !both {
        ids.push("add");
    }
    if model.physical.activity.review().is_some_and(|r| r.photo.is_some()) {
        ids.extend(["rotate-left", "mirror"]);
    }
    if model.physical.activity.review().is_some_and(|r| r.tag.is_some()) {
        ids.push("passport");
    }
    ids
}

fn panes(model: &Model) -> Vec<&'static str> {
    let session = &model.session;
    let mut ids = Vec::new();
    if session.held.is_some() || !model.events.filter().is_empty() {
        ids.push("leave");
    }
    if !matches!(model.link, Link::Live) {
        if matches!(model.link, Link::Over(..)) {
            ids.push("reconnect");
        }
    } else {
        ids.extend(live(model));
    }
    ids.push("next-pane");
    if model.events.counts().1 > 0 {
        ids.extend(["inspect", "follow", "filter", "copy"]);
    }
    ids.extend(["palette", "devices"]);
    ids
}

/// What a live session allows now.
fn live(model: &Model) -> Vec<&'static str> {
    let session = &model.session;
    let mut ids = Vec::new();
    if session.run.is_active() || session.pending.is_some() {
        ids.push("cancel");
    }
    if model.voice.is_some() {
        ids.push("talk");
    }
    ids.push("type");
    if session.negotiated.contains(Modality::Nfc) {
        ids.push("scan");
    }
    if session.negotiated.contains(Modality::Photo) {
        ids.push("capture");
    }
    if session.proposal.is_some() {
        ids.extend(["confirm", "cancel-teaching"]);
    } else if session.focus.is_some() {
        ids.push("teach");
    }
    ids
}

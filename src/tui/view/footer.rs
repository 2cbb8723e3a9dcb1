//! The keys that work now and no others, and the line about what just happened.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::View;
use super::text::{fit, safe, word};
use crate::app::{Link, Mode, Model, Tone};
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
    let text = status.text.as_str();
    if unicode_width::UnicodeWidthStr::width(text) + unicode_width::UnicodeWidthStr::width(hint.as_str())
        <= room
    {
        spans.push(safe(&status.text, style));
        spans.push(word(hint, theme.dim()));
    } else {
        spans.push(word(fit(text, room), style));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let View { model, theme } = view;
    let mut spans = Vec::new();
    let mut used = 0;
    for id in ids(model) {
        let Some(command) = by_id(id) else { continue };
        let key = model.key(id);
        let title = if id == "leave" { leave_title(model) } else { command.title };
        let width = key.chars().count() + title.chars().count() + 3;
        if used + width > usize::from(area.width) {
            break;
        }
        used += width;
        spans.extend([word(format!(" {key}"), theme.key()), word(format!(" {title} "), theme.dim())]);
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn leave_title(model: &Model) -> &'static str {
    match (&model.mode, model.session.held.is_some(), model.events.filter().is_empty()) {
        (Mode::Panes, true, _) => "drop queued",
        (Mode::Panes, false, false) => "show all events",
        (Mode::Quitting, ..) => "stay",
        _ => "leave",
    }
}

/// The commands worth a place now, most useful first; help is always the last that must fit.
fn ids(model: &Model) -> Vec<&'static str> {
    let mut ids = match model.context() {
        Context::Panes => panes(model),
        Context::Armed => {
            let photo = model.is_aiming();
            let mut ids = vec!["disarm"];
            if photo {
                ids.insert(0, "shutter");
                ids.extend(["rotate-left", "rotate-right", "mirror"]);
            } else {
                ids.push("place");
            }
            ids.push("intent");
            ids
        }
        Context::Review => review(model),
        Context::Typing => vec!["accept", "new-line", "leave"],
        Context::Overlay => vec!["accept", "leave", "up", "down"],
    };
    if !matches!(model.context(), Context::Typing | Context::Overlay) {
        ids.insert(ids.len().min(4), "help");
    }
    ids
}

fn review(model: &Model) -> Vec<&'static str> {
    let mut ids = vec!["send", "drop", "intent"];
    let both = model.physical.activity.review().is_some_and(|r| r.tag.is_some() && r.photo.is_some());
    if !both {
        ids.push("add");
    }
    if model.physical.activity.review().is_some_and(|r| r.photo.is_some()) {
        ids.extend(["rotate-left", "rotate-right", "mirror"]);
    }
    if model.physical.activity.review().is_some_and(|r| r.tag.is_some()) {
        ids.push("passport");
    }
    ids
}

fn panes(model: &Model) -> Vec<&'static str> {
    let session = &model.session;
    if !matches!(model.link, Link::Live) {
        return vec!["reconnect", "palette", "next-pane", "quit"];
    }
    let mut ids = Vec::new();
    if session.held.is_some() || !model.events.filter().is_empty() {
        ids.push("leave");
    }
    if session.run.is_active() {
        ids.push("cancel");
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
    ids.extend(["filter", "follow", "copy", "inspect", "next-pane", "palette", "quit"]);
    ids
}

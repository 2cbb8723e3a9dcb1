//! What the agent asks for, with the key that answers it: a bar above the panes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::View;
use super::text::{cells, fit, left, word, wrap};
use crate::app::Model;
use crate::command::Context;
use crate::protocol::Modality;
use crate::safe_text::SafeText;
use crate::session::PendingState;

/// Most lines of a prompt that are shown; the conversation and the inspector have it whole.
const LINES: usize = 3;

pub(super) fn height(view: View<'_>, width: u16) -> u16 {
    cells(lines(view, usize::from(width)).len())
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let style = view.theme.notice().add_modifier(Modifier::REVERSED);
    let lines: Vec<Line<'_>> = lines(view, usize::from(area.width))
        .into_iter()
        .map(|line| Line::from(word(left(&line, usize::from(area.width)), style)))
        .collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn lines(view: View<'_>, width: usize) -> Vec<String> {
    let Some((modality, prompt, state)) = &view.model.session.pending else { return Vec::new() };
    let keys = keys(view.model, *modality, *state);
    let text = format!("! The agent asks: \"{prompt}\"");
    let room = width.saturating_sub(2);
    let gap = room.saturating_sub(text.width() + keys.width());
    if gap >= 3 {
        return vec![format!(" {text}{}{keys}", " ".repeat(gap))];
    }
    let mut lines = wrap(&SafeText::line(&text), room);
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            *last = fit(&format!("{last} …"), room);
        }
    }
    lines.push(keys);
    lines.into_iter().map(|line| format!(" {line}")).collect()
}

/// The keys that answer now; while something else is open, what to do first.
fn keys(model: &Model, modality: Modality, state: PendingState) -> String {
    let (id, verb, collecting) = match modality {
        Modality::Nfc => ("scan", "scans for it", "a scan that answers it is armed"),
        Modality::Photo => ("capture", "takes a photo for it", "the camera is open for it"),
    };
    let answering = model.physical.activity.armed().is_some_and(|armed| armed.answers);
    let reviewed = model.physical.activity.review().is_some_and(|review| review.answers.is_some());
    match state {
        PendingState::Awaiting => "answered, waiting for the agent".to_owned(),
        PendingState::Open if reviewed => "the answer is under review".to_owned(),
        PendingState::Open if answering => collecting.to_owned(),
        PendingState::Open if model.context() == Context::Typing => {
            format!("{} leaves the field, then {} {verb}", model.key("leave"), model.key(id))
        }
        PendingState::Open => format!("{} {verb} · {} declines", model.key(id), model.key("cancel")),
    }
}

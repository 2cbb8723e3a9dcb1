//! What the agent asks for, with the key that answers it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph};

use super::View;
use super::text::{fit, word};
use crate::app::Model;
use crate::protocol::Modality;
use crate::session::PendingState;

pub(super) fn height(model: &Model) -> u16 {
    if model.session.pending.is_some() { 3 } else { 0 }
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let View { model, theme } = view;
    let Some((modality, prompt, state)) = &model.session.pending else { return };
    let (id, verb) = match modality {
        Modality::Nfc => ("scan", "scan for it"),
        Modality::Photo => ("capture", "take a photo for it"),
    };
    let keys = match state {
        PendingState::Open => format!("{} {verb} · {} decline", model.key(id), model.key("cancel")),
        PendingState::Awaiting => "answered, waiting for the agent".to_owned(),
    };
    let asked = fit(prompt.as_str(), usize::from(area.width).saturating_sub(keys.chars().count() + 10));
    let line = Line::from(vec![
        word(" \"", theme.dim()),
        word(asked, theme.strong()),
        word("\"  ", theme.dim()),
        word(keys, theme.key()),
    ]);
    let block = Block::new()
        .borders(Borders::ALL)
        .border_style(theme.notice())
        .title(" ! The agent asks ")
        .title_style(theme.notice());
    frame.render_widget(Paragraph::new(line).block(block), area);
}

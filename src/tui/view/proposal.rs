//! The proposal, not yet stored (R32): a box below the conversation, two lines on a narrow screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Padding, Paragraph};

use super::View;
use super::text::{fit, word};

/// Rows of the box.
pub(super) fn height(view: View<'_>) -> u16 {
    match view.model.session.proposal {
        Some(_) if view.model.is_narrow() => 2,
        Some(_) => 5,
        None => 0,
    }
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let View { model, theme } = view;
    let Some((object, label)) = &model.session.proposal else { return };
    let keys = format!("{} confirm · {} cancel teaching", model.key("confirm"), model.key("cancel-teaching"));
    if area.height < 5 {
        let room = usize::from(area.width).saturating_sub(28);
        let lines = vec![
            Line::from(vec![
                word("proposal, not yet stored: ", theme.notice()),
                word(format!("\"{}\"", fit(label.as_str(), room)), theme.strong()),
            ]),
            Line::from(word(format!("      {keys}"), theme.key())),
        ];
        return frame.render_widget(Paragraph::new(lines), area);
    }
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.notice())
        .title(" proposal, not yet stored ")
        .title_style(theme.notice())
        .padding(Padding::horizontal(1));
    let room = usize::from(block.inner(area).width);
    let lines = vec![
        Line::from(word(fit(object.as_str(), room), theme.dim())),
        Line::from(word(format!("\"{}\"", fit(label.as_str(), room.saturating_sub(2))), theme.strong())),
        Line::from(word(keys, theme.key())),
    ];
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

//! What would be sent, what stays here, and the keys that decide.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::View;
use super::preview::HalfBlocks;
use super::text::{safe, word};
use crate::app::{ArmedFacts, ReviewFacts};

/// Rows of the preview of the final JPEG.
const PREVIEW: u16 = 10;

pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    view: View<'_>,
    review: &ReviewFacts,
    adding: Option<&ArmedFacts>,
) {
    let lines = lines(view, review);
    let text = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height.saturating_sub(1));
    let room = area.height.saturating_sub(text + 1).min(PREVIEW);
    let preview = if review.preview.is_some() { room } else { 0 };
    let [picture, body, keys] =
        Layout::vertical([Constraint::Length(preview), Constraint::Min(1), Constraint::Length(1)])
            .areas(area);
    if let Some(preview) = &review.preview {
        let picture = Rect { x: picture.x + 1, width: picture.width.saturating_sub(2), ..picture };
        frame.render_widget(HalfBlocks { preview, colours: view.theme.has_colours() }, picture);
    }
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), body);
    frame.render_widget(Paragraph::new(decide(view, review, adding)), keys);
}

fn lines(view: View<'_>, review: &ReviewFacts) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = Vec::new();
    if let Some(tag) = &review.tag {
        lines.push(Line::from(vec![word(" tag        ", theme.dim()), safe(tag, theme.strong())]));
    }
    if let Some((photo, source)) = &review.photo {
        lines.push(Line::from(vec![word(" photo      ", theme.dim()), safe(photo, theme.strong())]));
        lines.push(Line::from(vec![word("            ", theme.dim()), safe(source, theme.dim())]));
    }
    for (at, (label, value)) in review.sends.iter().enumerate() {
        let head = if at == 0 { " will send  " } else { "            " };
        lines.push(Line::from(vec![
            word(head, theme.accent()),
            word(format!("{label:<10}"), theme.dim()),
            safe(value, ratatui::style::Style::new()),
        ]));
    }
    lines.push(intent(view, review));
    for (at, text) in review.stays.iter().enumerate() {
        let head = if at == 0 { " stays here " } else { "            " };
        lines.push(Line::from(vec![word(head, theme.dim()), safe(text, theme.dim())]));
    }
    lines
}

fn intent(view: View<'_>, review: &ReviewFacts) -> Line<'static> {
    let View { model, theme } = view;
    let mut spans = vec![
        word("            ", theme.dim()),
        word(format!("{:<10}", "intent"), theme.dim()),
        word(review.intent.name(), theme.strong()),
        word(format!("  ({} changes)", model.key("intent")), theme.dim()),
    ];
    match &review.answers {
        Some(id) => {
            spans.push(word("   answers request ", theme.dim()));
            spans.push(safe(&id.cut(24), theme.notice()));
        }
        None => spans.push(word("   answers no request", theme.dim())),
    }
    Line::from(spans)
}

fn decide(view: View<'_>, review: &ReviewFacts, adding: Option<&ArmedFacts>) -> Line<'static> {
    let View { model, theme } = view;
    if let Some(armed) = adding {
        let what =
            format!(" waiting for the {} to add · {} stops waiting", armed.modality, model.key("disarm"));
        return Line::from(word(what, theme.notice()));
    }
    let mut keys = vec![format!("{} sends", model.key("send"))];
    match (review.tag.is_some(), review.photo.is_some()) {
        (true, false) => keys.push(format!("{} adds a photo", model.key("add"))),
        (false, true) => keys.push(format!("{} adds a tag", model.key("add"))),
        _ => {}
    }
    if review.photo.is_some() {
        keys.push(format!("{} {} rotate", model.key("rotate-left"), model.key("rotate-right")));
    }
    keys.push(format!("{} drops and forgets", model.key("drop")));
    Line::from(word(format!(" {}", keys.join(" · ")), theme.key()))
}

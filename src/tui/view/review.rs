//! What would be sent, what stays here, and the keys that decide.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::View;
use super::preview::HalfBlocks;
use super::text::{cells, fit, fold, safe, word};
use crate::app::{ArmedFacts, Pane, ReviewFacts};
use crate::client::notice::TagName;
use crate::command::Context;
use crate::protocol::Modality;
use crate::units::count;

/// Rows that the preview of the final JPEG would like above the text.
const ABOVE: u16 = 8;
/// Rows of which something can be made out.
const LEAST: u16 = 4;
/// From so many columns the preview stands beside the text.
const BESIDE: u16 = 58;
/// Columns of what stands before a value.
const LABEL: usize = 12;
/// Columns of a field's name.
const FIELD: usize = 11;

/// Rows that the review needs at this width.
pub(super) fn height(view: View<'_>, review: &ReviewFacts, width: u16) -> u16 {
    let text = cells(lines(view, review, usize::from(width - beside(review, width))).len());
    let above = if review.preview.is_some() && width < BESIDE { ABOVE } else { 0 };
    text.saturating_add(above + 1)
}

/// Columns that the preview takes beside the text.
fn beside(review: &ReviewFacts, width: u16) -> u16 {
    if review.preview.is_some() && width >= BESIDE { (width / 4).min(30) } else { 0 }
}

/// Draws the review; says how far it is scrolled.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    view: View<'_>,
    review: &ReviewFacts,
    adding: Option<&ArmedFacts>,
) -> usize {
    let mut beside = beside(review, area.width);
    let mut lines = lines(view, review, usize::from(area.width - beside));
    // Text goes first: what is sent is shown before it leaves, if need be instead of the preview.
    if beside > 0 && lines.len() >= usize::from(area.height) {
        beside = 0;
        lines = self::lines(view, review, usize::from(area.width));
    }
    let [body, keys] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
    let (picture, text) = if beside > 0 {
        let [picture, text] =
            Layout::horizontal([Constraint::Length(beside), Constraint::Min(0)]).areas(body);
        (picture, text)
    } else {
        let room = body.height.saturating_sub(cells(lines.len())).min(ABOVE);
        let above = if review.preview.is_some() && room >= LEAST { room } else { 0 };
        let [picture, text] = Layout::vertical([Constraint::Length(above), Constraint::Min(0)]).areas(body);
        (picture, text)
    };
    if let Some(preview) = &review.preview
        && !picture.is_empty()
    {
        let picture = Rect { x: picture.x + 1, width: picture.width.saturating_sub(2), ..picture };
        frame.render_widget(HalfBlocks { preview, colours: view.theme.has_colours() }, picture);
    }
    let height = usize::from(text.height);
    let most = lines.len().saturating_sub(height);
    let scrolled = view.model.reviewed.min(most);
    let below = most - scrolled;
    let shown: Vec<Line<'_>> = lines.into_iter().skip(scrolled).take(height).collect();
    frame.render_widget(Paragraph::new(shown), text);
    let decide = decide(view, review, adding, below, usize::from(keys.width));
    frame.render_widget(Paragraph::new(decide), keys);
    scrolled
}

fn lines(view: View<'_>, review: &ReviewFacts, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = Vec::new();
    if let Some(tag) = &review.tag {
        lines.push((LABEL, vec![word(" tag        ", theme.dim()), safe(tag, theme.strong())]));
    }
    if let Some((photo, source)) = &review.photo {
        lines.push((LABEL, vec![word(" photo      ", theme.dim()), safe(photo, theme.strong())]));
        lines.push((LABEL, vec![word("            ", theme.dim()), safe(source, theme.dim())]));
    }
    for (at, (label, value)) in review.sends.iter().enumerate() {
        let head = if at == 0 { " will send  " } else { "            " };
        let spans = vec![
            word(head, theme.accent()),
            word(format!("{label:<FIELD$}"), theme.dim()),
            safe(value, Style::new()),
        ];
        lines.push((LABEL + FIELD, spans));
    }
    lines.push((LABEL + FIELD, intent(view, review)));
    lines.push((LABEL + FIELD, answers(view, review)));
    for (at, text) in review.stays.iter().enumerate() {
        let head = if at == 0 { " stays here " } else { "            " };
        lines.push((LABEL, vec![word(head, theme.dim()), safe(text, theme.dim())]));
    }
    lines.into_iter().flat_map(|(hang, spans)| fold(Line::from(spans), width, hang)).collect()
}

fn field(view: View<'_>, name: &str) -> Span<'static> {
    word(format!("{:LABEL$}{name:<FIELD$}", ""), view.theme.dim())
}

fn intent(view: View<'_>, review: &ReviewFacts) -> Vec<Span<'static>> {
    let View { model, theme } = view;
    let change = format!("  ({} changes it)", model.key("intent"));
    vec![field(view, "intent"), word(review.intent.name(), theme.strong()), word(change, theme.dim())]
}

fn answers(view: View<'_>, review: &ReviewFacts) -> Vec<Span<'static>> {
    let answer = match &review.answers {
        Some(id) => word(format!("request {id}"), view.theme.notice()),
        None => word("no request", view.theme.dim()),
    };
    vec![field(view, "answers"), answer]
}

/// The keys that decide now.
fn decide(
    view: View<'_>,
    review: &ReviewFacts,
    adding: Option<&ArmedFacts>,
    below: usize,
    width: usize,
) -> Line<'static> {
    let View { model, theme } = view;
    if let Some(armed) = adding {
        let stop = model.key("disarm");
        let thing = match armed.modality {
            Modality::Nfc => "a tag",
            Modality::Photo => "a photo",
        };
        let what = format!(" waiting for {thing} to add · {stop} stops waiting");
        return Line::from(word(fit(&what, width), theme.notice()));
    }
    if model.context() != Context::Review {
        let what = format!(" {} comes back here; nothing is sent until then", model.key("leave"));
        return Line::from(word(fit(&what, width), theme.notice()));
    }
    let sends = match review.name {
        TagName::Withheld => format!("{} makes an alias all the same", model.key("insist")),
        TagName::Lasting | TagName::Insisted => format!("{} sends", model.key("send")),
    };
    let mut keys = vec![sends, format!("{} drops", model.key("drop"))];
    if below > 0 {
        let pane = if model.pane == Pane::Physical { model.key("down") } else { model.key("pane-4") };
        keys.push(format!("{pane} {} more", count(below, "line")));
    }
    match (review.tag.is_some(), review.photo.is_some()) {
        (true, false) => keys.push(format!("{} adds a photo", model.key("add"))),
        (false, true) => keys.push(format!("{} adds a tag", model.key("add"))),
        _ => {}
    }
    if review.photo.is_some() {
        keys.push(format!("{} {} rotate", model.key("rotate-left"), model.key("rotate-right")));
    }
    let mut line = String::new();
    for key in keys {
        let gap = if line.is_empty() { " " } else { " · " };
        if line.width() + gap.width() + key.width() > width {
            break;
        }
        line.push_str(gap);
        line.push_str(&key);
    }
    Line::from(word(line, theme.key()))
}

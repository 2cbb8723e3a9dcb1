//! Drawing: reads the model, changes nothing. One file a region of the screen.
//!
//! From 60×16 up; below that it says so. Under 100 columns the panes become tabs.

mod banner;
mod conversation;
mod events;
mod footer;
mod input;
mod inspector;
mod json;
mod overlay;
mod pages;
mod physical;
mod preview;
mod review;
mod status;
mod tabs;
mod text;

#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, Borders, Paragraph};

use super::theme::Theme;
use crate::app::{ActivityFacts, Model, Pane};

/// Smallest size that is drawn.
pub const SMALLEST: (u16, u16) = (60, 16);
/// From so many columns panes stand side by side.
const WIDE: u16 = 100;

/// What a region needs to be drawn.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub model: &'a Model,
    pub theme: Theme,
}

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme) {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return too_small(frame, area);
    }
    let view = View { model, theme };
    let wide = area.width >= WIDE;
    let [status, banner, main, input, line, footer] = Layout::vertical([
        Constraint::Length(if wide { 1 } else { 2 }),
        Constraint::Length(banner::height(model)),
        Constraint::Min(3),
        Constraint::Length(input::height(model)),
        Constraint::Length(u16::from(model.status.is_some())),
        Constraint::Length(1),
    ])
    .areas(area);
    if wide {
        status::draw(frame, status, view);
        panes(frame, main, view);
    } else {
        let [bar, row] = Layout::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(status);
        status::draw(frame, bar, view);
        tabs::draw(frame, row, view);
        pane(frame, main, view, model.pane);
    }
    banner::draw(frame, banner, view);
    input::draw(frame, input, view);
    footer::status_line(frame, line, view);
    footer::draw(frame, footer, view);
    overlay::draw(frame, area, view);
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let text =
        format!("too small: {}×{} needed, this is {}×{}", SMALLEST.0, SMALLEST.1, area.width, area.height);
    frame.render_widget(Paragraph::new(text), area);
}

/// The four panes side by side.
fn panes(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(46), Constraint::Percentage(54)]).areas(area);
    let physical = physical_height(view.model, left.height);
    let [talk, physical] = Layout::vertical([Constraint::Min(4), Constraint::Length(physical)]).areas(left);
    let inspector = (right.height * 2 / 5).max(5);
    let [events, inspect] =
        Layout::vertical([Constraint::Min(4), Constraint::Length(inspector)]).areas(right);
    pane(frame, talk, view, Pane::Talk);
    pane(frame, physical, view, Pane::Physical);
    pane(frame, events, view, Pane::Events);
    pane(frame, inspect, view, Pane::Inspect);
}

/// The physical pane grows with what it has to show, up to two thirds of the column.
fn physical_height(model: &Model, available: u16) -> u16 {
    let wanted = match &model.physical.activity {
        ActivityFacts::Idle | ActivityFacts::Preparing(_) => 6,
        ActivityFacts::Armed(_) if model.preview.is_some() => 22,
        ActivityFacts::Armed(_) => 7,
        ActivityFacts::Reviewing(review, _) => {
            let lines = 8 + review.sends.len() + review.stays.len();
            u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(if review.preview.is_some() {
                10
            } else {
                0
            })
        }
    };
    wanted.min(available * 2 / 3)
}

fn pane(frame: &mut Frame<'_>, area: Rect, view: View<'_>, pane: Pane) {
    match pane {
        Pane::Talk => conversation::draw(frame, area, view),
        Pane::Events => events::draw(frame, area, view),
        Pane::Inspect => inspector::draw(frame, area, view),
        Pane::Physical => physical::draw(frame, area, view),
    }
}

/// A pane's border with its title; the one that has the focus is bright.
fn framed<'a>(view: View<'_>, pane: Pane, title: String) -> Block<'a> {
    let style = if view.model.pane == pane { view.theme.focus() } else { view.theme.dim() };
    Block::new()
        .borders(Borders::ALL)
        .border_style(view.theme.dim())
        .title(format!(" {title} "))
        .title_style(style)
}

//! Drawing: reads the model, changes nothing. One file a region of the screen.
//!
//! From 60×16 up; below that it says so. Under 100 columns the panes become tabs. Drawing answers how far it
//! reached ([`Seen`]), so that scrolling ends where the text ends.

mod at_device;
mod banner;
mod conversation;
mod devices;
mod events;
mod footer;
mod input;
mod inspector;
mod json;
mod overlay;
mod pages;
mod physical;
mod preview;
mod proposal;
mod review;
mod status;
mod tabs;
mod text;
mod voice;

#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph};
use unicode_width::UnicodeWidthStr;

use self::text::{fit, word};
use super::theme::Theme;
use crate::app::{Model, Pane, SMALLEST, Seen, WIDE};

/// What a region needs to be drawn.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    /// What is shown.
    pub model: &'a Model,
    /// How.
    pub theme: Theme,
}

/// Draws the whole screen, and says how far it reached.
pub fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme) -> Seen {
    let area = frame.area();
    let view = View { model, theme };
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(frame, area, view);
        return Seen::default();
    }
    let wide = area.width >= WIDE;
    let [status, banner, main, input, line, footer] = Layout::vertical([
        Constraint::Length(if wide { 1 } else { 2 }),
        Constraint::Length(banner::height(view, area.width)),
        Constraint::Min(3),
        Constraint::Length(input::height(model)),
        Constraint::Length(u16::from(model.status.is_some())),
        Constraint::Length(1),
    ])
    .areas(area);
    let mut seen = Seen::default();
    if wide {
        status::draw(frame, status, view);
        panes(frame, main, view, &mut seen);
    } else {
        let [bar, row] = Layout::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(status);
        status::draw(frame, bar, view);
        tabs::draw(frame, row, view);
        pane(frame, main, view, model.pane, &mut seen);
    }
    banner::draw(frame, banner, view);
    input::draw(frame, input, view);
    footer::status_line(frame, line, view);
    footer::draw(frame, footer, view);
    seen.page = overlay::draw(frame, area, view);
    seen
}

/// What is armed is said even here.
fn too_small(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let mut lines = vec![format!(
        "too small: {}×{} needed, this is {}×{}",
        SMALLEST.0, SMALLEST.1, area.width, area.height
    )];
    lines.extend(
        physical::armed(view.model).map(|what| format!("{what}, {} stops", view.model.key("disarm"))),
    );
    lines.extend(
        voice::on_air(view.model).map(|what| format!("{what}, {} drops", view.model.key("talk-drop"))),
    );
    lines.push(format!("{} quits", view.model.key("quit")));
    let lines: Vec<Line<'_>> =
        lines.into_iter().map(|line| Line::from(fit(&line, usize::from(area.width)))).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// The four panes side by side; neighbours share their border.
fn panes(frame: &mut Frame<'_>, area: Rect, view: View<'_>, seen: &mut Seen) {
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(46), Constraint::Percentage(54)]).spacing(-1).areas(area);
    let wanted = physical::height(view, left.width.saturating_sub(2)).saturating_add(2);
    let physical = wanted.min(left.height.saturating_sub(6)).max(5);
    let [talk, physical] =
        Layout::vertical([Constraint::Min(4), Constraint::Length(physical)]).spacing(-1).areas(left);
    let inspector = (right.height * 2 / 5).max(5);
    let [events, inspect] =
        Layout::vertical([Constraint::Min(4), Constraint::Length(inspector)]).spacing(-1).areas(right);
    pane(frame, talk, view, Pane::Talk, seen);
    pane(frame, events, view, Pane::Events, seen);
    pane(frame, inspect, view, Pane::Inspect, seen);
    pane(frame, physical, view, Pane::Physical, seen);
}

fn pane(frame: &mut Frame<'_>, area: Rect, view: View<'_>, pane: Pane, seen: &mut Seen) {
    match pane {
        Pane::Talk => {
            let (top, newest) = conversation::draw(frame, area, view);
            (seen.top, seen.newest) = (Some(top), newest);
        }
        Pane::Events => events::draw(frame, area, view),
        Pane::Inspect => seen.inspected = Some(inspector::draw(frame, area, view)),
        Pane::Physical => seen.reviewed = physical::draw(frame, area, view),
    }
}

/// A pane's border with its title and, on the right, a note; the pane that has the focus has the one bright title.
/// On narrow screens a rule above it is enough.
fn framed<'a>(view: View<'_>, pane: Pane, title: &str, note: &str) -> Block<'a> {
    let View { model, theme } = view;
    let style = if model.pane == pane { theme.focus() } else { theme.dim() };
    let borders = if model.is_narrow() { Borders::TOP } else { Borders::ALL };
    let block =
        Block::new().borders(borders).border_style(theme.dim()).merge_borders(MergeStrategy::Exact).title(
            if title.is_empty() { Line::default() } else { Line::from(word(format!(" {title} "), style)) },
        );
    if note.is_empty() {
        return block;
    }
    block.title(Line::from(word(format!(" {note} "), theme.dim())).alignment(Alignment::Right))
}

/// A title and its note, cut so that both fit into a border.
fn titled(title: &str, note: &str, width: u16) -> (String, String) {
    let room = usize::from(width).saturating_sub(8);
    let note = fit(note, room.saturating_sub(title.width().min(room / 2)));
    (fit(title, room.saturating_sub(note.width())), note)
}

//! The status bar: agent, transport, modalities, turn, run, latency of the last turn, connection.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::View;
use super::text::{safe, word};
use crate::app::Link;
use crate::session::{Latency, RunState};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let state = link(view);
    let times = if area.width >= 100 { latency(view) } else { Line::default() };
    let [left, middle, right] = Layout::horizontal([
        Constraint::Min(10),
        Constraint::Length(u16::try_from(times.width()).unwrap_or(0)),
        Constraint::Length(u16::try_from(state.width()).unwrap_or(0)),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(agent(view, area.width >= 100)), left);
    frame.render_widget(Paragraph::new(times), middle);
    frame.render_widget(Paragraph::new(state), right);
}

fn agent(view: View<'_>, wide: bool) -> Line<'static> {
    let View { model, theme } = view;
    let dot = || word(" · ", theme.dim());
    let mut spans = vec![word(" ", theme.dim())];
    match &model.card {
        Some(card) => {
            spans.push(safe(&card.agent, theme.strong()));
            if wide {
                spans.extend([dot(), safe(&card.endpoint, theme.dim())]);
                spans.extend([dot(), word(model.session.negotiated.to_string(), theme.dim())]);
            }
        }
        None => spans.push(word("agentcall", theme.strong())),
    }
    if model.link == Link::Live {
        spans.extend([dot(), word(format!("turn {}", model.session.last_turn), theme.dim())]);
        spans.extend([dot(), word(run(model.session.run), theme.dim())]);
    }
    Line::from(spans)
}

fn run(run: RunState) -> &'static str {
    match run {
        RunState::Idle => "idle",
        RunState::InFlight { .. } => "sent",
        RunState::Running { .. } => "running",
        RunState::Cancelling { .. } => "cancelling",
    }
}

/// `key→sent 0 · →run 7 · →text 9 · →end 640 ms`: the parts of the last turn, each from the key on.
fn latency(view: View<'_>) -> Line<'static> {
    let Some(latency) = view.model.session.latency else { return Line::default() };
    let Latency { asked, sent, started, first_text, completed, .. } = latency;
    let since = |at: Option<Duration>| match at {
        Some(at) => at.saturating_sub(asked).as_millis().to_string(),
        None => "–".to_owned(),
    };
    let text = format!(
        "key→sent {} · run {} · text {} · end {} ms   ",
        since(Some(sent)),
        since(started),
        since(first_text),
        since(completed)
    );
    Line::from(word(text, view.theme.dim()))
}

fn link(view: View<'_>) -> Line<'static> {
    let View { model, theme } = view;
    let (text, style) = match &model.link {
        Link::Idle => ("○ not connected ", theme.dim()),
        Link::Busy(what) => return Line::from(word(format!("… {what} "), theme.notice())),
        Link::Live if model.ending => ("… ending ", theme.notice()),
        Link::Live => ("● live ", theme.well()),
        Link::Over(..) => ("○ over ", theme.trouble()),
    };
    Line::from(word(text, style))
}

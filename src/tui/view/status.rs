//! The status bar: agent, transport, modalities, turn, run, latency of the last turn, what is armed, connection.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::text::{fit, safe, word};
use super::{View, physical, voice};
use crate::app::Link;
use crate::session::{Latency, RunState};

/// What is shown of a bar that is not wide enough for everything; the first that fits is taken.
const FORMS: [Form; 6] = [
    Form { endpoint: true, modalities: true, latency: 2 },
    Form { endpoint: true, modalities: true, latency: 1 },
    Form { endpoint: false, modalities: true, latency: 2 },
    Form { endpoint: false, modalities: true, latency: 1 },
    Form { endpoint: false, modalities: false, latency: 1 },
    Form { endpoint: false, modalities: false, latency: 0 },
];

#[derive(Clone, Copy)]
struct Form {
    endpoint: bool,
    modalities: bool,
    /// 2: every part of the last turn; 1: first text and end; 0: none.
    latency: u8,
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let width = usize::from(area.width);
    let bars = FORMS.iter().map(|form| (left(view, *form), right(view, *form)));
    let (left, right) = bars
        .clone()
        .find(|(left, right)| left.width() + right.width() + 2 <= width)
        .or_else(|| bars.clone().next_back())
        .unwrap_or_default();
    let room = width.saturating_sub(right.width());
    let [at_left, at_right] = ratatui::layout::Layout::horizontal([
        ratatui::layout::Constraint::Length(super::text::cells(room)),
        ratatui::layout::Constraint::Min(0),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(left), at_left);
    frame.render_widget(Paragraph::new(right), at_right);
}

fn left(view: View<'_>, form: Form) -> Line<'static> {
    let View { model, theme } = view;
    let dot = || word(" · ", theme.dim());
    let mut spans = vec![word(" ", theme.dim())];
    match &model.card {
        Some(card) => {
            spans.push(word(fit(card.agent.as_str(), 28), theme.strong()));
            if form.endpoint {
                spans.extend([dot(), safe(&card.endpoint, theme.dim())]);
            }
            if form.modalities && model.link == Link::Live {
                let modalities = if model.session.negotiated.is_empty() {
                    "text only".to_owned()
                } else {
                    model.session.negotiated.to_string()
                };
                spans.extend([dot(), word(modalities, theme.dim())]);
            }
        }
        None => spans.push(word("agentcall", theme.strong())),
    }
    if model.link == Link::Live {
        spans.extend([dot(), word(format!("turn {}", model.session.last_turn), theme.dim())]);
        spans.extend([dot(), run(view, model.session.run)]);
    }
    Line::from(spans)
}

fn run(view: View<'_>, run: RunState) -> Span<'static> {
    let theme = view.theme;
    match run {
        RunState::Idle => word("idle", theme.dim()),
        RunState::InFlight { .. } => word("sent", theme.accent()),
        RunState::Running { .. } => word("running", theme.accent()),
        RunState::Cancelling { .. } => word("cancelling", theme.notice()),
    }
}

fn right(view: View<'_>, form: Form) -> Line<'static> {
    let mut spans = latency(view, form.latency);
    if let Some(armed) = physical::armed(view.model) {
        spans.push(word(format!("{armed}   "), view.theme.notice()));
    }
    if view.model.speaking {
        let key = view.model.key("cancel");
        spans.push(word(format!("SPEAKING, {key} stops   "), view.theme.notice()));
    }
    if let Some(on_air) = voice::on_air(view.model) {
        spans.push(word(format!("{on_air}   "), view.theme.notice()));
    }
    spans.push(link(view));
    Line::from(spans)
}

/// `key→sent 0 · →run 7 · →text 9 · →end 640 ms`: the parts of the last turn, each counted from the key.
fn latency(view: View<'_>, detail: u8) -> Vec<Span<'static>> {
    let Some(Latency { asked, sent, started, first_text, completed, .. }) = view.model.session.latency else {
        return Vec::new();
    };
    let since = |at: Option<Duration>| match at {
        Some(at) => at.saturating_sub(asked).as_millis().to_string(),
        None => "–".to_owned(),
    };
    let text = match detail {
        0 => return Vec::new(),
        1 => format!("→text {} · →end {} ms   ", since(first_text), since(completed)),
        _ => format!(
            "key→sent {} · →run {} · →text {} · →end {} ms   ",
            since(Some(sent)),
            since(started),
            since(first_text),
            since(completed)
        ),
    };
    vec![word(text, view.theme.dim())]
}

fn link(view: View<'_>) -> Span<'static> {
    let View { model, theme } = view;
    match &model.link {
        _ if model.ending => word("… ending ", theme.notice()),
        Link::Idle => word("○ not connected ", theme.dim()),
        Link::Busy(what) => word(format!("… {what} "), theme.notice()),
        Link::Live => word("● live ", theme.well()),
        Link::Over(..) => word("○ disconnected ", theme.trouble()),
    }
}

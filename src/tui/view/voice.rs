//! Microphone and speaker: what is open, how loud it is, and the page of the call.

use std::time::Duration;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::View;
use super::overlay::Page;
use super::pages::page_width;
use super::text::{fit_ends, left, word};
use crate::app::{Device, Model, VoiceFacts};
use crate::client::voice::{Loudness, MediaStats, MicrophoneState, SpokenTurn};
use crate::units::{Bytes, count};

/// Columns of a meter, and of one where there is little room.
const METER: std::ops::RangeInclusive<usize> = 4..=16;
/// What the left end of a meter stands for, in dBFS; the right one is full scale.
const SOFTEST: f32 = -64.0;

/// `ON AIR 3.2 s`, for places that are always on the screen.
pub(super) fn on_air(model: &Model) -> Option<String> {
    let voice = model.voice.as_ref()?;
    match voice.state {
        MicrophoneState::Closed => None,
        MicrophoneState::Opening => Some("MICROPHONE OPENING".to_owned()),
        MicrophoneState::Closing => Some("MICROPHONE CLOSING".to_owned()),
        MicrophoneState::Open { until, .. } => {
            let left = until.saturating_sub(model.now).as_secs();
            // Whoever speaks for long sees the end coming.
            let warning = if left < 20 { format!(", {left} s left") } else { String::new() };
            model.on_air().map(|open| format!("ON AIR {:.1} s{warning}", open.as_secs_f32()))
        }
    }
}

/// The two lines of the physical pane; none where the session has no sound.
pub(super) fn lines(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let View { model, theme } = view;
    let Some(voice) = &model.voice else { return Vec::new() };
    let names = [&voice.microphone, &voice.speaker].map(|device| device.name.width());
    let name = names.into_iter().max().unwrap_or(0).min(width.saturating_sub(45).max(10));
    let (state, loud) = match voice.state {
        MicrophoneState::Closed => (word("closed", theme.dim()), None),
        MicrophoneState::Opening => (word("opening", theme.notice()), None),
        MicrophoneState::Closing => (word("closing", theme.notice()), None),
        MicrophoneState::Open { .. } => {
            (word("ON AIR", theme.notice()), voice.levels.and_then(|levels| levels.microphone))
        }
    };
    let widths = (name, width);
    let microphone = row(view, " mic     ", &voice.microphone, (widths, state), loud);
    let ducked = voice.levels.is_some_and(|levels| levels.ducked);
    let state = if ducked { word("muted ", theme.notice()) } else { word("open  ", theme.dim()) };
    let speaker =
        row(view, " speaker ", &voice.speaker, (widths, state), voice.levels.map(|levels| levels.speaker));
    vec![microphone, speaker]
}

fn row(
    view: View<'_>,
    label: &str,
    device: &Device,
    ((name, width), state): ((usize, usize), Span<'static>),
    loud: Option<Loudness>,
) -> Line<'static> {
    let theme = view.theme;
    let mut spans = vec![
        word(label.to_owned(), theme.dim()),
        word(left(&fit_ends(device.name.as_str(), name), name), theme.strong()),
        word("   ", theme.dim()),
    ];
    match &device.trouble {
        Some(trouble) => spans.push(word(format!("! {}", trouble.text), theme.trouble())),
        None => {
            // Label, name and gap, state, gap and number, and what is said of clipping.
            let room = width.saturating_sub(9 + name + 3 + state.content.chars().count() + 2 + 8 + 6);
            let cells = room.clamp(*METER.start(), *METER.end());
            spans.push(state);
            spans.extend(loud.into_iter().flat_map(|loud| meter(view, loud, cells)));
        }
    }
    Line::from(spans)
}

/// `  ▮▮▮▮▮▮▮▯▯▯▏▯▯ −18 dB CLIPS`: as long as it is loud, with a mark where it was loudest lately.
fn meter(view: View<'_>, loud: Loudness, width: usize) -> Vec<Span<'static>> {
    let theme = view.theme;
    let (now, held) = (cells(loud.rms_db, width), cells(loud.hold_db, width));
    let bar: String = (0..width)
        .map(|at| match at {
            _ if at < now => '▮',
            _ if at + 1 == held => '▏',
            _ => '▯',
        })
        .collect();
    let style = if loud.clipped { theme.trouble() } else { theme.well() };
    let number = if loud.rms_db <= -99.5 { "silent".to_owned() } else { format!("{:>4.0} dB", loud.rms_db) };
    let mut spans = vec![word("  ", theme.dim()), word(bar, style), word(format!(" {number}"), theme.dim())];
    if loud.clipped {
        spans.push(word(" CLIPS", theme.trouble()));
    }
    spans
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a bar of a few cells"
)]
fn cells(db: f32, width: usize) -> usize {
    let part = ((db - SOFTEST) / -SOFTEST).clamp(0.0, 1.0);
    (part * width as f32).round() as usize
}

/// The page of the call.
pub(super) fn page(view: View<'_>, scrolled: usize, screen: u16) -> Page {
    let View { model, theme } = view;
    let width = page_width(76, screen);
    let mut lines = Vec::new();
    match &model.voice {
        None => lines.push(Line::from(word(
            " This session has no sound: the agent's card advertises transport \"websocket\".",
            theme.dim(),
        ))),
        Some(VoiceFacts { stats, spoken, .. }) => {
            match stats {
                Some(stats) => lines.extend(figures(view, stats)),
                None => lines.push(Line::from(word(" Figures come a second after the call.", theme.dim()))),
            }
            lines.push(Line::default());
            lines.extend(latency(view, spoken.as_ref()));
        }
    }
    let title = format!("Call · {} closes", model.key("leave"));
    let height = lines.len();
    Page { title, lines, scrolled, cursor: None, height, width }
}

fn figures(view: View<'_>, stats: &MediaStats) -> Vec<Line<'static>> {
    let theme = view.theme;
    let known = |time: Option<Duration>| time.map_or_else(|| "–".to_owned(), ms);
    let number = |n: u64| Bytes(usize::try_from(n).unwrap_or(usize::MAX)).to_string();
    let rate = |bits: u64| format!("{:.1} kbit/s", bits as f64 / 1_000.0);
    let rows = [
        ("way", stats.pair.clone().unwrap_or_else(|| "–".to_owned())),
        ("round trip", known(stats.rtt)),
        ("sent", format!("{} packets, {}", number(stats.sent), rate(stats.send_rate))),
        ("received", format!("{} packets, {}", number(stats.received), rate(stats.receive_rate))),
        ("lost, late", format!("{}, {}", number(stats.lost), number(stats.late))),
        ("jitter", known(stats.jitter)),
        ("buffer", format!("{} of {} wanted", ms(stats.depth), ms(stats.target))),
        (
            "made up",
            format!(
                "{} for what was lost, {}",
                ms(stats.concealed),
                count(count_of(stats.underruns), "underrun")
            ),
        ),
        ("channel", format!("{} bytes wait", Bytes(stats.backlog))),
        (
            "largest message",
            stats.max_message.map_or_else(|| "any".to_owned(), |most| format!("{} bytes", Bytes(most))),
        ),
    ];
    let label = |text: &str| word(format!(" {}", left(text, 17)), theme.dim());
    rows.into_iter().map(|(name, value)| Line::from(vec![label(name), word(value, theme.strong())])).collect()
}

fn count_of(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn latency(view: View<'_>, spoken: Option<&SpokenTurn>) -> Vec<Line<'static>> {
    let theme = view.theme;
    let Some(spoken) = spoken else {
        return vec![Line::from(word(" No turn was spoken yet.", theme.dim()))];
    };
    let mut lines = vec![Line::from(word(format!(" Turn {}, from your key on", spoken.turn), theme.focus()))];
    for part in spoken.parts() {
        let took = part.took.map_or_else(|| "not measured".to_owned(), |took| format!("+{}", ms(took)));
        let style = if part.took.is_some() { theme.strong() } else { theme.dim() };
        lines.push(Line::from(vec![
            word(format!("   {}", left(part.what, 24)), theme.dim()),
            word(format!("{took:>12}"), style),
        ]));
    }
    lines.push(Line::from(vec![
        word(format!("   {}", left("together", 24)), theme.dim()),
        word(format!("{:>12}", ms(spoken.total())), Style::new()),
    ]));
    lines
}

/// `212 ms`, `7.4 ms`
fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1_000.0;
    if ms < 10.0 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}

//! The physical pane: devices, what is armed and until when, and the review of what would be sent.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::preview::HalfBlocks;
use super::text::{cells, fit, fold, labelled, left, safe, word};
use super::{View, framed, review, titled};
use crate::app::{ActivityFacts, ArmedFacts, Device, Model, Pane};
use crate::command::Context;
use crate::protocol::Modality;
use crate::safe_text::SafeText;

/// Rows that the picture would like while aiming.
const AIMING: u16 = 18;

/// Rows that the pane has to show at this width.
pub(super) fn height(view: View<'_>, width: u16) -> u16 {
    match &view.model.physical.activity {
        ActivityFacts::Reviewing(..) if view.model.preview.is_some() => AIMING + 1,
        ActivityFacts::Reviewing(facts, _) => review::height(view, facts, width),
        _ if view.model.preview.is_some() => AIMING + 1,
        ActivityFacts::Armed(_) => cells(devices(view, usize::from(width)).len()) + 2,
        _ => cells(devices(view, usize::from(width)).len()),
    }
}

/// Draws the pane; says how far a review in it is scrolled.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) -> Option<usize> {
    let (title, note) = title(view);
    let (title, note) = titled(&title, &note, area.width);
    let mut block = framed(view, Pane::Physical, &title, &note);
    if view.model.physical.activity != ActivityFacts::Idle {
        block = block.border_style(view.theme.notice());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    match &view.model.physical.activity {
        ActivityFacts::Reviewing(facts, adding) if view.model.preview.is_none() => {
            return Some(review::draw(frame, inner, view, facts, adding.as_ref()));
        }
        ActivityFacts::Idle | ActivityFacts::Preparing(_) => {
            frame.render_widget(Paragraph::new(devices(view, usize::from(inner.width))), inner);
        }
        activity => aiming(frame, inner, view, activity.armed()),
    }
    None
}

/// What the pane is about, and on the right until when and how it stops.
fn title(view: View<'_>) -> (String, String) {
    let model = view.model;
    let armed = |facts: &ArmedFacts| {
        let what = match facts.modality {
            Modality::Nfc => "ARMED",
            Modality::Photo => "CAMERA OPEN",
        };
        let note = format!("{} s · {} stops", left_of(model, facts), model.key("disarm"));
        (format!("Physical · {what}"), note)
    };
    let plain = |title: &str| (title.to_owned(), String::new());
    match &model.physical.activity {
        ActivityFacts::Idle => plain("Physical"),
        ActivityFacts::Preparing(Modality::Nfc) => plain("Physical · reading the tag"),
        ActivityFacts::Preparing(Modality::Photo) => plain("Physical · taking the picture"),
        ActivityFacts::Reviewing(_, None) => plain("Physical · review before sending"),
        ActivityFacts::Armed(facts) | ActivityFacts::Reviewing(_, Some(facts)) => armed(facts),
    }
}

/// Seconds until an armed device stops by itself, rounded: the time on screen may be some milliseconds behind.
fn left_of(model: &Model, armed: &ArmedFacts) -> u64 {
    let left = armed.until.saturating_sub(model.now).as_millis();
    ((left + 500) / 1_000).try_into().unwrap_or(u64::MAX)
}

/// `reader ARMED 24 s`, for places that are always on the screen.
pub(super) fn armed(model: &Model) -> Option<String> {
    let armed = model.physical.activity.armed()?;
    let left = left_of(model, armed);
    Some(match armed.modality {
        Modality::Nfc => format!("reader ARMED {left} s"),
        Modality::Photo => format!("CAMERA OPEN {left} s"),
    })
}

fn devices(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let View { model, theme } = view;
    let physical = &model.physical;
    let last = match &physical.last {
        Some((line, at)) => {
            let ago = format!(", {} ago, sent", ago(model.now.saturating_sub(*at).as_secs()));
            let room = width.saturating_sub(9 + ago.len());
            vec![
                word(" last    ", theme.dim()),
                word(fit(line.as_str(), room), theme.strong()),
                word(ago, theme.dim()),
            ]
        }
        None if model.session.negotiated.is_empty() => Vec::new(),
        None => {
            let keys = format!("{} scans a tag, {} shows a photo", model.key("scan"), model.key("capture"));
            vec![word(" last    nothing was shown yet: ", theme.dim()), word(keys, theme.dim())]
        }
    };
    // The state of both stands in one column, behind the longer name.
    if physical.reader.name.is_empty() && physical.camera.name.is_empty() {
        let text = SafeText::line("Reader and camera appear here once the session is live.");
        return labelled(" ", theme.dim(), &text, theme.dim(), width);
    }
    let names = [&physical.reader.name, &physical.camera.name].map(|name| name.width());
    let name = names.into_iter().max().unwrap_or(0).min(width.saturating_sub(26).max(10));
    let is_armed = |modality| physical.activity.armed().is_some_and(|armed| armed.modality == modality);
    let reader = if is_armed(Modality::Nfc) { "armed" } else { "nothing armed" };
    let camera = if is_armed(Modality::Photo) { "opening" } else { "closed" };
    let mut lines = device(view, " reader  ", &physical.reader, reader, (name, width));
    lines.extend(device(view, " camera  ", &physical.camera, camera, (name, width)));
    if !last.is_empty() {
        lines.extend(fold(Line::from(last), width, 9));
    }
    if let Some(object) = &model.session.focus {
        let goes =
            [word(" object  ", theme.dim()), safe(object, theme.strong()), word(GOES_ALONG, theme.dim())];
        lines.extend(fold(Line::from(goes.to_vec()), width, 9));
    }
    lines
}

/// What becomes of the object that was scanned (§ Session and input).
const GOES_ALONG: &str = " goes with each message as its context";

/// `8 s`, `3 min`, `2 h`
fn ago(seconds: u64) -> String {
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5_999 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}

fn device(
    view: View<'_>,
    label: &str,
    device: &Device,
    rest: &str,
    (name, width): (usize, usize),
) -> Vec<Line<'static>> {
    let theme = view.theme;
    let state = match &device.trouble {
        Some(trouble) => word(format!("! {trouble}"), theme.trouble()),
        None => word(rest.to_owned(), theme.dim()),
    };
    let line = Line::from(vec![
        word(label.to_owned(), theme.dim()),
        word(left(device.name.as_str(), name), theme.strong()),
        word("   ", theme.dim()),
        state,
    ]);
    fold(line, width, 9)
}

fn aiming(frame: &mut Frame<'_>, area: Rect, view: View<'_>, armed: Option<&ArmedFacts>) {
    let View { model, theme } = view;
    let what = what_to_do(armed, model.preview.is_some());
    let rows = u16::from(!what.is_empty());
    let [first, picture, line] =
        Layout::vertical([Constraint::Length(rows), Constraint::Min(0), Constraint::Length(1)]).areas(area);
    let width = usize::from(area.width);
    frame.render_widget(Paragraph::new(Line::from(word(fit(&what, width), theme.notice()))), first);
    match &model.preview {
        Some(preview) => {
            let picture = Rect { x: picture.x + 1, width: picture.width.saturating_sub(2), ..picture };
            frame.render_widget(HalfBlocks { preview, colours: theme.has_colours() }, picture);
        }
        None => frame.render_widget(Paragraph::new(devices(view, width)), picture),
    }
    let keys = fit(&aiming_keys(model, armed), width);
    frame.render_widget(Paragraph::new(Line::from(word(keys, theme.key()))), line);
}

/// ` hold a tag to the reader · answers the request`
fn what_to_do(armed: Option<&ArmedFacts>, is_open: bool) -> String {
    let what = match armed.map(|armed| armed.modality) {
        Some(Modality::Photo) if is_open => "",
        Some(Modality::Photo) => "the camera is opening",
        _ => "hold a tag to the reader",
    };
    let answers = armed.filter(|armed| armed.answers).map_or("", |_| "answers the request");
    let parts: Vec<&str> = [what, answers].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!(" {}", parts.join(" · ")) }
}

fn aiming_keys(model: &Model, armed: Option<&ArmedFacts>) -> String {
    if model.context() == Context::Typing {
        return format!(" {} leaves the field; the keys for this come back then", model.key("leave"));
    }
    match armed.map(|armed| armed.modality) {
        Some(Modality::Photo) => format!(
            " {} takes the picture · {} {} rotate · {} mirror",
            model.key("shutter"),
            model.key("rotate-left"),
            model.key("rotate-right"),
            model.key("mirror")
        ),
        _ => format!(" {} places a tag on the simulated reader", model.key("place")),
    }
}

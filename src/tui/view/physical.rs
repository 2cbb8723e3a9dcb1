//! The physical pane: devices, what is armed and until when, and the review of what would be sent.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::preview::HalfBlocks;
use super::text::{cells, fit, fit_ends, fold, labelled, left, safe, word};
use super::{View, framed, review, titled, voice};
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
        ActivityFacts::Armed(_) => {
            let width = usize::from(width);
            cells(devices(view, width).len() + hindrance(view, width).len()) + 2
        }
        _ => cells(devices(view, usize::from(width)).len()),
    }
}

/// Draws the pane; says how far a review in it is scrolled.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) -> Option<usize> {
    let (title, note) = title(view);
    let (title, note) = titled(&title, &note, area.width);
    let mut block = framed(view, Pane::Physical, &title, &note);
    if view.model.physical.activity != ActivityFacts::Idle || view.model.is_talking() {
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
            Modality::Photo if model.physical.camera_open => "CAMERA OPEN",
            Modality::Photo => "CAMERA OPENING",
        };
        let note = format!("{} s · {} stops", left_of(model, facts), model.key("disarm"));
        (format!("Physical · {what}"), note)
    };
    let plain = |title: &str| (title.to_owned(), String::new());
    match &model.physical.activity {
        ActivityFacts::Idle if model.on_air().is_some() => {
            let ends = format!("{} ends it · {} drops it", model.key("talk-done"), model.key("talk-drop"));
            ("Physical · ON AIR".to_owned(), ends)
        }
        ActivityFacts::Idle => plain("Physical"),
        ActivityFacts::Preparing(Modality::Nfc) => plain("Physical · reading the tag"),
        ActivityFacts::Preparing(Modality::Photo) if model.physical.camera_open => {
            plain("Physical · CAMERA OPEN · taking the picture")
        }
        ActivityFacts::Preparing(Modality::Photo) => plain("Physical · fitting the picture"),
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
    let is_open = model.physical.camera_open;
    let Some(armed) = model.physical.activity.armed() else {
        return is_open.then(|| "CAMERA OPEN".to_owned());
    };
    let left = left_of(model, armed);
    Some(match armed.modality {
        Modality::Nfc => format!("reader ARMED {left} s"),
        Modality::Photo if is_open => format!("CAMERA OPEN {left} s"),
        Modality::Photo => format!("CAMERA OPENING {left} s"),
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
    // The state of all stands in one column, behind the longest name.
    let all = || physical.readers.iter().chain([&physical.camera]);
    if all().all(|device| device.name.is_empty()) {
        let text = SafeText::line("Reader and camera appear here once the session is live.");
        return labelled(" ", theme.dim(), &text, theme.dim(), width);
    }
    let name = all().map(|device| device.name.width()).max().unwrap_or(0);
    let name = name.min(width.saturating_sub(25).max(10));
    let is_armed = |modality| physical.activity.armed().is_some_and(|armed| armed.modality == modality);
    let reader = if is_armed(Modality::Nfc) {
        word("armed", theme.notice())
    } else {
        word("nothing armed", theme.dim())
    };
    let camera = match (physical.camera_open, is_armed(Modality::Photo)) {
        (true, _) => word("OPEN", theme.notice()),
        (false, true) => word("opening", theme.notice()),
        (false, false) => word("closed", theme.dim()),
    };
    let mut lines = Vec::new();
    for (at, one) in physical.readers.iter().enumerate() {
        let label = if at == 0 { " reader  " } else { "         " };
        lines.extend(device(view, label, one, reader.clone(), (name, width)));
    }
    lines.extend(device(view, " camera  ", &physical.camera, camera, (name, width)));
    lines.extend(voice::lines(view, width));
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
    state: Span<'static>,
    (name, width): (usize, usize),
) -> Vec<Line<'static>> {
    let theme = view.theme;
    let state = match &device.trouble {
        Some(trouble) => word(format!("! {}", trouble.text), theme.trouble()),
        None => state,
    };
    let line = Line::from(vec![
        word(label.to_owned(), theme.dim()),
        word(left(&fit_ends(device.name.as_str(), name), name), theme.strong()),
        word("   ", theme.dim()),
        state,
    ]);
    let mut lines = match &device.trouble {
        // What does not fit behind the name stands whole below it.
        Some(trouble) if line.width() > width => {
            let name = fit_ends(device.name.as_str(), width.saturating_sub(9));
            let name = Line::from(vec![word(label.to_owned(), theme.dim()), word(name, theme.strong())]);
            let mut lines = vec![name];
            lines.extend(labelled("         ! ", theme.trouble(), &trouble.text, theme.trouble(), width));
            lines
        }
        _ => fold(line, width, 9),
    };
    let hint = device.trouble.as_ref().and_then(|trouble| trouble.hint.as_ref());
    // While something is armed, its own trouble stands above, mostly with the same hint.
    let above = view.model.physical.hindrance().and_then(|trouble| trouble.hint.as_ref());
    if let Some(hint) = hint.filter(|hint| above != Some(hint)) {
        lines.extend(labelled("         → ", theme.dim(), hint, theme.dim(), width));
    }
    lines
}

/// What hinders the armed scan, and what to do; the scan stays armed meanwhile.
fn hindrance(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let Some(trouble) = view.model.physical.hindrance() else { return Vec::new() };
    let times = if trouble.times > 1 { format!(" ×{}", trouble.times) } else { String::new() };
    let text = SafeText::line(&format!("{}{times}", trouble.text));
    let mut lines = labelled(" ! ", theme.trouble(), &text, theme.trouble(), width);
    if let Some(hint) = &trouble.hint {
        lines.extend(labelled("   → ", theme.dim(), hint, theme.dim(), width));
    }
    lines
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
        None => {
            let mut lines = hindrance(view, width);
            lines.extend(devices(view, width));
            frame.render_widget(Paragraph::new(lines), picture);
        }
    }
    let keys = fit(&aiming_keys(model, armed), width);
    frame.render_widget(Paragraph::new(Line::from(word(keys, theme.key()))), line);
}

/// ` hold a tag to the reader · answers the request`
fn what_to_do(armed: Option<&ArmedFacts>, is_open: bool) -> String {
    let what = match armed.map(|armed| armed.modality) {
        Some(Modality::Photo) if is_open => "",
        Some(Modality::Photo) => "the camera is opening",
        _ if armed.is_some_and(|armed| armed.is_reading) => "reading the tag: hold it still",
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
            " {} takes it · {} {} rotate · {} mirror",
            model.key("shutter"),
            model.key("rotate-left"),
            model.key("rotate-right"),
            model.key("mirror")
        ),
        _ if model.physical.is_reader_simulated() => {
            format!(" {} places a tag on the simulated reader", model.key("place"))
        }
        _ => format!(" {} stops waiting", model.key("disarm")),
    }
}

//! The physical pane: devices, what is armed and until when, and the review of what would be sent.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::preview::HalfBlocks;
use super::text::{safe, word};
use super::{View, framed, review};
use crate::app::{ActivityFacts, ArmedFacts, Device, Pane};
use crate::protocol::Modality;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
    let mut block = framed(view, Pane::Physical, title(view));
    if view.model.physical.activity != ActivityFacts::Idle {
        block = block.border_style(view.theme.notice()).title_style(view.theme.notice());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    match &view.model.physical.activity {
        ActivityFacts::Reviewing(facts, adding) if !(adding.is_some() && view.model.preview.is_some()) => {
            review::draw(frame, inner, view, facts, adding.as_ref());
        }
        ActivityFacts::Idle | ActivityFacts::Preparing(_) => {
            frame.render_widget(Paragraph::new(devices(view)), inner);
        }
        activity => aiming(frame, inner, view, activity.armed()),
    }
}

fn title(view: View<'_>) -> String {
    match &view.model.physical.activity {
        ActivityFacts::Idle => "Physical".to_owned(),
        ActivityFacts::Preparing(Modality::Nfc) => "Physical · reading the tag".to_owned(),
        ActivityFacts::Preparing(Modality::Photo) => "Physical · taking the picture".to_owned(),
        ActivityFacts::Reviewing(_, None) => "Physical · review before sending".to_owned(),
        ActivityFacts::Armed(armed) | ActivityFacts::Reviewing(_, Some(armed)) => armed_title(view, armed),
    }
}

/// `Physical · ARMED: hold a tag to the reader · answers the request · 24 s · Esc stops`
fn armed_title(view: View<'_>, armed: &ArmedFacts) -> String {
    let what = match armed.modality {
        Modality::Nfc => "ARMED: hold a tag to the reader",
        Modality::Photo => "CAMERA OPEN",
    };
    let answers = if armed.answers { " · answers the request" } else { "" };
    let left = armed.until.saturating_sub(view.model.now).as_secs();
    format!("Physical · {what}{answers} · {left} s · {} stops", view.model.key("disarm"))
}

fn devices(view: View<'_>) -> Vec<Line<'static>> {
    let View { model, theme } = view;
    let physical = &model.physical;
    let last = match &physical.last {
        Some((line, at)) => {
            let ago = model.now.saturating_sub(*at).as_secs();
            vec![
                word(" last    ", theme.dim()),
                safe(line, theme.strong()),
                word(format!(", {ago} s ago, sent"), theme.dim()),
            ]
        }
        None => vec![word(
            format!(
                " Nothing was shown yet. {} scans a tag, {} takes a photo.",
                model.key("scan"),
                model.key("capture")
            ),
            theme.dim(),
        )],
    };
    vec![
        device(view, " reader  ", &physical.reader, "nothing armed"),
        device(view, " camera  ", &physical.camera, "closed"),
        Line::from(last),
    ]
}

fn device(view: View<'_>, label: &str, device: &Device, rest: &str) -> Line<'static> {
    let theme = view.theme;
    let state = match &device.trouble {
        Some(trouble) => safe(trouble, theme.trouble()),
        None => word(rest.to_owned(), theme.dim()),
    };
    Line::from(vec![
        word(label.to_owned(), theme.dim()),
        safe(&device.name, theme.strong()),
        word("   ", theme.dim()),
        state,
    ])
}

fn aiming(frame: &mut Frame<'_>, area: Rect, view: View<'_>, armed: Option<&ArmedFacts>) {
    let View { model, theme } = view;
    let [picture, line] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
    let keys = match armed.map(|armed| armed.modality) {
        Some(Modality::Photo) => format!(
            " {} takes the picture · {} {} rotate · {} mirror",
            model.key("shutter"),
            model.key("rotate-left"),
            model.key("rotate-right"),
            model.key("mirror")
        ),
        _ => format!(" {} places a tag on the simulated reader", model.key("place")),
    };
    match &model.preview {
        Some(preview) => {
            let picture = Rect { x: picture.x + 1, width: picture.width.saturating_sub(2), ..picture };
            frame.render_widget(HalfBlocks { preview, colours: theme.has_colours() }, picture);
        }
        None => frame.render_widget(Paragraph::new(devices(view)), picture),
    }
    frame.render_widget(Paragraph::new(Line::from(word(keys, theme.key()))), line);
}

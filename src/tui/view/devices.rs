//! The page of devices: every one that is found, what it can do, what is wrong with it, and how to mend it.

use ratatui::style::Style;
use ratatui::text::Line;

use super::View;
use super::overlay::Page;
use super::pages::page_width;
use super::text::{fold, labelled, left, safe, word};
use crate::app::{Device, SectionFacts, TroubleFacts};
use crate::safe_text::SafeText;

/// Columns that a name takes at most, of so many.
const NAME: (usize, usize) = (2, 5);

pub(super) fn page(view: View<'_>, scrolled: usize, screen: u16) -> Page {
    let View { model, theme } = view;
    let width = page_width(100, screen);
    let room = usize::from(width) - 2;
    let sections = &model.devices;
    let names = sections.iter().flat_map(|section| &section.devices).map(|(device, _)| device.name.width());
    let name = names.max().unwrap_or(0).min(room * NAME.0 / NAME.1);
    let mut lines = Vec::new();
    for section in sections {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(section_lines(view, section, (name, room)));
    }
    let mut listed = sections.iter().flat_map(|section| &section.devices);
    if listed.any(|(device, _)| is_chosen(view, device)) {
        lines.push(Line::default());
        lines.push(Line::from(vec![word(" ● ", theme.well()), word("used by this session", theme.dim())]));
    }
    if sections.is_empty() {
        lines.push(Line::from(word(" Looking for devices.", theme.dim())));
    }
    let title = format!("Devices · {} looks again · {} closes", model.key("look-again"), model.key("leave"));
    let height = lines.len();
    Page { title, lines, scrolled, cursor: None, height, width }
}

fn section_lines(view: View<'_>, section: &SectionFacts, (name, room): (usize, usize)) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut heading = vec![word(format!(" {}", section.title), theme.focus())];
    if section.looking {
        heading.push(word("  looking …", theme.dim()));
    }
    let mut lines = vec![Line::from(heading)];
    lines.extend(trouble(view, section.trouble.as_ref(), "   ", room));
    for (device, what) in &section.devices {
        lines.extend(device_lines(view, device, what, (name, room)));
    }
    if section.devices.is_empty() && !section.looking && section.trouble.is_none() {
        lines.push(Line::from(word("   none found", theme.dim())));
    }
    lines
}

fn device_lines(
    view: View<'_>,
    device: &Device,
    what: &SafeText,
    (name, room): (usize, usize),
) -> Vec<Line<'static>> {
    let theme = view.theme;
    let (mark, style) = if is_chosen(view, device) { (" ● ", theme.well()) } else { ("   ", theme.dim()) };
    let mark = word(mark, style);
    let mut lines = if device.name.width() > name {
        // It is chosen by its name, so that is shown whole.
        let mut lines = fold(Line::from(vec![mark, safe(&device.name, theme.strong())]), room, 3);
        lines.extend(labelled("     ", theme.dim(), what, theme.dim(), room));
        lines
    } else {
        let name_of = word(left(device.name.as_str(), name), theme.strong());
        fold(
            Line::from(vec![mark, name_of, word("  ", Style::new()), safe(what, theme.dim())]),
            room,
            name + 5,
        )
    };
    lines.extend(trouble(view, device.trouble.as_ref(), "     ", room));
    lines
}

/// What is wrong, and on the next line what to do.
fn trouble(view: View<'_>, trouble: Option<&TroubleFacts>, indent: &str, room: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let Some(trouble) = trouble else { return Vec::new() };
    let mut lines = labelled(&format!("{indent}! "), theme.trouble(), &trouble.text, theme.trouble(), room);
    if let Some(hint) = &trouble.hint {
        lines.extend(labelled(&format!("{indent}→ "), theme.dim(), hint, theme.dim(), room));
    }
    lines
}

/// Whether this session uses it.
fn is_chosen(view: View<'_>, device: &Device) -> bool {
    let physical = &view.model.physical;
    physical.readers.iter().chain([&physical.camera]).any(|chosen| chosen.name == device.name)
}

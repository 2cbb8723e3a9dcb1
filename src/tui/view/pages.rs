//! The pages: help, palette, picker, confirmation, the question whether to quit.

use ratatui::style::Style;
use ratatui::text::Line;

use super::View;
use super::overlay::{Page, field};
use super::text::{left, safe, word};
use crate::app::{Editor, Palette};
use crate::command::{ALL, Command, Context};
use crate::safe_text::SafeText;

/// Lines of a list that are shown at once.
const LIST: usize = 14;

pub(super) fn help(view: View<'_>, scrolled: usize) -> Page {
    let theme = view.theme;
    let mut lines = Vec::new();
    for context in Context::ALL {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(word(format!(" Keys {}", context.title()), theme.focus())));
        for command in ALL.iter().filter(|command| command.contexts.contains(&context)) {
            lines.push(Line::from(vec![
                word(format!("  {}", left(&keys(view, command), 12)), theme.key()),
                word(command.help, Style::new()),
            ]));
        }
    }
    let height = lines.len();
    Page { title: "Help · arrows scroll · Esc leaves", lines, scrolled, cursor: None, height, width: 100 }
}

fn keys(view: View<'_>, command: &Command) -> String {
    let keys: Vec<String> = view.model.options.keymap.keys(command).iter().map(ToString::to_string).collect();
    keys.join(" ")
}

pub(super) fn palette(view: View<'_>, palette: &Palette) -> Page {
    let theme = view.theme;
    let (first, column) = field(view, " : ", &palette.editor);
    let found = palette.found();
    let chosen = palette.chosen.min(found.len().saturating_sub(1));
    let mut lines = vec![first, Line::default()];
    for (at, command) in window(&found, chosen) {
        let line = Line::from(vec![
            word(format!(" {}", left(command.title, 24)), Style::new()),
            word(left(&keys(view, command), 10), theme.key()),
            word(command.help, theme.dim()),
        ]);
        lines.push(if at == chosen { line.style(theme.selected()) } else { line });
    }
    if found.is_empty() {
        lines.push(Line::from(word(" No command has these words.", theme.dim())));
    }
    Page { title: "Commands", lines, scrolled: 0, cursor: Some(column), height: LIST + 2, width: 96 }
}

/// The part of a list around the chosen line, with the places of its lines.
fn window<T: Copy>(list: &[T], chosen: usize) -> Vec<(usize, T)> {
    let from = (chosen + 1).saturating_sub(LIST);
    list.iter().copied().enumerate().skip(from).take(LIST).collect()
}

pub(super) fn picker(view: View<'_>, typed: &Editor, chosen: usize) -> Page {
    let theme = view.theme;
    let (first, column) = field(view, " tag, path or uid=HEX ▸ ", typed);
    let found = view.model.picked(typed.text().trim());
    let mut lines = vec![first, Line::default()];
    for (at, tag) in window(&found, chosen) {
        let line = Line::from(vec![word(" ", Style::new()), safe(&tag.name, Style::new())]);
        lines.push(if at == chosen { line.style(theme.selected()) } else { line });
    }
    if found.is_empty() {
        lines.push(Line::from(word(
            " Enter places what is typed: a path, or uid=HEX for an empty tag.",
            theme.dim(),
        )));
    }
    Page {
        title: "Place a tag on the simulated reader",
        lines,
        scrolled: 0,
        cursor: Some(column),
        height: LIST + 2,
        width: 80,
    }
}

pub(super) fn confirm(view: View<'_>) -> Page {
    let theme = view.theme;
    let empty = (SafeText::default(), SafeText::default());
    let (object, label) = view.model.session.proposal.as_ref().unwrap_or(&empty);
    let lines = vec![
        Line::from(word(" The agent will be told to remember:", Style::new())),
        Line::default(),
        Line::from(vec![word("   object  ", theme.dim()), safe(object, theme.strong())]),
        Line::from(vec![
            word("   label   ", theme.dim()),
            word("\"", theme.dim()),
            safe(label, theme.strong()),
            word("\"", theme.dim()),
        ]),
        Line::default(),
        Line::from(word(" Enter says \"confirm object\" · Esc leaves it unstored", theme.key())),
    ];
    let height = lines.len();
    Page { title: "Confirm", lines, scrolled: 0, cursor: None, height, width: 84 }
}

pub(super) fn quit(view: View<'_>) -> Page {
    let theme = view.theme;
    let lines = vec![
        Line::from(word(" A run is active; quitting ends it and the session.", Style::new())),
        Line::default(),
        Line::from(word(" y or Enter quits · Esc stays", theme.key())),
    ];
    Page { title: "Quit?", height: lines.len(), lines, scrolled: 0, cursor: None, width: 56 }
}

//! The pages: help, palette, picker, confirmation, the question whether to quit.

use ratatui::style::Style;
use ratatui::text::Line;

use super::View;
use super::overlay::{Page, field};
use super::text::{fit, labelled, left, safe, word};
use crate::app::{Editor, Palette, Question};
use crate::command::registry::CONFIRM_OBJECT;
use crate::command::{ALL, Command, Context};
use crate::safe_text::SafeText;

/// Columns of a page that would like so many: all of them where hardly anything would be left beside it.
pub(super) fn page_width(wanted: u16, screen: u16) -> u16 {
    if wanted + 8 > screen { screen } else { wanted }
}

/// Lines of a list that are shown at once.
const LIST: usize = 14;

pub(super) fn help(view: View<'_>, scrolled: usize, screen: u16) -> Page {
    let View { model, theme } = view;
    let width = page_width(100, screen);
    let mut lines = Vec::new();
    for context in Context::ALL {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(word(format!(" Keys {}", context.title()), theme.focus())));
        for command in ALL.iter().filter(|command| command.contexts.contains(&context)) {
            let label = format!("  {} ", left(&keys(view, command), 12));
            let help = SafeText::line(command.help);
            lines.extend(labelled(&label, theme.key(), &help, Style::new(), usize::from(width) - 2));
        }
    }
    let title =
        format!("Help · {} {} scroll · {} closes", model.key("up"), model.key("down"), model.key("leave"));
    let height = lines.len();
    Page { title, lines, scrolled, cursor: None, height, width }
}

fn keys(view: View<'_>, command: &Command) -> String {
    let keys: Vec<String> = view.model.options.keymap.keys(command).iter().map(ToString::to_string).collect();
    keys.join(" ")
}

/// Columns that the palette would like.
const PALETTE: u16 = 96;
/// Columns of a command's title and of its keys.
const COMMAND: (usize, usize) = (24, 10);

pub(super) fn palette(view: View<'_>, palette: &Palette, screen: u16) -> Page {
    let theme = view.theme;
    let room = usize::from(page_width(PALETTE, screen)).saturating_sub(COMMAND.0 + COMMAND.1 + 3);
    let (first, column) = field(view, " : ", &palette.editor);
    let found = palette.found();
    let chosen = palette.chosen.min(found.len().saturating_sub(1));
    let mut lines = vec![first, Line::default()];
    for (at, command) in window(&found, chosen) {
        let line = Line::from(vec![
            word(format!(" {}", left(command.title, COMMAND.0)), Style::new()),
            word(left(&keys(view, command), COMMAND.1), theme.key()),
            word(fit(command.help, room), theme.dim()),
        ]);
        lines.push(if at == chosen { line.style(theme.selected()) } else { line });
    }
    if found.is_empty() {
        lines.push(Line::from(word(" No command has these words.", theme.dim())));
    }
    Page {
        title: "Commands".to_owned(),
        lines,
        scrolled: 0,
        cursor: Some(column),
        height: LIST + 2,
        width: PALETTE,
    }
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
        title: "Place a tag on the simulated reader".to_owned(),
        lines,
        scrolled: 0,
        cursor: Some(column),
        height: LIST + 2,
        width: 80,
    }
}

pub(super) fn confirm(view: View<'_>, object: &SafeText, label: &SafeText, screen: u16) -> Page {
    let View { model, theme } = view;
    let width = page_width(84, screen);
    let room = usize::from(width) - 2;
    let quoted = SafeText::line(&format!("\"{label}\""));
    let mut lines =
        vec![Line::from(word(" The agent will be told to remember:", Style::new())), Line::default()];
    lines.extend(labelled("   object  ", theme.dim(), object, theme.strong(), room));
    lines.extend(labelled("   label   ", theme.dim(), &quoted, theme.strong(), room));
    lines.push(Line::default());
    let keys = format!(
        " {} says \"{CONFIRM_OBJECT}\" · {} leaves it unstored",
        model.key("accept"),
        model.key("leave")
    );
    lines.push(Line::from(word(keys, theme.key())));
    let height = lines.len();
    Page { title: "Confirm".to_owned(), lines, scrolled: 0, cursor: None, height, width }
}

/// The question before something ends.
pub(super) fn ask(view: View<'_>, question: Question) -> Page {
    let View { model, theme } = view;
    let (title, text, does) = match question {
        Question::Quit if model.session.run.is_active() => {
            ("Quit?", "A run is active; quitting ends it and the session.", "quits")
        }
        Question::Quit => ("Quit?", "Quitting ends the session.", "quits"),
        Question::Reconnect => {
            ("Reconnect?", "The session ends; what it was taught is forgotten.", "reconnects")
        }
        Question::End => ("End the session?", "What it was taught is forgotten.", "ends it"),
    };
    let keys = format!(" y {does} · {} stays", model.key("leave"));
    let lines = vec![
        Line::from(word(format!(" {text}"), Style::new())),
        Line::default(),
        Line::from(word(keys, theme.key())),
    ];
    Page { title: title.to_owned(), height: lines.len(), lines, scrolled: 0, cursor: None, width: 56 }
}

//! Colours: one accent, named ANSI colours only, nothing that colour alone says. `NO_COLOR` turns them off.

use ratatui::style::{Color, Modifier, Style};

/// The colours in force.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    colours: bool,
}

impl Theme {
    /// The theme of this environment: without colours if `NO_COLOR` is set to anything (no-color.org).
    pub fn from_environment() -> Self {
        Self { colours: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    /// With colours or without.
    pub const fn with(colours: bool) -> Self {
        Self { colours }
    }

    /// Whether pictures may be drawn in colour.
    pub const fn has_colours(self) -> bool {
        self.colours
    }

    fn coloured(self, colour: Color) -> Style {
        if self.colours { Style::new().fg(colour) } else { Style::new() }
    }

    /// The one accent.
    pub fn accent(self) -> Style {
        self.coloured(Color::Cyan)
    }

    /// The title of the pane that has the focus.
    pub fn focus(self) -> Style {
        self.accent().add_modifier(Modifier::BOLD)
    }

    /// What matters less. Faint rather than grey: bright black is the background of some palettes.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What stands out.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Something is wrong; a mark or a word always stands beside it.
    pub fn trouble(self) -> Style {
        self.coloured(Color::Red)
    }

    /// Something is worth a look.
    pub fn notice(self) -> Style {
        self.coloured(Color::Yellow)
    }

    /// All is well.
    pub fn well(self) -> Style {
        self.coloured(Color::Green)
    }

    /// The selected line.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A key.
    pub fn key(self) -> Style {
        self.accent()
    }

    /// A string in JSON.
    pub fn string(self) -> Style {
        self.coloured(Color::Green)
    }

    /// A number, a boolean or null in JSON.
    pub fn number(self) -> Style {
        self.coloured(Color::Magenta)
    }
}

//! Up and down: lists, pages and panes. What was drawn says where scrolling has come to.

use super::model::{Mode, Model, Pane, Seen, Spot, fitting};

impl Model {
    /// Up and down: in the list that is open, else in the pane that has the focus.
    pub(super) fn step(&mut self, by: isize) {
        match &mut self.mode {
            Mode::Help(scrolled) | Mode::Devices(scrolled) | Mode::Call(scrolled) => {
                *scrolled = scrolled.saturating_add_signed(by);
            }
            Mode::Palette(palette) => {
                let most = palette.found().len().saturating_sub(1);
                palette.chosen = palette.chosen.saturating_add_signed(by).min(most);
            }
            Mode::Picker(editor, chosen) => {
                let most = fitting(&self.options.tags, editor.text()).len().saturating_sub(1);
                *chosen = chosen.saturating_add_signed(by).min(most);
            }
            _ => match self.pane {
                Pane::Talk => self.step_talk(by),
                Pane::Events => {
                    self.events.step(by);
                    self.inspected = 0;
                }
                Pane::Inspect => self.inspected = self.inspected.saturating_add_signed(by),
                Pane::Physical => self.reviewed = self.reviewed.saturating_add_signed(by),
            },
        }
    }

    pub(super) fn end(&mut self, last: bool) {
        match (self.pane, last) {
            (Pane::Talk, true) => self.held_at = None,
            (Pane::Talk, false) => self.held_at = Some(Spot { item: self.conversation.first(), line: 0 }),
            (Pane::Inspect, true) => self.inspected = usize::MAX / 2,
            (Pane::Inspect, false) => self.inspected = 0,
            (_, true) => self.events.last(),
            (_, false) => self.events.first(),
        }
    }

    /// Holds the conversation at a line; reaching the newest one follows again when it is drawn.
    fn step_talk(&mut self, by: isize) {
        let from = match (self.held_at, self.seen.top) {
            (Some(spot), _) => spot,
            (None, Some(top)) if by < 0 => top,
            _ => return,
        };
        self.held_at = Some(Spot { line: from.line.saturating_add(by), ..from });
    }

    /// Settles what was scrolled beyond its end.
    pub(super) fn drawn(&mut self, seen: Seen) {
        if self.held_at.is_some() && seen.top.is_some() {
            self.held_at = seen.top.filter(|_| !seen.newest);
        }
        self.inspected = seen.inspected.unwrap_or(self.inspected);
        self.reviewed = seen.reviewed.unwrap_or(self.reviewed);
        if let (Mode::Help(scrolled) | Mode::Devices(scrolled) | Mode::Call(scrolled), Some(page)) =
            (&mut self.mode, seen.page)
        {
            *scrolled = page;
        }
        self.seen = seen;
        if self.events.is_searching() {
            self.events.search_on();
        }
    }
}

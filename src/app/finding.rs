//! Finding things in the event stream: the filter while it is typed, findings, what belongs together.

use super::edit::Editor;
use super::filter::FORMS;
use super::model::{Filtering, Mode, Model, Pane, Tone};
use crate::command::Key;

/// Most filters that are remembered.
const REMEMBERED: usize = 50;

impl Model {
    pub(super) fn begin_filter(&mut self) {
        let before = self.events.filter().to_owned();
        self.mode = Mode::Filtering(Filtering { editor: Editor::with(&before), before, recalled: 0 });
    }

    /// A key in the field: up and down bring back earlier filters, everything else edits; what is typed counts at
    /// once.
    pub(super) fn filter_key(&mut self, key: Key) -> bool {
        let Mode::Filtering(filtering) = &mut self.mode else { return false };
        match key {
            Key::Up | Key::Down => {
                let by = if key == Key::Up { 1 } else { -1 };
                let wanted = filtering.recalled.saturating_add_signed(by).min(self.filters.len());
                let earlier = self.filters.len().checked_sub(wanted).and_then(|at| self.filters.get(at));
                filtering.recalled = wanted;
                filtering.editor = Editor::with(earlier.map_or("", String::as_str));
            }
            _ if filtering.editor.key(key) => {}
            _ => return false,
        }
        self.filter_typed();
        true
    }

    /// Applies what stands in the field.
    pub(super) fn filter_typed(&mut self) {
        if let Mode::Filtering(filtering) = &self.mode {
            let typed = filtering.editor.text().to_owned();
            self.apply_filter(&typed);
        }
    }

    /// What cannot be read is said, and the filter before counts meanwhile.
    pub(super) fn apply_filter(&mut self, filter: &str) {
        let Err(why) = self.events.set_filter(filter) else {
            self.status = None;
            return;
        };
        if let Mode::Filtering(filtering) = &self.mode {
            let before = filtering.before.clone();
            let _ = self.events.set_filter(&before);
        }
        // The reason is what counts; what may be typed stands behind it.
        self.tell(Tone::Trouble, &why, Some(&format!("a filter may hold {FORMS}")));
    }

    /// Enter: the filter stays and is remembered; one that cannot be read stays in the field.
    pub(super) fn keep_filter(&mut self, filtering: Filtering) {
        let typed = filtering.editor.text().trim().to_owned();
        self.mode = Mode::Filtering(filtering);
        self.apply_filter(&typed);
        if self.events.filter() != typed {
            return;
        }
        self.mode = Mode::Panes;
        self.pane = Pane::Events;
        self.remember(typed);
    }

    fn remember(&mut self, filter: String) {
        if filter.is_empty() {
            return;
        }
        self.filters.retain(|earlier| *earlier != filter);
        self.filters.push(filter);
        if self.filters.len() > REMEMBERED {
            self.filters.remove(0);
        }
    }

    pub(super) fn find_finding(&mut self, forward: bool) {
        if self.events.step_to_finding(forward) {
            self.inspected = 0;
            return;
        }
        let side = if forward { "later" } else { "earlier" };
        self.trouble(&format!("there is no {side} finding among the events shown"));
    }

    /// Shows what belongs to the selected event; a second time, everything again.
    pub(super) fn relate(&mut self) {
        match self.events.related() {
            Some(filter) if self.events.filter() == filter => self.events.clear_filter(),
            Some(filter) => {
                self.apply_filter(&filter);
                self.remember(filter);
            }
            None => self.trouble("the selected event belongs to no turn and to no interaction"),
        }
    }
}

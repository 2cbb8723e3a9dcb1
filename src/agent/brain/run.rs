//! One run: its events laid out in advance and let go one after the other, as time passes.

use std::collections::VecDeque;
use std::time::Duration;

use crate::protocol::server::{SpeechSegment, TextDelta};
use crate::protocol::{Event, Modality};

/// Words in one `text.delta`.
const WORDS: usize = 3;

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Send this event.
    Say(Event),
    /// Ask the user to show something.
    Ask(Modality),
}

/// The active run.
#[derive(Debug)]
pub(super) struct Run {
    steps: VecDeque<Step>,
    next_at: Duration,
    interval: Duration,
}

impl Run {
    /// A run that says `text`, then asks for `ask`. `segments` counts the session's speech segments.
    pub(super) fn new(
        now: Duration,
        interval: Duration,
        text: &str,
        ask: Option<Modality>,
        segments: &mut u64,
    ) -> Self {
        let mut steps = VecDeque::from([Step::Say(Event::RunStarted)]);
        for sentence in sentences(text) {
            let deltas = chunks(sentence).map(|text| Event::TextDelta(TextDelta { text }));
            steps.extend(deltas.map(Step::Say));
            *segments += 1;
            let (segment_id, text) = (format!("s{segments}"), sentence.trim().to_owned());
            steps.push_back(Step::Say(Event::SpeechSegment(SpeechSegment {
                segment_id,
                text,
                stable: true,
            })));
        }
        steps.extend(ask.map(Step::Ask));
        steps.push_back(Step::Say(Event::RunCompleted));
        Self { steps, next_at: now, interval }
    }

    /// The next step, if its time has come.
    pub(super) fn due(&mut self, now: Duration) -> Option<Step> {
        if now < self.next_at {
            return None;
        }
        let step = self.steps.pop_front()?;
        self.next_at += self.interval;
        Some(step)
    }

    /// Whether every step has been taken.
    pub(super) fn is_over(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) const fn next_at(&self) -> Duration {
        self.next_at
    }
}

/// The sentences of `text`, each with the white space after it; together they are `text` again.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().zip(rest.chars().skip(1)).find_map(|((at, c), next)| {
            let stop = c == '\n' || (matches!(c, '.' | '!' | '?') && next == ' ');
            stop.then_some(at + 1 + usize::from(next == ' '))
        });
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(sentence)
    })
    .filter(|sentence| !sentence.is_empty())
}

/// `sentence` in pieces of a few words; together they are `sentence` again.
fn chunks(sentence: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = sentence.split_inclusive(' ').collect();
    let pieces: Vec<String> = words.chunks(WORDS).map(<[&str]>::concat).collect();
    pieces.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_end_at_stops_and_line_breaks_but_not_inside_references() {
        let text = "Look. It is https://a.example/b?c=d now!\nYes";
        assert_eq!(
            sentences(text).collect::<Vec<_>>(),
            ["Look. ", "It is https://a.example/b?c=d now!\n", "Yes"]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_by_cutting(text in "[a-zé😀 .!?\n]{0,80}") {
            let deltas: String = sentences(&text).flat_map(chunks).collect();
            prop_assert_eq!(deltas, text);
        }
    }
}

//! A scenario for people: one line a frame, steps with a mark, findings in place.

use std::fmt::Write;
use std::time::Duration;

use super::{Out, Report, Secrets, Tally};
use crate::cli::exit::Failure;
use crate::client::devices::DeviceEvent;
use crate::client::notice::{CardNotice, Line, LineKind};
use crate::protocol::{Event, Finding, view};
use crate::scenario::{Outcome, Scenario, Sink, StepReport};
use crate::trace::record::{Body, Direction, Record};
use crate::units::count;

/// Longest part of a streamed text that is shown, in characters.
const STREAMED: usize = 100;

/// Prints as it happens.
pub struct TextReport<'a, 'p> {
    out: Out<'a, 'p>,
    secrets: Secrets,
    tally: Tally,
    /// The `text.delta`s that are not printed yet: since when, how many, their text.
    stream: Option<(Duration, usize, String)>,
}

impl<'a, 'p> TextReport<'a, 'p> {
    /// Reports on `scenario`.
    pub(super) fn new(scenario: &Scenario, out: Out<'a, 'p>, secrets: Secrets) -> Self {
        let mut report = Self { out, secrets, tally: Tally::of(scenario), stream: None };
        report.print(&scenario.file);
        report
    }

    fn print(&mut self, text: &str) {
        self.out.write(|printer| printer.line(text));
    }

    /// `   0.123 ←  run.started`
    fn row(&mut self, at: Duration, mark: &str, text: &str) {
        self.print(format!("{:8.3} {mark}  {text}", at.as_secs_f64()).trim_end());
    }

    /// Prints the stream that has come so far.
    fn flush(&mut self) {
        let Some((at, count, text)) = self.stream.take() else { return };
        let text = self.secrets.hide(&text);
        let shown: String = text.chars().take(STREAMED).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let times = if count > 1 { format!(" ×{count}") } else { String::new() };
        self.row(at, "←", &format!("{:22} \"{shown}{more}\"", format!("text.delta{times}")));
    }

    fn found(&mut self, at: Duration, finding: &Finding) {
        self.flush();
        self.row(at, "!", &finding.to_string());
    }
}

impl Sink for TextReport<'_, '_> {
    fn card(&mut self, card: &CardNotice) {
        self.print(&format!("  {} at {}", card.agent, card.endpoint));
        card.notes.iter().for_each(|finding| self.print(&format!("  !  {finding}")));
    }

    fn frame(&mut self, record: &Record) {
        // Acks come between the lines of a stream and tell a person nothing.
        if record.kind == "ack" {
            return;
        }
        match &record.body {
            Body::Event(Event::TextDelta(delta)) if record.acted && record.findings.is_empty() => {
                let (_, count, text) = self.stream.get_or_insert((record.at, 0, String::new()));
                *count += 1;
                // No more than is shown, and one character that says there is more: a flood costs no memory.
                let room = (STREAMED + 1).saturating_sub(text.chars().count());
                text.extend(delta.text.chars().take(room));
                return;
            }
            _ => self.flush(),
        }
        let mark = match record.direction {
            Direction::Out => "→",
            Direction::In => "←",
        };
        let mut text = format!("{:22} ", view::cut(&record.kind));
        match &record.value {
            Some(content) => text.push_str(&view::summary(&content.value())),
            None => text.push_str(&count(record.bytes, "byte")),
        }
        if !record.acted {
            text.push_str(" (not acted on)");
        }
        self.row(record.at, mark, &text);
        record.findings.iter().for_each(|finding| self.found(record.at, finding));
    }

    fn step(&mut self, step: &StepReport) {
        self.flush();
        self.tally.step(step.ok);
        let mark = if step.ok { "✓" } else { "✗" };
        let detail = step.detail.as_ref().map(|detail| format!(": {}", self.secrets.hide(detail)));
        let detail = detail.unwrap_or_default();
        let text = format!("step {} {} (line {}){detail}", step.number, step.verb, step.line);
        self.row(step.at, mark, &text);
    }

    fn finding(&mut self, at: Duration, finding: &Finding) {
        self.found(at, finding);
    }

    fn device(&mut self, event: &DeviceEvent) {
        if event.trouble().is_some() && event.times > 1 {
            return;
        }
        self.flush();
        let hint = event.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        self.row(event.at, "◇", &format!("{:22} {event}{hint}", event.device()));
    }

    fn line(&mut self, line: &Line) {
        self.flush();
        let mark = if line.kind == LineKind::Info { "·" } else { "!" };
        self.row(line.at, mark, &line.text);
    }
}

impl Report for TextReport<'_, '_> {
    fn over(&mut self, at: Duration, outcome: &Outcome, ok: bool, failure: Option<&Failure>) {
        self.flush();
        let Tally { file, steps, passed } = &self.tally;
        let verdict = if ok { "✓ passed" } else { "✗ failed" };
        let mut text =
            format!("{verdict}  {file}: {passed} of {} in {:.1} s", count(*steps, "step"), at.as_secs_f64());
        for (many, level) in [(outcome.must, "must"), (outcome.should, "should")] {
            if many > 0 {
                let _never_fails = write!(text, ", {}", count(many, &format!("{level}-level finding")));
            }
        }
        self.print(&text);
        match failure {
            Some(failure) => self.out.printer.failure(failure),
            None => {
                if let Some(message) = outcome.message.as_ref().filter(|_| !ok) {
                    self.print(&format!("  {message}"));
                    super::advice(outcome).iter().for_each(|hint| self.print(&format!("  → {hint}")));
                }
            }
        }
    }

    fn broken(&mut self) -> Option<Failure> {
        self.out.broken.take()
    }
}

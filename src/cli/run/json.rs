//! A scenario as JSON lines.

use std::time::Duration;

use super::{Out, Report, Secrets, Tally};
use crate::cli::exit::{Failure, Kind};
use crate::cli::output::Printer;
use crate::client::devices::DeviceEvent;
use crate::client::notice::{CardNotice, Connection, Line};
use crate::discovery::CardRecord;
use crate::protocol::finding::FindingRecord;
use crate::protocol::{Content, Finding};
use crate::scenario::{Outcome, Scenario, Sink, StepReport};
use crate::session::SessionView;
use crate::trace::output::{
    DeviceLine, Direction, FindingLine, FrameLine, OutputLine, ScenarioLine, ScenarioRecord, SessionLine,
    SessionRecord, StepLine,
};
use crate::trace::record::{self, Record};

/// Prints as it happens.
pub struct JsonReport<'a, 'p> {
    out: Out<'a, 'p>,
    secrets: Secrets,
    tally: Tally,
    /// The last thing that failed, so that it is said once.
    said: Option<Kind>,
    live: Option<Duration>,
    /// What stands before a frame, for as long as time and direction are these: frames of one batch came at one time.
    head: (Duration, record::Direction, String),
}

impl<'a, 'p> JsonReport<'a, 'p> {
    /// Reports on `scenario`.
    pub(super) fn new(scenario: &Scenario, out: Out<'a, 'p>, secrets: Secrets) -> Self {
        let head = (Duration::MAX, record::Direction::In, String::new());
        Self { out, secrets, tally: Tally::of(scenario), said: None, live: None, head }
    }

    fn print(&mut self, line: &OutputLine<CardRecord>) {
        self.out.write(|printer| printer.json_soon(line));
    }

    /// Prints a frame that is one line of JSON already.
    fn print_plain(&mut self, at: Duration, direction: record::Direction, frame: &str) {
        if (self.head.0, self.head.1) != (at, direction) {
            self.head = (at, direction, FrameLine::head(at.into(), way(direction)));
        }
        let head = &self.head.2;
        self.out.write(|printer| printer.frame_soon(head, frame));
    }

    fn found(&mut self, at: Option<Duration>, finding: &Finding, sequence: Option<u64>) {
        let finding = FindingRecord { sequence, ..FindingRecord::from(finding) };
        self.print(&OutputLine::Finding(FindingLine { t: at.map(Into::into), finding }));
    }

    fn state(&mut self, at: Duration, state: &str, reason: Option<String>, modalities: Option<Vec<String>>) {
        let session = SessionRecord { state: state.to_owned(), reason, modalities };
        self.print(&OutputLine::Session(SessionLine { t: at.into(), session }));
    }
}

const fn way(direction: record::Direction) -> Direction {
    match direction {
        record::Direction::Out => Direction::Out,
        record::Direction::In => Direction::In,
    }
}

impl Sink for JsonReport<'_, '_> {
    fn card(&mut self, card: &CardNotice) {
        card.notes.iter().for_each(|finding| self.found(None, finding, None));
    }

    fn frame(&mut self, record: &Record) {
        match &record.value {
            Some(Content::Plain(frame)) if !record.deliberate => {
                self.print_plain(record.at, record.direction, frame);
            }
            content => {
                let frame = content.as_ref().map(|content| content.value().into_owned()).unwrap_or_default();
                let dir = way(record.direction);
                let line = FrameLine { t: record.at.into(), dir, frame, deliberate: record.deliberate };
                self.print(&OutputLine::Frame(line));
            }
        }
        let sequence = record.sequence.map(|sequence| sequence.0);
        record.findings.iter().for_each(|finding| self.found(Some(record.at), finding, sequence));
    }

    fn step(&mut self, step: &StepReport) {
        self.tally.step(step.ok);
        self.print(&OutputLine::Step(StepLine {
            t: step.at.into(),
            step: step.number,
            ok: step.ok,
            verb: Some(step.verb.to_owned()),
            detail: step.detail.as_ref().map(|detail| self.secrets.hide(detail)),
            file: Some(self.tally.file.clone()),
            line: Some(step.line),
        }));
    }

    fn finding(&mut self, at: Duration, finding: &Finding) {
        self.found(Some(at), finding, None);
    }

    fn connection(&mut self, at: Duration, connection: &Connection) {
        match connection {
            Connection::Idle => {}
            Connection::Fetching(_) => self.state(at, "fetching", None, None),
            Connection::Dialling(_) => self.state(at, "dialling", None, None),
            Connection::Starting => self.state(at, "starting", None, None),
            // What was negotiated comes with the session, right after.
            Connection::Live => self.live = Some(at),
            Connection::Over(why) => self.state(at, "over", Some(why.text.clone()), None),
        }
    }

    fn session(&mut self, view: &SessionView) {
        if let Some(at) = self.live.take() {
            let modalities = view.negotiated.iter().map(|m| m.name().to_owned()).collect();
            self.state(at, "live", None, Some(modalities));
        }
    }

    fn device(&mut self, event: &DeviceEvent) {
        // A trouble that stands is said once; its end says how often it came.
        if event.trouble().is_none() || event.times == 1 {
            self.print(&OutputLine::Device(DeviceLine { t: event.at.into(), device: event.into() }));
        }
    }

    fn idle(&mut self) {
        self.out.write(Printer::flush);
    }

    fn line(&mut self, line: &Line) {
        if let Ok(failure) = Failure::try_from(line) {
            let failure = super::without_keys(failure);
            self.out.printer.failure(&failure);
            self.said = Some(failure.kind);
        }
    }
}

impl Report for JsonReport<'_, '_> {
    fn over(&mut self, at: Duration, outcome: &Outcome, ok: bool, failure: Option<&Failure>) {
        if let Some(failure) = failure.filter(|failure| self.said != Some(failure.kind)) {
            self.out.printer.failure(failure);
        }
        let (message, hint) =
            if ok { (None, None) } else { (outcome.message.clone(), super::advice(outcome)) };
        let Outcome { must, should, .. } = *outcome;
        let Tally { ref file, steps, passed } = self.tally;
        let file = file.clone();
        let scenario = ScenarioRecord { file, ok, steps, passed, must, should, message, hint };
        self.print(&OutputLine::Scenario(ScenarioLine { t: at.into(), scenario }));
        self.idle();
    }

    fn broken(&mut self) -> Option<Failure> {
        self.out.broken.take()
    }
}

//! Where a played scenario is reported to, as it happens.

use std::time::Duration;

use crate::client::devices::DeviceEvent;
use crate::client::notice::{CardNotice, Connection, Line};
use crate::protocol::Finding;
use crate::session::SessionView;
use crate::trace::record::Record;

/// Takes what happens, in order. It prints, or collects, or does nothing.
pub trait Sink {
    /// The card was accepted.
    fn card(&mut self, card: &CardNotice);
    /// A frame went out or came in; its findings come with it.
    fn frame(&mut self, record: &Record);
    /// A step is over.
    fn step(&mut self, step: &StepReport);
    /// Something was noticed that belongs to no frame.
    fn finding(&mut self, at: Duration, finding: &Finding);
    /// The connection has come this far.
    fn connection(&mut self, _at: Duration, _connection: &Connection) {}
    /// The session has changed.
    fn session(&mut self, _view: &SessionView) {}
    /// Something happened at a device.
    fn device(&mut self, _event: &DeviceEvent) {}
    /// Nothing else has happened yet: what was reported so far can be seen now.
    fn idle(&mut self) {}
    /// A line for people: a refusal, a failure, something worth knowing.
    fn line(&mut self, line: &Line);
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// When it was over, since the start of the engine.
    pub at: Duration,
    /// Its number, from 1.
    pub number: usize,
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its verb.
    pub verb: &'static str,
    /// Whether it did what it should.
    pub ok: bool,
    /// What was expected and what came instead. Text from outside in it is not yet made safe to draw.
    pub detail: Option<String>,
}

//! The thin shell around the player: two channels and a clock.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{Instant, sleep_until};

use super::outcome::{Class, Outcome};
use super::player::{Act, Player};
use super::script::Scenario;
use super::sink::Sink;
use crate::client::notice::Notice;
use crate::client::request::Request;

/// How many notices are taken at once, as long as they cause nothing to be done.
const BATCH: usize = 64;

/// How a scenario is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// When the engine was started: the zero of all times in notices and reports.
    pub started: Instant,
    /// How long connecting and all steps may take together.
    pub timeout: Duration,
}

/// Connects, plays the scenario, and ends the session in an orderly way. The engine stops with it: a second
/// scenario needs a new engine.
pub async fn run(
    scenario: Scenario,
    requests: Sender<Request>,
    mut notices: Receiver<Notice>,
    options: Options,
    sink: &mut dyn Sink,
) -> Outcome {
    let now = || options.started.elapsed();
    let mut player = Player::new(scenario, now() + options.timeout);
    let mut to_ask: VecDeque<Request> = VecDeque::new();
    let mut came = VecDeque::new();
    player.start();
    loop {
        while let Some(act) = player.poll() {
            match act {
                Act::Ask(request) => to_ask.push_back(request),
                Act::Report(report) => sink.step(&report),
            }
        }
        if let Some(outcome) = player.finished() {
            return outcome;
        }
        let due = player.next_deadline().map_or_else(Instant::now, |at| options.started + at);
        // Asking never stops listening: both channels are bounded, and the engine may be waiting for us.
        if came.is_empty() && notices.is_empty() {
            sink.idle();
        }
        tokio::select! {
            () = more(&mut notices, &mut came) => {
                let now = now();
                take(&mut player, sink, now, &came.pop_front().unwrap_or(Notice::Stopped));
                while player.listens()
                    && let Some(notice) = came.pop_front()
                {
                    take(&mut player, sink, now, &notice);
                }
            }
            permit = requests.reserve(), if !to_ask.is_empty() => match (permit, to_ask.pop_front()) {
                (Ok(permit), Some(request)) => permit.send(request),
                _ => player.notice(now(), &Notice::Stopped),
            },
            () = sleep_until(due) => player.tick(now()),
        }
    }
}

/// Waits for notices, unless there are some; none come when the engine is gone.
async fn more(notices: &mut Receiver<Notice>, came: &mut VecDeque<Notice>) {
    if came.is_empty() {
        let mut next = Vec::new();
        notices.recv_many(&mut next, BATCH).await;
        came.extend(next);
    }
}

fn take(player: &mut Player, sink: &mut dyn Sink, now: Duration, notice: &Notice) {
    show(sink, now, notice);
    player.notice(now, notice);
}

fn show(sink: &mut dyn Sink, now: Duration, notice: &Notice) {
    match notice {
        Notice::Frame(record) => sink.frame(record),
        Notice::Finding { at, finding } => sink.finding(*at, finding),
        Notice::Refused(line) | Notice::Failed(line) | Notice::Info(line) => sink.line(line),
        Notice::Card(card) => sink.card(card),
        Notice::Connection(connection) => sink.connection(now, connection),
        Notice::Session(view) => sink.session(view),
        Notice::Device(event) => sink.device(event),
        _ => {}
    }
}

impl Outcome {
    /// Whether all is well; with `strict` should-level findings count too.
    pub fn is_ok(&self, strict: bool) -> bool {
        self.class == Class::Ok && (!strict || self.should == 0)
    }
}

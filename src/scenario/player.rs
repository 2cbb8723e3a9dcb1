//! Plays a scenario: a pure state machine. Notices and times go in, [`Act`]s come out.
//!
//! Call [`Player::start`] once, then [`Player::notice`] for each notice and [`Player::tick`] when
//! [`Player::next_deadline`] has passed; drain [`Player::poll`] after each. [`Player::finished`] says when it
//! is over.

use std::collections::VecDeque;
use std::time::Duration;

use super::log::Log;
use super::outcome::{Class, Outcome};
use super::script::{Action, EXPECT_WITHIN, Expectation, Scenario, Step};
use super::sink::StepReport;
use crate::client::notice::{Connection, Line, LineKind, Notice};
use crate::client::request::{Request, Talk};
use crate::client::voice::MicrophoneState;
use crate::protocol::{Event, rules};
use crate::trace::record::{Body, Direction, Record};

/// How long a turn is spoken that is dropped.
const SPOKEN: Duration = Duration::from_millis(500);
/// From which level on something is heard, in dBFS.
const AUDIBLE_DB: f32 = -50.0;
/// How long the link may take to close after `session.end`.
const CLOSE: Duration = Duration::from_secs(2);
/// How long the engine may take to say goodbye after the last step.
const GOODBYE: Duration = Duration::from_secs(5);

/// One thing to be done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// Ask the engine for this.
    Ask(Request),
    /// A step is over.
    Report(StepReport),
}

/// What the player waits for.
#[derive(Debug)]
enum Waiting {
    /// The session to be live.
    Live,
    /// The active run to end before the next turn is sent.
    Run,
    /// The frame of the acting step.
    Sent,
    /// What the `expect` step names, until then. `None`: until the active run has ended.
    Expected(Expectation, Option<Duration>),
    /// A turn that will be dropped to have been spoken for a while.
    Spoken(Duration),
    /// Something to be heard.
    Heard(Duration),
    /// Time to pass.
    Until(Duration),
    /// The link to close after `session.end`.
    Closed(Duration),
    /// The engine to stop.
    Stopped(Duration),
    /// Nothing: it is over.
    Nothing,
}

/// The state machine.
#[derive(Debug)]
pub(super) struct Player {
    steps: Vec<Step>,
    next: usize,
    waiting: Waiting,
    log: Log,
    /// Whether a turn of ours is in flight or a run is active.
    busy: bool,
    /// Whether something of the agent's was heard since the last acting step.
    heard: bool,
    /// Whether the microphone closes whose turn has no messages of its own.
    closing: bool,
    /// `end` was played: the session may be over.
    ended: bool,
    /// Why the session is over, if it is.
    over: Option<Line>,
    /// The end of the whole run.
    until: Duration,
    failure: Option<(Class, String, Option<String>)>,
    acts: VecDeque<Act>,
}

impl Player {
    /// A player that has not begun; it gives up at `until`.
    pub fn new(scenario: Scenario, until: Duration) -> Self {
        Self {
            steps: scenario.steps,
            next: 0,
            waiting: Waiting::Live,
            log: Log::default(),
            busy: false,
            heard: false,
            closing: false,
            ended: false,
            over: None,
            until,
            failure: None,
            acts: VecDeque::new(),
        }
    }

    /// Asks the engine to connect.
    pub fn start(&mut self) {
        self.acts.push_back(Act::Ask(Request::Connect));
    }

    /// The next thing to be done.
    pub fn poll(&mut self) -> Option<Act> {
        self.acts.pop_front()
    }

    /// Whether there is nothing to do but to wait for what comes.
    pub fn listens(&self) -> bool {
        self.acts.is_empty() && !matches!(self.waiting, Waiting::Nothing)
    }

    /// When [`Player::tick`] is due.
    pub fn next_deadline(&self) -> Option<Duration> {
        match self.waiting {
            Waiting::Until(at)
            | Waiting::Spoken(at)
            | Waiting::Heard(at)
            | Waiting::Expected(_, Some(at)) => Some(at.min(self.until)),
            Waiting::Expected(_, None) | Waiting::Live | Waiting::Run | Waiting::Sent => Some(self.until),
            Waiting::Closed(at) | Waiting::Stopped(at) => Some(at),
            Waiting::Nothing => None,
        }
    }

    /// What it came to, when it is over.
    pub fn finished(&self) -> Option<Outcome> {
        matches!(self.waiting, Waiting::Nothing).then(|| self.outcome())
    }

    fn outcome(&self) -> Outcome {
        let unexpected = self.log.unexpected();
        let (must, should) = (unexpected.count(true), unexpected.count(false));
        let (class, message, hint) = match &self.failure {
            // What broke a rule explains what did not come in time better than the clock does.
            Some((Class::Timeout, message, _)) if must > 0 => {
                let message = format!("{message} The agent broke {}.", unexpected.broken());
                (Class::Findings, Some(message), None)
            }
            Some((class, message, hint)) => (*class, Some(message.clone()), hint.clone()),
            None if must > 0 => {
                let message = format!("The steps went well, but the agent broke {}.", unexpected.broken());
                let hint = "A step `expect finding RULE` makes a finding an expected one.";
                (Class::Findings, Some(message), Some(hint.to_owned()))
            }
            None => (Class::Ok, None, None),
        };
        Outcome { class, message, hint, must, should }
    }

    /// Takes one notice.
    pub fn notice(&mut self, now: Duration, notice: &Notice) {
        match notice {
            Notice::Connection(Connection::Live) if matches!(self.waiting, Waiting::Live) => {
                self.advance(now);
            }
            Notice::Connection(Connection::Over(why)) => self.gone(now, why),
            // R28: the profile itself forbids invented interfaces, so an empty list is shown and never counted.
            Notice::Card(card) => card
                .notes
                .iter()
                .filter(|finding| finding.rule.id != rules::CARD_INTERFACES_EMPTY.id)
                .for_each(|finding| self.log.finding(finding)),
            Notice::Finding { finding, .. } => self.log.finding(finding),
            Notice::Frame(record) => self.frame(now, record),
            Notice::Session(view) => {
                self.busy = view.run.is_active();
                self.look(now);
            }
            Notice::Refused(line) | Notice::Failed(line) => self.trouble(now, line),
            Notice::Voice(Some(voice)) => self.microphone(now, voice.state, voice.explicit),
            Notice::Spoken(spoken) => self.hear(now, spoken.heard.is_some()),
            // What belongs to no spoken turn is heard by its level alone.
            Notice::Levels(levels) => {
                let is_answer = matches!(self.last_acted(), Some(Action::Talk { .. }));
                self.hear(now, !is_answer && levels.speaker.rms_db > AUDIBLE_DB);
            }
            Notice::Stopped => self.stopped(),
            Notice::Connection(_)
            | Notice::Physical(_)
            | Notice::Preview(_)
            | Notice::Info(_)
            | Notice::Device(_)
            | Notice::Voice(None)
            | Notice::Media(_)
            | Notice::Speaking(_)
            | Notice::Devices(_) => {}
        }
        if matches!(notice, Notice::Card(_) | Notice::Finding { .. }) {
            self.look(now);
        }
    }

    /// A deadline may have passed.
    pub fn tick(&mut self, now: Duration) {
        match &self.waiting {
            Waiting::Until(at) if now >= *at => self.step_over(now, Ok(())),
            Waiting::Spoken(at) if now >= *at => {
                self.waiting = Waiting::Sent;
                self.acts.push_back(Act::Ask(Request::TalkDropped));
            }
            Waiting::Heard(at) if now >= *at => {
                let instead = self.log.instead();
                self.step_over(now, Err(format!("nothing was heard; came instead: {instead}")));
            }
            Waiting::Expected(expectation, Some(at)) if now >= *at => {
                let expectation = expectation.clone();
                self.run_out(now, &expectation);
            }
            Waiting::Closed(at) if now >= *at => self.quit(now),
            Waiting::Stopped(at) if now >= *at => self.waiting = Waiting::Nothing,
            _ => {}
        }
        if now < self.until {
            return;
        }
        let message = format!("the whole run took too long; {}", self.stuck());
        let hint = Some("Give it more time with --timeout.".to_owned());
        match self.waiting {
            Waiting::Closed(_) | Waiting::Stopped(_) | Waiting::Nothing => {}
            Waiting::Live => self.give_up(now, Class::Timeout, message, hint),
            _ => self.step_failed(now, Class::Timeout, message, hint),
        }
    }

    fn stuck(&self) -> String {
        match &self.waiting {
            Waiting::Live => "the session did not become live".to_owned(),
            Waiting::Run => "a step waits for the end of the active run".to_owned(),
            Waiting::Sent | Waiting::Spoken(_) => "the step was not sent".to_owned(),
            Waiting::Heard(_) => "a step waits to hear something".to_owned(),
            Waiting::Expected(expectation, _) => format!("a step waits for {}", expectation.what),
            _ => "a step waits for time to pass".to_owned(),
        }
    }

    // ── what comes ──

    fn frame(&mut self, now: Duration, record: &Record) {
        self.log.frame(record);
        match &record.body {
            Body::Say { .. } | Body::Show { .. } if record.direction == Direction::Out => self.busy = true,
            Body::Event(Event::RunStarted) if record.acted => self.busy = true,
            _ => {}
        }
        if record.direction == Direction::Out && !record.deliberate && self.is_of_step(record) {
            self.step_over(now, Ok(()));
        }
        self.look(now);
    }

    /// Whether this frame is what the acting step sends.
    fn is_of_step(&self, record: &Record) -> bool {
        if !matches!(self.waiting, Waiting::Sent) {
            return false;
        }
        match (&self.steps[self.next].action, &record.body) {
            (Action::Say(_), Body::Say { .. }) | (Action::Observe { .. }, Body::Show { .. }) => true,
            (Action::Talk { drop: false, .. }, Body::Client) => record.kind == "audio.turn.commit",
            (Action::Talk { drop: true, .. }, Body::Client) => record.kind == "audio.turn.cancel",
            (Action::Cancel, Body::Client) => record.kind == "response.cancel",
            (Action::End, Body::Client) => record.kind == "session.end",
            _ => false,
        }
    }

    /// Something of the agent's was heard, or not.
    fn hear(&mut self, now: Duration, heard: bool) {
        self.heard |= heard;
        if self.heard && matches!(self.waiting, Waiting::Heard(_)) {
            self.step_over(now, Ok(()));
        }
    }

    /// The step that sent something last.
    fn last_acted(&self) -> Option<&Action> {
        let played = &self.steps[..(self.next + 1).min(self.steps.len())];
        played.iter().rev().map(|step| &step.action).find(|action| action.acts())
    }

    /// The microphone opened or closed: a turn that will be dropped is spoken for a while, and one without words of its own
    /// is over when it is closed.
    fn microphone(&mut self, now: Duration, state: MicrophoneState, explicit: bool) {
        let Some(Action::Talk { drop, .. }) = self.steps.get(self.next).map(|step| &step.action) else {
            return;
        };
        match (&self.waiting, state) {
            (Waiting::Sent, MicrophoneState::Open { since, .. }) if *drop && since + SPOKEN > now => {
                self.waiting = Waiting::Spoken(since + SPOKEN);
            }
            (Waiting::Sent, MicrophoneState::Closing) if !explicit => self.closing = true,
            (Waiting::Sent, MicrophoneState::Closed) if std::mem::take(&mut self.closing) => {
                self.step_over(now, Ok(()));
            }
            _ => {}
        }
    }

    /// Looks whether what the player waits for is there.
    fn look(&mut self, now: Duration) {
        match &self.waiting {
            Waiting::Run if !self.busy => self.issue(now),
            Waiting::Expected(Expectation { what, absent: true, .. }, until) => {
                if self.log.holds(what) {
                    let came = format!("{what} came, which should not");
                    self.step_over(now, Err(came));
                } else if until.is_none() && !self.busy {
                    self.step_over(now, Ok(()));
                }
            }
            Waiting::Expected(Expectation { what, .. }, _) if self.log.consume(what) => {
                self.step_over(now, Ok(()));
            }
            _ => {}
        }
    }

    /// The time of an `expect` is up.
    fn run_out(&mut self, now: Duration, expectation: &Expectation) {
        if expectation.absent {
            return self.step_over(now, Ok(()));
        }
        let within = expectation.within.unwrap_or(EXPECT_WITHIN);
        let instead = self.log.instead();
        self.step_over(
            now,
            Err(format!("expected {} within {within:?}; came instead: {instead}", expectation.what)),
        );
    }

    fn trouble(&mut self, now: Duration, line: &Line) {
        let class = Class::from(line.kind);
        match self.waiting {
            // A device that is not there matters when a step needs it.
            Waiting::Live if line.kind == LineKind::Device => {}
            Waiting::Live => self.give_up(now, class, line.text.clone(), line.hint.clone()),
            Waiting::Sent | Waiting::Spoken(_) => {
                self.step_failed(now, class, line.text.clone(), line.hint.clone());
            }
            _ => {}
        }
    }

    /// The session is over.
    fn gone(&mut self, now: Duration, why: &Line) {
        self.busy = false;
        self.over.get_or_insert_with(|| why.clone());
        let class = match Class::from(why.kind) {
            Class::Expectation => Class::Connection,
            class => class,
        };
        match &self.waiting {
            // An agent that broke a rule instead of establishing the session.
            Waiting::Live if self.log.unexpected().count(true) > 0 => {
                self.give_up(now, Class::Findings, why.text.clone(), None);
            }
            Waiting::Live => self.give_up(now, class, why.text.clone(), why.hint.clone()),
            Waiting::Run | Waiting::Sent | Waiting::Spoken(_) | Waiting::Heard(_) => {
                self.step_failed(now, class, why.text.clone(), why.hint.clone());
            }
            Waiting::Expected(expectation, _) if expectation.absent => self.step_over(now, Ok(())),
            Waiting::Expected(expectation, _) => {
                let instead = self.log.instead();
                let message = format!(
                    "expected {}, and the session is over; came instead: {instead}. {}",
                    expectation.what, why.text
                );
                let class = if self.ended { Class::Expectation } else { class };
                self.step_failed(now, class, message, why.hint.clone());
            }
            Waiting::Closed(_) => self.quit(now),
            Waiting::Until(_) | Waiting::Stopped(_) | Waiting::Nothing => {}
        }
    }

    fn stopped(&mut self) {
        if !matches!(self.waiting, Waiting::Closed(_) | Waiting::Stopped(_) | Waiting::Nothing) {
            self.failure.get_or_insert_with(|| {
                (Class::Internal, "The engine stopped before the scenario was over.".to_owned(), None)
            });
        }
        self.waiting = Waiting::Nothing;
    }

    // ── step by step ──

    fn step_over(&mut self, now: Duration, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.report(now, true, None);
                self.next += 1;
                self.advance(now);
            }
            Err(detail) => self.step_failed(now, Class::Expectation, detail, None),
        }
    }

    fn step_failed(&mut self, now: Duration, class: Class, detail: String, hint: Option<String>) {
        let verb = self.steps[self.next].action.verb();
        let message = format!("Step {} ({verb}) failed: {detail}", self.next + 1);
        self.report(now, false, Some(detail));
        self.give_up(now, class, message, hint);
    }

    fn report(&mut self, at: Duration, ok: bool, detail: Option<String>) {
        let step = &self.steps[self.next];
        let (number, line, verb) = (self.next + 1, step.line, step.action.verb());
        self.acts.push_back(Act::Report(StepReport { at, number, line, verb, ok, detail }));
    }

    /// Begins the next step, or says goodbye after the last one.
    fn advance(&mut self, now: Duration) {
        let Some(step) = self.steps.get(self.next) else { return self.goodbye(now) };
        match &step.action {
            Action::Say(_) | Action::Talk { .. } | Action::Observe { .. } if self.busy => {
                self.waiting = Waiting::Run;
            }
            Action::Say(_) | Action::Talk { .. } | Action::Observe { .. } | Action::Cancel | Action::End => {
                self.issue(now);
            }
            Action::Hear(within) => {
                self.waiting = Waiting::Heard(now + *within);
                self.hear(now, false);
            }
            Action::Wait(time) => self.waiting = Waiting::Until(now + *time),
            Action::Expect(expectation) => {
                let until = match (expectation.within, expectation.absent) {
                    (Some(within), _) => Some(now + within),
                    (None, false) => Some(now + EXPECT_WITHIN),
                    (None, true) => None,
                };
                self.waiting = Waiting::Expected(expectation.clone(), until);
                self.look(now);
                self.miss(now);
            }
        }
    }

    /// An `expect` on a session that is over waits for nothing.
    fn miss(&mut self, now: Duration) {
        if let (Waiting::Expected(..), Some(why)) = (&self.waiting, self.over.clone()) {
            self.gone(now, &why);
        }
    }

    /// Sends the acting step.
    fn issue(&mut self, now: Duration) {
        let request = match &self.steps[self.next].action {
            Action::Say(text) => Request::Say(text.clone()),
            Action::Observe { observe, .. } => Request::Observe(observe.clone()),
            Action::Cancel => Request::Cancel,
            Action::End => {
                self.ended = true;
                Request::End
            }
            Action::Talk { file, drop } => Request::Talk(Talk { file: file.clone(), to_end: !drop }),
            Action::Expect(_) | Action::Wait(_) | Action::Hear(_) => return,
        };
        if let Some(why) = &self.over {
            let (class, text, hint) = (Class::Connection, why.text.clone(), why.hint.clone());
            return self.step_failed(now, class, text, hint);
        }
        self.log.begin();
        self.heard = false;
        self.waiting = Waiting::Sent;
        self.acts.push_back(Act::Ask(request));
    }

    fn give_up(&mut self, now: Duration, class: Class, message: String, hint: Option<String>) {
        self.failure.get_or_insert((class, message, hint));
        self.goodbye(now);
    }

    /// After `session.end` the link is given time to close; then the engine stops.
    fn goodbye(&mut self, now: Duration) {
        if self.ended && self.over.is_none() {
            self.waiting = Waiting::Closed(now + CLOSE);
        } else {
            self.quit(now);
        }
    }

    /// The engine ends the session, if there is one, and stops.
    fn quit(&mut self, now: Duration) {
        self.waiting = Waiting::Stopped(now + GOODBYE);
        self.acts.push_back(Act::Ask(Request::Quit));
    }
}

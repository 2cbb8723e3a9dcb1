//! The session itself: it joins gate and judge, and keeps the order of things.

use std::collections::VecDeque;
use std::time::Duration;

use super::gate;
use super::input::{Draft, Input, Terms};
use super::judge::Judge;
use super::output::{Output, Refusal, RefusalKind};
use super::view::{AudioTurn, Focus, Held, Latency, Pending, Phase, Proposal, RunState, SessionView};
use crate::protocol::client::{AudioTurnControl, ClientCapabilities, PhysicalCapabilities, SessionStart};
use crate::protocol::{ClientMessage, Finding, Modalities, rules};
use crate::units::{Sequence, Turn};

mod receiving;
mod sending;
mod speaking;

/// At most one ack in this time (R16).
const ACK_EVERY: Duration = Duration::from_millis(50);
/// The one mode of audio turns that there is (§ WebSocket and WebRTC).
const EXPLICIT: &str = "explicit";
/// How long a cancelled run may take to end (R15).
const CANCEL_PATIENCE: Duration = Duration::from_secs(5);

/// A turn that waits (R14).
#[derive(Debug)]
enum HeldTurn {
    Say(String),
    Show(Box<Draft>),
}

/// One session, from `session.start` to its end.
#[derive(Debug)]
pub struct Session {
    pub(super) terms: Terms,
    phase: Phase,
    last_turn: u64,
    judge: Judge,
    held: Option<(HeldTurn, Duration)>,
    /// The open audio turn.
    audio: Option<AudioTurn>,
    focus: Option<Focus>,
    /// The turn that set the focus: when it fails, the focus was never the agent's.
    focus_turn: Option<Turn>,
    proposal: Option<Proposal>,
    /// The turn that made the proposal: when it fails, the agent has not staged it.
    proposal_turn: Option<Turn>,
    ack_due: Option<Sequence>,
    acked_at: Option<Duration>,
    outputs: VecDeque<Output>,
}

impl Session {
    /// A session under these terms; nothing is sent before [`Input::Opened`].
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            phase: Phase::Idle,
            last_turn: 0,
            judge: Judge::default(),
            held: None,
            audio: None,
            focus: None,
            focus_turn: None,
            proposal: None,
            proposal_turn: None,
            ack_due: None,
            acked_at: None,
            outputs: VecDeque::new(),
        }
    }

    /// Takes one input at `now`, the time since the session was made. Drain [`Session::poll`] afterwards.
    ///
    /// # Errors
    /// A [`Refusal`] when an [`Ask`](super::Ask) was not carried out: nothing was sent and nothing has changed.
    pub fn handle(&mut self, now: Duration, input: Input) -> Result<(), Refusal> {
        self.tick(now);
        match input {
            Input::Opened => self.open(),
            Input::Received(frame) => self.receive(now, frame),
            Input::Tick => {}
            Input::Closed => self.drop_everything(),
            Input::Ask(ask) => return self.ask(now, ask),
        }
        Ok(())
    }

    /// The next thing to be done or known.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Input::Tick`] is due, as time of the session.
    pub fn next_deadline(&self) -> Option<Duration> {
        let ack = self.ack_due.and(self.acked_at).map(|at| at + ACK_EVERY);
        let cancel = match self.judge.run {
            RunState::Cancelling { until, .. } => Some(until),
            _ => None,
        };
        ack.into_iter().chain(cancel).min()
    }

    /// The terms of this session.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How far it has come.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The active run.
    pub fn run(&self) -> RunState {
        self.judge.run
    }

    /// The pending request.
    pub fn pending(&self) -> Option<&Pending> {
        self.judge.pending.as_ref()
    }

    /// The open audio turn.
    pub fn audio(&self) -> Option<AudioTurn> {
        self.audio
    }

    /// The times of the last turn.
    pub fn latency(&self) -> Option<Latency> {
        self.judge.latency
    }

    /// A snapshot for a face.
    pub fn view(&self) -> SessionView {
        SessionView {
            phase: self.phase,
            session_id: self.terms.session_id.clone(),
            negotiated: self.terms.negotiated(),
            last_turn: self.last_turn,
            run: self.judge.run,
            audio: self.audio,
            held: self.held.as_ref().map(|(held, _)| match held {
                HeldTurn::Say(text) => Held::Say(text.clone()),
                HeldTurn::Show(draft) => Held::Show(gate::observation(draft).modalities()),
            }),
            pending: self.judge.pending.clone(),
            focus: self.focus.clone(),
            proposal: self.proposal.clone(),
            latency: self.judge.latency,
        }
    }

    /// Whether [`Session::view`] would give just this, as far as that can be told without making one: `false` may
    /// be wrong, `true` is not.
    pub fn still_looks_like(&self, seen: &SessionView) -> bool {
        let SessionView {
            phase,
            session_id,
            negotiated,
            last_turn,
            run,
            audio,
            held,
            pending,
            focus,
            proposal,
            latency,
        } = seen;
        (*phase, *run, *audio, *last_turn, *latency)
            == (self.phase, self.judge.run, self.audio, self.last_turn, self.judge.latency)
            && (held.is_none() && self.held.is_none())
            && *pending == self.judge.pending
            && *focus == self.focus
            && *proposal == self.proposal
            && *negotiated == self.terms.negotiated()
            && *session_id == self.terms.session_id
    }

    fn open(&mut self) {
        if self.phase != Phase::Idle {
            return;
        }
        // Nothing physical is offered on an unmapped profile (R27).
        let offered = self.terms.transport.map_or(Modalities::NONE, |_| self.terms.offered);
        let modalities: Vec<_> = offered.iter().collect();
        let physical = (!modalities.is_empty()).then_some(PhysicalCapabilities { modalities });
        self.send(ClientMessage::SessionStart(SessionStart {
            session_id: self.terms.session_id.clone(),
            client_capabilities: ClientCapabilities {
                physical_observations: physical,
                audio_turn_control: self
                    .terms
                    .explicit_turns
                    .then(|| AudioTurnControl { mode: EXPLICIT.to_owned() }),
            },
        }));
        self.phase = Phase::Starting;
    }

    fn tick(&mut self, now: Duration) {
        if let Some(turn) = self.judge.give_up(now) {
            self.outputs.push_back(Output::Noted(Finding::new(
                &rules::RUN_CANCEL,
                "the cancelled run did not end within 5 s; it is taken as ended",
            )));
            self.run_over(now, turn, false);
        }
        if self.ack_due.is_some() && self.acked_at.is_none_or(|at| now >= at + ACK_EVERY) {
            self.ack(now);
        }
    }

    fn ack(&mut self, now: Duration) {
        if let Some(sequence) = self.ack_due.take() {
            self.acked_at = Some(now);
            self.send(ClientMessage::Ack { sequence: sequence.0 });
        }
    }

    fn send(&mut self, message: ClientMessage) {
        self.outputs.push_back(Output::Send(message));
    }

    /// A run has ended, one way or the other: what it failed to establish goes, and the held turn is sent.
    fn run_over(&mut self, now: Duration, turn: Option<Turn>, failed: bool) {
        if failed && turn.is_some() {
            if turn == self.focus_turn {
                self.focus = None;
                self.proposal = None;
            }
            if turn == self.proposal_turn {
                self.proposal = None;
            }
        }
        self.outputs.extend(turn.map(Output::TurnOver));
        if self.audio.is_none() {
            self.send_held(now);
        }
    }

    /// Sends the turn that waited, if there is one: nothing stands in its way any more.
    fn send_held(&mut self, now: Duration) {
        let Some((held, asked)) = self.held.take() else { return };
        let sent = match held {
            HeldTurn::Say(text) => self.say(now, asked, &text),
            HeldTurn::Show(draft) => self.show(now, asked, &draft),
        };
        if let Err(refusal) = sent {
            self.outputs.push_back(Output::HeldRefused(refusal));
        }
    }

    /// Everything session-local goes: images, proposal, focus, pending request (§ Session and input). A turn
    /// that was held is not lost without a word.
    fn drop_everything(&mut self) {
        self.phase = Phase::Ended;
        let audio = self.audio.take().map(|audio| audio.turn);
        self.outputs.extend(self.judge.run.turn().into_iter().chain(audio).map(Output::TurnOver));
        if self.held.take().is_some() {
            self.outputs.push_back(Output::HeldRefused(Refusal::of(
                RefusalKind::NotLive,
                "the turn that waited was not sent: the session is over",
            )));
        }
        self.focus = None;
        self.focus_turn = None;
        self.proposal = None;
        self.proposal_turn = None;
        self.ack_due = None;
        self.judge.cancel_pending();
        self.judge.run = RunState::Idle;
    }
}

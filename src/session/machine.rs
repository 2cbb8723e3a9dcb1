//! The session itself: it joins gate and judge, and keeps the order of things.

use std::collections::VecDeque;
use std::time::Duration;

use super::input::{Ask, Draft, Input, Terms};
use super::judge::{Effect, Judge};
use super::output::{Judged, Output, Refusal, RefusalKind};
use super::view::{Focus, Held, Latency, PendingState, Phase, Proposal, RunState, SessionView};
use super::{Answer, gate, teaching};
use crate::protocol::client::{ClientCapabilities, PhysicalCapabilities, SessionStart};
use crate::protocol::frame::RawFrame;
use crate::protocol::server::Undecodable;
use crate::protocol::{ClientMessage, Decoded, Envelope, Finding, rules};
use crate::units::{Sequence, Turn};

/// At most one ack in this time (R16).
const ACK_EVERY: Duration = Duration::from_millis(50);
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
    terms: Terms,
    phase: Phase,
    last_turn: u64,
    judge: Judge,
    held: Option<(HeldTurn, Duration)>,
    focus: Option<Focus>,
    /// The turn that set the focus: when it fails, the focus was never the agent's.
    focus_turn: Option<Turn>,
    proposal: Option<Proposal>,
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
            focus: None,
            focus_turn: None,
            proposal: None,
            ack_due: None,
            acked_at: None,
            outputs: VecDeque::new(),
        }
    }

    /// Takes one input at `now`, the time since the session was made. Drain [`Session::poll`] afterwards.
    ///
    /// # Errors
    /// A [`Refusal`] when an [`Ask`] was not carried out: nothing was sent and nothing has changed.
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

    /// A snapshot for a face.
    pub fn view(&self) -> SessionView {
        SessionView {
            phase: self.phase,
            session_id: self.terms.session_id.clone(),
            negotiated: self.terms.negotiated(),
            last_turn: self.last_turn,
            run: self.judge.run,
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

    fn open(&mut self) {
        if self.phase != Phase::Idle {
            return;
        }
        let modalities: Vec<_> = self.terms.offered.iter().collect();
        let physical = (!modalities.is_empty()).then_some(PhysicalCapabilities { modalities });
        self.send(ClientMessage::SessionStart(SessionStart {
            session_id: self.terms.session_id.clone(),
            client_capabilities: ClientCapabilities {
                physical_observations: physical,
                audio_turn_control: None,
            },
        }));
        self.phase = Phase::Starting;
    }

    fn tick(&mut self, now: Duration) {
        if let RunState::Cancelling { until, turn, .. } = self.judge.run
            && now >= until
        {
            self.judge.run = RunState::Idle;
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

    // ── what we receive ──

    fn receive(&mut self, now: Duration, frame: RawFrame) {
        if !matches!(self.phase, Phase::Starting | Phase::Live) {
            return;
        }
        let (judged, effect) = match frame {
            RawFrame::Text(text) => self.judge_text(now, &text),
            RawFrame::Binary { bytes } => (
                unread(
                    bytes,
                    Finding::new(
                        &rules::FRAME_BINARY,
                        format!("expected text, came {bytes} binary bytes; they were discarded"),
                    ),
                ),
                Effect::default(),
            ),
            RawFrame::Oversized { bytes } => (
                unread(
                    bytes,
                    Finding::new(
                        &rules::FRAME_SIZE,
                        format!("it has {bytes} bytes; it was discarded unparsed"),
                    ),
                ),
                Effect::default(),
            ),
        };
        let acked = judged.sequence.filter(|_| judged.acted && self.terms.acks);
        self.outputs.push_back(Output::Judged(judged));
        self.apply(now, effect);
        if acked.is_some() && self.phase == Phase::Live {
            self.ack_due = acked;
            self.tick(now);
        }
    }

    fn judge_text(&mut self, now: Duration, text: &str) -> (Judged, Effect) {
        let bytes = text.len();
        match Envelope::decode(text, &self.terms.dialect) {
            Err(Undecodable { finding, sequence, value }) => {
                let mut findings = vec![finding];
                // Its number is spent, so that the next envelope is not taken for a gap.
                if let Some(sequence) = sequence
                    && let Err(step_back) = self.judge.sequence(sequence, &mut Vec::new())
                {
                    findings.push(step_back);
                }
                (Judged { sequence, value, event: None, bytes, acted: false, findings }, Effect::default())
            }
            Ok(Decoded { message: Envelope { sequence, event }, value, mut findings }) => {
                let verdict = self.judge.sequence(sequence, &mut findings).and_then(|()| {
                    self.judge.event(now, self.phase, &self.terms, sequence, &event, &mut findings)
                });
                let acted = verdict.is_ok();
                let effect = verdict.unwrap_or_else(|violation| {
                    findings.insert(0, violation);
                    Effect::default()
                });
                let (sequence, value, event) = (Some(sequence), Some(value), Some(event));
                (Judged { sequence, value, event, bytes, acted, findings }, effect)
            }
        }
    }

    fn apply(&mut self, now: Duration, effect: Effect) {
        if effect.established {
            self.phase = Phase::Live;
        }
        if let Some(turn) = effect.run_over {
            self.run_over(now, turn, effect.failed);
        }
    }

    fn run_over(&mut self, now: Duration, turn: Option<Turn>, failed: bool) {
        if failed && turn.is_some() && turn == self.focus_turn {
            self.focus = None;
            self.proposal = None;
        }
        self.outputs.extend(turn.map(Output::TurnOver));
        let Some((held, asked)) = self.held.take() else { return };
        let sent = match held {
            HeldTurn::Say(text) => self.say(now, asked, text),
            HeldTurn::Show(draft) => self.show(now, asked, &draft),
        };
        if let Err(refusal) = sent {
            self.outputs.push_back(Output::HeldRefused(refusal));
        }
    }

    // ── what we send ──

    fn ask(&mut self, now: Duration, ask: Ask) -> Result<(), Refusal> {
        match ask {
            Ask::Say(text) => self.hold_or(HeldTurn::Say(text), now),
            Ask::Show(draft) => self.hold_or(HeldTurn::Show(Box::new(draft)), now),
            Ask::Cancel => self.cancel(now),
            Ask::DropHeld => match self.held.take() {
                Some(_) => Ok(()),
                None => Err(Refusal::of(RefusalKind::Nothing, "no turn is held")),
            },
            Ask::End => self.end(),
            Ask::Deliberate(text) => {
                if !matches!(self.phase, Phase::Starting | Phase::Live) {
                    return gate::live(self.phase);
                }
                self.outputs.push_back(Output::SendDeliberate(text));
                Ok(())
            }
        }
    }

    /// Sends a turn now, or holds it until the active run has ended (R14).
    fn hold_or(&mut self, turn: HeldTurn, now: Duration) -> Result<(), Refusal> {
        gate::live(self.phase)?;
        match &turn {
            HeldTurn::Say(text) => self.check_text(text)?,
            HeldTurn::Show(draft) => gate::draft(draft, &self.terms, self.judge.pending.as_ref())?,
        }
        if self.judge.run.is_active() {
            if self.held.is_some() {
                return Err(Refusal::of(
                    RefusalKind::AlreadyHeld,
                    "not sent: a turn is already waiting for the active run; drop it or cancel the run",
                ));
            }
            self.held = Some((turn, now));
            return Ok(());
        }
        match turn {
            HeldTurn::Say(text) => self.say(now, now, text),
            HeldTurn::Show(draft) => self.show(now, now, &draft),
        }
    }

    fn check_text(&self, text: &str) -> Result<(), Refusal> {
        gate::text(text)?;
        teaching::check(&teaching::read(text), self.focus.as_ref(), self.proposal.as_ref())
    }

    fn say(&mut self, now: Duration, asked: Duration, text: String) -> Result<(), Refusal> {
        self.check_text(&text)?;
        let turn = self.begin_turn(now, asked);
        self.proposal = teaching::after(teaching::read(&text), self.focus.as_ref(), self.proposal.take());
        let message = gate::turn(turn.0, text, self.focus.as_ref());
        self.send(ClientMessage::UserTurn(message));
        Ok(())
    }

    fn show(&mut self, now: Duration, asked: Duration, draft: &Draft) -> Result<(), Refusal> {
        gate::draft(draft, &self.terms, self.judge.pending.as_ref())?;
        let turn = self.begin_turn(now, asked);
        if let Answer::To(_) = draft.answer
            && let Some(pending) = &mut self.judge.pending
        {
            pending.state = PendingState::Awaiting;
        }
        if let Some(object) = &draft.object {
            self.focus_on(
                turn,
                Focus {
                    object_ref: object.object_ref.clone(),
                    carrier: object.carrier,
                    assurance: object.assurance,
                },
            );
        }
        self.send(ClientMessage::UserObservation(gate::message(draft, turn.0)));
        Ok(())
    }

    /// Another object drops the proposal (§ Security, photos, and exact object lookup).
    fn focus_on(&mut self, turn: Turn, focus: Focus) {
        if self.proposal.as_ref().is_some_and(|p| p.object_ref != focus.object_ref) {
            self.proposal = None;
        }
        self.focus = Some(focus);
        self.focus_turn = Some(turn);
    }

    fn begin_turn(&mut self, now: Duration, asked: Duration) -> Turn {
        self.last_turn += 1;
        let turn = Turn(self.last_turn);
        self.judge.run = RunState::InFlight { turn };
        self.judge.latency =
            Some(Latency { turn, asked, sent: now, started: None, first_text: None, completed: None });
        turn
    }

    /// `response.cancel` cancels the active run and the pending collection or proposal.
    fn cancel(&mut self, now: Duration) -> Result<(), Refusal> {
        gate::live(self.phase)?;
        let until = now + CANCEL_PATIENCE;
        self.judge.run = match self.judge.run {
            RunState::Idle if self.judge.pending.is_none() && self.proposal.is_none() => {
                return Err(Refusal::of(RefusalKind::Nothing, "nothing is running and nothing is pending"));
            }
            RunState::Cancelling { .. } => {
                return Err(Refusal::of(RefusalKind::Nothing, "the run is already being cancelled"));
            }
            RunState::Idle => RunState::Idle,
            RunState::InFlight { turn } => RunState::Cancelling { turn: Some(turn), started: false, until },
            RunState::Running { turn } => RunState::Cancelling { turn, started: true, until },
        };
        self.judge.clear_pending();
        self.proposal = None;
        self.send(ClientMessage::ResponseCancel);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refusal> {
        if !matches!(self.phase, Phase::Starting | Phase::Live) {
            return gate::live(self.phase);
        }
        self.send(ClientMessage::SessionEnd);
        self.drop_everything();
        self.outputs.push_back(Output::Close);
        Ok(())
    }

    /// Everything session-local goes: images, proposal, focus, pending request (§ Session and input).
    fn drop_everything(&mut self) {
        self.phase = Phase::Ended;
        self.held = None;
        self.focus = None;
        self.focus_turn = None;
        self.proposal = None;
        self.ack_due = None;
        self.judge.clear_pending();
        self.judge.run = RunState::Idle;
    }
}

/// A frame that was not even parsed.
fn unread(bytes: usize, finding: Finding) -> Judged {
    Judged { sequence: None, value: None, event: None, bytes, acted: false, findings: vec![finding] }
}

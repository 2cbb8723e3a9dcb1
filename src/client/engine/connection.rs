//! Bringing a session up and down: card, dial, session, close.

use std::time::Duration;

use super::{Effect, Engine, line};
use zeroize::Zeroizing;

use crate::client::event::{Attempt, CardResult, Gone};
use crate::client::notice::{CardNotice, Connection, Line, LineKind, Notice};
use crate::protocol::Finding;
use crate::protocol::card::{Offer, TransportProfile};
use crate::protocol::frame::RawFrame;
use crate::session::{Ask, Input, Phase, Session, Terms};
use crate::units;

/// How far the connection has come.
#[derive(Debug, Default)]
pub(super) enum Link {
    /// Nothing yet, or everything is over. The number is that of the last attempt.
    #[default]
    Idle,
    /// The card is being fetched.
    Fetching(Attempt),
    /// The endpoint is being dialled, for the session of this id.
    Dialling(Attempt, Box<Offer>, String),
    /// The transport is open.
    Open(Attempt, Box<Session>),
    /// Over; the number is that of the last attempt.
    Over(Attempt),
}

impl Link {
    /// The session, while the transport is open.
    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::Open(_, session) => Some(session),
            _ => None,
        }
    }

    fn session_mut(&mut self) -> Option<&mut Session> {
        match self {
            Self::Open(_, session) => Some(session),
            _ => None,
        }
    }

    fn attempt(&self) -> Attempt {
        match self {
            Self::Idle => Attempt(0),
            Self::Fetching(a) | Self::Dialling(a, ..) | Self::Open(a, _) | Self::Over(a) => *a,
        }
    }

    fn is_up(&self) -> bool {
        matches!(self, Self::Fetching(_) | Self::Dialling(..) | Self::Open(..))
    }
}

impl Engine {
    pub(super) fn connect(&mut self, now: Duration) {
        if self.link.is_up() {
            return self.refuse(
                now,
                LineKind::Usage,
                "a connection is already up",
                Some("reconnect starts a new session"),
            );
        }
        let attempt = Attempt(self.link.attempt().0 + 1);
        self.link = Link::Fetching(attempt);
        self.notify(Notice::Connection(Connection::Fetching(self.settings.target.clone())));
        self.effects.push_back(Effect::FetchCard(attempt));
    }

    /// Reconnecting is the user's key and starts a new session; the card is fetched anew (R27).
    pub(super) fn reconnect(&mut self, now: Duration) {
        if self.link.is_up() {
            self.over(line(now, LineKind::Info, "Disconnected to reconnect.", None));
        }
        self.connect(now);
    }

    pub(super) fn disconnect(&mut self, now: Duration) {
        if !self.link.is_up() {
            return self.refuse(now, LineKind::Usage, "there is no connection", None);
        }
        self.over(line(now, LineKind::Info, "Disconnected.", Some("r reconnects")));
    }

    /// Everything session-local goes: session, review, focus, proposal, last tag (§ Session and input).
    fn over(&mut self, why: Line) {
        self.hush();
        self.link = Link::Over(self.link.attempt());
        self.starting = None;
        self.effects.push_back(Effect::DropLink);
        self.end_voice();
        self.end_speech();
        self.forget_physical();
        self.scrubber.clear_session();
        self.kept_back = Zeroizing::default();
        self.kept_aside = Zeroizing::default();
        self.notify(Notice::Connection(Connection::Over(why)));
        if self.quitting.is_some() {
            self.tell_session();
            self.stop();
        }
    }

    pub(super) fn card(&mut self, now: Duration, attempt: Attempt, result: Result<Box<CardResult>, Line>) {
        if !matches!(self.link, Link::Fetching(a) if a == attempt) {
            return;
        }
        let card = match result {
            Ok(card) => *card,
            Err(why) => return self.over(Line { at: now, ..self.scrubbed_line(why) }),
        };
        let scrub = |text: &str| self.scrubber.scrub(text).into_owned();
        let notice = CardNotice {
            agent: scrub(&card.offer.agent_name),
            endpoint: scrub(&card.endpoint),
            explanation: card.explanation.iter().map(|l| scrub(l)).collect(),
            notes: card.notes.into_iter().map(|f| self.scrubbed_finding(f)).collect(),
        };
        self.notify(Notice::Card(notice));
        if card.offer.transport == TransportProfile::WebRtc && !cfg!(feature = "webrtc") {
            return self.over(line(
                now,
                LineKind::Card,
                "The card is sound, but it asks for WebRTC (agentcall-webrtc-0.1), which this build was made without. Nothing was sent.",
                Some("build with the feature `webrtc`, or connect to an agent that advertises transport \"websocket\""),
            ));
        }
        self.notify(Notice::Connection(Connection::Dialling(card.endpoint)));
        let offer = Box::new(card.offer);
        // It is known before the session is: over WebRTC it goes with the offer (R29).
        let session_id = units::random_id();
        self.link = Link::Dialling(attempt, offer.clone(), session_id.clone());
        self.effects.push_back(Effect::Dial(attempt, offer, session_id));
    }

    pub(super) fn dialled(&mut self, now: Duration, attempt: Attempt, result: Result<Option<usize>, Line>) {
        let Link::Dialling(current, offer, session_id) = &self.link else { return };
        if *current != attempt {
            return;
        }
        let (offer, session_id) = (offer.clone(), session_id.clone());
        let max_message = match result {
            Ok(max_message) => max_message,
            Err(why) => return self.over(Line { at: now, ..self.scrubbed_line(why) }),
        };
        let terms = Terms {
            session_id,
            accepted: offer.accepted,
            agent_requests: offer.agent_requests,
            offered: self.settings.offered,
            explicit_turns: offer.explicit_turns && offer.transport == TransportProfile::WebRtc,
            transport: Some(offer.transport),
            max_message,
            acks: self.settings.acks,
            dialect: self.settings.dialect.clone(),
        };
        let has_sound = terms.transport == Some(TransportProfile::WebRtc);
        self.link = Link::Open(attempt, Box::new(Session::new(terms)));
        self.begin_voice(has_sound);
        self.begin_speech(&offer);
        self.starting = Some(now + self.settings.start_within);
        self.refused_start = None;
        self.notify(Notice::Connection(Connection::Starting));
        self.session_input(now, Input::Opened);
    }

    /// Gives up an agent that takes `session.start` and establishes nothing.
    pub(super) fn start_tick(&mut self, now: Duration) {
        if self.starting.is_none_or(|until| now < until) {
            return;
        }
        let within = self.settings.start_within;
        let not_accepted = |finding: Finding| {
            format!(
                "The agent's answer to session.start was not accepted: {} ({}, {}). No session was established",
                finding.detail, finding.rule.id, finding.rule.section
            )
        };
        let (kind, text) = match self.refused_start.take() {
            Some((finding, true)) => (LineKind::Connection, format!("{}.", not_accepted(finding))),
            Some((finding, false)) => {
                (LineKind::Timeout, format!("{} within {within:?}.", not_accepted(finding)))
            }
            None => (
                LineKind::Timeout,
                format!("The agent did not establish the session within {within:?} of session.start."),
            ),
        };
        self.session_input(now, Input::Closed);
        self.over(line(now, kind, text, RECONNECT));
    }

    pub(super) fn frame(&mut self, now: Duration, attempt: Attempt, frame: RawFrame) {
        if matches!(&self.link, Link::Open(current, _) if *current == attempt) {
            self.session_input(now, Input::Received(frame));
        }
    }

    pub(super) fn said(&mut self, now: Duration, attempt: Attempt, said: Line) {
        if matches!(&self.link, Link::Open(current, _) if *current == attempt) {
            let said = Line { at: now, ..self.scrubbed_line(said) };
            self.notify(Notice::Info(said));
        }
    }

    pub(super) fn gone(&mut self, now: Duration, attempt: Attempt, gone: &Gone) {
        let Link::Open(current, session) = &self.link else { return };
        if *current != attempt {
            return;
        }
        let active = session.run().is_active();
        let why = match gone {
            Gone::ByUs => line(now, LineKind::Info, "The session was ended.", Some("r starts a new one")),
            Gone::Orderly(text) if active => line(
                now,
                LineKind::Connection,
                format!("{text} A run was active; its answer is incomplete."),
                RECONNECT,
            ),
            Gone::Orderly(text) => line(now, LineKind::Info, text.clone(), RECONNECT),
            Gone::Broken(text) => line(now, LineKind::Connection, text.clone(), RECONNECT),
        };
        let why = self.scrubbed_line(why);
        self.session_input(now, Input::Closed);
        self.over(why);
    }

    /// Hands one wish to the session; a refusal becomes one line.
    pub(super) fn ask(&mut self, now: Duration, ask: Ask) {
        let _carried_out = self.try_ask(now, ask);
    }

    /// As [`Engine::ask`], saying whether it was carried out.
    pub(super) fn try_ask(&mut self, now: Duration, ask: Ask) -> bool {
        let (ending, cancelling) = (matches!(ask, Ask::End), matches!(ask, Ask::Cancel));
        let Some(session) = self.link.session_mut() else {
            self.refuse(now, LineKind::Gate, "not sent: there is no session", Some("r connects"));
            return false;
        };
        let result = session.handle(now, Input::Ask(ask));
        self.drain_session(now);
        if let Err(refusal) = result {
            self.refuse(now, LineKind::Gate, refusal.to_string(), None);
            return false;
        }
        if ending && self.quitting.is_none() {
            // The agent closes; should it not, the transport's own bound ends it.
            self.forget_physical();
        }
        if cancelling {
            self.cancel_collection();
        }
        true
    }

    /// Hands one input to the session, if there is one.
    pub(super) fn session_input(&mut self, now: Duration, input: Input) {
        let Some(session) = self.link.session_mut() else { return };
        let was = session.phase();
        // Only requests are refused, and this is none.
        let _never_refused = session.handle(now, input);
        self.drain_session(now);
        let is = self.link.session().map(Session::phase);
        if was == Phase::Starting && is == Some(Phase::Live) {
            self.starting = None;
            self.notify(Notice::Connection(Connection::Live));
        }
        self.recheck_voice(now);
        self.recheck_answer();
    }

    fn drain_session(&mut self, now: Duration) {
        while let Some(output) = self.link.session_mut().and_then(Session::poll) {
            self.output(now, output);
        }
    }
}

const RECONNECT: Option<&str> = Some("r reconnects: a new session");

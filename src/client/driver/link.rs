//! The connection: card, dial, frames in and out. One at a time; what an older attempt brings is dropped.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use url::Url;

use super::backlog::{Backlog, Overflow};
use super::{Events, words};
use crate::client::event::{Attempt, CardResult, Event, Gone};
use crate::client::notice::{Line, LineKind};
use crate::discovery::fetch::{self, CardSource};
use crate::discovery::{self, CardContext};
use crate::net::{Credentials, NetContext, Origin};
use crate::protocol::card::{Offer, TransportProfile};
use crate::protocol::frame::RawFrame;
use crate::protocol::{Dialect, Finding};
use crate::transport::{Closure, DialError, Incoming, Link, Outgoing, SoundLine, webrtc, websocket};
use crate::units::Bytes;
use crate::words::sentence;

/// What is needed to reach the agent.
#[derive(Clone)]
pub(super) struct Dialling {
    /// Where the card is.
    pub source: CardSource,
    /// Policy, resolver, TLS, times.
    pub net: NetContext,
    /// The token and where it may go.
    pub credentials: Credentials,
    /// How long to wait for an agent that is not up yet.
    pub wait: Option<Duration>,
    /// Times and bounds of the WebSocket.
    pub options: websocket::Options,
    /// Times, bounds and servers of calls.
    pub calls: webrtc::Options,
    /// The open names of the wire.
    pub dialect: Dialect,
}

/// The port.
pub(super) struct LinkPort {
    dialling: Dialling,
    events: Events,
    /// A fetch or a dial under way.
    task: Option<JoinHandle<()>>,
    /// Where a dial leaves the link it opened.
    opened: Opened,
    attempt: Attempt,
    link: Option<Open>,
    /// The sound of the link that was opened last, until it is taken.
    sound: Option<SoundLine>,
}

type Opened = (mpsc::Sender<(Attempt, Link)>, mpsc::Receiver<(Attempt, Link)>);

struct Open {
    outgoing: Backlog,
    incoming: mpsc::Receiver<Incoming>,
    /// What was taken from `incoming` in one go, and not yet handed on.
    waiting: VecDeque<Incoming>,
}

/// How many frames are taken at a time.
const BATCH: usize = 64;

impl LinkPort {
    /// A port without a connection. What happens is brought to `events`.
    pub fn new(dialling: Dialling, events: Events) -> Self {
        let opened = mpsc::channel(1);
        Self { dialling, events, task: None, opened, attempt: Attempt::default(), link: None, sound: None }
    }

    /// Lets go of everything and fetches the card; [`Event::Card`] tells what came of it.
    pub fn fetch_card(&mut self, attempt: Attempt) {
        self.drop_now();
        self.attempt = attempt;
        let (dialling, events) = (self.dialling.clone(), self.events.clone());
        self.task = Some(tokio::spawn(async move {
            let result = fetch_card(&dialling).await;
            let _engine_stopped = events.send(Event::Card(attempt, result.map(Box::new))).await;
        }));
    }

    /// Dials the endpoint of a card; [`Event::Dialled`] tells what came of it.
    pub fn dial(&mut self, attempt: Attempt, offer: Offer, session_id: String) {
        let (dialling, events, opened) = (self.dialling.clone(), self.events.clone(), self.opened.0.clone());
        self.task = Some(tokio::spawn(async move {
            match dial(&dialling, &offer, &session_id).await {
                Ok(link) => drop(opened.send((attempt, link)).await),
                Err(why) => drop(events.send(Event::Dialled(attempt, Err(why))).await),
            }
        }));
    }

    /// The next thing that the connection brings. Waits for ever where there is none.
    pub async fn next(&mut self) -> Event {
        if let Some(event) = self.waiting() {
            return event;
        }
        if let Some(open) = &mut self.link {
            let mut came = Vec::new();
            tokio::select! {
                biased;
                // First, or a flood of frames would keep what waits from ever being sent.
                Overflow { messages, bytes } = open.outgoing.drain() => {
                    let (messages, bytes) = (Bytes(messages), Bytes(bytes));
                    return self.gone(&Closure::Lost(format!(
                        "it takes nothing any more, and {messages} messages ({bytes} bytes) wait to be sent"
                    )));
                }
                _ = open.incoming.recv_many(&mut came, BATCH) => {}
            };
            open.waiting = came.into();
            return self
                .waiting()
                .unwrap_or_else(|| self.gone(&Closure::Lost("the transport ended".to_owned())));
        }
        loop {
            // The sender is ours, so this answers only when a dial has opened a link.
            let Some((attempt, link)) = self.opened.1.recv().await else {
                return std::future::pending().await;
            };
            if attempt == self.attempt {
                let Link { outgoing, incoming, sound, .. } = link;
                self.sound = sound;
                self.link =
                    Some(Open { outgoing: Backlog::new(outgoing), incoming, waiting: VecDeque::new() });
                let most = self.sound.as_ref().and_then(|sound| sound.facts.borrow().max_message);
                return Event::Dialled(attempt, Ok(most));
            }
        }
    }

    /// The sound of a link that was just opened, once.
    pub fn sound(&mut self) -> Option<SoundLine> {
        self.sound.take()
    }

    /// What the connection has brought already, if there is something.
    pub fn waiting(&mut self) -> Option<Event> {
        let incoming = self.link.as_mut()?.waiting.pop_front()?;
        Some(self.came(incoming))
    }

    fn came(&mut self, incoming: Incoming) -> Event {
        let frame = match incoming {
            Incoming::Text(text) => RawFrame::Text(text),
            Incoming::Binary { bytes } => RawFrame::Binary { bytes },
            Incoming::Oversized { bytes } => RawFrame::Oversized { bytes },
            Incoming::Unsendable { bytes, bound } => {
                return Event::Said(self.attempt, unsendable(bytes, bound));
            }
            Incoming::Stalled { after } => {
                let waiting = self.link.as_ref().map_or(0, |open| open.outgoing.waiting());
                return Event::Said(self.attempt, stalled(after, waiting));
            }
            Incoming::Flowing => {
                return Event::Said(self.attempt, words::info("The agent reads again.", None));
            }
            Incoming::Closed(closure) => return self.gone(&closure),
        };
        Event::Frame(self.attempt, frame)
    }

    fn gone(&mut self, closure: &Closure) -> Event {
        self.link = None;
        let text = sentence(&closure.to_string());
        Event::Gone(
            self.attempt,
            match closure {
                Closure::ByUs => Gone::ByUs,
                Closure::Normal { .. } | Closure::HungUp => Gone::Orderly(text),
                _ => Gone::Broken(text),
            },
        )
    }

    /// Sends one frame, behind what waits.
    pub fn transmit(&mut self, text: String) {
        self.hand_over(Outgoing::Text(text));
    }

    /// Closes the connection in order, behind what waits.
    pub fn close(&mut self) {
        self.hand_over(Outgoing::Close);
    }

    fn hand_over(&mut self, outgoing: Outgoing) {
        if let Some(open) = &mut self.link {
            open.outgoing.put(outgoing);
        }
    }

    /// Lets go of everything at once. A dial that ends after this finds that its attempt is over.
    pub fn drop_now(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
        self.link = None;
        while self.opened.1.try_recv().is_ok() {}
    }
}

/// What is said of an agent that does not read.
fn stalled(after: Duration, waiting: usize) -> Line {
    // The one that is being written has left the backlog.
    let more = match waiting {
        0 => String::new(),
        n => format!(", and {} more wait", Bytes(n)),
    };
    let text = format!("The agent has not read a message for {} s{more}.", after.as_secs_f32());
    words::info(text, Some("if it goes on like this, the connection is given up within about a minute"))
}

/// What is said of a message that the agent would not take.
fn unsendable(bytes: usize, bound: usize) -> Line {
    let (bytes, bound) = (Bytes(bytes), Bytes(bound));
    let text = format!("A message of {bytes} bytes was not sent: the agent takes at most {bound} in one.");
    words::info(text, Some("a smaller photo may fit"))
}

async fn fetch_card(dialling: &Dialling) -> Result<CardResult, Line> {
    let Dialling { source, net, credentials, wait, dialect, .. } = dialling;
    let fetched = fetch::fetch(source, net, credentials, *wait)
        .await
        .map_err(|error| words::network(error.kind(), error.to_string(), error.hint()))?;
    let context = CardContext::of(&fetched, net.policy.local, dialect.clone());
    let report = discovery::validate(&fetched.bytes, &context);
    let mut explanation = discovery::explain(&report);
    explanation.extend(fetched.notes);
    match report.offer {
        Some(offer) if report.refusals.is_empty() => {
            Ok(CardResult { endpoint: endpoint(&offer), offer, explanation, notes: report.notes })
        }
        _ => Err(refused(&fetched.location, &report.refusals)),
    }
}

/// One sentence for a refused card: where, why, by which rule.
fn refused(location: &CardSource, refusals: &[Finding]) -> Line {
    let place = match location {
        CardSource::Url(url) => crate::net::shown(url),
        CardSource::File(path) => crate::files::shown(path),
    };
    let first = refusals.first().map_or_else(
        || "it offers nothing usable".to_owned(),
        |f| {
            let at = f.pointer.as_ref().map(|p| format!(" at {p}")).unwrap_or_default();
            format!("{}{at} ({}, {})", f.detail, f.rule.id, f.rule.section)
        },
    );
    let more = match refusals.len() {
        0 | 1 => String::new(),
        n => format!(", and {} more", n - 1),
    };
    Line {
        at: Duration::ZERO,
        text: format!("The card at {place} was refused: {first}{more}. Nothing was sent."),
        hint: Some("agentcall card shows everything that is wrong with it".to_owned()),
        kind: LineKind::Card,
    }
}

/// `wss agent.example`, for the status bar.
fn endpoint(offer: &Offer) -> String {
    let url = Url::parse(&offer.url).ok();
    let scheme = match (offer.transport, url.as_ref().map(Url::scheme)) {
        (TransportProfile::WebRtc, _) => "webrtc",
        (TransportProfile::WebSocket, Some("http")) => "ws",
        (TransportProfile::WebSocket, _) => "wss",
    };
    let host = url.as_ref().and_then(Origin::of).map(|origin| origin.to_string()).unwrap_or_default();
    let host = host.split_once("://").map_or(host.as_str(), |(_, host)| host).to_owned();
    format!("{scheme} {host}")
}

async fn dial(dialling: &Dialling, offer: &Offer, session_id: &str) -> Result<Link, Line> {
    let fail = |error: DialError| words::network(error.kind(), error.to_string(), error.hint());
    let url = dialling.net.policy.parse(&offer.url).map_err(|error| fail(error.into()))?;
    let typed = match &dialling.source {
        CardSource::Url(url) => Origin::of(url),
        CardSource::File(_) => None,
    };
    let credentials = dialling.credentials.clone().bound_to(typed);
    let opened = match offer.transport {
        TransportProfile::WebSocket => websocket::open(&url, &dialling.net, &credentials, dialling.options)
            .await
            .map_err(DialError::from),
        TransportProfile::WebRtc => {
            webrtc::open(&url, &dialling.net, &credentials, &dialling.calls, session_id).await
        }
    };
    opened.map_err(fail)
}

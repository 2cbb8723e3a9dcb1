//! The run loop: it hands what happens to the model, carries out the effects, and draws when the queue is empty.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::bounded::{Bounded, bounded};
use super::clipboard;
use super::guard::{Guard, Outlet, Output};
use super::input::{self, Input};
use super::signals::{Signal, signals};
use super::theme::Theme;
use super::view;
use crate::app::{Effect, Message, Model, Options, Seen};
use crate::client::notice::{Connection, Line, LineKind};
use crate::client::{Client, Notice, Request};
use crate::provoke;

/// At most one frame in this time: fewer than 60 a second.
const FRAME: Duration = Duration::from_millis(17);
/// How often the time on screen moves on.
const TICK: Duration = Duration::from_secs(1);
/// A terminal that took no output for this long gets a frame drawn whole: nobody knows what it has lost.
const STALLED: Duration = Duration::from_secs(1);
/// How long the engine may take to end when the program is told to. With what else ending does, under 2 s.
const END_WITHIN: Duration = Duration::from_millis(1_200);
/// The same when the terminal is gone, and with it whoever could see that something hangs.
const END_UNSEEN_WITHIN: Duration = Duration::from_secs(1);
/// How long leaving for the shell waits for reader and camera to be closed.
const DISARMED_WITHIN: Duration = Duration::from_secs(2);
/// How many messages are taken before the next frame is drawn.
const BATCH: usize = 4_096;

/// Why the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The user quit.
    Quit,
    /// The system told the program to end.
    Terminated,
    /// It was interrupted from outside (SIGINT); in raw mode Ctrl-C is a key.
    Interrupted,
    /// It was told to quit from outside (SIGQUIT); in raw mode Ctrl-\\ is a key.
    ToldToQuit,
    /// The terminal is gone.
    TerminalGone,
}

/// How the screen was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Why.
    pub outcome: Outcome,
    /// What connecting last failed with, when no session was ever live.
    pub never_live: Option<Line>,
}

/// How far the connection ever came.
enum Reached {
    /// Not to a session, and this is the last failure.
    Nothing(Option<Line>),
    Live,
}

impl Reached {
    fn notice(&mut self, notice: &Notice) {
        match (&mut *self, notice) {
            (_, Notice::Connection(Connection::Live)) => *self = Self::Live,
            (Self::Nothing(failed), Notice::Connection(Connection::Over(line)))
                if line.kind != LineKind::Info =>
            {
                *failed = Some(line.clone());
            }
            _ => {}
        }
    }
}

/// Shows the screen until the user leaves it. The engine is asked to connect at once. With `focus`, losing the
/// terminal's focus disarms reader and camera where the terminal reports it (R33).
///
/// # Errors
/// When the terminal cannot be taken, or drawing to it fails.
pub async fn run(client: Client, options: Options, focus: bool) -> io::Result<Left> {
    let mut guard = Guard::enter()?;
    let signals = signals()?;
    let terminal = Terminal::new(Bounded(CrosstermBackend::new(guard.output())))?;
    let mut model = Model::new(options);
    let size = terminal.size()?;
    model.update(Message::Resized(size.width, size.height));
    let mut screen = Screen {
        model,
        outlet: guard.outlet(),
        terminal,
        theme: Theme::from_environment(),
        client,
        keys: input::spawn(),
        signals,
        start: Instant::now(),
        ending: None,
        focus,
        owed: VecDeque::new(),
        reached: Reached::Nothing(None),
    };
    screen.ask(Request::Connect);
    let mut outcome = screen.turn(&mut guard).await;
    if outcome.is_err() && !Guard::terminal_is_there() {
        outcome = Ok(screen.end_unseen().await);
    }
    drop(guard);
    let never_live = match screen.reached {
        Reached::Nothing(failed) => failed,
        Reached::Live => None,
    };
    outcome.map(|outcome| Left { outcome, never_live })
}

struct Screen {
    model: Model,
    terminal: Terminal<Bounded<CrosstermBackend<Output>>>,
    outlet: Outlet,
    theme: Theme,
    client: Client,
    keys: mpsc::Receiver<Input>,
    signals: mpsc::Receiver<Signal>,
    start: Instant,
    /// Set once the program is told to end: why, and when it ends in any case.
    ending: Option<(Outcome, Instant)>,
    /// Whether the terminal's focus counts.
    focus: bool,
    /// Requests that close something and found the engine's queue full: they must not be lost.
    owed: VecDeque<Request>,
    reached: Reached,
}

/// What happened.
enum Happened {
    Message(Message),
    Signal(Signal),
    TerminalGone,
    EngineGone,
    /// The terminal has taken what was drawn.
    Shown,
    Time,
}

impl Screen {
    async fn turn(&mut self, guard: &mut Guard) -> io::Result<Outcome> {
        let mut drawn = Instant::now() - FRAME;
        let mut dirty = true;
        // Whether a frame had to wait for the terminal since the last one.
        let mut stalled = false;
        loop {
            if dirty && drawn.elapsed() >= FRAME && self.outlet.is_free() {
                if drawn.elapsed() >= STALLED && stalled {
                    self.draw_anew()?;
                }
                stalled = false;
                let (model, theme) = (&self.model, self.theme);
                let mut seen = Seen::default();
                self.terminal.draw(|frame| {
                    provoke::panic_at("draw");
                    seen = view::draw(frame, model, theme);
                })?;
                self.model.update(Message::Drawn(seen));
                drawn = Instant::now();
                dirty = self.model.events.is_searching();
            }
            self.ask_owed();
            let due = drawn + FRAME;
            let waits = dirty && !self.outlet.is_free() && due <= Instant::now();
            stalled |= waits;
            let next_frame = (dirty && !waits).then_some(due);
            let first = self.next(next_frame).await;
            // A busy engine leaves no idle moment: the time moves on with whatever happens.
            self.model.update(Message::Tick(self.start.elapsed()));
            let mut happened = Some(first);
            for _ in 0..BATCH {
                let Some(what) = happened.take().or_else(|| self.waiting()) else { break };
                dirty |= !matches!(what, Happened::Shown);
                if let Some(outcome) = self.take(what, guard).await? {
                    return Ok(outcome);
                }
            }
        }
    }

    /// Waits for the next thing. `next_frame` is when a frame is due that waits for its time.
    async fn next(&mut self, next_frame: Option<Instant>) -> Happened {
        let tick = Instant::now() + TICK;
        let due =
            [next_frame, self.ending.map(|(_, at)| at)].into_iter().flatten().min().unwrap_or(tick).min(tick);
        tokio::select! {
            biased;
            signal = self.signals.recv() => signal.map_or(Happened::Time, Happened::Signal),
            key = self.keys.recv() => key.map_or(Happened::TerminalGone, happened),
            () = self.outlet.freed() => Happened::Shown,
            notice = self.client.notices.recv() => told(notice),
            () = sleep_until(due) => Happened::Time,
        }
    }

    /// What waits already.
    fn waiting(&mut self) -> Option<Happened> {
        if let Ok(key) = self.keys.try_recv() {
            return Some(happened(key));
        }
        self.client.notices.try_recv().ok().map(|notice| told(Some(notice)))
    }

    async fn take(&mut self, what: Happened, guard: &mut Guard) -> io::Result<Option<Outcome>> {
        let message = match what {
            Happened::Message(Message::Focus(_)) if !self.focus => return Ok(None),
            Happened::Message(Message::Notice(notice)) => {
                if self.ending.is_none() {
                    self.reached.notice(&notice);
                }
                Message::Notice(notice)
            }
            Happened::Message(message) => message,
            Happened::Signal(Signal::Terminate) => return Ok(self.end(Outcome::Terminated)),
            Happened::Signal(Signal::Interrupt) => return Ok(self.end(Outcome::Interrupted)),
            Happened::Signal(Signal::Quit) => return Ok(self.end(Outcome::ToldToQuit)),
            Happened::Signal(Signal::HangUp) | Happened::TerminalGone => {
                return Ok(self.end(Outcome::TerminalGone));
            }
            Happened::Signal(Signal::Continue) => {
                guard.resume()?;
                self.draw_anew()?;
                return Ok(None);
            }
            Happened::Signal(Signal::Stop) => {
                self.suspend(guard).await?;
                return Ok(None);
            }
            Happened::Shown => return Ok(None),
            Happened::EngineGone => {
                return Ok(Some(self.ending.map_or(Outcome::Quit, |(outcome, _)| outcome)));
            }
            Happened::Time => {
                if let Some((outcome, at)) = self.ending
                    && Instant::now() >= at
                {
                    return Ok(Some(outcome));
                }
                Message::Tick(self.start.elapsed())
            }
        };
        for effect in self.model.update(message) {
            match effect {
                Effect::Ask(request) => self.ask(request),
                Effect::Copy(text) => {
                    let copied = clipboard::copy(&self.outlet, &text)
                        .map(|()| text.len())
                        .map_err(|error| error.to_string());
                    self.model.update(Message::Copied(copied));
                }
                Effect::Suspend => self.suspend(guard).await?,
                Effect::Exit => return Ok(Some(self.ending.map_or(Outcome::Quit, |(outcome, _)| outcome))),
            }
        }
        Ok(None)
    }

    /// Ends the session in order; `Some` when there is nothing to wait for.
    fn end(&mut self, outcome: Outcome) -> Option<Outcome> {
        if self.ending.is_none() {
            let within = match outcome {
                Outcome::TerminalGone => END_UNSEEN_WITHIN,
                Outcome::Quit | Outcome::Terminated | Outcome::Interrupted | Outcome::ToldToQuit => {
                    END_WITHIN
                }
            };
            self.ending = Some((outcome, Instant::now() + within));
            self.ask(Request::Quit);
        }
        None
    }

    /// Gives the terminal back and stops, with every device closed before.
    async fn suspend(&mut self, guard: &mut Guard) -> io::Result<()> {
        self.disarm().await;
        guard.suspend()?;
        self.ask(Request::Foreground(true));
        self.draw_anew()
    }

    /// Has the engine disarm, and waits until reader and camera are closed: it is stopped together with us.
    async fn disarm(&mut self) {
        let requests = self.client.requests.clone();
        let done = async move {
            // A request is taken when the one before it is carried out. All places free: the second is taken.
            for _ in 0..2 {
                let _stopped = requests.send(Request::Foreground(false)).await;
            }
            let _stopped = requests.reserve_many(requests.max_capacity()).await;
        };
        tokio::pin!(done);
        let until = Instant::now() + DISARMED_WITHIN;
        loop {
            tokio::select! {
                () = &mut done => return,
                // The engine waits for whoever hears it. An end that it tells is seen again when nothing more comes.
                Some(notice) = self.client.notices.recv() => drop(self.model.update(Message::Notice(notice))),
                () = sleep_until(until) => return,
            }
        }
    }

    /// Has the next frame drawn whole. `Terminal::clear` would ask the terminal where its cursor is, and the answer
    /// goes to the input thread.
    fn draw_anew(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Ends the session in order when there is no terminal to draw on any more.
    async fn end_unseen(&mut self) -> Outcome {
        self.end(Outcome::TerminalGone);
        let until = self.ending.map_or_else(Instant::now, |(_, until)| until);
        // The last notice comes before the channel closes.
        while let Ok(Some(_)) = timeout_at(until, self.client.notices.recv()).await {}
        Outcome::TerminalGone
    }

    /// Asks the engine, and never waits for it: it may be waiting for us to take what it tells. A request that
    /// finds 256 others before it is dropped, since whoever presses keys that fast presses them again; only what
    /// closes a device or the session is kept for the next turn.
    fn ask(&mut self, request: Request) {
        let closes = matches!(
            request,
            Request::Foreground(_) | Request::Disarm | Request::DropReviewed | Request::Quit
        );
        // An engine that has stopped says so by its notices.
        if let Err(TrySendError::Full(request)) = self.client.requests.try_send(request)
            && closes
        {
            self.owed.push_back(request);
        }
    }

    /// Asks again what is owed.
    fn ask_owed(&mut self) {
        for request in std::mem::take(&mut self.owed) {
            self.ask(request);
        }
    }
}

fn happened(input: Input) -> Happened {
    Happened::Message(match input {
        Input::Key(key) => Message::Key(key),
        Input::Paste(text) => Message::Paste(text),
        Input::Resized(columns, rows) => {
            let (columns, rows) = bounded(columns, rows);
            Message::Resized(columns, rows)
        }
        Input::Focus(front) => Message::Focus(front),
        Input::Gone => return Happened::TerminalGone,
    })
}

fn told(notice: Option<Notice>) -> Happened {
    notice.map_or(Happened::EngineGone, |notice| Happened::Message(Message::Notice(notice)))
}

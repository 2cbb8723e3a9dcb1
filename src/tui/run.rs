//! The run loop: it hands what happens to the model, carries out the effects, and draws when the queue is empty.

use std::io;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::clipboard;
use super::guard::{Guard, Output};
use super::input::{self, Input};
use super::signals::{Signal, signals};
use super::theme::Theme;
use super::view;
use crate::app::{Effect, Message, Model, Options, Seen};
use crate::client::{Client, Notice, Request};

/// At most one frame in this time: 60 a second.
const FRAME: Duration = Duration::from_millis(16);
/// How often the time on screen moves on.
const TICK: Duration = Duration::from_millis(500);
/// How long the engine may take to end when the program is told to.
const END_WITHIN: Duration = Duration::from_secs(3);
/// How many messages are taken before the next frame is drawn.
const BATCH: usize = 4_096;

/// Why the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The user quit.
    Quit,
    /// The system told the program to end.
    Terminated,
    /// The terminal is gone.
    TerminalGone,
}

/// Shows the screen until the user leaves it. The engine is asked to connect at once. With `focus`, losing the
/// terminal's focus disarms reader and camera where the terminal reports it (R33).
///
/// # Errors
/// When the terminal cannot be taken, or drawing to it fails.
pub async fn run(client: Client, options: Options, focus: bool) -> io::Result<Outcome> {
    let mut guard = Guard::enter()?;
    let signals = signals()?;
    let terminal = Terminal::new(CrosstermBackend::new(guard.output()))?;
    let mut model = Model::new(options);
    let size = terminal.size()?;
    model.update(Message::Resized(size.width, size.height));
    let mut screen = Screen {
        model,
        terminal,
        theme: Theme::from_environment(),
        client,
        keys: input::spawn(),
        signals,
        start: Instant::now(),
        ending: None,
        focus,
    };
    screen.ask(Request::Connect).await;
    let outcome = screen.turn(&mut guard).await;
    drop(guard);
    outcome
}

struct Screen {
    model: Model,
    terminal: Terminal<CrosstermBackend<Output>>,
    theme: Theme,
    client: Client,
    keys: mpsc::Receiver<Input>,
    signals: mpsc::Receiver<Signal>,
    start: Instant,
    /// Set once the program is told to end: why, and when it ends in any case.
    ending: Option<(Outcome, Instant)>,
    /// Whether the terminal's focus counts.
    focus: bool,
}

/// What happened.
enum Happened {
    Message(Message),
    Signal(Signal),
    TerminalGone,
    EngineGone,
    Time,
}

impl Screen {
    async fn turn(&mut self, guard: &mut Guard) -> io::Result<Outcome> {
        let mut drawn = Instant::now() - FRAME;
        let mut dirty = true;
        loop {
            if dirty && drawn.elapsed() >= FRAME {
                let (model, theme) = (&self.model, self.theme);
                let mut seen = Seen::default();
                self.terminal.draw(|frame| seen = view::draw(frame, model, theme))?;
                self.model.update(Message::Drawn(seen));
                drawn = Instant::now();
                dirty = false;
            }
            let next_frame = dirty.then(|| drawn + FRAME);
            let first = self.next(next_frame).await;
            // A busy engine leaves no idle moment: the time moves on with whatever happens.
            self.model.update(Message::Tick(self.start.elapsed()));
            let mut happened = Some(first);
            for _ in 0..BATCH {
                let Some(what) = happened.take().or_else(|| self.waiting()) else { break };
                dirty = true;
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
            Happened::Message(message) => message,
            Happened::Signal(Signal::Terminate) => return Ok(self.end(Outcome::Terminated).await),
            Happened::Signal(Signal::HangUp) | Happened::TerminalGone => {
                return Ok(self.end(Outcome::TerminalGone).await);
            }
            Happened::Signal(Signal::Continue) => {
                guard.resume()?;
                self.terminal.clear()?;
                return Ok(None);
            }
            Happened::Signal(Signal::Stop) => {
                self.suspend(guard).await?;
                return Ok(None);
            }
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
                Effect::Ask(request) => self.ask(request).await,
                Effect::Copy(text) => {
                    let copied =
                        clipboard::copy(&text).map(|()| text.len()).map_err(|error| error.to_string());
                    self.model.update(Message::Copied(copied));
                }
                Effect::Suspend => self.suspend(guard).await?,
                Effect::Exit => return Ok(Some(self.ending.map_or(Outcome::Quit, |(outcome, _)| outcome))),
            }
        }
        Ok(None)
    }

    /// Ends the session in order; `Some` when there is nothing to wait for.
    async fn end(&mut self, outcome: Outcome) -> Option<Outcome> {
        if self.ending.is_none() {
            self.ending = Some((outcome, Instant::now() + END_WITHIN));
            self.ask(Request::Quit).await;
        }
        None
    }

    async fn suspend(&mut self, guard: &mut Guard) -> io::Result<()> {
        self.ask(Request::Foreground(false)).await;
        guard.suspend()?;
        self.ask(Request::Foreground(true)).await;
        self.terminal.clear()
    }

    async fn ask(&self, request: Request) {
        // An engine that has stopped says so by its notices.
        let _stopped = self.client.requests.send(request).await;
    }
}

fn happened(input: Input) -> Happened {
    Happened::Message(match input {
        Input::Key(key) => Message::Key(key),
        Input::Paste(text) => Message::Paste(text),
        Input::Resized(columns, rows) => Message::Resized(columns, rows),
        Input::Focus(front) => Message::Focus(front),
        Input::Gone => return Happened::TerminalGone,
    })
}

fn told(notice: Option<Notice>) -> Happened {
    notice.map_or(Happened::EngineGone, |notice| Happened::Message(Message::Notice(notice)))
}

//! One WebSocket session: frames to the brain, replies to the socket, and the clock between them.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role, WebSocketConfig};

use super::{Shared, until};
use crate::agent::brain::{Brain, Close, Deliberate, Reply};
use crate::protocol::{Dialect, bounds};

/// How long one write may take: a client that does not read is dropped.
const WRITE_WITHIN: Duration = Duration::from_secs(10);
/// How long the client may take to answer a close.
const CLOSE_WITHIN: Duration = Duration::from_secs(2);
/// How long a deliberate silence lasts.
const HOLD_WITHIN: Duration = Duration::from_secs(300);
/// After how many intervals without anything a session is dropped.
const DEAD_AFTER: u32 = 3;

type Socket = WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>;

/// Runs the session to its end.
pub(super) async fn session(upgrade: OnUpgrade, shared: &Shared) {
    let Ok(io) = upgrade.await else { return };
    // A frame over 128 KiB is refused by the brain and the session goes on; over 1 MiB it is not even
    // taken in (the same bound that R30 gives the client).
    let limits = WebSocketConfig::default()
        .max_message_size(Some(bounds::CLOSE_BEYOND_BYTES))
        .max_frame_size(Some(bounds::CLOSE_BEYOND_BYTES))
        .read_buffer_size(16 * 1024)
        .write_buffer_size(0)
        // Answers and pongs that a client does not read; beyond them the session ends.
        .max_write_buffer_size(8 * bounds::CLOSE_BEYOND_BYTES);
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(io), Role::Server, Some(limits)).await;
    let session = Session {
        socket,
        brain: Brain::new(shared.config.brain()),
        dialect: shared.config.dialect.clone(),
        started: Instant::now(),
    };
    session.run(shared).await;
}

struct Session {
    socket: Socket,
    brain: Brain,
    dialect: Dialect,
    started: Instant,
}

/// What woke the session up.
enum Woken {
    Frame(Option<Result<Message, WsError>>),
    Deadline,
    Quiet,
    Stop,
}

impl Session {
    async fn run(mut self, shared: &Shared) {
        let mut stopping = shared.shutdown.clone();
        let every = shared.config.ping_every;
        let mut heard = Instant::now();
        let mut pinged = heard;
        loop {
            let woken = tokio::select! {
                _ = stopping.wait_for(|stop| *stop) => Woken::Stop,
                frame = self.socket.next() => Woken::Frame(frame),
                () = until(self.started, self.brain.next_deadline()) => Woken::Deadline,
                () = sleep_until(pinged + every) => Woken::Quiet,
            };
            if matches!(woken, Woken::Frame(_)) {
                heard = Instant::now();
            }
            if matches!(woken, Woken::Frame(_) | Woken::Quiet) {
                pinged = Instant::now();
            }
            let dead = heard.elapsed() >= every * DEAD_AFTER;
            let flow = match woken {
                Woken::Frame(frame) => self.frame(frame).await,
                Woken::Deadline => {
                    let replies = self.brain.poll(self.started.elapsed());
                    self.carry_out(replies).await
                }
                Woken::Quiet if dead => ControlFlow::Break(()),
                Woken::Quiet => self.send(Message::Ping(Vec::new().into())).await,
                Woken::Stop => self.close(Close::AWAY).await,
            };
            if flow.is_break() {
                return;
            }
            if self.is_silent() {
                return hold(self.socket, stopping).await;
            }
        }
    }

    /// Whether the fault has come that leaves the connection open and mute.
    fn is_silent(&self) -> bool {
        // A brain that is closed without the loop having ended has not closed the socket.
        self.brain.is_closed()
    }

    async fn frame(&mut self, frame: Option<Result<Message, WsError>>) -> ControlFlow<()> {
        let now = self.started.elapsed();
        let replies = match frame {
            Some(Ok(Message::Text(text))) => self.brain.receive(now, &text),
            Some(Ok(Message::Binary(_))) => self.brain.receive_binary(now),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                return ControlFlow::Continue(());
            }
            Some(Err(WsError::Capacity(CapacityError::MessageTooLong { .. }))) => {
                return self.close(Close { code: 1009, reason: "frame too large" }).await;
            }
            Some(Err(WsError::Utf8(_))) => {
                return self.close(Close { code: 1007, reason: "text is not UTF-8" }).await;
            }
            // The socket answers a close by itself while it is read to its end.
            Some(Ok(Message::Close(_))) => return self.read_out().await,
            Some(Err(_)) | None => return ControlFlow::Break(()),
        };
        self.carry_out(replies).await
    }

    async fn carry_out(&mut self, replies: Vec<Reply>) -> ControlFlow<()> {
        for reply in replies {
            match reply {
                Reply::Envelope(envelope) => {
                    let text = envelope.encode(&self.dialect).to_string();
                    self.send(Message::Text(text.into())).await?;
                }
                Reply::Deliberate(Deliberate::Text(text)) => {
                    self.send(Message::Text(text.into())).await?;
                }
                Reply::Deliberate(Deliberate::Binary(bytes)) => {
                    self.send(Message::Binary(bytes.into())).await?;
                }
                Reply::Deliberate(Deliberate::Silence) => return ControlFlow::Continue(()),
                // A WebSocket has no sound, so the brain never asks for any.
                Reply::Listen(_) => {}
                Reply::Close(close) => return self.close(close).await,
            }
        }
        ControlFlow::Continue(())
    }

    async fn send(&mut self, message: Message) -> ControlFlow<()> {
        match timeout(WRITE_WITHIN, self.socket.send(message)).await {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(()),
        }
    }

    async fn close(&mut self, close: Close) -> ControlFlow<()> {
        let frame = CloseFrame { code: CloseCode::from(close.code), reason: close.reason.into() };
        // Whether the client hears it or has gone, the session is over.
        let _ = timeout(CLOSE_WITHIN, self.socket.close(Some(frame))).await;
        self.read_out().await
    }

    /// Reads what is left, so that the close handshake is completed.
    async fn read_out(&mut self) -> ControlFlow<()> {
        let rest = async { while let Some(Ok(_)) = self.socket.next().await {} };
        let _ = timeout(CLOSE_WITHIN, rest).await;
        ControlFlow::Break(())
    }
}

/// Keeps the connection open without a word, as a half-open peer does, until the agent stops or for five
/// minutes: longer than any client should wait, short enough to give the place back.
async fn hold(socket: Socket, mut stopping: tokio::sync::watch::Receiver<bool>) {
    let _ = timeout(HOLD_WITHIN, stopping.wait_for(|stop| *stop)).await;
    drop(socket);
}

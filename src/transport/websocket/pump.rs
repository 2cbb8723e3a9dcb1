//! An open WebSocket: one task that reads, writes, pings and closes. Reading and writing run side by side,
//! so that an agent that reads slowly cannot keep us from hearing it.

use std::io;
use std::pin::pin;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::{
    CloseFrame, Message, Role, WebSocketConfig, frame::coding::CloseCode,
};

use super::Options;
use super::measured::{Endless, Measured, Unfinished};
use crate::transport::{Closure, INCOMING_QUEUE, Incoming, Outgoing};

type Sink<S> = SplitSink<WebSocketStream<Measured<S>>, Message>;

/// Most bytes that wait for an agent that does not read: pongs and one message, of which none is near as large. Beyond
/// them only the newest pong waits, which is all that RFC 6455, section 5.5.3, asks for.
const MOST_UNSENT: usize = 8 * 1024 * 1024;

/// How many frames are handed over at once, if they are there; a small part of [`INCOMING_QUEUE`].
const BATCH: usize = 64;
const _: () = assert!(BATCH < INCOMING_QUEUE);

/// The reading half. Each whole message starts the count of unfinished bytes anew.
struct Source<S> {
    stream: SplitStream<WebSocketStream<Measured<S>>>,
    unfinished: Unfinished,
}

impl<S> Source<S>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    async fn next(&mut self) -> Option<Result<Message, Error>> {
        let next = self.stream.next().await;
        self.unfinished.reset();
        next
    }
}

/// Runs the link to its end and says last how it ended.
pub(super) async fn run<S>(
    socket: S,
    mut to_send: Receiver<Outgoing>,
    came: Sender<Incoming>,
    options: Options,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let config = WebSocketConfig::default()
        .read_buffer_size(64 * 1024)
        .write_buffer_size(0)
        .max_write_buffer_size(MOST_UNSENT)
        .max_message_size(Some(options.message_bytes))
        .max_frame_size(Some(options.message_bytes));
    let unfinished = Unfinished::default();
    let socket =
        Measured { stream: socket, unfinished: unfinished.clone(), bound: options.message_bytes * 4 };
    let socket = WebSocketStream::from_raw_socket(socket, Role::Client, Some(config)).await;
    let (mut sink, source) = socket.split();
    let mut source = Source { stream: source, unfinished };
    // Closing is a message as well: once `write` has sent it, the agent has a bounded time to answer.
    let closure = tokio::select! {
        biased;
        closure = read(&mut source, &came, options) => closure,
        written = write(&mut sink, &mut to_send, &came, options) => match written {
            Ok(()) => {
                // What the agent sent before it saw our close is still part of the session.
                let _ = timeout(options.close_within, read(&mut source, &came, options)).await;
                Closure::ByUs
            }
            Err(error) => last_words(&mut source, &came, options, &error).await,
        },
        () = came.closed() => Closure::ByUs,
    };
    // The answer to a close goes out first; the session need not wait for the agent to let go of the socket.
    let _ = timeout(options.close_within, say_goodbye(&mut sink, &closure)).await;
    let closed_by_agent = matches!(closure, Closure::Normal { .. });
    let _ = came.send(Incoming::Closed(closure)).await;
    if closed_by_agent {
        let _ = timeout(options.close_within, drain(&mut source)).await;
    }
}

/// Reads until the link ends; only the wait for the agent counts as silence, not the wait for our queue.
async fn read<S>(source: &mut Source<S>, came: &Sender<Incoming>, options: Options) -> Closure
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let after = options.dead_after;
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let Ok(next) = timeout(after, source.next()).await else { return Closure::TimedOut { after } };
        let mut end = take(next, options, &mut batch);
        // Most frames of a burst are there already: they need no timer, and are handed over together.
        while end.is_none()
            && batch.len() < BATCH
            && let Some(next) = source.next().now_or_never()
        {
            end = take(next, options, &mut batch);
        }
        if !hand_over(&mut batch, came).await {
            return Closure::ByUs;
        }
        if let Some(closure) = end {
            return closure;
        }
    }
}

/// Puts what came into the batch, or says that it was the end.
fn take(
    next: Option<Result<Message, Error>>,
    options: Options,
    batch: &mut Vec<Incoming>,
) -> Option<Closure> {
    match next {
        Some(Ok(message)) => match sort(message, options) {
            Ok(incoming) => {
                batch.extend(incoming);
                None
            }
            Err(closure) => Some(closure),
        },
        Some(Err(error)) => Some(fault(&error)),
        None => Some(Closure::Lost("it ended without a close".to_owned())),
    }
}

/// Hands a batch to the session driver, once there is room for all of it. `false` when nobody takes it any more.
async fn hand_over(batch: &mut Vec<Incoming>, came: &Sender<Incoming>) -> bool {
    if batch.is_empty() {
        return !came.is_closed();
    }
    let Ok(places) = came.reserve_many(batch.len()).await else { return false };
    places.zip(batch.drain(..)).for_each(|(place, incoming)| place.send(incoming));
    true
}

/// What a message is for the session: a frame, something to report, nothing, or the end.
fn sort(message: Message, options: Options) -> Result<Option<Incoming>, Closure> {
    match message {
        Message::Text(text) if text.len() > options.frame_bytes => {
            Ok(Some(Incoming::Oversized { bytes: text.len() }))
        }
        Message::Text(text) => Ok(Some(Incoming::Text(text.as_str().to_owned()))),
        Message::Binary(bytes) => Ok(Some(Incoming::Binary { bytes: bytes.len() })),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(None),
        Message::Close(None) => Err(Closure::Normal { code: None, reason: String::new() }),
        // tungstenite puts this frame in the place of one with a code that must not be on the wire.
        Message::Close(Some(CloseFrame { code: CloseCode::Protocol, reason }))
            if reason.as_str() == "Protocol violation" =>
        {
            Err(Closure::ProtocolError("the agent closed with a code that RFC 6455 forbids".to_owned()))
        }
        Message::Close(Some(CloseFrame { code, reason })) => {
            Err(Closure::Normal { code: Some(code.into()), reason: reason.as_str().to_owned() })
        }
    }
}

/// Sends what is queued, and pings, until the driver closes or a write fails.
async fn write<S>(
    sink: &mut Sink<S>,
    to_send: &mut Receiver<Outgoing>,
    came: &Sender<Incoming>,
    options: Options,
) -> Result<(), Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let first = tokio::time::Instant::now() + options.ping_every;
    let mut ping = interval_at(first, options.ping_every);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            asked = to_send.recv() => match asked {
                Some(Outgoing::Text(text)) => Message::text(text),
                Some(Outgoing::Close) | None => {
                    let close = CloseFrame { code: CloseCode::Normal, reason: "".into() };
                    let sent = timeout(options.close_within, sink.send(Message::Close(Some(close)))).await;
                    return sent.unwrap_or(Ok(()));
                }
            },
            _ = ping.tick() => Message::Ping(Vec::new().into()),
        };
        send(sink, message, came, options).await?;
    }
}

/// Sends one message, within bounds, and says when the agent does not take it.
async fn send<S>(
    sink: &mut Sink<S>,
    message: Message,
    came: &Sender<Incoming>,
    options: Options,
) -> Result<(), Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // An agent that talks but takes nothing would hold our close back for ever. Plain silence ends
    // earlier, in `read`, and is reported as silence.
    let bound = options.dead_after + options.close_within;
    let after = options.stalled_after.min(bound);
    let mut sending = pin!(async {
        // Pongs that wait leave first: the message must find room.
        sink.flush().await?;
        sink.send(message).await
    });
    if let Ok(sent) = timeout(after, &mut sending).await {
        return sent;
    }
    if after < bound {
        // Only a remark: if the driver is so far behind that there is no room for it, it is not made.
        let _no_room = came.try_send(Incoming::Stalled { after });
    }
    let lost = || io::Error::new(io::ErrorKind::TimedOut, "the agent takes nothing any more");
    timeout(bound - after, sending).await.map_err(|_| Error::Io(lost()))??;
    let _no_room = came.try_send(Incoming::Flowing);
    Ok(())
}

/// A write failed: the agent may have said why before it went.
async fn last_words<S>(
    source: &mut Source<S>,
    came: &Sender<Incoming>,
    options: Options,
    error: &Error,
) -> Closure
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match timeout(options.close_within, read(source, came, options)).await {
        Ok(closure) => closure,
        Err(_) => fault(error),
    }
}

/// Reads on until the agent's close has been answered and the stream is at its end.
async fn drain<S>(source: &mut Source<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(_)) = source.next().await {}
}

/// Says what the closure asks for: the answer to a close, or the name of a fault.
async fn say_goodbye<S>(sink: &mut Sink<S>, closure: &Closure)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let code = match closure {
        // The answer is queued already.
        Closure::Normal { .. } => return drop(sink.flush().await),
        // The rest of the stream makes no sense any more; the agent is told and not listened to.
        Closure::TooLarge { .. } => CloseCode::Size,
        Closure::ProtocolError(_) => CloseCode::Protocol,
        Closure::HungUp | Closure::Lost(_) | Closure::TimedOut { .. } | Closure::ByUs => return,
    };
    let _ = sink.send(Message::Close(Some(CloseFrame { code, reason: "".into() }))).await;
}

/// What an error of the socket means for the user.
fn fault(error: &Error) -> Closure {
    let broke = |words: &str| Closure::ProtocolError(words.to_owned());
    match error {
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            Closure::TooLarge { bytes: *size, bound: *max_size }
        }
        Error::Utf8(_) => broke("the agent sent text that is not UTF-8 (RFC 6455, section 8.1)"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            Closure::Lost("it ended without a close".to_owned())
        }
        Error::Protocol(ProtocolError::NonZeroReservedBits) => {
            // The library does not say which of the three it was.
            broke(
                "the agent sent a frame with a reserved bit set (RSV1, which marks compression, RSV2 or RSV3), though no \
                 extension was agreed on (RFC 6455, section 5.2)",
            )
        }
        Error::Protocol(ProtocolError::InvalidCloseSequence) => {
            broke("the agent sent a close frame that is too short")
        }
        Error::Protocol(ProtocolError::MaskedFrameFromServer) => {
            broke("the agent sent a masked frame, which only clients do")
        }
        Error::Protocol(ProtocolError::FragmentedControlFrame) => {
            broke("the agent sent a control frame in fragments (RFC 6455, section 5.4)")
        }
        Error::Protocol(ProtocolError::ControlFrameTooBig) => {
            broke("the agent sent a control frame of more than 125 bytes (RFC 6455, section 5.5)")
        }
        Error::Protocol(ProtocolError::InvalidOpcode(opcode)) => Closure::ProtocolError(format!(
            "the agent sent a frame of the reserved kind {opcode} (RFC 6455, section 5.2)"
        )),
        Error::Protocol(ProtocolError::UnexpectedContinueFrame) => {
            broke("the agent continued a message that it had not begun (RFC 6455, section 5.4)")
        }
        Error::Protocol(ProtocolError::ExpectedFragment(_)) => {
            broke("the agent began a message before the last one was complete (RFC 6455, section 5.4)")
        }
        Error::Protocol(other) => Closure::ProtocolError(format!("the agent broke RFC 6455: {other}")),
        Error::ConnectionClosed | Error::AlreadyClosed => Closure::Lost("it was already closed".to_owned()),
        Error::Io(error) if let Some(endless) = Endless::of(error) => {
            Closure::ProtocolError(endless.to_string())
        }
        // What TLS says of a stream that was cut is nothing that helps a user.
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Closure::Lost("it ended without a close".to_owned())
        }
        Error::Io(error) => Closure::Lost(error.to_string()),
        other => Closure::Lost(other.to_string()),
    }
}

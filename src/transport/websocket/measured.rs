//! A message may come in any number of fragments, also empty ones, and the library bounds only what they
//! contain. So the bytes of the stream are counted here: more than four times the largest message (whose
//! fragments may have one byte each, with a header of two) without its end is none that will ever end.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::units::Bytes;

/// How many bytes came since the last whole message. Its two holders are in one task.
#[derive(Clone, Debug, Default)]
pub(super) struct Unfinished(Arc<AtomicUsize>);

impl Unfinished {
    /// A message is whole: the count begins anew.
    pub fn reset(&self) {
        self.0.store(0, Relaxed);
    }
}

/// A stream whose unfinished bytes are bounded.
#[derive(Debug)]
pub(super) struct Measured<S> {
    /// What is read and written.
    pub stream: S,
    /// Bytes since the last whole message.
    pub unfinished: Unfinished,
    /// The most of them.
    pub bound: usize,
}

/// A message did not end within the bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endless {
    bound: usize,
}

impl Endless {
    /// Whether this is why reading failed.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the agent sent a message in fragments without end: more than {} bytes", Bytes(self.bound))
    }
}

impl std::error::Error for Endless {}

impl<S: AsyncRead + Unpin> AsyncRead for Measured<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let came = buf.filled().len() - before;
        let bound = self.bound;
        match self.unfinished.0.fetch_add(came, Relaxed) + came > bound {
            true => Poll::Ready(Err(io::Error::other(Endless { bound }))),
            false => Poll::Ready(Ok(())),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Measured<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

//! Why no link was opened: a sentence that names the agent, and what to do.

use thiserror::Error;

use crate::net::{NetError, NetErrorKind};

/// What stands between a URL and an open link.
#[derive(Debug, Error)]
pub enum DialError {
    /// The way to the agent, or its HTTP answer.
    #[error(transparent)]
    Net(#[from] NetError),
    /// It answered an SDP offer with something else.
    #[error("{url} answered the SDP offer with {came}, and application/sdp was asked for")]
    MediaType {
        /// The URL, without secrets.
        url: String,
        /// What it sent: a media type, or `no media type`. Text from outside.
        came: String,
    },
    /// The call did not come about.
    #[error("no call with {url}: {reason}")]
    Call {
        /// The URL, without secrets.
        url: String,
        /// Whether it took too long.
        late: bool,
        /// Why: a sentence.
        reason: String,
        /// What to do about it.
        hint: Option<&'static str>,
    },
    /// This build has no WebRTC.
    #[error("{url} asks for WebRTC, which this build of the program cannot do (the feature webrtc is off)")]
    Unavailable {
        /// The URL, without secrets.
        url: String,
    },
}

impl DialError {
    /// What kind of failure it is, for exit codes and `--json`.
    pub fn kind(&self) -> NetErrorKind {
        match self {
            Self::Net(error) => error.kind(),
            Self::MediaType { .. } | Self::Unavailable { .. } | Self::Call { late: false, .. } => {
                NetErrorKind::Connect
            }
            Self::Call { late: true, .. } => NetErrorKind::Timeout,
        }
    }

    /// What the user can do about it, as one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Net(error) => error.hint(),
            Self::MediaType { .. } => {
                Some("Is agui.url in its card the place where it takes SDP offers?".to_owned())
            }
            Self::Call { hint, .. } => hint.map(str::to_owned),
            Self::Unavailable { .. } => {
                Some("Build it with the feature webrtc, or connect to an agent over WebSocket.".to_owned())
            }
        }
    }
}

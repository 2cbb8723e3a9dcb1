//! Consent as a type: no device call without an [`Armed`].
//!
//! Three mint an `Armed`, each for one [`DeviceKind`], one device call and until a deadline: the client because of a key,
//! the client because of a scenario step, and `agentcall devices --probe` for each read that its command line asks for.
//! Listing devices and watching what is plugged in need none, and collect nothing.
//!
//! Order: whoever minted it hands it to one device call and drops it when the collection is over. While a collection
//! runs, the client keeps a [`Disarm`] (Esc, leaving the screen, losing the foreground: R33). A device that works in
//! another task or process keeps a [`Leash`] there and closes when it ends.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// The kinds of device that collect something, each armed on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// An NFC reader, real or simulated.
    Reader,
    /// A camera, real or simulated.
    Camera,
    /// A microphone, real or simulated.
    Microphone,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reader => "reader",
            Self::Camera => "camera",
            Self::Microphone => "microphone",
        })
    }
}

/// Whose act the consent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArmedBy {
    /// The user's own, now: a key in this run, or the command `devices --probe`.
    Key,
    /// A step of a scenario that the user started.
    ScenarioStep,
}

/// Why a consent is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its time ran out.
    Deadline,
    /// The user or the client took it back, or the collection was done.
    Disarmed,
}

/// The user's consent to one collection with one kind of device, until a deadline.
///
/// It is neither `Clone` nor `Default`: one act of the user, one collection. Dropping it ends every
/// [`Leash`] that was taken from it, so the device closes.
#[derive(Debug)]
pub struct Armed {
    kind: DeviceKind,
    by: ArmedBy,
    deadline: Instant,
    over: Arc<watch::Sender<bool>>,
}

impl Armed {
    /// Mints the consent. Only `client` calls this, at once after a key or a scenario step, and the probe of
    /// `agentcall devices`, once for each read that was asked for; `within` is the time from now to the deadline.
    pub fn mint(kind: DeviceKind, by: ArmedBy, within: Duration) -> Self {
        let (over, _) = watch::channel(false);
        Self { kind, by, deadline: Instant::now() + within, over: Arc::new(over) }
    }

    /// The kind of device this consent is for.
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// Whose act it was.
    pub fn by(&self) -> ArmedBy {
        self.by
    }

    /// The time left; zero when the deadline has passed.
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Whether `kind` may collect now: the consent is for it, not taken back and not over time.
    pub fn permits(&self, kind: DeviceKind) -> bool {
        self.kind == kind && !*self.over.borrow() && !self.remaining().is_zero()
    }

    /// A handle with which the client takes the consent back while a device call holds it.
    pub fn disarm(&self) -> Disarm {
        Disarm { over: Arc::clone(&self.over) }
    }

    /// A handle for the task or process in which the device works.
    pub fn leash(&self) -> Leash {
        Leash { deadline: self.deadline, over: self.over.subscribe() }
    }

    /// Waits until the consent is over.
    pub async fn ended(&self) -> Ended {
        self.leash().ended().await
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        self.over.send_replace(true);
    }
}

/// Takes a consent back from outside the device call that holds it.
#[derive(Clone, Debug)]
pub struct Disarm {
    over: Arc<watch::Sender<bool>>,
}

impl Disarm {
    /// Takes the consent back. Calling it twice, or after the collection, does nothing.
    pub fn now(&self) {
        self.over.send_replace(true);
    }
}

/// What a device keeps where it works: it sees the consent end and can do nothing else with it.
#[derive(Clone, Debug)]
pub struct Leash {
    deadline: Instant,
    over: watch::Receiver<bool>,
}

impl Leash {
    /// Whether the consent still stands.
    pub fn is_live(&self) -> bool {
        self.over().is_none()
    }

    /// Why the consent is over; `None` while it stands. Being taken back counts before the deadline.
    pub fn over(&self) -> Option<Ended> {
        let is_taken_back = *self.over.borrow() || self.over.has_changed().is_err();
        match (is_taken_back, Instant::now() < self.deadline) {
            (true, _) => Some(Ended::Disarmed),
            (false, false) => Some(Ended::Deadline),
            (false, true) => None,
        }
    }

    /// Waits until the consent is over. Being taken back counts before the deadline.
    pub async fn ended(&mut self) -> Ended {
        tokio::select! {
            biased;
            _ = self.over.wait_for(|over| *over) => Ended::Disarmed,
            () = tokio::time::sleep_until(self.deadline) => Ended::Deadline,
        }
    }
}

#[cfg(test)]
mod tests;

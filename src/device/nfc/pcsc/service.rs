//! What we need of a PC/SC service, as traits: the system's own stands behind them in the program, and scripted ones in
//! tests. Calls block; a frozen daemon never returns from any of them.

use std::time::Duration;

use super::super::flow::link::Card;

/// A PC/SC service that may or may not be there.
pub trait Service: Send + Sync {
    /// A context: one line to the service.
    ///
    /// # Errors
    /// [`PcscError`].
    fn establish(&self) -> Result<Box<dyn Context>, PcscError>;
}

/// One line to the service. After an error of the service it is of no use any more (A1): a new one is established.
pub trait Context: Send {
    /// The readers that there are.
    ///
    /// # Errors
    /// [`PcscError`].
    fn readers(&self) -> Result<Vec<String>, PcscError>;

    /// A watch over these readers, and over coming and going readers if `plugging`.
    fn watch(&self, readers: &[String], plugging: bool) -> Box<dyn Watch>;

    /// Connects to the tag on a reader, shared with other programs.
    ///
    /// # Errors
    /// [`PcscError`].
    fn connect(&self, reader: &str) -> Result<Box<dyn Card>, PcscError>;

    /// What ends a wait from another thread.
    fn waker(&self) -> Box<dyn Waker>;
}

/// A watch over readers. The first wait returns at once with how things are.
pub trait Watch {
    /// Waits until something changes or the time is up; then nothing is returned.
    ///
    /// # Errors
    /// [`PcscError`]; [`PcscError::Cancelled`] when a [`Waker`] ended it.
    fn wait(&mut self, within: Duration) -> Result<Vec<Change>, PcscError>;
}

/// Ends a wait from another thread. One that comes when nobody waits is forgotten.
pub trait Waker: Send {
    /// Ends the wait.
    fn wake(&self);
}

/// What is so now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Readers have come or gone: they are to be listed anew.
    Plugged,
    /// A reader and the tag on it.
    Slot(Slot),
}

/// A reader and the tag on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The reader's name.
    pub reader: String,
    /// Whether a tag is on it.
    pub present: bool,
    /// Whether the tag does not answer.
    pub mute: bool,
    /// The answer to reset of the tag.
    pub atr: Vec<u8>,
    /// How often tags came and went, where the service counts; two more mean that one went and came again.
    pub count: u16,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PcscError {
    /// No daemon.
    NotRunning,
    /// The daemon went away.
    Lost,
    /// The daemon refuses us.
    NotAllowed,
    /// The wait was ended from another thread.
    Cancelled,
    /// This service does not tell of coming and going readers.
    NoPlugging,
    /// The reader is not there.
    NoSuchReader,
    /// There is no tag on the reader any more.
    NoTag,
    /// Another program holds the tag for itself.
    Busy,
    /// The tag does not answer.
    Mute,
    /// Anything else, in words.
    Other(String),
}

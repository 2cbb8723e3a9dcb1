//! What happens at a reader while it is armed: told as it happens, with its time, and without anything of the tag.

use std::fmt;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::trouble::ReaderTrouble;
use crate::units::count;

/// One thing that happened at a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct ReaderEvent {
    /// The reader's name; empty where it concerns the service and no one reader.
    pub reader: String,
    /// When.
    pub at: Instant,
    /// What.
    pub what: Happened,
}

/// What happened. Presence is told in pairs: each [`Happened::Inserted`] is followed by one [`Happened::Removed`] or by
/// the end of the watch.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// A tag was put on it, or lay there when it was armed.
    Inserted {
        /// Whether it lay there before.
        lay_there: bool,
    },
    /// The tag was gone for so short a time that it counts as one placement.
    Flickered {
        /// How long it was gone.
        gone: Duration,
    },
    /// The tag is gone.
    Removed,
    /// The tag went in the middle of a read: nothing of it is kept, and the reader stays armed.
    TornAway {
        /// How many APDUs had been answered.
        after: usize,
    },
    /// A tag was read.
    Read(TagRead),
    /// Something is wrong that may pass; the reader stays armed.
    Trouble(ReaderTrouble),
    /// What was wrong is so no more.
    Recovered(Over),
}

/// What is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The service did not answer.
    Service,
    /// No reader was there that could be waited at.
    Absence,
    /// Something was wrong at one reader.
    Trouble,
}

impl Over {
    /// What is over where this was wrong last.
    pub const fn of(last: &ReaderTrouble) -> Self {
        match last {
            ReaderTrouble::NoReader | ReaderTrouble::Missing { .. } | ReaderTrouble::Ambiguous { .. } => {
                Self::Absence
            }
            trouble if trouble.is_of_the_service() => Self::Service,
            _ => Self::Trouble,
        }
    }
}

/// One read of a tag, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct TagRead {
    /// `Type 2`, `Type 4`, `MIFARE Classic`, …
    pub technology: &'static str,
    /// From the return of the connection to the last answer.
    pub took: Duration,
    /// Every command, masked.
    pub apdus: Vec<Apdu>,
}

impl TagRead {
    /// The sum of the times that the commands took.
    pub fn in_apdus(&self) -> Duration {
        self.apdus.iter().map(|apdu| apdu.took).sum()
    }
}

/// One command APDU and how it was answered (ISO/IEC 7816-4). What the tag said is not in it: an answer may be its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apdu {
    /// The command's header: class, instruction, two parameters.
    pub header: [u8; 4],
    /// Bytes of the command.
    pub sent: usize,
    /// Bytes of the answer without its status word.
    pub answered: usize,
    /// The status word; `None` where there was no whole answer.
    pub status: Option<u16>,
    /// How long it took.
    pub took: Duration,
}

impl fmt::Display for Apdu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [cla, ins, p1, p2] = self.header;
        let answered = count(self.answered, "byte");
        write!(f, "{cla:02X} {ins:02X} {p1:02X} {p2:02X} → {answered}")?;
        match self.status {
            Some(status) => write!(f, ", {status:04X}"),
            None => write!(f, ", no status"),
        }
    }
}

impl Happened {
    /// Writes that it happened at this reader: one sentence without its full stop, such as `tag put on ACR122U`.
    ///
    /// # Errors
    /// Those of the formatter.
    pub fn write_of(&self, reader: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inserted { lay_there: false } => write!(f, "tag put on {reader}"),
            Self::Inserted { lay_there: true } => write!(f, "tag already on {reader}"),
            Self::Flickered { gone } => {
                write!(f, "tag gone for {} ms and back on {reader}", gone.as_millis())
            }
            Self::Removed => write!(f, "tag taken off {reader}"),
            Self::TornAway { after } => {
                let after = count(*after, "APDU");
                write!(f, "tag torn away from {reader} after {after}; hold it again")
            }
            Self::Read(read) => {
                let ms = read.took.as_secs_f64() * 1e3;
                let apdus = count(read.apdus.len(), "APDU");
                write!(f, "{} read in {ms:.1} ms, {apdus}, on {reader}", read.technology)
            }
            Self::Trouble(trouble) => write!(f, "{trouble}"),
            Self::Recovered(Over::Absence) => write!(f, "there is a reader to scan with"),
            Self::Recovered(_) if reader.is_empty() => write!(f, "the PC/SC service answers again"),
            Self::Recovered(_) => write!(f, "{reader} works again"),
        }
    }
}

impl fmt::Display for ReaderEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.write_of(&self.reader, f)
    }
}

/// Where a reader tells what happens; it goes on after the scan, until the tag is taken off.
///
/// Cheap to clone. Telling never waits, and nobody need listen.
#[derive(Clone, Debug)]
pub struct Told(mpsc::UnboundedSender<ReaderEvent>);

impl Told {
    /// The two ends.
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<ReaderEvent>) {
        let (tell, told) = mpsc::unbounded_channel();
        (Self(tell), told)
    }

    /// One that nobody listens to.
    pub fn nobody() -> Self {
        Self::channel().0
    }

    /// Tells that something happened now.
    pub fn tell(&self, reader: &str, what: Happened) {
        drop(self.0.send(ReaderEvent { reader: reader.to_owned(), at: Instant::now(), what }));
    }

    /// Whether somebody still listens.
    pub fn is_heard(&self) -> bool {
        !self.0.is_closed()
    }
}

//! The line to one tag: commands out, answers in, each recorded without what was said.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::super::happening::Apdu;
use super::super::trouble::ReaderTrouble;

/// What carries APDUs to a tag.
pub trait Card {
    /// Sends a command and returns the whole answer, its status word last.
    ///
    /// # Errors
    /// [`CardError`].
    fn transmit(&mut self, command: &[u8]) -> Result<Zeroizing<Vec<u8>>, CardError>;

    /// Connects anew to the same tag, powering it up again.
    ///
    /// # Errors
    /// [`CardError`].
    fn reconnect(&mut self) -> Result<(), CardError>;
}

/// Why a command got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardError {
    /// The tag is gone.
    Gone,
    /// Another program powered it down and up again: what was selected is not so any more.
    Reset,
    /// The reader or the service.
    Trouble(ReaderTrouble),
}

/// Why a read ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// The tag is gone.
    Torn {
        /// How many commands had been answered.
        after: usize,
    },
    /// Another program reset the tag.
    Reset,
    /// The reader gave one byte for an answer.
    NoStatus,
    /// The scan was stopped.
    Stopped,
    /// The reader or the service.
    Trouble(ReaderTrouble),
}

/// An answer, its status word apart.
pub struct Answer {
    /// What was said.
    pub data: Zeroizing<Vec<u8>>,
    /// The status word.
    pub status: u16,
}

impl Answer {
    /// The data, if all is well. A card that has less than was asked for says so with `6282` and gives what it has.
    pub fn ok(self) -> Option<Zeroizing<Vec<u8>>> {
        matches!(self.status, 0x9000 | 0x6282).then_some(self.data)
    }
}

/// How often an answer may say that there is more of it: 256 bytes each.
const MOST_PARTS: usize = 256;

/// The line to one tag.
pub struct Link<'a> {
    card: &'a mut dyn Card,
    stop: &'a AtomicBool,
    apdus: Vec<Apdu>,
    /// When the connection stood.
    since: Instant,
}

impl<'a> Link<'a> {
    /// A line over `card`, which has been connected now. It is given up as soon as `stop` is set.
    pub fn new(card: &'a mut dyn Card, stop: &'a AtomicBool) -> Self {
        Self { card, stop, apdus: Vec::new(), since: Instant::now() }
    }

    /// Every command so far, and the time since the connection stood.
    pub fn into_trace(self) -> (Vec<Apdu>, Duration) {
        (self.apdus, self.since.elapsed())
    }

    /// Sends a command. Where the answer says that its length was wrong (`6Cxx`) it is sent again with the right one,
    /// and where it says that there is more (`61xx`) the rest is fetched (ISO/IEC 7816-4 § 5.3.4).
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn send(&mut self, command: &[u8]) -> Result<Answer, Interrupted> {
        let mut answer = self.once(command)?;
        if let [0x6C, right] = answer.status.to_be_bytes()
            && let Some((_, rest)) = command.split_last()
            && command.len() == 5
        {
            answer = self.once(&[rest, &[right]].concat())?;
        }
        let mut parts = 0;
        while let [0x61, left] = answer.status.to_be_bytes() {
            parts += 1;
            if parts > MOST_PARTS {
                break;
            }
            let more = self.once(&[0x00, 0xC0, 0x00, 0x00, left])?;
            answer.data.extend_from_slice(&more.data);
            answer.status = more.status;
        }
        Ok(answer)
    }

    /// Connects anew to the same tag.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn reconnect(&mut self) -> Result<(), Interrupted> {
        let after = self.answered();
        self.card.reconnect().map_err(|error| interrupted(error, after))
    }

    fn answered(&self) -> usize {
        self.apdus.iter().filter(|apdu| apdu.status.is_some()).count()
    }

    fn once(&mut self, command: &[u8]) -> Result<Answer, Interrupted> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Interrupted::Stopped);
        }
        let begun = Instant::now();
        let said = self.card.transmit(command);
        let took = begun.elapsed();
        let header = [0, 1, 2, 3].map(|at| command.get(at).copied().unwrap_or_default());
        let mut apdu = Apdu { header, sent: command.len(), answered: 0, status: None, took };
        let after = self.answered();
        let answer = said.map_err(|error| interrupted(error, after)).and_then(|mut bytes| {
            let data = match bytes.len() {
                // So it looks when the tag goes in the middle of a command.
                0 => return Err(Interrupted::Torn { after }),
                // No tag can do that: what it says reaches us whole or not at all (ISO/IEC 7816-4 § 5.1).
                1 => return Err(Interrupted::NoStatus),
                whole => whole - 2,
            };
            let status = u16::from_be_bytes([bytes[data], bytes[data + 1]]);
            bytes.truncate(data);
            (apdu.answered, apdu.status) = (data, Some(status));
            Ok(Answer { data: bytes, status })
        });
        self.apdus.push(apdu);
        answer
    }
}

fn interrupted(error: CardError, after: usize) -> Interrupted {
    match error {
        CardError::Gone => Interrupted::Torn { after },
        CardError::Reset => Interrupted::Reset,
        CardError::Trouble(trouble) => Interrupted::Trouble(trouble),
    }
}

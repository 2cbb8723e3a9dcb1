//! Session descriptions (RFC 8866), read by us before the stack sees them: it takes almost anything (a refused track, a
//! missing BUNDLE), and what is wrong then shows as a call that never opens. Every fault names a line.
//!
//! Spelling is taken leniently (line feeds alone, blank lines, empty names, attributes at either level); what the profile
//! needs is not: one Opus track both ways, one data channel, one transport for both, and whose certificate it is.

mod candidates;
mod fault;
mod lines;
mod sections;
mod transport;
mod write;

pub use fault::SdpFault;
use write::for_stack;
#[cfg(feature = "webrtc")]
pub(super) use write::{MESSAGE_BYTES, for_peer};

use fault::Reading;
use lines::{Lines, read};

/// The largest description that is read, in bytes (§ WebSocket and WebRTC).
pub const SDP_BYTES: usize = 128 * 1024;
/// What a peer takes in one message if it does not say (RFC 8841, section 6.1).
pub const DEFAULT_MESSAGE: usize = 65_536;

/// Which of the two descriptions it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first one.
    Offer,
    /// What answers it.
    Answer,
}

/// A description that was found good.
#[derive(Clone, PartialEq, Eq)]
pub struct Description {
    /// The names of the two sections: sound, channel.
    pub mids: [String; 2],
    /// The payload type under which Opus goes to whoever wrote this.
    pub payload_type: u8,
    /// The largest message that its writer takes, in bytes; none: any.
    pub max_message: Option<usize>,
    /// What was odd and harmless: a sentence each.
    pub notes: Vec<String>,
    /// What the stack is given in its place.
    pub(super) for_stack: String,
}

/// It holds passwords of ICE.
impl std::fmt::Debug for Description {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { mids, payload_type, max_message, notes, for_stack } = self;
        write!(f, "[description of {} bytes, {mids:?}, {payload_type}, ", for_stack.len())?;
        write!(f, "{max_message:?}, {notes:?}]")
    }
}

/// Reads an answer to the offer `offered`, of which it must name the same sections in the same order.
///
/// # Errors
/// The first line that is wrong, and what was expected.
pub fn read_answer(answer: &str, offered: &Description) -> Result<Description, SdpFault> {
    let reading = Reading(Kind::Answer);
    let description = describe(reading, answer)?;
    for (got, wanted) in description.mids.iter().zip(&offered.mids) {
        if got != wanted {
            let line = read(reading, answer)?.find(&format!("a=mid:{got}"));
            return Err(reading.wrong(line, format!("expected a=mid:{wanted}, as the offer has it there")));
        }
    }
    Ok(description)
}

/// Reads an offer.
///
/// # Errors
/// As [`read_answer`].
pub fn read_offer(offer: &str) -> Result<Description, SdpFault> {
    describe(Reading(Kind::Offer), offer)
}

fn describe(reading: Reading, text: &str) -> Result<Description, SdpFault> {
    let lines = read(reading, text)?;
    let sections = sections::check(reading, &lines)?;
    transport::check(reading, &lines, &sections)?;
    let mut notes = Vec::new();
    let max_message = max_message(&lines, &sections, &mut notes);
    let for_stack = for_stack(&lines, &sections, &mut notes);
    Ok(Description {
        mids: [sections.audio.mid.clone(), sections.channel.mid.clone()],
        payload_type: sections.payload_type,
        max_message,
        notes,
        for_stack,
    })
}

/// RFC 8841, section 6.1: absent is 64 KiB, 0 is no limit. A value that is no number says nothing; one beyond all
/// counting limits nothing.
fn max_message(lines: &Lines<'_>, sections: &sections::Sections, notes: &mut Vec<String>) -> Option<usize> {
    let Some(line) = lines.attribute(&sections.channel.lines, "max-message-size") else {
        return Some(DEFAULT_MESSAGE);
    };
    let value = line.value().trim();
    if value.is_empty() || !value.bytes().all(|b| b.is_ascii_digit()) {
        notes.push(format!("{} says no size; it is taken as {DEFAULT_MESSAGE}", fault::quoted(line)));
        return Some(DEFAULT_MESSAGE);
    }
    value.parse().ok().filter(|size| *size != 0)
}

#[cfg(test)]
mod tests;

//! What goes into the stack and what goes out of it is written anew, line by line.

use super::candidates::{CANDIDATES, usable};
use super::lines::Lines;
use super::sections::Sections;

/// What the stack believes that the peer takes in one message, and takes itself: it refuses messages that are larger than
/// the smaller of both, in either direction, and says so to nobody. The peer's own limit is kept beside and held when we
/// send.
pub(in crate::call) const MESSAGE_BYTES: u32 = 262_144;

/// A description as the stack is given it: proper ends of lines, only candidates that can be tried, and the limit of
/// messages that lets larger ones in.
pub(in crate::call) fn for_stack(lines: &Lines<'_>, sections: &Sections, notes: &mut Vec<String>) -> String {
    let mut text = String::new();
    let (mut kept, mut left_out) = (0, 0);
    for (at, line) in lines.all.iter().enumerate() {
        let keeps = match line.attribute() {
            Some("max-message-size") => false,
            Some("candidate") => kept < CANDIDATES && usable(line.value()),
            _ => true,
        };
        let is_candidate = line.attribute() == Some("candidate");
        kept += usize::from(is_candidate && keeps);
        // An empty one says that there are no more.
        left_out += usize::from(is_candidate && !keeps && !line.value().trim().is_empty());
        if keeps {
            text.push_str(line.text);
            text.push_str("\r\n");
        }
        if at + 1 == sections.channel.lines.end {
            text.push_str(&format!("a=max-message-size:{MESSAGE_BYTES}\r\n"));
        }
    }
    if left_out > 0 {
        notes.push(format!("{left_out} candidates cannot be tried and are left out"));
    }
    text
}

/// A description of the stack as the peer is given it: without candidates that are no address. A machine without a network
/// has a socket at the address of none.
#[cfg(feature = "webrtc")]
pub(in crate::call) fn for_peer(sdp: &str) -> String {
    let is_address = |line: &&str| line.strip_prefix("a=candidate:").is_none_or(usable);
    sdp.lines().filter(is_address).fold(String::new(), |text, line| text + line + "\r\n")
}

//! The user's clipboard, reached through the terminal (OSC 52), so that it works over SSH too.
//!
//! The run loop calls [`copy`] between two drawings. Whether the text arrives is up to the terminal: it gives no
//! answer, and some have it switched off.

use std::io;

use crossterm::clipboard::CopyToClipboard;
use crossterm::queue;

use super::guard::Outlet;

/// The longest text, in bytes of UTF-8. Terminals cut or refuse longer sequences without a word.
pub const LONGEST: usize = 100_000;

/// Puts `text` on the user's clipboard.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a text of more than [`LONGEST`] bytes, [`io::ErrorKind::WouldBlock`] for a
/// terminal that takes no output at the moment; nothing is copied then.
pub fn copy(outlet: &Outlet, text: &str) -> io::Result<()> {
    outlet.send(&sequence(text)?)
}

fn sequence(text: &str) -> io::Result<Vec<u8>> {
    if text.len() > LONGEST {
        let message = format!(
            "the clipboard takes at most {LONGEST} bytes from a terminal and this has {}; nothing was copied",
            text.len()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut out = Vec::new();
    queue!(out, CopyToClipboard::to_clipboard_from(text))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_goes_out_as_one_sequence_that_nothing_in_it_can_end() {
        assert_eq!(sequence("a\u{1b}\\b\u{7}").unwrap(), b"\x1b]52;c;YRtcYgc=\x1b\\");
    }

    #[test]
    fn a_text_over_the_bound_is_refused_whole() {
        assert!(sequence(&"x".repeat(LONGEST)).is_ok());
        let error = sequence(&"x".repeat(LONGEST + 1)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}

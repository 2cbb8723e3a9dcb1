//! The user's clipboard, reached through the terminal (OSC 52), so that it works over SSH too.
//!
//! The run loop calls [`copy`] between two drawings. Whether the text arrives is up to the terminal: it gives no
//! answer, and some have it switched off.

use std::io::{self, Write};

use crossterm::clipboard::CopyToClipboard;
use crossterm::queue;

/// The longest text, in bytes of UTF-8. Terminals cut or refuse longer sequences without a word.
pub const LONGEST: usize = 100_000;

/// Puts `text` on the user's clipboard.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a text of more than [`LONGEST`] bytes, of which nothing is copied; otherwise
/// what the terminal refused.
pub fn copy(text: &str) -> io::Result<()> {
    copy_to(&mut io::stdout().lock(), text)
}

fn copy_to(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.len() > LONGEST {
        let message = format!(
            "the clipboard takes at most {LONGEST} bytes from a terminal and this has {}; nothing was copied",
            text.len()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("writing to the terminal failed: {error}"));
    queue!(out, CopyToClipboard::to_clipboard_from(text)).map_err(named)?;
    out.flush().map_err(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_goes_out_as_one_sequence_that_nothing_in_it_can_end() {
        let mut out = Vec::new();
        copy_to(&mut out, "a\u{1b}\\b\u{7}").unwrap();
        assert_eq!(out, b"\x1b]52;c;YRtcYgc=\x1b\\");
    }

    #[test]
    fn a_text_over_the_bound_is_refused_whole() {
        let mut out = Vec::new();
        copy_to(&mut out, &"x".repeat(LONGEST)).unwrap();
        out.clear();
        let error = copy_to(&mut out, &"x".repeat(LONGEST + 1)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(out.is_empty());
    }
}

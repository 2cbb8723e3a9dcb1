//! The child's side: what runs when our own program is started as `agentcall __audio`.
//!
//! It lists, tells each device as soon as it knows it, and ends. It opens no stream. It ends at once when its input
//! does, whatever a sound library is doing: nobody is left to hear.

use std::io::{Read, Write};

use super::wire::Told;

/// The hidden first argument that starts the child.
pub const ARGUMENT: &str = "__audio";

/// Runs the child. Returns the exit code: 0, or 1 when nobody reads any more.
pub fn child_main(input: impl Read + Send + 'static, mut output: impl Write) -> u8 {
    end_with(input);
    let mut tell = |told: Told| -> std::io::Result<()> {
        let mut line = serde_json::to_vec(&told).map_err(std::io::Error::other)?;
        line.push(b'\n');
        output.write_all(&line)?;
        output.flush()
    };
    match found(&mut tell).and_then(|()| tell(Told::Done)) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

#[cfg(feature = "audio")]
use super::system::found;
#[cfg(not(feature = "audio"))]
use super::unavailable::found;

/// Ends the process when its input ends: when whoever started it is gone.
fn end_with(mut input: impl Read + Send + 'static) {
    // Where no thread can be started, whoever started us ends us at the deadline.
    drop(std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut nothing = [0; 16];
        while matches!(input.read(&mut nothing), Ok(1..)) {}
        std::process::exit(1);
    }));
}

//! The child's side: what runs when our own program is started as `agentcall __audio`.
//!
//! Alone, it lists, tells each device as soon as it knows it, and ends. With `hear NAME` or `speak NAME` behind it, it opens
//! that microphone or speaker and holds it. It ends at once when its input does, whatever a sound library is doing: nobody
//! is left to hear.

use std::ffi::OsString;
use std::io::{Read, Write};

use super::Direction;
use super::wire::Told;

/// The hidden first argument that starts the child.
pub const ARGUMENT: &str = "__audio";

/// Behind it: the child holds a microphone.
pub(super) const HEAR: &str = "hear";
/// Behind it: the child holds a speaker.
pub(super) const SPEAK: &str = "speak";

/// Runs the child; `arguments` are those behind [`ARGUMENT`]. Returns the exit code: 0, or 1 when nobody reads any more.
pub fn child_main(
    arguments: impl IntoIterator<Item = OsString>,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> u8 {
    let words: Vec<String> = arguments.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [HEAR, name] => return hold(Direction::Microphone, name, input, output),
        [SPEAK, name] => return hold(Direction::Speaker, name, input, output),
        _ => end_with(input),
    }
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

#[cfg(not(feature = "audio"))]
use super::unavailable::{found, hold};
#[cfg(feature = "audio")]
use super::{holding::hold, system::found};

/// Ends the process when its input ends: when whoever started it is gone.
pub(super) fn end_with(mut input: impl Read + Send + 'static) {
    // Where no thread can be started, whoever started us ends us at the deadline.
    drop(std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut nothing = [0; 16];
        while matches!(input.read(&mut nothing), Ok(1..)) {}
        std::process::exit(1);
    }));
}

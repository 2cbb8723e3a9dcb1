//! What answers in a build without sound.

use std::io::{Read, Write};

use super::frame::Frame;
use super::wire::Told;
use super::{AudioTrouble, Direction};

/// Says so.
pub(super) fn found(tell: &mut impl FnMut(Told) -> std::io::Result<()>) -> std::io::Result<()> {
    tell(Told::Trouble(AudioTrouble::NotBuilt))
}

/// Says so in the place of sound.
pub(super) fn hold(_: Direction, _: &str, _: impl Read, mut output: impl Write) -> u8 {
    let mut bytes = Vec::new();
    Frame::Failed(AudioTrouble::NotBuilt).write(&mut bytes);
    u8::from(output.write_all(&bytes).and_then(|()| output.flush()).is_err())
}

//! What answers in a build without sound.

use super::AudioTrouble;
use super::wire::Told;

/// Says so.
pub(super) fn found(tell: &mut impl FnMut(Told) -> std::io::Result<()>) -> std::io::Result<()> {
    tell(Told::Trouble(AudioTrouble::NotBuilt))
}

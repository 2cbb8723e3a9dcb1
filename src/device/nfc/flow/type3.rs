//! Type 3 (FeliCa), with the commands that PC/SC readers have for it: select a service, read its blocks.
//!
//! Source: NFC Forum Type 3 Tag 1.0 § 6.2 (attribute block); PC/SC part 3 (SELECT FILE `FF A4`, READ BINARY `FF B0`).

use zeroize::Zeroizing;

use super::link::{Interrupted, Link};
use super::{Ndef, absent, damaged};

/// The read-only service of NDEF (`000B`), low byte first.
const NDEF_SERVICE: [u8; 2] = [0x0B, 0x00];
const BLOCK: usize = 16;

/// Reads the message.
pub(super) fn read(link: &mut Link<'_>) -> Result<Ndef, Interrupted> {
    let selected = link.send(&[0xFF, 0xA4, 0x00, 0x01, 0x02, NDEF_SERVICE[0], NDEF_SERVICE[1]])?;
    if selected.status != 0x9000 {
        return Ok(absent("the card has no NDEF service, or this reader has no standard command for it"));
    }
    let Some(attributes) = block(link, 0)? else { return Ok(absent("the card is not formatted for NDEF")) };
    let sum: u16 = attributes[..14].iter().map(|byte| u16::from(*byte)).sum();
    if sum != u16::from_be_bytes([attributes[14], attributes[15]]) {
        return Ok(damaged("the checksum of its attribute block does not fit"));
    }
    if attributes[0] >> 4 != 1 {
        let version = attributes[0] >> 4;
        return Ok(absent(&format!(
            "the card uses version {version} of the Type 3 mapping; versions 1.x are read"
        )));
    }
    // Set while somebody writes: what stands there is half old and half new.
    if attributes[9] != 0 {
        return Ok(damaged("it was left in the middle of being written"));
    }
    let length =
        usize::from(attributes[11]) << 16 | usize::from(u16::from_be_bytes([attributes[12], attributes[13]]));
    let room = usize::from(u16::from_be_bytes([attributes[3], attributes[4]])) * BLOCK;
    if length > room || length > usize::from(u8::MAX) * BLOCK {
        return Ok(damaged(format!("its length says {length} bytes; it has room for {room}")));
    }
    let mut message = Zeroizing::new(Vec::with_capacity(length.next_multiple_of(BLOCK)));
    for number in 1..=length.div_ceil(BLOCK) {
        let Some(part) = block(link, u8::try_from(number).unwrap_or(u8::MAX))? else {
            return Ok(damaged(format!("block {number} cannot be read")));
        };
        message.extend_from_slice(&part[..]);
    }
    message.truncate(length);
    Ok(Ok(message))
}

fn block(link: &mut Link<'_>, number: u8) -> Result<Option<Zeroizing<[u8; BLOCK]>>, Interrupted> {
    let answer = link.send(&[0xFF, 0xB0, 0x00, number, BLOCK as u8])?;
    Ok(answer.ok().and_then(|data| <[u8; BLOCK]>::try_from(&data[..]).ok()).map(Zeroizing::new))
}

//! How a tag is read: which commands, in which order, and no more than are needed.
//!
//! Called by the thread of a scan, with a [`Link`] over a connected card. Knows nothing of PC/SC but the commands that it
//! defines for contactless tags (part 3, § 3.2.2): `FF CA` gives the id, `FF B0` reads memory, `FF A4` selects a service
//! of FeliCa. Everything else goes through ISO/IEC 7816-4. Nothing is ever written or authenticated.

pub mod atr;
pub mod link;
mod memory;
mod type3;
mod type4;

use zeroize::Zeroizing;

use super::{NoNdef, RawTag};
use crate::redact::TagUid;
use atr::Kind;
use link::{Interrupted, Link};

/// The message, or why there is none.
type Ndef = Result<Zeroizing<Vec<u8>>, NoNdef>;

/// Reads the tag that answered so to its reset.
///
/// # Errors
/// [`Interrupted`] when the tag went away or the scan was stopped; nothing partial is given.
pub fn read(link: &mut Link<'_>, answer_to_reset: &[u8]) -> Result<RawTag, Interrupted> {
    let kind = atr::kind(answer_to_reset);
    let uid = uid(link, kind)?;
    let (technology, ndef) = match kind {
        Kind::Type1 => ("Type 1", absent("NDEF is not read from Type 1 tags (Topaz)")),
        Kind::Classic => {
            ("MIFARE Classic", absent("NDEF is not read from MIFARE Classic, whose sectors need keys"))
        }
        Kind::Type2 => match memory::read_type2(link)? {
            None => ("tag without NDEF", absent("the tag is not formatted for NDEF")),
            Some(ndef) => ("Type 2", ndef),
        },
        Kind::Type3 => ("Type 3 (FeliCa)", type3::read(link)?),
        Kind::Type5 => ("Type 5 (ISO 15693)", memory::read_type5(link)?),
        Kind::Type4 => match type4::read(link)? {
            None => ("ISO 14443-4 card", absent("the card has no NDEF application")),
            Some(ndef) => ("Type 4", ndef),
        },
        // Neither id nor made-up answer: a card with contacts. What has an id lies on a contactless reader.
        Kind::Other if uid.is_none() => (
            "card with contacts",
            absent("it is a card with contacts, not a tag, or a kind that this reader does not name"),
        ),
        Kind::Other => match type4::read(link)? {
            None => ("unknown tag", absent("the tag is of a kind that this reader does not name")),
            Some(ndef) => ("Type 4", ndef),
        },
    };
    Ok(RawTag::Read { technology, ndef, uid })
}

fn absent(why: &str) -> Ndef {
    Err(NoNdef { why: why.to_owned(), damaged: false })
}

fn damaged(why: impl Into<String>) -> Ndef {
    Err(NoNdef { why: why.into(), damaged: true })
}

/// The tag's id. Only the lengths that ids have are taken: 4, 7 or 10 bytes by ISO/IEC 14443-3, 8 by ISO 15693 and for
/// FeliCa (A13). The first command after a connection may fail once, when another program has just tried the tag (A20).
fn uid(link: &mut Link<'_>, kind: Kind) -> Result<Option<TagUid>, Interrupted> {
    const GET_UID: [u8; 5] = [0xFF, 0xCA, 0x00, 0x00, 0x00];
    let mut answer = link.send(&GET_UID)?;
    if matches!(answer.status, 0x6D00 | 0x6E00 | 0x6F00) {
        answer = link.send(&GET_UID)?;
    }
    let fits = |len: usize| match kind {
        Kind::Type3 | Kind::Type5 => len == 8,
        Kind::Other => matches!(len, 4 | 7 | 8 | 10),
        _ => matches!(len, 4 | 7 | 10),
    };
    Ok(answer.ok().filter(|data| fits(data.len())).map(|data| TagUid::new(&data)))
}

#[cfg(test)]
pub(super) mod tests;

//! Type 4: the NDEF application, its capability container, its file (NFC Forum Type 4 Tag 2.0 § 5).

use zeroize::Zeroizing;

use super::link::{Interrupted, Link};
use super::{Ndef, absent, damaged};

const APPLICATION: [u8; 7] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01];
/// The application of mapping version 1, asked for only where the other is not there.
const APPLICATION_V1: [u8; 7] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00];
const CONTAINER: [u8; 2] = [0xE1, 0x03];
/// Bytes of a capability container with one file. Some cards answer nothing to a longer read (A20).
const CONTAINER_BYTES: u8 = 15;
/// Most that one command asks for: the short form of the length.
const MOST: usize = 255;
/// Offsets above this have another meaning in READ BINARY (ISO/IEC 7816-4 § 11.3.3).
const LAST_OFFSET: usize = 0x7FFF;

/// The file that holds the message.
struct File {
    id: [u8; 2],
    /// Bytes, its length field with it.
    size: usize,
    /// Most bytes that one command may ask for.
    read_at_once: usize,
}

/// Reads the message; `None` when the card has no NDEF application.
pub(super) fn read(link: &mut Link<'_>) -> Result<Option<Ndef>, Interrupted> {
    if !select_application(link)? {
        return Ok(None);
    }
    let file = match container(link)? {
        Ok(file) => file,
        Err(why) => return Ok(Some(why)),
    };
    if !select(link, file.id)? {
        return Ok(Some(damaged("the NDEF file that the capability container names cannot be selected")));
    }
    message(link, &file).map(Some)
}

fn select_application(link: &mut Link<'_>) -> Result<bool, Interrupted> {
    let by_name = |name: [u8; 7]| [&[0x00, 0xA4, 0x04, 0x00, 0x07][..], &name, &[0x00]].concat();
    let first = link.send(&by_name(APPLICATION))?;
    if first.status == 0x6A82 {
        return Ok(link.send(&by_name(APPLICATION_V1))?.status == 0x9000);
    }
    Ok(first.status == 0x9000)
}

fn select(link: &mut Link<'_>, file: [u8; 2]) -> Result<bool, Interrupted> {
    Ok(link.send(&[0x00, 0xA4, 0x00, 0x0C, 0x02, file[0], file[1]])?.status == 0x9000)
}

fn read_binary(
    link: &mut Link<'_>,
    offset: usize,
    length: usize,
) -> Result<Option<Zeroizing<Vec<u8>>>, Interrupted> {
    let [high, low] = u16::try_from(offset).unwrap_or(u16::MAX).to_be_bytes();
    let length = u8::try_from(length).unwrap_or(u8::MAX);
    Ok(link.send(&[0x00, 0xB0, high, low, length])?.ok())
}

/// The capability container, or why there is no file in it.
fn container(link: &mut Link<'_>) -> Result<Result<File, Ndef>, Interrupted> {
    let bytes = match select(link, CONTAINER)? {
        true => read_binary(link, 0, usize::from(CONTAINER_BYTES))?,
        false => None,
    };
    let Some(bytes) = bytes.filter(|bytes| bytes.len() >= usize::from(CONTAINER_BYTES)) else {
        return Ok(Err(damaged("its capability container cannot be read")));
    };
    let (version, most) = (bytes[2], usize::from(u16::from_be_bytes([bytes[3], bytes[4]])));
    Ok(match bytes[7..15] {
        [0x04, 0x06, ..] if !matches!(version >> 4, 1..=3) => Err(absent(&format!(
            "the card uses version {} of the Type 4 mapping; versions 1 to 3 are read",
            version >> 4
        ))),
        [0x04, 0x06, _, _, _, _, access, _] if access != 0 => {
            Err(absent("its NDEF file must not be read without a key"))
        }
        [0x04, 0x06, high, low, size_high, size_low, _, _] => Ok(File {
            id: [high, low],
            size: usize::from(u16::from_be_bytes([size_high, size_low])),
            read_at_once: most.clamp(2, MOST),
        }),
        [0x06, 0x08, ..] => {
            Err(absent("its NDEF file is of the extended form of mapping version 3, which is not read"))
        }
        _ => Err(damaged("its capability container names no NDEF file")),
    })
}

/// The length and the first part come with one command, where the card lets them.
fn message(link: &mut Link<'_>, file: &File) -> Result<Ndef, Interrupted> {
    let head = match read_binary(link, 0, file.read_at_once.min(file.size.max(2)))? {
        Some(head) if head.len() >= 2 => Some(head),
        _ => read_binary(link, 0, 2)?.filter(|head| head.len() >= 2),
    };
    let Some(head) = head else { return Ok(damaged("its NDEF file cannot be read")) };
    let length = usize::from(u16::from_be_bytes([head[0], head[1]]));
    if length + 2 > file.size || length + 2 > LAST_OFFSET {
        let most = file.size.min(LAST_OFFSET) - 2.min(file.size);
        return Ok(damaged(format!("its length says {length} bytes; the file has room for {most}")));
    }
    let mut message = Zeroizing::new(head[2..head.len().min(length + 2)].to_vec());
    while message.len() < length {
        let wanted = (length - message.len()).min(file.read_at_once);
        match read_binary(link, 2 + message.len(), wanted)? {
            Some(part) if !part.is_empty() => message.extend_from_slice(&part[..part.len().min(wanted)]),
            _ => {
                return Ok(damaged(format!(
                    "{} of its {length} bytes cannot be read",
                    length - message.len()
                )));
            }
        }
    }
    Ok(Ok(message))
}

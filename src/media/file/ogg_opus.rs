//! Opus in Ogg (RFC 7845): one stream, mono or stereo, with its pre-skip, gain and end honoured.

use std::io::Cursor;

use ogg::PacketReader;

use super::{Bound, FileError, most_samples};
use crate::media::opus::Decoder;

/// What the first packet says (RFC 7845, section 5.1).
struct Head {
    pre_skip: usize,
    gain: f32,
}

pub(super) fn read(bytes: &[u8], bound: Bound) -> Result<Vec<f32>, FileError> {
    let mut reader = PacketReader::new(Cursor::new(bytes));
    let first = next(&mut reader)?.ok_or(FileError::Empty)?;
    let head = head(&first.data)?;
    let serial = first.stream_serial();
    let mut decoder =
        Decoder::new().map_err(|_| FileError::Unsupported("the Opus library refused to work"))?;
    let (mut samples, mut tags, mut end) = (Vec::new(), false, None);
    while let Some(packet) = next(&mut reader)? {
        if packet.stream_serial() != serial {
            continue;
        }
        if !std::mem::replace(&mut tags, true) {
            if packet.data.starts_with(b"OpusTags") {
                continue;
            }
            return Err(FileError::Damaged("its second packet is not the tags of Opus"));
        }
        let bad = FileError::Damaged("a packet of sound is not Opus");
        let length = Decoder::samples_in(&packet.data).ok_or_else(|| bad.clone())?;
        if samples.len() + length > most_samples(bound).saturating_add(head.pre_skip) {
            return Err(FileError::TooLong { seconds: bound.seconds });
        }
        samples.extend_from_slice(decoder.decode(&packet.data).map_err(|_| bad)?);
        if packet.last_in_stream() {
            end = usize::try_from(packet.absgp_page()).ok();
            break;
        }
    }
    // The last page says where sound ends within its last packet (section 4.4); a stream that was cut does not.
    samples.truncate(end.unwrap_or(usize::MAX));
    samples.drain(..head.pre_skip.min(samples.len()));
    samples.iter_mut().for_each(|sample| *sample = (*sample * head.gain).clamp(-1.0, 1.0));
    Ok(samples)
}

fn next(reader: &mut PacketReader<Cursor<&[u8]>>) -> Result<Option<ogg::Packet>, FileError> {
    reader.read_packet().map_err(|error| match error {
        ogg::OggReadError::HashMismatch(..) => FileError::Damaged("the checksum of an Ogg page is wrong"),
        ogg::OggReadError::ReadError(_) => FileError::Damaged("it ends too early"),
        _ => FileError::Damaged("an Ogg page makes no sense"),
    })
}

fn head(data: &[u8]) -> Result<Head, FileError> {
    if !data.starts_with(b"OpusHead") {
        return Err(FileError::Unsupported("it is an Ogg file of something other than Opus"));
    }
    let &[version, channels, skip_low, skip_high, _, _, _, _, gain_low, gain_high, family, ..] =
        data.get(8..).unwrap_or_default()
    else {
        return Err(FileError::Damaged("its Opus header is too short"));
    };
    if version > 15 {
        return Err(FileError::Unsupported("it is of a later version of Opus"));
    }
    if family != 0 || !(1..=2).contains(&channels) {
        return Err(FileError::Unsupported("it has more channels than two"));
    }
    let gain = f32::from(i16::from_le_bytes([gain_low, gain_high])) / 256.0;
    Ok(Head {
        pre_skip: usize::from(u16::from_le_bytes([skip_low, skip_high])),
        gain: 10_f32.powf(gain / 20.0),
    })
}

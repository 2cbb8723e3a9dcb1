//! The outside of a JPEG (ITU-T T.81, annex B): where it begins and ends, what its segments are. Nothing is decoded here.

use super::PictureError;

/// How far into a file the start of a JPEG is searched: capture devices put a few stray bytes before it.
const HEAD_BYTES: usize = 4096;
const SOI: u8 = 0xD8;
const EOI: u8 = 0xD9;
const SOS: u8 = 0xDA;
const DHT: u8 = 0xC4;
const COM: u8 = 0xFE;
const APP0: u8 = 0xE0;
const APP14: u8 = 0xEE;

/// What a walk over the segments found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Offset just past the end-of-image marker, when there is one.
    pub end: Option<usize>,
    /// The frame header.
    pub frame: Option<Frame>,
    /// Whether there are Huffman tables; frames of webcams leave them out (MJPEG).
    pub has_huffman: bool,
    /// Whether there is an Adobe segment, which says how four components are stored.
    pub has_adobe: bool,
    /// Whether any APP1–APP15 or comment segment is there, or an APP0 that is not JFIF.
    pub has_metadata: bool,
    /// Offset of the first start-of-scan marker.
    pub scan: Option<usize>,
}

/// The frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The marker: 0xC0 is baseline.
    pub marker: u8,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Number of components: 1 grey, 3 colour, 4 CMYK.
    pub components: u8,
}

/// Offset of the JPEG inside `bytes`: at the start, or a little after it.
pub(super) fn start(bytes: &[u8]) -> Option<usize> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    head.windows(3).position(|w| w == [0xFF, SOI, 0xFF])
}

/// Walks the segments of `bytes`, which begin with the start-of-image marker. Never fails: what is missing is `None`.
pub(super) fn walk(bytes: &[u8]) -> Layout {
    let mut layout = Layout::default();
    let mut at = 2;
    while let Some((marker, body)) = next_marker(bytes, at) {
        at = body;
        if marker == EOI {
            layout.end = Some(body);
            break;
        }
        if matches!(marker, 0x01 | SOI | 0xD0..=0xD7) {
            continue;
        }
        let Some(segment) = segment(bytes, body) else { break };
        note(&mut layout, marker, segment, body - 2);
        at = body + 2 + segment.len();
        if marker == SOS && layout.frame.is_none() {
            break;
        }
    }
    layout
}

/// The next marker at or after `from`, and the offset just past it. Entropy-coded data, in which 0xFF is followed
/// by zero or a restart marker, is passed over; so is anything stray between segments.
fn next_marker(bytes: &[u8], from: usize) -> Option<(u8, usize)> {
    let rest = bytes.get(from..)?;
    let found = rest.windows(2).position(|w| w[0] == 0xFF && !matches!(w[1], 0x00 | 0xFF | 0xD0..=0xD7))?;
    Some((rest[found + 1], from + found + 2))
}

fn segment(bytes: &[u8], body: usize) -> Option<&[u8]> {
    let length = usize::from(u16::from_be_bytes([*bytes.get(body)?, *bytes.get(body + 1)?]));
    bytes.get(body + 2..body + length.max(2))
}

fn note(layout: &mut Layout, marker: u8, segment: &[u8], at: usize) {
    match marker {
        DHT => layout.has_huffman = true,
        SOS => layout.scan = layout.scan.or(Some(at)),
        COM => layout.has_metadata = true,
        APP0 => layout.has_metadata |= !segment.starts_with(b"JFIF\0"),
        APP14 => {
            layout.has_adobe |= segment.starts_with(b"Adobe");
            layout.has_metadata = true;
        }
        0xE1..=0xEF => layout.has_metadata = true,
        0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
            if let [_, h1, h0, w1, w0, components, ..] = *segment {
                let width = u32::from(u16::from_be_bytes([w1, w0]));
                let height = u32::from(u16::from_be_bytes([h1, h0]));
                layout.frame = layout.frame.or(Some(Frame { marker, width, height, components }));
            }
        }
        _ => {}
    }
}

/// Exactly one JPEG: what stands before and after it is cut off, missing standard Huffman tables are put in.
pub(super) struct Trimmed {
    /// The bytes, ready for a decoder.
    pub bytes: Vec<u8>,
    /// Whether the end was there. When it was not, the caller must find out whether pixels are missing too.
    pub has_end: bool,
}

/// Cuts one JPEG out of `bytes`, which begin with the start-of-image marker.
///
/// # Errors
/// Damaged without a frame header or image data; a colour refusal for four components without an Adobe segment:
/// nobody knows then whether they are stored inverted.
pub(super) fn trim(bytes: &[u8]) -> Result<Trimmed, PictureError> {
    let layout = walk(bytes);
    let (Some(frame), Some(scan)) = (layout.frame, layout.scan) else {
        return Err(PictureError::Damaged { why: "the JPEG breaks off before its image data".into() });
    };
    super::check_sides(frame.width, frame.height)?;
    if frame.components == 4 && !layout.has_adobe {
        return Err(PictureError::UnsupportedColour {
            why: "it is a CMYK JPEG that does not say how its inks are stored",
        });
    }
    let end = layout.end.unwrap_or_else(|| without_padding(bytes));
    let mut out = Vec::with_capacity(end + 512);
    out.extend_from_slice(&bytes[..scan]);
    if !layout.has_huffman {
        out.extend_from_slice(&standard_huffman());
    }
    out.extend_from_slice(bytes.get(scan..end).unwrap_or_default());
    Ok(Trimmed { bytes: out, has_end: layout.end.is_some() })
}

/// Where the data ends when buffers of capture devices were filled up with zeros, and half an end marker is cut.
fn without_padding(bytes: &[u8]) -> usize {
    let used = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    // A few zeros may be image data.
    let end = if bytes.len() - used >= 16 { used } else { bytes.len() };
    if end > 0 && bytes[end - 1] == 0xFF { end - 1 } else { end }
}

/// The JPEG with its missing end made of `filling` and an end marker.
pub(super) fn filled(bytes: &[u8], filling: u8) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize(bytes.len() + 8192, filling);
    out.extend_from_slice(&[0xFF, EOI]);
    out
}

/// The four standard Huffman tables (T.81, annex K), as segments: what a frame without tables means. They are cut
/// out of a small picture of an encoder that always writes them.
fn standard_huffman() -> Vec<u8> {
    let mut sample = Vec::new();
    let encoded = image::codecs::jpeg::JpegEncoder::new(&mut sample).encode(
        &[128; 3],
        1,
        1,
        image::ExtendedColorType::Rgb8,
    );
    debug_assert!(encoded.is_ok());
    let mut tables = Vec::new();
    let mut at = 2;
    while let Some((marker, body)) = next_marker(&sample, at) {
        let Some(segment) = segment(&sample, body) else { break };
        at = body + 2 + segment.len();
        if marker == DHT {
            tables.extend_from_slice(&sample[body - 2..at]);
        }
        if marker == SOS {
            break;
        }
    }
    tables
}

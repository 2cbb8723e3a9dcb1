//! The outside of a JPEG (ITU-T T.81, annex B): where it begins and ends, what its segments are. Nothing is decoded here.

use std::ops::Range;

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
    /// How many components the first scan carries.
    scan_components: u8,
    /// The segments before the first scan that a decoder needs.
    needed: Vec<Range<usize>>,
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
    /// Bits a sample: 8, or 12 in some medical pictures.
    pub precision: u8,
}

impl Frame {
    fn of(marker: u8, segment: &[u8]) -> Option<Self> {
        let [precision, h1, h0, w1, w0, components, ..] = *segment else { return None };
        Some(Self {
            marker,
            width: u32::from(u16::from_be_bytes([w1, w0])),
            height: u32::from(u16::from_be_bytes([h1, h0])),
            components,
            precision,
        })
    }

    /// Whether every coefficient comes whole, in one scan: baseline and extended sequential.
    pub const fn is_sequential(self) -> bool {
        matches!(self.marker, 0xC0 | 0xC1)
    }
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
        at = body + 2 + segment.len();
        note(&mut layout, marker, segment, body - 2);
        if layout.scan.is_none() && is_needed(marker, segment) {
            layout.needed.push(body - 2..at);
        }
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
        SOS if layout.scan.is_none() => {
            layout.scan = Some(at);
            layout.scan_components = segment.first().copied().unwrap_or_default();
        }
        COM => layout.has_metadata = true,
        APP0 => layout.has_metadata |= !segment.starts_with(b"JFIF\0"),
        APP14 => {
            layout.has_adobe |= segment.starts_with(b"Adobe");
            layout.has_metadata = true;
        }
        0xE1..=0xEF => layout.has_metadata = true,
        0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
            layout.frame = layout.frame.or_else(|| Frame::of(marker, segment));
        }
        _ => {}
    }
}

/// Whether a decoder needs this segment: tables, the frame, how colours are stored, which way is up. Profiles,
/// comments and previews are nothing to it.
fn is_needed(marker: u8, segment: &[u8]) -> bool {
    match marker {
        0xE1 => segment.starts_with(b"Exif\0"),
        APP0 | APP14 => true,
        0xE2..=0xEF | COM => false,
        _ => true,
    }
}

/// Exactly one JPEG without its end marker.
pub(super) struct Trimmed {
    bytes: Vec<u8>,
    /// The frame header.
    pub frame: Frame,
    /// Whether the end marker was there. Pixels may be missing all the same.
    pub has_end: bool,
}

impl Trimmed {
    /// The JPEG with `count` bytes of `filling` where pixels may be missing, and an end marker.
    pub fn filled(&self, filling: u8, count: usize) -> Vec<u8> {
        let mut out = self.bytes.clone();
        out.resize(self.bytes.len() + count, filling);
        out.extend_from_slice(&[0xFF, EOI]);
        out
    }
}

/// Cuts one JPEG out of `bytes`, which begin with the start-of-image marker: what stands before, between and after
/// its parts is left out, missing standard Huffman tables are put in.
///
/// # Errors
/// Damaged without a frame header or image data; a refusal of what is no ordinary JPEG ([`refuse_kinds`]).
pub(super) fn trim(bytes: &[u8]) -> Result<Trimmed, PictureError> {
    let layout = walk(bytes);
    let (Some(frame), Some(scan)) = (layout.frame, layout.scan) else {
        return Err(PictureError::Damaged { why: "the JPEG breaks off before its image data".into() });
    };
    super::check_sides(frame.width, frame.height)?;
    refuse_kinds(&layout, frame)?;
    let end = layout.end.map_or_else(|| without_padding(bytes), |end| end - 2);
    let mut out = Vec::with_capacity(end + 512);
    out.extend_from_slice(&[0xFF, SOI]);
    for segment in layout.needed {
        out.extend_from_slice(&bytes[segment]);
    }
    if !layout.has_huffman {
        out.extend_from_slice(&standard_huffman());
    }
    out.extend_from_slice(bytes.get(scan..end).unwrap_or_default());
    Ok(Trimmed { bytes: out, frame, has_end: layout.end.is_some() })
}

/// Refuses kinds of JPEG that the decoder cannot read, or reads in wrong colours.
fn refuse_kinds(layout: &Layout, frame: Frame) -> Result<(), PictureError> {
    let colours = |why| Err(PictureError::UnsupportedColour { why });
    if !matches!(frame.marker, 0xC0..=0xC2) || frame.precision != 8 {
        return Err(PictureError::UnsupportedKind { why: kind(frame) });
    }
    if frame.components == 4 && !layout.has_adobe {
        // Nobody knows then whether the inks are stored inverted.
        return colours("it is a CMYK JPEG that does not say how its inks are stored");
    }
    // zune-jpeg 0.5.15 puts the components of such files together wrongly.
    if frame.is_sequential() && layout.scan_components < frame.components {
        return colours("it is a JPEG that stores its colours one after the other");
    }
    Ok(())
}

/// What an unusual JPEG is (T.81, table B.1).
fn kind(frame: Frame) -> &'static str {
    match frame.marker {
        0xC3 | 0xC7 | 0xCB | 0xCF => "it is a lossless JPEG",
        0xC9 | 0xCA | 0xCD | 0xCE => "it is an arithmetic-coded JPEG",
        0xC5 | 0xC6 => "it is a hierarchical JPEG",
        _ => "it is a JPEG of more than 8 bits a channel",
    }
}

/// Where the data ends when buffers of capture devices were filled up with zeros, and half an end marker is cut.
fn without_padding(bytes: &[u8]) -> usize {
    let used = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    // A few zeros may be image data.
    let end = if bytes.len() - used >= 16 { used } else { bytes.len() };
    if end > 0 && bytes[end - 1] == 0xFF { end - 1 } else { end }
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

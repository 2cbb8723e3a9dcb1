//! The one transport of both sections: ICE, and whose certificate is awaited (RFC 8839, RFC 8122, RFC 8842). What a bundled
//! section leaves out, it has from the first of the bundle or from the head (RFC 9143, section 7.1.3).

use std::ops::Range;

use super::Kind;
use super::fault::{Reading, SdpFault};
use super::lines::{Line, Lines};
use super::sections::Sections;

/// Pairs of hexadecimal digits in a SHA-256 fingerprint.
const SHA_256_PAIRS: usize = 32;

/// Checks what both sections say of their transport.
pub(super) fn check(reading: Reading, lines: &Lines<'_>, sections: &Sections) -> Result<(), SdpFault> {
    let parts = [&sections.audio.lines, &sections.channel.lines, &sections.head];
    let all = |name: &'static str| parts.map(|part| lines.attributes(part, name)).into_iter().flatten();
    let first = lines.all[sections.audio.lines.start];
    let lacks = |what: &str| reading.wrong(Some(first), format!("expected {what} in it or before it"));

    credential(reading, all("ice-ufrag"), 4).unwrap_or_else(|| Err(lacks("a=ice-ufrag")))?;
    credential(reading, all("ice-pwd"), 22).unwrap_or_else(|| Err(lacks("a=ice-pwd")))?;
    for part in parts {
        fingerprint(reading, lines, part)?;
    }
    if all("fingerprint").next().is_none() {
        return Err(lacks("a=fingerprint:sha-256"));
    }
    let mut any = false;
    for line in all("setup") {
        any = true;
        setup(reading, line)?;
    }
    if any { Ok(()) } else { Err(lacks("a=setup")) }
}

/// RFC 8839, section 5.4: so many characters at least, of letters, digits, `+` and `/`. Some peers use `-` and `_` too.
fn credential<'a>(
    reading: Reading,
    lines: impl Iterator<Item = Line<'a>>,
    least: usize,
) -> Option<Result<(), SdpFault>> {
    let mut result = None;
    for line in lines {
        let value = line.value().trim();
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"+/-_=".contains(&b);
        if value.len() < least || value.len() > 256 || !value.bytes().all(fits) {
            let expected = format!("expected {least} to 256 letters and digits (RFC 8839, section 5.4)");
            return Some(Err(reading.wrong(Some(line), expected)));
        }
        result = Some(Ok(()));
    }
    result
}

/// A part that gives fingerprints gives one of SHA-256, and each of those is whole. Others stand beside it.
fn fingerprint(reading: Reading, lines: &Lines<'_>, part: &Range<usize>) -> Result<(), SdpFault> {
    let all: Vec<Line<'_>> = lines.attributes(part, "fingerprint").collect();
    let mut usable = false;
    for line in &all {
        let (function, value) = line.value().trim().split_once(' ').unwrap_or((line.value().trim(), ""));
        if !function.eq_ignore_ascii_case("sha-256") {
            continue;
        }
        let pairs: Vec<&str> = value.trim().split(':').collect();
        let whole = |pair: &&str| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit());
        if pairs.len() != SHA_256_PAIRS || !pairs.iter().all(whole) {
            let expected = "expected sha-256 and 32 pairs of hexadecimal digits (RFC 8122, section 5)";
            return Err(reading.wrong(Some(*line), expected));
        }
        usable = true;
    }
    match all.first() {
        Some(line) if !usable => Err(reading.wrong(Some(*line), "expected a fingerprint of sha-256")),
        _ => Ok(()),
    }
}

/// RFC 8842, section 5.3: an answer says who begins.
fn setup(reading: Reading, line: Line<'_>) -> Result<(), SdpFault> {
    let (known, expected): (&[&str], _) = match reading.0 {
        Kind::Answer => (&["active", "passive"], "expected active or passive (RFC 8842, section 5.3)"),
        Kind::Offer => (&["actpass", "active", "passive"], "expected actpass (RFC 8842, section 5.2)"),
    };
    if known.contains(&line.value().trim()) { Ok(()) } else { Err(reading.wrong(Some(line), expected)) }
}

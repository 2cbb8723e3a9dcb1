//! The two sections: one Opus track both ways and one data channel.

use std::ops::Range;

use super::fault::{Reading, SdpFault};
use super::lines::{Line, Lines};

/// What a data channel section must be carried by (RFC 8841, section 4; RFC 9429, section 5.1.2).
const CHANNEL_CARRIERS: [&str; 2] = ["UDP/DTLS/SCTP", "TCP/DTLS/SCTP"];
/// What a sound section must be carried by (RFC 9429, section 5.1.2).
const SOUND_CARRIERS: [&str; 4] = ["UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP"];

/// One section.
pub(super) struct Section {
    /// Its lines.
    pub lines: Range<usize>,
    /// Its name.
    pub mid: String,
}

/// The two sections of a good description.
pub(super) struct Sections {
    /// What stands before them and holds for both.
    pub head: Range<usize>,
    /// The sound.
    pub audio: Section,
    /// The data channel.
    pub channel: Section,
    /// The payload type of Opus.
    pub payload_type: u8,
}

/// The parts of an `m=` line.
struct Media<'a> {
    line: Line<'a>,
    kind: &'a str,
    port: u32,
    carrier: &'a str,
    formats: Vec<&'a str>,
}

/// Finds and checks both sections.
pub(super) fn check(reading: Reading, lines: &Lines<'_>) -> Result<Sections, SdpFault> {
    let (head, parts) = lines.sections();
    let mut media = Vec::new();
    for part in &parts {
        media.push((media_line(reading, lines.all[part.start])?, part.clone()));
    }
    let audio = only(reading, lines, &media, "audio")?;
    let channel = only(reading, lines, &media, "application")?;
    if let Some((other, _)) = media.iter().find(|(m, _)| !["audio", "application"].contains(&m.kind)) {
        let expected = "expected one audio and one application section and nothing else";
        return Err(reading.wrong(Some(other.line), expected));
    }
    for (media, _) in [audio, channel] {
        if media.port == 0 {
            return Err(
                reading.wrong(Some(media.line), "expected a port: 0 refuses it (RFC 3264, section 6)")
            );
        }
    }
    let payload_type = opus(reading, lines, audio)?;
    both_ways(reading, lines, &head, audio)?;
    data_channel(reading, channel)?;
    let sections = Sections {
        audio: named(reading, lines, audio)?,
        channel: named(reading, lines, channel)?,
        head,
        payload_type,
    };
    bundled(reading, lines, &sections)?;
    Ok(sections)
}

fn media_line(reading: Reading, line: Line<'_>) -> Result<Media<'_>, SdpFault> {
    let mut words = line.text[2..].split_ascii_whitespace();
    let (kind, port, carrier) = (words.next(), words.next(), words.next());
    let parsed = port.and_then(|port| port.split('/').next()?.parse().ok()).filter(|port| *port <= 65_535);
    match (kind, parsed, carrier) {
        (Some(kind), Some(port), Some(carrier)) => {
            Ok(Media { line, kind, port, carrier, formats: words.collect() })
        }
        _ => Err(reading.wrong(Some(line), "expected m=KIND PORT PROTOCOL FORMAT (RFC 8866, section 5.14)")),
    }
}

type Found<'m, 'a> = (&'m Media<'a>, &'m Range<usize>);

fn only<'m, 'a>(
    reading: Reading,
    lines: &Lines<'a>,
    media: &'m [(Media<'a>, Range<usize>)],
    kind: &str,
) -> Result<Found<'m, 'a>, SdpFault> {
    let mut found = media.iter().filter(|(media, _)| media.kind == kind);
    let Some((first, part)) = found.next() else {
        let expected = format!("expected an m={kind} section, and there is none");
        return Err(reading.wrong(lines.all.last().copied(), expected));
    };
    match found.next() {
        None => Ok((first, part)),
        Some((second, _)) => {
            Err(reading.wrong(Some(second.line), format!("expected one {kind} section; this is another")))
        }
    }
}

/// RFC 7587, section 7: always two channels in the map, whatever is sent.
fn opus(reading: Reading, lines: &Lines<'_>, (media, part): Found<'_, '_>) -> Result<u8, SdpFault> {
    if !SOUND_CARRIERS.contains(&media.carrier) {
        return Err(reading.wrong(Some(media.line), format!("expected {}", SOUND_CARRIERS[0])));
    }
    let maps = || lines.attributes(part, "rtpmap");
    for map in maps() {
        let Some((number, name)) = map.value().trim().split_once(' ') else { continue };
        if !name.trim().eq_ignore_ascii_case("opus/48000/2") || !media.formats.contains(&number) {
            continue;
        }
        return match number.parse::<u8>() {
            Ok(number) if number < 128 => Ok(number),
            _ => Err(reading.wrong(Some(map), "expected a payload type from 0 to 127")),
        };
    }
    let nearly = maps().find(|map| map.value().to_ascii_lowercase().contains("opus"));
    let expected = "expected opus/48000/2 among its formats (RFC 7587, section 7)";
    Err(reading.wrong(nearly.or(Some(media.line)), expected))
}

/// RFC 8866, section 6.7: sendrecv if nothing is said.
fn both_ways(
    reading: Reading,
    lines: &Lines<'_>,
    head: &Range<usize>,
    (_, part): Found<'_, '_>,
) -> Result<(), SdpFault> {
    let directions = ["sendrecv", "sendonly", "recvonly", "inactive"];
    let said = [part, head].into_iter().find_map(|part| {
        lines.all[part.clone()].iter().find(|line| line.attribute().is_some_and(|a| directions.contains(&a)))
    });
    match said {
        Some(line) if line.attribute() != Some("sendrecv") => {
            Err(reading.wrong(Some(*line), "expected a=sendrecv: sound goes both ways"))
        }
        _ => Ok(()),
    }
}

fn data_channel(reading: Reading, (media, _): Found<'_, '_>) -> Result<(), SdpFault> {
    if !CHANNEL_CARRIERS.contains(&media.carrier) {
        return Err(reading.wrong(Some(media.line), format!("expected {}", CHANNEL_CARRIERS[0])));
    }
    if media.formats != ["webrtc-datachannel"] {
        let expected = "expected the format webrtc-datachannel (RFC 8841, section 4)";
        return Err(reading.wrong(Some(media.line), expected));
    }
    Ok(())
}

fn named(reading: Reading, lines: &Lines<'_>, (media, part): Found<'_, '_>) -> Result<Section, SdpFault> {
    let mid = lines.attribute(part, "mid");
    match mid.map(|line| line.value().trim()) {
        Some(name) if is_token(name) => Ok(Section { lines: part.clone(), mid: name.to_owned() }),
        _ => Err(reading.wrong(mid.or(Some(media.line)), "expected a=mid:NAME in it (RFC 5888, section 4)")),
    }
}

/// A name as it may stand in a group: bounded, and nothing that has to be cleaned.
fn is_token(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic())
}

/// RFC 9143, section 7: both in one group, so that there is one transport.
fn bundled(reading: Reading, lines: &Lines<'_>, sections: &Sections) -> Result<(), SdpFault> {
    let mids = [&sections.audio.mid, &sections.channel.mid];
    if mids[0] == mids[1] {
        let line = lines.attribute(&sections.channel.lines, "mid");
        return Err(reading.wrong(line, "expected a name of its own for each section"));
    }
    let groups = || lines.attributes(&sections.head, "group");
    let mut group = groups().filter(|line| line.value().split_ascii_whitespace().next() == Some("BUNDLE"));
    let Some(line) = group.next() else {
        let first = groups().next().or_else(|| lines.all.first().copied());
        let expected = format!("expected a=group:BUNDLE {} {} before the sections", mids[0], mids[1]);
        return Err(reading.wrong(first, expected));
    };
    let in_group: Vec<&str> = line.value().split_ascii_whitespace().skip(1).collect();
    match mids.iter().find(|mid| !in_group.contains(&mid.as_str())) {
        None => Ok(()),
        Some(missing) => Err(reading.wrong(Some(line), format!("expected {missing} in it as well"))),
    }
}

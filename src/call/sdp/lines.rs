//! A description cut into lines and sections, with nothing judged but its form.

use std::ops::Range;

use super::SDP_BYTES;
use super::fault::{Reading, SdpFault, word};

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// From 1, as an editor counts.
    pub number: usize,
    /// What stands there, without its end.
    pub text: &'a str,
}

impl<'a> Line<'a> {
    /// The name of an attribute: `mid` of `a=mid:0`, `sendrecv` of `a=sendrecv`.
    pub fn attribute(self) -> Option<&'a str> {
        let attribute = self.text.strip_prefix("a=")?;
        Some(attribute.split_once(':').map_or(attribute, |(name, _)| name).trim_end())
    }

    /// The value of an attribute; nothing where there is none.
    pub fn value(self) -> &'a str {
        self.text.split_once(':').map_or("", |(_, value)| value)
    }
}

/// All lines that are not blank.
pub(super) struct Lines<'a> {
    pub all: Vec<Line<'a>>,
}

impl<'a> Lines<'a> {
    /// Where each section stands, and before all of them the head.
    pub fn sections(&self) -> (Range<usize>, Vec<Range<usize>>) {
        let starts: Vec<usize> =
            (0..self.all.len()).filter(|at| self.all[*at].text.starts_with("m=")).collect();
        let head = 0..starts.first().copied().unwrap_or(self.all.len());
        let ends = starts.iter().skip(1).copied().chain([self.all.len()]);
        (head, starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect())
    }

    /// The first attribute of a name in a part.
    pub fn attribute(&self, part: &Range<usize>, name: &str) -> Option<Line<'a>> {
        self.attributes(part, name).next()
    }

    /// Every attribute of a name in a part.
    pub fn attributes(&self, part: &Range<usize>, name: &str) -> impl Iterator<Item = Line<'a>> {
        self.all[part.clone()].iter().copied().filter(move |line| line.attribute() == Some(name))
    }

    /// The first line of this text.
    pub fn find(&self, text: &str) -> Option<Line<'a>> {
        self.all.iter().copied().find(|line| line.text.trim_end() == text)
    }
}

/// Cuts a description into lines that all have the form `x=…`.
pub(super) fn read(reading: Reading, text: &str) -> Result<Lines<'_>, SdpFault> {
    if text.len() > SDP_BYTES {
        return Err(reading.wrong(None, format!("it has more than {SDP_BYTES} bytes")));
    }
    let all: Vec<Line<'_>> = text
        .split('\n')
        .enumerate()
        .map(|(at, text)| Line { number: at + 1, text: text.trim_end_matches(['\r', ' ', '\t', '\0']) })
        .filter(|line| !line.text.is_empty())
        .collect();
    let Some(&first) = all.first() else {
        return Err(reading.wrong(None, format!("it is empty; an {} begins with v=0", word(reading.0))));
    };
    if first.text.contains("\\n") || first.text.contains("\\r") {
        let expected = "expected ends of lines; \\r\\n is written out there, as if quoted twice";
        return Err(reading.wrong(Some(first), expected));
    }
    if first.text != "v=0" {
        return Err(reading.wrong(Some(first), "expected v=0 (RFC 8866, section 5.1)"));
    }
    if let Some(&odd) = all.iter().find(|line| !has_form(line.text)) {
        return Err(reading.wrong(Some(odd), "expected one letter, = and plain text (RFC 8866, section 5)"));
    }
    Ok(Lines { all })
}

fn has_form(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_lowercase()
        && bytes[1] == b'='
        && !text.contains(|c: char| c.is_control() && c != '\t')
}

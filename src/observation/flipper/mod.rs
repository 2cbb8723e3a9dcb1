//! Flipper Zero `.nfc` files, versions 2 to 4: text with one `Key: value` a line.
//!
//! Pure. Called by [`super::reading`]. Only what names the tag is read: the device type in both spellings, the
//! id, and the pages of NTAG and Ultralight tags. Faults name the line and never repeat what stands there, since
//! it may be the tag's id.

use thiserror::Error;

use super::type2::{self, Memory, PAGE};
use crate::redact::TagUid;

/// First line of every such file.
pub const FILE_TYPE: &str = "Flipper NFC device";
/// The name of NTAG and Ultralight tags from version 4 on; before, the chip stood in its place.
const TYPE2_FAMILY: &str = "NTAG/Ultralight";

/// What a file says about its tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlipperTag {
    /// The chip or technology, such as `NTAG213` or `Mifare Classic`. Untrusted text.
    pub technology: String,
    /// The tag's id.
    pub uid: TagUid,
    /// The memory of an NTAG or Ultralight; `None` for others, whose NDEF content is not read.
    pub memory: Option<Memory>,
    /// Pages that were read and pages that the tag has, when the file says so.
    pub pages: Option<(usize, usize)>,
    /// Whether the first pages hold another id than the `UID` line, which is the one taken: it is what the
    /// tag answers with.
    pub uid_differs: bool,
}

/// A file that cannot be used, and the line that says why (from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct FlipperError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: FlipperFault,
}

/// What can be wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FlipperFault {
    /// The first line is another one.
    #[error("the first line of a Flipper file is `Filetype: Flipper NFC device`")]
    FileType,
    /// A version that is not read.
    #[error("the version must be 2, 3 or 4")]
    Version,
    /// A line without a colon.
    #[error("a line has the form `Key: value`")]
    Form,
    /// The file ends without a line it needs.
    #[error("the file ends without its `{0}` line")]
    Missing(&'static str),
    /// A line that may stand once stands twice.
    #[error("`{0}` stands here a second time")]
    Twice(&'static str),
    /// An id that is none.
    #[error("the id must be 4, 7, 8 or 10 bytes in hexadecimal")]
    Uid,
    /// A page count that is none.
    #[error("`{0}` must be a number up to 4096")]
    Count(&'static str),
    /// A page that is none.
    #[error("a page is 4 bytes in hexadecimal")]
    Page,
    /// Pages out of order.
    #[error("page {0} is expected here")]
    PageOrder(usize),
    /// Fewer pages in the file than were read.
    #[error("the file ends with {have} pages; it says that {read} were read")]
    PagesMissing {
        /// Pages in the file.
        have: usize,
        /// Pages that it says were read.
        read: usize,
    },
}

/// Reads a file.
///
/// # Errors
///
/// [`FlipperError`] with the first line that cannot be used.
pub fn parse(text: &str) -> Result<FlipperTag, FlipperError> {
    let mut file = File::default();
    let mut line = 0;
    for raw in text.trim_start_matches('\u{feff}').lines() {
        line += 1;
        let content = raw.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        file.line(content).map_err(|fault| FlipperError { line, fault })?;
    }
    file.finish(line).map_err(|(line, fault)| FlipperError { line, fault })
}

/// What was read so far.
#[derive(Default)]
struct File {
    typed: bool,
    version: Option<()>,
    device: Option<String>,
    chip: Option<String>,
    uid: Option<TagUid>,
    total: Option<usize>,
    read: Option<usize>,
    pages: Vec<u8>,
}

impl File {
    fn line(&mut self, content: &str) -> Result<(), FlipperFault> {
        let Some((key, value)) = content.split_once(':') else {
            return Err(if self.typed { FlipperFault::Form } else { FlipperFault::FileType });
        };
        let (key, value) = (key.trim(), value.trim());
        if !self.typed {
            self.typed = key == "Filetype" && value == FILE_TYPE;
            return if self.typed { Ok(()) } else { Err(FlipperFault::FileType) };
        }
        match key {
            "Version" => once(&mut self.version, "Version", version(value)?),
            "Device type" => once(&mut self.device, "Device type", value.to_owned()),
            "NTAG/Ultralight type" => once(&mut self.chip, "NTAG/Ultralight type", value.to_owned()),
            "UID" => once(&mut self.uid, "UID", uid(value)?),
            "Pages total" => once(&mut self.total, "Pages total", count("Pages total", value)?),
            "Pages read" => once(&mut self.read, "Pages read", count("Pages read", value)?),
            _ => match key.strip_prefix("Page ") {
                Some(number) => self.page(number, value),
                None => Ok(()),
            },
        }
    }

    /// Takes the next page. Pages past those that were read are placeholders and are only counted.
    fn page(&mut self, number: &str, value: &str) -> Result<(), FlipperFault> {
        let expected = self.pages.len() / PAGE;
        if number.trim().parse() != Ok(expected) {
            return Err(FlipperFault::PageOrder(expected));
        }
        let unread = self.read.is_some_and(|read| expected >= read);
        let bytes =
            if unread && value.contains('?') { vec![0; PAGE] } else { bytes(value).unwrap_or_default() };
        if bytes.len() != PAGE {
            return Err(FlipperFault::Page);
        }
        self.pages.extend(bytes);
        Ok(())
    }

    fn finish(self, last: usize) -> Result<FlipperTag, (usize, FlipperFault)> {
        let missing = |what| (last.max(1), FlipperFault::Missing(what));
        if !self.typed {
            return Err((last.max(1), FlipperFault::FileType));
        }
        self.version.ok_or(missing("Version"))?;
        let device = self.device.ok_or(missing("Device type"))?;
        let uid = self.uid.ok_or(missing("UID"))?;
        if !is_type2(&device) {
            return Ok(FlipperTag { technology: device, uid, memory: None, pages: None, uid_differs: false });
        }
        let have = self.pages.len() / PAGE;
        let total = self.total.unwrap_or(have);
        let read = self.read.unwrap_or(total);
        if have < read {
            return Err((last, FlipperFault::PagesMissing { have, read }));
        }
        let memory = type2::read_memory(&self.pages[..read * PAGE]);
        let uid_differs = memory.uid_checked && memory.uid.as_ref() != Some(&uid);
        let technology = if device == TYPE2_FAMILY { self.chip.unwrap_or(device) } else { device };
        Ok(FlipperTag { technology, uid, memory: Some(memory), pages: Some((read, total)), uid_differs })
    }
}

/// `NTAG/Ultralight` of version 4, or the chip's own name of versions 2 and 3.
fn is_type2(device: &str) -> bool {
    device == TYPE2_FAMILY || device.starts_with("NTAG") || device.starts_with("Mifare Ultralight")
}

fn once<T>(slot: &mut Option<T>, name: &'static str, value: T) -> Result<(), FlipperFault> {
    if slot.replace(value).is_some() { Err(FlipperFault::Twice(name)) } else { Ok(()) }
}

fn version(value: &str) -> Result<(), FlipperFault> {
    if matches!(value, "2" | "3" | "4") { Ok(()) } else { Err(FlipperFault::Version) }
}

fn uid(value: &str) -> Result<TagUid, FlipperFault> {
    match bytes(value) {
        Some(bytes) if matches!(bytes.len(), 4 | 7 | 8 | 10) => Ok(TagUid::new(&bytes)),
        _ => Err(FlipperFault::Uid),
    }
}

fn count(name: &'static str, value: &str) -> Result<usize, FlipperFault> {
    value.parse().ok().filter(|n| *n <= 4096).ok_or(FlipperFault::Count(name))
}

/// Bytes in hexadecimal, set apart by white space or not.
fn bytes(value: &str) -> Option<Vec<u8>> {
    let digits: String = value.split_ascii_whitespace().collect();
    data_encoding::HEXUPPER_PERMISSIVE.decode(digits.as_bytes()).ok()
}

#[cfg(test)]
mod tests;

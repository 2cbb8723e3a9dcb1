//! A table of all runs, one row each (RFC 4180): for people who qualify hardware.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::exit::{Failure, Kind};
use crate::files;
use crate::trace::found::ProbeRecord;

/// The parts whose times have a column.
const TIMES: [&str; 9] =
    ["tag", "read", "apdus", "started", "opened", "first_frame", "first_usable", "picture", "closed"];
/// The columns before and behind those of times.
const BEFORE: [&str; 14] = [
    "t_s",
    "run",
    "sort",
    "name",
    "ok",
    "technology",
    "ndef_bytes",
    "apdu_count",
    "torn",
    "width",
    "height",
    "fourcc",
    "frame_bytes",
    "dropped",
];

/// Why a tag has no message, and why nothing was read.
const BEHIND: [&str; 2] = ["note", "error"];

/// The file.
pub struct Table {
    file: File,
    path: PathBuf,
}

impl Table {
    /// Makes it, with its heading.
    ///
    /// # Errors
    /// [`Kind::Usage`] with the path that cannot be written, or holds something already.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| failed(path, &error))?;
        vacant(path)?;
        let mut table = Self { file, path: path.to_owned() };
        let times: Vec<String> = TIMES.iter().map(|what| format!("{what}_us")).collect();
        let columns: Vec<String> =
            BEFORE.iter().map(ToString::to_string).chain(times).chain(BEHIND.map(str::to_owned)).collect();
        table.write(&columns)?;
        Ok(table)
    }

    /// Adds a run that was over at `at`.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn row(&mut self, at: Duration, run: &ProbeRecord) -> Result<(), Failure> {
        self.write(&cells(at, run))
    }

    fn write(&mut self, cells: &[String]) -> Result<(), Failure> {
        let line: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        self.file
            .write_all(format!("{}\r\n", line.join(",")).as_bytes())
            .map_err(|error| failed(&self.path, &error))
    }
}

fn cells(at: Duration, run: &ProbeRecord) -> Vec<String> {
    let frame = run.frame.as_ref();
    let number = |value: Option<u64>| value.map(|n| n.to_string()).unwrap_or_default();
    let is_reader = run.sort == "reader";
    let time = |what: &&str| number(run.times.iter().find(|time| time.what == *what).map(|time| time.us));
    [
        format!("{:.3}", at.as_secs_f64()),
        run.run.to_string(),
        run.sort.to_owned(),
        run.name.clone(),
        run.ok.to_string(),
        run.technology.clone().unwrap_or_default(),
        number(run.ndef_bytes.map(|bytes| bytes as u64)),
        number((is_reader && run.ok).then_some(run.apdus.len() as u64)),
        number(run.torn.map(|times| times as u64)),
        number(frame.map(|frame| frame.width.into())),
        number(frame.map(|frame| frame.height.into())),
        frame.and_then(|frame| frame.fourcc.clone()).unwrap_or_default(),
        number(frame.and_then(|frame| frame.bytes).map(Into::into)),
        number(frame.map(|frame| frame.dropped.into())),
    ]
    .into_iter()
    .chain(TIMES.iter().map(time))
    .chain([
        run.no_ndef.clone().unwrap_or_default(),
        run.trouble.as_ref().map(|trouble| trouble.text.clone()).unwrap_or_default(),
    ])
    .collect()
}

/// A cell in which a comma, a quotation mark or a line break changes nothing. One that a spreadsheet would take for a
/// formula gets a mark before it: names come from hardware.
fn quoted(cell: &str) -> String {
    let cell: String = cell.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cell = if cell.starts_with(['=', '+', '-', '@']) { format!("'{cell}") } else { cell };
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Refuses a file that holds something: a hundred reads by hand are not overwritten by a slip.
///
/// # Errors
/// [`Kind::Usage`] saying so.
pub fn vacant(path: &Path) -> Result<(), Failure> {
    // Of a pipe or a device, nothing is lost; what cannot be looked at fails where it is opened.
    let is_taken = path.metadata().is_ok_and(|is| is.is_file() && is.len() > 0);
    if !is_taken {
        return Ok(());
    }
    let message = format!("the table {} holds something already, and is not overwritten", files::shown(path));
    Err(Failure::new(Kind::Usage, message)
        .hint("Give another name to --csv, or remove that file.".to_owned()))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::Usage, format!("writing the table {} failed: {error}", files::shown(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_holds_something_is_refused_and_an_empty_file_is_not() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("runs.csv");
        drop(Table::create(&path).unwrap());
        let before = std::fs::read(&path).unwrap();
        let refused = Table::create(&path).err().unwrap();
        assert_eq!(refused.kind, Kind::Usage);
        assert!(refused.message.contains("is not overwritten"), "{}", refused.message);
        assert!(refused.hint.is_some_and(|hint| hint.contains("another name")));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::write(&path, "").unwrap();
        assert!(Table::create(&path).is_ok());
    }

    #[test]
    fn names_of_hardware_break_no_table_and_are_no_formulas() {
        let cells = ["Watchdata Co., Ltd.", "a \"b\"", "=HYPERLINK(1)", "two\nlines", "plain"];
        let quoted: Vec<String> = cells.into_iter().map(quoted).collect();
        assert_eq!(
            quoted,
            ["\"Watchdata Co., Ltd.\"", "\"a \"\"b\"\"\"", "'=HYPERLINK(1)", "two lines", "plain"]
        );
    }
}

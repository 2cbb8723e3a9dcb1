//! Tables of figures, and where they are written.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::machine::Machine;

/// One Markdown table with what it measures.
pub struct Report {
    name: &'static str,
    text: String,
    missed: usize,
}

impl Report {
    /// An empty report, for the markers of this name, with the machine it is made on.
    pub fn new(name: &'static str) -> Self {
        let machine = Machine::here();
        if let Some(warning) = machine.busy() {
            eprintln!("\n*** {warning} ***\n");
        }
        Self { name, text: format!("{machine}\n"), missed: 0 }
    }

    /// A table; every row has as many cells as `head`.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let _ = writeln!(self.text, "\n| {} |", head.join(" | "));
        let _ = writeln!(self.text, "|{}", "---|".repeat(head.len()));
        for row in rows {
            assert_eq!(row.len(), head.len(), "a row of another table");
            let _ = writeln!(self.text, "| {} |", row.join(" | "));
        }
    }

    /// `met` or `**missed**`, for a row.
    pub fn verdict(&mut self, met: bool) -> String {
        self.missed += usize::from(!met);
        if met { "met" } else { "**missed**" }.to_owned()
    }

    /// Prints it, and writes it where the command line says `--write FILE`.
    pub fn finish(&self) {
        println!("{}", self.text);
        if self.missed > 0 {
            println!("{} target(s) missed.", self.missed);
        }
        if let Some(file) = written_to() {
            put_between_markers(&file, self.name, &self.text);
        }
    }
}

fn written_to() -> Option<PathBuf> {
    std::env::args_os().skip_while(|argument| argument != "--write").nth(1).map(PathBuf::from)
}

/// Puts `text` between `<!-- NAME:begin -->` and `<!-- NAME:end -->` of a file.
///
/// # Panics
/// When the file or one of the markers is missing: a measurement that nobody can read was not made.
pub fn put_between_markers(file: &Path, name: &str, text: &str) {
    let (begin, end) = (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"));
    let before = std::fs::read_to_string(file).expect("the file is there");
    let from = before.find(&begin).expect("the begin marker is there") + begin.len();
    let to = before.find(&end).expect("the end marker is there");
    let after = format!("{}\n\n{}\n\n{}", &before[..from], text.trim(), &before[to..]);
    std::fs::write(file, after).expect("the file can be written");
}

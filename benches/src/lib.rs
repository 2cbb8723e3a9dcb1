//! What the measurements share. Each measurement is a program in `src/bin/`; `make bench` runs them all.

use std::path::Path;

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

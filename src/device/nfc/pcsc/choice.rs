//! Which readers a scan waits at.

use super::super::kind::ReaderKind;
use super::super::select_reader;
use super::super::trouble::ReaderTrouble;

/// The readers that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every reader that may be for tags, now or later; no slot for cards with contacts or security modules (A8).
    Auto,
    /// Those of these names: exact, or the only one that contains it.
    Named(Vec<String>),
}

impl Choice {
    /// Those of `present` that are chosen, each once, in the order in which they were named.
    ///
    /// # Errors
    /// [`ReaderTrouble::NoReader`] or [`ReaderTrouble::Missing`] when not one is there.
    pub fn pick(&self, present: &[String]) -> Result<Vec<String>, ReaderTrouble> {
        let wanted = match self {
            Self::Auto => {
                let for_tags = |name: &&String| ReaderKind::of(name).is_for_tags();
                let chosen: Vec<String> = present.iter().filter(for_tags).cloned().collect();
                return if chosen.is_empty() { Err(ReaderTrouble::NoReader) } else { Ok(chosen) };
            }
            Self::Named(names) => names,
        };
        let names: Vec<&str> = present.iter().map(String::as_str).collect();
        let mut chosen: Vec<String> = Vec::new();
        for at in wanted.iter().filter_map(|name| select_reader(name, &names).ok()) {
            if !chosen.contains(&present[at]) {
                chosen.push(present[at].clone());
            }
        }
        if chosen.is_empty() {
            let wanted = wanted.join("\" or \"");
            return Err(ReaderTrouble::Missing { wanted, present: present.to_vec() });
        }
        Ok(chosen)
    }

    /// What screens call it before a reader is known.
    pub fn label(&self) -> String {
        match self {
            Self::Auto => "any contactless reader".to_owned(),
            Self::Named(names) => names.join(", "),
        }
    }
}

//! Which readers a scan waits at.

use super::super::kind::ReaderKind;
use super::super::trouble::ReaderTrouble;
use super::super::{SelectError, select_reader};

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
    /// [`ReaderTrouble::NoReader`], [`ReaderTrouble::Missing`] or [`ReaderTrouble::Ambiguous`] when not one is there.
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
        let mut ambiguous = None;
        for name in wanted {
            match select_reader(name, &names) {
                Ok(at) if chosen.contains(&present[at]) => {}
                Ok(at) => chosen.push(present[at].clone()),
                Err(error) => {
                    ambiguous =
                        ambiguous.or(Some(error).filter(|e| matches!(e, SelectError::Ambiguous { .. })));
                }
            }
        }
        match (chosen.is_empty(), ambiguous) {
            (false, _) => Ok(chosen),
            (true, Some(ambiguous)) => Err(ambiguous.into()),
            (true, None) => {
                Err(ReaderTrouble::Missing { wanted: wanted.join("\" or \""), present: present.to_vec() })
            }
        }
    }

    /// What screens call it before a reader is known.
    pub fn label(&self) -> String {
        match self {
            Self::Auto => "any contactless reader".to_owned(),
            Self::Named(names) => names.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_several_names_is_told_from_one_that_nobody_has() {
        let present = ["ACS ACR1252 00".to_owned(), "ACS ACR122U 01".to_owned()];
        let pick = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            Choice::Named(names).pick(&present).map_err(|trouble| trouble.to_string())
        };
        assert_eq!(pick(&["acr122u"]), Ok(vec![present[1].clone()]));
        assert_eq!(
            pick(&["acs", "acr122u"]),
            Ok(vec![present[1].clone()]),
            "what is meant by the other is used"
        );
        assert_eq!(
            pick(&["OMNIKEY", "acs"]),
            Err("\"acs\" fits several readers: ACS ACR1252 00, ACS ACR122U 01".to_owned())
        );
        assert_eq!(
            pick(&["OMNIKEY"]),
            Err("no reader \"OMNIKEY\" is plugged in; there are: ACS ACR1252 00, ACS ACR122U 01".to_owned())
        );
    }
}

//! How what is said to people is put. Called by everything that says something in sentences.

/// Begins with a capital letter and ends with a full stop. What a person copies stays as it is: a URL, and the name of a
/// file with its place (`talk.agentcall:2:1`).
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let copied = first.trim_end_matches([':', ',', '.']).contains(['/', '\\', ':', '.', '_']);
    let mut chars = text.chars();
    let mut out = String::with_capacity(text.len() + 1);
    if !copied {
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
    }
    out.push_str(chars.as_str());
    if !out.is_empty() && !out.ends_with(['.', '!', '?', '…']) {
        out.push('.');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_begins_and_ends_as_one() {
        for (text, said) in [
            ("nothing was sent", "Nothing was sent."),
            (" it waits … ", "It waits …"),
            ("really?", "Really?"),
            ("über", "Über."),
            ("", ""),
        ] {
            assert_eq!(sentence(text), said);
        }
    }

    #[test]
    fn what_a_person_copies_stays_as_it_is() {
        for text in [
            "https://a.example/card answered 404",
            "talk.agentcall:2:1: expected a verb",
            "tags/plant.nfc: it is empty",
            "session.established came twice",
        ] {
            assert_eq!(sentence(text), format!("{text}."));
        }
        assert_eq!(sentence("refused: it is empty"), "Refused: it is empty.");
    }
}

use super::{Verdict, find, in_alias_namespace, is_reference};
use crate::observation::ndef::{Message, RawRecord, encode_message, parse_message};
use crate::redact::TagUid;

fn message(records: &[RawRecord]) -> Message {
    parse_message(&encode_message(records).unwrap()).unwrap()
}

fn verdict(uris: &[&str]) -> Verdict {
    let records: Vec<RawRecord> = uris.iter().map(|uri| RawRecord::uri(uri)).collect();
    find(&message(&records), None)
}

#[test]
fn urn_and_https_are_references_byte_for_byte() {
    for uri in [
        "urn:agentcall:object:workshop-router",
        "urn:epc:id:sgtin:0614141.812345.6789",
        "URN:Example:A%2Fb",
        "https://museum.example/Objekte/47?lang=de#top",
        "HTTPS://Museum.Example",
        "https://museum.example:8443/ä",
        "https://[2001:db8::1]/x",
    ] {
        assert_eq!(verdict(&[uri]), Verdict::Reference(uri.to_owned()));
    }
}

#[test]
fn what_is_not_well_formed_or_of_another_scheme_is_none() {
    for uri in [
        "http://museum.example/47",
        "tel:+123",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "workshop-router",
        "https:museum.example",
        "https://",
        "https:///path",
        "https://:443/",
        "https://museum.example/a b",
        "https://museum.example/a\nb",
        "https://museum.example/%4",
        "https://museum.example/\u{202e}evil",
        "https://museum.example/\u{200b}",
        "https://museum.example/<b>",
        "urn:",
        "urn:x:y",
        "urn:agentcall:",
        "urn:-bad:thing",
        " urn:agentcall:object:a",
    ] {
        assert_eq!(verdict(&[uri]), Verdict::None, "{uri:?}");
    }
}

#[test]
fn the_bound_is_512_characters_not_bytes() {
    let exactly = |c: char, n: usize| format!("urn:ab:{}", String::from_iter(std::iter::repeat_n(c, n - 7)));
    assert!(is_reference(&exactly('a', 512)) && is_reference(&exactly('ä', 512)));
    assert!(!is_reference(&exactly('a', 513)) && !is_reference(&exactly('ä', 513)));
}

#[test]
fn the_first_that_fits_is_taken_also_from_a_smart_poster() {
    assert_eq!(verdict(&["http://a.example", "urn:ab:1", "urn:ab:2"]), Verdict::Reference("urn:ab:1".into()));
    let poster =
        RawRecord::smart_poster(&[RawRecord::text("en", "Title"), RawRecord::uri("urn:ab:3")]).unwrap();
    let records = [RawRecord::text("en", "urn:ab:0"), poster, RawRecord::uri("urn:ab:4")];
    assert_eq!(find(&message(&records), None), Verdict::Reference("urn:ab:3".into()));
    let two = RawRecord::smart_poster(&[RawRecord::uri("urn:ab:5"), RawRecord::uri("urn:ab:6")]).unwrap();
    assert_eq!(find(&message(&[two]), None), Verdict::None, "a poster with two URIs is not well-formed");
}

#[test]
fn a_tag_cannot_forge_an_alias() {
    for forged in [
        "urn:agentcall:local:bygzopvx6umbrnuyh3fllflk4e",
        "URN:AgentCall:LOCAL:x",
        "urn:agentcall:%6Cocal:x",
        "urn:agentcall:local%3Ax",
        "urn:agentcall:local:",
    ] {
        assert!(in_alias_namespace(forged), "{forged}");
        assert_eq!(verdict(&[forged]), Verdict::ForgedAlias);
        assert_eq!(
            verdict(&["https://museum.example/47", forged]),
            Verdict::ForgedAlias,
            "wherever it stands"
        );
    }
    for other in ["urn:agentcall:locality:x", "urn:agentcall:object:local:", "urn:agentcall:local", ""] {
        assert!(!in_alias_namespace(other), "{other}");
    }
}

#[test]
fn a_uri_that_mirrors_the_tags_id_is_no_reference() {
    let uid = TagUid::new(&[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]);
    let mirrored = message(&[RawRecord::uri("https://t.example/?m=04A1B2C3D4E5F6x000012")]);
    assert_eq!(find(&mirrored, Some(&uid)), Verdict::SpellsUid);
    assert!(matches!(find(&mirrored, Some(&TagUid::new(&[4, 1, 2, 3, 4, 5, 6]))), Verdict::Reference(_)));
}

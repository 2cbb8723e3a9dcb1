//! What an agent serves and sends.

use agentcall::discovery::{CardContext, explain, validate};
use agentcall::protocol::{ClientMessage, Dialect, Envelope, Modalities, bounds, view};
use agentcall::redact::{Scrubber, TagUid, Token};

/// A card: read as a whole, explained, and refused or offered, never both.
pub fn card(data: &[u8]) {
    for local in [false, true] {
        let context = CardContext {
            final_url: Some("https://agent.example/.well-known/agent-card.json".to_owned()),
            content_type: Some("application/json".to_owned()),
            local,
            dialect: Dialect::default(),
        };
        let report = validate(data, &context);
        assert_eq!(
            report.offer.is_some(),
            report.refusals.is_empty(),
            "a card is offered or refused, with reasons"
        );
        assert_eq!(report.summary.bytes, data.len());
        assert!(!explain(&report).is_empty(), "there is always something to say");
    }
}

/// A frame in either direction: decoding is bounded, what was decoded encodes to something that decodes to the
/// same, what goes to a trace holds none of the secrets, and scrubbing twice is scrubbing once.
pub fn frame(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let dialect = Dialect::default();
    match Envelope::decode(text, &dialect) {
        Ok(decoded) => {
            assert!(text.len() <= bounds::FRAME_BYTES);
            assert!(decoded.message.sequence.0 > 0);
            let again = decoded.message.encode(&dialect).to_string();
            if !matches!(decoded.message.event, agentcall::protocol::Event::Unknown { .. })
                && again.len() <= bounds::FRAME_BYTES
            {
                let twice = Envelope::decode(&again, &dialect).map(|d| d.message);
                assert_eq!(
                    twice.as_ref(),
                    Ok(&decoded.message),
                    "an envelope changes when it is written and read"
                );
            }
            shown(&decoded.value.value());
            // A long text is read carefully, and must not say anything else.
            let carefully = Envelope::decode(format!("{text}{:256}", ""), &dialect);
            assert!(text.len() + 256 > bounds::FRAME_BYTES || carefully.as_ref() == Ok(&decoded), "{text}");
        }
        Err(undecodable) => {
            if let Some(value) = &undecodable.value {
                shown(value);
            }
        }
    }
    if let Ok(decoded) = ClientMessage::decode(text, &dialect) {
        let _ = decoded.message.check(Modalities::BOTH);
        let again = decoded.message.encode(&dialect).to_string();
        if again.len() <= bounds::FRAME_BYTES {
            let twice = ClientMessage::decode(&again, &dialect).map(|d| d.message);
            assert_eq!(twice.as_ref(), Ok(&decoded.message), "a message changes when it is written and read");
        }
        shown(&decoded.value.value());
    }
    scrubbed(text);
}

fn shown(value: &serde_json::Value) {
    let _ = view::summary(value);
    let _ = view::for_trace(value).to_string();
}

const TOKEN: &str = "sk-3nT7q9Zx0aLmB2";
const UID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];

fn scrubbed(text: &str) {
    let mut scrubber = Scrubber::new();
    scrubber.add_token(&Token::new(TOKEN));
    scrubber.add_uid(&TagUid::new(&UID));
    let once = scrubber.scrub(text);
    assert!(!once.contains(TOKEN), "the token survives");
    assert!(!once.to_ascii_lowercase().contains("04a1b2c3d4e5f6"), "the id survives");
    assert_eq!(scrubber.scrub(&once), once, "scrubbing twice differs from scrubbing once");
}

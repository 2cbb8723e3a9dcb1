//! What the agent asks for (§ Agent-requested collection).

use super::*;

#[test]
fn a_scan_is_asked_for_and_answered_exactly_once() {
    let script = format!(
        "> say 1 scan an object\n{ASKS}
         > scan 2 urn:a ix=ix-1
         < answered ix-1
         < {UNKNOWN}
         > scan 3 urn:a ix=ix-1
         < failure interaction_mismatch
         > scan 3 urn:a
         < {UNKNOWN}"
    );
    Dialogue::open().expect(&script);
}

#[test]
fn only_an_answer_with_the_id_and_the_modality_consumes_the_request() {
    let script = format!(
        "> say 1 scan an object\n{ASKS}
         > photo 2 ix=ix-1
         < failure interaction_mismatch
         > scan 2 urn:a ix=ix-9
         < failure interaction_mismatch
         > scan 2 urn:a
         < {UNKNOWN}
         > say 3 scan an object
         < run: I am still waiting for what I asked for; cancel that first.
         > both 4 urn:a ix=ix-1
         < answered ix-1
         < run: {} {}",
        see(),
        &UNKNOWN[5..]
    );
    Dialogue::open().expect(&script);
}

#[test]
fn a_cancelled_request_cannot_be_answered() {
    let script = format!(
        "> say 1 take a photo
         < run: Please take a photo for me.
         < asks physical.photo.capture ix-1
         > cancel
         < cancelled ix-1
         > photo 2 ix=ix-1
         < failure interaction_mismatch
         > cancel
         > photo 2
         < run: {}
         > say 3 scan an object
         < run: Please show me the tag.
         < asks physical.nfc.scan ix-2",
        see()
    );
    Dialogue::open().expect(&script);
}

#[test]
fn it_asks_only_for_what_was_negotiated_and_offered() {
    let mut client_without_photo = Dialogue::new(at_once());
    client_without_photo.expect(
        "> start nfc\n< established
         > say 1 take a photo\n< run: I cannot ask for that: this session has not negotiated photo.",
    );
    let agent_requests = Modalities::NONE.with(Modality::Photo);
    let mut agent_without_scan = Dialogue::new(BrainConfig { agent_requests, ..at_once() });
    agent_without_scan.expect(
        "> start nfc photo\n< established
         > say 1 scan an object\n< run: I cannot ask for that: this session has not negotiated nfc.",
    );
}

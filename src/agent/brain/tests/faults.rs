//! Faults on request.

use super::*;

/// The lines of a session with one fault: start, then a turn that asks for a scan.
fn faulty(fault: Fault) -> Vec<String> {
    let mut brain = Brain::new(BrainConfig { faults: vec![fault], ..at_once() });
    let mut replies = brain.receive(Duration::ZERO, &client("start nfc photo"));
    replies.extend(brain.receive(Duration::ZERO, &client("say 1 scan an object")));
    let sequence = |reply: &Reply| match reply {
        Reply::Envelope(envelope) => format!("{} ", envelope.sequence),
        _ => String::new(),
    };
    let mut lines: Vec<String> = replies.iter().map(|r| sequence(r) + &shown(r)).collect();
    lines.iter_mut().for_each(|line| line.truncate(60));
    lines
}

#[test]
fn each_fault_does_what_its_name_says() {
    let established = "1 established";
    let expected: [(Fault, &[&str]); 12] = [
        (Fault::SequenceStepBack, &["3 delta Please show me ", "2 delta the tag.", "4 speech s1"]),
        (Fault::EventBeforeEstablished, &["1 delta too early", "2 established", "3 run.started"]),
        (Fault::SecondRun, &[established, "2 run.started", "3 run.started", "4 delta Please show me "]),
        (Fault::RequestWhilePending, &["6 asks physical.nfc.scan ix-1", "7 asks physical.nfc.scan fault-1"]),
        (Fault::UnknownResolve, &["2 run.started", "3 answered never-requested"]),
        (
            Fault::OversizedFrame,
            &["2 run.started", "3 delta xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
        ),
        (Fault::BinaryFrame, &["2 run.started", "Binary([0, 1, 2, 3])", "3 delta Please show me "]),
        (Fault::InvalidJson, &["2 run.started", "Text(\"{\\\"sequence\\\":\")", "3 delta Please show me "]),
        (Fault::CloseMidRun, &["3 delta Please show me ", "close 1011"]),
        (Fault::Silent, &["2 run.started", "Silence"]),
        (
            Fault::UnknownEvent,
            &[
                "2 run.started",
                "Text(\"{\\\"sequence\\\":3,\\\"event\\\":{\\\"type\\\":\\\"mystery.event\\\",",
                "4 delta Please show me ",
            ],
        ),
        (Fault::Resumed, &["1 established resumed", "2 run.started"]),
    ];
    assert_eq!(expected.map(|(fault, _)| fault).as_slice(), Fault::ALL);
    for (fault, lines) in expected {
        let said = faulty(fault);
        assert!(said.windows(lines.len()).any(|w| w == lines), "{fault}: {said:#?}");
        assert_eq!(Fault::from_name(fault.name()), Some(fault));
    }
    for last in [Fault::CloseMidRun, Fault::Silent] {
        assert!(faulty(last).last().is_some_and(|l| l == "close 1011" || l == "Silence"));
    }
}

#[test]
fn an_oversized_frame_is_over_the_bound_and_under_the_closing_one() {
    let mut brain = Brain::new(BrainConfig { faults: vec![Fault::OversizedFrame], ..at_once() });
    brain.receive(Duration::ZERO, &client("start"));
    let replies = brain.receive(Duration::ZERO, &client("say 1 hi"));
    let sizes = replies.iter().filter_map(|r| match r {
        Reply::Envelope(e) => Some(e.encode(&Dialect::default()).to_string().len()),
        _ => None,
    });
    assert!(sizes.max().is_some_and(|n| n > 128 * 1024 && n < 1024 * 1024));
}

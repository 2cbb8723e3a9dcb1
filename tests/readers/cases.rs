//! Field reports of readers (family A) and of tags (family B) that no other file here has, on the daemon itself. Which
//! report is held where stands in the table of `main.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::common::finish;
use super::pcscd::{ACR122U, Pcscd};
use super::place::{Place, objects};
use super::scanner::Scanner;
use super::tag::Tag;

// ── family A ──

#[tokio::test]
async fn a4_readers_that_come_with_one_event_are_all_armed() {
    // The daemon tells its readers only when it has all of them: an empty list, then one of four slots.
    let mut daemon = Pcscd::stopped(&[ACR122U, "Identiv uTrust 3700 F CL Reader"]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    for reader in [1, 0] {
        scanner.arm(60).await;
        scanner.event("trouble").await;
        daemon.run().await;
        scanner.event("recovered").await;
        let mut tag = Tag::at(&daemon, reader, &[]).await;
        let read = scanner.result().await;
        assert_eq!(read["reader"], daemon.name(reader), "{read}");
        tag.tell("off").await;
        scanner.event("removed").await;
        daemon.kill().await;
    }
}

#[tokio::test]
async fn a16_an_error_that_never_ends_is_told_once_and_the_service_is_not_pestered() {
    let daemon = Pcscd::stopped(&[ACR122U]).await;
    let listener = tokio::net::UnixListener::bind(daemon.socket()).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    tokio::spawn(async move {
        // It hangs up on everybody at once.
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let mut scanner = Scanner::auto(&daemon).await;
    scanner.arm(3).await;
    let failed = scanner.result().await;
    assert!(failed["failed"].as_str().is_some_and(|why| why.starts_with("No tag was read: ")), "{failed}");
    // The library takes it for a daemon that is not there or for one that refuses, by turns.
    let mut told: Vec<String> =
        scanner.events("trouble").iter().map(|event| event["text"].to_string()).collect();
    told.sort();
    assert!(!told.is_empty() && told.windows(2).all(|two| two[0] != two[1]), "{:?}", scanner.said);
    let asked = asked.load(Ordering::SeqCst);
    // Twice a second, and whatever the library itself tries at each.
    assert!((2..=12).contains(&asked), "it was asked {asked} times in 3 s");
}

#[tokio::test]
async fn a17_commands_go_by_the_protocol_that_was_negotiated() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    let mut scanner = Scanner::auto(&daemon).await;
    let name = daemon.name(0);
    // Cards that speak T=0 alone, and T=1 alone.
    for (protocol, atr) in [(0, "3B0180"), (1, "3B81018000")] {
        tag.place(&format!("--type t4 --atr {atr}")).await;
        let select = "00A4040007D276000085010100";
        // The daemon holds programs to it: a command under the other protocol is refused.
        let refused = daemon.raw(&["cross", &name, select]).await;
        assert!(refused.contains("error 0x8010000F"), "T={protocol}: {refused}");
        assert_eq!(daemon.raw(&["send", &name, select]).await, "9000\n");
        let read = scanner.scan().await;
        assert!(read["technology"] == "Type 4" && read["ndef"].is_string(), "T={protocol}: {read}");
        tag.tell("off").await;
        scanner.event("removed").await;
    }
}

// ── family B ──

/// One short NDEF record: its first byte, its type, its payload.
fn record(head: u8, kind: &str, payload: &[u8]) -> Vec<u8> {
    let lengths = [kind.len(), payload.len()].map(|length| u8::try_from(length).unwrap());
    [&[head][..], &lengths, kind.as_bytes(), payload].concat()
}

fn uri(head: u8, code: u8, rest: &str) -> Vec<u8> {
    record(head, "U", &[&[code], rest.as_bytes()].concat())
}

/// Heads of short records of a well-known type: alone, first, in the middle, last.
const ALONE: u8 = 0xD1;
const FIRST: u8 = 0x91;
const MIDDLE: u8 = 0x11;
const LAST: u8 = 0x51;

/// What the tag holds, and the reference that the agent gets; `None`: an alias, because it holds none that can be used.
fn messages() -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    const SITE: &str = "https://example.org/7";
    let site = |head| uri(head, 4, "example.org/7");
    let text = |head, payload: &[u8]| record(head, "T", payload);
    let poster = |inner: &[Vec<u8>]| record(ALONE, "Sp", &inner.concat());
    let mut torn = [site(FIRST), text(LAST, b"\x02enold words")].concat();
    torn.truncate(torn.len() - 4);
    vec![
        ("B7 a language longer than the text", [text(FIRST, b"\x3Fen"), site(LAST)].concat(), Some(SITE)),
        ("B7 no language", [text(FIRST, b"\x00hi"), site(LAST)].concat(), Some(SITE)),
        ("B7 UTF-16", [text(FIRST, b"\x82en\x00h\x00i"), site(LAST)].concat(), Some(SITE)),
        ("B7 half a character", [text(FIRST, b"\x82en\x00h\x00"), site(LAST)].concat(), Some(SITE)),
        ("B7 a bad text alone", text(ALONE, b"\x3Fen"), None),
        ("B8 no prefix", uri(ALONE, 0, SITE), Some(SITE)),
        ("B8 one dot and not two", uri(ALONE, 2, "example.org/7"), Some("https://www.example.org/7")),
        ("B8 an unknown prefix is none", uri(ALONE, 0x24, "a"), None),
        ("B8 the last unknown prefix", uri(ALONE, 0xFF, "a"), None),
        ("B8 no URI in a URI", record(ALONE, "U", b""), None),
        ("B8 the next one is good", [record(FIRST, "U", b""), site(LAST)].concat(), Some(SITE)),
        ("B10 a poster", poster(&[site(FIRST), text(LAST, b"\x02enHi")]), Some(SITE)),
        ("B10 begin and end repeated", poster(&[site(ALONE), text(ALONE, b"\x02enHi")]), Some(SITE)),
        ("B10 the title first", poster(&[text(FIRST, b"\x02enHi"), site(MIDDLE)]), Some(SITE)),
        ("B10 a poster in a poster in a poster", poster(&[poster(&[poster(&[site(ALONE)])])]), None),
        ("B14 no record carries the end", uri(FIRST, 4, "example.org/7"), None),
        ("B14 the last record is cut off", torn, None),
        ("B14 the old text behind the end", [site(ALONE), b"en".to_vec()].concat(), None),
    ]
}

#[tokio::test]
async fn family_b_what_odd_messages_hold_reaches_the_agent_and_nothing_of_damaged_ones() {
    let place = Place::new().await;
    let mut tag = Tag::off(&place.daemon, &[]).await;
    for (at, (case, message, reference)) in messages().into_iter().enumerate() {
        let kind = ["t2", "t4"][at % 2];
        let message = data_encoding::HEXUPPER.encode(&message);
        tag.place(&format!("--type {kind} --message {message}")).await;
        let done = finish(place.run(&["--allow", "reader", "--json"], &place.scan())).await;
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{case}: {}", done.out);
        let objects = objects(&done);
        assert_eq!(objects.len(), 1, "{case}: {}", done.out);
        let sent = objects[0]["objectRef"].as_str().unwrap();
        match reference {
            Some(reference) => assert_eq!(sent, reference, "{case}, {kind} {message}"),
            None => assert!(sent.starts_with("urn:agentcall:local:"), "{case}, {kind} {message}: {sent}"),
        }
    }
}

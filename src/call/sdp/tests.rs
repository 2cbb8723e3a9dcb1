//! Descriptions, good ones in every spelling, and each fault by itself (hazards 2 and 12, cases E2, E4, E8, E11).

use super::*;

const FINGERPRINT: &str =
    "D2:B9:31:8F:DF:24:D8:0E:ED:D2:EF:25:9E:AF:6F:B8:34:AE:53:9C:E6:F3:8F:F2:64:15:FA:E8:7F:53:2D:38";

/// An answer as Chromium writes it, shortened.
fn answer() -> String {
    [
        "v=0",
        "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
        "s=-",
        "t=0 0",
        "a=group:BUNDLE 0 1",
        "a=extmap-allow-mixed",
        "a=msid-semantic: WMS",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "c=IN IP4 0.0.0.0",
        "a=rtcp:9 IN IP4 0.0.0.0",
        "a=candidate:1 1 udp 2130706431 192.0.2.7 50000 typ host generation 0",
        "a=ice-ufrag:Ab+/",
        "a=ice-pwd:0123456789abcdefghijkl",
        &format!("a=fingerprint:sha-256 {FINGERPRINT}"),
        "a=setup:active",
        "a=mid:0",
        "a=sendrecv",
        "a=rtcp-mux",
        "a=rtpmap:111 opus/48000/2",
        "a=fmtp:111 minptime=10;useinbandfec=1",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "c=IN IP4 0.0.0.0",
        "a=ice-ufrag:Ab+/",
        "a=ice-pwd:0123456789abcdefghijkl",
        &format!("a=fingerprint:sha-256 {FINGERPRINT}"),
        "a=setup:active",
        "a=mid:1",
        "a=sctp-port:5000",
        "a=max-message-size:262144",
    ]
    .join("\r\n")
        + "\r\n"
}

fn offered() -> Description {
    read_offer(&answer().replace("setup:active", "setup:actpass")).unwrap()
}

fn read(answer: &str) -> Result<Description, SdpFault> {
    read_answer(answer, &offered())
}

/// What is said of the good answer after one change.
fn fault(from: &str, to: &str) -> String {
    let changed = answer().replacen(from, to, 1);
    assert_ne!(changed, answer(), "{from:?} is not there");
    read(&changed).expect_err("it is wrong").to_string()
}

fn good(from: &str, to: &str) -> Description {
    let changed = answer().replace(from, to);
    assert_ne!(changed, answer(), "{from:?} is not there");
    read(&changed).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn a_good_answer_is_taken_and_says_what_it_says() {
    let read = read(&answer()).unwrap();
    assert_eq!(read.mids, ["0", "1"]);
    assert_eq!((read.payload_type, read.max_message), (111, Some(262_144)));
    assert!(read.notes.is_empty(), "{:?}", read.notes);
}

#[test]
fn hazard_12_each_condition_that_fails_names_its_line_and_what_was_expected() {
    let sendrecv = "expected a=sendrecv: sound goes both ways";
    let table = [
        ("a=sendrecv", "a=recvonly", "line 17 of the SDP answer, \"a=recvonly\": ".to_owned() + sendrecv),
        ("a=sendrecv", "a=sendonly", "line 17 of the SDP answer, \"a=sendonly\": ".to_owned() + sendrecv),
        ("a=sendrecv", "a=inactive", "line 17 of the SDP answer, \"a=inactive\": ".to_owned() + sendrecv),
        (
            "m=audio 9",
            "m=audio 0",
            "line 8 of the SDP answer, \"m=audio 0 UDP/TLS/RTP/SAVPF 111\": expected a port: 0 refuses it \
             (RFC 3264, section 6)"
                .to_owned(),
        ),
        (
            "m=application 9",
            "m=application 0",
            "line 21 of the SDP answer, \"m=application 0 UDP/DTLS/SCTP webrtc-datachannel\": expected a port: 0 refuses \
             it (RFC 3264, section 6)"
                .to_owned(),
        ),
        (
            "a=group:BUNDLE 0 1\r\n",
            "",
            "line 1 of the SDP answer, \"v=0\": expected a=group:BUNDLE 0 1 before the sections".to_owned(),
        ),
        (
            "BUNDLE 0 1",
            "BUNDLE 0",
            "line 5 of the SDP answer, \"a=group:BUNDLE 0\": expected 1 in it as well".to_owned(),
        ),
        (
            "a=setup:active",
            "a=setup:actpass",
            "line 15 of the SDP answer, \"a=setup:actpass\": expected active or passive (RFC 8842, section 5.3)".to_owned(),
        ),
        (
            "opus/48000/2",
            "opus/48000",
            "line 19 of the SDP answer, \"a=rtpmap:111 opus/48000\": expected opus/48000/2 among its formats (RFC 7587, \
             section 7)"
                .to_owned(),
        ),
        (
            "opus/48000/2",
            "PCMU/8000",
            "line 8 of the SDP answer, \"m=audio 9 UDP/TLS/RTP/SAVPF 111\": expected opus/48000/2 among its formats \
             (RFC 7587, section 7)"
                .to_owned(),
        ),
        (
            "UDP/DTLS/SCTP",
            "DTLS/SCTP",
            "line 21 of the SDP answer, \"m=application 9 DTLS/SCTP webrtc-datachannel\": expected UDP/DTLS/SCTP".to_owned(),
        ),
        (
            "webrtc-datachannel",
            "5000",
            "line 21 of the SDP answer, \"m=application 9 UDP/DTLS/SCTP 5000\": expected the format webrtc-datachannel \
             (RFC 8841, section 4)"
                .to_owned(),
        ),
        (
            "a=mid:1",
            "a=mid:data",
            "line 5 of the SDP answer, \"a=group:BUNDLE 0 1\": expected data in it as well".to_owned(),
        ),
        (
            "a=ice-ufrag:Ab+/",
            "a=ice-ufrag:A",
            "line 12 of the SDP answer, \"a=ice-ufrag:A\": expected 4 to 256 letters and digits (RFC 8839, section 5.4)"
                .to_owned(),
        ),
        (
            "a=ice-pwd:0123456789abcdefghijkl",
            "a=ice-pwd:short",
            "line 13 of the SDP answer, \"a=ice-pwd:…\": expected 22 to 256 letters and digits (RFC 8839, section 5.4)"
                .to_owned(),
        ),
    ];
    for (from, to, said) in table {
        assert_eq!(fault(from, to), said, "{from} → {to}");
    }
}

#[test]
fn hazard_12_fingerprints_are_whole_and_of_sha_256() {
    for broken in ["a=fingerprint:sha-256 D2:B9", "a=fingerprint:sha-256", "a=fingerprint:sha-256 zz"] {
        let said = fault(&format!("a=fingerprint:sha-256 {FINGERPRINT}"), broken);
        assert!(said.contains("32 pairs of hexadecimal digits"), "{said}");
    }
    let said = fault("a=fingerprint:sha-256", "a=fingerprint:sha-1");
    assert!(said.ends_with("expected a fingerprint of sha-256"), "{said}");
    let none = answer().replace(&format!("a=fingerprint:sha-256 {FINGERPRINT}\r\n"), "");
    assert_eq!(
        read(&none).unwrap_err().to_string(),
        "line 8 of the SDP answer, \"m=audio 9 UDP/TLS/RTP/SAVPF 111\": expected a=fingerprint:sha-256 in it or before it"
    );
    // aiortc gives three of them.
    let three = format!("a=fingerprint:sha-256 {FINGERPRINT}\r\na=fingerprint:sha-512 00:11");
    good(&format!("a=fingerprint:sha-256 {FINGERPRINT}"), &three);
    good("a=fingerprint:sha-256", "a=fingerprint:SHA-256");
}

#[test]
fn hazard_12_two_audio_sections_or_other_ones_are_refused() {
    let audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:2\r\na=rtpmap:111 opus/48000/2\r\n";
    let said = read(&(answer() + audio)).unwrap_err().to_string();
    assert!(
        said.starts_with("line 30 of") && said.ends_with("expected one audio section; this is another"),
        "{said}"
    );
    let said = read(&(answer() + "m=video 0 UDP/TLS/RTP/SAVPF 96\r\na=mid:2\r\n")).unwrap_err().to_string();
    assert!(said.ends_with("expected one audio and one application section and nothing else"), "{said}");
    let only_sound = answer().split("m=application").next().unwrap().to_owned();
    let said = read(&only_sound).unwrap_err().to_string();
    assert!(said.ends_with("expected an m=application section, and there is none"), "{said}");
}

#[test]
fn e4_a_section_without_a_name_is_refused_and_names_must_be_those_of_the_offer() {
    let said = fault("a=mid:0\r\n", "");
    assert_eq!(
        said,
        "line 8 of the SDP answer, \"m=audio 9 UDP/TLS/RTP/SAVPF 111\": expected a=mid:NAME in it (RFC 5888, section 4)"
    );
    let renamed = answer().replace("a=mid:0", "a=mid:a").replace("BUNDLE 0", "BUNDLE a");
    let said = read(&renamed).unwrap_err().to_string();
    assert_eq!(said, "line 16 of the SDP answer, \"a=mid:a\": expected a=mid:0, as the offer has it there");
    assert!(fault("a=mid:1", "a=mid:0").contains("expected a name of its own"));
}

#[test]
fn hazard_02_e2_the_peers_own_limit_is_kept_and_the_stack_is_given_another() {
    let of = |line: &str| good("a=max-message-size:262144\r\n", line);
    let table = [
        ("", Some(65_536)),
        ("a=max-message-size:0\r\n", None),
        ("a=max-message-size:16384\r\n", Some(16_384)),
        ("a=max-message-size:65535\r\n", Some(65_535)),
        ("a=max-message-size: 1000 \r\n", Some(1000)),
        ("a=max-message-size:99999999999999999999999\r\n", None),
        ("a=max-message-size:abc\r\n", Some(65_536)),
        ("a=max-message-size\r\n", Some(65_536)),
        ("a=max-message-size:-1\r\n", Some(65_536)),
    ];
    for (line, limit) in table {
        let read = of(line);
        assert_eq!(read.max_message, limit, "{line:?}");
        let lines: Vec<&str> = read.for_stack.lines().filter(|l| l.contains("max-message-size")).collect();
        assert_eq!(lines, ["a=max-message-size:262144"], "{line:?}");
        assert!(
            read.for_stack.ends_with("a=max-message-size:262144\r\n"),
            "it stands in the channel's section"
        );
    }
    let note = &of("a=max-message-size:abc\r\n").notes[0];
    assert_eq!(note, "\"a=max-message-size:abc\" says no size; it is taken as 65536");
}

#[test]
fn e11_spellings_that_mean_the_same_are_taken() {
    let lenient = [
        ("\r\n", "\n"),
        ("s=-", "s="),
        ("s=-", "s= "),
        ("a=fmtp:111 minptime=10;useinbandfec=1", "a=fmtp:111"),
        ("a=sendrecv\r\n", ""),
        ("a=sctp-port:5000\r\n", ""),
        ("opus/48000/2", "OPUS/48000/2"),
        ("a=rtcp-mux", "a=rtcp-mux   "),
        ("a=extmap-allow-mixed\r\n", "\r\n"),
        ("a=max-message-size:262144\r\n", "a=max-message-size:262144\r\n\r\n\r\n"),
        ("SAVPF 111\r\n", "SAVPF 111 0 8\r\n"),
    ];
    for (from, to) in lenient {
        let read = good(from, to);
        assert_eq!(read.payload_type, 111, "{from:?} → {to:?}");
        let proper = read.for_stack.split("\r\n").all(|line| !line.contains('\n'));
        assert!(proper && !read.for_stack.contains("\r\n\r\n"), "{from:?} → {to:?}");
    }
    let at_the_head = answer()
        .replace("a=setup:active\r\n", "")
        .replace("a=group", "a=setup:active\r\na=group")
        .replace("a=sendrecv\r\n", "")
        .replace("a=extmap-allow-mixed", "a=sendrecv");
    read(&at_the_head).unwrap();
}

#[test]
fn e11_what_no_description_is_gives_one_clear_line() {
    let of = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(of(""), "the SDP answer: it is empty; an answer begins with v=0");
    assert_eq!(of("\r\n\r\n"), "the SDP answer: it is empty; an answer begins with v=0");
    assert_eq!(
        of("<html>no</html>"),
        "line 1 of the SDP answer, \"<html>no</html>\": expected v=0 (RFC 8866, section 5.1)"
    );
    let quoted_twice = answer().replace("\r\n", "\\r\\n");
    let said = of(&quoted_twice);
    assert!(
        said.ends_with("expected ends of lines; \\r\\n is written out there, as if quoted twice"),
        "{said}"
    );
    assert!(said.len() < 300, "{said}");
    let said = of("v=0\r\nwhat is this\u{1b}[31m\r\n");
    assert_eq!(
        said,
        "line 2 of the SDP answer, \"what is this␛[31m\": expected one letter, = and plain text (RFC 8866, section 5)"
    );
    assert_eq!(
        of(&format!("v=0\r\n{}", "a=x\r\n".repeat(30_000))),
        "the SDP answer: it has more than 131072 bytes"
    );
    let long = format!("v=0\r\nm={}\r\n", "x".repeat(10_000));
    assert!(of(&long).len() < 250);
}

#[test]
fn e8_junk_candidates_are_left_out_and_counted_and_the_rest_goes_on() {
    let candidate = "a=candidate:1 1 udp 2130706431 192.0.2.7 50000 typ host generation 0\r\n";
    let junk = "a=candidate:\r\na=candidate:2 1 ssltcp 1 192.0.2.7 443 typ host\r\na=candidate:3 1 udp 1 192.0.2.7 70000 typ host\r\n";
    let read = good(candidate, &format!("{candidate}{junk}a=end-of-candidates\r\n"));
    assert_eq!(read.for_stack.matches("a=candidate").count(), 1);
    assert_eq!(read.notes, ["2 candidates cannot be tried and are left out"]);
    let many = good(candidate, &candidate.repeat(150));
    assert_eq!(many.for_stack.matches("a=candidate").count(), 100);
    assert_eq!(good(candidate, "").for_stack.matches("a=candidate").count(), 0);
}

#[test]
fn passwords_of_ice_are_not_printed() {
    let printed = format!("{:?}", read(&answer()).unwrap());
    assert!(!printed.contains("0123456789abcdefghijkl") && printed.contains("111"), "{printed}");
}

#[test]
fn an_offer_may_leave_open_who_begins() {
    let offer = answer().replace("setup:active", "setup:actpass");
    assert_eq!(read_offer(&offer).unwrap().mids, ["0", "1"]);
    let said = read_offer(&offer.replace("setup:actpass", "setup:holdconn")).unwrap_err().to_string();
    assert_eq!(
        said,
        "line 15 of the SDP offer, \"a=setup:holdconn\": expected actpass (RFC 8842, section 5.2)"
    );
}

proptest::proptest! {
    /// No text, and no change of a good one, does more than be refused with one bounded line.
    #[test]
    fn whatever_comes_is_taken_or_refused_in_one_line(
        junk in "\\PC{0,200}",
        cut in 0usize..1000,
        with in "[a-z=:/0-9 \\r\\n]{0,12}",
    ) {
        let mut changed = answer();
        let at = cut % changed.len();
        changed.replace_range(at..at, &with);
        for text in [junk, changed, answer()[..at].to_owned()] {
            if let Err(fault) = read(&text) {
                let said = fault.to_string();
                proptest::prop_assert!(said.len() < 600 && !said.contains(['\n', '\r', '\u{1b}']), "{}", said);
            }
        }
    }
}

//! What an agent may send wrongly on an open link, frame by frame (RFC 6455, section 5).

use std::time::Duration;

use agentcall::transport::{Closure, Incoming};
use tokio::io::AsyncWriteExt;

use crate::peer::*;
use crate::server::*;

#[tokio::test]
async fn h17_a_character_that_is_cut_between_fragments_arrives_whole() {
    let globe = "a \u{1F30D} b".as_bytes();
    for cut in 1..globe.len() {
        let mut first = frame(TEXT, &globe[..cut]);
        first[0] = TEXT;
        let whole = [first, frame(0, &globe[cut..]), frame(8, b"\x03\xe8")].concat();
        let all = everything(link_to_one_that_sends(whole, false).await).await;
        assert_eq!(all[0], text("a \u{1F30D} b"), "cut at {cut}");
    }
    let half = [frame(TEXT, &globe[..4]), frame(8, b"\x03\xe8")].concat();
    let all = everything(link_to_one_that_sends(half, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(_)]), "half a character is no text: {all:?}");
}

#[tokio::test]
async fn beyond_one_mebibyte_the_link_is_closed_from_the_announcement_alone() {
    let huge = b"\x82\x7f\x00\x00\x00\x00\x01\x10\x00\x00".to_vec();
    let all = everything(link_to_one_that_sends(huge, false).await).await;
    let expected =
        "the connection was closed: the agent sent a message of 17,825,792 bytes, more than 1,048,576 (R30)";
    assert_eq!(ended(&all), expected);
    let endless = [b"\x82\x7f".as_slice(), &[0xff; 8]].concat();
    let all = everything(link_to_one_that_sends(endless, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(Closure::TooLarge { .. })]), "{all:?}");
    // The same in fragments: no frame is too large, the message is.
    let mut first = frame(TEXT, &vec![b'x'; 700 * 1024]);
    first[0] = TEXT;
    let fragments = [first, frame(0, &vec![b'x'; 700 * 1024])].concat();
    let all = everything(link_to_one_that_sends(fragments, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(Closure::TooLarge { bound: 1_048_576, .. })]), "{all:?}");
}

#[tokio::test]
async fn every_kind_of_end_reads_plainly() {
    #[rustfmt::skip]
    let rows: [(&[u8], bool, &str); 8] = [
        (b"", true, "the connection to the agent was lost: it ended without a close"),
        (b"\x81\x05hel", true, "the connection to the agent was lost: it ended without a close"),
        (b"\x88\x00", false, "the agent closed the connection (no code)"),
        (b"\x88\x02\x03\xe9", false, "the agent closed the connection (code 1001)"),
        (b"\x88\x01\x03", false, "the connection was dropped: the agent sent a close frame that is too short"),
        (b"\x88\x02\x03\xed", false, "the connection was dropped: the agent closed with a code that RFC 6455 forbids"),
        (b"\x81\x02\xc3\x28", false, "the connection was dropped: the agent sent text that is not UTF-8 (RFC 6455, section 8.1)"),
        (b"\x81\x81\x00\x00\x00\x00a", false, "the connection was dropped: the agent sent a masked frame, which only clients do"),
    ];
    for (bytes, hangs_up, expected) in rows {
        let sent = [frame(TEXT, b"first"), bytes.to_vec()].concat();
        let all = everything(link_to_one_that_sends(sent, hangs_up).await).await;
        assert_eq!((&all[0], ended(&all).as_str()), (&text("first"), expected), "{bytes:02x?}");
        assert_eq!(all.len(), 2);
    }
}

/// How the link ends to an agent that sends these bytes after a good first message.
async fn end_after(bytes: &[u8]) -> String {
    let sent = [frame(TEXT, b"first"), bytes.to_vec()].concat();
    let all = everything(link_to_one_that_sends(sent, false).await).await;
    assert_eq!((all.len(), &all[0]), (2, &text("first")), "{bytes:02x?}: {all:?}");
    ended(&all)
}

#[tokio::test]
async fn every_reserved_bit_ends_the_link_on_every_kind_of_frame() {
    for bits in 1..8_u8 {
        for opcode in [0, 1, 2, 8, 9, 10] {
            let end = end_after(&[0x80 | bits << 4 | opcode, 1, b'a']).await;
            let expected = "the connection was dropped: the agent sent a frame with a reserved bit set";
            assert!(end.starts_with(expected), "{bits:b} {opcode}: {end}");
        }
    }
}

#[tokio::test]
async fn every_reserved_opcode_ends_the_link() {
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
        let expected = format!(
            "the connection was dropped: the agent sent a frame of the reserved kind {opcode} (RFC 6455, section 5.2)"
        );
        assert_eq!(end_after(&[0x80 | opcode, 0]).await, expected);
    }
}

#[tokio::test]
async fn control_frames_are_whole_and_small() {
    for opcode in [8, 9, 10] {
        let end = end_after(&begun(opcode, b"\x03\xe8")).await;
        assert!(end.contains("a control frame in fragments"), "{opcode}: {end}");
        for size in [126, 127, 1000, 70_000] {
            let end = end_after(&frame(opcode, &vec![b'a'; size])).await;
            assert!(end.contains("a control frame of more than 125 bytes"), "{opcode} {size}: {end}");
        }
        if opcode != 8 {
            let largest = [frame(opcode, &[b'a'; 125]), frame(8, b"")].concat();
            assert_eq!(end_after(&largest).await, "the agent closed the connection (no code)");
        }
    }
}

#[tokio::test]
async fn every_code_of_a_close_is_told_or_named_as_forbidden() {
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 4000, 4999_u16] {
        let end = end_after(&frame(8, &code.to_be_bytes())).await;
        assert_eq!(end, format!("the agent closed the connection (code {code})"));
    }
    for code in [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535_u16] {
        let end = end_after(&frame(8, &code.to_be_bytes())).await;
        let expected = "the connection was dropped: the agent closed with a code that RFC 6455 forbids";
        assert_eq!(end, expected, "{code}");
    }
    for reason in [b"\x03\xe8\xff".as_slice(), b"\x03\xe8ab\xc3", b"\x03\xe8\xed\xa0\x80"] {
        let end = end_after(&frame(8, reason)).await;
        assert_eq!(
            end,
            "the connection was dropped: the agent sent text that is not UTF-8 (RFC 6455, section 8.1)"
        );
    }
}

#[tokio::test]
async fn control_frames_amid_a_fragmented_message_are_answered_and_leave_it_whole() {
    let (heard, mut pongs) = tokio::sync::mpsc::unbounded_channel();
    let port = serve_upgraded(move |mut stream| {
        let heard = heard.clone();
        async move {
            let parts = [
                begun(TEXT, b"one "),
                frame(9, b"a"),
                begun(0, b""),
                frame(10, b"unasked"),
                begun(0, b"two "),
                frame(9, b"b"),
                frame(0, b"three"),
            ];
            write(&mut stream, parts.concat()).await;
            for _ in 0..2 {
                heard.send(read_frame(&mut stream).await.unwrap()).unwrap();
            }
            write(&mut stream, frame(8, b"\x03\xe8")).await;
            until_closed(&mut stream).await;
        }
    })
    .await;
    let all = everything(dial(port, patient()).await.unwrap()).await;
    assert_eq!((all.len(), &all[0]), (2, &text("one two three")));
    assert_eq!(pongs.recv().await.unwrap(), (10, b"a".to_vec()));
    assert_eq!(pongs.recv().await.unwrap(), (10, b"b".to_vec()));
}

#[tokio::test]
async fn a_close_amid_a_fragmented_message_is_a_close() {
    let bytes = [begun(TEXT, b"half"), frame(8, b"\x03\xe9")].concat();
    assert_eq!(end_after(&bytes).await, "the agent closed the connection (code 1001)");
}

#[tokio::test]
async fn messages_are_not_mixed() {
    let both = [begun(TEXT, b"one"), frame(TEXT, b"two")].concat();
    let expected = "the agent began a message before the last one was complete (RFC 6455, section 5.4)";
    assert!(end_after(&both).await.ends_with(expected));
    let expected = "the agent continued a message that it had not begun (RFC 6455, section 5.4)";
    for orphan in [frame(0, b"a"), begun(0, b""), begun(0, b"a")] {
        assert!(end_after(&orphan).await.ends_with(expected));
    }
}

/// A character cut anywhere is whole again; one that never becomes whole is none.
#[tokio::test]
async fn bad_utf8_is_found_however_it_is_cut() {
    for bad in [b"\xf0\x9f\x8c".as_slice(), b"a\xc0\x80b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"ok\xff"] {
        for cut in 0..=bad.len() {
            let bytes = [begun(TEXT, &bad[..cut]), frame(0, &bad[cut..])].concat();
            let end = end_after(&bytes).await;
            assert!(end.contains("text that is not UTF-8"), "{bad:02x?} cut at {cut}: {end}");
        }
    }
}

#[tokio::test]
async fn one_byte_fragments_make_a_message_up_to_the_bound() {
    let fragments = |bytes: usize| {
        let mut all = begun(TEXT, b"");
        (0..bytes).for_each(|_| all.extend([0, 1, b'x']));
        all.extend(frame(0, b""));
        all
    };
    let largest = [fragments(128 * 1024), frame(8, b"")].concat();
    let all = everything(link_to_one_that_sends(largest, false).await).await;
    assert!(matches!(&all[0], Incoming::Text(text) if text.len() == 128 * 1024));
    assert_eq!(ended(&all), "the agent closed the connection (no code)");
    let oversized = [fragments(1024 * 1024), frame(8, b"")].concat();
    let all = everything(link_to_one_that_sends(oversized, false).await).await;
    assert_eq!(all[0], Incoming::Oversized { bytes: 1024 * 1024 });
    let beyond = fragments(1024 * 1024 + 1);
    let all = everything(link_to_one_that_sends(beyond, false).await).await;
    assert!(matches!(all[..], [Incoming::Closed(Closure::TooLarge { .. })]), "{all:?}");
}

/// They hold nothing, so no bound of a message is ever reached.
#[tokio::test]
async fn empty_fragments_without_end_are_no_message() {
    let port = serve_upgraded(|mut stream| async move {
        write(&mut stream, begun(TEXT, b"and")).await;
        let block = [0; 32 * 1024];
        while stream.write_all(&block).await.is_ok() {}
    })
    .await;
    let link = dial(port, patient()).await.unwrap();
    let all = tokio::time::timeout(Duration::from_secs(20), everything(link)).await.expect("it ends");
    let expected = "the connection was dropped: the agent sent a message in fragments without end: more than 4,194,304 bytes";
    assert_eq!(ended(&all), expected);
}

#[tokio::test]
async fn small_messages_may_go_on_for_ever() {
    let many = frame(TEXT, b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").repeat(300_000);
    let all = everything(link_to_one_that_sends([many, frame(8, b"")].concat(), false).await).await;
    assert_eq!(all.len(), 300_001);
    assert_eq!(ended(&all), "the agent closed the connection (no code)");
}

#[tokio::test]
async fn a_reset_in_the_middle_of_a_frame_is_a_lost_connection() {
    for begin in [b"".as_slice(), b"\x81", b"\x81\x05", b"\x81\x05he", b"\x81\x7e\x01", b"\x88\x02\x03"] {
        let port = serve_upgraded(move |mut stream| async move {
            write(&mut stream, begin).await;
            // With this, dropping the socket sends RST instead of FIN.
            stream.set_zero_linger().unwrap();
        })
        .await;
        // The reset may already be there when the link opens.
        let Ok(link) = dial(port, patient()).await else { continue };
        let all = everything(link).await;
        assert!(matches!(all[..], [Incoming::Closed(Closure::Lost(_))]), "{begin:02x?}: {all:?}");
    }
}

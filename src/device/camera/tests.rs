use proptest::prelude::*;

use super::simulated::simulated_cameras;
use super::wire::{
    HEADER_BYTES, PAYLOAD_BYTES, PREFIX_BYTES, Prefix, Reply, Request, Size, Source, WireError, decode,
    encode, picture,
};
use super::*;

fn prefix(header: u32, payload: u32) -> [u8; PREFIX_BYTES] {
    let mut bytes = *b"ACC1\0\0\0\0\0\0\0\0";
    bytes[4..8].copy_from_slice(&header.to_be_bytes());
    bytes[8..].copy_from_slice(&payload.to_be_bytes());
    bytes
}

#[test]
fn lengths_are_refused_before_anything_is_allocated() {
    assert_eq!(Prefix::parse(&prefix(2, 3)), Ok(Prefix { header: 2, payload: 3 }));
    let long = |part, bytes, most| Err(WireError::TooLong { part, bytes, most });
    assert_eq!(Prefix::parse(&prefix(32_769, 0)), long("header", 32_769, 32_768));
    assert_eq!(Prefix::parse(&prefix(1, u32::MAX)), long("payload", u32::MAX as usize, PAYLOAD_BYTES));
    assert_eq!(Prefix::parse(b"HTTP/1.1 200"), Err(WireError::NoMessage));
    assert!(encode(&Request::Open { source: Source::File { path: "x".repeat(40_000) } }, 0).is_err());
}

#[test]
fn frames_must_match_what_they_say() {
    let frame =
        |format: &str, w, h, stride, bytes: usize| picture(format, w, h, stride, vec![9; bytes]).is_ok();
    assert!(frame("rgb8", 4, 2, 12, 24));
    assert!(frame("rgb8", 4, 2, 16, 32), "padded rows");
    assert!(!frame("rgb8", 4, 2, 12, 23) && !frame("rgb8", 4, 2, 11, 22) && !frame("yuyv", 4, 2, 12, 24));
    assert!(!frame("rgb8", 0, 0, 0, 0) && !frame("rgb8", 2_049, 1, 6_147, 6_147));
    assert!(!frame("rgb8", u32::MAX, u32::MAX, u32::MAX, 0));
}

proptest! {
    #[test]
    fn no_bytes_make_the_codec_panic(bytes: [u8; PREFIX_BYTES], header in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(prefix) = Prefix::parse(&bytes) {
            prop_assert!(prefix.header <= HEADER_BYTES && prefix.payload <= PAYLOAD_BYTES);
        }
        let _ = decode::<Reply>(&header);
        let _ = decode::<Request>(&header);
    }

    #[test]
    fn what_is_encoded_is_decoded(name in ".{0,60}", width: u32, height: u32, payload in 0..PAYLOAD_BYTES) {
        let reply = Reply::Opened { name, width, height, fourcc: None, fps: Some(29.97) };
        let bytes = encode(&reply, payload).unwrap();
        let prefix = Prefix::parse(bytes[..PREFIX_BYTES].try_into().unwrap()).unwrap();
        prop_assert_eq!((prefix.header, prefix.payload), (bytes.len() - PREFIX_BYTES, payload));
        prop_assert_eq!(decode::<Reply>(&bytes[PREFIX_BYTES..]).unwrap(), reply);
    }

    #[test]
    fn the_child_survives_any_input(bytes in proptest::collection::vec(any::<u8>(), 0..200), sound: bool) {
        let mut input = if sound { encode(&Request::Frame { size: Size::Full }, 0).unwrap() } else { Vec::new() };
        input.extend_from_slice(&bytes);
        let mut output = Vec::new();
        let _ = child::serve(&mut input.as_slice(), &mut output);
        prop_assert!(output.starts_with(b"ACC1"), "it greets first");
        prop_assert_eq!(output.windows(12).filter(|w| w == b"\"is\":\"failed").count() >= 1, sound);
    }
}

#[test]
fn cameras_are_chosen_by_name_part_or_kind() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
    let program = CameraProgram::this();
    let choice = |name: &str| {
        choose(name, &program, simulated_cameras(Some(&directory), &program))
            .map(|c| c.label())
            .unwrap_or_else(|e| e.to_string())
    };
    assert_eq!(choice("SIMULATED test card"), "SIMULATED test card");
    assert_eq!(choice("simulated"), "SIMULATED test card");
    assert_eq!(choice("desk"), "SIMULATED desk.png");
    assert_eq!(choice("file:/tmp/cup.jpg"), "SIMULATED cup.jpg");
    let available = "available: SIMULATED test card, SIMULATED desk.png, SIMULATED shelf.png";
    let none = choice("HD Webcam");
    assert!(none.starts_with("there is no camera \"HD Webcam\"") && none.ends_with(available), "{none}");
    assert_eq!(choice(".png"), format!("the name \".png\" fits 2 cameras; {available}"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_held_up_before_it_is_our_program_holds_up_nobody_and_is_ended_later() {
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let (tell, mut told) = tokio::sync::oneshot::channel();
    let spawning = process::apart(move || {
        let _ = held.recv();
        let child = process::command("/bin/cat".into()).arg("-").spawn()?;
        let _ = tell.send(child.id());
        Ok(child)
    });
    let waited = tokio::time::timeout(Duration::from_millis(50), spawning).await;
    assert!(waited.is_err() && told.try_recv().is_err(), "nobody waits for it any more");
    let_go.send(()).unwrap();
    let id = told.await.unwrap().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())).unwrap();
    let gone = async {
        while rustix::process::test_kill_process(id).is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("it is ended and collected");
}

use proptest::prelude::*;

use super::info::name_apart;
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

fn format(fourcc: &str, width: u32, height: u32, fps: f32) -> FormatInfo {
    FormatInfo { fourcc: fourcc.into(), width, height, fps: (fps > 0.0).then_some(fps) }
}

fn info(card: &str, node: &str, bus: &str) -> CameraInfo {
    let formats = vec![format("YUYV", 1_280, 720, 30.0), format("MJPG", 640, 480, 30.0)];
    let (name, card, node, bus) = (card.to_owned(), card.to_owned(), node.to_owned(), bus.to_owned());
    CameraInfo { name, card, node, bus, formats, trouble: None }
}

#[test]
fn real_cameras_are_chosen_by_name_part_node_and_format() {
    let program = CameraProgram::this();
    let choice = |name: &str| {
        let mut infos = vec![
            info("HD Webcam", "/dev/video0", "usb-1"),
            info("HD Webcam", "/dev/video2", "usb-2"),
            info("Scope @ home", "/dev/video12", "usb-3"),
        ];
        name_apart(&mut infos);
        let mut cameras: Vec<Box<dyn Camera>> = Vec::new();
        cameras.extend(infos.into_iter().map(|i| Box::new(Webcam::new(i, program.clone())) as _));
        cameras.extend(simulated_cameras(None, &program));
        choose(name, &program, cameras).map_or_else(|e| e.to_string(), |c| c.name().to_owned())
    };
    assert_eq!(choice("/dev/video0"), "HD Webcam (usb-1)");
    assert_eq!(choice("/dev/video12"), "Scope @ home");
    assert_eq!(choice("hd webcam (usb-2)"), "HD Webcam (usb-2)");
    assert_eq!(choice("scope"), "Scope @ home");
    assert_eq!(choice("scope@mjpg 640x480"), "Scope @ home");
    assert_eq!(choice("/dev/video2@640x480"), "HD Webcam (usb-2)");
    assert_eq!(choice("simulated"), "SIMULATED test card");
    let available = "available: HD Webcam (usb-1), HD Webcam (usb-2), Scope @ home, SIMULATED test card";
    assert_eq!(choice("webcam"), format!("the name \"webcam\" fits 2 cameras; {available}"));
    assert_eq!(choice("webcam@MJPG"), format!("the name \"webcam\" fits 2 cameras; {available}"));
    let nonsense = choice("scope@H264");
    assert!(nonsense.starts_with("there is no camera \"scope@H264\""), "{nonsense}");
    assert_eq!(choice("simulated@MJPG"), "SIMULATED test card has one format only");
}

#[test]
fn names_of_cameras_are_told_apart_by_place_then_by_node() {
    let named = |mut cameras: Vec<CameraInfo>| {
        name_apart(&mut cameras);
        cameras.into_iter().map(|c| c.name).collect::<Vec<_>>()
    };
    let one = info("Cam", "/dev/video0", "usb-1");
    assert_eq!(named(vec![one.clone()]), ["Cam"]);
    assert_eq!(named(vec![one.clone(), info("Other", "/dev/video2", "usb-1")]), ["Cam", "Other"]);
    let apart = named(vec![one.clone(), info("Cam", "/dev/video2", "usb-2")]);
    assert_eq!(apart, ["Cam (usb-1)", "Cam (usb-2)"]);
    let same = named(vec![one.clone(), info("Cam", "/dev/video2", "usb-1"), info("Cam", "/dev/video4", "")]);
    assert_eq!(same, ["Cam (/dev/video0)", "Cam (/dev/video2)", "Cam (/dev/video4)"]);
}

#[test]
fn the_format_near_720p_at_15_pictures_a_second_is_chosen() {
    let best = |formats: &[FormatInfo]| {
        let best = choice::best(formats, &Wish::default());
        best.map_or_else(String::new, |f| format!("{} {}x{}", f.fourcc, f.width, f.height))
    };
    let usb2 = [
        format("YUYV", 640, 480, 30.0),
        format("YUYV", 1_280, 720, 10.0),
        format("YUYV", 1_920, 1_080, 5.0),
        format("MJPG", 640, 480, 30.0),
        format("MJPG", 1_280, 720, 30.0),
        format("MJPG", 1_920, 1_080, 30.0),
    ];
    assert_eq!(best(&usb2), "MJPG 1280x720", "uncompressed it is too slow");
    assert_eq!(best(&usb2[..3]), "YUYV 1280x720", "slow is better than small");
    assert_eq!(best(&[usb2[3].clone(), usb2[5].clone()]), "MJPG 1920x1080");
    let usb3 = [format("MJPG", 1_280, 720, 60.0), format("YUYV", 1_280, 720, 30.0)];
    assert_eq!(best(&usb3), "YUYV 1280x720", "uncompressed where it is fluid");
    let infrared = [format("GREY", 1_280, 720, 30.0), format("MJPG", 320, 240, 30.0)];
    assert_eq!(best(&infrared), "MJPG 320x240", "colours before size");
    assert_eq!(best(&infrared[..1]), "GREY 1280x720");
    assert_eq!(
        best(&[format("UYVY", 720, 576, 0.0)]),
        "UYVY 720x576",
        "a rate that is not said counts as enough"
    );
    assert_eq!(best(&[format("H264", 1_280, 720, 30.0), format("YUYV", 0, 720, 30.0)]), "");
    assert_eq!(choice::rate(&usb3[0]), Some(30.0), "more shortens the exposure");
}

#[test]
fn a_wish_chooses_among_formats() {
    let wish = |text| Wish::parse(text).unwrap();
    let formats =
        [format("YUYV", 1_280, 720, 30.0), format("MJPG", 640, 480, 30.0), format("YUYV", 640, 480, 30.0)];
    let best = |text| choice::best(&formats, &wish(text)).cloned();
    assert_eq!(best("mjpg"), Some(formats[1].clone()));
    assert_eq!(best("640x480"), Some(formats[2].clone()));
    assert_eq!(best("640×480 MJPG"), Some(formats[1].clone()));
    assert_eq!(best("NV12"), None);
    assert_eq!(wish("mjpg 640x480").to_string(), "MJPG 640x480");
    for nonsense in ["", " ", "H264", "640x", "x", "MJPG YUYV", "1x1 2x2", "home"] {
        assert_eq!(Wish::parse(nonsense), None, "{nonsense}");
    }
}

#[test]
fn every_trouble_is_a_sentence_with_a_hint_and_survives_the_wire() {
    let words = || "words".to_owned();
    let troubles = [
        CameraTrouble::NotBuilt,
        CameraTrouble::NoCamera,
        CameraTrouble::Busy { holders: vec![] },
        CameraTrouble::Busy { holders: vec!["cheese (pid 812)".into()] },
        CameraTrouble::NoPermission { group: None },
        CameraTrouble::NoPermission { group: Some("video".into()) },
        CameraTrouble::Unplugged,
        CameraTrouble::NoFrames { milliseconds: 3_500 },
        CameraTrouble::NoSignal,
        CameraTrouble::NoFormats,
        CameraTrouble::NoUsableFormat { offered: vec!["H264".into(), "HEVC".into()] },
        CameraTrouble::NoSuchFormat { wanted: "MJPG".into() },
        CameraTrouble::Multiplanar,
        CameraTrouble::Damaged { frames: 30, why: "half of it".into() },
        CameraTrouble::Connection { what: words(), code: words() },
        CameraTrouble::Frozen { milliseconds: 5_000 },
        CameraTrouble::Crashed { how: words() },
        CameraTrouble::Other { what: words(), code: words() },
    ];
    let mut shown = String::new();
    for trouble in troubles {
        let reply = Reply::Failed { message: String::new(), trouble: Some(trouble.clone()) };
        let bytes = encode(&reply, 0).unwrap();
        assert_eq!(decode::<Reply>(&bytes[PREFIX_BYTES..]).unwrap(), reply);
        shown += &format!("{trouble}\n  -> {}\n", trouble.hint());
    }
    insta::assert_snapshot!("troubles", shown);
}

#[test]
fn a_camera_cannot_put_lines_or_endless_text_into_ours() {
    let mut camera = info(&"Evil\n\u{1b}[31mcam ".repeat(60), "/dev/video0", "");
    camera.formats = vec![format("Y\u{0}Ü12345", 1, 1, f32::NAN); 500];
    camera.trouble = Some(CameraTrouble::Busy { holders: vec!["a\nb".repeat(500); 500] });
    let camera = camera.tidied();
    assert!(camera.card.starts_with("Evil[31mcam") && camera.card.chars().count() <= 128);
    assert_eq!(
        (camera.formats.len(), camera.formats[0].fourcc.as_str(), camera.formats[0].fps),
        (96, "Y123", None)
    );
    let bytes = encode(&Reply::Camera { camera }, 0).unwrap();
    let text = String::from_utf8_lossy(&bytes[PREFIX_BYTES..]);
    assert!(!text.contains("\\n") && !text.contains('\n'), "no line breaks");
}

#[test]
fn what_was_listed_decides_what_is_opened() {
    let mut camera = Webcam::new(info("Cam", "/dev/video0", "usb-1"), CameraProgram::at("/nowhere/camera"));
    let armed =
        Armed::mint(crate::device::DeviceKind::Camera, crate::device::ArmedBy::Key, Duration::from_secs(9));
    let mut said = |wish: &str| {
        assert!(camera.wish(Wish::parse(wish).unwrap()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { camera.open(&armed).await.err().unwrap() })
    };
    let none = said("NV12 1280x720");
    assert_eq!(none.to_string(), "the camera Cam gave no picture: it has no format NV12 1280x720");
    assert_eq!(none.hint().as_deref(), Some("`agentcall devices` lists what it has"));
    assert!(matches!(said("MJPG"), CameraError::Start { .. }), "this one would have been opened");
}

#[test]
fn the_child_refuses_what_was_wished_for_and_is_not_there() {
    let formats =
        [format("YUYV", 640, 480, 30.0), format("MJPG", 1_280, 720, 30.0), format("H264", 9, 9, 1.0)];
    let pick =
        |formats: &[FormatInfo], wish: &str| choice::pick(formats, &Wish::parse(wish).unwrap_or_default());
    assert_eq!(pick(&formats, "").unwrap(), formats[1]);
    assert_eq!(pick(&formats, "640x480").unwrap(), formats[0]);
    let none = pick(&formats, "NV12 640x480").unwrap_err();
    assert_eq!(none.to_string(), "it has no format NV12 640x480");
    assert_eq!(pick(&[], "NV12"), Err(CameraTrouble::NoFormats));
    let unread = pick(&formats[2..], "").unwrap_err();
    assert_eq!(unread.to_string(), "none of its formats is read here: it has H264");
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

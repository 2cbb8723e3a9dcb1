use super::*;
use crate::picture::raw::Colours;

/// A camera that delivers what it is told to.
struct Fake {
    set: FormatInfo,
    format: PixelFormat,
    frames: Vec<Result<&'static [u8], CameraTrouble>>,
    closed: std::rc::Rc<std::cell::Cell<bool>>,
}

const WHOLE: &[u8] = &[9, 9];
const HALF: &[u8] = &[9];

fn fake(width: u32, frames: Vec<Result<&'static [u8], CameraTrouble>>) -> Fake {
    let set = FormatInfo { fourcc: "GREY".into(), width, height: 1, fps: None };
    let frames = frames.into_iter().rev().collect();
    Fake { set, format: PixelFormat::Grey, frames, closed: std::rc::Rc::default() }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.closed.set(true);
    }
}

impl Lens for Fake {
    fn set(&self) -> &FormatInfo {
        &self.set
    }

    fn take(&mut self, see: &mut See<'_>) -> Result<(), CameraTrouble> {
        let bytes = self.frames.pop().unwrap_or(Ok(HALF))?;
        let FormatInfo { width, height, .. } = self.set;
        let colours = Colours::default();
        see(Ok(&RawFrame { format: self.format, width, height, stride: None, colours, bytes }));
        Ok(())
    }
}

#[test]
fn damaged_frames_are_dropped_and_the_next_whole_one_is_taken() {
    let mut lens = fake(2, vec![Ok(HALF), Ok(HALF), Ok(WHOLE), Ok(WHOLE)]);
    let (_, first) = next(&mut lens, Care::Whole).unwrap();
    assert_eq!(first, RawFacts { bytes: 2, dropped: 2 });
    let (_, second) = next(&mut lens, Care::Whole).unwrap();
    assert_eq!(second.dropped, 0, "they are counted for each picture");
}

#[test]
fn the_last_frame_is_whole_too_and_the_camera_is_closed_then() {
    let lens = fake(2, vec![Ok(HALF), Ok(WHOLE)]);
    let closed = std::rc::Rc::clone(&lens.closed);
    let (picture, facts) = last(Box::new(lens)).unwrap();
    assert_eq!((picture.expose_rgb(), facts.dropped), (&[9; 6][..], 1));
    assert!(closed.get());
    assert!(last(Box::new(fake(2, vec![]))).is_err());
}

#[test]
fn a_last_frame_that_is_a_jpeg_is_decoded_before_the_camera_is_closed() {
    let mut lens = fake(2, vec![Ok(HALF)]);
    lens.format = PixelFormat::Mjpeg;
    let refused = last(Box::new(lens)).unwrap_err();
    assert!(matches!(refused, CameraTrouble::Damaged { frames: DAMAGED_FRAMES, .. }), "{refused}");
}

#[test]
fn a_camera_that_gives_only_damaged_frames_is_told_so_in_the_end() {
    let refused = next(&mut fake(2, vec![]), Care::Whole).unwrap_err();
    let why = "the frame has 1 bytes; its size takes 2";
    assert_eq!(refused, CameraTrouble::Damaged { frames: DAMAGED_FRAMES, why: why.into() });
    assert_eq!(refused.to_string(), format!("30 pictures came from it, and each was damaged: {why}"));
}

#[test]
fn what_the_camera_refuses_and_what_cannot_be_read_is_told_at_once() {
    let gone = next(&mut fake(2, vec![Ok(HALF), Err(CameraTrouble::Unplugged)]), Care::Whole);
    assert_eq!(gone.unwrap_err(), CameraTrouble::Unplugged);
    let refused = next(&mut fake(1_000_000, vec![Ok(WHOLE)]), Care::Whole);
    let words = refused.unwrap_err().to_string();
    assert!(words.starts_with("decoding its picture failed: ") && words.contains("1000000"), "{words}");
}

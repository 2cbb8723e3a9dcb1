use super::*;

/// A camera that delivers what it is told to.
struct Fake {
    set: FormatInfo,
    frames: Vec<Result<Taken, CameraTrouble>>,
}

fn fake(frames: Vec<Result<Taken, CameraTrouble>>) -> Fake {
    let set = FormatInfo { fourcc: "GREY".into(), width: 2, height: 1, fps: None };
    Fake { set, frames: frames.into_iter().rev().collect() }
}

impl Lens for Fake {
    fn set(&self) -> &FormatInfo {
        &self.set
    }

    fn take(&mut self, _: Care) -> Result<Taken, CameraTrouble> {
        self.frames.pop().unwrap_or_else(|| Ok(damaged()))
    }
}

fn damaged() -> Taken {
    Taken { picture: Err(PictureError::Damaged { why: "half of it".into() }), bytes: 100 }
}

fn whole() -> Taken {
    Taken { picture: Picture::from_rgb(1, 1, vec![9, 9, 9]), bytes: 3 }
}

#[test]
fn damaged_frames_are_dropped_and_the_next_whole_one_is_taken() {
    let mut lens = fake(vec![Ok(damaged()), Ok(damaged()), Ok(whole()), Ok(whole())]);
    let (_, first) = next(&mut lens, Care::Whole).unwrap();
    assert_eq!(first, RawFacts { bytes: 3, dropped: 2 });
    let (_, second) = next(&mut lens, Care::Whole).unwrap();
    assert_eq!(second.dropped, 0, "they are counted for each picture");
}

#[test]
fn a_camera_that_gives_only_damaged_frames_is_told_so_in_the_end() {
    let refused = next(&mut fake(vec![]), Care::Whole).unwrap_err();
    assert_eq!(refused, CameraTrouble::Damaged { frames: DAMAGED_FRAMES, why: "half of it".into() });
    assert_eq!(refused.to_string(), "30 pictures came from it, and each was damaged: half of it");
}

#[test]
fn what_the_camera_refuses_and_what_cannot_be_read_is_told_at_once() {
    let gone = next(&mut fake(vec![Ok(damaged()), Err(CameraTrouble::Unplugged)]), Care::Whole);
    assert_eq!(gone.unwrap_err(), CameraTrouble::Unplugged);
    let lossless = PictureError::UnsupportedKind { why: "it is a lossless JPEG" };
    let refused = next(&mut fake(vec![Ok(Taken { picture: Err(lossless), bytes: 9 })]), Care::Whole);
    let words = refused.unwrap_err().to_string();
    assert!(words.starts_with("decoding its picture failed: ") && words.contains("lossless"), "{words}");
}

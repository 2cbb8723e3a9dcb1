//! Files that are no pictures, or more than a picture may be, through the real child: one line that says why.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentcall::device::camera::CameraError;
use agentcall::device::camera::simulated::SimulatedCamera;

use crate::{armed, asset, capture, real};

/// What the user reads about this file.
async fn refused(path: impl Into<PathBuf>) -> String {
    let camera = SimulatedCamera::of_file(path.into(), real().with_deadline(Duration::from_secs(60)));
    let failed = capture(camera, &armed()).await.unwrap_err();
    let line = failed.to_string();
    assert!(matches!(failed, CameraError::Refused { .. }), "the file is blamed, not the process: {line}");
    assert!(!line.contains('\n') && line.chars().count() < 500, "{line}");
    line
}

fn fifo(home: &Path) -> PathBuf {
    let path = home.join("pipe.png");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[tokio::test]
async fn what_is_no_file_is_not_read() {
    let home = tempfile::tempdir().unwrap();
    for path in [fifo(home.path()), "/dev/zero".into(), "/dev/null".into(), home.path().to_owned()] {
        let line = refused(&path).await;
        assert!(line.contains("it is not a regular file: "), "{line}");
    }
    let circle = home.path().join("circle.png");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    assert!(refused(&circle).await.contains("symbolic links"));
    assert!(refused(asset("desk.png").join("below")).await.contains("Not a directory"));
    let empty = home.path().join("empty.png");
    std::fs::write(&empty, []).unwrap();
    assert!(refused(&empty).await.contains("picture"));
}

#[tokio::test]
async fn a_long_path_does_not_hide_the_reason() {
    for length in [5_000, 100_000] {
        let line = refused(format!("/{}/desk.png", "x".repeat(length))).await;
        assert!(line.contains("too long"), "{line}");
    }
    let escaped = refused(format!("/{}", "\u{1}".repeat(4_000))).await;
    assert!(escaped.contains("too long"), "{escaped}");
    let home = tempfile::tempdir().unwrap();
    let deep = home.path().join("ä".repeat(100)).join("cup.png");
    let line = refused(&deep).await;
    assert!(line.contains("No such file") && line.ends_with("/cup.png") && line.contains('…'), "{line}");
}

/// A PNG of zeros, of this size, with few bytes.
fn zeros(path: &Path, side: u32) {
    let mut encoder = png::Encoder::new(std::fs::File::create(path).unwrap(), side, side);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    let mut stream = writer.stream_writer().unwrap();
    let row = vec![0; side as usize * 3];
    for _ in 0..side {
        std::io::Write::write_all(&mut stream, &row).unwrap();
    }
    stream.finish().unwrap();
}

/// A JPEG that says it has this size, and ends.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8];
    bytes.extend_from_slice(&height.to_be_bytes());
    bytes.extend_from_slice(&width.to_be_bytes());
    bytes.extend_from_slice(&[3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
    bytes.extend_from_slice(&[0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0, 1, 2, 3, 0xFF, 0xD9]);
    bytes
}

#[tokio::test]
async fn c13_bombs_end_in_one_line() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    zeros(&at("zeros.png"), 8_000);
    assert!(std::fs::metadata(at("zeros.png")).unwrap().len() < 2_000_000, "few bytes stand for 192 MB");
    let line = refused(at("zeros.png")).await;
    assert!(line.contains("decoding the picture") || line.contains("memory"), "{line}");
    zeros(&at("wide.png"), 9_000);
    let line = refused(at("wide.png")).await;
    assert!(line.contains("9000×9000 pixels; at most 8192 a side"), "{line}");
    std::fs::write(at("giant.jpg"), jpeg(65_500, 65_500)).unwrap();
    let line = refused(at("giant.jpg")).await;
    assert!(line.contains("65500×65500 pixels; at most 8192 a side"), "{line}");
    // 33 MiB of a file is more than is read.
    let large = std::fs::File::create(at("large.png")).unwrap();
    large.set_len(33 * 1024 * 1024).unwrap();
    let line = refused(at("large.png")).await;
    assert!(line.contains("bytes; at most"), "{line}");
}

#[tokio::test]
async fn the_largest_picture_that_may_be_fits_into_the_childs_memory() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("large.png");
    zeros(&path, 6_000);
    let camera = SimulatedCamera::of_file(path, real().with_deadline(Duration::from_secs(120)));
    let picture = capture(camera, &armed()).await.unwrap();
    assert_eq!((picture.width(), picture.height()), (2_048, 2_048));
}

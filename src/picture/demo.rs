//! The demo pictures in `assets/pictures/`, drawn by code: nobody's photographs, and the same everywhere.

use super::Picture;
use super::test_card::Canvas;

/// The demo pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoPicture {
    /// A router on a desk, beside a cup: `desk.png`.
    Desk,
    /// A shelf with labelled boxes: `shelf.png`.
    Shelf,
}

impl DemoPicture {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Desk, Self::Shelf];

    /// The file's name in `assets/pictures/`.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Desk => "desk.png",
            Self::Shelf => "shelf.png",
        }
    }
}

/// Draws a demo picture, 1280×720.
pub fn demo_picture(which: DemoPicture) -> Picture {
    let mut canvas = Canvas::new(1280, 720);
    match which {
        DemoPicture::Desk => desk(&mut canvas),
        DemoPicture::Shelf => shelf(&mut canvas),
    }
    canvas.into_picture()
}

fn desk(canvas: &mut Canvas) {
    canvas.fill(0, 0, 1280, 470, [206, 214, 220]);
    for i in 0..25 {
        let shade = 150 - (i * 2) as u8;
        canvas.fill(0, 470 + i * 10, 1280, 10, [shade, shade / 3 * 2, shade / 3]);
    }
    // the router: two antennas, a dark box, four green lights and one amber
    canvas.fill(430, 140, 18, 270, [30, 32, 38]);
    canvas.fill(790, 140, 18, 270, [30, 32, 38]);
    canvas.fill(360, 400, 520, 130, [44, 48, 58]);
    canvas.fill(360, 400, 520, 10, [78, 84, 98]);
    for i in 0..4 {
        canvas.fill(410 + i * 50, 480, 18, 18, [70, 230, 110]);
    }
    canvas.fill(610, 480, 18, 18, [250, 180, 40]);
    canvas.text(410, 425, 300, 36, "ROUTER 7", [220, 224, 230]);
    // the label with a tag on it
    canvas.fill(740, 425, 110, 80, [250, 250, 245]);
    canvas.text(752, 450, 90, 28, "NFC", [20, 20, 20]);
    // the cup
    canvas.fill(1000, 420, 120, 140, [184, 60, 50]);
    canvas.fill(1120, 450, 30, 14, [184, 60, 50]);
    canvas.fill(1120, 510, 30, 14, [184, 60, 50]);
    canvas.fill(1136, 450, 14, 74, [184, 60, 50]);
    canvas.fill(1000, 420, 120, 16, [90, 30, 24]);
}

fn shelf(canvas: &mut Canvas) {
    canvas.fill(0, 0, 1280, 720, [228, 222, 208]);
    let boxes = [
        ("CABLES", [70, 110, 170]),
        ("TOOLS", [180, 90, 60]),
        ("SENSORS", [80, 140, 90]),
        ("SPARE 1", [130, 100, 150]),
        ("SPARE 2", [160, 150, 70]),
        ("PAPER", [110, 120, 130]),
    ];
    for (i, (label, colour)) in (0_u32..).zip(boxes) {
        let (x, y) = (70 + (i % 3) * 400, 90 + (i / 3) * 320);
        canvas.fill(x, y, 340, 210, colour);
        canvas.fill(x + 60, y + 80, 220, 70, [250, 250, 245]);
        canvas.text(x + 75, y + 98, 190, 36, label, [20, 20, 20]);
        if i % 3 == 0 {
            canvas.fill(0, y + 210, 1280, 26, [120, 84, 52]);
        }
    }
}

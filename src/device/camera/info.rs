//! What is known of a camera before it is opened. Pure; it travels from the child.

use serde::{Deserialize, Serialize};

use super::CameraTrouble;

/// Most formats of one camera that are told.
pub const FORMATS: usize = 96;
/// Longest name of a camera in characters.
pub const NAME_CHARS: usize = 128;

/// A camera that is plugged in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CameraInfo {
    /// The name by which it is chosen, unlike every other's: the maker's, and the place or the node where two are alike.
    pub name: String,
    /// What the maker calls it.
    pub card: String,
    /// Its node (`/dev/video0`), or its number where the system has no nodes.
    pub node: String,
    /// Where it is plugged in (`usb-0000:00:14.0-5`); empty where the system does not say.
    pub bus: String,
    /// What it can deliver, best first as it lists them: one entry for each format and size, at the highest rate.
    pub formats: Vec<FormatInfo>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<CameraTrouble>,
}

/// A format and size that a camera delivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormatInfo {
    /// The four-letter code: `MJPG`, `YUYV`.
    pub fourcc: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The highest number of pictures a second; `None` where the camera does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f32>,
}

/// The cameras that are plugged in, in the order of their nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The cameras.
    pub cameras: Vec<CameraInfo>,
    /// What went wrong while looking; the cameras that were found before are there all the same.
    pub trouble: Option<CameraTrouble>,
}

impl CameraInfo {
    /// The same within its bounds, every text one line.
    pub(super) fn tidied(mut self) -> Self {
        for text in [&mut self.name, &mut self.card, &mut self.node, &mut self.bus] {
            *text = line(text);
        }
        if self.card.is_empty() {
            self.card.clone_from(&self.node);
        }
        self.formats.truncate(FORMATS);
        for format in &mut self.formats {
            format.fourcc = format.fourcc.chars().filter(char::is_ascii_graphic).take(4).collect();
            format.fps = format.fps.filter(|fps| fps.is_finite() && *fps > 0.0);
        }
        self.trouble = self.trouble.map(CameraTrouble::tidied);
        self
    }
}

/// A text of a driver as one line of bounded length.
pub(super) fn line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect::<String>().trim().to_owned()
}

/// Gives each camera a name of its own: the maker's; where two are alike, with the place where it is plugged in; where
/// even that is the same, with the node.
pub(super) fn name_apart(cameras: &mut [CameraInfo]) {
    let alike = |cameras: &[CameraInfo], key: fn(&CameraInfo) -> (&str, &str)| -> Vec<bool> {
        let count = |one: &CameraInfo| cameras.iter().filter(|other| key(one) == key(other)).count();
        cameras.iter().map(|camera| count(camera) > 1).collect()
    };
    let by_card = alike(cameras, |c| (&c.card, ""));
    let by_place = alike(cameras, |c| (&c.card, &c.bus));
    for (camera, (card, place)) in cameras.iter_mut().zip(by_card.into_iter().zip(by_place)) {
        let apart = if place || camera.bus.is_empty() { &camera.node } else { &camera.bus };
        camera.name = if card { format!("{} ({apart})", camera.card) } else { camera.card.clone() };
    }
}

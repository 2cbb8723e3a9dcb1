//! The demo's tags and pictures, carried in the program, so that it works from any directory.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::exit::{Failure, Kind};
use crate::app::TagChoice;
use crate::safe_text::SafeText;

macro_rules! samples {
    ($($name:literal),* $(,)?) => { &[$(($name, include_bytes!(concat!("../../assets/", $name)).as_slice())),*] };
}

const SAMPLES: &[(&str, &[u8])] = samples![
    "tags/router.ndef",
    "tags/drill.ndef",
    "tags/museum.ndef",
    "tags/poster.ndef",
    "tags/note.bin",
    "tags/blank.bin",
    "tags/plant.nfc",
    "tags/toolbox.nfc",
    "pictures/desk.png",
    "pictures/shelf.png",
];

/// The samples, unpacked into a directory of their own that is removed in the end.
#[derive(Debug)]
pub struct Samples {
    directory: TempDir,
}

impl Samples {
    /// Unpacks them.
    ///
    /// # Errors
    /// [`Kind::Internal`] when the temporary directory cannot be written.
    pub fn unpack() -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            Failure::new(
                Kind::Internal,
                format!("unpacking the demo tags into the temporary directory failed: {error}"),
            )
        };
        let directory = tempfile::Builder::new().prefix("agentcall-").tempdir().map_err(failed)?;
        for part in ["tags", "pictures"] {
            fs::create_dir(directory.path().join(part)).map_err(failed)?;
        }
        for (name, bytes) in SAMPLES {
            fs::write(directory.path().join(name), bytes).map_err(failed)?;
        }
        Ok(Self { directory })
    }

    /// The directory of pictures, each of which is a simulated camera.
    pub fn pictures(&self) -> PathBuf {
        self.directory.path().join("pictures")
    }

    /// What the picker offers: the samples, then the files of the user's own directory.
    pub fn choices(&self, own: Option<&Path>) -> Vec<TagChoice> {
        let samples = files(&self.directory.path().join("tags"));
        let own = own.map(files).unwrap_or_default();
        samples.into_iter().chain(own).collect()
    }
}

/// The files of a directory, by name; an unreadable directory has none.
fn files(directory: &Path) -> Vec<TagChoice> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths
        .into_iter()
        .take(1_000)
        .map(|path| TagChoice {
            name: SafeText::line(&path.file_name().unwrap_or_default().to_string_lossy()),
            spec: path.to_string_lossy().into_owned(),
        })
        .collect()
}

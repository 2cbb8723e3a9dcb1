//! The demo tags and pictures that the binary carries, laid out in a private directory while it runs.
//!
//! The picker and the simulated camera take paths like any other, so that nothing about them is special; the
//! directory is for this user alone and goes when the kit is dropped. One that was left behind, because its program was
//! killed, goes when the next is laid out.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::exit::{Failure, Kind};
use crate::app::TagChoice;
use crate::safe_text::SafeText;

/// Most tag files of a directory that the picker lists.
const MOST_TAGS: usize = 256;
/// How the name of a kit's directory begins.
const PREFIX: &str = "agentcall-";
/// The file in it that is locked while it is in use.
const LOCK: &str = "in-use";
/// How old a directory is that is surely locked if it is in use.
const FRESH: Duration = Duration::from_secs(60);
/// What a tag file ends in.
const TAG_ENDINGS: [&str; 5] = ["ndef", "nfc", "bin", "dump", "mfd"];

macro_rules! carried {
    ($folder:literal: $($name:literal),+) => {
        &[$(($name, include_bytes!(concat!("../../assets/", $folder, "/", $name)))),+]
    };
}

const TAGS: &[(&str, &[u8])] = carried!("tags": "router.ndef", "drill.ndef", "museum.ndef", "poster.ndef", "note.bin",
    "blank.bin", "plant.nfc", "toolbox.nfc");
const PICTURES: &[(&str, &[u8])] = carried!("pictures": "desk.png", "shelf.png");

/// The directory.
#[derive(Debug)]
pub struct Kit {
    directory: TempDir,
    /// Locked as long as the kit is in use.
    _lock: File,
}

impl Kit {
    /// Lays it out.
    ///
    /// # Errors
    /// [`Kind::Usage`] with the directory that cannot be written.
    pub fn lay_out() -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            let place = std::env::temp_dir();
            let message = format!("laying out the demo tags in {} failed: {error}", place.display());
            Failure::new(Kind::Usage, message).hint("TMPDIR names another place.".to_owned())
        };
        sweep(&std::env::temp_dir(), FRESH);
        let directory = private().map_err(failed)?;
        let lock = File::create(directory.path().join(LOCK)).map_err(failed)?;
        // Where files cannot be locked, what is left behind stays.
        let _ = lock.try_lock();
        for (folder, files) in [("tags", TAGS), ("pictures", PICTURES)] {
            let folder = directory.path().join(folder);
            std::fs::create_dir(&folder).map_err(failed)?;
            files
                .iter()
                .try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
                .map_err(failed)?;
        }
        Ok(Self { directory, _lock: lock })
    }

    /// Where the pictures are.
    pub fn pictures(&self) -> PathBuf {
        self.directory.path().join("pictures")
    }

    /// What the picker offers: the user's own tags first, then those carried along.
    ///
    /// # Errors
    /// [`Kind::Usage`] when the user's directory cannot be read.
    pub fn tags(&self, own: Option<&Path>) -> Result<Vec<TagChoice>, Failure> {
        let mut choices = own.map(own_tags).transpose()?.unwrap_or_default();
        let carried = self.directory.path().join("tags");
        choices.extend(TAGS.iter().map(|(name, _)| choice(&carried.join(name))));
        Ok(choices)
    }
}

/// Removes the directories of kits whose program is no more: nobody holds their lock. Those younger than `fresh` may only
/// just be about to be locked.
fn sweep(place: &Path, fresh: Duration) {
    let entries = std::fs::read_dir(place).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let age =
            entry.metadata().and_then(|told| told.modified()).map(|at| at.elapsed().unwrap_or_default());
        let lock = File::options().write(true).open(entry.path().join(LOCK));
        if age.is_ok_and(|age| age >= fresh) && lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            // Another program may be removing it too.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// A new directory for this user alone.
fn private() -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

fn own_tags(directory: &Path) -> Result<Vec<TagChoice>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Usage, format!("reading the tags in {} failed: {error}", directory.display()))
    };
    let is_tag = |path: &PathBuf| {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        TAG_ENDINGS.contains(&ending.as_str())
    };
    let entries = std::fs::read_dir(directory).map_err(failed)?;
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_tag).collect();
    paths.sort();
    paths.truncate(MOST_TAGS);
    Ok(paths.iter().map(|path| choice(path)).collect())
}

fn choice(path: &Path) -> TagChoice {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    TagChoice { name: SafeText::line(&name), spec: path.to_string_lossy().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_in_the_assets_is_carried_and_goes_with_the_kit() {
        let kit = Kit::lay_out().unwrap();
        let place = kit.directory.path().to_owned();
        for (folder, files) in [("tags", TAGS), ("pictures", PICTURES)] {
            let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(folder);
            let mut there: Vec<String> = std::fs::read_dir(assets)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name != "README.md")
                .collect();
            let mut carried: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
            there.sort();
            carried.sort_unstable();
            assert_eq!(carried, there);
            assert!(files.iter().all(|(name, _)| place.join(folder).join(name).is_file()));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o700);
        }
        drop(kit);
        assert!(!place.exists());
    }

    #[test]
    fn what_a_killed_program_left_behind_goes_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        for name in ["agentcall-left", "agentcall-used", "agentcall-other", "left"] {
            std::fs::create_dir_all(place.path().join(name).join("tags")).unwrap();
        }
        File::create(place.path().join("agentcall-left").join(LOCK)).unwrap();
        File::create(place.path().join("left").join(LOCK)).unwrap();
        let used = File::create(place.path().join("agentcall-used").join(LOCK)).unwrap();
        used.lock().unwrap();
        let names = || {
            let mut names: Vec<String> = std::fs::read_dir(place.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        sweep(place.path(), FRESH);
        assert_eq!(names().len(), 4, "all are fresh");
        sweep(place.path(), Duration::ZERO);
        assert_eq!(names(), ["agentcall-other", "agentcall-used", "left"]);
    }

    #[test]
    fn own_tags_come_first_and_other_files_are_passed_over() {
        let own = tempfile::tempdir().unwrap();
        for name in ["b.NFC", "a.ndef", "notes.txt"] {
            std::fs::write(own.path().join(name), "x").unwrap();
        }
        let kit = Kit::lay_out().unwrap();
        let tags = kit.tags(Some(own.path())).unwrap();
        let names: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(names[..3], ["a.ndef", "b.NFC", "router.ndef"]);
        assert_eq!(names.len(), 2 + TAGS.len());
        let missing = kit.tags(Some(&own.path().join("none"))).unwrap_err();
        assert!(missing.message.contains("none"), "{missing:?}");
    }
}

//! The file with this device's own secret, which local aliases are made with (R10).
//!
//! The client calls [`load_or_create`] once. The key is made at the first call from the operating system's random
//! source, never leaves the device, and a changed key changes every alias, so nothing here ever replaces one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;
use zeroize::Zeroizing;

/// Name of the file in the state directory.
pub const FILE_NAME: &str = "device.key";
/// Bytes of the key.
pub const KEY_BYTES: usize = 32;

/// Why there is no key. Nothing is made or changed then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The operating system said no.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// Where.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The key's place is taken by something that is not a plain file, such as a symbolic link.
    #[error(
        "The device key {} is not a plain file. Move away what stands there; a new key changes every local alias.",
        .0.display()
    )]
    NotAFile(PathBuf),
    /// The file has another size.
    #[error(
        "The device key {} has the wrong size: 32 bytes are expected. Put back the right file, or move it away; a \
         new key changes every local alias.",
        .0.display()
    )]
    Length(PathBuf),
    /// Others may read the key.
    #[error("The device key {} is open to others (mode {mode:o}). Close it with: chmod 600 {}", path.display(), path.display())]
    FileMode {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Others may put files into the state directory.
    #[error("The state directory {} can be written by others (mode {mode:o}). Close it with: chmod 700 {}", path.display(), path.display())]
    DirectoryMode {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// Reads the key in `state_dir`, making both when they are not there: the directory 0700, the file 0600.
///
/// Two processes that start together get the same key: it is written beside its place and linked into it, which
/// fails for the second.
///
/// # Errors
///
/// [`KeyError`] when the file or the directory is not what it must be, or cannot be read or made.
pub fn load_or_create(state_dir: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>, KeyError> {
    let path = state_dir.join(FILE_NAME);
    make_directory(state_dir)?;
    match fs::symlink_metadata(&path) {
        Ok(_) => read(&path),
        Err(e) if e.kind() == io::ErrorKind::NotFound => create(state_dir, &path),
        Err(e) => Err(failed("Cannot look at the device key", &path)(e)),
    }
}

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KeyError {
    move |source| KeyError::Io { operation, path: path.to_owned(), source }
}

fn make_directory(dir: &Path) -> Result<(), KeyError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(failed("Cannot make the state directory", dir))?;
    let mode = mode(&fs::metadata(dir).map_err(failed("Cannot look at the state directory", dir))?);
    if mode & 0o022 == 0 { Ok(()) } else { Err(KeyError::DirectoryMode { path: dir.to_owned(), mode }) }
}

fn create(dir: &Path, path: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>, KeyError> {
    let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
    getrandom::fill(&mut *key).map_err(|e| failed("Cannot draw a device key for", path)(e.into()))?;
    let beside = dir.join(format!(".{FILE_NAME}.{}", crate::units::random_id()));
    let written = write_new(&beside, &key).and_then(|()| fs::hard_link(&beside, path));
    // The name beside is only a step; whether it can be removed does not decide about the key.
    let _ = fs::remove_file(&beside);
    match written {
        Ok(()) => Ok(key),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => read(path),
        Err(e) => Err(failed("Cannot write the device key", path)(e)),
    }
}

fn write_new(path: &Path, key: &[u8; KEY_BYTES]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(key)?;
    file.sync_all()
}

fn read(path: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>, KeyError> {
    let cannot = || failed("Cannot read the device key", path);
    // Looked at before opening, so that a pipe in its place cannot block; the open refuses links by itself.
    if !fs::symlink_metadata(path).map_err(cannot())?.is_file() {
        return Err(KeyError::NotAFile(path.to_owned()));
    }
    let mut file = open_plain(path).map_err(cannot())?;
    let meta = file.metadata().map_err(cannot())?;
    let mode = mode(&meta);
    if mode & 0o077 != 0 {
        return Err(KeyError::FileMode { path: path.to_owned(), mode });
    }
    if meta.len() != KEY_BYTES as u64 {
        return Err(KeyError::Length(path.to_owned()));
    }
    let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
    file.read_exact(&mut *key).map_err(cannot())?;
    Ok(key)
}

fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.cast_signed());
    }
    options.open(path)
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777
}

/// Where there are no such bits, the user's profile directory guards the file.
#[cfg(not(unix))]
fn mode(_meta: &fs::Metadata) -> u32 {
    0o600
}

#[cfg(test)]
mod tests;

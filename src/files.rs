//! Files that the user names: a token, certificates, settings, a scenario, a card, a passport, a tag, a picture. Called
//! by whoever reads one of them or names it, and by nobody else.
//!
//! Such a name may be anything: a pipe (`<(pass show agent)`) that shall work, a pipe into which nobody ever writes, a
//! directory, a device without an end. Reading is bounded in bytes and in time, whatever it is.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

/// How long a pipe may say nothing: enough for a program that asks for a password first.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many characters of a path a message shows: more than the paths that people have.
pub const SHOWN: usize = 200;

/// The first `most` bytes of the file, and one more if there are more, by which the caller sees that it is too large.
///
/// # Errors
/// What the system says; [`io::ErrorKind::IsADirectory`]; [`io::ErrorKind::TimedOut`] for a pipe that says nothing
/// for 10 seconds.
pub fn read_at_most(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    read_within(path, most, PATIENCE)
}

/// The same without holding up the runtime's threads.
///
/// # Errors
/// As [`read_at_most`].
pub async fn read_aside(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || read_at_most(&path, most)).await;
    read.map_err(io::Error::other).flatten()
}

/// A path as a message shows it: of a long one its end, which says most.
pub fn shown(path: &Path) -> String {
    end_of(&path.display().to_string(), SHOWN)
}

/// At most so many characters of a path as it is shown: the end of a long one, which says most.
pub fn end_of(path: &str, most: usize) -> String {
    match path.char_indices().rev().nth(most) {
        Some((at, c)) => format!("…{}", &path[at + c.len_utf8()..]),
        None => path.to_owned(),
    }
}

fn read_within(path: &Path, most: usize, patience: Duration) -> io::Result<Vec<u8>> {
    // The size that the system names is not believed: a device or a pipe has none, and may never end.
    // Wiped if reading fails: half a token or half a tag is one too.
    let mut bytes = Zeroizing::new(Vec::new());
    let file = Patient { file: open(path)?, patience };
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(std::mem::take(&mut *bytes))
}

/// Opens without waiting: an ordinary opening of a pipe waits for its writer, and no signal ends that.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options
            .custom_flags((rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// Waits for each piece, but not for ever.
struct Patient {
    file: File,
    patience: Duration,
}

impl Read for Patient {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let until = Instant::now() + self.patience;
        loop {
            wait(&self.file, until)?;
            match self.file.read(room) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

#[cfg(unix)]
fn wait(file: &File, until: Instant) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut files = [PollFd::new(file, PollFlags::IN)];
        match poll(&mut files, Timespec::try_from(left).ok().as_ref()) {
            Ok(0) => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "nothing came from it; is it a pipe without a writer?",
                ));
            }
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
fn wait(_file: &File, _until: Instant) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// A named pipe in a directory of its own.
    fn pipe() -> (tempfile::TempDir, std::path::PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        (place, path)
    }

    #[test]
    fn a_pipe_without_a_writer_is_given_up() {
        let (_place, path) = pipe();
        let error = read_within(&path, 10, Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_pipe_whose_writer_comes_late_and_in_pieces_is_read_to_its_end() {
        let (_place, path) = pipe();
        let theirs = path.clone();
        let writer = std::thread::spawn(move || {
            use std::io::Write;
            let mut pipe = File::options().write(true).open(theirs).unwrap();
            pipe.write_all(b"one ").unwrap();
            std::thread::yield_now();
            pipe.write_all(b"two").unwrap();
        });
        assert_eq!(read_within(&path, 100, PATIENCE).unwrap(), b"one two");
        writer.join().unwrap();
    }

    #[test]
    fn nothing_without_an_end_is_read_further_than_its_bound() {
        assert_eq!(read_at_most(Path::new("/dev/zero"), 100).unwrap().len(), 101);
        assert_eq!(read_at_most(Path::new("/dev/null"), 100).unwrap(), b"");
    }

    #[test]
    fn what_is_no_file_is_an_error_at_once() {
        let place = tempfile::tempdir().unwrap();
        let kind = |path: &Path| read_at_most(path, 10).unwrap_err().kind();
        assert_eq!(kind(place.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&place.path().join("none")), io::ErrorKind::NotFound);
        assert_eq!(kind(&place.path().join("x".repeat(5_000))), io::ErrorKind::InvalidFilename);
        let socket = place.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(read_at_most(&socket, 10).is_err(), "a socket cannot be opened");
    }
}

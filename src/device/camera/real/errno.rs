//! What the kernel's errors mean for a camera, and who holds it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::device::camera::CameraTrouble;

const EPERM: i32 = 1;
const ENOENT: i32 = 2;
const EIO: i32 = 5;
const ENXIO: i32 = 6;
const EACCES: i32 = 13;
const EBUSY: i32 = 16;
const ENODEV: i32 = 19;
const ENOSPC: i32 = 28;
const EPIPE: i32 = 32;
const ENOLCK: i32 = 37;
const ENOLINK: i32 = 67;
const EPROTO: i32 = 71;
const EOVERFLOW: i32 = 75;
const EILSEQ: i32 = 84;
const ETIMEDOUT: i32 = 110;
const EREMOTEIO: i32 = 121;
/// Most programs that are named.
const HOLDERS: usize = 4;

/// What an error means that came while `what` was done to `node`.
pub(super) fn trouble(error: &io::Error, what: &str, node: &Path) -> CameraTrouble {
    let words = error.to_string();
    of_code(error.raw_os_error(), &words, what, node)
}

/// The same of the words of a library that put the error's number into them: `… (os error 16)`.
pub(super) fn told(words: &str, what: &str, node: &Path) -> CameraTrouble {
    of_code(code(words), words, what, node)
}

/// The number in `… (os error 16)`.
pub(super) fn code(words: &str) -> Option<i32> {
    let (_, rest) = words.rsplit_once("(os error ")?;
    rest.split_once(')')?.0.parse().ok()
}

fn of_code(code: Option<i32>, words: &str, what: &str, node: &Path) -> CameraTrouble {
    let (what, words) = (what.to_owned(), words.to_owned());
    match code {
        Some(EBUSY) => CameraTrouble::Busy { holders: holders(node, Path::new("/proc")) },
        Some(EACCES | EPERM) => CameraTrouble::NoPermission { group: group(node) },
        Some(ENODEV | ENXIO | ENOENT) => CameraTrouble::Unplugged,
        Some(ENOLINK | ENOLCK) => CameraTrouble::NoSignal,
        Some(EIO | ENOSPC | EPIPE | EPROTO | EOVERFLOW | EILSEQ | ETIMEDOUT | EREMOTEIO) => {
            CameraTrouble::Connection { what, code: words }
        }
        _ => CameraTrouble::Other { what, code: words },
    }
}

/// Other programs that have `node` open, as far as we may see them: `cheese (pid 812)`.
pub(super) fn holders(node: &Path, proc: &Path) -> Vec<String> {
    let us = std::process::id();
    let mut pids: Vec<u32> = entries(proc).iter().filter_map(|name| name.parse().ok()).collect();
    pids.sort_unstable();
    let holds = |pid: &u32| {
        let open = proc.join(pid.to_string()).join("fd");
        entries(&open).iter().any(|fd| fs::read_link(open.join(fd)).is_ok_and(|to| to == node))
    };
    let named = |pid: u32| {
        let name = fs::read_to_string(proc.join(pid.to_string()).join("comm")).unwrap_or_default();
        let name = name.trim();
        format!("{} (pid {pid})", if name.is_empty() { "a program" } else { name })
    };
    pids.into_iter().filter(|pid| *pid != us).filter(holds).take(HOLDERS).map(named).collect()
}

fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The group whose members may use the node.
fn group(node: &Path) -> Option<String> {
    let facts = fs::metadata(node).ok()?;
    if facts.mode() & 0o060 != 0o060 || facts.gid() == 0 {
        return None;
    }
    let groups = fs::read_to_string("/etc/group").ok()?;
    group_name(&groups, facts.gid())
}

/// The name of a group in the text of `/etc/group`.
fn group_name(groups: &str, id: u32) -> Option<String> {
    let fields = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
    fields
        .filter(|fields| fields.get(2).and_then(|gid| gid.parse().ok()) == Some(id))
        .find_map(|fields| fields.first().map(|name| (*name).to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn errors_of_the_kernel_and_of_libraries_become_the_same_kinds() {
        let node = Path::new("/dev/video77");
        for (code, expected) in [
            (EBUSY, CameraTrouble::Busy { holders: vec![] }),
            (EACCES, CameraTrouble::NoPermission { group: None }),
            (ENODEV, CameraTrouble::Unplugged),
            (ENOENT, CameraTrouble::Unplugged),
            (ENOLINK, CameraTrouble::NoSignal),
        ] {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(trouble(&error, "opening it", node), expected);
            let words = format!("Could not set device property: {error}");
            assert_eq!(told(&words, "opening it", node), expected);
        }
        let failed = trouble(&io::Error::from_raw_os_error(EIO), "reading a picture", node).to_string();
        let expected = "the connection to it failed while reading a picture: Input/output error (os error 5)";
        assert_eq!(failed, expected);
        let other = told("Failed to Fufill", "setting its format", node);
        assert_eq!(other.to_string(), "setting its format failed: Failed to Fufill");
        assert_eq!(code("(os error 99"), None);
        assert_eq!(code("(os error 4x)"), None);
    }

    #[test]
    fn the_holder_of_a_node_is_named() {
        let proc = tempfile::tempdir().unwrap();
        let node = Path::new("/dev/video7");
        for (pid, name, open) in
            [(40, "cheese\n", "/dev/video7"), (9, "", "/dev/video7"), (50, "vim", "/dev/null")]
        {
            let fds = proc.path().join(pid.to_string()).join("fd");
            fs::create_dir_all(&fds).unwrap();
            fs::write(proc.path().join(pid.to_string()).join("comm"), name).unwrap();
            symlink(open, fds.join("3")).unwrap();
        }
        fs::create_dir_all(proc.path().join("self")).unwrap();
        assert_eq!(holders(node, proc.path()), ["a program (pid 9)", "cheese (pid 40)"]);
        assert_eq!(holders(Path::new("/dev/video8"), proc.path()), Vec::<String>::new());
        assert_eq!(group_name("root:x:0:\nvideo:x:44:me\n", 44).as_deref(), Some("video"));
        assert_eq!(group_name("root:x:0:\nnonsense\n", 44), None);
    }
}

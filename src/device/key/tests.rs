#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{FILE_NAME, KeyError, load_or_create};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_key_is_made_once_and_closed_to_others() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("a/state");
    let first = load_or_create(&state).unwrap();
    assert_ne!(*first, [0; 32]);
    assert_eq!(*first, *load_or_create(&state).unwrap());
    assert_eq!((mode(&state), mode(&state.join(FILE_NAME))), (0o700, 0o600));
    assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "nothing else is left in the directory");
    let other = tempfile::tempdir().unwrap();
    assert_ne!(*first, *load_or_create(other.path()).unwrap());
}

#[test]
fn processes_that_start_together_get_one_key() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("state");
    let keys: Vec<[u8; 32]> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| *load_or_create(&state).unwrap())).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(keys.iter().all(|k| *k == keys[0]));
}

#[test]
fn a_key_that_is_not_as_it_must_be_is_refused_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(FILE_NAME);
    let refusal = || load_or_create(home.path()).unwrap_err();

    load_or_create(home.path()).unwrap();
    chmod(&path, 0o644);
    assert_eq!(
        refusal().to_string(),
        format!(
            "The device key {p} is open to others (mode 644). Close it with: chmod 600 {p}",
            p = path.display()
        )
    );
    chmod(&path, 0o600);

    fs::write(&path, [7; 31]).unwrap();
    assert!(matches!(refusal(), KeyError::Length(_)));
    assert_eq!(fs::read(&path).unwrap(), [7; 31]);

    let elsewhere = home.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(matches!(refusal(), KeyError::NotAFile(_)));
    fs::remove_file(&path).unwrap();
    symlink(home.path().join("nothing"), &path).unwrap();
    assert!(matches!(refusal(), KeyError::NotAFile(_)), "also a link to nothing");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(refusal(), KeyError::NotAFile(_)));
}

#[test]
fn a_directory_that_others_write_is_refused() {
    let home = tempfile::tempdir().unwrap();
    chmod(home.path(), 0o777);
    assert!(matches!(load_or_create(home.path()), Err(KeyError::DirectoryMode { mode: 0o777, .. })));
    assert!(!home.path().join(FILE_NAME).exists());
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let error = load_or_create(&file).unwrap_err().to_string();
    assert!(error.starts_with("Cannot make the state directory ") && error.contains("file"), "{error}");
}

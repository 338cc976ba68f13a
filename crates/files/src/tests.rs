//! Tests that all outputs are written whole or not at all, are private if told, and replace files only if told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::*;

/// Serializes tests that make files, since one of them removes all incomplete files.
fn alone() -> MutexGuard<'static, ()> {
    static TESTS: Mutex<()> = Mutex::new(());
    TESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn with_and_without_names_files_become_whole_or_vanish_and_replace_only_if_told() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a");
    for has_name in [true, cfg!(not(target_os = "linux"))] {
        let begin = |text: &str| {
            let mut file = match has_name {
                true => AtomicFile::create_named(target.clone(), &target, Access::Private),
                false => AtomicFile::create(&target, Access::Private),
            }
            .unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file
        };
        let dropped = begin(&"x".repeat(100_000));
        assert_eq!(entries(folder.path()), usize::from(has_name));
        drop(dropped);
        assert_eq!(entries(folder.path()), 0);
        for (text, replace, expected) in
            [("1", false, "1"), ("22", false, "1"), ("333", true, "333")]
        {
            match begin(text).commit(replace) {
                Ok(bytes) => assert_eq!(bytes, text.len() as u64),
                Err(error) => assert_eq!((text, error.kind()), ("22", ErrorKind::AlreadyExists)),
            }
            assert_eq!(fs::read_to_string(&target).unwrap(), expected);
            assert_eq!(entries(folder.path()), 1);
        }
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn of_several_files_all_are_there_or_none() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let begin = || ["a", "b"].map(|name| AtomicFile::create(&path(name), Access::Public).unwrap());
    fs::write(path("b"), "old").unwrap();
    let error = AtomicFile::commit_all(begin().into(), false).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write {}: it exists", path("b").display()));
    assert_eq!((error.kind(), path("a").exists()), (ErrorKind::AlreadyExists, false));
    assert_eq!(fs::read_to_string(path("b")).unwrap(), "old");
    AtomicFile::commit_all(begin().into(), true).unwrap();
    assert_eq!(fs::read_to_string(path("b")).unwrap(), "");
    assert_eq!(entries(folder.path()), 2);
}

#[test]
fn interruptions_remove_named_files_that_are_not_whole() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b");
    let _file = AtomicFile::create_named(path.clone(), &path, Access::Public).unwrap();
    let name = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().file_name();
    assert_eq!(target_of_temporary(name.to_str().unwrap()), Some("a.b"));
    assert_eq!(target_of_temporary("a.b.partial"), None);
    Uninterrupted::start().remove_partial_files();
    assert_eq!(entries(folder.path()), 0);
}

#[test]
fn directories_missing_folders_and_names_of_no_file_are_refused() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    for (path, expected) in [
        (folder.path().to_path_buf(), "it is a directory"),
        (folder.path().join("no/x"), "no such directory"),
        (PathBuf::new(), "it names no file"),
    ] {
        let error = AtomicFile::create(&path, Access::Public).unwrap_err().to_string();
        assert!(error.contains(&*path.to_string_lossy()) && error.ends_with(expected), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_devices_are_written_where_they_are() {
    let mut full = AtomicFile::create(Path::new("/dev/full"), Access::Public).unwrap();
    full.write_all(b"x").unwrap();
    assert_eq!(full.commit(true).unwrap_err().kind(), ErrorKind::StorageFull);
    let mut null = AtomicFile::create(Path::new("/dev/null"), Access::Public).unwrap();
    null.write_all(b"abc").unwrap();
    assert_eq!(null.commit(false).unwrap(), 3);
}

#[cfg(unix)]
#[test]
fn private_files_are_private_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let link = folder.path().join("b");
    symlink(&path, &link).unwrap();
    let write = |access| AtomicFile::create(&link, access).unwrap().commit(true).unwrap();
    let mode = || fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
    // A file that does not exist yet, and one that everybody can read.
    for before in [None, Some("old")] {
        let _ = fs::remove_file(&path);
        if let Some(text) = before {
            fs::write(&path, text).unwrap();
        }
        write(Access::Private);
        assert_eq!((mode(), path.metadata().unwrap().len()), (0o600, 0));
        write(Access::Public);
        assert_eq!(mode() & 0o644, 0o644);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
    symlink("c", folder.path().join("c")).unwrap();
    assert!(AtomicFile::create(&folder.path().join("c"), Access::Public).is_err());
}

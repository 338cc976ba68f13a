//! Tests of a server's folder: the server deletes only its own files, and nobody else can read them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cryptable::Engine;
use cryptable_service::{Client, Config, Limits, Service, Store};
use tempfile::TempDir;

use crate::support::{User, config, squares};

/// Returns a server's folder with a client, a table, a key and a file of ciphertexts, without a running server.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let token = store.add_client("one").unwrap();
    store.add_table("squares", &squares(4)).unwrap();
    let service = Service::open(config(folder.path(), Limits::default())).unwrap();
    let (client, stopper) =
        (Client::new(&format!("http://{}", service.address()), &token), service.stopper());
    let server = std::thread::spawn(|| service.run());
    User::new(client, Engine::Single).send(&[1, 2]);
    stopper.stop();
    server.join().unwrap().unwrap();
    folder
}

/// Returns the paths of all files within a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        let name = name.into_string().unwrap();
        match entry.is_dir() {
            true => {
                found.extend(files(&entry).into_iter().map(|inside| format!("{name}/{inside}")))
            }
            false => _ = found.insert(name),
        }
    }
    found
}

fn content(folder: &Path) -> BTreeSet<String> {
    files(folder).into_iter().filter(|name| name.contains('/')).collect()
}

fn start(folder: &Path, recover: bool) -> Result<Service, String> {
    let config = Config { recover, ..config(folder, Limits::default()) };
    Service::open(config).map_err(|error| error.to_string())
}

#[test]
fn folders_of_others_are_left_alone() {
    for (name, recover) in
        [("thesis.txt", false), ("files/thesis.txt", false), ("files/thesis.txt", true)]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("files")).unwrap();
        fs::write(folder.path().join(name), "years of work").unwrap();
        let error = start(folder.path(), recover).unwrap_err();
        assert!(error.contains("is not a server's folder") && error.contains(name), "{error}");
        assert!(Store::open(folder.path()).is_err());
        assert_eq!(files(folder.path()), BTreeSet::from([name.to_owned()]));
    }
    // Another program's database with the same name is not changed.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service.sqlite");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE client(name TEXT)").unwrap();
    drop(database);
    let before = fs::read(&path).unwrap();
    let error = Store::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("another program's"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_lost_database_costs_no_file() {
    let folder = folder();
    let before = content(folder.path());
    assert_eq!(before.len(), 3, "{before:?}");
    for name in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("service.sqlite{name}")));
    }
    for error in [
        start(folder.path(), false).unwrap_err(),
        Store::open(folder.path()).unwrap_err().to_string(),
    ] {
        assert!(error.contains("is gone") && error.contains("--recover"), "{error}");
    }
    assert!(!folder.path().join("service.sqlite").exists());
    let service = start(folder.path(), true).unwrap();
    assert_eq!(service.moved_files().len(), 3);
    let after = content(folder.path());
    assert_eq!(after, before.iter().map(|name| format!("lost/{name}")).collect());
    drop(service);
    assert!(start(folder.path(), false).unwrap().moved_files().is_empty());
}

#[test]
fn an_older_database_costs_no_file() {
    let older = folder();
    let folder = tempfile::tempdir().unwrap();
    // A newer server has all files of one folder, and the database of another without any of them.
    drop(Store::open(folder.path()).unwrap());
    for name in content(older.path()) {
        fs::copy(older.path().join(&name), folder.path().join(&name)).unwrap();
    }
    let before = content(folder.path());
    let error = start(folder.path(), false).unwrap_err();
    assert!(error.contains("3 of the files") && error.contains("--recover"), "{error}");
    assert_eq!(content(folder.path()), before);
    // The same name occurs twice, and one entry is not a file.
    fs::create_dir(folder.path().join("files/thesis")).unwrap();
    assert_eq!(start(folder.path(), true).unwrap().moved_files().len(), 4);
    let first = before.first().unwrap();
    fs::write(folder.path().join(first), "again").unwrap();
    assert_eq!(start(folder.path(), true).unwrap().moved_files().len(), 1);
    let lost = folder.path().join("lost");
    assert_eq!(fs::read(lost.join(format!("{first}.1"))).unwrap(), b"again");
    assert!(lost.join("files/thesis").is_dir());
}

#[test]
fn what_was_written_or_removed_when_a_server_was_killed_goes_without_a_word() {
    let folder = folder();
    let before = content(folder.path());
    let id = |digit: &str| format!("files/{}", digit.repeat(32));
    let table = format!("tables/{}", "5".repeat(64));
    let write = |name: &str, content: &str| fs::write(folder.path().join(name), content).unwrap();
    // An upload before its row exists; a result, before and after it had content; a table, and its temporary file; the
    // marker of an unfinished file after the file has its row.
    write(&id("1"), "");
    write(&format!("{}.unfinished", id("2")), "");
    write(&format!("{}.unfinished", id("3")), "");
    write(&id("3"), "a result");
    write(&format!("{table}.unfinished"), "");
    write(&table, "a table");
    write(&format!("tables/.{}.partial-aX3_b9", "5".repeat(64)), "half a ta");
    write(&format!("{}.unfinished", before.first().unwrap()), "");
    // A file whose row was removed.
    write(&id("4"), "a file");
    let database = rusqlite::Connection::open(folder.path().join("service.sqlite")).unwrap();
    database.execute("INSERT INTO removed(file) VALUES (?1)", ["4".repeat(32)]).unwrap();
    drop(database);
    assert!(start(folder.path(), false).unwrap().moved_files().is_empty());
    assert_eq!(content(folder.path()), before);
    // A server leaves none of these.
    for name in
        [&id("6"), "files/readme", "tables/a.unfinished", &format!("tables/{}", "6".repeat(64))]
    {
        write(name, "something");
        assert!(start(folder.path(), false).is_err(), "{name}");
        fs::remove_file(folder.path().join(name)).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn nobody_else_reads_what_is_there() {
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("service");
    fs::create_dir(&folder).unwrap();
    set(&folder, 0o755);
    let store = Store::open(&folder).unwrap();
    store.add_client("one").unwrap();
    store.add_table("squares", &squares(4)).unwrap();
    for part in ["", "files", "tables"] {
        assert_eq!(mode(&folder.join(part)), 0o700, "{part}");
    }
    for name in files(&folder) {
        assert_eq!(mode(&folder.join(&name)), 0o600, "{name}");
    }
    // The next start removes other users' access to files that an older server left.
    for name in files(&folder) {
        set(&folder.join(name), 0o644);
    }
    drop(start(&folder, false).unwrap());
    for name in files(&folder).iter().filter(|name| *name != "cryptable-service") {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    set(&folder, 0o777);
    let error = Store::open(&folder).unwrap_err().to_string();
    assert!(error.contains("everybody may write") && error.contains("chmod 700"), "{error}");
}

//! The folder of a server: how it is recognised, and its permissions.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use cryptable_files::{Access, AtomicFile};

use crate::{Error, Result};

/// The file that marks a folder as a server's. It is written after the database, so a folder with the mark but without
/// a database has lost it.
const MARK: &str = "cryptable-service";

const MARK_TEXT: &str =
    "This folder is a server's of `cryptable serve`, which removes and moves files in it.\n";

/// Name of the database.
pub(super) const DATABASE: &str = "service.sqlite";

/// File that states the address of the database, if it is not in the folder. It may contain a password.
const DATABASE_URL: &str = "database-url";

/// Folders of files that contain nothing else.
pub(super) const CONTENT: [&str; 2] = ["files", "tables"];

/// Folder for copies of files of an object store.
pub(super) const COPIES: &str = "copies";

/// Folder for files that the database does not know.
pub(super) const LOST: &str = "lost";

/// Names that a folder may have before it is marked, including one that file systems create.
const OWN: [&str; 9] = [
    DATABASE,
    DATABASE_URL,
    "service.sqlite-wal",
    "service.sqlite-shm",
    "service.sqlite-journal",
    "files",
    "tables",
    "server.lock",
    "lost+found",
];

/// The state in which a folder was found, before anything was changed in it.
#[derive(Debug)]
pub(super) struct Condition<'a> {
    folder: &'a Path,
    has_mark: bool,
    /// Name of something that no server created.
    foreign: Option<String>,
    recover: bool,
}

impl<'a> Condition<'a> {
    /// Inspects a folder, which may not exist. Another process may be starting it at the same time.
    pub(super) fn of(folder: &'a Path, recover: bool, has_server: bool) -> Result<Self> {
        let has_mark = folder.join(MARK).is_file();
        let foreign = if has_mark { None } else { foreign_name(folder)? };
        let condition = Self { folder, has_mark, foreign, recover };
        // Checked after the mark and the names, since a process that starts a folder creates the database first.
        let is_there = folder.join(DATABASE).exists() || (has_mark && has_server);
        if !is_there {
            condition.allow_new()?;
        }
        Ok(condition)
    }

    /// Checks that a new database may be created here.
    pub(super) fn allow_new(&self) -> Result<()> {
        let folder = self.folder.display();
        if self.has_mark && !self.recover {
            return Err(Error::Operator(format!(
                "the database {DATABASE} of {folder} is gone: put it back, or start the server with --recover, which \
                 begins a new one and moves the files that are there to {LOST}/"
            )));
        }
        match &self.foreign {
            Some(name) => Err(Error::Operator(format!(
                "{folder} is not a server's folder, but has {name:?} in it: choose one that is new or empty"
            ))),
            None => Ok(()),
        }
    }

    /// Marks the folder, whose database exists by now.
    pub(super) fn mark(&self) -> Result<()> {
        if !self.has_mark {
            create_file(&self.folder.join(MARK))?.write_all(MARK_TEXT.as_bytes())?;
        }
        Ok(())
    }
}

/// Returns the address of the database, if it is not in the folder; `asked` is the requested address, if any.
pub(super) fn database_url(folder: &Path, asked: Option<&str>) -> Result<Option<String>> {
    let known = match fs::read_to_string(folder.join(DATABASE_URL)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        known => Some(known?),
    };
    let has_own = folder.join(DATABASE).exists();
    match (known, asked) {
        (Some(known), Some(asked)) if place(&known) != place(asked) => {
            let (folder, file) = (folder.display(), DATABASE_URL);
            let text = format!("the database of {folder} is another one: its address is in {file}");
            Err(Error::Operator(text))
        }
        (None, Some(_)) if has_own => {
            let folder = folder.display();
            Err(Error::Operator(format!(
                "{folder} has a database of its own: `serve move` moves its rows, or choose a new folder"
            )))
        }
        (known, asked) => Ok(asked.map(str::to_owned).or(known)),
    }
}

/// Returns the host and the name of a database, since the password and the options of an address may change.
fn place(url: &str) -> &str {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.rsplit_once('@').map_or(url, |(_, rest)| rest);
    url.split_once('?').map_or(url, |(place, _)| place)
}

/// Records the address of the database, unless it is recorded. Other processes read the file at any time.
pub(super) fn keep_database_url(folder: &Path, url: &str) -> Result<()> {
    let path = folder.join(DATABASE_URL);
    if !fs::read_to_string(&path).is_ok_and(|known| known == url) {
        let mut file = AtomicFile::create(&path, Access::Private)?;
        file.write_all(url.as_bytes())?;
        file.commit(true)?;
    }
    Ok(())
}

/// Returns a name in the folder that no server creates in a new folder, if there is one.
fn foreign_name(folder: &Path) -> Result<Option<String>> {
    for name in names(folder)? {
        if !OWN.contains(&name.as_str()) && name != MARK {
            return Ok(Some(name));
        }
    }
    if folder.join(DATABASE).exists() {
        return Ok(None);
    }
    for part in CONTENT {
        if let Some(name) = names(&folder.join(part))?.into_iter().next() {
            return Ok(Some(format!("{part}/{name}")));
        }
    }
    Ok(None)
}

/// Returns the names in a folder; none if it does not exist.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let name =
        |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    entries.map(name).collect()
}

/// Creates a file that only this user may read, or truncates an existing one.
pub(super) fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    private(&mut options).open(path)
}

/// Opens a file for reading and appending. Creates it, readable only by this user, if it does not exist.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private(&mut options).open(path)
}

/// Creates the file of the database unless it exists. SQLite gives the same permissions to the files beside it.
pub(super) fn create_database(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options).open(path).map(drop)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Creates a folder that only this user may read, or removes other users' permissions from an existing one.
pub(super) fn create_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return tighten(folder);
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder)?)
}

/// Removes other users' permissions from a file or a folder, and logs it.
///
/// # Errors
/// If it belongs to another user, or if everyone may write to it: such a folder is no place for clients' keys.
#[cfg(unix)]
pub(super) fn tighten(path: &Path) -> Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // A link to the folder is the operator's choice, so its target is checked.
        Ok(found) if found.is_symlink() => fs::metadata(path)?,
        found => found?,
    };
    let (name, user) = (path.display(), rustix::process::geteuid());
    let mode = metadata.mode() & 0o7777;
    if metadata.uid() != user.as_raw() && !user.is_root() {
        let (owner, user) = (metadata.uid(), user.as_raw());
        return Err(Error::Operator(format!(
            "{name} is user {owner}'s, but this program runs as {user}: run it as that user, or give it away by chown"
        )));
    }
    if metadata.is_dir() && mode & 0o002 != 0 {
        return Err(Error::Operator(format!(
            "everybody may write to {name} (mode {mode:o}): chmod 700 it after looking at what is in it"
        )));
    }
    if mode & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))?;
        tracing::warn!(
            ?path,
            mode = format!("{mode:o}"),
            "others could read this; its permissions are restricted now"
        );
    }
    Ok(())
}

/// Does nothing, since permissions are left to the system.
#[cfg(not(unix))]
pub(super) fn tighten(_: &Path) -> Result<()> {
    Ok(())
}

//! A PostgreSQL of the test's own, where its programs are installed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::wait_until;

/// A server of PostgreSQL on a socket in a folder of its own. It ends when it is dropped.
pub struct Cluster {
    server: Child,
    folder: TempDir,
}

/// The folder of the programs, newest version first.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders.filter(|folder| folder.join("initdb").is_file()).max()
}

/// A program as it may run: never as root, whose data PostgreSQL refuses.
fn command(program: &Path, is_root: bool) -> Command {
    let mut command = Command::new(if is_root { Path::new("runuser") } else { program });
    if is_root {
        command.args(["-u", "postgres", "--"]).arg(program);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    command
}

impl Cluster {
    /// Starts a server; `None` where there are no programs for it.
    pub fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().to_str().unwrap();
        // Who runs this test is known by whose the folder is.
        let owner = Command::new("stat").args(["-c", "%u", name]).output().unwrap().stdout;
        let is_root = owner == b"0\n";
        if is_root && !Command::new("chown").args(["postgres", name]).status().unwrap().success() {
            return None;
        }
        let data = format!("{name}/data");
        let mut made = command(&programs.join("initdb"), is_root);
        made.args(["--auth=trust", "--username=postgres", "--no-sync", "--pgdata", &data]);
        assert!(made.status().unwrap().success(), "initdb");
        let mut server = command(&programs.join("postgres"), is_root);
        server.args(["-D", &data, "-k", name, "-c", "listen_addresses=", "-c", "fsync=off"]);
        let server = server.spawn().unwrap();
        let cluster = Self { server, folder };
        wait_until("the database answers", || {
            postgres::Client::connect(&cluster.url(), postgres::NoTls).is_ok()
        });
        Some(cluster)
    }

    pub fn url(&self) -> String {
        let socket = self.folder.path().to_str().unwrap().replace('/', "%2F");
        format!("postgres://postgres@{socket}/postgres")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Its first process writes down its number, and ends all others when it ends.
        let id = std::fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        if let Some(id) = id.ok().as_deref().and_then(|text| text.lines().next()) {
            let _ = Command::new("kill").args(["-QUIT", id]).status();
        }
        let _ = self.server.wait();
    }
}

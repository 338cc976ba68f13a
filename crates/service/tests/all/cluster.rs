//! A PostgreSQL server of the test's own, where PostgreSQL is installed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::wait_until;

/// A PostgreSQL server on a socket in its own folder. It ends when it is dropped.
pub struct Cluster {
    server: Child,
    folder: TempDir,
    /// Port on the loopback address, where only TLS is spoken, or 0.
    port: u16,
}

/// Returns the folder of the programs, newest version first.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders.filter(|folder| folder.join("initdb").is_file()).max()
}

/// Returns a command for a program, which does not run as root, since PostgreSQL refuses root's data.
fn command(program: &Path, is_root: bool) -> Command {
    let mut command = Command::new(if is_root { Path::new("runuser") } else { program });
    if is_root {
        command.args(["-u", "postgres", "--"]).arg(program);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    command
}

/// Writes a certificate of `localhost` and its key into a folder.
#[cfg(feature = "postgres-tls")]
fn certify(folder: &Path) {
    let mut command = Command::new("openssl");
    command.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
    ]);
    command.args([
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
    ]);
    command.args(["-keyout", "server.key", "-out", "server.crt"]).current_dir(folder);
    assert!(command.stderr(Stdio::null()).status().unwrap().success(), "openssl");
}

impl Cluster {
    /// Starts a server; `None` if PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        Self::start_with(|_| 0)
    }

    /// Starts a server that speaks only TLS at a port of the loopback address.
    #[cfg(feature = "postgres-tls")]
    pub fn start_with_tls() -> Option<Self> {
        Self::start_with(|data| {
            certify(data);
            let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
            std::fs::write(data.join("pg_hba.conf"), rules).unwrap();
            std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
        })
    }

    /// Starts a server whose data folder is prepared by a call that returns its port.
    fn start_with(prepare: impl FnOnce(&Path) -> u16) -> Option<Self> {
        let Some(programs) = programs() else {
            // Written directly to the terminal, since the harness hides the output of tests that pass.
            let _ = writeln!(std::io::stderr(), "NOT tested: PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().to_str().unwrap();
        // The owner of the folder is the user who runs this test.
        let owner = Command::new("stat").args(["-c", "%u", name]).output().unwrap().stdout;
        let is_root = owner == b"0\n";
        let give_away = || {
            let mut command = Command::new("chown");
            !is_root || command.args(["-R", "postgres", name]).status().unwrap().success()
        };
        assert!(give_away(), "there is no user postgres");
        let data = format!("{name}/data");
        let mut made = command(&programs.join("initdb"), is_root);
        made.args(["--auth=trust", "--username=postgres", "--no-sync", "--pgdata", &data]);
        assert!(made.status().unwrap().success(), "initdb");
        let port = prepare(Path::new(&data));
        assert!(give_away());
        let mut server = command(&programs.join("postgres"), is_root);
        server.args(["-D", &data, "-k", name, "-c", "fsync=off"]);
        match port {
            0 => server.args(["-c", "listen_addresses="]),
            _ => server
                .args(["-c", "listen_addresses=127.0.0.1", "-c", "ssl=on", "-p"])
                .arg(port.to_string()),
        };
        let server = server.spawn().unwrap();
        let cluster = Self { server, folder, port };
        wait_until("the database answers", || {
            postgres::Client::connect(&cluster.url(), postgres::NoTls).is_ok()
        });
        Some(cluster)
    }

    pub fn url(&self) -> String {
        let socket = self.folder.path().to_str().unwrap().replace('/', "%2F");
        let port = if self.port == 0 { 5432 } else { self.port };
        format!("postgres://postgres@{socket}:{port}/postgres")
    }

    /// Returns the address for TLS at a name of this machine; the certificate is for `localhost`.
    #[cfg(feature = "postgres-tls")]
    pub fn url_by_tls(&self, name: &str) -> String {
        let root = self.folder.path().join("data/server.crt");
        let (port, root) = (self.port, root.display());
        format!("postgres://postgres@{name}:{port}/postgres?sslmode=verify-full&sslrootcert={root}")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The first process stores its number, and ends all others when it ends.
        let id = std::fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        if let Some(id) = id.ok().as_deref().and_then(|text| text.lines().next()) {
            let _ = Command::new("kill").args(["-QUIT", id]).status();
        }
        let _ = self.server.wait();
    }
}

//! A server in a process of its own.
#![allow(dead_code, reason = "each test file uses what it needs")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::support::Workspace;

/// A process of `cryptable serve` on the folder `service` of a workspace, with its log in `log`. It is killed when dropped.
pub struct Process {
    child: Child,
    pub url: String,
    options: String,
}

#[allow(dead_code, reason = "each test binary needs some of them")]
impl Process {
    /// Starts a server on any port.
    pub fn start(workspace: &Workspace) -> Self {
        Self::start_with(workspace, "")
    }

    /// Starts a server with these options on any port.
    pub fn start_with(workspace: &Workspace, options: &str) -> Self {
        Self::start_at(workspace, "127.0.0.1:0", options)
    }

    /// Starts a server at an address.
    fn start_at(workspace: &Workspace, address: &str, options: &str) -> Self {
        let command = Command::new(env!("CARGO_BIN_EXE_cryptable"));
        Self::start_by(command, workspace, address, options)
    }

    /// Starts a server whose files may have at most `kibibytes` KiB, which stands for a disk that is full for some of
    /// them.
    #[cfg(unix)]
    pub fn start_with_small_files(workspace: &Workspace, kibibytes: u32) -> Self {
        let script = format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_cryptable")]);
        Self::start_by(command, workspace, "127.0.0.1:0", "")
    }

    pub fn start_by(
        mut command: Command,
        workspace: &Workspace,
        address: &str,
        options: &str,
    ) -> Self {
        let mut child = command
            .args(["serve", "--allow-insecure", "--listen", address, "--folder"])
            .arg(workspace.path("service"))
            .args(options.split_whitespace())
            .env("CRYPTABLE_CALIBRATION", "off")
            .stdout(Stdio::piped())
            .stderr(File::options().create(true).append(true).open(workspace.path("log")).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("serving at ").unwrap().to_owned();
        Self { child, url, options: options.to_owned() }
    }

    /// Returns the number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Tells the server to end, and waits until it does.
    #[cfg(unix)]
    pub fn terminate(mut self) -> ExitStatus {
        let kill = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        self.child.wait().unwrap()
    }

    /// Kills the server, and starts another one at the same address with the same options.
    pub fn restart(self, workspace: &Workspace) -> Self {
        let address = self.url.trim_start_matches("http://").to_owned();
        let options = self.options.clone();
        drop(self);
        Self::start_at(workspace, &address, &options)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! A server in a process of its own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::support::Workspace;

/// `cryptable serve` on the folder `service` of a workspace; its log is in `log`. It is killed when it is dropped.
pub struct Process {
    child: Child,
    pub url: String,
}

impl Process {
    /// Starts a server on any port.
    pub fn start(workspace: &Workspace) -> Self {
        Self::start_at(workspace, "127.0.0.1:0")
    }

    /// Starts a server at an address.
    pub fn start_at(workspace: &Workspace, address: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cryptable"))
            .args(["serve", "--allow-insecure", "--listen", address, "--folder"])
            .arg(workspace.path("service"))
            .env("CRYPTABLE_CALIBRATION", "off")
            .stdout(Stdio::piped())
            .stderr(File::options().create(true).append(true).open(workspace.path("log")).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("serving at ").unwrap().to_owned();
        Self { child, url }
    }

    /// Tells it to end, and waits until it does.
    #[cfg(unix)]
    #[allow(dead_code, reason = "not every test binary ends servers")]
    pub fn terminate(mut self) -> ExitStatus {
        let kill = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        self.child.wait().unwrap()
    }

    /// Kills it, and starts another one at the same address.
    #[allow(dead_code, reason = "not every test binary kills servers")]
    pub fn restart(self, workspace: &Workspace) -> Self {
        let address = self.url.trim_start_matches("http://").to_owned();
        drop(self);
        Self::start_at(workspace, &address)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

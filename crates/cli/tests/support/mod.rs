//! A directory with toy keys, and the program run in it.

use std::path::PathBuf;

use assert_cmd::Command;
use tempfile::TempDir;

/// A directory of its own for each test.
pub struct Workspace {
    directory: TempDir,
}

impl Workspace {
    /// An empty directory.
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// A directory with insecure toy keys `client.key` and `server.key` for these options.
    pub fn with_keys(options: &str) -> Self {
        let workspace = Self::new();
        let files = "--secret client.key --evaluation server.key";
        workspace.succeed(&format!("keygen --insecure-toy {options} {files}"));
        workspace
    }

    /// Path of a file here.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Names of all files here, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cryptable"));
        command.current_dir(&self.directory).args(line.split_whitespace());
        command
    }

    /// Runs the program, which must succeed; returns its standard output.
    pub fn succeed(&self, line: &str) -> String {
        let output = self.command(line).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    }

    /// As [`Workspace::fail`], with a limit of 32 KiB on the size of files, which stands for a full disk.
    #[cfg(unix)]
    #[allow(dead_code, reason = "not every test binary fills a disk")]
    pub fn fail_on_full_disk(&self, line: &str) -> String {
        let program = env!("CARGO_BIN_EXE_cryptable");
        let script = format!("trap '' XFSZ; ulimit -f 64; exec {program} {line}");
        let mut command = Command::new("sh");
        command.current_dir(&self.directory).args(["-c", &script]);
        self.failure(command, line)
    }

    /// Runs the program, which must exit with status 1, a message of one line, no output, and the
    /// same files as before; returns the message.
    pub fn fail(&self, line: &str) -> String {
        self.failure(self.command(line), line)
    }

    fn failure(&self, mut command: Command, line: &str) -> String {
        let before = self.files();
        let output = command.assert().code(1).get_output().clone();
        assert!(output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(self.files(), before, "{line}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
        message.trim_end().trim_start_matches("error: ").to_string()
    }
}

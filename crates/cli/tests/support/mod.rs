//! A directory with toy keys, and the program run in it.
#![allow(dead_code, reason = "not every test binary uses all of it")]

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::process::Output;

use tempfile::TempDir;

/// Path of the program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_cryptable");

/// Returns a CSV file of one column without a header.
pub fn numbers<T: std::fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// A command whose outcome is checked.
pub struct Command(std::process::Command);

impl Deref for Command {
    type Target = std::process::Command;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Command {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Command {
    /// Runs the command to its end.
    pub fn assert(&mut self) -> Outcome {
        Outcome(self.0.output().unwrap())
    }
}

/// Output and exit status of a command.
pub struct Outcome(Output);

impl Outcome {
    /// Checks the exit status.
    pub fn code(self, status: i32) -> Self {
        assert_eq!(self.0.status.code(), Some(status), "{:?}", self.0);
        self
    }

    /// Checks that the command succeeded.
    pub fn success(self) -> Self {
        self.code(0)
    }

    pub fn get_output(&self) -> &Output {
        &self.0
    }
}

/// A directory of its own for each test.
pub struct Workspace {
    directory: TempDir,
}

impl Workspace {
    /// Creates an empty directory.
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// Creates a directory with insecure toy keys `client.key` and `server.key` for these options, which may begin with the
    /// name of a job.
    pub fn with_keys(options: &str) -> Self {
        let workspace = Self::new();
        let files = "--secret client.key --evaluation server.key";
        workspace.succeed(&format!("keygen {options} --insecure-toy {files}"));
        workspace
    }

    /// Creates a directory with insecure toy keys for integers of 6 bits, in digits of 2, 2 and 3 bits, in a second.
    pub fn with_comparison_keys() -> Self {
        Self::with_keys("compare --bits 6")
    }

    /// Returns the path of a file in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file that only its owner can read, like the commands' files with secrets.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self.keep_to_owner(name)
    }

    /// Gives a file the mode of secrets.
    fn keep_to_owner(&self, name: &str) -> &Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(self.path(name), mode).unwrap();
        }
        let _ = name;
        self
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Reads a file of text.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Returns the sorted names of all files in the directory.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.strict_command(line);
        command.arg("--allow-insecure");
        command
    }

    /// Returns the command as users run it: keys of toy parameters are refused.
    pub fn strict_command(&self, line: &str) -> Command {
        let mut command = Command(std::process::Command::new(PROGRAM));
        command.current_dir(&self.directory).args(line.split_whitespace());
        // Tests leave the user's cache directory alone, and predictions are the same on all machines.
        command.env("CRYPTABLE_CALIBRATION", "off");
        command
    }

    /// Runs the program, which must succeed; returns its standard output.
    pub fn succeed(&self, line: &str) -> String {
        let output = self.command(line).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the program with `--json`, which must succeed; returns its report.
    pub fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.succeed(&format!("--json {line}"))).unwrap()
    }

    /// Runs the program like [`Workspace::json`]; returns all of its reports.
    pub fn jsons(&self, line: &str) -> Vec<serde_json::Value> {
        let json = self.succeed(&format!("--json {line}"));
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a script of bash in which `cryptable` is the program.
    #[cfg(unix)]
    pub fn shell(&self, script: &str) -> std::process::Output {
        let run = format!("{PROGRAM} --allow-insecure");
        let script = format!("set -o pipefail; cryptable() {{ {run} \"$@\"; }}; {script}");
        let mut command = std::process::Command::new("bash");
        command.current_dir(&self.directory).args(["-c", &script]);
        command.output().unwrap()
    }

    /// Returns a shell that runs `before`, and then becomes the program with the arguments of `line`.
    #[cfg(unix)]
    pub fn after(&self, before: &str, line: &str) -> std::process::Command {
        let mut command = std::process::Command::new("bash");
        let script = format!("{before}; exec {PROGRAM} --allow-insecure {line}");
        command.current_dir(&self.directory).args(["-c", &script]);
        command
    }

    /// Runs a script like [`Workspace::shell`], which must succeed. Returns its standard output.
    #[cfg(unix)]
    pub fn shell_succeeds(&self, script: &str) -> String {
        let output = self.shell(script);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{script}: {message}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the program, which must succeed; returns its standard error without the note that keys are insecure.
    pub fn notes(&self, line: &str) -> String {
        let output = self.command(line).assert().success().get_output().clone();
        let text = String::from_utf8(output.stderr).unwrap();
        text.split_inclusive('\n').filter(|line| !line.starts_with("INSECURE: ")).collect()
    }

    /// Starts the program; its standard error goes to the file `stderr`.
    #[cfg(unix)]
    pub fn start(&self, line: &str) -> std::process::Child {
        // Tests that run in the background were started with interrupts ignored, which the program would inherit.
        let mut command = std::process::Command::new("env");
        command.args(["--default-signal=INT", PROGRAM]);
        let stderr = std::fs::File::create(self.path("stderr")).unwrap();
        command.current_dir(&self.directory).args(line.split_whitespace()).stderr(stderr);
        command.arg("--allow-insecure");
        command.spawn().unwrap()
    }

    /// Runs a command like [`Workspace::fail`], with a limit of 32 KiB on the size of files, which stands for a full
    /// disk.
    #[cfg(unix)]
    pub fn fail_on_full_disk(&self, line: &str) -> String {
        let script = format!("trap '' XFSZ; ulimit -f 64; exec {PROGRAM} --allow-insecure {line}");
        let mut command = Command(std::process::Command::new("sh"));
        command.current_dir(&self.directory).args(["-c", &script]);
        self.failure(command, line)
    }

    /// Runs the program, which must exit with status 1, a message of one line, no output, and the
    /// same files as before; returns the message.
    pub fn fail(&self, line: &str) -> String {
        // The message must be the only output, however slow the machine is.
        let mut command = self.command(line);
        command.args(["--progress-seconds", "1000"]);
        self.failure(command, line)
    }

    /// Runs the program like [`Workspace::fail`]; the message has these words.
    pub fn refuses(&self, line: &str, words: &str) {
        let message = self.fail(line);
        assert!(message.contains(words), "{line}: {message}");
    }

    /// Runs a command like [`Workspace::fail`], with another exit status.
    pub fn fail_with(&self, line: &str, status: i32) -> String {
        let mut command = self.command(line);
        command.args(["--progress-seconds", "1000"]);
        self.failure_with(command, line, status)
    }

    /// Checks that altered, longer or shorter copies of `client.key`, `server.key` and `values.ct` are refused, under the name
    /// `bad`.
    pub fn refuse_damaged_files(&self) {
        let commands = [
            ("client.key", "decrypt --key bad --input values.ct --output new.csv"),
            ("server.key", "lookup --key bad --table table.csv --input values.ct --output new.ct"),
            ("values.ct", "lookup --key server.key --table table.csv --input bad --output new.ct"),
            ("values.ct", "decrypt --key client.key --input bad --output new.csv"),
        ];
        for (name, line) in commands {
            let whole = self.read(name);
            let flipped = |position: usize| {
                let mut flipped = whole.clone();
                flipped[position] ^= 0x81;
                flipped
            };
            let (middle, last) = (whole.len() / 2, whole.len() - 1);
            let longer = [&whole[..], b"\n"].concat();
            let shorter = [last, middle, 9].map(|length| whole[..length].to_vec());
            for bytes in [flipped(middle), flipped(last), longer].into_iter().chain(shorter) {
                self.write("bad", bytes);
                assert!(self.fail(line).contains("bad"), "{line}");
                assert!(self.fail("inspect bad").contains("bad"));
            }
        }
    }

    fn failure(&self, command: Command, line: &str) -> String {
        self.failure_with(command, line, 1)
    }

    fn failure_with(&self, mut command: Command, line: &str, status: i32) -> String {
        let before = self.files();
        let output = command.assert().code(status).get_output().clone();
        assert!(output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(self.files(), before, "{line}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
        message.trim_end().trim_start_matches("error: ").to_string()
    }
}

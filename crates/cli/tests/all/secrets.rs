//! Secrets that a client's process shows or leaves behind.
#![cfg(all(target_os = "linux", feature = "client"))]

use crate::support;

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use support::Workspace;

/// Returns the soft and the hard limit on the size of a process's core dumps.
fn core_limits(child: &Child) -> (String, String) {
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).unwrap();
    let mut fields = line.split_whitespace().map(str::to_owned);
    (fields.next().unwrap(), fields.next().unwrap())
}

/// Starts a command that waits for standard input, with core dumps as large as the system allows.
fn start_waiting(here: &Workspace, line: &str) -> Child {
    let mut command = here.after("ulimit -Sc $(ulimit -Hc)", line);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn commands_with_secrets_dump_no_core() {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("table.csv", "0\n1\n2\n3\n");
    let dumps_nothing = ("0".to_owned(), "0".to_owned());
    for (line, has_secrets) in [
        ("encrypt --secret client.key --input - --output v.ct", true),
        ("decrypt --secret client.key --input - --output v.csv", true),
        ("lookup --evaluation server.key --table table.csv --input - --output r.ct", false),
    ] {
        let mut child = start_waiting(&here, line);
        if has_secrets {
            let start = Instant::now();
            while core_limits(&child) != dumps_nothing {
                assert!(start.elapsed() < Duration::from_secs(60), "{line}: core dumps are on");
                std::thread::sleep(Duration::from_millis(5));
            }
        } else if core_limits(&child) != dumps_nothing {
            // If the system allows dumps, those of servers stay enabled.
            std::thread::sleep(Duration::from_millis(200));
            assert_ne!(core_limits(&child), dumps_nothing, "{line}");
        }
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

#[test]
fn secrets_that_others_can_read_are_told_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("values.csv", "1\n").write("key.bin", b"sixteen bytes ok");
    let chmod = |name: &str, mode| {
        fs::set_permissions(here.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for (name, line) in [
        ("client.key", "encrypt --secret client.key --input values.csv --output v.ct"),
        ("key.bin", "aes encrypt --key-file key.bin --input values.csv --output v.aes"),
    ] {
        chmod(name, 0o600);
        assert_eq!(here.notes(line).matches("chmod").count(), 0, "{line}");
        for mode in [0o640, 0o604, 0o620] {
            chmod(name, mode);
            let expected =
                format!("{name} is secret, but others may read or change it (mode {mode:04o})");
            let notes = here.notes(line);
            assert!(notes.contains(&expected), "{line}: {notes}");
        }
        assert_eq!(here.notes(&format!("--quiet {line}")), "");
    }
}

//! Interrupted work: no partial files, progress in logs, resumed lookups.
#![cfg(all(unix, feature = "client"))]

mod support;

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use support::Workspace;

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Number of values, each of which takes some milliseconds.
const VALUES: usize = 320;

const LOOKUP: &str =
    "lookup --evaluation server.key --table table.csv --input values.ct --output r.ct";

fn toy() -> Workspace {
    let here = Workspace::with_keys("--mode leveled --bits 4");
    let values: String = (0..VALUES).map(|i| format!("{}\n", i * i % 16)).collect();
    here.write("values.csv", values);
    here.write("table.csv", (0..16).map(|x| format!("{}\n", (x * 7 + 3) % 16)).collect::<String>());
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here
}

/// Waits until a condition holds, for at most a minute.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: &mut Child, signal: i32) {
    let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(signal));
}

fn has_partial(here: &Workspace) -> bool {
    here.files().iter().any(|name| name.contains("partial"))
}

#[test]
fn an_interrupted_command_leaves_nothing_behind() {
    let here = toy();
    for signal in [SIGINT, SIGTERM] {
        let mut child = here.start(&format!("--threads 1 --progress-seconds 0.1 {LOOKUP}"));
        let notes = || here.text("stderr");
        wait_until("progress", || notes().contains("lookup: "));
        // If the file system supports it, a file that is being written has no name.
        assert!(!has_partial(&here) || !cfg!(target_os = "linux"), "{:?}", here.files());
        interrupt(&mut child, signal);
        assert!(!has_partial(&here), "{:?}", here.files());
        assert!(!here.files().contains(&"r.ct".to_string()));
        // Nothing is saved, and no message says so.
        assert!(!notes().contains("interrupted"), "{}", notes());
    }
}

#[test]
fn progress_in_logs_is_plain_lines() {
    let here = toy();
    let text = here.notes(&format!("--threads 1 --progress-seconds 0.1 {LOOKUP}"));
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("lookup: ")).collect();
    assert!(
        lines.iter().any(|line| line.contains(" of 320 values, ") && line.ends_with(" left")),
        "{text}"
    );
    assert!(text.bytes().all(|byte| byte == b'\n' || !byte.is_ascii_control()), "{text:?}");
    assert!(here.notes(&format!("--quiet --progress-seconds 0.1 {LOOKUP}")).is_empty());
}

#[test]
fn long_work_starts_with_an_estimate() {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("values.csv", "1\n".repeat(100_000)).write("table.csv", "0\n1\n2\n3\n");
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let mut child = here.start(LOOKUP);
    let notes = || here.text("stderr");
    wait_until("an estimate", || notes().contains("lookup of 100000 values: about "));
    interrupt(&mut child, SIGINT);
    let quick = "lookup --evaluation server.key --table table.csv --input few.ct --output r.ct";
    here.write("few.csv", "1\n");
    here.succeed("encrypt --secret client.key --input few.csv --output few.ct");
    assert!(!here.notes(quick).contains("about"));
}

#[test]
fn finished_parts_are_not_written_through_links() {
    let here = toy();
    here.write("target", "");
    std::os::unix::fs::symlink(here.path("target"), here.path("r.ct.partial")).unwrap();
    here.refuses(&format!("{LOOKUP} --resume"), "cannot open r.ct.partial");
    assert!(here.read("target").is_empty());
}

#[test]
fn an_interrupted_lookup_is_resumed() {
    let here = toy();
    let partial = || here.path("r.ct.partial").metadata().map_or(0, |metadata| metadata.len());
    here.write("next.csv", (0..16).map(|x| format!("{}\n", (x + 1) % 16)).collect::<String>());
    let line = format!("--threads 1 {LOOKUP} --table next.csv --output n.ct --resume");
    let mut child = here.start(&line);
    wait_until("a finished ciphertext", || partial() > 100_000);
    // While the lookup runs, no other one may use its file.
    assert!(
        here.shell(&format!("cryptable {line}"))
            .stderr
            .ends_with(b"belongs to a lookup that is still running\n")
    );
    interrupt(&mut child, SIGTERM);
    assert!(partial() > 100_000 && !here.files().contains(&"r.ct".to_string()));
    let told = here.text("stderr");
    let told = told.lines().last().unwrap_or_default().to_owned();
    let kept = told.strip_prefix("interrupted: ").and_then(|rest| rest.split(' ').next());
    let kept: u64 = kept.and_then(|number| number.parse().ok()).expect(&told);
    let rest = "of 320 values are kept in r.ct.partial; the same command continues from there";
    assert!(told.ends_with(rest), "{told}");
    // A lookup in another table does not resume.
    here.write("other.csv", "1\n".repeat(16));
    here.refuses(&line.replace("table.csv", "other.csv"), "r.ct.partial belongs to another lookup");
    // An incomplete last record is cut off.
    let mut cut = here.read("r.ct.partial");
    cut.extend([7; 1000]);
    here.write("r.ct.partial", cut);
    let report: serde_json::Value = here.json(&line);
    let resumed = report["resumed_values"].as_u64().unwrap();
    assert!(resumed >= 64 && resumed < VALUES as u64, "{resumed}");
    // The message was true; one more ciphertext may have been finished since.
    assert!(kept <= resumed && resumed <= kept + 64, "{kept} and {resumed}");
    assert!(!has_partial(&here));
    here.succeed("decrypt --secret client.key --input r.ct --output r.csv");
    let expected: String =
        (0..VALUES).map(|i| format!("{}\n", (i * i % 16 * 7 + 3) % 16)).collect();
    assert_eq!(here.read("r.csv"), expected.into_bytes());
    here.succeed("decrypt --secret client.key --input n.ct --output n.csv");
    let expected: String = (0..VALUES).map(|i| format!("{}\n", (i * i + 1) % 16)).collect();
    assert_eq!(here.read("n.csv"), expected.into_bytes());
    let message = here.fail(&line.replace("r.ct", "/dev/null"));
    assert_eq!(message, "--resume needs a regular file as output, not /dev/null");
}

//! Files that the program confirms are on the disk, and files that it writes atomically get their names only after that. The
//! tests check the program's system calls, which `strace` lists.
#![cfg(all(target_os = "linux", feature = "client", feature = "serve"))]

#[path = "../../service/tests/support/mod.rs"]
mod requests;
mod server;
mod support;

use std::process::Command;

use requests::send;
use server::Process;
use support::Workspace;

/// Calls that bring files to the disk or give them names.
const CALLS: &str = "--trace=fsync,fdatasync,linkat,rename,renameat,renameat2";

/// Returns a `strace` command that runs the program, writes its calls with names of files, and leaves it its own process
/// number.
fn traced(workspace: &Workspace, program: &str) -> Option<Command> {
    let may_trace = Command::new("strace").args(["-D", "-qq", "true"]).output();
    if !may_trace.is_ok_and(|output| output.status.success()) {
        println!("NOT checked: there is no strace, or it may not trace");
        return None;
    }
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "-y", "-qq", CALLS, "-o"]).arg(workspace.path("trace")).arg(program);
    Some(command)
}

/// Returns the trace's lines of calls that succeeded.
fn calls(workspace: &Workspace) -> Vec<String> {
    let trace = workspace.text("trace");
    trace.lines().filter(|line| line.ends_with("= 0")).map(str::to_owned).collect()
}

/// Runs a command line to its end under the tracer.
fn run(workspace: &Workspace, line: &str) -> Option<Vec<String>> {
    let mut command = traced(workspace, env!("CARGO_BIN_EXE_cryptable"))?;
    command.current_dir(workspace.path("")).args(line.split_whitespace()).arg("--allow-insecure");
    let output = command.env("CRYPTABLE_CALIBRATION", "off").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(calls(workspace))
}

/// Returns the position of the first call with all of these parts.
fn place(calls: &[String], parts: &[&str]) -> usize {
    let found = calls.iter().position(|call| parts.iter().all(|part| call.contains(part)));
    found.unwrap_or_else(|| panic!("no call {parts:?} in {calls:#?}"))
}

#[test]
fn files_are_on_the_disk_before_they_have_names_and_names_before_the_end() {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("values.csv", "1\n2\n");
    let line = "encrypt --secret client.key --input values.csv --output values.ct";
    // A new file, and one that is replaced.
    for name in ["linkat(", "rename"] {
        let Some(calls) = run(&here, line) else { return };
        let named = place(&calls, &[name, "values.ct\""]);
        assert!(place(&calls, &["fsync("]) < named, "{calls:#?}");
        assert!(calls[named..].iter().any(|call| call.contains("fsync(")), "{calls:#?}");
    }
}

#[test]
fn finished_parts_of_a_lookup_are_on_the_disk_one_by_one() {
    let here = Workspace::with_keys("--mode leveled --bits 4");
    here.write("values.csv", "1\n".repeat(200));
    here.write("table.csv", "3\n".repeat(16));
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let line = "--threads 1 lookup --evaluation server.key --table table.csv --input values.ct --output r.ct --resume";
    let Some(calls) = run(&here, line) else { return };
    let kept = calls.iter().filter(|call| call.contains("r.ct.partial>")).count();
    assert!(kept > 1, "{calls:#?}");
}

#[test]
fn bytes_of_an_upload_are_on_the_disk_before_they_are_confirmed() {
    let workspace = Workspace::new();
    let Some(command) = traced(&workspace, env!("CARGO_BIN_EXE_cryptable")) else { return };
    let process = Process::start_by(command, &workspace, "127.0.0.1:0", "");
    let added = workspace.succeed("serve client add --folder service --name one");
    let (address, token) = (process.url.trim_start_matches("http://"), added.trim());
    let address = address.parse().unwrap();
    let announced = format!(r#"{{"kind":"ciphertext","length":6,"sha256":"{}"}}"#, "0".repeat(64));
    let (status, body) = send(address, ("POST /v1/uploads", token), "", announced);
    assert_eq!(status, 201, "{body}");
    let id = serde_json::from_str::<serde_json::Value>(&body).unwrap()["id"].clone();
    let file = format!("files/{}>", id.as_str().unwrap());
    // The name of the file is on the disk before the program confirms the file.
    place(&calls(&workspace), &["fsync(", "service/files>"]);
    let line = format!("PATCH /v1/uploads/{}", id.as_str().unwrap());
    for (offset, part) in ["abc", "def"].into_iter().enumerate() {
        let is_kept = |call: &&String| call.contains("sync(") && call.contains(&file);
        let before = calls(&workspace).iter().filter(is_kept).count();
        let header = format!("upload-offset: {}\r\n", 3 * offset);
        assert_eq!(send(address, (&line, token), &header, part).0, 204);
        assert!(calls(&workspace).iter().filter(is_kept).count() > before);
    }
    assert!(process.terminate().success());
}

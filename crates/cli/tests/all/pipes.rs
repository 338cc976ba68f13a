//! Standard input and output, pipes, and other files that are not regular.
#![cfg(all(unix, feature = "client"))]

use crate::support;

use support::Workspace;

fn toy() -> Workspace {
    let here = Workspace::with_keys("--mode leveled --bits 2");
    here.write("values.csv", "0\n1\n2\n3\n").write("table.csv", "3\n1\n0\n2\n");
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here
}

const RESULT: &str = "3\n1\n0\n2\n";

#[test]
fn a_dash_is_standard_input_or_output() {
    let here = toy();
    let found = here.shell_succeeds(
        "cryptable encrypt --secret client.key --input - --output - < values.csv |
         cryptable lookup --evaluation server.key --table table.csv --input - --output - |
         cryptable decrypt --secret client.key --input - --output -",
    );
    assert_eq!(found, RESULT);
    assert!(!here.files().contains(&"-".to_string()));
    // Keys and tables, too; and a regular file on standard input.
    let lookup = "cryptable lookup --input values.ct --output r.ct";
    for line in [
        format!("cat server.key | {lookup} --evaluation - --table table.csv"),
        format!("{lookup} --evaluation - --table table.csv < server.key"),
        format!("cat table.csv | {lookup} --evaluation server.key --table -"),
    ] {
        here.shell_succeeds(&line);
        let decrypt = "cat client.key | cryptable decrypt --secret - --input r.ct --output -";
        assert_eq!(here.shell_succeeds(decrypt), RESULT);
    }
    let text = here.shell_succeeds("cat values.ct | cryptable inspect - client.key");
    assert!(text.contains("4 values below 4") && text.contains("standard input"), "{text}");
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let here = toy();
    let decrypt = "cryptable decrypt --secret client.key --input values.ct --output -";
    let output = here.shell(&format!("{decrypt} >&-"));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("it is closed"), "{message}");
    assert!(here.shell(&format!("{decrypt} > /dev/null")).status.success());
}

#[test]
fn reports_leave_standard_output_to_the_output() {
    let here = toy();
    let output =
        here.shell("cryptable --json decrypt --secret client.key --input values.ct --output -");
    assert_eq!(output.stdout, b"0\n1\n2\n3\n");
    let report: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(report["output_bytes"], 8);
}

#[test]
fn pipes_and_devices_are_written_straight_through() {
    let here = toy();
    let decrypt = "cryptable --quiet decrypt --secret client.key --input values.ct --output";
    let values = "0\n1\n2\n3\n";
    for script in [
        format!("{decrypt} /dev/stdout"),
        format!("{decrypt} /dev/stdout | cat"),
        format!("{decrypt} >(cat); sleep 0.3"),
        format!("mkfifo pipe; cat pipe & {decrypt} pipe; wait; test -p pipe"),
        format!("{decrypt} /dev/fd/3 3> three; cat three"),
        format!("{decrypt} /dev/stdout > four; echo >> four; {decrypt} - >> four; tail -4 four"),
        format!("{decrypt} /dev/null; {decrypt} -"),
    ] {
        assert_eq!(here.shell_succeeds(&script), values, "{script}");
    }
    let lookup = "cryptable --quiet lookup --evaluation <(cat server.key) --table <(cat table.csv)";
    let decrypt = "cryptable --quiet decrypt --secret <(cat client.key) --input";
    let script = format!(
        "{lookup} --input <(cat values.ct) --output >({decrypt} - --output r.csv); sleep 1; cat r.csv"
    );
    assert_eq!(here.shell_succeeds(&script), RESULT);
    // A damaged file is refused from a pipe as well, before any work.
    let script =
        "(cat values.ct; echo) | cryptable decrypt --secret client.key --input - --output -";
    let output = here.shell(script);
    assert!(output.stdout.is_empty() && !output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("standard input: the checksum does not match: the file is damaged"),
        "{message}"
    );
}

#[test]
fn formats_of_pipes_are_stated_or_csv() {
    let here = toy();
    here.write("values.bin", [3, 2, 1, 0]);
    here.shell_succeeds(
        "cryptable encrypt --secret client.key --input - --format raw --output v.ct < values.bin",
    );
    let raw = here.shell_succeeds(
        "cryptable decrypt --secret client.key --input v.ct --output - --format raw",
    );
    assert_eq!(raw.as_bytes(), [3, 2, 1, 0]);
    let script = "cryptable decrypt --secret client.key --input v.ct --output - --format npy |
                  cryptable --quiet encrypt --secret client.key --input - --format npy --output w.ct;
                  cryptable decrypt --secret client.key --input w.ct --output -";
    assert_eq!(here.shell_succeeds(script), "3\n2\n1\n0\n");
}

#[test]
fn standard_streams_serve_once() {
    let here = toy();
    let message = here.fail("decrypt --secret - --input - --output new.csv");
    assert_eq!(message, "--secret and --input cannot both be standard input");
    let message =
        here.fail("keygen --mode leveled --bits 2 --insecure-toy --secret - --evaluation -");
    assert_eq!(message, "--secret and --evaluation cannot both be standard output");
    // A reader that closes the pipe early causes no error.
    let output = here.shell(
        "yes 1 | head -40000 > many.csv;
        cryptable --quiet encrypt --secret client.key --input many.csv --output many.ct;
        cryptable decrypt --secret client.key --input many.ct --output - | head -1",
    );
    assert_eq!(output.stdout, b"1\n");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn aes_files_come_from_pipes_too() {
    let here = Workspace::new();
    here.succeed("keygen aes --insecure-toy --secret s.key --evaluation e.key");
    let hex = "2b7e151628aed2a6abf7158809cf4f3c";
    let found = here.shell_succeeds(&format!(
        "printf hello | cryptable aes encrypt --key {hex} --input - --output - |
         cryptable aes transcipher --evaluation e.key --input - --output - \
           --encrypted-key <(cryptable aes encrypt-key --secret s.key --key {hex} --output -) |
         cryptable decrypt --secret s.key --input - --output -"
    ));
    assert_eq!(found, "hello");
}

//! Messages, units, names of options, and errors as JSON.
#![cfg(feature = "client")]

use crate::support;

use serde_json::Value;
use support::Workspace;

fn toy() -> Workspace {
    let here = Workspace::with_keys("--bits 2");
    here.write("values.csv", "0\n1\n").write("table.csv", "0\n1\n2\n3\n");
    here
}

#[test]
fn keys_of_the_wrong_kind_are_named() {
    let here = toy();
    let message = here.fail("encrypt --secret server.key --input values.csv --output new.ct");
    assert_eq!(
        message,
        "server.key: it is an evaluation key for packed values; --secret takes a secret key"
    );
    let message = here.fail("encrypt --secret values.csv --input values.csv --output new.ct");
    assert!(message.starts_with("cannot read values.csv: "), "{message}");
    here.succeed("keygen aes --insecure-toy --secret s.key --evaluation e.key");
    here.write("key.bin", [1; 16]);
    let message = here.fail("aes encrypt-key --secret e.key --key-file key.bin --output new.ct");
    assert!(message.contains("e.key: it is an evaluation key"), "{message}");
}

#[test]
fn only_secret_keys_take_data_with_them() {
    let here = toy();
    let line = "keygen --insecure-toy --bits 2";
    let message = here.fail(&format!("{line} --secret new.key --evaluation server.key"));
    assert_eq!(message, "server.key exists; --force replaces it");
    let message = here.fail(&format!("{line} --secret client.key --evaluation new.key"));
    assert_eq!(message, "client.key exists; --force replaces it, and what it encrypted is lost");
}

#[test]
fn sizes_are_in_powers_of_1000() {
    let here = toy();
    let text = here.succeed("inspect server.key") + &here.succeed("plan --mode leveled --bits 8");
    assert!(text.contains(" MB") && text.contains(" kB") && !text.contains("iB"), "{text}");
}

#[test]
fn plans_say_how_many_values_they_assume() {
    let here = Workspace::new();
    let line = "plan --bits 8 --memory 100MB";
    let text = here.succeed(line);
    assert!(text.contains("\n65536 values (assumed: `values` sets another number) on "), "{text}");
    assert!(!here.succeed(&format!("{line} --values 6")).contains("assumed"));
    let report: Value = here.json(line);
    assert_eq!((&report["values"], &report["values_assumed"]), (&65_536.into(), &true.into()));
}

#[test]
fn plans_fit_into_100_columns() {
    let here = Workspace::new();
    for line in [
        "plan --bits 8",
        "plan --bits 4 --goal latency",
        "plan --bits 4 --inputs single",
        "plan --bits 16",
    ] {
        let text = here.succeed(line);
        let longest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(longest.chars().count() <= 100, "{longest}");
    }
}

#[test]
fn directories_are_named_as_such() {
    let here = toy();
    std::fs::create_dir(here.path("folder")).unwrap();
    let expected = "cannot read folder: it is a directory";
    assert_eq!(here.fail("encrypt --secret client.key --input folder --output new.ct"), expected);
    assert_eq!(here.fail("encrypt --secret folder --input values.csv --output new.ct"), expected);
    assert_eq!(here.fail("plan --table folder"), expected);
    assert_eq!(here.fail("inspect folder"), expected);
    let message = here.fail("encrypt --secret client.key --input values.csv --output folder");
    assert_eq!(message, "cannot write folder: it is a directory");
}

#[test]
fn errors_are_json_if_reports_are() {
    let here = toy();
    let error = |line: &str, status: i32| -> Value {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_cryptable"))
            .args(line.split_whitespace())
            .current_dir(here.path(""))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert!(output.stdout.is_empty());
        let mut object: Value = serde_json::from_slice(&output.stderr).unwrap();
        object["error"].take()
    };
    let found = error("--json encrypt --secret none --input values.csv --output new.ct", 1);
    assert_eq!(found["kind"], "io");
    assert!(found["message"].as_str().unwrap().starts_with("cannot read none: "));
    let found = error("--json plan --mode packed --modulus 1000003", 1);
    assert_eq!(found["kind"], "invalid");
    let found = error("encrypt --json --nonsense", 2);
    assert_eq!(found["kind"], "usage");
    assert!(found["message"].as_str().unwrap().contains("--nonsense"));
}

#[test]
fn inspect_goes_on_after_a_bad_file() {
    let here = toy();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_cryptable"))
        .args(["inspect", "values.csv", "client.key", "none"])
        .current_dir(here.path(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("client.key: a secret key"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("error: values.csv") && errors.contains("error: cannot read none"));
}

#[test]
fn options_have_one_name_and_the_old_one_still_serves() {
    let here = toy();
    for (secret, evaluation) in [("--secret", "--evaluation"), ("--key", "--key")] {
        here.succeed(&format!("encrypt {secret} client.key --input values.csv --output v.ct"));
        let files = "--table table.csv --input v.ct --output r.ct";
        here.succeed(&format!("lookup {evaluation} server.key {files}"));
        here.succeed(&format!("decrypt {secret} client.key --input r.ct --output r.csv"));
        assert_eq!(here.read("r.csv"), b"0\n1\n");
    }
    assert!(!here.succeed("encrypt --help").contains("--key"));
}

#[test]
fn shells_complete_options() {
    let here = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = here.succeed(&format!("completions {shell}"));
        assert!(script.contains("transcipher") && script.contains("evaluation"), "{shell}");
    }
}

/// Text that turns the screen red, sets the title, moves the cursor, reverses the text, and starts a new line.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\rcsv.exe\u{2066}";

#[test]
fn names_from_files_and_of_files_do_not_reach_the_terminal_raw() {
    let here = toy();
    let clean = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        let is_bad = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}".contains(c);
        assert!(!text.contains(is_bad), "{text:?}");
        text
    };
    let harmless = |text: &[u8]| {
        let text = clean(text);
        assert!(text.contains(r"\u{1b}[31m") || text.contains(r"\u001b[31m"), "{text:?}");
    };
    let run = |words: &[&str]| {
        let mut command = here.strict_command("--allow-insecure");
        command.args(words).output().unwrap()
    };
    // Headers of columns: in a note, and in an error that lists them.
    let table = format!("\"{HOSTILE}\nerror\",b\n1,2\n");
    here.write("hostile.csv", &table);
    for json in [&[][..], &["--json"]] {
        let line = ["encrypt", "--secret", "client.key", "--output", "o.ct", "--input"];
        let by = |rest: &[&str]| run(&[json, &line[..], rest].concat());
        let note = by(&["hostile.csv", "--column", "1"]);
        assert!(note.status.success(), "{note:?}");
        harmless(if json.is_empty() { &note.stderr } else { &note.stdout });
        harmless(&by(&["hostile.csv", "--column", "c"]).stderr);
        // Words of text that should be integers, and names of files.
        here.write("word.csv", format!("{HOSTILE}\n"));
        harmless(&by(&["word.csv"]).stderr);
        harmless(&by(&[HOSTILE]).stderr);
        // Unknown arguments, parts of which are removed before they are printed.
        assert!(
            clean(&by(&["word.csv", HOSTILE]).stderr).contains(r"\u{9b}2J") || !json.is_empty()
        );
        std::fs::write(here.path(HOSTILE), here.read("client.key")).unwrap();
        let inspected = run(&[json, &["inspect", HOSTILE]].concat());
        assert!(inspected.status.success());
        harmless(&inspected.stdout);
    }
}

#[test]
fn other_files_are_shown_by_how_they_begin() {
    let here = Workspace::new();
    here.write("people.csv", "name,age\nAda,36\n")
        .write("bytes.bin", [0, 1, 34, 200, 9, 10, 65, 66, 67]);
    let message = here.fail("inspect people.csv");
    let hint = "; if it holds values, `encrypt` reads it";
    let begins = "people.csv: not a cryptable file: it begins with \"name,age\"";
    assert_eq!(message, format!("{begins}{hint}"));
    let message = here.fail("inspect bytes.bin");
    assert!(message.ends_with(r#"it begins with "\x00\x01\"\xc8\t\nAB""#), "{message}");
}

#[test]
fn limits_that_messages_name_are_enough() {
    let here = toy();
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let line = "lookup --evaluation server.key --table table.csv --input values.ct --output r.ct";
    let message = here.fail(&format!("--max-key-memory 1kB {line}"));
    assert!(message.contains("above the limit of 1.0 kB; --max-key-memory raises it"), "{message}");
    let needed = message.split("may take ").nth(1).unwrap().split(" of memory").next().unwrap();
    here.succeed(&format!("--max-key-memory {} {line}", needed.replace(' ', "")));
    // All commands that read ciphertexts respect the limit.
    let message =
        here.fail("--max-key-memory 1kB decrypt --secret client.key --input r.ct --output r.csv");
    assert!(message.contains("r.ct: the ciphertext may take"), "{message}");
}

#[test]
fn options_that_do_not_go_together_are_named() {
    let here = toy();
    let message = here.fail("plan --mode packed --bits 8 --method akp --digit-bits 4");
    assert!(message.contains("AKP by digits of 4 bits: use BMT or CMT"), "{message}");
    let message = here.fail("plan --mode packed --bits 24 --values 1");
    assert!(message.contains(", the most reliable method, fails with probability"), "{message}");
    here.succeed("keygen --insecure-toy --mode single --bits 2 --secret s.key --evaluation e.key");
    let message =
        here.fail("encrypt --as headroom --secret s.key --input values.csv --output new.ct");
    assert!(
        message.starts_with("s.key: --as headroom needs keys from keygen compare: "),
        "{message}"
    );
    let message =
        here.fail("encrypt --as words --bits 32 --secret s.key --input values.csv --output new.ct");
    assert!(message.starts_with("s.key: --as words needs keys from keygen wide: "), "{message}");
    here.refuses("plan circuit add64", "circuits of this program are add32, compare32, ");
}

#[test]
fn what_other_builds_have_is_said() {
    let here = Workspace::new();
    let usage = |name: &str| here.fail_with(name, 2);
    if cfg!(not(feature = "bench")) {
        let message = usage("bench akp --bits 8");
        assert!(
            message.contains("built without bench: ") && message.contains("--features bench"),
            "{message}"
        );
    }
    if cfg!(not(feature = "serve")) {
        assert!(usage("serve --folder x").contains("--features serve builds one with it"));
    }
    assert!(here.succeed("--version").starts_with("cryptable "));
}

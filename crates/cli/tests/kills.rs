//! Commands killed by SIGKILL, which no program can handle, at moments all over their run. Every output is then either the
//! old one, or the new one, complete and right, or missing. No other file is left, except that, if a file was to be
//! replaced, the new one may exist under a temporary name; it is complete and right, too.
#![cfg(all(unix, feature = "client"))]

mod support;

use std::time::{Duration, Instant};

use serde_json::Value;
use support::Workspace;

/// Number of kills of each command in `make test`; `make test-all` uses a hundred.
const FEW: u32 = 5;
const MANY: u32 = 100;

const OLD: &str = "what was there before";

const KEYGEN: &str = "keygen --insecure-toy --mode leveled --bits 4 --secret new.key --evaluation new.server --force";
const ENCRYPT: &str = "encrypt --secret client.key --input many.csv --output new.ct";
const LOOKUP: &str =
    "lookup --evaluation server.key --table table.csv --input values.ct --output new.ct";
const DECRYPT: &str = "decrypt --secret client.key --input result.ct --output new.csv";

/// Number of values, enough for lookups and encryption to take a while.
const VALUES: u64 = 32;
const MANY_VALUES: u64 = 5000;

fn values() -> impl Iterator<Item = u64> {
    squares(VALUES)
}

fn squares(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|i| i * i % 16)
}

fn lines(values: impl Iterator<Item = u64>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

fn table(x: u64) -> u64 {
    (x * 7 + 3) % 16
}

fn toy() -> Workspace {
    let here = Workspace::with_keys("--mode leveled --bits 4");
    here.write("values.csv", lines(values())).write("table.csv", lines((0..16).map(table)));
    here.write("many.csv", lines(squares(MANY_VALUES)));
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here.succeed(&LOOKUP.replace("new.ct", "result.ct"));
    here.write("stderr", "");
    here
}

/// Runs a command `kills` times, kills it at different moments, and lets `check` inspect the files. Before every second run,
/// other files exist under the outputs' names.
fn kill_often(here: &Workspace, line: &str, outputs: &[&str], kills: u32, check: impl Fn()) {
    let start = Instant::now();
    here.start(line).wait().unwrap();
    let whole = start.elapsed();
    outputs.iter().for_each(|name| std::fs::remove_file(here.path(name)).unwrap());
    let (before, mut died) = (here.files(), 0);
    for kill in 0..kills {
        if kill % 2 == 0 {
            for name in outputs {
                here.write(name, OLD);
            }
        }
        let mut child = here.start(line);
        // Multiples of the golden ratio are spread over the whole run and never repeat; some come after its end.
        let share = (f64::from(kill) * 0.618_034).fract();
        std::thread::sleep(whole.mul_f64(1.1 * share));
        child.kill().unwrap();
        died += u32::from(!child.wait().unwrap().success());
        if kill % 2 == 0 {
            assert!(outputs.iter().all(|name| here.path(name).exists()), "{line}: a file is gone");
        }
        check();
        for name in here.files() {
            if before.contains(&name) || outputs.contains(&name.as_str()) {
                continue;
            }
            // No system call replaces a named file by an unnamed one: a process that dies between naming and renaming the
            // new file leaves a complete file.
            let target = cryptable_files::target_of_temporary(&name).map(str::to_owned);
            let target = target.filter(|name| kill % 2 == 0 && outputs.contains(&name.as_str()));
            let target = target.unwrap_or_else(|| panic!("{line}: {name} is left"));
            std::fs::rename(here.path(&name), here.path(&target)).unwrap();
            check();
            assert!(new_content(here, &target).is_some(), "{line}: {name} is not whole");
        }
        for name in outputs {
            // The file may not exist.
            let _ = std::fs::remove_file(here.path(name));
        }
    }
    // The number depends on the machine, but the first run is always killed.
    assert!(died > 0, "{line}");
    println!("{line}: {died} of {kills} died, of runs of {whole:?}");
}

/// Returns the content of an output, if there is a new one.
fn new_content(here: &Workspace, name: &str) -> Option<Vec<u8>> {
    let content = std::fs::read(here.path(name)).ok()?;
    (content != OLD.as_bytes()).then_some(content)
}

fn killed_keygen(kills: u32) {
    let here = toy();
    kill_often(&here, KEYGEN, &["new.key", "new.server"], kills, || {
        let id = |name| {
            new_content(&here, name)?;
            let report: Value = here.json(&format!("inspect {name}"));
            Some(report["key_id"].as_str().unwrap().to_owned())
        };
        // The secret key comes last: if it exists, so does its evaluation key.
        if let Some(secret) = id("new.key") {
            assert_eq!(id("new.server"), Some(secret));
        } else {
            let _ = id("new.server");
        }
    });
}

fn killed_encrypt(kills: u32) {
    let here = toy();
    kill_often(&here, ENCRYPT, &["new.ct"], kills, || {
        expect_values(&here, squares(MANY_VALUES));
    });
}

fn killed_lookup(kills: u32) {
    let here = toy();
    kill_often(&here, LOOKUP, &["new.ct"], kills, || expect_values(&here, values().map(table)));
}

fn killed_decrypt(kills: u32) {
    let here = toy();
    kill_often(&here, DECRYPT, &["new.csv"], kills, || {
        if let Some(found) = new_content(&here, "new.csv") {
            assert_eq!(String::from_utf8(found).unwrap(), lines(values().map(table)));
        }
    });
}

/// Checks that new ciphertexts decrypt to these values.
fn expect_values(here: &Workspace, expected: impl Iterator<Item = u64>) {
    if new_content(here, "new.ct").is_some() {
        here.succeed("decrypt --secret client.key --input new.ct --output check.csv");
        assert_eq!(here.text("check.csv"), lines(expected));
        std::fs::remove_file(here.path("check.csv")).unwrap();
    }
}

#[test]
fn a_few_kills_of_every_command_leave_nothing_half_written() {
    killed_keygen(FEW);
    killed_encrypt(FEW);
    killed_lookup(FEW);
    killed_decrypt(FEW);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn a_hundred_kills_of_every_command_leave_nothing_half_written() {
    killed_keygen(MANY);
    killed_encrypt(MANY);
    killed_lookup(MANY);
    killed_decrypt(MANY);
}

/// Checks that results that a killed lookup saved with `--resume` are right, however often it was killed.
#[test]
fn lookups_killed_again_and_again_are_resumed() {
    let here = toy();
    let line = format!("--threads 1 {LOOKUP} --resume");
    let start = Instant::now();
    here.start(&line).wait().unwrap();
    let whole = start.elapsed();
    std::fs::remove_file(here.path("new.ct")).unwrap();
    for kill in 0..4_u32 {
        let mut child = here.start(&line);
        std::thread::sleep(whole.mul_f64(0.3) + Duration::from_millis(7 * u64::from(kill)));
        child.kill().unwrap();
        child.wait().unwrap();
        expect_values(&here, values().map(table));
    }
    here.succeed(&line);
    assert!(new_content(&here, "new.ct").is_some() && !here.path("new.ct.partial").exists());
    expect_values(&here, values().map(table));
}

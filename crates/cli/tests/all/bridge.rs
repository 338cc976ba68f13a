//! `bridge`: keys of both ends, packed lookups whose results are used one by one, and refusals.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

/// A directory with toy keys for tables of 3 bits, and two columns: 1,100 and 1,100 values, in two ciphertexts each.
fn workspace(options: &str) -> Workspace {
    let here = Workspace::with_keys(&format!("bridge --bits 3 {options}"));
    here.write("a.csv", numbers((0..1100).map(|i| i % 8)));
    here.write("b.csv", numbers((0..1100).map(|i| (i / 8) % 8)));
    for name in ["a", "b"] {
        let files = format!("--input {name}.csv --output {name}.ct");
        here.succeed(&format!("encrypt --secret client.key {files}"));
    }
    here
}

/// Outputs of the table, which are also used as signed values.
const OUTPUTS: [i64; 8] = [0, 255, 7, 128, 90, 91, 13, 200];
const SIGNED: [i64; 8] = [0, -128, 127, -1, 1, 64, -65, 5];

fn of(x: i64) -> i64 {
    OUTPUTS[x as usize]
}

/// Runs an operation, and decrypts its result.
fn run(here: &Workspace, options: &str, decryption: &str) -> String {
    here.succeed(&format!("bridge --evaluation server.key {options} --output r.ct --force"));
    let files = "--input r.ct --output r.csv";
    here.succeed(&format!("decrypt --secret client.key {decryption} {files}"));
    here.text("r.csv")
}

#[test]
fn results_are_compared_and_come_back_packed() {
    let here = workspace("--output-bits 8 --op less-than");
    here.write("t.csv", numbers(OUTPUTS)).write("s.csv", numbers(SIGNED));
    // These rows are in two ciphertexts.
    let rows = 1001..=1048;
    let a = |row: i64| (row - 1) % 8;
    let b = |row: i64| (row - 1) / 8 % 8;
    let expected = |f: &dyn Fn(i64) -> bool| numbers(rows.clone().map(|row| i64::from(f(row))));
    let less =
        run(&here, "--op less-than --table t.csv --input a.ct --input b.ct --rows 1001-1048", "");
    assert_eq!(less, expected(&|row| of(a(row)) < of(b(row))));
    let below = "--op below --threshold 91 --table t.csv --input a.ct --rows 1001-1048";
    assert_eq!(run(&here, below, ""), expected(&|row| of(a(row)) < 91));
    let sign = "--op sign --signed --table s.csv --input a.ct --rows 1001-1048";
    assert_eq!(run(&here, sign, ""), expected(&|row| SIGNED[a(row) as usize] < 0));
    // Bits are a file of packed ciphertexts.
    let report = here.succeed("inspect r.ct client.key server.key");
    for words in ["48 values below 2", "secret keys for packed values and integers", "9 bits"] {
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[test]
fn whole_integers_stay_single() {
    let here = workspace("--output-bits 8 --op maximum");
    here.write("t.csv", numbers(OUTPUTS)).write("s.csv", numbers(SIGNED));
    let two = "--table t.csv --input a.ct --input b.ct --rows 9-24";
    let maximum = run(&here, &format!("--op maximum {two}"), "--column larger");
    let expected = (8..24).map(|i| of(i % 8).max(of(i / 8 % 8)));
    assert_eq!(maximum, format!("larger\n{}", numbers(expected)));
    // There is one table per operand.
    let two = "--signed --table s.csv --table s.csv --input a.ct --input b.ct --rows 9-12";
    let maximum = run(&here, &format!("--op maximum {two}"), "--signed");
    assert_eq!(maximum, numbers((0..4).map(|i| SIGNED[i].max(SIGNED[1]))));
    let one = "--signed --table s.csv --input a.ct --rows 1-8";
    assert_eq!(run(&here, &format!("--op relu {one}"), ""), numbers(SIGNED.map(|x| x.max(0))));
    assert_eq!(run(&here, &format!("--op absolute {one}"), ""), numbers(SIGNED.map(i64::abs)));
}

#[test]
fn results_go_through_a_second_table() {
    let here = workspace("--output-bits 4 --op table --second-bits 6 --pack");
    here.write("t.csv", numbers((0..8).map(|x| (x * 5 + 3) % 16)));
    here.write("squares.csv", numbers((0..16).map(|x| x * x % 64)));
    let expected = numbers((3..11).map(|i| ((i % 8) * 5 + 3) % 16).map(|y| y * y % 64));
    let options = "--op table --table t.csv --second-table squares.csv --input a.ct --rows 4-11";
    assert_eq!(run(&here, options, ""), expected);
    assert!(here.succeed("inspect r.ct").contains("leveled"), "leveled values");
    assert_eq!(run(&here, &format!("{options} --pack"), ""), expected);
    assert!(here.succeed("inspect r.ct").contains("packed"), "packed digits");
}

#[test]
fn plans_say_what_every_step_takes() {
    let here = Workspace::new();
    let plan = here.succeed("plan bridge --bits 8 --output-bits 8 --op sign --values 512");
    for words in
        ["integers of 9 bits", "packed lookup", "ring packing", "over all steps, a value fails"]
    {
        assert!(plan.contains(words), "{words}: {plan}");
    }
    let options = "--bits 3 --output-bits 4 --op table --taken-out 7 --values 9 --insecure-toy";
    let plan = here.json(&format!("plan bridge {options}"));
    assert_eq!((plan["taken_out"].as_u64(), plan["values"].as_u64()), (Some(7), Some(9)));
    assert_eq!(plan["steps"].as_array().unwrap().len(), 3);
    assert_eq!(plan["security_level"], "insecure");
    here.refuses("plan bridge --bits 8 --output-bits 24 --op sign", "25");
    let message = here.fail("plan bridge --bits 8 --output-bits 8 --op sign --pack");
    assert!(message.contains("are for --op table, not for sign"), "{message}");
    let message = here.fail("plan bridge --bits 8 --output-bits 8 --op sign --memory 1MB");
    assert!(message.contains("in 1 MB of memory: the smallest needs"), "{message}");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let here = workspace("--output-bits 8 --op sign");
    here.write("t.csv", numbers(OUTPUTS)).write("short.csv", numbers([1, 2]));
    here.write("wide.csv", numbers([256; 8]));
    for (options, expected) in [
        ("--op sign --table t.csv --input a.ct --input b.ct", "2 --input, but sign takes 1"),
        ("--op maximum --table t.csv --input a.ct", "1 --input, but maximum takes 2"),
        ("--op below --table t.csv --input a.ct", "below needs --threshold"),
        ("--op sign --threshold 3 --table t.csv --input a.ct", "is for below, not for sign"),
        ("--op below --threshold -1 --table t.csv --input a.ct", "but one is 255"),
        ("--op sign --table t.csv --input a.ct --rows 1100-1101", "a.ct has 1100 rows"),
        ("--op relu --table t.csv --input a.ct", "in one ciphertext of the inputs"),
        ("--op sign --table short.csv --input a.ct", "short.csv"),
        ("--op sign --table wide.csv --input a.ct", "256 is not below the modulus 256"),
        ("--op table --table t.csv --input a.ct", "table needs --second-table"),
        ("--op table --second-table t.csv --table t.csv --input a.ct", "keygen --op table"),
        ("--op sign --table t.csv --input t.csv", "t.csv"),
        ("--op sign --table t.csv --input a.ct --memory 1kB", "above --memory 1.0 kB"),
    ] {
        let line = format!("bridge --evaluation server.key {options} --output r.ct");
        let message = here.fail(&line);
        assert!(message.contains(expected), "{options}: {message}");
    }
    // Files of other keys, and other clients' keys, are refused.
    let files = "--secret other.key --evaluation other-server.key";
    here.succeed(&format!(
        "keygen bridge --insecure-toy --bits 3 --output-bits 8 --op sign {files}"
    ));
    let options = "--op sign --table t.csv --input a.ct --output r.ct";
    let message = here.fail(&format!("bridge --evaluation other-server.key {options}"));
    assert!(message.contains("a.ct does not match"), "{message}");
    here.succeed(
        &format!("bridge --evaluation server.key {options}")
            .replace("--output", "--rows 1-2 --output"),
    );
    here.refuses("decrypt --secret other.key --input r.ct --output r.csv", "r.ct");
    let message = here.fail("decrypt --secret server.key --input r.ct --output r.csv");
    assert!(message.contains("--secret takes a secret key"), "{message}");
    // Damaged or truncated keys are refused.
    for name in ["client.key", "server.key"] {
        let whole = here.read(name);
        here.write("bad", &whole[..whole.len() - 9]);
        let line = match name {
            "client.key" => "decrypt --secret bad --input r.ct --output r.csv".to_owned(),
            _ => format!("bridge --evaluation bad {options}").replace("r.ct", "new.ct"),
        };
        here.refuses(&line, "bad");
    }
    // Existing keys are not replaced.
    let message =
        here.fail("keygen bridge --insecure-toy --bits 3 --output-bits 8 --op sign --secret client.key --evaluation new.key");
    assert!(message.contains("client.key exists"), "{message}");
}

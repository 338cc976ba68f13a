//! `compare`: keys, encryption, operations and decryption of integers, and refusals.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

/// Encrypts integers as `name.ct`.
fn encrypt(here: &Workspace, name: &str, integers: &[i64], options: &str) {
    here.write(&format!("{name}.csv"), numbers(integers.iter().copied()));
    let files = format!("--input {name}.csv --output {name}.ct");
    here.succeed(&format!("encrypt --as headroom --secret client.key {options} {files}"));
}

/// Runs an operation, and decrypts its result.
fn run(here: &Workspace, options: &str, decryption: &str) -> String {
    here.succeed(&format!("compare --evaluation server.key {options} --output r.ct"));
    let files = "--input r.ct --output r.csv";
    here.succeed(&format!("decrypt --secret client.key {decryption} {files}"));
    here.text("r.csv")
}

#[test]
fn integers_are_compared_and_selected() {
    let here = Workspace::with_comparison_keys();
    // More than one ciphertext of 1,024 values.
    let x: Vec<i64> = (0..1100).map(|i| i * 7 % 64).collect();
    let y: Vec<i64> = (0..1100).map(|i| if i % 5 == 0 { i * 7 % 64 } else { i * i % 64 }).collect();
    encrypt(&here, "x", &x, "");
    encrypt(&here, "y", &y, "");
    let expected = |f: &dyn Fn(i64, i64) -> i64| numbers(x.iter().zip(&y).map(|(&x, &y)| f(x, y)));
    let two = "--input x.ct --input y.ct";
    let less = run(&here, &format!("--op less-than {two}"), "");
    assert_eq!(less, expected(&|x, y| i64::from(x < y)));
    assert_eq!(run(&here, &format!("--op equal {two}"), ""), expected(&|x, y| i64::from(x == y)));
    assert_eq!(run(&here, &format!("--op maximum {two}"), ""), expected(&|x, y| x.max(y)));
    let clamped = run(&here, "--op clamp --low 10 --high 50 --input x.ct", "");
    assert_eq!(clamped, expected(&|x, _| x.clamp(10, 50)));
    assert_eq!(run(&here, "--op digits --input x.ct", ""), expected(&|x, _| x));
    // Inputs decrypt, too; and digits are values for `decrypt`.
    here.succeed("decrypt --secret client.key --input x.ct --output x2.csv");
    assert_eq!(here.read("x2.csv"), here.read("x.csv"));
    here.succeed("decrypt --secret client.key --input r.ct --output digits.csv");
    let report = here.succeed("inspect r.ct");
    assert!(report.contains("values below 8"), "{report}");
}

#[test]
fn signed_integers_are_compared_and_selected() {
    let here = Workspace::with_comparison_keys();
    let x: Vec<i64> = (-32..32).collect();
    encrypt(&here, "x", &x, "--signed");
    let expected = |f: &dyn Fn(i64) -> i64| numbers(x.iter().map(|&x| f(x)));
    assert_eq!(run(&here, "--op sign --input x.ct", ""), expected(&|x| i64::from(x < 0)));
    assert_eq!(run(&here, "--op relu --input x.ct", "--signed"), expected(&|x| x.max(0)));
    let absolute = run(&here, "--op absolute-value --input x.ct", "");
    assert_eq!(absolute, expected(&i64::abs));
    let clamped = run(&here, "--op clamp --low -7 --high 5 --input x.ct", "--signed");
    assert_eq!(clamped, expected(&|x| x.clamp(-7, 5)));
    here.succeed("decrypt --secret client.key --signed --input x.ct --output x2.csv");
    assert_eq!(here.read("x2.csv"), here.read("x.csv"));
}

#[test]
fn plans_say_what_operations_take() {
    let here = Workspace::new();
    let plan = here.succeed("plan compare --bits 12");
    for words in ["modulo 2^13: one bit is headroom", "maximum", "lookups", "fails with"] {
        assert!(plan.contains(words), "{words}: {plan}");
    }
    let plan = here.json("plan compare --insecure-toy --bits 6");
    let operations = plan["operations"].as_array().unwrap();
    assert_eq!((plan["input_modulus"].as_u64(), operations.len()), (Some(128), 10));
    here.refuses("plan compare --bits 60", "is 60, but must be at most 39");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let here = Workspace::with_comparison_keys();
    encrypt(&here, "x", &[1, 2, 63], "");
    encrypt(&here, "short", &[1], "");
    // Integers without headroom are refused.
    here.write("large.csv", "64\n");
    let files = "--input large.csv --output large.ct";
    let message = here.fail(&format!("encrypt --as headroom --secret client.key {files}"));
    assert!(message.contains("64 is not below the modulus 64"), "{message}");
    let refused = |options: &str| {
        let line = format!("compare --evaluation server.key --output r.ct {options}");
        let message = here.fail(&line);
        assert!(!here.files().contains(&"r.ct".to_owned()), "{options}");
        message
    };
    for (options, expected) in [
        ("--op maximum --input x.ct", "1 --input, but maximum takes 2"),
        ("--op relu --input x.ct --input x.ct", "2 --input, but relu takes 1"),
        ("--op clamp --input x.ct --low 3", "clamp needs both --low and --high"),
        ("--op clamp --input x.ct --low 9 --high 3", "at most the upper bound, 3"),
        ("--op clamp --input x.ct --low 9 --high 3000", "from -32 to 63"),
        ("--op relu --input x.ct --low 9", "are for clamp, not for relu"),
        ("--op less-than --input x.ct --input short.ct", "short.ct: 1 value in"),
        ("--op relu --input x.ct --memory 1kB", "above --memory 1.0 kB"),
    ] {
        let message = refused(options);
        assert!(message.contains(expected), "{options}: {message}");
    }
    // Results cannot be operands.
    here.succeed("compare --evaluation server.key --op sign --input x.ct --output bits.ct");
    let message = refused("--op relu --input bits.ct");
    assert!(message.contains("modulus of the values is 2"), "{message}");
    // Keys of tables are not for maxima.
    let files = "--secret other.key --evaluation other-server.key";
    here.succeed(&format!("keygen --insecure-toy --bits 3 --output-bits 2 {files}"));
    here.write("v.csv", "1\n");
    here.succeed("encrypt --as headroom --secret other.key --input v.csv --output v.ct");
    let options = "--op relu --input v.ct --output r.ct";
    let message = here.fail(&format!("compare --evaluation other-server.key {options}"));
    assert!(message.contains("output modulus of the parameters is 4"), "{message}");
    // A file that lacks a digit is refused.
    here.succeed("compare --evaluation server.key --op digits --input x.ct --output d.ct");
    let whole = here.read("d.ct");
    here.write("cut.ct", &whole[..whole.len() - 100]);
    here.refuses("decrypt --secret client.key --input cut.ct --output c.csv", "cut.ct");
}

#[test]
fn keys_are_generated_from_a_plan_that_was_written() {
    let here = Workspace::new();
    here.succeed("plan compare --insecure-toy --bits 6 --output integers.plan");
    let text = here.succeed("inspect integers.plan");
    assert!(text.contains("integers.plan: parameters, INSECURE"), "{text}");
    let files = "--secret client.key --evaluation server.key";
    here.succeed(&format!("keygen --plan integers.plan {files}"));
    encrypt(&here, "x", &[5, 60], "");
    encrypt(&here, "y", &[7, 3], "");
    assert_eq!(run(&here, "--op less-than --input x.ct --input y.ct", ""), "1\n0\n");
    // Other files are not accepted as plans, and plans are not accepted as keys.
    here.refuses(&format!("keygen --plan client.key --force {files}"), "client.key");
    let message = here.fail("encrypt --secret integers.plan --input x.csv --output z.ct");
    assert!(message.contains("it is parameters; --secret takes a secret key"), "{message}");
    let bytes = here.read("integers.plan");
    here.write("cut.plan", &bytes[..bytes.len() - 1]);
    let other = "--secret other.key --evaluation other-server.key";
    let message = here.fail(&format!("keygen --plan cut.plan {other}"));
    assert!(message.contains("cut.plan") && message.contains("cut short"), "{message}");
}

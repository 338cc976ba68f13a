//! `integers`: keys, encryption, operations and decryption of columns, and what is refused.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

/// A directory with toy keys for digits of two bits.
fn workspace() -> Workspace {
    Workspace::with_keys("integers --digit-bits 2")
}

fn encrypt(here: &Workspace, name: &str, values: &[i128], options: &str) {
    here.write(&format!("{name}.csv"), numbers(values.iter().copied()));
    let files = format!("--input {name}.csv --output {name}.ct");
    here.succeed(&format!("encrypt --as integers --secret client.key {options} {files}"));
}

/// Runs an operation, and decrypts its result.
fn run(here: &Workspace, options: &str) -> String {
    here.succeed(&format!("integers --evaluation server.key {options} --output r.ct"));
    here.succeed("decrypt --secret client.key --input r.ct --output r.csv");
    here.text("r.csv")
}

#[test]
fn columns_of_several_parts_are_computed_on() {
    let here = workspace();
    let x: Vec<i128> = (0..1100).map(|i| i * 7 % 256).collect();
    let y: Vec<i128> = (0..1100).map(|i| i * i % 256).collect();
    encrypt(&here, "x", &x, "--bits 8");
    encrypt(&here, "y", &y, "--bits 8");
    let expected =
        |f: &dyn Fn(i128, i128) -> i128| numbers(x.iter().zip(&y).map(|(&x, &y)| f(x, y)));
    let two = "--input x.ct --input y.ct";
    assert_eq!(run(&here, &format!("--op add {two}")), expected(&|x, y| (x + y) % 256));
    assert_eq!(run(&here, &format!("--op max {two}")), expected(&|x, y| x.max(y)));
    let by = "--op shl --input x.ct --amount y.ct";
    assert_eq!(run(&here, by), expected(&|x, y| (x << y.min(8)) % 256));
    assert_eq!(run(&here, "--op mul --input x.ct --constant 5"), expected(&|x, _| x * 5 % 256));
    let lazy = run(&here, "--op sub --lazy --input x.ct --constant 200");
    assert_eq!(lazy, expected(&|x, _| (x - 200).rem_euclid(256)));
    // Booleans, and a selection by them.
    here.succeed(&format!("integers --evaluation server.key --op lt {two} --output lt.ct"));
    here.succeed("decrypt --secret client.key --input lt.ct --output lt.csv");
    assert_eq!(here.read("lt.csv"), expected(&|x, y| i128::from(x < y)).into_bytes());
    let chosen = run(&here, &format!("--op select --condition lt.ct {two}"));
    assert_eq!(chosen, expected(&|x, y| x.min(y)));
    let report = here.succeed("inspect x.ct lt.ct");
    assert!(report.contains("(u8)") && report.contains("(booleans)"), "{report}");
    assert!(report.contains("1100 values"), "{report}");
}

#[test]
fn signed_integers_and_tax_tables() {
    let here = workspace();
    let x: Vec<i128> = (-128..128).collect();
    encrypt(&here, "x", &x, "--bits 8 --signed");
    let expected = |f: &dyn Fn(i128) -> i128| numbers(x.iter().map(|&x| f(x)));
    assert_eq!(run(&here, "--op shr --input x.ct --constant 3"), expected(&|x| x >> 3));
    assert_eq!(run(&here, "--op shr --input x.ct --constant 8"), expected(&|x| x >> 8));
    assert_eq!(run(&here, "--op shl --input x.ct --constant 300"), expected(&|_| 0));
    assert_eq!(run(&here, "--op min --input x.ct --constant -5"), expected(&|x| x.min(-5)));
    // The same for all values.
    for (line, value) in [
        ("--op lt --constant -128", 0),
        ("--op le --constant 127", 1),
        ("--op le --lazy --constant 127", 1),
        ("--op mul --constant 0", 0),
        ("--op min --constant -128", -128),
        ("--op piecewise --pieces zero.csv", 0),
        ("--op piecewise --wide --pieces zero.csv", 0),
    ] {
        here.write("zero.csv", "-128,0\n");
        assert_eq!(run(&here, &format!("{line} --input x.ct")), expected(&|_| value), "{line}");
    }
    here.write("pieces.csv", "from,rate\n-128,1\n0,2\n");
    let found = run(&here, "--op piecewise --wide --pieces pieces.csv --input x.ct");
    assert_eq!(found, expected(&|x| if x < 0 { x + 128 } else { 128 + 2 * x }));
}

#[test]
fn rows_of_a_column_are_searched_and_sorted() {
    let here = workspace();
    let x: Vec<i128> = (0..90).map(|i| i * i * 7 % 251).collect();
    encrypt(&here, "x", &x, "--bits 8");
    let mut sorted = x.clone();
    sorted.sort_unstable();
    let third = sorted[x.len() - 3];
    let mask = x.iter().map(|&x| i128::from(x >= third));
    assert_eq!(run(&here, "--op largest --count 3 --value v.ct --input x.ct"), numbers(mask));
    here.succeed("decrypt --secret client.key --input v.ct --output v.csv");
    assert_eq!(here.read("v.csv"), numbers(x.iter().map(|_| third)).into_bytes());
    let row = x.iter().position(|x| x == sorted.last().unwrap()).unwrap() as i128;
    assert_eq!(run(&here, "--op argmax --input x.ct"), numbers(x.iter().map(|_| row)));
    let refused = |options: &str| {
        here.fail(&format!("integers --evaluation server.key --input x.ct --output r.ct {options}"))
    };
    let error = refused("--op largest");
    assert!(error.contains("largest needs --count"), "{error}");
    let error = refused("--op sort --value v.ct");
    assert!(error.contains("--value is not for sort"), "{error}");
    let error = refused("--op largest --count 91");
    assert!(error.contains("91") && error.contains("90"), "{error}");
    let many: Vec<i128> = vec![1; 1100];
    encrypt(&here, "x", &many, "--bits 8");
    let error = refused("--op argmax");
    assert!(error.contains("a column of 2 ciphertexts"), "{error}");
}

#[test]
fn integers_of_64_bits_come_back() {
    let here = workspace();
    let x = [0, 1, i128::from(u64::MAX), 1 << 63];
    encrypt(&here, "x", &x, "--bits 64");
    here.succeed("decrypt --secret client.key --input x.ct --output x2.csv");
    assert_eq!(here.read("x2.csv"), here.read("x.csv"));
}

#[test]
fn single_values() {
    let here = Workspace::with_keys("integers --mode single");
    encrypt(&here, "x", &[3, 250, 77], "--bits 8");
    assert_eq!(run(&here, "--op add --input x.ct --constant 10"), "13\n4\n87\n");
    assert!(here.succeed("inspect x.ct").contains("single"));
}

#[test]
fn plans_say_what_operations_take() {
    let here = Workspace::new();
    let plan = here.succeed("plan integers --bits 16 --insecure-toy");
    for words in ["u16 in digits of 3 bits", "piecewise", "lookups", "fails with 2^-"] {
        assert!(plan.contains(words), "{words}: {plan}");
    }
    assert!(here.succeed("--json plan integers --signed --insecure-toy").contains("\"i32\""));
}

#[test]
fn bad_input_is_refused_by_name() {
    let here = workspace();
    encrypt(&here, "x", &[1, 2], "--bits 8");
    encrypt(&here, "wide", &[1, 2], "--bits 16");
    encrypt(&here, "short", &[1], "--bits 8");
    let refused = |options: &str| {
        here.fail(&format!("integers --evaluation server.key {options} --output r.ct"))
    };
    here.write("bad.csv", "0,1\nten,2\n");
    for (options, expected) in [
        ("--op add --input x.ct", "add needs two operands"),
        ("--op add --input x.ct --input wide.ct", "wide.ct: u16, where u8 are needed"),
        ("--op add --input x.ct --input short.ct", "short.ct: 1 values, but x.ct has 2"),
        ("--op add --input x.ct --constant 300", "300 does not fit u8"),
        ("--op shl --input x.ct --constant -1", "shifted by 0 to"),
        ("--op select --input x.ct --input x.ct", "select needs --condition"),
        ("--op select --condition x.ct --input x.ct --input x.ct", "where booleans are needed"),
        ("--op lt --wide --input x.ct --constant 1", "--wide is not for lt"),
        ("--op piecewise --input x.ct --pieces bad.csv", "bad.csv line 2"),
        ("--op add --input x.csv --constant 1", "x.csv"),
        ("--op add --input x.ct --constant 1 --memory 1kB", "above --memory 1.0 kB"),
    ] {
        let message = refused(options);
        assert!(message.contains(expected), "{options}: {message}");
        assert!(!here.files().contains(&"r.ct".to_owned()));
    }
    let whole = here.read("x.ct");
    here.write("cut.ct", &whole[..whole.len() - 100]);
    assert!(refused("--op add --input cut.ct --constant 1").contains("cut.ct"));
    here.refuses("decrypt --secret client.key --input cut.ct --output c.csv", "cut.ct");
    here.write("v.csv", "256\n");
    let files = "--input v.csv --output v.ct";
    let message = here.fail(&format!("encrypt --as integers --bits 8 --secret client.key {files}"));
    assert!(message.contains("v.csv line 1"), "{message}");
}

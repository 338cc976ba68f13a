//! `digits`: digits of values, tables of them, floors, and refusals.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

/// Encrypts integers as `x.ct`.
fn encrypt(here: &Workspace, integers: &[i64], options: &str) {
    here.write("x.csv", numbers(integers.iter().copied()));
    let files = "--input x.csv --output x.ct";
    here.succeed(&format!("encrypt --secret client.key {options} {files}"));
}

/// Runs `digits` on `x.ct`.
fn digits(here: &Workspace, options: &str) -> String {
    here.succeed(&format!("digits --evaluation server.key --input x.ct {options}"))
}

/// Decrypts a file.
fn decrypt(here: &Workspace, options: &str) -> String {
    here.succeed(&format!("decrypt --secret client.key --output r.csv {options}"));
    here.text("r.csv")
}

/// Runs a `digits` command that fails and leaves no file; returns its message.
fn refused(here: &Workspace, options: &str) -> String {
    let before = here.files();
    let message = here.fail(&format!("digits {options}"));
    assert_eq!(here.files(), before, "{options}");
    message
}

#[test]
fn values_are_taken_apart_into_digits() {
    let here = Workspace::with_comparison_keys();
    // More than one ciphertext of 1,024 values.
    let x: Vec<i64> = (0..1100).map(|i| i * 7 % 64).collect();
    encrypt(&here, &x, "");
    let report = digits(&here, "--output digit");
    assert!(report.contains("digit.2.ct: 1100 values below 8"), "{report}");
    let of = |place: i64, size: i64| numbers(x.iter().map(|x| x / place % size));
    assert_eq!(decrypt(&here, "--input digit.0.ct"), of(1, 4));
    assert_eq!(decrypt(&here, "--input digit.1.ct"), of(4, 4));
    // The modulus of the last digit is that of joined digits, which files of comparisons hold.
    assert_eq!(decrypt(&here, "--input digit.2.ct"), of(16, 8));
    assert!(!here.files().contains(&"digit".to_owned()));
}

#[test]
fn single_digits_are_told_from_joined_ones() {
    let here = Workspace::with_comparison_keys();
    let x: Vec<i64> = (0..1100).map(|i| i * 7 % 64).collect();
    encrypt(&here, &x, "");
    digits(&here, "--output digit");
    here.succeed("compare --evaluation server.key --op digits --input x.ct --output joined.ct");
    assert_eq!(decrypt(&here, "--input joined.ct"), numbers(x.iter().copied()));
    assert!(here.succeed("inspect digit.2.ct").contains("each ciphertext stands alone"));
    assert!(!here.succeed("inspect joined.ct").contains("each ciphertext stands alone"));
    // Sums are single digits like their terms, also with files of earlier versions, which have no mark.
    let old: Vec<u8> = unmarked(&here.read("digit.2.ct"));
    here.write("old.ct", &old);
    for other in ["digit.2.ct", "old.ct"] {
        let inputs = format!("--input {other} --input digit.2.ct");
        here.succeed(&format!("sum --evaluation server.key {inputs} --output sum.ct --force"));
        let doubled = numbers(x.iter().map(|x| x / 16 * 2 % 8));
        assert_eq!(decrypt(&here, "--input sum.ct"), doubled, "{other}");
    }
    // Without the mark, the digit is read as before.
    let message = here.fail("decrypt --secret client.key --output no.csv --input old.ct");
    assert!(message.contains("--as values decrypts each digit for itself"), "{message}");
    assert_eq!(decrypt(&here, "--as values --input old.ct"), numbers(x.iter().map(|x| x / 16)));
}

/// Returns a file of ciphertexts as versions without marks of single digits wrote it.
fn unmarked(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    assert_eq!(file[14], 2);
    file[14] = 0;
    let end = file.len() - 32;
    let digest = blake3::hash(&file[..end]);
    file[end..].copy_from_slice(digest.as_bytes());
    file
}

#[test]
fn digits_go_through_tables() {
    let here = Workspace::with_comparison_keys();
    let x: Vec<i64> = (0..64).collect();
    encrypt(&here, &x, "");
    here.write("squares.csv", "0\n1\n4\n1\n").write("halves.csv", numbers((0..8).map(|d| d / 2)));
    here.write("signs.csv", "-1\n0\n1\n-4\n");
    let tables = "--table squares.csv --table squares.csv --table halves.csv --output t";
    digits(&here, tables);
    let square = |d: i64| [0, 1, 4, 1][d as usize];
    let values = |digit: u32| decrypt(&here, &format!("--input t.{digit}.ct"));
    assert_eq!(values(0), numbers(x.iter().map(|x| square(x % 4))));
    assert_eq!(values(1), numbers(x.iter().map(|x| square(x / 4 % 4))));
    assert_eq!(values(2), numbers(x.iter().map(|x| x / 32)));
    let tables = "--table signs.csv --table signs.csv --table halves.csv --signed=outputs";
    let report = digits(&here, &format!("--json {tables} --output s"));
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["digit_sizes"], serde_json::json!([4, 4, 8]));
    assert_eq!(report["outputs"][0]["modulus"], 8);
    let signed = decrypt(&here, "--signed --input s.1.ct");
    assert_eq!(signed, numbers(x.iter().map(|x| [-1, 0, 1, -4][(x / 4 % 4) as usize])));
}

#[test]
fn automata_read_digits() {
    let here = Workspace::with_comparison_keys();
    let x: Vec<i64> = (0..64).collect();
    encrypt(&here, &x, "");
    // Pieces have sizes 4, 4, 4 and 2 beside two states; the last digit, of 8, is read in two parts.
    let parity = |m: i64| (m % 2 + i64::from((m / 2).count_ones())) % 2;
    here.write("p8.csv", numbers((0..8).map(parity)));
    here.write("p4.csv", numbers((0..4).map(|m| 2 * parity(m))));
    let tables = "--states 2 --table p8.csv --table p8.csv --table p8.csv --table p4.csv";
    let report = digits(&here, &format!("{tables} --output odd.ct"));
    assert!(report.contains("odd.ct: 64 values below 8"), "{report}");
    let expected = numbers(x.iter().map(|x| i64::from(x.count_ones() % 2) * 2));
    assert_eq!(decrypt(&here, "--input odd.ct"), expected);
    for (options, text) in [
        ("--states 2 --table p8.csv", "in parts of sizes 4, 4, 4, 2"),
        ("--states 3 --table p8.csv", "a divisor of 8"),
    ] {
        let files = "--evaluation server.key --input x.ct --output no.ct";
        let message = refused(&here, &format!("{files} {options}"));
        assert!(message.contains(text), "{message}");
    }
}

#[test]
fn floors_are_values_that_have_floors_and_digits() {
    let here = Workspace::with_comparison_keys();
    let x: Vec<i64> = (0..64).map(|i| i * 5 % 64).collect();
    encrypt(&here, &x, "");
    digits(&here, "--floor 2 --output f.ct");
    assert_eq!(decrypt(&here, "--input f.ct"), numbers(x.iter().map(|x| x / 4)));
    here.succeed("digits --evaluation server.key --floor 2 --input f.ct --output g.ct");
    assert_eq!(decrypt(&here, "--input g.ct"), numbers(x.iter().map(|x| x / 16)));
    digits(&here, "--floor 4 --output g.ct --force");
    assert_eq!(decrypt(&here, "--input g.ct"), numbers(x.iter().map(|x| x / 16)));
    here.succeed("digits --evaluation server.key --input f.ct --output of-floor");
    assert_eq!(decrypt(&here, "--input of-floor.0.ct"), numbers(x.iter().map(|x| x / 4 % 4)));
    assert!(!here.files().contains(&"of-floor.2.ct".to_owned()));
}

#[test]
fn floors_of_negative_integers_round_down() {
    let here = Workspace::with_comparison_keys();
    let x: Vec<i64> = (-32..32).collect();
    encrypt(&here, &x, "--signed");
    digits(&here, "--floor 2 --output f.ct");
    let floors = decrypt(&here, "--signed --input f.ct");
    assert_eq!(floors, numbers(x.iter().map(|x| x.div_euclid(4))));
    digits(&here, "--output d");
    let lowest = decrypt(&here, "--input d.0.ct");
    assert_eq!(lowest, numbers(x.iter().map(|x| x.rem_euclid(4))));
    let highest = decrypt(&here, "--input d.2.ct");
    assert_eq!(highest, numbers(x.iter().map(|x| x.rem_euclid(128) / 16)));
}

#[test]
fn keys_of_trees_have_digits_but_no_floors() {
    let here = Workspace::with_keys("--bits 4 --table-kind per-value");
    let x: Vec<i64> = (0..16).collect();
    encrypt(&here, &x, "");
    here.write("parity.csv", "0\n1\n0\n1\n");
    digits(&here, "--output d");
    assert_eq!(decrypt(&here, "--input d.0.ct"), numbers(x.iter().map(|x| x % 4)));
    assert_eq!(decrypt(&here, "--input d.1.ct"), numbers(x.iter().map(|x| x / 4)));
    digits(&here, "--table parity.csv --output p");
    assert_eq!(decrypt(&here, "--input p.1.ct"), numbers(x.iter().map(|x| x / 4 % 2)));
    let message =
        refused(&here, "--evaluation server.key --input x.ct --floor 2 --output never.ct");
    assert!(message.contains("--floor needs keys from keygen compare"), "{message}");
}

#[test]
fn what_has_no_such_digits_is_refused() {
    let here = Workspace::with_comparison_keys();
    encrypt(&here, &[1, 2, 63], "");
    here.write("t.csv", "0\n1\n2\n3\n").write("digit.1.ct", "some text");
    for (options, expected) in [
        ("--floor 3 --output n.ct", "end after 2, 4 bits; give one of these"),
        ("--floor 7 --output n.ct", "--floor 7: digits of this key, which multiply to 128"),
        ("--table t.csv --output n", "but these have sizes 4, 4, 8"),
        ("--table t.csv --table t.csv --output n", "2 --table, but values have 3 digits"),
        ("--table t.csv --table t.csv --table t.csv --output n", "t.csv"),
        ("--signed --table t.csv --table t.csv --table t.csv --output n", "digits are unsigned"),
        ("--output -", "--output -: digits are 3 files"),
        ("--memory 1kB --output n", "digits may take"),
        ("--memory 1kB --floor 2 --output n.ct", "floor may take"),
    ] {
        let message = refused(&here, &format!("--evaluation server.key --input x.ct {options}"));
        assert!(message.contains(expected), "{options}: {message}");
    }
    // An input has the name that a digit's output would get.
    let files = "--evaluation server.key --input x.ct --table digit.1.ct --output digit";
    let message = refused(&here, files);
    assert!(message.contains("digit.1.ct would replace the file that --table"), "{message}");
    // Results of comparisons are not values.
    here.succeed("compare --evaluation server.key --op sign --input x.ct --output bits.ct");
    let message = refused(&here, "--evaluation server.key --input bits.ct --output n");
    assert!(message.contains("modulus of the values is 2"), "{message}");
    // Keys without digits, and keys of other engines, are refused.
    for (mode, expected) in
        [("", "in one piece, without digits"), ("--mode single", "keygen compare")]
    {
        let files = "--secret other.key --evaluation other-server.key --force";
        here.succeed(&format!("keygen --insecure-toy --bits 3 {mode} {files}"));
        let message = refused(&here, "--evaluation other-server.key --input x.ct --output n");
        assert!(message.contains(expected), "{mode}: {message}");
    }
}

#[test]
fn digit_sizes_can_be_chosen() {
    let here = Workspace::new();
    here.succeed("plan compare --bits 15 --digit-bits 4 --output digits.plan");
    let text = here.succeed("--json inspect digits.plan");
    assert!(text.contains("16"), "{text}");
    here.refuses("plan compare --bits 4 --digit-bits 6", "is 6, but must be at most 4");
}

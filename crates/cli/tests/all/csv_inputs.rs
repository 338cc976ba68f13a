//! Reading of CSV files, and its reports.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

fn toy() -> Workspace {
    Workspace::with_keys("--mode single --bits 4")
}

/// Encrypts and decrypts; returns the result.
fn round_trip(here: &Workspace, options: &str) -> String {
    here.succeed(&format!("encrypt --secret client.key --output v.ct {options}"));
    here.succeed("decrypt --secret client.key --input v.ct --output v.csv");
    here.text("v.csv")
}

#[test]
fn what_was_read_is_told() {
    let here = toy();
    here.write("people.csv", "name;age\nann;3\nbob;NA\n\n\n").write("t.csv", "x,y\n0,1\n");
    let line =
        "encrypt --secret client.key --input people.csv --column age --missing 7 --output v.ct";
    let expected = "people.csv: a header line, column \"age\" of 2 columns between semicolons, 2 rows, \
                    1 missing value read as 7, 2 empty lines at the end skipped\n";
    assert_eq!(here.notes(line), expected);
    assert_eq!(here.notes(&format!("--quiet {line}")), "");
    let report: serde_json::Value = here.json(line);
    let read = &report["read"];
    assert_eq!((&read["header"], &read["rows"]), (&true.into(), &2.into()));
    assert_eq!((&read["missing"], &read["skipped"]), (&1.into(), &2.into()));
    let lookup =
        "lookup --evaluation server.key --input v.ct --output r.ct --default 0 --table t.csv";
    assert!(
        here.notes(lookup).starts_with("t.csv: a header line, 2 columns between commas, 1 row\n")
    );
}

#[test]
fn no_row_vanishes() {
    let here = toy();
    let fail = |content: &str| {
        here.write("v.csv", content);
        here.fail("encrypt --secret client.key --input v.csv --output new.ct")
    };
    let hint = "--missing VALUE replaces it";
    assert_eq!(fail("age\n3\n\n4\n"), format!("v.csv line 3: an empty line; {hint}"));
    for (text, shown) in
        [("\"\"", "an empty field"), ("NA", "\"NA\""), ("null", "\"null\""), ("nan", "\"nan\"")]
    {
        let message = format!("v.csv line 2, column 1: {shown} is a missing value; {hint}");
        assert_eq!(fail(&format!("3\n{text}\n4\n")), message);
    }
    assert!(fail("NA\n3\n").starts_with("v.csv line 1, column 1: \"NA\" is a missing value"));
    here.write("v.csv", "3\n\n4\nNA\n");
    assert_eq!(round_trip(&here, "--input v.csv --missing 9"), "3\n9\n4\n9\n");
    here.write("t.csv", "0\n\n2\n");
    let lookup = "lookup --evaluation server.key --input v.ct --output new.ct --table t.csv";
    assert_eq!(here.fail(lookup), "t.csv line 2: an empty line");
}

#[test]
fn integers_that_were_floats_are_read_and_others_named() {
    let here = toy();
    // Pandas writes a column of integers with missing values in this form.
    here.write("v.csv", "name,age\nann,3.0\nbob,12.0\n");
    assert_eq!(round_trip(&here, "--input v.csv --column age"), "3\n12\n");
    let line = "encrypt --secret client.key --input v.csv --column age --output new.ct";
    here.write("v.csv", "name,age\nann,3.0\nbob,12.5\n");
    let message = "v.csv line 3, column \"age\": \"12.5\" is not an integer: round it first";
    assert_eq!(here.fail(line), message);
    here.write("v.csv", "name,age\nann,9007199254740992.0\n");
    let message = here.fail(line);
    assert!(
        message.starts_with("v.csv line 2, column \"age\": \"9007199254740992.0\" may have been")
    );
    // A first line with a number, integer or not, is a row.
    here.write("v.csv", "ann,2.5\n");
    let message = here.fail("encrypt --secret client.key --input v.csv --column 2 --output new.ct");
    assert_eq!(message, "v.csv line 1, column 2: \"2.5\" is not an integer: round it first");
}

#[test]
fn headers_are_as_stated() {
    let here = toy();
    here.write("v.csv", "1\n2\n").write("words.csv", "age\n2\n");
    assert_eq!(round_trip(&here, "--input v.csv"), "1\n2\n");
    here.write("v.csv", "1\n2\n");
    assert_eq!(round_trip(&here, "--input v.csv --header"), "2\n");
    let line = "encrypt --secret client.key --output new.ct --input words.csv --no-header";
    let message = "words.csv line 1, column 1: \"age\" is not an integer; --dictionary FILE --extend encodes words";
    assert_eq!(here.fail(line), message);
}

#[test]
fn one_of_several_columns_must_be_named() {
    let here = toy();
    here.write("v.csv", "id,age\n1,2\n").write("n.csv", "1\t2\n").write("b.csv", "1|2\n");
    let line = "encrypt --secret client.key --output new.ct --input";
    assert_eq!(
        here.fail(&format!("{line} v.csv")),
        "v.csv: 2 columns, \"id\", \"age\"; choose one with --column"
    );
    let message = here.fail(&format!("{line} n.csv"));
    assert_eq!(message, "n.csv: 2 columns without a header line: 1 to 2; choose one with --column");
    assert_eq!(round_trip(&here, "--input n.csv --column 2"), "2\n");
    assert_eq!(round_trip(&here, "--input b.csv --column 2 --delimiter |"), "2\n");
}

#[test]
fn encodings_are_named() {
    let here = toy();
    here.write("utf16.csv", b"\xFF\xFE1\0\n\0").write("mark.csv", "\u{feff}age\n5\n");
    let line = "encrypt --secret client.key --output new.ct --input utf16.csv";
    assert_eq!(here.fail(line), "utf16.csv: it is in UTF-16; save it as UTF-8");
    assert_eq!(round_trip(&here, "--input mark.csv --column age"), "5\n");
}

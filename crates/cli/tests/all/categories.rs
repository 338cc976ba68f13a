//! Words through code books, defaults of tables, signed values, and results joined to their inputs.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

const PEOPLE: &str = "name,job\n\"Ann, Dr.\",nurse\nbob,smith\ncid,nurse\ndan,cook\n";

fn encrypted_jobs(book: &str) -> Workspace {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("people.csv", PEOPLE);
    here.succeed(&format!(
        "encrypt --secret client.key --input people.csv --column job --dictionary {book} --extend --output job.ct"
    ));
    here
}

#[test]
fn words_go_through_code_books() {
    for book in ["jobs.json", "jobs.csv"] {
        let here = encrypted_jobs(book);
        // Both columns have words; `cook` gets the default.
        here.write("table.csv", "job,risk\nsmith,high\nnurse,\"quite, low\"\n");
        here.succeed(&format!(
            "lookup --evaluation server.key --table table.csv --header --dictionary {book} \
             --output-dictionary risks.json --extend --default unknown --input job.ct --output risk.ct"
        )
        .replace("--default unknown", "--default high"));
        here.succeed(
            "decrypt --secret client.key --input risk.ct --dictionary risks.json --output risk.csv",
        );
        let expected = "\"quite, low\"\nhigh\n\"quite, low\"\nhigh\n";
        assert_eq!(here.text("risk.csv"), expected);
        here.succeed(&format!(
            "decrypt --secret client.key --input job.ct --dictionary {book} --output job.csv --column job"
        ));
        assert_eq!(here.read("job.csv"), b"job\nnurse\nsmith\nnurse\ncook\n");
    }
}

#[test]
fn books_do_not_grow_by_themselves_nor_beyond_the_modulus() {
    let here = encrypted_jobs("jobs.json");
    let line =
        "encrypt --secret client.key --dictionary jobs.json --output new.ct --input more.csv";
    here.write("more.csv", "nurse\npilot\n");
    let message = here.fail(line);
    assert_eq!(message, "more.csv line 2, column 1: \"pilot\" is not in the dictionary jobs.json");
    let book = here.read("jobs.json");
    here.write("more.csv", "nurse\npilot\ndiver\n");
    let message = here.fail(&format!("{line} --extend"));
    assert!(
        message.starts_with("more.csv line 3, column 1: \"diver\" has the code 4"),
        "{message}"
    );
    let room = "not below the modulus 4; `keygen --bits 3` makes keys with room for it";
    assert!(message.ends_with(room), "{message}");
    assert_eq!(here.read("jobs.json"), book);
    here.write("more.csv", "job\nnurse\n");
    here.refuses(line, "use --header or --no-header");
    here.succeed(&format!("{line} --header"));
    let none =
        "encrypt --secret client.key --dictionary none.json --output new2.ct --input more.csv";
    here.refuses(none, "none.json");
}

#[test]
fn gaps_of_tables_have_a_default() {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("values.csv", "0\n1\n2\n3\n").write("gaps.csv", "1,3\n2,2\n");
    here.succeed("encrypt --secret client.key --input values.csv --output v.ct");
    let line = "lookup --evaluation server.key --table gaps.csv --input v.ct --output r.ct";
    here.refuses(line, "the first one missing is 0; --default VALUE");
    assert_eq!(
        here.fail(&format!("{line} --default 4")),
        "--default: 4 is not below the modulus 4"
    );
    here.succeed(&format!("{line} --default 1"));
    here.succeed("decrypt --secret client.key --input r.ct --output r.csv");
    assert_eq!(here.read("r.csv"), b"1\n3\n2\n1\n");
}

#[test]
fn signed_values_wrap_round() {
    let here = Workspace::with_keys("--mode single --bits 4");
    here.write("values.csv", "-8\n-1\n0\n7\n").write("large.csv", "8\n");
    let table: String = (-8..8).map(|x| format!("{x},{}\n", -x / 2)).collect();
    here.write("table.csv", table);
    let encrypt = "encrypt --secret client.key --signed --output v.ct --input";
    let message = here.fail(&format!("{encrypt} large.csv"));
    assert!(message.contains("8 is not from -8 to 7, the signed values modulo 16"), "{message}");
    let report = here.succeed(&format!("{encrypt} values.csv"));
    assert!(report.contains("v.ct: 4 values from -8 to 7 in 4 ciphertexts"), "{report}");
    here.succeed(
        "lookup --evaluation server.key --signed --table table.csv --input v.ct --output r.ct",
    );
    here.succeed("decrypt --secret client.key --signed --input r.ct --output r.csv");
    assert_eq!(here.read("r.csv"), b"4\n0\n0\n-3\n");
    here.succeed("decrypt --secret client.key --signed --input r.ct --output r.npy");
    let array = here.read("r.npy");
    assert!(String::from_utf8_lossy(&array).contains("'descr': '|i1'"));
    assert!(array.ends_with(&[4, 0, 0, 253]));
    // Files record that they are signed.
    here.succeed(&format!("{encrypt} r.npy"));
    here.succeed("decrypt --secret client.key --input v.ct --output same.csv");
    assert_eq!(here.read("same.csv"), b"4\n0\n0\n-3\n");
    let inspected = here.succeed("inspect v.ct");
    assert!(inspected.contains("4 values from -8 to 7"), "{inspected}");
}

#[test]
fn signs_that_differ_are_refused() {
    let here = Workspace::with_keys("--mode single --bits 4");
    here.write("values.csv", "3\n-2\n").write("plain.csv", "3\n5\n").write("words.json", "{}");
    let magnitudes: String = (-8..8_i8).map(|x| format!("{x},{}\n", x.unsigned_abs())).collect();
    here.write("magnitudes.csv", magnitudes);
    here.succeed("encrypt --secret client.key --signed --input values.csv --output s.ct");
    here.succeed("encrypt --secret client.key --input plain.csv --output u.ct");
    let lookup = "lookup --evaluation server.key --output r.ct --table magnitudes.csv";
    // The error comes before the key is read, since there is no key of this name.
    let early = lookup.replace("server.key", "missing.key");
    here.refuses(&format!("{early} --input s.ct"), "s.ct holds signed values: use --signed");
    here.refuses(&format!("{early} --input u.ct --signed"), "--signed: u.ct holds unsigned values");
    here.succeed(&format!("{lookup} --input s.ct --signed=inputs"));
    let decrypt = "decrypt --secret client.key --output r.csv --input";
    here.refuses(&format!("{decrypt} r.ct --signed"), "--signed: r.ct holds unsigned values");
    here.succeed(&format!("{decrypt} r.ct"));
    assert_eq!(here.read("r.csv"), b"3\n2\n");
    let message = here.fail(&format!("{decrypt} s.ct --dictionary words.json"));
    assert!(message.contains("--dictionary: s.ct holds signed values"), "{message}");
    let sum = "sum --evaluation server.key --output sum.ct --input";
    here.refuses(&format!("{sum} s.ct --input u.ct"), "values are unsigned, but must be signed");
    // Differences of unsigned values are signed if the option says so.
    here.succeed(&format!("{sum} r.ct --input u.ct --factor 1 --factor -1 --signed"));
    here.succeed(&format!("{decrypt} sum.ct"));
    assert_eq!(here.read("r.csv"), b"0\n-3\n");
}

#[test]
fn results_join_the_rows_they_came_from() {
    let here = encrypted_jobs("jobs.json");
    let line = "decrypt --secret client.key --input job.ct --output joined.csv --join people.csv";
    here.succeed(&format!("{line} --column code"));
    let expected = "name,job,code\n\"Ann, Dr.\",nurse,0\nbob,smith,1\ncid,nurse,0\ndan,cook,2\n";
    assert_eq!(here.text("joined.csv"), expected);
    here.succeed(&format!("{line} --column again --dictionary jobs.json"));
    assert!(here.read("joined.csv").ends_with(b"dan,cook,cook\n"));
    std::fs::remove_file(here.path("joined.csv")).unwrap();
    here.refuses(line, "name the new column with --column");
    here.refuses(&format!("{line} --column job"), "people.csv already has a column \"job\"");
    here.write("people.csv", "a;1\nb;2\n");
    assert_eq!(here.fail(line), "people.csv: 2 rows, but there are more values");
    here.write("people.csv", "a;1\nb;2\nc;3\nd;4\ne;5\n");
    assert_eq!(here.fail(line), "people.csv: more rows than the 4 values");
    here.write("people.csv", "a;1\r\nb;2\r\nc;3\r\nd;4\r\n");
    here.succeed(line);
    assert_eq!(here.read("joined.csv"), b"a;1;0\r\nb;2;1\r\nc;3;0\r\nd;4;2\r\n");
    // The byte order mark, by which spreadsheets recognise the encoding, is kept, and a missing last line end is added.
    here.write("people.csv", "\u{feff}a;1\r\nb;2\r\nc;3\r\nd;4");
    here.succeed(line);
    let expected = "\u{feff}a;1;0\r\nb;2;1\r\nc;3;0\r\nd;4;2\r\n";
    assert_eq!(here.text("joined.csv"), expected);
}

#[test]
fn plans_and_keys_take_the_tables_that_lookups_take() {
    let here = Workspace::new();
    here.write("words.csv", "SW1A 1AA,north\nB33 8TH,south\nB33 9XX,north\n");
    here.write("in.csv", "SW1A 1AA,0\nB33 8TH,1\nB33 9XX,2\n")
        .write("out.csv", "north,0\nsouth,1\n");
    let words = "--no-header --dictionary in.csv --output-dictionary out.csv";
    let moduli = |options: &str| {
        let report = here.json(&format!("plan --values 5 --mode single --table {options}"));
        (report["input_modulus"].as_u64().unwrap(), report["output_modulus"].as_u64().unwrap())
    };
    assert_eq!(moduli(&format!("words.csv {words}")), (3, 3));
    here.write("sparse.csv", "3,1\n29,2\n");
    assert_eq!(moduli("sparse.csv --default 0"), (30, 30));
    assert_eq!(moduli("sparse.csv --default 0 --max-input 31"), (32, 32));
    here.write("signed.csv", "0\n-1\n");
    assert_eq!(moduli("signed.csv --signed --output-bits 3"), (2, 8));
    let message = here.fail("plan --table sparse.csv");
    assert!(message.ends_with(
        "outputs for only 2 inputs of 30; the first one missing is 0; --default VALUE gives all of them an output"
    ));
    here.write("far.csv", "3,1\n16777215,2\n");
    here.refuses("plan --table far.csv", "2 inputs of 16777216");
    here.refuses("plan --bits 4 --default 0", "need --table");
    let files = "--insecure-toy --mode single --secret client.key --evaluation server.key";
    here.succeed(&format!("keygen {files} --table words.csv {words}"));
    here.write("v.csv", "B33 8TH\nSW1A 1AA\n");
    here.succeed(
        "encrypt --secret client.key --input v.csv --no-header --dictionary in.csv --output v.ct",
    );
    here.succeed(&format!(
        "lookup --evaluation server.key --table words.csv {words} --input v.ct --output r.ct"
    ));
    here.succeed("decrypt --secret client.key --input r.ct --dictionary out.csv --output r.csv");
    assert_eq!(here.read("r.csv"), b"south\nnorth\n");
}

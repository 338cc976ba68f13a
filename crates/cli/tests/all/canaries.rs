//! Canaries of `encrypt` and `decrypt`: results of an honest server are written, those of a dishonest one are not.

use crate::support::{Workspace, numbers};

/// A workspace with keys, a table, a wrong one, and values.
fn workspace(mode: &str) -> Workspace {
    let here = Workspace::new();
    let table = |f: fn(u32) -> u32| (0..16).map(|x| format!("{}\n", f(x))).collect::<String>();
    here.write("table.csv", table(|x| x * x % 16));
    here.write("wrong.csv", table(|x| if x < 8 { x * x % 16 } else { 1 + x * x % 15 }));
    here.write("values.csv", (0..60).map(|i| format!("{}\n", i * 5 % 16)).collect::<String>());
    here.succeed(&format!(
        "keygen --insecure-toy --mode {mode} --table table.csv --secret client.key --evaluation server.key"
    ));
    here
}

const ENCRYPT: &str = "encrypt --secret client.key --input values.csv --output values.ct";
const CANARIES: &str = "--canaries values.canaries --canary-count 40";
const DECRYPT: &str = "decrypt --secret client.key --input result.ct --output result.csv";

fn lookup(here: &Workspace, table: &str) {
    here.succeed(&format!(
        "lookup --evaluation server.key --table {table} --input values.ct --output result.ct"
    ));
}

#[test]
fn results_are_checked_and_canaries_left_out() {
    for mode in ["packed", "single"] {
        let here = workspace(mode);
        for inputs in ["uniform", "values"] {
            let text =
                here.succeed(&format!("{ENCRYPT} {CANARIES} --canary-inputs {inputs} --force"));
            assert!(text.contains("40 of 100; keep it secret"), "{text}");
            lookup(&here, "table.csv");
            let check = "--canaries values.canaries --table table.csv";
            let text = here.succeed(&format!("{DECRYPT} {check}"));
            assert!(text.contains("40 of 100, are right"), "{text}");
            assert!(
                text.contains("a server wrong in 1% of places is missed with probability 2^-0.7"),
                "{text}"
            );
            let expected: String =
                (0..60).map(|i| i * 5 % 16).map(|x| format!("{}\n", x * x % 16)).collect();
            assert_eq!(here.read("result.csv"), expected.into_bytes());
        }
        // A table that is wrong for half of all inputs is missed by 40 uniform canaries with probability 2^-40.
        here.succeed(&format!("{ENCRYPT} {CANARIES} --force"));
        lookup(&here, "wrong.csv");
        std::fs::remove_file(here.path("result.csv")).unwrap();
        let message = here.fail(&format!("{DECRYPT} --canaries values.canaries --table table.csv"));
        assert!(message.contains("of 40 canaries have wrong results"), "{message}");
        assert!(!here.path("result.csv").exists());
    }
}

/// A contributor with only the public key hides canaries, and the client checks them.
#[test]
fn canaries_of_public_keys_are_checked() {
    let here = workspace("packed");
    here.succeed(
        "keygen --insecure-toy --force --mode packed --table table.csv --secret client.key --evaluation server.key \
         --public public.key",
    );
    let encrypt = "encrypt --public public.key --input values.csv --output values.ct";
    here.succeed(&format!("{encrypt} {CANARIES}"));
    lookup(&here, "table.csv");
    let check = "--canaries values.canaries --table table.csv";
    let text = here.succeed(&format!("{DECRYPT} {check}"));
    assert!(text.contains("40 of 100, are right"), "{text}");
    lookup(&here, "wrong.csv");
    here.refuses(&format!("{DECRYPT} {check}"), "of 40 canaries have wrong results");
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let here = workspace("packed");
    here.succeed(&format!("{ENCRYPT} {CANARIES}"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = here.path("values.canaries").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let text = here.succeed("inspect values.canaries");
    assert!(text.contains("canaries"), "{text}");
    lookup(&here, "table.csv");
    // Canaries are not silently replaced, since results could then no longer be checked with them.
    here.refuses(&format!("{ENCRYPT} {CANARIES}"), "--force replaces it");
    // Canaries of another key are refused.
    here.succeed(
        "keygen --insecure-toy --mode packed --table table.csv --secret other.key --evaluation other-server.key",
    );
    here.succeed(
        "encrypt --secret other.key --input values.csv --output other.ct --canaries other.canaries \
         --canary-count 40",
    );
    here.refuses(&format!("{DECRYPT} --canaries other.canaries --table table.csv"), "client key");
    // Canaries of another encryption are refused.
    here.succeed(
        "encrypt --secret client.key --input values.csv --output few.ct --canaries few.canaries \
         --canary-count 4",
    );
    let message = here.fail(&format!("{DECRYPT} --canaries few.canaries --table table.csv"));
    assert!(message.contains("they are not from one encryption"), "{message}");
    let message = here.fail(&format!("{DECRYPT} --canaries client.key --table table.csv"));
    assert!(message.contains("secret key for packed values, not canaries"), "{message}");
    // The grammar requires a table for a check, and the number of canaries.
    here.strict_command(&format!("{DECRYPT} --canaries values.canaries")).assert().code(2);
    here.strict_command(&format!("{ENCRYPT} --canaries new.canaries")).assert().code(2);
    let message = here.fail(&format!("{ENCRYPT} --canaries new.canaries --canary-count 0"));
    assert!(message.contains("number of canaries is 0"), "{message}");
    here.refuses(&format!("{ENCRYPT} --as headroom --canaries n.c --canary-count 3"), "--canaries");
}

fn column(here: &Workspace, name: &str) -> Vec<i64> {
    let text = here.text(name);
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// The columns of one operation have canaries at the same places, and the client computes their results.
#[test]
fn results_of_columns_are_compared_with_those_of_canaries() {
    let here = Workspace::new();
    here.succeed(
        "keygen integers --insecure-toy --digit-bits 2 --secret client.key --evaluation server.key",
    );
    let own: Vec<i64> = (0..1100).map(|i| i * 7 % 256 - 128).collect();
    here.write("x.csv", numbers(own.iter().copied()));
    here.write("y.csv", numbers(own.iter().map(|x| x / 2)));
    let encrypt = |name: &str, places: &str| {
        format!(
            "encrypt --as integers --bits 8 --signed --secret client.key --input {name}.csv --output {name}.ct \
             --canaries {name}.canaries --canary-values {name}.values {places}"
        )
    };
    let text = here.succeed(&encrypt("x", "--canary-count 60"));
    assert!(text.contains("1100 values") && text.contains("60 of 1160"), "{text}");
    here.succeed(&encrypt("y", "--canaries-like x.canaries"));
    let compute = |operation: &str| {
        here.succeed(&format!(
            "integers --evaluation server.key --op {operation} --input x.ct --input y.ct --output r.ct"
        ));
    };
    let both = || column(&here, "x.values").into_iter().zip(column(&here, "y.values"));
    let larger = |(x, y): (i64, i64)| x.max(y);
    here.write("expected.csv", numbers(both().map(larger)));
    compute("max");
    let check = "decrypt --secret client.key --input r.ct --output r.csv --canaries x.canaries --expected expected.csv";
    let text = here.succeed(check);
    assert!(text.contains("1100 values") && text.contains("60 of 1160, are right"), "{text}");
    assert_eq!(column(&here, "r.csv"), own.iter().map(|&x| x.max(x / 2)).collect::<Vec<_>>());
    std::fs::remove_file(here.path("r.csv")).unwrap();
    compute("min");
    here.refuses(check, "canaries have wrong results");
    assert!(!here.path("r.csv").exists());

    here.write("short.csv", numbers(both().map(larger).skip(1)));
    here.refuses(&check.replace("expected.csv", "short.csv"), "number of expected results");
    here.write("z.csv", numbers(own[1..].iter().copied()));
    let message = here.fail(&encrypt("z", "--canaries-like x.canaries"));
    assert!(message.contains("among 1100 values up to 255, but these are 1099"), "{message}");
    here.strict_command(&encrypt("z", "--canaries-like x.canaries --canary-count 3"))
        .assert()
        .code(2);
}

#[test]
fn results_of_words_are_compared_with_those_of_canaries() {
    let here = Workspace::new();
    here.succeed("keygen wide --insecure-toy --bits 8 --secret client.key --evaluation server.key");
    here.write("x.csv", numbers(0..200));
    here.succeed(
        "encrypt --as words --bits 8 --secret client.key --input x.csv --output x.ct --canaries x.canaries \
         --canary-count 56 --canary-values inputs.csv --canary-inputs values",
    );
    let value = |key: i64| if key % 16 == 1 { 200 + key / 16 } else { 0 };
    let entries = (0..13).map(|step| format!("{},{}\n", 16 * step + 1, 200 + step));
    here.write("d.csv", entries.collect::<String>());
    here.succeed(
        "wide --evaluation server.key --bits 8 --dictionary d.csv --default 0 --input x.ct --output r.ct",
    );
    here.write("expected.csv", numbers(column(&here, "inputs.csv").into_iter().map(value)));
    let check = "decrypt --as words --bits 8 --secret client.key --input r.ct --output r.csv --canaries x.canaries";
    let text = here.succeed(&format!("{check} --expected expected.csv"));
    assert!(text.contains("56 of 256, are right"), "{text}");
    assert_eq!(column(&here, "r.csv"), (0..200).map(value).collect::<Vec<_>>());
    here.refuses(&format!("{check} --expected inputs.csv"), "canaries have wrong results");
}

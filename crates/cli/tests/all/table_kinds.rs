//! Tables per value, encrypted tables, tables of several variables, and complex tables.
#![cfg(feature = "client")]

use crate::support;

use serde_json::Value;
use support::{Workspace, numbers};

const VALUES: [u64; 6] = [0, 3, 15, 7, 7, 1];

/// Value k's table multiplies by k, and adds 5.
fn output(k: usize, x: u64) -> u64 {
    (k as u64 * x + 5) % 16
}

/// Returns a table for each of `count` values, one per line.
fn rows(count: usize) -> String {
    let row = |k| (0..16).map(|x| output(k, x).to_string()).collect::<Vec<_>>().join(",") + "\n";
    (0..count).map(row).collect()
}

fn toy() -> Workspace {
    let here = Workspace::with_keys("--bits 4 --table-kind encrypted");
    here.write("values.csv", numbers(VALUES))
        .write("square.csv", numbers((0..16).map(|x| x * x % 16)));
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here
}

fn decrypted(here: &Workspace, name: &str) -> String {
    here.succeed(&format!("decrypt --secret client.key --input {name} --output result.csv"));
    here.text("result.csv")
}

#[test]
fn the_server_applies_an_encrypted_table() {
    let here = toy();
    let report =
        here.json("encrypt-table --secret client.key --table square.csv --output square.ct");
    assert_eq!((&report["tables"], &report["input_modulus"]), (&Value::Null, &16.into()));
    let lookup = "lookup --evaluation server.key --input values.ct --output r.ct --table";
    here.succeed(&format!("{lookup} square.ct"));
    let squares = numbers(VALUES.map(|x| x * x % 16));
    assert_eq!(decrypted(&here, "r.ct"), squares);
    // The table is in the clear, and used twice in one lookup.
    here.succeed(&format!("{lookup} square.csv"));
    assert_eq!(decrypted(&here, "r.ct"), squares);
    here.succeed(&format!("{lookup} square.ct --table square.ct --output again.ct"));
    assert_eq!(decrypted(&here, "again.ct"), squares);
    let found = here.succeed("--json inspect square.ct");
    assert!(
        found.contains("encrypted tables") && found.contains("\"engine\":\"packed\""),
        "{found}"
    );
}

#[test]
fn every_value_has_a_table_of_its_own() {
    let here = toy();
    here.write("rows.csv", rows(6));
    let expected = numbers(VALUES.iter().enumerate().map(|(k, &x)| output(k, x)));
    let lookup = "lookup --evaluation server.key --input values.ct --output r.ct";
    here.succeed(&format!("{lookup} --per-value --table rows.csv"));
    assert_eq!(decrypted(&here, "r.ct"), expected);
    here.succeed("encrypt-table --secret client.key --per-value --table rows.csv --output rows.ct");
    here.succeed(&format!("{lookup} --table rows.ct"));
    assert_eq!(decrypted(&here, "r.ct"), expected);
}

#[test]
fn what_does_not_fit_is_named() {
    let here = toy();
    here.write("five.csv", rows(5)).write("seven.csv", rows(7)).write("many.csv", rows(1025));
    let lookup = |table: &str| {
        here.fail(&format!(
            "lookup --evaluation server.key --input values.ct --output r.ct {table}"
        ))
    };
    let error = lookup("--per-value --table five.csv");
    assert!(error.contains("five.csv: 5 tables, but there are more values"), "{error}");
    let error = lookup("--per-value --table seven.csv");
    assert!(error.contains("seven.csv: more tables than the 6 values"), "{error}");
    let error = lookup("--per-value --table square.csv");
    assert!(error.contains("square.csv: 1 columns; a table per value has one"), "{error}");
    let encrypt = "encrypt-table --secret client.key --output new.ct";
    here.refuses(&format!("{encrypt} --per-value --table many.csv"), "more than 1024 tables");
    here.write("short.csv", "1\n2\n");
    here.refuses(&format!("{encrypt} --table short.csv"), "short.csv");
    here.succeed("encrypt-table --secret client.key --per-value --table five.csv --output five.ct");
    let error = lookup("--table five.ct");
    assert!(error.contains("five.ct: a table for each of 5 values, but there are 6"), "{error}");
    let error = lookup("--table five.ct --per-value");
    assert!(error.contains("five.ct is encrypted"), "{error}");
    let error = lookup("--table five.ct --resume");
    assert!(error.contains("--resume"), "{error}");
    let error = lookup("--table five.ct --table square.csv --output s.ct");
    assert!(error.contains("square.csv is not encrypted, but other tables are"), "{error}");
}

#[test]
fn keys_and_tables_belong_together() {
    let here = toy();
    here.succeed("encrypt-table --secret client.key --table square.csv --output square.ct");
    here.write("rows.csv", rows(6));
    let keys = "--secret other.key --evaluation other.server";
    // Another client.
    here.succeed(&format!("keygen --insecure-toy --bits 4 --table-kind per-value {keys}"));
    here.succeed("encrypt --secret other.key --input values.csv --output other.ct");
    let lookup = "lookup --evaluation other.server --input other.ct --output r.ct";
    let error = here.fail(&format!("{lookup} --table square.ct"));
    assert!(error.contains("square.ct") && error.contains("client"), "{error}");
    // Keys for tables in the clear, and of other engines.
    for (mode, encrypts) in
        [("packed", "is a key for tables in the clear"), ("single", "cannot encrypt tables")]
    {
        here.succeed(&format!("keygen --insecure-toy --force --mode {mode} --bits 4 {keys}"));
        here.succeed("encrypt --secret other.key --input values.csv --output other.ct");
        here.refuses(&format!("{lookup} --table square.ct"), "square.ct is an encrypted table");
        here.refuses(&format!("{lookup} --per-value --table rows.csv"), "--per-value");
        let error =
            here.fail("encrypt-table --secret other.key --table square.csv --output new.ct");
        assert!(error.contains(encrypts), "{error}");
    }
    // A damaged table is refused.
    let mut bytes = here.read("square.ct");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    here.write("bad.ct", bytes);
    let lookup = "lookup --evaluation server.key --input values.ct --output r.ct --table";
    here.refuses(&format!("{lookup} bad.ct"), "bad.ct");
    here.refuses(&format!("{lookup} values.ct"), "values.ct");
}

#[test]
fn plans_are_of_the_kind_of_table() {
    let here = Workspace::new();
    let plan = |kind: &str| -> Value { here.json(&format!("plan --bits 8 --table-kind {kind}")) };
    let [shared, own, encrypted] = ["shared", "per-value", "encrypted"].map(plan);
    assert_eq!(own["parameter_digest"], encrypted["parameter_digest"]);
    assert!(encrypted["peak_bytes"].as_u64() > own["peak_bytes"].as_u64());
    for plan in [own, encrypted] {
        assert!(plan["method"].as_str().unwrap().starts_with("CMT"), "{plan}");
        assert!(plan["security_bits"].as_f64().unwrap() >= 128.0);
        assert!(plan["eval_s"].as_f64() > shared["eval_s"].as_f64());
    }
    let error = here.fail("plan --mode single --bits 4 --table-kind encrypted");
    assert!(error.contains("encrypted tables with the engine single"), "{error}");
}

/// Values of two variables below 4, in tables of `x + 4·y`: one for all values, one per value, and one that is encrypted.
#[test]
fn tables_of_several_variables_have_an_input_for_each() {
    let here = toy();
    let (hours, zones) = ([0, 1, 2, 3, 3, 2], [3, 3, 0, 1, 3, 2]);
    here.write("hours.csv", numbers(hours)).write("zones.csv", numbers(zones));
    here.write("table.csv", numbers((0..16).map(|m| (m % 4) * (m / 4)))).write("rows.csv", rows(6));
    for name in ["hours", "zones"] {
        let files = format!("--input {name}.csv --output {name}.ct");
        here.succeed(&format!("encrypt --modulus 4 --secret client.key {files}"));
    }
    let lookup = "lookup --evaluation server.key --output r.ct --input hours.ct";
    here.succeed(&format!("{lookup} --input zones.ct --table table.csv"));
    let pairs = || hours.into_iter().zip(zones);
    assert_eq!(decrypted(&here, "r.ct"), numbers(pairs().map(|(x, y)| x * y)));
    here.succeed(&format!("{lookup} --input zones.ct --per-value --table rows.csv"));
    let own = pairs().enumerate().map(|(k, (x, y))| output(k, x + 4 * y));
    assert_eq!(decrypted(&here, "r.ct"), numbers(own));
    // A missing variable, one too many, and a variable with fewer values are refused.
    let error = here.fail(&format!("{lookup} --table table.csv"));
    assert!(error.contains("modulus of the values is 4, but the parameters need 16"), "{error}");
    let error = here.fail(&format!("{lookup} --input zones.ct --input zones.ct --table table.csv"));
    assert!(error.contains("values modulo 4 x 4 x 4, but tables have 16 inputs"), "{error}");
    here.write("few.csv", numbers([1, 2]));
    here.succeed("encrypt --modulus 4 --secret client.key --input few.csv --output few.ct");
    let error = here.fail(&format!("{lookup} --input few.ct --table table.csv"));
    assert!(error.contains("few.ct: 2 values in 1 ciphertext, but hours.ct has 6"), "{error}");
    here.refuses(&format!("{lookup} --input zones.ct --resume --table table.csv"), "--resume");
    // The table of both, encrypted.
    here.succeed("encrypt-table --secret client.key --table table.csv --output table.ct");
    here.succeed(&format!("{lookup} --input zones.ct --table table.ct"));
    assert_eq!(decrypted(&here, "r.ct"), numbers(pairs().map(|(x, y)| x * y)));
    let error = here.fail(&format!("{lookup} --table table.ct"));
    assert!(error.contains("modulus of the values is 4, but the parameters need 16"), "{error}");
    here.write("large.csv", numbers([4]));
    let encrypt = "encrypt --modulus 4 --secret client.key --output new.ct";
    here.refuses(&format!("{encrypt} --input large.csv"), "4 is not below the modulus 4");
}

/// Fifteen values, in two ciphertexts.
#[test]
fn results_of_complex_tables_hold_both_parts() {
    let here = Workspace::with_keys("--bits 4 --output-bits 6 --complex-outputs");
    let values: Vec<u64> = (0..15).map(|i| i * 7 % 16).collect();
    let (re, im) = (|x: u64| x as i64 - 8, |x: u64| 3 * x as i64 - 32);
    here.write("values.csv", numbers(values.iter().copied()));
    let numbers = |part: fn(u64) -> i64| support::numbers((0..16).map(part));
    here.write("re.csv", numbers(re)).write("im.csv", numbers(im));
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let lookup = "lookup --evaluation server.key --input values.ct --output z.ct --table re.csv";
    here.succeed(&format!("{lookup} --signed=outputs --imaginary im.csv"));
    let decrypt = "decrypt --secret client.key --input z.ct --output found.csv";
    here.succeed(&format!("{decrypt} --imaginary found-im.csv"));
    let expected = |part: fn(u64) -> i64| support::numbers(values.iter().map(|&x| part(x)));
    assert_eq!(here.text("found.csv"), expected(re));
    assert_eq!(here.text("found-im.csv"), expected(im));
    let found =
        here.json("decrypt --secret client.key --input z.ct --output a.npy --imaginary b.npy");
    assert_eq!((&found["values"], &found["modulus"]), (&15.into(), &64.into()));
    let error = here.fail("decrypt --secret client.key --input z.ct --output new.csv");
    assert!(error.contains("z.ct: results of complex tables need --imaginary"), "{error}");
    let error = here.fail(&format!("{lookup} --signed=outputs"));
    assert!(error.contains("server.key is a key for complex outputs: --imaginary"), "{error}");
    let error =
        here.fail(&format!("{lookup} --signed=outputs --imaginary im.csv --imaginary im.csv"));
    assert!(error.contains("2 --imaginary and 1 --table"), "{error}");
    let other = toy();
    let square =
        "lookup --evaluation server.key --input values.ct --output r.ct --table square.csv";
    let error = other.fail(&format!("{square} --imaginary square.csv"));
    assert!(error.contains("keys from keygen --complex-outputs support it"), "{error}");
    let error = other
        .fail("decrypt --secret client.key --input values.ct --output new.csv --imaginary im.csv");
    assert!(error.contains("values.ct"), "{error}");
}

#[test]
fn hidden_tables_are_looked_up_as_others_are() {
    for (options, bits) in
        [("--bits 4 --hide-table=64", 64), ("--mode single --bits 4 --hide-table", 40)]
    {
        let here = Workspace::with_keys(options);
        let values: Vec<u64> = (0..15).map(|i| i * 7 % 16).collect();
        here.write("values.csv", numbers(values.iter().copied()));
        here.write("square.csv", numbers((0..16).map(|x| x * x % 16)));
        here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
        for output in ["a.ct", "b.ct"] {
            here.succeed(&format!(
                "lookup --evaluation server.key --input values.ct --table square.csv --output {output}"
            ));
        }
        // Hiding draws anew for every lookup.
        assert_ne!(here.read("a.ct"), here.read("b.ct"));
        here.succeed("decrypt --secret client.key --input a.ct --output found.csv");
        let expected = numbers(values.iter().map(|x| x * x % 16));
        assert_eq!(here.read("found.csv"), expected.as_bytes());
        let plan = here.json(&format!("plan {options}"));
        let engine = if options.contains("single") { "single" } else { "packed" };
        assert_eq!(
            (&plan["hidden_bits"], &plan["engine"]),
            (&bits.into(), &engine.into()),
            "{plan}"
        );
    }
    let here = Workspace::new();
    let error = here.fail("plan --mode leveled --bits 4 --hide-table");
    assert!(error.contains("packed values of up to 10 bits and single values"), "{error}");
    here.refuses("plan --bits 16 --hide-table", "only packed values of up to 10 bits and");
}

#[test]
fn tables_of_their_own_end_at_twelve_bits() {
    let here = Workspace::new();
    for kind in ["per-value", "encrypted"] {
        let error = here.fail(&format!("plan --mode packed --bits 13 --table-kind {kind}"));
        assert!(error.contains("measured up to 4096") && error.contains("GB of memory"), "{error}");
    }
    let plan = here.json("plan --bits 8 --complex-outputs");
    assert_eq!(plan["values_per_ciphertext"], 32_768, "{plan}");
    let error = here.fail("plan --mode single --bits 4 --complex-outputs");
    assert!(error.contains("complex outputs with the engine single"), "{error}");
}

//! `--inputs single`: single values that the server packs, through all steps with files.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

const FILES: &str = "--secret client.key --evaluation server.key";

fn values(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|i| i * i * 7 % 101 % 4)
}

/// A directory with toy keys, a table and encrypted values, more than a packed ciphertext of toys holds.
fn toy() -> Workspace {
    let here = Workspace::with_keys("--inputs single --bits 2");
    here.write("values.csv", numbers(values(1500))).write("table.csv", "3\n1\n0\n2\n");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    here
}

fn looked_up(count: u64, times: u32) -> Vec<u8> {
    let table = |x: u64| [3, 1, 0, 2][x as usize];
    numbers(values(count).map(|x| (0..times).fold(x, |x, _| table(x)))).into_bytes()
}

#[test]
fn many_values_and_few_give_the_same_results() {
    let here = toy();
    let lookup = "lookup --key server.key --table table.csv";
    let report = here.json(&format!("{lookup} --input values.ct --output result.ct"));
    assert_eq!((&report["engine"], &report["values"]), (&"single".into(), &1500.into()));
    here.succeed("decrypt --key client.key --input result.ct --output result.csv");
    assert_eq!(here.read("result.csv"), looked_up(1500, 1));
    // Results are inputs of the next lookup.
    here.succeed(&format!("{lookup} --input result.ct --output second.ct"));
    here.succeed("decrypt --key client.key --input second.ct --output second.csv");
    assert_eq!(here.read("second.csv"), looked_up(1500, 2));
    here.write("few.csv", numbers(values(3)));
    here.succeed("encrypt --key client.key --input few.csv --output few.ct");
    here.succeed(&format!("{lookup} --input few.ct --output few-result.ct"));
    here.succeed("decrypt --key client.key --input few-result.ct --output few-result.csv");
    assert_eq!(here.read("few-result.csv"), looked_up(3, 1));
    // Sums of single values are looked up, too.
    here.succeed("sum --key server.key --input few.ct --factor 3 --output sum.ct");
    here.succeed("decrypt --key client.key --input sum.ct --output sum.csv");
    assert_eq!(here.read("sum.csv"), numbers(values(3).map(|x| 3 * x % 4)).into_bytes());
}

#[test]
fn files_say_what_they_are() {
    let here = toy();
    let reports = here.jsons("inspect client.key server.key values.ct");
    let types: Vec<_> = reports.iter().map(|report| report["type"].as_str().unwrap()).collect();
    assert_eq!(
        types,
        [
            "a secret key for single values, packed on the way",
            "an evaluation key for single values, packed on the way",
            "ciphertexts of single values",
        ]
    );
    for report in &reports {
        for name in ["engine", "key_id", "parameter_digest"] {
            assert_eq!(report[name], reports[0][name], "{name}");
        }
    }
    for key in &reports[..2] {
        assert_eq!(key["parameters"]["method"], "packed, AKP");
        assert_eq!(key["parameters"]["values_per_ciphertext"], 1);
    }
    let text = here.succeed("inspect server.key");
    assert!(text.contains("ring packing") && text.contains("INSECURE"), "{text}");
}

#[test]
fn damaged_files_and_keys_of_others_are_refused() {
    let here = toy();
    here.refuse_damaged_files();
    let other = "--secret other.key --evaluation other-server.key";
    here.succeed(&format!("keygen --insecure-toy --inputs single --bits 2 {other}"));
    let line = "lookup --key other-server.key --table table.csv --input values.ct --output new.ct";
    here.refuses(line, "key");
    here.refuses("decrypt --key other.key --input values.ct --output n.csv", "key");
    // Keys are not replaced, and no file is left of a keygen that fails.
    here.refuses(&format!("keygen --inputs single --bits 2 {FILES}"), "exists");
    here.fail("keygen --inputs single --bits 8 --secret new.key --evaluation new-server.key");
}

#[test]
fn plans_compare_packing_with_one_by_one() {
    let here = Workspace::new();
    let plan = |values: u64| -> serde_json::Value {
        here.json(&format!("--threads 1 plan --inputs single --bits 2 --values {values}"))
    };
    let many = plan(4096);
    assert_eq!((&many["method"], &many["engine"]), (&"packed, AKP".into(), &"single".into()));
    let crossing = many["packing_from"].as_u64().unwrap();
    assert!((30..1000).contains(&crossing), "{crossing}");
    let few = plan(10);
    assert_ne!(few["method"], "packed, AKP");
    let text = here.succeed("plan --inputs single --bits 2 --values 4096");
    assert!(text.contains("at once is faster from") && text.contains("ring packing"), "{text}");
    let error = here.fail("plan --inputs single --mode leveled --bits 2");
    assert!(
        error.contains("lookups by the engine leveled of values of the engine single"),
        "{error}"
    );
    let error = here.fail("plan --inputs single --mode packed --bits 8");
    assert!(error.contains("modulus of single values that may be packed is 256"), "{error}");
}

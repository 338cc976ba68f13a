//! The failure probability that commands state, in JSON and in words, is the library's: that any value of one ciphertext fails
//! in the whole operation.
#![cfg(feature = "client")]

use crate::support;

use cryptable::Request;
use serde_json::Value;
use support::Workspace;

fn number(object: &Value, name: &str) -> f64 {
    object[name].as_f64().unwrap_or_else(|| panic!("{name} in {object}"))
}

/// Checks that `log2_fail` is the sum of `log2_fail_per_value` and log2 of the number of values; returns it.
fn check_union(object: &Value) -> f64 {
    let values = number(object, "values_per_ciphertext");
    let union = number(object, "log2_fail_per_value") + values.log2();
    let whole = number(object, "log2_fail");
    assert!((whole - union).abs() < 1e-9, "{whole}, {union}: {object}");
    whole
}

fn plans(line: &str) -> (Value, String) {
    let here = Workspace::new();
    (here.json(line), here.succeed(line))
}

#[test]
fn plans_of_tables() {
    for engine in ["packed", "single", "leveled"] {
        let (plan, text) = plans(&format!("plan --bits 4 --values 3 --mode {engine}"));
        let whole = check_union(&plan);
        for candidate in plan["candidates"].as_array().unwrap() {
            assert!(check_union(candidate) <= -64.0, "{candidate}");
        }
        assert!(whole <= -64.0 && text.contains(&format!("2^{whole:.1}")), "{whole} in {text}");
    }
}

#[test]
fn plans_of_comparisons() {
    let (plan, text) = plans("plan compare --bits 12");
    let of_lookups = check_union(&plan);
    let operations = plan["operations"].as_array().unwrap();
    let library = Request::comparisons(12).plan().unwrap();
    assert_eq!(operations.len(), library.operations().len());
    for (found, planned) in operations.iter().zip(library.operations()) {
        let (name, whole) = (planned.name, number(found, "log2_fail"));
        assert_eq!(found["operation"], name);
        assert!((whole - planned.failure.log2()).abs() < 1e-9, "{name}: {whole}");
        // The union bound covers all bootstraps on all values.
        let lookups = planned.lookups as f64;
        let packed = library.parameters().packed().unwrap();
        let slots = number(&plan, "values_per_ciphertext");
        let union = packed.stated_log2_fail() + lookups.log2() + slots.log2();
        assert!((whole - union).abs() < 1e-9 && whole <= -64.0, "{name}: {whole}, {union}");
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        assert!(line.ends_with(&format!("fails with 2^{whole:.1}")), "{line}");
    }
    assert!(of_lookups <= -64.0);
}

#[test]
fn plans_of_dictionaries() {
    let (plan, text) = plans("plan wide --bits 16 --value-bits 8");
    let whole = check_union(&plan);
    assert!(whole <= -64.0, "{plan}");
    assert!(text.contains(&format!("fails with 2^{whole:.1}")), "{text}");
    let library = Request::words(16).value_bits(8).plan().unwrap();
    assert!((library.failure_probability().log2() - whole).abs() < 1e-9, "{whole}");
}

#[test]
fn plans_of_integers() {
    for engine in ["packed", "single"] {
        let (plan, text) = plans(&format!("plan integers --bits 16 --mode {engine}"));
        check_union(&plan);
        let values = number(&plan, "values_per_ciphertext");
        for found in plan["operations"].as_array().unwrap() {
            let (name, whole) = (found["operation"].as_str().unwrap(), number(found, "log2_fail"));
            // All tables meet the probability per value that parameters state; decryption adds to it.
            let line = text.lines().find(|it| it.split_whitespace().next() == Some(name)).unwrap();
            assert!(line.ends_with(&format!("fails with 2^{whole:.1}")), "{line}");
            let tables = number(found, "tables");
            assert!(tables > 0.0 && whole < -40.0, "{found}");
            let least = number(&plan, "log2_fail_per_value") + values.log2();
            assert!(whole >= least, "{name}: 2^{whole}, a lookup of a ciphertext 2^{least}");
        }
    }
}

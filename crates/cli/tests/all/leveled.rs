//! `--mode leveled`: digits of values each by itself, the whole way through files.
#![cfg(feature = "client")]

use crate::support;

use serde_json::Value;
use support::Workspace;

fn lines(values: impl IntoIterator<Item = u64>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// Without symmetry.
fn entry(x: u64, modulus: u64) -> u64 {
    (x * x * 37 + 91 * x + 5) / 3 % modulus
}

fn reports(json: &str) -> Vec<Value> {
    json.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A directory with toy keys for leveled values, a table and encrypted values.
fn toy() -> Workspace {
    let here = Workspace::with_keys("--mode leveled --bits 2");
    here.write("values.csv", "0\n1\n2\n3\n").write("table.csv", "3\n1\n0\n2\n");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    here
}

#[test]
fn values_of_eight_bits_at_full_size() {
    let here = Workspace::new();
    let values: Vec<u64> = (0..256).step_by(51).collect();
    here.write("table.csv", lines((0..256).map(|x| entry(x, 256))));
    here.write("values.csv", format!("age\n{}", lines(values.iter().copied())));
    let files = "--secret client.key --evaluation server.key";
    let json = here.succeed(&format!("--json keygen --mode leveled --table table.csv {files}"));
    let report = &reports(&json)[0];
    assert_eq!(report["engine"], "leveled");
    assert!(report["security_bits"].as_f64().unwrap() >= 128.0);
    assert!(report["log2_fail"].as_f64().unwrap() <= -64.0);
    here.succeed("encrypt --key client.key --input values.csv --column age --output v.ct");
    assert!(here.read("v.ct").len() < 1000);
    let lookup = "lookup --key server.key --table table.csv";
    let json = here.succeed(&format!("--json {lookup} --input v.ct --output r.ct"));
    assert_eq!(
        (&reports(&json)[0]["values"], &reports(&json)[0]["ciphertexts"]),
        (&6.into(), &6.into())
    );
    here.succeed("decrypt --key client.key --input r.ct --output r.csv --column f");
    let once: Vec<u64> = values.iter().map(|&x| entry(x, 256)).collect();
    assert_eq!(here.read("r.csv"), format!("f\n{}", lines(once.iter().copied())).into_bytes());
    // Results are inputs of the next lookup.
    here.succeed(&format!("{lookup} --input r.ct --output rr.ct"));
    here.succeed("decrypt --key client.key --input rr.ct --output rr.csv");
    assert_eq!(here.read("rr.csv"), lines(once.iter().map(|&x| entry(x, 256))).into_bytes());

    let found = reports(&here.succeed("--json inspect client.key server.key v.ct r.ct"));
    let types: Vec<_> = found.iter().map(|report| report["type"].as_str().unwrap()).collect();
    let keys = ["a secret key for leveled values", "an evaluation key for leveled values"];
    assert_eq!(types[..2], keys);
    assert_eq!(types[2..], ["ciphertexts of leveled values"; 2]);
    for report in &found {
        assert_eq!(report["parameter_digest"], found[0]["parameter_digest"]);
        assert_eq!(report["bytes"], here.read(report["file"].as_str().unwrap()).len());
    }
    assert_eq!(found[1]["parameters"]["input_modulus"], 256);
    let text = here.succeed("inspect server.key");
    assert!(text.contains("tables      256 -> 256") && !text.contains("INSECURE"), "{text}");
}

#[test]
fn moduli_that_are_no_powers_of_two() {
    let here = Workspace::with_keys("--mode leveled --modulus 100 --output-modulus 70");
    let values = || (0..150).map(|i| i * i % 100);
    here.write("table.csv", lines((0..100).map(|x| entry(x, 70)))).write("v.csv", lines(values()));
    here.succeed("encrypt --key client.key --input v.csv --output v.ct");
    here.succeed("--quiet lookup --key server.key --table table.csv --input v.ct --output r.ct");
    here.succeed("decrypt --key client.key --input r.ct --output r.csv");
    assert_eq!(here.read("r.csv"), lines(values().map(|x| entry(x, 70))).into_bytes());
    assert!(here.succeed("inspect client.key").contains("INSECURE"));
    // Results are modulo 70; a table of 70 inputs takes them.
    let lookup = "lookup --key server.key --input r.ct --output rr.ct --table";
    assert!(here.fail(&format!("{lookup} table.csv")).contains("its input modulus is 70"));
    here.write("next.csv", lines((0..70).map(|x| 69 - x)));
    here.succeed(&format!("{lookup} next.csv"));
    here.succeed("decrypt --key client.key --input rr.ct --output rr.csv");
    assert_eq!(here.read("rr.csv"), lines(values().map(|x| 69 - entry(x, 70))).into_bytes());
}

#[test]
fn plan_shows_all_sets() {
    let here = Workspace::new();
    let json = here.succeed("--json --threads 2 plan --mode leveled --bits 16");
    let plan = &reports(&json)[0];
    let candidates = plan["candidates"].as_array().unwrap();
    assert!(candidates.len() >= 5);
    assert_eq!(candidates[0]["method"], plan["method"]);
    for candidate in candidates {
        let number = |name: &str| candidate[name].as_f64().unwrap();
        assert!(number("security_bits") >= 128.0 && number("log2_fail") <= -64.0);
        assert!(number("eval_s") >= plan["eval_s"].as_f64().unwrap());
        assert!(number("peak_bytes") > number("key_memory_bytes"));
        assert!((number("eval_s_one_thread") / number("eval_s") - 1.95).abs() < 1e-6);
    }
    assert!(plan["refused"].as_array().unwrap().is_empty());
    let text = here.succeed("plan --mode leveled --bits 16 --variant cmux-depth-10900");
    assert!(text.contains("CMUX tree, 1 bit a rotation, depth 10900"), "{text}");
}

#[test]
fn plan_without_a_mode_compares_all_engines() {
    let here = Workspace::new();
    let engines = |line: &str| -> (Value, Vec<String>) {
        let plan = reports(&here.succeed(line)).remove(0);
        let candidates = plan["candidates"].as_array().unwrap();
        assert_eq!(candidates[0]["parameter_digest"], plan["parameter_digest"]);
        let mut names: Vec<String> = Vec::new();
        for candidate in candidates {
            let name = candidate["engine"].as_str().unwrap().to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (plan, names)
    };
    // As many values as a packed ciphertext holds.
    let (plan, names) = engines("--json plan --bits 1");
    assert!(plan["key_memory_bytes"].as_u64().unwrap() > 1 << 28);
    assert_eq!((&plan["values"], &plan["ciphertexts"]), (&32_768.into(), &1.into()));
    assert_eq!((names[0].as_str(), names.len()), ("packed", 3));
    // A lone value.
    for number in ["--count 1", "--values 1"] {
        let (plan, names) = engines(&format!("--json plan --bits 16 {number}"));
        assert_eq!((&plan["engine"], &plan["values"]), (&"leveled".into(), &1.into()));
        assert_eq!(names, ["leveled", "packed"]);
        assert_eq!(plan["refused"][0]["engine"], "single");
    }
    // The first of many.
    let (plan, names) = engines("--json plan --bits 16 --values 100000 --goal latency");
    assert_eq!((&plan["engine"], names.len()), (&"leveled".into(), 2));
    // On several threads, its digits would share out.
    let (plan, names) = engines("--json --threads 1 plan --bits 4 --count 1");
    assert_eq!(plan["engine"], "single");
    assert_eq!(names, ["single", "leveled", "packed"]);
    let text = here.succeed("plan --bits 16 --count 1");
    assert!(text.contains("best: leveled: ") && text.contains("\n1 value on "), "{text}");
    // Packed values cannot have this modulus.
    let text = here.succeed("plan --modulus 1000003 --values 100000");
    assert!(text.contains("packed  unavailable: ") && text.contains("best: leveled: "), "{text}");
}

#[test]
fn what_is_not_served_is_named() {
    let here = Workspace::new();
    let fail = |line: &str| here.fail(&format!("plan --mode leveled {line}"));
    assert!(fail("--modulus 16777217").contains("at most 16777216"));
    assert!(fail("--bits 4 --memory 1kB").contains("in 1 kB of memory: the smallest needs"));
    assert!(fail("--bits 4 --variant None").contains("cmux-depth-2"));
    assert!(fail("--bits 16 --variant cmux-depth-2").contains("2^-64"));
    let message = here.fail("plan --mode single --bits 12");
    assert!(message.contains("--mode leveled"), "{message}");
}

#[test]
fn values_and_tables_that_do_not_fit() {
    let here = toy();
    here.write("range.csv", "1\n4\n").write("short.csv", "0\n1\n2\n");
    let message = here.fail("encrypt --key client.key --output new.ct --input range.csv");
    let keys = "; keys of `keygen --bits 3` have room for it";
    assert_eq!(message, format!("range.csv line 2, column 1: 4 is not below the modulus 4{keys}"));
    let lookup = "lookup --key server.key --input values.ct --output new.ct --table";
    let message = here.fail(&format!("{lookup} short.csv"));
    assert_eq!(message, "short.csv: the table has 3 outputs, but its input modulus is 4");
    assert!(here.fail(&format!("{lookup} range.csv")).contains("4 is not below the modulus 4"));
}

#[test]
fn files_of_other_modes_and_keys() {
    let (here, other) = (toy(), toy());
    here.write("other.key", other.read("client.key"));
    here.write("other-server.key", other.read("server.key"));
    let single = Workspace::with_keys("--mode single --bits 2");
    here.write("single.key", single.read("client.key"));
    here.write("single-server.key", single.read("server.key"));
    let decrypt = "decrypt --input values.ct --output new.csv --key";
    assert_eq!(
        here.fail(&format!("{decrypt} single.key")),
        "values.ct does not go with single.key: the file of ciphertexts is of kind leveled, where single is needed"
    );
    let message = here.fail(&format!("{decrypt} other.key"));
    assert!(message.starts_with("values.ct does not go with other.key: "), "{message}");
    assert!(message.contains(" is of the client key "), "{message}");
    let lookup = "lookup --table table.csv --input values.ct --output new.ct --key";
    assert_eq!(
        here.fail(&format!("{lookup} single-server.key")),
        "values.ct does not go with single-server.key: the file of ciphertexts is of kind leveled, where single is needed"
    );
    let message = here.fail(&format!("{lookup} other-server.key"));
    assert!(message.starts_with("values.ct does not go with other-server.key: "), "{message}");
    assert!(message.contains(" is of the client key "), "{message}");
    let message = here.fail(&format!("{lookup} client.key"));
    assert!(message.contains("a secret key for leveled values, not an evaluation key"));
}

#[test]
fn damaged_files() {
    let here = toy();
    here.refuse_damaged_files();
}

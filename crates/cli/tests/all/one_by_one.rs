//! `--mode single` and `--mode leveled`: single values, through all steps with files.
#![cfg(feature = "client")]

use crate::support;

use serde_json::Value;
use support::{Workspace, numbers};

/// Returns an entry of a table without symmetry.
fn entry(x: u64, modulus: u64) -> u64 {
    (x * x * 37 + 91 * x + 5) / 3 % modulus
}

/// Checks all steps with keys of 128 bits, for some inputs of a table of `modulus` entries.
fn check_at_full_size(engine: &str, modulus: u64, values: &[u64]) -> usize {
    let here = Workspace::new();
    let table = |x: &u64| entry(*x, modulus);
    here.write("table.csv", numbers((0..modulus).map(|x| entry(x, modulus))));
    here.write("values.csv", format!("grade\n{}", numbers(values)));
    let files = "--secret client.key --evaluation server.key";
    let report = here.json(&format!("keygen --mode {engine} --table table.csv {files}"));
    assert_eq!((&report["engine"], &report["reason"]), (&engine.into(), &"as requested".into()));
    assert!(report["security_bits"].as_f64().unwrap() >= 128.0);
    assert!(report["log2_fail"].as_f64().unwrap() <= -64.0);
    here.succeed("encrypt --key client.key --input values.csv --column grade --output v.ct");
    let lookup = "lookup --key server.key --table table.csv";
    let report = here.json(&format!("{lookup} --input v.ct --output r.ct"));
    let count = values.len();
    assert_eq!((&report["values"], &report["ciphertexts"]), (&count.into(), &count.into()));
    here.succeed("decrypt --key client.key --input r.ct --output r.csv --column f");
    let once: Vec<u64> = values.iter().map(table).collect();
    assert_eq!(here.read("r.csv"), format!("f\n{}", numbers(&once)).into_bytes());
    // Results are inputs of the next lookup.
    here.succeed(&format!("{lookup} --input r.ct --output rr.ct"));
    here.succeed("decrypt --key client.key --input rr.ct --output rr.bin");
    let twice: Vec<u8> = once.iter().map(|x| table(x) as u8).collect();
    assert_eq!(here.read("rr.bin"), twice);

    let found = here.jsons("inspect client.key server.key v.ct r.ct");
    let kinds = ["a secret key for", "an evaluation key for", "ciphertexts of", "ciphertexts of"];
    for (report, kind) in found.iter().zip(kinds) {
        assert_eq!(report["type"], format!("{kind} {engine} values"));
        assert_eq!(report["parameter_digest"], found[0]["parameter_digest"]);
        assert_eq!(report["bytes"], here.read(report["file"].as_str().unwrap()).len());
    }
    assert_eq!(found[1]["parameters"]["input_modulus"], modulus);
    assert_eq!((&found[2]["values"], &found[2]["ciphertexts"]), (&count.into(), &count.into()));
    let text = here.succeed("inspect server.key");
    let tables = format!("tables      {modulus} -> {modulus}");
    assert!(text.contains(&tables) && !text.contains("INSECURE"), "{text}");
    here.read("v.ct").len()
}

#[test]
fn every_single_value_of_four_bits_at_full_size() {
    check_at_full_size("single", 16, &(0..16).collect::<Vec<_>>());
}

#[test]
fn leveled_values_of_eight_bits_at_full_size() {
    let values: Vec<u64> = (0..256).step_by(51).collect();
    assert!(check_at_full_size("leveled", 256, &values) < 1000);
}

#[test]
fn many_values_with_another_output_modulus() {
    let here = Workspace::with_keys("--mode single --modulus 6 --output-modulus 10");
    let values = |f: fn(u64) -> u64| numbers((0..1100).map(|i| f(i * i % 6)));
    here.write("table.csv", "x,y\n5,9\n0,1\n4,0\n1,8\n3,3\n2,7\n").write("v.csv", values(|x| x));
    here.succeed("encrypt --key client.key --input v.csv --output v.ct");
    here.succeed("--quiet lookup --key server.key --table table.csv --input v.ct --output r.ct");
    here.succeed("decrypt --key client.key --input r.ct --output r.csv");
    let expected = values(|x| [1, 8, 7, 3, 0, 9][x as usize]);
    assert_eq!(here.read("r.csv"), expected.into_bytes());
    assert!(here.succeed("inspect client.key").contains("INSECURE"));
    let line = "lookup --key server.key --table table.csv --input r.ct --output new.ct";
    here.refuses(line, "modulus of the values is 10, but the parameters need 6");
}

#[test]
fn plan_shows_all_methods() {
    let here = Workspace::new();
    let plan = here.json("--threads 2 plan --mode single --bits 4 --count 10");
    let candidates = plan["candidates"].as_array().unwrap();
    assert!(candidates.len() > 10);
    assert_eq!(candidates[0]["method"], plan["method"]);
    for candidate in candidates {
        let number = |name: &str| candidate[name].as_f64().unwrap();
        assert!(number("security_bits") >= 128.0 && number("log2_fail") <= -64.0);
        assert!(number("eval_s") >= plan["eval_s"].as_f64().unwrap());
        assert!(number("key_file_bytes") > 1e6 && number("eval_s") > 0.0);
    }
    for option in ["--variant", "--method"] {
        let text = here.succeed(&format!("plan --mode single --bits 4 {option} FDFB-Compress"));
        assert!(text.contains("FDFB-Compress: two blind rotations"), "{text}");
        assert!(text.contains("  security ") && !text.contains("EvalFunc"), "{text}");
    }
}

#[test]
fn what_single_values_do_not_serve_is_named() {
    let here = Workspace::new();
    let fail = |line: &str| here.fail(&format!("plan --mode single {line}"));
    let message = fail("--bits 12");
    assert!(message.contains("single values is 4096, but must be at most 64"), "{message}");
    assert!(message.contains("; --mode packed and --mode leveled support it"), "{message}");
    assert!(here.succeed("plan --mode single --modulus 5").contains("odd modulus"));
    assert!(fail("--modulus 4097").contains("single values is 4097, but must be at most 64"));
    let message = fail("--bits 4 --output-modulus 4194304");
    assert!(message.contains("16 -> 4194304") && message.contains("up to 2^"), "{message}");
    assert!(fail("--bits 4 --memory 1kB").contains("in 1 kB of memory: the smallest needs"));
    assert!(fail("--bits 4 --ring-degree 65536").contains("only packed values support it"));
    assert!(fail("--bits 4 --variant None").contains("FDFB-Compress"));
    assert!(here.succeed("plan --bits 4 --variant comp").contains("best: single: Comp, "));
    here.write("long.csv", numbers((0..1000).map(|x| x % 7)));
    let files = "--secret client.key --evaluation server.key";
    let message = here.fail(&format!("keygen --mode single --table long.csv {files}"));
    assert!(message.contains("single values is 1000, but must be at most 64"), "{message}");
}

#[cfg(unix)]
#[test]
fn full_disks() {
    let here = Workspace::new();
    let message =
        here.fail_on_full_disk("keygen --mode single --bits 4 --secret a.key --evaluation b.key");
    assert!(message.contains("cannot write b.key: "), "{message}");
}

#[test]
fn moduli_that_are_no_powers_of_two() {
    let here = Workspace::with_keys("--mode leveled --modulus 100 --output-modulus 70");
    let values = || (0..150).map(|i| i * i % 100);
    here.write("table.csv", numbers((0..100).map(|x| entry(x, 70))))
        .write("v.csv", numbers(values()));
    here.succeed("encrypt --key client.key --input v.csv --output v.ct");
    here.succeed("--quiet lookup --key server.key --table table.csv --input v.ct --output r.ct");
    here.succeed("decrypt --key client.key --input r.ct --output r.csv");
    assert_eq!(here.read("r.csv"), numbers(values().map(|x| entry(x, 70))).into_bytes());
    assert!(here.succeed("inspect client.key").contains("INSECURE"));
    // Results are modulo 70, so a table of 70 inputs accepts them.
    let lookup = "lookup --key server.key --input r.ct --output rr.ct --table";
    here.refuses(&format!("{lookup} table.csv"), "its input modulus is 70");
    here.write("next.csv", numbers((0..70).map(|x| 69 - x)));
    here.succeed(&format!("{lookup} next.csv"));
    here.succeed("decrypt --key client.key --input rr.ct --output rr.csv");
    assert_eq!(here.read("rr.csv"), numbers(values().map(|x| 69 - entry(x, 70))).into_bytes());
}

#[test]
fn plan_shows_all_sets() {
    let here = Workspace::new();
    let plan = here.json("--threads 2 plan --mode leveled --bits 16");
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
        let plan = here.json(line);
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
    // A full packed ciphertext.
    let (plan, names) = engines("plan --bits 1");
    assert!(plan["key_memory_bytes"].as_u64().unwrap() > 1 << 28);
    assert_eq!((&plan["values"], &plan["ciphertexts"]), (&32_768.into(), &1.into()));
    assert_eq!((names[0].as_str(), names.len()), ("packed", 3));
    // A lone value.
    for number in ["--count 1", "--values 1"] {
        let (plan, names) = engines(&format!("plan --bits 16 {number}"));
        assert_eq!((&plan["engine"], &plan["values"]), (&"leveled".into(), &1.into()));
        assert_eq!(names, ["leveled", "packed"]);
        assert_eq!(plan["refused"][0]["engine"], "single");
    }
    // Latency is the time of the first value of many.
    let (plan, names) = engines("plan --bits 16 --values 100000 --goal latency");
    assert_eq!((&plan["engine"], names.len()), (&"leveled".into(), 2));
    // On several threads, its digits would share out.
    let (plan, names) = engines("--threads 1 plan --bits 4 --count 1");
    assert_eq!(plan["engine"], "single");
    assert_eq!(names, ["single", "leveled", "packed"]);
    let text = here.succeed("plan --bits 16 --count 1");
    assert!(text.contains("best: leveled: ") && text.contains("\n1 value on "), "{text}");
    // Packed values cannot have this modulus.
    let text = here.succeed("plan --modulus 1000003 --values 100000");
    assert!(text.contains("packed  unavailable: ") && text.contains("best: leveled: "), "{text}");
}

#[test]
fn what_leveled_values_do_not_serve_is_named() {
    let here = Workspace::new();
    let fail = |line: &str| here.fail(&format!("plan --mode leveled {line}"));
    assert!(fail("--modulus 16777217").contains("at most 16777216"));
    assert!(fail("--bits 4 --memory 1kB").contains("in 1 kB of memory: the smallest needs"));
    assert!(fail("--bits 4 --variant None").contains("cmux-depth-2"));
    assert!(fail("--bits 16 --variant cmux-depth-2").contains("2^-64"));
    here.refuses("plan --mode single --bits 12", "--mode leveled");
}

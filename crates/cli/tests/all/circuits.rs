//! `cryptable circuit`: plans, and all steps through files.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

/// `sum = x + y` of two bits each, `less = x < y`.
const ADDER: &str = "\
.model adder
.inputs x[0] x[1] y[0] y[1]
.outputs sum[0] sum[1] sum[2] less
.names x[0] y[0] sum[0]
10 1
01 1
.names x[0] y[0] carry
11 1
.names x[1] y[1] carry sum[1]
100 1
010 1
001 1
111 1
.names x[1] y[1] carry sum[2]
11- 1
1-1 1
-11 1
.names x[1] y[1] x[0] y[0] less
01-- 1
0001 1
1101 1
.end
";

const JSON: &str = r#"{"modules": {"both": {
    "ports": {"a": {"direction": "input", "bits": [2]}, "b": {"direction": "input", "bits": [3]},
              "y": {"direction": "output", "bits": [4, "1"]}},
    "cells": {"g": {"type": "$_AND_", "connections": {"A": [2], "B": [3], "Y": [4]}}}
}}}"#;

const KEYGEN: &str = "keygen circuit --insecure-toy --secret bits.secret --evaluation bits.server";

/// Returns all pairs of values of two bits, repeated to fill two ciphertexts, and the expected results.
fn words() -> (String, String) {
    let pairs = (0..40).flat_map(|_| (0..16).map(|pair| (pair / 4, pair % 4)));
    let (mut inputs, mut outputs) = ("y,x\n".to_owned(), "sum,less\n".to_owned());
    for (x, y) in pairs {
        inputs += &format!("{y},{x}\n");
        outputs += &format!("{},{}\n", x + y, i32::from(x < y));
    }
    (inputs, outputs)
}

#[test]
fn plans_are_tables_and_objects() {
    let here = Workspace::new();
    here.write("adder.blif", ADDER).write("both.json", JSON);
    let text = here.succeed("plan circuit adder.blif --insecure-toy --words 1000");
    for part in
        ["4 input bits, 4 output bits", "bootstraps", "memory", "failure", "INSECURE", "2 batches"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = here.json("plan circuit both.json --insecure-toy");
    assert_eq!((&report["ands"], &report["depth"]), (&1.into(), &1.into()));
    let plan = &report["candidates"][0];
    assert_eq!(plan["words_at_once"], 512);
    assert!(plan["log2_fail"].as_f64().unwrap() < -40.0);
    assert!(plan["memory_bytes"].as_u64() > plan["key_memory_bytes"].as_u64());
}

#[test]
fn sets_are_compared_and_all_are_secure() {
    let here = Workspace::new();
    here.write("both.json", JSON);
    let report = here.json("plan circuit both.json");
    let plans = report["candidates"].as_array().unwrap();
    assert_eq!(plans.len(), 8, "{}", report["refused"]);
    assert!(plans.iter().all(|plan| plan["log2_fail"].as_f64().unwrap() <= -64.0));
    assert!(plans.iter().all(|plan| plan["security_bits"].as_f64().unwrap() >= 128.0));
    let report = here.json("plan circuit both.json --set balanced");
    assert_eq!(report["candidates"][0]["set"], "balanced");
    assert_eq!(report["candidates"][0]["words_at_once"], 32_768);
}

#[test]
fn forms_of_the_s_box_are_for_aes() {
    let here = Workspace::new();
    here.write("adder.blif", ADDER);
    let error = here.fail("plan circuit add32 --s-box gates --insecure-toy");
    assert!(error.contains("--s-box is for AES, and add32 has no S-box"), "{error}");
    let error = here.fail("plan circuit adder.blif --s-box tables --insecure-toy");
    assert!(error.contains("adder.blif is a netlist"), "{error}");
    let line = "plan circuit aes128-expanded-key --set tables --s-box tables";
    let report = here.json(line);
    assert_eq!((&report["tables"], &report["ands"]), (&1712.into(), &0.into()));
}

/// Three inputs on one table of Yosys: as gates, or as a table where that is cheaper.
#[test]
fn tables_of_yosys_run() {
    let here = Workspace::new();
    let text = r#"{"modules": {"choice": {
        "ports": {"a": {"direction": "input", "bits": [2, 3, 4]}, "y": {"direction": "output", "bits": [5]}},
        "cells": {"t": {"type": "$lut", "parameters": {"LUT": "10110010", "WIDTH": "11"},
            "connections": {"A": [2, 3, 4], "Y": [5]}}}}}}"#;
    let lines: String = (0..8).map(|x| format!("{x}\n")).collect();
    here.write("choice.json", text).write("words.csv", lines);
    let line = "circuit test choice.json --inputs words.csv --insecure-toy --output y.csv";
    let report = here.json(line);
    assert_eq!((&report["words_checked"], &report["wrong"]), (&8.into(), &0.into()));
    assert_eq!(here.read("y.csv"), b"y\n0\n1\n0\n0\n1\n1\n0\n1\n");
}

#[test]
fn results_are_checked_in_one_process() {
    let here = Workspace::new();
    let (inputs, outputs) = words();
    here.write("adder.blif", ADDER).write("words.csv", inputs);
    let line = "circuit test adder.blif --inputs words.csv --insecure-toy --output sums.csv";
    let report = here.json(line);
    assert_eq!((&report["words_checked"], &report["wrong"]), (&640.into(), &0.into()));
    assert_eq!(report["batches"], 2);
    assert_eq!(here.read("sums.csv"), outputs.as_bytes());
}

#[test]
fn a_netlist_of_verilog_runs() {
    let here = Workspace::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/circuits/clamp.blif");
    here.write("clamp.blif", std::fs::read(path).unwrap());
    let pairs = || (0..256u32).map(|k| (k, k.wrapping_mul(97) % 256));
    let lines: String = pairs().map(|(x, limit)| format!("{x},{limit}\n")).collect();
    here.write("words.csv", format!("x,limit\n{lines}"));
    let line = "circuit test clamp.blif --inputs words.csv --insecure-toy --output clamped.csv";
    let report = here.json(line);
    assert_eq!((&report["words_checked"], &report["wrong"]), (&256.into(), &0.into()));
    let clamped = pairs().map(|(x, limit)| format!("{},{}\n", x.min(limit), u8::from(x > limit)));
    let expected = format!("y,over\n{}", clamped.collect::<String>());
    assert_eq!(here.read("clamped.csv"), expected.as_bytes());
}

#[test]
fn a_set_is_chosen_and_others_are_refused_with_reasons() {
    let here = Workspace::new();
    let report = here.json("plan circuit compare32 --memory 2GB --words 100");
    assert_ne!(report["candidates"][0]["set"], "balanced");
    let refused = report["refused"].as_array().unwrap();
    for set in ["balanced", "throughput"] {
        let found = refused.iter().find(|refusal| refusal["set"] == set).unwrap();
        assert!(found["reason"].as_str().unwrap().contains("above the limit of 2000000000"));
    }
    let error = here.fail("plan circuit compare32 --set latency --log2-fail -90");
    assert!(error.contains("results fail with 2^-95.4 per bit or less, most of all "), "{error}");
    let error = here.fail("plan circuit add32 --memory 100MB");
    assert!(error.contains("latency: the circuit takes ") && error.contains("throughput: "));
}

#[test]
fn words_go_through_files() {
    let here = Workspace::new();
    let (inputs, outputs) = words();
    here.write("adder.blif", ADDER).write("words.csv", inputs);
    here.succeed(KEYGEN);
    here.succeed(
        "encrypt --circuit adder.blif --secret bits.secret --input words.csv --output words.ct",
    );
    let run = "circuit run adder.blif --evaluation bits.server --input words.ct --output sums.ct";
    let report = here.json(&format!("{run} --parallel 2"));
    assert_eq!((&report["words"], &report["batches"]), (&640.into(), &2.into()));
    here.succeed("decrypt --secret bits.secret --input sums.ct --output sums.csv");
    assert_eq!(here.read("sums.csv"), outputs.as_bytes());
    // Files with all levels are larger, and work as well.
    let small = here.read("words.ct").len();
    here.succeed("encrypt --circuit adder.blif --secret bits.secret --input words.csv --output all.ct --all-levels");
    assert!(here.read("all.ct").len() >= small);
    here.succeed(
        "circuit run adder.blif --evaluation bits.server --input all.ct --output again.ct",
    );
    here.succeed("decrypt --secret bits.secret --input again.ct --output again.csv");
    assert_eq!(here.read("again.csv"), outputs.as_bytes());
    let text = here.succeed("inspect bits.secret bits.server words.ct sums.ct");
    for part in [
        "a secret key for bits in slots, INSECURE",
        "an evaluation key for bits in slots, INSECURE",
        "640 words in 8 ciphertexts of one bit each: x[2], y[2]; ",
        "640 words in 8 ciphertexts of one bit each: sum[3], less[1]; 0 levels",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.matches("  key ").count(), 4, "{text}");
    // Keys contain their sets; files of words contain digests, by which named sets are found.
    assert_eq!(text.matches("  method      insecure_toy").count(), 2, "{text}");
    assert_eq!(text.matches("values with 2^-87.0").count(), 2, "{text}");
    #[cfg(unix)]
    for name in ["bits.secret", "sums.csv"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(here.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let here = Workspace::new();
    here.write("adder.blif", ADDER).write("both.json", JSON).write("words.csv", "1 2\n3 3\n");
    here.succeed(KEYGEN);
    here.succeed(
        "encrypt --circuit adder.blif --secret bits.secret --input words.csv --output words.ct",
    );
    let run = |netlist: &str, input: &str| {
        format!("circuit run {netlist} --evaluation bits.server --input {input} --output out.ct")
    };
    let error = here.fail(&run("both.json", "words.ct"));
    assert!(
        error.contains("words of x[2], y[2], where the circuit has inputs a[1], b[1]"),
        "{error}"
    );
    let mut damaged = here.read("words.ct");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    here.write("damaged.ct", &damaged);
    here.refuses(&run("adder.blif", "damaged.ct"), "damaged.ct");
    here.write("cut.ct", &here.read("words.ct")[..middle]);
    here.refuses(&run("adder.blif", "cut.ct"), "cut.ct");
    let long = [here.read("words.ct"), vec![0]].concat();
    here.write("long.ct", long);
    here.refuses(&run("adder.blif", "long.ct"), "long.ct");
    here.succeed(&format!("{} --force", KEYGEN.replace("bits.secret", "other.secret")));
    here.refuses(&run("adder.blif", "words.ct"), "words.ct does not match bits.server");
    here.refuses("decrypt --secret other.secret --input words.ct --output a.csv", "words.ct");
    assert!(!here.files().iter().any(|name| name == "out.ct" || name == "a.csv"));
    let error = here.fail("decrypt --secret bits.server --input words.ct --output a.csv");
    assert!(error.contains("--secret takes a secret key"), "{error}");
    // An output never replaces a key.
    let error = here.fail("decrypt --secret bits.secret --input words.ct --output bits.server");
    assert!(error.contains("bits.server"), "{error}");
}

#[test]
fn netlists_are_refused_by_their_line() {
    let here = Workspace::new();
    let around =
        ".model around\n.inputs a b\n.outputs a b\n.names t a\n1 1\n.names a b t\n11 1\n.end\n";
    here.write("loop.blif", around).write("words.csv", "1\n0\n");
    here.refuses("plan circuit loop.blif --insecure-toy", "loop.blif: line ");
    here.refuses("plan circuit words.csv --insecure-toy", "ends in .blif or .json");
    here.write("unknown.blif", ".model u\n.inputs a\n.outputs b\n.gat x\n.end\n");
    here.refuses("plan circuit unknown.blif --insecure-toy", "unknown.blif: line 4");
}

#[test]
fn words_that_do_not_fit_are_named() {
    let here = Workspace::new();
    here.write("adder.blif", ADDER).write("words.csv", "1,2\n3,4\n");
    let error = here.fail("circuit test adder.blif --inputs words.csv --insecure-toy");
    assert!(error.contains("words.csv line 2, input y: \"4\" has more than 2 bits"), "{error}");
}

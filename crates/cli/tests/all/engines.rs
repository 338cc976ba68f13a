//! Properties common to all engines: the shape of reports, several tables, insecure keys, files of the library.
#![cfg(feature = "client")]

use crate::support;

use cryptable::{Ciphertext, CiphertextWriter, ReadOptions, SecretKey, Table};
use serde_json::Value;
use support::Workspace;

const ENGINES: [&str; 3] = ["packed", "single", "leveled"];

fn toy(engine: &str) -> Workspace {
    let here = Workspace::with_keys(&format!("--mode {engine} --bits 2"));
    here.write("values.csv", "0\n1\n2\n3\n2\n");
    here.write("table.csv", "3\n1\n0\n2\n").write("b.csv", "1\n1\n2\n0\n");
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here
}

fn names(object: &Value) -> Vec<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn plans_have_one_shape() {
    let here = Workspace::new();
    let plans =
        ENGINES.map(|engine| here.json(&format!("plan --mode {engine} --bits 2 --values 3")));
    let expected = [
        "engine",
        "method",
        "input_modulus",
        "output_modulus",
        "ring_degree",
        "security_bits",
        "security_level",
        "log2_fail",
        "values_per_ciphertext",
        "log2_fail_per_value",
        "values",
        "threads",
        "eval_s",
        "eval_s_one_thread",
        "peak_bytes",
        "key_file_bytes",
        "key_memory_bytes",
        "ciphertext_bytes",
        "result_bytes",
        "compressed_bytes",
        "parameter_digest",
        "candidates",
        "refused",
    ];
    for (plan, engine) in plans.iter().zip(ENGINES) {
        assert_eq!((&plan["engine"], &plan["values"]), (&engine.into(), &3.into()));
        assert_eq!(names(plan), names(&plans[0]));
        assert!(expected.iter().all(|name| names(plan).contains(&(*name).to_owned())), "{plan}");
        for candidate in plan["candidates"].as_array().unwrap() {
            let of_plan = ["candidates", "memory_limit", "refused"].map(str::to_owned);
            let mut with_those: Vec<String> = names(candidate).into_iter().chain(of_plan).collect();
            with_those.sort();
            assert_eq!(with_those, names(plan));
            assert_eq!(candidate["security_level"], "bits128");
        }
    }
}

#[test]
fn every_report_has_one_shape() {
    let lines = [
        "keygen --insecure-toy --bits 2 --secret c.key --evaluation s.key",
        "encrypt --secret client.key --input values.csv --output values.ct",
        "lookup --evaluation server.key --table table.csv --input values.ct --output r.ct",
        "decrypt --secret client.key --input r.ct --output r.csv",
        "inspect client.key",
        "inspect server.key",
        "inspect r.ct",
    ];
    let shapes = ENGINES.map(|engine| {
        let here = toy(engine);
        lines.map(|line| {
            let mode = format!("keygen --mode {engine}");
            let found = here.json(&line.replace("keygen", &mode));
            assert_eq!(found["engine"], engine, "{line}");
            let parameters = found.get("parameters").map(names);
            (names(&found), parameters)
        })
    });
    assert_eq!(shapes[0], shapes[1]);
    assert_eq!(shapes[0], shapes[2]);
}

#[test]
fn plans_explain_every_name() {
    let text = Workspace::new().succeed("plan --bits 4");
    for part in [
        "packed: many values at once",
        "single: one value at a time",
        "leveled: one value at a time",
        "AKP: the whole table as one trigonometric polynomial",
        "CMUX tree, 1 bit by blocks: bits of a value",
        "fail: probability that a ciphertext fails",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn failure_probabilities_are_chosen() {
    let here = Workspace::new();
    for engine in ENGINES {
        let plan = |options: &str| here.json(&format!("plan --mode {engine} --bits 2 {options}"));
        assert!(plan("")["log2_fail"].as_f64().unwrap() <= -64.0);
        let strict = plan("--log2-fail -128");
        assert!(strict["log2_fail"].as_f64().unwrap() <= -128.0, "{engine}");
        // Packed parameters come in steps: less is not always faster, but never slower by much.
        let time = |plan: &Value| plan["eval_s"].as_f64().unwrap();
        assert!(time(&plan("--log2-fail -30")) <= 1.05 * time(&strict), "{engine}");
    }
    let output = here.strict_command("plan --bits 2 --log2-fail 64").assert().code(2);
    let message = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(message.contains("a number from -1000 to -1"), "{message}");
}

#[test]
fn keys_without_a_mode_say_which_engine_and_why() {
    let here = Workspace::new();
    let keygen = |options: &str| {
        let files = "--force --secret client.key --evaluation server.key";
        here.json(&format!("--threads 1 keygen {options} {files}"))
    };
    let found = keygen("--bits 4 --values 1");
    assert_eq!(
        (&found["engine"], &found["reason"]),
        (&"single".into(), &"the fastest for 1 value".into())
    );
    let found = keygen("--modulus 1009 --log2-fail -64");
    assert_eq!(found["engine"], "packed");
    let found = keygen("--modulus 1000003");
    assert_eq!(found["engine"], "leveled");
    let reason = found["reason"].as_str().unwrap();
    assert!(reason.starts_with("packed, the default, does not support this: "), "{reason}");
    let text = here.succeed("keygen --insecure-toy --bits 2 --secret c.key --evaluation s.key");
    assert!(text.contains("INSECURE") && text.contains("engine packed: many values"), "{text}");
}

#[test]
fn no_more_threads_are_started_than_work() {
    let here = Workspace::new();
    let threads = |count: usize| {
        let plan = here.json(&format!("--threads {count} plan --bits 2"));
        plan["threads"].as_u64().unwrap() as usize
    };
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!([threads(1), threads(1000)], [1, 1000.min(4 * cores)]);
}

#[test]
fn several_tables_are_looked_up_at_once() {
    for engine in ENGINES {
        let here = toy(engine);
        let line = "lookup --evaluation server.key --input values.ct";
        let tables = "--table table.csv --table b.csv --output a.ct --output b.ct";
        let outputs = &here.json(&format!("{line} {tables}"))["outputs"];
        assert_eq!(outputs.as_array().unwrap().len(), 2);
        assert_eq!(
            (&outputs[1]["table"], &outputs[1]["output"]),
            (&"b.csv".into(), &"b.ct".into())
        );
        for (name, expected) in [("a", "3\n1\n0\n2\n0\n"), ("b", "1\n1\n2\n0\n2\n")] {
            here.succeed(&format!("decrypt --secret client.key --input {name}.ct --output r.csv"));
            assert_eq!(here.text("r.csv"), expected, "{engine}");
        }
        let message = here.fail(&format!("{line} --table table.csv --table b.csv --output new.ct"));
        assert_eq!(message, "2 --table and 1 --output: each table needs its own output");
        let tables = "--table table.csv --table b.csv";
        let message = here.fail(&format!("{line} {tables} --output new.ct --output new.ct"));
        assert_eq!(message, "--output and --output cannot both be new.ct");
        let message = here.fail(&format!("{line} {tables} --output b.csv --output new.ct --force"));
        assert_eq!(message, "--output b.csv would replace the file that --table b.csv reads");
    }
}

#[test]
fn insecure_keys_are_refused() {
    for engine in ENGINES {
        let here = toy(engine);
        for line in [
            "encrypt --secret client.key --input values.csv --output new.ct",
            "lookup --evaluation server.key --table table.csv --input values.ct --output new.ct",
            "decrypt --secret client.key --input values.ct --output new.csv",
        ] {
            let output = here.strict_command(line).assert().code(1).get_output().clone();
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(message.contains("these parameters are INSECURE toys"), "{message}");
            assert!(!here.files().iter().any(|name| name.starts_with("new")));
        }
        for key in ["client.key", "server.key"] {
            let output = here.strict_command(&format!("inspect {key}")).assert().success();
            let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
            assert!(text.lines().next().unwrap().contains("INSECURE"), "{text}");
        }
        let line = "encrypt --allow-insecure --secret client.key --input values.csv --output v.ct";
        let output = here.strict_command(line).assert().success();
        let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(message.starts_with("INSECURE: client.key has toy parameters"), "{message}");
        let line = "decrypt --allow-insecure --secret client.key --input v.ct --output v.csv";
        let output = here.strict_command(line).assert().success();
        let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(message.starts_with("INSECURE: client.key has toy parameters"), "{message}");
    }
}

#[test]
fn keys_whose_values_fail_often_are_refused() {
    let here = Workspace::new();
    here.write("values.csv", "0\n15\n");
    let files = "--secret client.key --evaluation server.key";
    here.succeed(&format!("keygen --mode single --bits 4 --log2-fail -8 {files}"));
    let encrypt = "encrypt --secret client.key --input values.csv --output v.ct";
    let message = here.fail(encrypt);
    assert!(message.contains("a value of these parameters fails with"), "{message}");
    let expected = "readers refuse them unless told to allow that; --allow-log2-fail allows it";
    assert!(message.contains("above 2^-40.0: ") && message.ends_with(expected), "{message}");
    let output = here.strict_command(&format!("{encrypt} --allow-log2-fail -8")).assert().success();
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        message.starts_with("INSECURE: values of client.key fail with probability"),
        "{message}"
    );
    for key in ["client.key", "server.key"] {
        let text = here.succeed(&format!("inspect {key}"));
        let first = text.lines().next().unwrap();
        assert!(first.contains("INSECURE: a value fails with probability 2^-"), "{text}");
    }
}

#[test]
fn the_library_reads_files_of_the_command_line_and_the_other_way_round() {
    let options = ReadOptions::default().allow_insecure();
    for engine in ENGINES {
        let here = toy(engine);
        let secret = SecretKey::from_bytes(&here.read("client.key"), options).unwrap();
        let input = Ciphertext::from_bytes(&here.read("values.ct")).unwrap();
        assert_eq!(secret.decrypt(&input).unwrap(), [0, 1, 2, 3, 2]);

        let server = cryptable::EvaluationKey::open(&here.path("server.key"), options).unwrap();
        let table = Table::new(4, 4, vec![3, 1, 0, 2]).unwrap();
        let output = server.lookup(&input, &server.prepare(&table).unwrap()).unwrap();
        here.write("library.ct", output.to_bytes());
        here.succeed("decrypt --secret client.key --input library.ct --output library.csv");
        assert_eq!(here.read("library.csv"), b"3\n1\n0\n2\n0\n");

        let mut writer = CiphertextWriter::new(Vec::new(), input.contents()).unwrap();
        writer.push(&input).unwrap();
        writer.push(&secret.encrypt(&[1]).unwrap()).unwrap();
        here.write("two.ct", writer.finish().unwrap().0);
        here.succeed("lookup --evaluation server.key --table b.csv --input two.ct --output r.ct");
        let result = Ciphertext::from_bytes(&here.read("r.ct")).unwrap();
        assert_eq!(secret.decrypt(&result).unwrap(), [1, 1, 2, 0, 2, 1]);
    }
}

#[test]
fn plans_count_what_sending_keys_takes() {
    let here = Workspace::new();
    let plan = |options: &str| -> Value {
        here.json(&format!("--threads 2 plan --bits 8 --values 1024 {options}"))
    };
    let (near, far) = (plan(""), plan("--bandwidth 1MB"));
    assert!(near["engine"] == "packed" && near.get("transfer_s").is_none(), "{near}");
    assert_eq!(far["engine"], "leveled", "{far}");
    let (sent, bytes) = (far["transfer_s"].as_f64(), far["key_file_bytes"].as_f64());
    assert!((sent.unwrap() - bytes.unwrap() / 1e6).abs() < 1e-6, "{far}");
    let text = here.succeed("plan --bits 8 --values 1024 --bandwidth 1MB");
    assert!(text.contains(" send ") && text.contains("to send them"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn values_and_tables_that_do_not_fit() {
    for engine in ENGINES {
        let here = toy(engine);
        here.write("range.csv", "1\n4\n")
            .write("short.csv", "0\n1\n2\n")
            .write("long.csv", "0\n".repeat(5));
        let message = here.fail("encrypt --secret client.key --output new.ct --input range.csv");
        let keys = "; keys of `keygen --bits 3` have room for it";
        let expected = format!("range.csv line 2, column 1: 4 is not below the modulus 4{keys}");
        assert_eq!(message, expected);
        let lookup = "lookup --evaluation server.key --input values.ct --output new.ct --table";
        let message = here.fail(&format!("{lookup} short.csv"));
        assert_eq!(message, "short.csv: the table has 3 outputs, but its input modulus is 4");
        here.refuses(&format!("{lookup} long.csv"), "5 outputs");
        here.refuses(&format!("{lookup} range.csv"), "4 is not below the modulus 4");
    }
}

#[test]
fn keys_of_other_engines_clients_and_parameters() {
    for (engine, other) in [("packed", "single"), ("single", "packed"), ("leveled", "single")] {
        let (here, twin) = (toy(engine), toy(engine));
        let third = Workspace::with_keys(&format!("--mode {engine} --bits 2 --output-bits 3"));
        let other_engine = format!("is of kind {engine}, where {other} is needed");
        let other = Workspace::with_keys(&format!("--mode {other} --bits 2"));
        for (name, place, reason) in [
            ("other", other, other_engine.as_str()),
            ("twin", twin, "belongs to the client key "),
            ("third", third, "was made under other parameters: digest "),
        ] {
            here.write(&format!("{name}.key"), place.read("client.key"));
            here.write(&format!("{name}-server.key"), place.read("server.key"));
            for (line, key) in [
                ("decrypt --output new.csv --secret", format!("{name}.key")),
                (
                    "lookup --table table.csv --output new.ct --evaluation",
                    format!("{name}-server.key"),
                ),
            ] {
                let message = here.fail(&format!("{line} {key} --input values.ct"));
                let start =
                    format!("values.ct does not match {key}: the file of ciphertexts {reason}");
                assert!(message.starts_with(&start), "{message}");
            }
        }
        let lookup = "lookup --table table.csv --output new.ct --input values.ct";
        let message = here.fail(&format!("{lookup} --evaluation client.key"));
        let expected = format!("a secret key for {engine} values, not an evaluation key");
        assert!(message.contains(&expected), "{message}");
        let message = here.fail("decrypt --output new.csv --input values.ct --secret server.key");
        assert!(message.contains("server.key"), "{message}");
    }
}

#[test]
fn damaged_files() {
    ENGINES.into_iter().for_each(|engine| toy(engine).refuse_damaged_files());
}

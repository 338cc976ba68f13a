//! `--mode single`: values each by themselves, the whole way through files.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

/// A table without symmetry.
const TABLE: [u64; 16] = [7, 0, 15, 3, 3, 12, 9, 1, 14, 14, 6, 11, 2, 8, 5, 10];

fn lines(values: impl IntoIterator<Item = u64>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// A directory with toy keys for single values, a table and encrypted values.
fn toy() -> Workspace {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("values.csv", "0\n1\n2\n3\n").write("table.csv", "3\n1\n0\n2\n");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    here
}

#[test]
fn every_value_of_four_bits_at_full_size() {
    let here = Workspace::new();
    here.write("table.csv", lines(TABLE)).write("values.csv", format!("grade\n{}", lines(0..16)));
    let files = "--secret client.key --evaluation server.key";
    let json = here.succeed(&format!("--json keygen --mode single --table table.csv {files}"));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["engine"], &report["reason"]), (&"single".into(), &"as asked for".into()));
    assert!(report["security_bits"].as_f64().unwrap() >= 128.0);
    assert!(report["log2_fail"].as_f64().unwrap() <= -64.0);
    here.succeed("encrypt --key client.key --input values.csv --column grade --output v.ct");
    let lookup = "lookup --key server.key --table table.csv";
    let json = here.succeed(&format!("--json {lookup} --input v.ct --output r.ct"));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["values"], &report["ciphertexts"]), (&16.into(), &16.into()));
    here.succeed("decrypt --key client.key --input r.ct --output r.csv --column f");
    assert_eq!(here.read("r.csv"), format!("f\n{}", lines(TABLE)).into_bytes());
    // Results are inputs of the next lookup.
    here.succeed(&format!("{lookup} --input r.ct --output rr.ct"));
    here.succeed("decrypt --key client.key --input rr.ct --output rr.bin");
    assert_eq!(here.read("rr.bin"), TABLE.map(|value| TABLE[value as usize] as u8));

    let json = here.succeed("--json inspect client.key server.key v.ct r.ct");
    let reports: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<_> = reports.iter().map(|report| report["type"].as_str().unwrap()).collect();
    let keys = ["a secret key for single values", "an evaluation key for single values"];
    assert_eq!(types[..2], keys);
    assert_eq!(types[2..], ["ciphertexts of single values"; 2]);
    for report in &reports {
        assert_eq!(report["parameter_digest"], reports[0]["parameter_digest"]);
        let file = report["file"].as_str().unwrap();
        assert_eq!(report["bytes"], here.read(file).len());
    }
    assert_eq!(reports[1]["parameters"]["input_modulus"], 16);
    assert_eq!((&reports[2]["values"], &reports[2]["ciphertexts"]), (&16.into(), &16.into()));
    let text = here.succeed("inspect server.key");
    assert!(text.contains("tables      16 -> 16") && !text.contains("INSECURE"), "{text}");
}

#[test]
fn many_values_with_another_output_modulus() {
    let here = Workspace::with_keys("--mode single --modulus 6 --output-modulus 10");
    let values = |f: fn(u64) -> u64| lines((0..1100).map(|i| f(i * i % 6)));
    here.write("table.csv", "x,y\n5,9\n0,1\n4,0\n1,8\n3,3\n2,7\n").write("v.csv", values(|x| x));
    here.succeed("encrypt --key client.key --input v.csv --output v.ct");
    here.succeed("--quiet lookup --key server.key --table table.csv --input v.ct --output r.ct");
    here.succeed("decrypt --key client.key --input r.ct --output r.csv");
    let expected = values(|x| [1, 8, 7, 3, 0, 9][x as usize]);
    assert_eq!(here.read("r.csv"), expected.into_bytes());
    assert!(here.succeed("inspect client.key").contains("INSECURE"));
    let line = "lookup --key server.key --table table.csv --input r.ct --output new.ct";
    assert!(here.fail(line).contains("modulus of the values is 10, but the parameters need 6"));
}

#[test]
fn plan_shows_all_methods() {
    let here = Workspace::new();
    let json = here.succeed("--json --threads 2 plan --mode single --bits 4 --count 10");
    let plan: serde_json::Value = serde_json::from_str(&json).unwrap();
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
fn what_is_not_served_is_named() {
    let here = Workspace::new();
    let fail = |line: &str| here.fail(&format!("plan --mode single {line}"));
    let message = fail("--bits 12");
    assert!(message.contains("single values is 4096, but must be at most 64"), "{message}");
    assert!(message.contains("; --mode packed and --mode leveled serve it"), "{message}");
    assert!(here.succeed("plan --mode single --modulus 5").contains("odd modulus"));
    assert!(fail("--modulus 4097").contains("single values is 4097, but must be at most 64"));
    let message = fail("--bits 4 --output-modulus 4194304");
    assert!(message.contains("16 -> 4194304") && message.contains("up to 2^"), "{message}");
    assert!(fail("--bits 4 --memory 1kB").contains("in 1 kB of memory: the smallest needs"));
    assert!(fail("--bits 4 --ring-degree 65536").contains("it is for packed values"));
    assert!(fail("--bits 4 --variant None").contains("FDFB-Compress"));
    assert!(here.succeed("plan --bits 4 --variant comp").contains("best: single: Comp, "));
    here.write("long.csv", lines((0..1000).map(|x| x % 7)));
    let files = "--secret client.key --evaluation server.key";
    let message = here.fail(&format!("keygen --mode single --table long.csv {files}"));
    assert!(message.contains("single values is 1000, but must be at most 64"), "{message}");
}

#[test]
fn values_and_tables_that_do_not_fit() {
    let here = toy();
    here.write("range.csv", "1\n4\n")
        .write("short.csv", "0\n1\n2\n")
        .write("long.csv", "0\n".repeat(5));
    let encrypt = "encrypt --key client.key --output new.ct --input";
    let message = here.fail(&format!("{encrypt} range.csv"));
    let keys = "; keys of `keygen --bits 3` have room for it";
    assert_eq!(message, format!("range.csv line 2, column 1: 4 is not below the modulus 4{keys}"));
    let lookup = "lookup --key server.key --input values.ct --output new.ct --table";
    let message = here.fail(&format!("{lookup} short.csv"));
    assert_eq!(message, "short.csv: the table has 3 outputs, but its input modulus is 4");
    assert!(here.fail(&format!("{lookup} long.csv")).contains("5 outputs"));
    assert!(here.fail(&format!("{lookup} range.csv")).contains("4 is not below the modulus 4"));
}

#[test]
fn files_of_the_other_mode() {
    let (here, packed) = (toy(), Workspace::with_keys("--bits 2"));
    packed.write("values.csv", "0\n1\n2\n3\n");
    packed.succeed("encrypt --key client.key --input values.csv --output values.ct");
    for (name, from) in [
        ("packed.key", "client.key"),
        ("packed-server.key", "server.key"),
        ("packed.ct", "values.ct"),
    ] {
        here.write(name, packed.read(from));
    }
    let decrypt = "decrypt --output new.csv --input";
    assert_eq!(
        here.fail(&format!("{decrypt} values.ct --key packed.key")),
        "values.ct does not go with packed.key: the file of ciphertexts is of kind single, where packed is needed"
    );
    assert_eq!(
        here.fail(&format!("{decrypt} packed.ct --key client.key")),
        "packed.ct does not go with client.key: the file of ciphertexts is of kind packed, where single is needed"
    );
    let lookup = "lookup --table table.csv --output new.ct --input";
    assert_eq!(
        here.fail(&format!("{lookup} values.ct --key packed-server.key")),
        "values.ct does not go with packed-server.key: the file of ciphertexts is of kind single, where packed is needed"
    );
    assert_eq!(
        here.fail(&format!("{lookup} packed.ct --key server.key")),
        "packed.ct does not go with server.key: the file of ciphertexts is of kind packed, where single is needed"
    );
    let message = here.fail(&format!("{lookup} values.ct --key client.key"));
    assert!(
        message.contains("client.key: it is a secret key for single values, not an evaluation key"),
        "{message}"
    );
    let message = here.fail(&format!("{decrypt} values.ct --key server.key"));
    assert!(message.contains("server.key"), "{message}");
}

#[test]
fn ciphertexts_of_other_keys() {
    let (here, other) = (toy(), toy());
    let third = Workspace::with_keys("--mode single --bits 2 --output-bits 3");
    here.write("other.key", other.read("client.key")).write("third.key", third.read("client.key"));
    here.write("other-server.key", other.read("server.key"));
    let decrypt = "decrypt --input values.ct --output new.csv --key";
    let message = here.fail(&format!("{decrypt} other.key"));
    assert!(message.starts_with("values.ct does not go with other.key: "), "{message}");
    assert!(message.contains(" is of the client key "), "{message}");
    let message = here.fail(&format!("{decrypt} third.key"));
    assert!(message.contains(" is of other parameters: digest "), "{message}");
    let lookup = "lookup --table table.csv --input values.ct --output new.ct --key";
    let message = here.fail(&format!("{lookup} other-server.key"));
    assert!(message.starts_with("values.ct does not go with other-server.key: "), "{message}");
    assert!(message.contains(" is of the client key "), "{message}");
}

#[test]
fn damaged_files() {
    let here = toy();
    here.refuse_damaged_files();
}

#[cfg(unix)]
#[test]
fn full_disks() {
    let here = Workspace::new();
    let message =
        here.fail_on_full_disk("keygen --mode single --bits 4 --secret a.key --evaluation b.key");
    assert!(message.contains("cannot write b.key: "), "{message}");
}

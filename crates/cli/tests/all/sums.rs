//! `sum`: terms and factors, several ciphertexts per file, and refusals.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

#[test]
fn sums_are_added_and_scaled() {
    for engine in ["packed", "single"] {
        let here = Workspace::with_keys(&format!("--mode {engine} --bits 3"));
        // More than one ciphertext of 1,024 values.
        let (a, b) = ((0..1500).map(|i| i % 8), (0..1500).map(|i| i / 3 % 8));
        here.write("a.csv", numbers(a.clone())).write("b.csv", numbers(b.clone()));
        for name in ["a", "b"] {
            let files = format!("--input {name}.csv --output {name}.ct");
            here.succeed(&format!("encrypt --secret client.key {files}"));
        }
        let sum = |options: &str| {
            here.succeed(&format!("sum --evaluation server.key {options} --output sum.ct"));
            here.succeed("decrypt --secret client.key --input sum.ct --output sum.csv");
            here.text("sum.csv")
        };
        let expected = |of: &dyn Fn(u64, u64) -> u64| {
            numbers(a.clone().zip(b.clone()).map(|(a, b)| of(a, b) % 8))
        };
        let two = "--input a.ct --input b.ct";
        assert_eq!(sum(two), expected(&|a, b| a + b), "{engine}");
        assert_eq!(sum("--input a.ct --factor 3"), expected(&|a, _| 3 * a));
        assert_eq!(sum(&format!("{two} --factor 1 --factor -1")), expected(&|a, b| 8 + a - b));
    }
}

#[test]
fn what_is_no_sum_is_refused() {
    let here = Workspace::with_keys("--mode single --bits 3");
    here.write("long.csv", "1\n2\n3\n").write("short.csv", "1\n");
    for name in ["long", "short"] {
        let files = format!("--input {name}.csv --output {name}.ct");
        here.succeed(&format!("encrypt --secret client.key {files}"));
    }
    let refused = |options: &str| {
        let message = here.fail(&format!("sum --evaluation server.key --output s.ct {options}"));
        assert!(!here.files().contains(&"s.ct".to_owned()), "{options}");
        message
    };
    let lengths = refused("--input long.ct --input short.ct");
    assert!(lengths.contains("short.ct: 1 value in 1 ciphertext, but long.ct has 3"), "{lengths}");
    let factors = refused("--input long.ct --input long.ct --factor 2");
    assert!(factors.contains("2 --input and 1 --factor"), "{factors}");
    // Four times as much noise at every step.
    let multiply = |step: u32| {
        let files = format!("--input {step}.ct --output {}.ct", step + 1);
        let line = format!("sum --allow-insecure --evaluation server.key --factor 4 {files}");
        here.strict_command(&line).output().unwrap()
    };
    here.write("0.ct", here.read("long.ct"));
    let noisy = (0..20).map(multiply).find(|output| !output.status.success());
    let noise = String::from_utf8(noisy.expect("a refusal").stderr).unwrap();
    assert!(noise.contains("decryption of the multiple would fail"), "{noise}");

    let leveled = Workspace::with_keys("--mode leveled --bits 2");
    leveled.write("a.csv", "1\n");
    leveled.succeed("encrypt --secret client.key --input a.csv --output a.ct");
    let line = "sum --evaluation server.key --input a.ct --input a.ct --output s.ct";
    leveled.refuses(line, "the engine leveled cannot add values");
}

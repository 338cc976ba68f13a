//! Gates on lists of another library's ciphertexts, from its secret to the list of results.
#![cfg(feature = "client")]

use crate::support::Workspace;

/// Returns a list under a secret of zeros: bodies are phases, with a quarter of 2^11 for true. Masks differ, like those of
/// encryptions.
fn list(bits: &[bool], salt: u32) -> Vec<u8> {
    let mut file = b"LWELIST1\x20\0\0\0\x0b\0\0\0".to_vec();
    file.extend((bits.len() as u64).to_le_bytes());
    for (k, &bit) in bits.iter().enumerate() {
        let mask = (0..32).map(|j| (salt + 97 * k as u32 + 31 * j) % 2048);
        let body = if bit { 512 } else { 0 };
        file.extend(mask.chain([body]).flat_map(u32::to_le_bytes));
    }
    file
}

/// Returns the nearest multiples of a quarter.
fn quarters(file: &[u8]) -> Vec<u32> {
    let body = |record: &[u8]| u32::from_le_bytes(record[4 * 32..].try_into().unwrap());
    file[24..].chunks_exact(4 * 33).map(|record| (body(record) + 256) / 512 % 4).collect()
}

/// Returns a directory with a secret, a key of gates, and two lists.
fn toy() -> Workspace {
    let here = Workspace::new();
    here.write("key.lwe", [&b"LWEKEY01\x20\0\0\0"[..], &[0; 32]].concat());
    let pairs = [(false, false), (false, true), (true, false), (true, true)];
    let of = |part: fn((bool, bool)) -> bool| pairs.map(part);
    here.write("x.lwe", list(&of(|(x, _)| x), 1)).write("y.lwe", list(&of(|(_, y)| y), 5));
    here.succeed("foreign keygen --insecure-toy --secret key.lwe --evaluation gates.server");
    here
}

#[test]
fn lists_go_through_gates_and_back() {
    let here = toy();
    let gate = |line: &str| {
        let found = here.json(&format!("foreign gate {line} --evaluation gates.server"));
        assert_eq!(found["gates"], 4, "{found}");
        assert!(found["log2_fail"].as_f64().unwrap() < -40.0, "{found}");
    };
    gate("nand --input x.lwe --input y.lwe --output nand.lwe");
    assert_eq!(quarters(&here.read("nand.lwe")), [1, 1, 1, 0]);
    gate("not --input nand.lwe --output and.lwe");
    gate("xor --input and.lwe --input x.lwe --output xor.lwe");
    assert_eq!(quarters(&here.read("xor.lwe")), [0, 0, 1, 0]);
    let found = here.succeed("--json inspect gates.server");
    assert!(found.contains("keys for gates on bits of another library"), "{found}");
}

#[test]
fn what_does_not_belong_is_refused_with_its_file() {
    let here = toy();
    let gate = "foreign gate and --evaluation gates.server --input x.lwe";
    here.write("cut.lwe", &here.read("y.lwe")[..100]).write("three.lwe", list(&[true; 3], 5));
    for (line, words) in [
        (format!("{gate} --input cut.lwe --output z.lwe"), "cut.lwe for a key of insecure-toy"),
        (format!("{gate} --input three.lwe --output z.lwe"), "number of bits is 3"),
        (format!("{gate} --input key.lwe --output z.lwe"), "begins with LWEKEY01"),
        (format!("{gate} --output z.lwe"), "1 --input: this gate takes 2"),
        (format!("{gate} --input y.lwe --output x.lwe"), "would replace the file that --input"),
        (format!("{gate} --input y.lwe --output key.lwe"), "LWE secret of another library"),
        ("inspect x.lwe".into(), "`foreign gate` reads it"),
    ] {
        let message = here.fail(&line);
        assert!(message.contains(words), "{line}: {message}");
    }
    // Toys are refused by default.
    let line = format!("{gate} --input y.lwe --output z.lwe");
    let output = here.strict_command(&line).assert().code(1).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().to_lowercase().contains("insecure"));
    let keygen = "foreign keygen --secret key.lwe --evaluation new.server --set openfhe-std128";
    here.refuses(keygen, "key.lwe is not a secret of openfhe-std128");
    let keygen = "foreign keygen --insecure-toy --secret key.lwe --evaluation gates.server";
    here.refuses(keygen, "gates.server exists");
}

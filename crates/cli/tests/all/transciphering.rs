//! `cryptable aes`: all steps through files.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

/// NIST SP 800-38A, F.5.1.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const PLAIN: [u8; 5] = [0x6b, 0xc1, 0xbe, 0xe2, 0x2e];
const CIPHER: [u8; 5] = [0x87, 0x4d, 0x61, 0x91, 0xb6];

const KEYGEN: &str = "keygen aes --secret aes.secret --evaluation aes.server";

fn table() -> String {
    (0..256).map(|x| format!("{}\n", (7 * x + 3) % 256)).collect()
}

/// A directory with toy keys, an encrypted AES key and encrypted bytes.
fn toy() -> Workspace {
    let here = Workspace::new();
    here.succeed(&format!("{KEYGEN} --insecure-toy"));
    here.succeed(&format!("aes encrypt-key --secret aes.secret --key {KEY} --output key.ct"));
    here.write("cipher.bin", CIPHER).write("table.csv", table());
    here
}

fn transcipher(here: &Workspace, options: &str) -> String {
    let files = "--evaluation aes.server --encrypted-key key.ct --input cipher.aes";
    here.succeed(&format!("aes transcipher {files} {options}"))
}

/// Generates keys of full size, and checks that they are reported as secure.
fn full_size_keys(here: &Workspace) {
    let report = here.json(KEYGEN);
    assert!(report["security_bits"].as_f64().unwrap() >= 128.0);
    assert!(report["log2_fail"].as_f64().unwrap() <= -64.0);
}

/// Checks an encrypted key in a file, a message, and a table on it, with the keys of a directory.
fn check_bytes_and_a_table(here: &Workspace) {
    let key: Vec<u8> =
        (0..16).map(|i| u8::from_str_radix(&KEY[2 * i..2 * i + 2], 16).unwrap()).collect();
    here.write("key.bin", &key).write("plain.bin", PLAIN).write("table.csv", table());
    here.succeed("aes encrypt-key --secret aes.secret --key-file key.bin --output key.ct");
    assert!(here.read("key.ct").len() < 9000);
    here.succeed("aes encrypt --key-file key.bin --input plain.bin --output cipher.aes");
    let json = transcipher(here, "--json --table table.csv --output message.ct");
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["message_bytes"], 5);
    assert_eq!(report["output_bytes"], here.read("message.ct").len());
    here.succeed("decrypt --secret aes.secret --input message.ct --output out.bin");
    assert_eq!(here.read("out.bin"), PLAIN.map(|x| (7 * u32::from(x) + 3) as u8));
    let text = here.succeed("inspect aes.secret aes.server key.ct message.ct cipher.aes");
    for kind in [
        "a secret key for transciphering",
        "round keys of AES-128",
        "encrypted bit by bit",
        "a message by AES-128 in counter mode",
    ] {
        assert!(text.contains(kind), "{text}");
    }
    assert!(text.contains("5 values below 256"), "{text}");
    assert_eq!(text.matches("  key ").count(), 4, "{text}");
    assert_eq!(text.matches("  AES key ").count(), 2, "{text}");
}

#[test]
fn bytes_and_a_table() {
    let here = Workspace::new();
    here.succeed(&format!("{KEYGEN} --insecure-toy"));
    check_bytes_and_a_table(&here);
}

#[test]
fn keys_of_full_size_are_secure() {
    let here = Workspace::new();
    full_size_keys(&here);
    let text = here.succeed("inspect aes.secret aes.server");
    assert!(text.contains("bits of security"), "{text}");
}

#[test]
#[ignore = "slow: run by make test-all"]
fn bytes_and_a_table_at_full_size() {
    let here = Workspace::new();
    full_size_keys(&here);
    check_bytes_and_a_table(&here);
    let text = here.succeed("inspect aes.secret aes.server key.ct message.ct");
    assert!(text.contains("bits of security"), "{text}");
}

/// Checks a message of `length` bytes, without a table.
fn check_without_a_table(length: u8) {
    let here = toy();
    let plain: Vec<u8> = (0..length).map(|i| 11 * i).collect();
    here.write("plain.bin", &plain);
    here.succeed(&format!("aes encrypt --key {KEY} --input plain.bin --output cipher.aes"));
    let text = transcipher(&here, "--output message.ct");
    assert!(text.contains(&format!("{length} bytes")), "{text}");
    here.succeed("decrypt --secret aes.secret --input message.ct --output out.bin");
    assert_eq!(here.read("out.bin"), plain);
}

#[test]
fn a_block_without_a_table() {
    check_without_a_table(11);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn two_blocks_without_a_table() {
    check_without_a_table(20);
}

/// Converts five blocks, which are two chunks. Counters are random, given, or given for bytes that another program encrypted.
#[test]
fn chunks_go_on_where_the_last_ended() {
    let here = toy();
    let plain: Vec<u8> = (0..77).map(|i| 7 * i).collect();
    here.write("plain.bin", &plain).write("empty.bin", "");
    let mapped = |&x: &u8| (7 * u32::from(x) + 3) as u8;
    for (input, expected) in [("plain.bin", &plain[..]), ("empty.bin", &[])] {
        here.succeed(&format!("aes encrypt --key {KEY} --input {input} --output cipher.aes"));
        transcipher(&here, "--table table.csv --output message.ct");
        here.succeed("decrypt --secret aes.secret --input message.ct --output out.bin");
        assert_eq!(here.read("out.bin"), expected.iter().map(mapped).collect::<Vec<_>>());
    }
}

/// Bytes that another program encrypted, here the standard's.
#[test]
fn bytes_of_other_programs() {
    let here = toy();
    let files = "--evaluation aes.server --encrypted-key key.ct --output message.ct";
    here.succeed(&format!("aes transcipher {files} --input cipher.bin --counter {COUNTER}"));
    here.succeed("decrypt --secret aes.secret --input message.ct --output out.bin");
    assert_eq!(here.read("out.bin"), PLAIN);
    let message = here.fail(&format!("aes transcipher {files} --input cipher.bin"));
    assert!(message.starts_with("cipher.bin: "), "{message}");
    here.write("plain.bin", PLAIN);
    here.succeed(&format!("aes encrypt --key {KEY} --input plain.bin --output cipher.aes"));
    let message =
        here.fail(&format!("aes transcipher {files} --input cipher.aes --counter {COUNTER}"));
    assert!(message.contains("its own counter"), "{message}");
    let message = here.fail(&format!("aes transcipher {files} --input cipher.aes --memory 1kB"));
    assert!(message.contains("transciphering may take "), "{message}");
    assert!(message.contains("above --memory 1.0 kB"), "{message}");
    let last = format!("{}ffffffff", "0".repeat(24));
    here.write("long.bin", [0; 17]);
    let message = here.fail(&format!("aes transcipher {files} --input long.bin --counter {last}"));
    assert!(message.contains("leaves 1 of the 2^32 counters of a nonce"), "{message}");
}

#[cfg(unix)]
#[test]
fn full_disks() {
    let here = Workspace::new();
    let message = here.fail_on_full_disk(&format!("{KEYGEN} --insecure-toy"));
    assert!(message.contains("cannot write aes.server: "), "{message}");
}

#[test]
fn keys_of_others_and_damage_are_named() {
    let here = toy();
    let files = "--secret other.secret --evaluation other.server";
    here.succeed(&format!("keygen aes --insecure-toy {files}"));
    here.succeed(&format!("aes encrypt --key {KEY} --input cipher.bin --output cipher.aes"));
    let transcipher = |evaluation: &str, key: &str, more: &str| {
        let files = format!("--evaluation {evaluation} --key {key} --input cipher.aes");
        here.fail(&format!("aes transcipher {files} --output new.ct {more}"))
    };
    let other = "0".repeat(32);
    here.succeed(&format!("aes encrypt-key --secret aes.secret --key {other} --output other.ct"));
    let message = transcipher("aes.server", "other.ct", "");
    assert!(message.starts_with("cipher.aes is not for other.ct"), "{message}");
    assert!(message.contains("the message is encrypted under the AES key"), "{message}");
    let message = transcipher("other.server", "key.ct", "");
    assert!(message.starts_with("key.ct does not belong to other.server"), "{message}");
    let message = transcipher("aes.secret", "key.ct", "");
    assert!(message.contains("it is a secret key for transciphering, not"), "{message}");
    let message = transcipher("aes.server", "aes.server", "");
    assert!(message.contains("not encrypted round keys of AES-128"), "{message}");
    let single = Workspace::with_keys("--mode single --bits 2");
    here.write("server.key", single.read("server.key")).write("short.csv", "0\n1\n");
    let message = transcipher("server.key", "key.ct", "");
    assert_eq!(message, "server.key: aes needs keys from keygen aes");
    let message = transcipher("aes.server", "key.ct", "--table short.csv");
    assert_eq!(message, "short.csv: the table has 2 outputs, but its input modulus is 256");
    let mut damaged = here.read("key.ct");
    damaged[200] ^= 1;
    here.write("damaged.ct", damaged).write("key.bin", "short");
    assert!(transcipher("aes.server", "damaged.ct", "").contains("the file is damaged"));
    let message =
        here.fail("aes encrypt-key --secret aes.secret --key-file key.bin --output new.ct");
    assert_eq!(message, "key.bin: 5 bytes; an AES-128 key has 16");
    let message = here.fail("decrypt --secret aes.secret --input key.ct --output new.bin");
    assert!(message.starts_with("key.ct: it is encrypted round keys"), "{message}");
    here.refuses(KEYGEN, "exists; --force replaces it");
}

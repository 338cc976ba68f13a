//! Files that outputs may replace.
#![cfg(all(unix, feature = "client"))]

use crate::support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use support::Workspace;

/// A directory with toy keys, values, a table and ciphertexts.
fn toy() -> Workspace {
    let here = Workspace::with_keys("--mode single --bits 2");
    here.write("values.csv", "0\n1\n2\n3\n").write("table.csv", "3\n1\n0\n2\n");
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here
}

#[cfg(target_os = "linux")]
#[test]
fn reports_name_files_that_are_not_utf8() {
    let here = toy();
    let found = here.shell_succeeds(
        "mkdir $'bad\\xff'; cd $'bad\\xff'; cp ../client.key ../values.csv .; \
         cryptable --json encrypt --secret \"$PWD/client.key\" --input values.csv --output \"$PWD/v.ct\"; \
         cryptable --json inspect \"$PWD/v.ct\"",
    );
    assert_eq!(found.lines().count(), 2, "{found}");
    for line in found.lines() {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(report.to_string().contains("bad\u{fffd}/v.ct"), "{report}");
    }
}

#[test]
fn no_output_replaces_an_input_or_a_key_of_the_command() {
    let here = toy();
    symlink("values.csv", here.path("link.csv")).unwrap();
    fs::hard_link(here.path("values.csv"), here.path("twin.csv")).unwrap();
    fs::create_dir(here.path("sub")).unwrap();
    let encrypt = "encrypt --secret client.key --input values.csv --output";
    let lookup = "lookup --evaluation server.key --table table.csv --input values.ct --output";
    let decrypt = "decrypt --secret client.key --input values.ct --format csv --output";
    for (line, other) in [
        (format!("{encrypt} client.key"), "--secret"),
        (format!("{encrypt} values.csv"), "--input"),
        (format!("{encrypt} link.csv"), "--input"),
        (format!("{encrypt} twin.csv"), "--input"),
        (format!("{encrypt} sub/../values.csv"), "--input"),
        (format!("{lookup} server.key"), "--evaluation"),
        (format!("{lookup} table.csv"), "--table"),
        (format!("{lookup} values.ct"), "--input"),
        (format!("{decrypt} client.key"), "--secret"),
        (format!("{decrypt} values.ct"), "--input"),
    ] {
        for force in ["", " --force"] {
            let message = here.fail(&format!("{line}{force}"));
            let expected = format!("would replace the file that {other} ");
            assert!(message.starts_with("--output ") && message.contains(&expected), "{message}");
        }
    }
    let keygen = "keygen --mode single --insecure-toy --table table.csv --force";
    let message = here.fail(&format!("{keygen} --secret table.csv --evaluation e.key"));
    assert!(message.starts_with("--secret table.csv would replace"), "{message}");
    let message = here.fail(&format!("{keygen} --secret a.key --evaluation sub/../a.key"));
    assert_eq!(message, "--secret and --evaluation cannot both be a.key");
    let output = here
        .shell("cryptable encrypt --secret client.key --input values.csv --output - >> values.csv");
    assert!(!output.status.success());
    assert_eq!(here.read("values.csv"), b"0\n1\n2\n3\n");
}

#[test]
fn aes_outputs_replace_no_input_either() {
    let here = Workspace::new();
    here.succeed("keygen aes --insecure-toy --secret s.key --evaluation e.key");
    here.write("key.bin", [7; 16]).write("plain.bin", "text");
    for line in [
        "aes encrypt-key --secret s.key --key-file key.bin --output s.key",
        "aes encrypt-key --secret s.key --key-file key.bin --output key.bin",
        "aes encrypt --key-file key.bin --input plain.bin --output plain.bin",
        "aes open --key-file key.bin --input plain.bin --output plain.bin",
        "aes transcipher --evaluation e.key --encrypted-key key.bin --input plain.bin --output e.key",
        "decrypt --secret s.key --input key.bin --output s.key",
    ] {
        here.refuses(line, "would replace the file that");
    }
}

#[test]
fn other_keys_and_read_only_files_are_replaced_by_force_alone() {
    let here = toy();
    let other = Workspace::with_keys("--bits 2");
    here.write("other.key", other.read("client.key"))
        .write("other.server", other.read("server.key"));
    here.write("fixed.ct", "old").write("free.ct", "old");
    fs::set_permissions(here.path("fixed.ct"), fs::Permissions::from_mode(0o444)).unwrap();
    let line = "encrypt --secret client.key --input values.csv --output";
    let message = here.fail(&format!("{line} other.key"));
    assert_eq!(
        message,
        "--output other.key exists and is a secret key for packed values; --force replaces it"
    );
    let message = here.fail(&format!("{line} other.server"));
    assert_eq!(
        message,
        "--output other.server exists and is an evaluation key for packed values; --force replaces it"
    );
    let message = here.fail(&format!("{line} fixed.ct"));
    assert_eq!(message, "--output fixed.ct exists and is read-only; --force replaces it");
    here.succeed(&format!("{line} free.ct"));
    for name in ["other.key", "other.server", "fixed.ct"] {
        here.succeed(&format!("{line} {name} --force"));
        assert_eq!(here.read(name).len(), here.read("values.ct").len());
    }
}

#[test]
fn links_are_followed() {
    let here = toy();
    fs::create_dir(here.path("store")).unwrap();
    here.write("store/old.csv", "old");
    symlink("store/old.csv", here.path("link.csv")).unwrap();
    symlink("store/new.csv", here.path("new.csv")).unwrap();
    for name in ["link.csv", "new.csv"] {
        here.succeed(&format!("decrypt --secret client.key --input values.ct --output {name}"));
        assert!(fs::symlink_metadata(here.path(name)).unwrap().is_symlink());
    }
    assert_eq!(here.read("store/old.csv"), b"0\n1\n2\n3\n");
    assert_eq!(here.read("store/new.csv"), b"0\n1\n2\n3\n");
}

#[test]
fn decrypted_values_are_for_their_owner_only() {
    let here = toy();
    here.succeed("decrypt --secret client.key --input values.ct --output values.npy");
    let mode = here.path("values.npy").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

//! `cryptable aes encrypt` and `aes open`: messages under an AES key, and the record of their counters.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

/// A directory with an AES key and two messages.
fn with_key() -> Workspace {
    let here = Workspace::new();
    here.write("key.bin", b"sixteen bytes ok").write("plain.bin", "a message");
    here.write("long.bin", vec![7; (1 << 20) + 21]);
    here
}

fn encrypt(here: &Workspace, options: &str) -> Vec<u8> {
    here.succeed(&format!("aes encrypt --key-file key.bin --output cipher.aes {options}"));
    here.read("cipher.aes")
}

fn open(here: &Workspace) -> Vec<u8> {
    here.succeed("aes open --key-file key.bin --input cipher.aes --output out.bin");
    here.read("out.bin")
}

#[test]
fn messages_come_back_and_are_never_the_same() {
    let here = with_key();
    let first = encrypt(&here, "--input long.bin");
    // The help states these sizes.
    assert_eq!(first.len(), here.read("long.bin").len() + 172);
    assert!(open(&here) == here.read("long.bin"));
    let second = encrypt(&here, "--input long.bin");
    assert!(first[80..96] != second[80..96], "the same counter");
    let record = here.text("key.bin.counters");
    assert_eq!(record.lines().count(), 2, "{record}");
    assert!(record.lines().all(|line| line.ends_with("00000000 65538")), "{record}");
}

#[test]
fn given_counters_serve_once() {
    let here = with_key();
    encrypt(&here, &format!("--input plain.bin --counter {COUNTER}"));
    let again = |input: &str, counter: &str| {
        let files = format!("--key-file key.bin --input {input} --output new.aes");
        here.fail(&format!("aes encrypt {files} --counter {counter}"))
    };
    let message = again("plain.bin", COUNTER);
    assert!(message.contains("overlap 1 blocks"), "{message}");
    // A message whose counters would run into used ones is refused, and so is one that reuses a drawn counter.
    let before = "f0f1f2f3f4f5f6f7f8f9fafbfcfd0000";
    assert!(again("long.bin", before).contains("overlap"));
    let drawn = encrypt(&here, "--input plain.bin");
    let drawn: String = drawn[80..96].iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(again("plain.bin", &drawn).contains("overlap"));
    // Another key of the same name has used no counters yet, and this key is recognised under every name.
    std::fs::copy(here.path("key.bin"), here.path("kept.bin")).unwrap();
    here.write("key.bin", b"another key here");
    encrypt(&here, &format!("--input plain.bin --counter {COUNTER}"));
    std::fs::rename(here.path("kept.bin"), here.path("key.bin")).unwrap();
    assert!(again("plain.bin", COUNTER).contains("overlap"));
    assert!(!here.files().contains(&"new.aes".to_owned()));
}

#[test]
fn what_a_crash_leaves_of_a_record_is_cut_off_and_damage_is_named() {
    let here = with_key();
    encrypt(&here, &format!("--input plain.bin --counter {COUNTER}"));
    let record = here.read("key.bin.counters");
    here.write("key.bin.counters", [&record[..], &record[..40]].concat());
    encrypt(&here, "--input plain.bin");
    let mended = here.read("key.bin.counters");
    assert!(mended.starts_with(&record) && mended.len() == 2 * record.len());
    here.write("key.bin.counters", [&record[..], b"junk\n"].concat());
    let message = here.fail("aes encrypt --key-file key.bin --input plain.bin --output new.aes");
    assert!(message.contains("key.bin.counters: line 2 is not"), "{message}");
}

#[test]
fn changed_messages_are_refused() {
    let here = with_key();
    let message = encrypt(&here, "--input plain.bin");
    let mut damaged = message.clone();
    damaged[110] ^= 1;
    let bodies = [damaged, message[..150].to_vec(), b"other bytes".to_vec()];
    for bytes in bodies {
        here.write("bad.aes", bytes);
        let text = here.fail("aes open --key-file key.bin --input bad.aes --output new.bin");
        assert!(text.starts_with("bad.aes: "), "{text}");
    }
    let key = "0".repeat(32);
    let text = here.fail(&format!("aes open --key {key} --input cipher.aes --output new.bin"));
    assert!(text.contains("under the AES key"), "{text}");
}

#[cfg(unix)]
#[test]
fn messages_and_records_have_the_modes_they_should() {
    use std::os::unix::fs::PermissionsExt;
    let here = with_key();
    encrypt(&here, "--input plain.bin");
    open(&here);
    let mode = |name: &str| here.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("key.bin.counters"), mode("out.bin")), (0o600, 0o600));
}

/// Checks that two programs running at once wait for each other, so that they use different counters.
#[cfg(unix)]
#[test]
fn records_are_locked() {
    let here = with_key();
    let line = format!("aes encrypt --key-file key.bin --input plain.bin --counter {COUNTER}");
    let children: Vec<_> =
        (0..4).map(|i| here.start(&format!("{line} --output {i}.aes"))).collect();
    let done = children.into_iter().map(|child| child.wait_with_output().unwrap());
    assert_eq!(done.filter(|output| output.status.success()).count(), 1);
    assert_eq!(here.read("key.bin.counters").iter().filter(|&&byte| byte == b'\n').count(), 1);
}

#[cfg(unix)]
#[test]
fn keys_from_pipes_have_no_record() {
    let here = with_key();
    let script = "cryptable aes encrypt --key-file <(cat key.bin) --input - --output cipher.aes";
    here.shell_succeeds(&format!("cat long.bin | {script}"));
    assert!(open(&here) == here.read("long.bin"));
    assert!(!here.files().iter().any(|name| name.contains("counters")));
}

#[cfg(unix)]
#[test]
fn keys_of_several_names_have_no_record_to_rely_upon() {
    let here = with_key();
    std::fs::hard_link(here.path("key.bin"), here.path("other.bin")).unwrap();
    for key in ["key.bin", "other.bin"] {
        let line = format!("aes encrypt --key-file {key} --input plain.bin --output cipher.aes");
        here.refuses(&format!("{line} --counter {COUNTER}"), "has 2 names (hard links)");
        // Random counters are safe.
        let notes = here.notes(&line);
        assert!(notes.contains("hard links"), "{notes}");
    }
    assert!(!here.files().iter().any(|name| name.contains("counters")));
}

#[cfg(unix)]
#[test]
fn records_are_not_written_through_links() {
    let here = with_key();
    here.write("target", "");
    std::os::unix::fs::symlink(here.path("target"), here.path("key.bin.counters")).unwrap();
    let line = "aes encrypt --key-file key.bin --input plain.bin --output cipher.aes";
    let message = here.fail(&format!("{line} --counter {COUNTER}"));
    assert!(message.contains("cannot write") && message.contains("key.bin.counters"), "{message}");
    here.succeed(line);
    assert!(here.read("target").is_empty());
}

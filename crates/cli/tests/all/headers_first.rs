//! Errors are reported before a key is read. The end of every key is damaged here, which only reading all of it shows.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

/// A directory in which the last byte of `server.key` is another one, in `bad.key`.
fn damaged(here: Workspace) -> Workspace {
    let mut bytes = here.read("server.key");
    *bytes.last_mut().unwrap() ^= 1;
    here.write("bad.key", bytes);
    here
}

/// Keys of a group of commands, `client.key` and a damaged `bad.key`.
fn keys(group: &str, options: &str) -> Workspace {
    damaged(Workspace::with_keys(&format!("{group} {options}")))
}

/// A command fails for its memory, and without that limit for the damage of its key.
fn memory_first(here: &Workspace, command: &str) {
    let message = here.fail(&format!("{command} --memory 1MB"));
    assert!(message.contains("of memory, above --memory 1"), "{command}: {message}");
    damage_last(here, command);
}

fn damage_last(here: &Workspace, command: &str) {
    let message = here.fail(command);
    assert!(message.contains("bad.key") && message.contains("damaged"), "{command}: {message}");
}

#[test]
fn lookups_and_sums() {
    let here = damaged(Workspace::with_keys("--bits 2"));
    let other = Workspace::with_keys("--bits 2");
    here.write("values.csv", "0\n1\n").write("other.key", other.read("client.key"));
    here.write("short.csv", "0\n1\n2\n").write("table.csv", "0\n1\n2\n3\n");
    here.succeed("encrypt --secret client.key --input values.csv --output v.ct");
    here.succeed("encrypt --secret other.key --input values.csv --output other.ct");
    let lookup = "lookup --evaluation bad.key --output r.ct";
    let message = here.fail(&format!("{lookup} --input v.ct --table short.csv"));
    assert_eq!(message, "short.csv: the table has 3 outputs, but its input modulus is 4");
    let message = here.fail(&format!("{lookup} --input other.ct --table table.csv"));
    assert!(message.starts_with("other.ct does not match bad.key"), "{message}");
    memory_first(&here, &format!("{lookup} --input v.ct --table table.csv"));
    let sum = "sum --evaluation bad.key --output r.ct --input";
    let message = here.fail(&format!("{sum} other.ct"));
    assert!(message.starts_with("other.ct does not match bad.key"), "{message}");
    damage_last(&here, &format!("{sum} v.ct"));
}

#[test]
fn comparisons_and_columns() {
    let here = keys("compare", "--bits 6");
    here.write("x.csv", "1\n2\n");
    here.succeed("encrypt --as headroom --secret client.key --input x.csv --output x.ct");
    memory_first(&here, "compare --evaluation bad.key --op relu --input x.ct --output r.ct");
    let here = keys("integers", "--digit-bits 2");
    here.write("x.csv", "1\n2\n");
    here.succeed("encrypt --as integers --bits 8 --secret client.key --input x.csv --output x.ct");
    let run = "integers --evaluation bad.key --op lt --constant 5 --input x.ct --output r.ct";
    memory_first(&here, run);
}

#[test]
fn wide_values() {
    let here = keys("wide", "--bits 8");
    here.write("v.csv", "1\n2\n").write("d.csv", "1,2\n").write("twice.csv", "1,2\n1,3\n");
    here.succeed("encrypt --as words --bits 8 --secret client.key --input v.csv --output v.ct");
    let lookup = "wide --bits 8 --evaluation bad.key --input v.ct --output r.ct --default 0";
    let message = here.fail(&format!("{lookup} --dictionary twice.csv"));
    assert!(message.starts_with("twice.csv"), "{message}");
    memory_first(&here, &format!("{lookup} --dictionary d.csv"));
}

#[test]
fn circuits() {
    let here = keys("circuit", "");
    here.write("not.blif", ".model not\n.inputs a\n.outputs y\n.names a y\n0 1\n.end\n");
    here.write("words.csv", "a\n1\n0\n");
    here.succeed("encrypt --circuit not.blif --secret client.key --input words.csv --output w.ct");
    let run = "circuit run not.blif --evaluation bad.key --input w.ct --output r.ct";
    here.refuses(&format!("{run} --memory 1MB"), "memory");
    damage_last(&here, run);
}

#[test]
fn bytes_by_aes() {
    let (here, other) = (keys("aes", ""), keys("aes", ""));
    let encrypt = "aes encrypt-key --secret client.key --key 2b7e151628aed2a6abf7158809cf4f3c";
    for place in [&here, &other] {
        place.succeed(&format!("{encrypt} --output key.ct"));
    }
    here.write("other.ct", other.read("key.ct")).write("plain.bin", "abc");
    here.succeed(
        "aes encrypt --key 2b7e151628aed2a6abf7158809cf4f3c --input plain.bin --output c.aes",
    );
    let run = "aes transcipher --evaluation bad.key --input c.aes --output r.ct --encrypted-key";
    let message = here.fail(&format!("{run} other.ct"));
    assert!(message.starts_with("other.ct does not belong to bad.key"), "{message}");
    damage_last(&here, &format!("{run} key.ct"));
}

//! Every mistake ends with status 1, one line that names it, and no new file.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

const ENCRYPT: &str = "encrypt --key client.key --output new.ct --input";

#[test]
fn values() {
    let here = Workspace::with_keys("--bits 4");
    here.write("range.csv", "name,age\nann,3\nbob,300\n")
        .write("text.csv", "1\n2\nthree\n")
        .write("none.csv", "age\n")
        .write("empty.csv", "")
        .write("range.bin", [1, 2, 16])
        .write("odd.dat", [1, 0, 3])
        .write("float.npy", b"\x93NUMPY\x01\x00\x3a\x00{'descr':'<f8','fortran_order':False,'shape':(1,)}         \n")
        .write("data.txt", "1")
        .write("one.csv", "1\n");
    let fail = |input: &str| here.fail(&format!("{ENCRYPT} {input}"));
    assert_eq!(
        fail("range.csv --column age"),
        "range.csv line 3, column \"age\": 300 is not below the modulus 16; keys of `keygen --bits 9` have room for it"
    );
    assert_eq!(
        fail("range.csv --column Age"),
        "range.csv: no column \"Age\"; there are \"name\", \"age\"; did you mean \"age\"?"
    );
    assert_eq!(
        fail("range.csv --column height"),
        "range.csv: no column \"height\"; there are \"name\", \"age\""
    );
    let message = "text.csv line 3, column 1: \"three\" is not an integer; --dictionary FILE --extend encodes words";
    assert_eq!(fail("text.csv"), message);
    assert_eq!(fail("none.csv"), "none.csv holds no values");
    assert_eq!(fail("empty.csv"), "empty.csv holds no values");
    let keys = "; keys of `keygen --bits 5` have room for it";
    assert_eq!(
        fail("range.bin"),
        format!("range.bin element 2: 16 is not below the modulus 16{keys}")
    );
    assert!(fail("odd.dat --format raw16").contains("not a multiple of 2 bytes"));
    assert!(fail("float.npy").contains("type '<f8'"));
    assert!(fail("data.txt").contains("--format"));
    assert!(fail("range.bin --column age").contains("only CSV files have columns"));
    assert!(fail("missing.csv").starts_with("cannot read missing.csv: no such file or directory"));
    assert!(fail(". --format csv").contains("is a directory"));
    here.succeed("encrypt --secret client.key --input one.csv --output one.ct");
    let message = "one.ct: it is a file of ciphertexts; `decrypt` and `lookup` read it";
    assert_eq!(fail("one.ct"), message);
    let message = "it is a secret key for packed values, not a file of values; `--secret` reads it";
    assert_eq!(fail("client.key"), format!("client.key: {message}"));
    let line = "lookup --evaluation server.key --input one.ct --output x.ct --table one.ct";
    assert_eq!(
        here.fail(line),
        "one.ct: it is a file of ciphertexts; `decrypt` and `lookup` read it"
    );
}

#[test]
fn tables() {
    let here = Workspace::with_keys("--bits 2 --output-bits 3");
    here.write("values.csv", "0\n1\n2\n3\n");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    let fail = |name: &str, content: &str| {
        let line = "lookup --key server.key --input values.ct --output new.ct --table";
        here.write(name, content).fail(&format!("{line} {name}"))
    };
    let (found, expected) = ("the table has 3 outputs", "but its input modulus is 4");
    assert_eq!(fail("short.csv", "0\n1\n2\n"), format!("short.csv: {found}, {expected}"));
    let large = "large.csv line 4, output: 8 is not below the modulus 8; keys of `keygen --output-bits 4` have room for it";
    assert_eq!(fail("large.csv", "0\n1\n2\n8\n"), large);
    assert!(
        fail("twice.csv", "0,1\n1,1\n1,2\n2,1\n").contains("line 3: input 1 is already on line 2")
    );
    assert!(fail("gap.csv", "0,1\n1,1\n3,1\n").contains("the first one missing is 2"));
    assert!(fail("empty.csv", "").contains("empty.csv: the table has 0 outputs"));
    assert!(fail("table.txt", "").contains(".csv or .npy"));
    assert!(fail("cut.npy", "\u{93}NUMPY").contains("cut.npy"));
}

#[test]
fn results_of_another_modulus_and_formats() {
    let here = Workspace::with_keys("--bits 2 --output-bits 3");
    here.write("values.csv", "0\n1\n2\n3\n").write("table.csv", "0\n1\n2\n7\n");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    let lookup = "lookup --table table.csv --key server.key --input";
    here.succeed(&format!("{lookup} values.ct --output result.ct"));
    let message = here.fail(&format!("{lookup} result.ct --output new.ct"));
    assert!(message.starts_with("result.ct does not match server.key: "), "{message}");
    assert!(message.contains("modulus of the values is 8, but the parameters need 4"), "{message}");
    let named = "decrypt --key client.key --input result.ct --output new.npy --column x";
    here.refuses(named, "only CSV files");
}

#[test]
fn files_of_the_wrong_kind() {
    let here = Workspace::with_keys("--bits 2");
    here.write("values.csv", "0\n1\n").write("table.csv", "0\n1\n2\n3\n").write("empty", "");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    let as_secret = |key: &str| {
        here.fail(&format!("{ENCRYPT} values.csv --key {key}").replacen("--key client.key", "", 1))
    };
    assert!(as_secret("server.key").starts_with("server.key: "));
    assert!(as_secret("values.csv").starts_with("cannot read values.csv: "));
    assert!(as_secret("empty").starts_with("cannot read empty: "));
    assert!(as_secret("none").starts_with("cannot read none: "));
    let lookup = "lookup --table table.csv --output new.ct --input";
    let as_server = |key: &str| here.fail(&format!("{lookup} values.ct --key {key}"));
    let message = as_server("client.key");
    let expected = "a secret key for packed values, not an evaluation key; `--secret` reads it";
    assert!(message.ends_with(expected), "{message}");
    let message = as_server("values.ct");
    assert_eq!(
        message,
        "values.ct: it is a file of ciphertexts; --evaluation takes an evaluation key"
    );
    let message = as_secret("values.ct");
    assert_eq!(message, "values.ct: it is a file of ciphertexts; --secret takes a secret key");
    assert!(as_server("values.csv").starts_with("cannot read values.csv: "));
    assert_eq!(as_server("empty"), "cannot read empty: it is empty");
    let as_input = |input: &str| here.fail(&format!("{lookup} {input} --key server.key"));
    let message = as_input("values.csv");
    assert!(message.starts_with("values.csv: not a cryptable file: "), "{message}");
    assert!(message.ends_with("; if it holds values, `encrypt` reads it"), "{message}");
    assert_eq!(
        as_input("server.key"),
        "server.key: it is an evaluation key for packed values, not a file of ciphertexts; `--evaluation` reads it"
    );
    assert_eq!(here.fail("inspect empty"), "cannot read empty: it is empty");
    assert!(here.fail("inspect table.csv").starts_with("table.csv: "));
}

#[test]
fn files_of_other_commands_name_the_command() {
    let here = Workspace::with_keys("--bits 2");
    here.write("values.csv", "0\n1\n").write("table.csv", "0\n1\n2\n3\n").write("key.bin", [7; 16]);
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    here.succeed("keygen integers --insecure-toy --digit-bits 2 --secret i.key --evaluation e.key");
    here.succeed(
        "encrypt --as integers --secret i.key --bits 8 --input values.csv --output column.ct",
    );
    here.succeed("aes encrypt --key-file key.bin --input values.csv --output message.aes");
    here.succeed("keygen aes --insecure-toy --secret aes.key --evaluation aes.server");
    let column = "column.ct: it is a column of integers in digits, not a file of ciphertexts; \
                  `decrypt` and `integers` read it";
    let decrypt = "decrypt --secret client.key --output new.csv --input";
    let message = here.fail(&format!("{decrypt} column.ct"));
    assert!(message.starts_with("column.ct does not match client.key"), "{message}");
    let lookup = "lookup --evaluation server.key --table table.csv --output new.ct --input";
    assert_eq!(here.fail(&format!("{lookup} column.ct")), column);
    let message = here.fail(&format!("{decrypt} message.aes"));
    assert!(message.ends_with("; `aes open` and `aes transcipher` read it"), "{message}");
    let message = here.fail("decrypt --secret aes.key --input values.ct --output new.csv");
    assert_eq!(
        message,
        "the key is of kind transciphering, where packed, single or leveled is needed"
    );
    let ciphertexts = "values.ct: it is a file of ciphertexts; `decrypt` and `lookup` read it";
    let message = here.fail("decrypt --secret i.key --output new.csv --input values.ct");
    assert!(message.starts_with("values.ct does not match i.key"), "{message}");
    for line in [
        "integers --evaluation e.key --op add --input values.ct --constant 1 --output new.ct",
        "aes open --key-file key.bin --output new.bin --input values.ct",
    ] {
        assert_eq!(here.fail(line), ciphertexts, "{line}");
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let here = Workspace::with_keys("--bits 2");
    here.write("values.csv", "0\n1\n");
    let line = "encrypt --key client.key --input values.csv --output";
    assert_eq!(here.fail(&format!("{line} no/x.ct")), "cannot create no/x.ct: no such directory");
    assert_eq!(here.fail(&format!("{line} .")), "cannot write .: it is a directory");
    let line = "keygen --insecure-toy --bits 1 --secret same.key --evaluation same.key";
    here.refuses(line, "cannot both be same.key");
    let line = "keygen --insecure-toy --bits 1 --secret a.key --evaluation no/b.key";
    assert_eq!(here.fail(line), "cannot create no/b.key: no such directory");
}

#[cfg(unix)]
#[test]
fn full_disks() {
    let here = Workspace::new();
    let message =
        here.fail_on_full_disk("keygen --insecure-toy --bits 1 --secret a.key --evaluation b.key");
    assert!(message.contains("cannot write b.key: "), "{message}");
}

/// Checks that every command that writes reports a full disk or a full device, and leaves no file.
#[cfg(target_os = "linux")]
#[test]
fn full_disks_and_devices_of_every_command() {
    let here = Workspace::with_keys("--mode leveled --bits 4");
    here.write("values.csv", "7\n".repeat(20_000)).write("few.csv", "7\n".repeat(40));
    here.write("table.csv", (0..16).map(|x| format!("{x}\n")).collect::<String>());
    for name in ["values", "few"] {
        here.succeed(&format!("encrypt --secret client.key --input {name}.csv --output {name}.ct"));
    }
    for line in [
        "encrypt --secret client.key --input values.csv --output",
        "lookup --quiet --evaluation server.key --table table.csv --input few.ct --output",
        "decrypt --secret client.key --input values.ct --column value --output",
    ] {
        let name = if line.starts_with("decrypt") { "new.csv" } else { "new.ct" };
        let message = here.fail_on_full_disk(&format!("{line} {name}"));
        assert!(message.contains(&format!("cannot write {name}: ")), "{line}: {message}");
        let message = here.fail(&format!("{line} /dev/full"));
        assert!(message.contains("cannot write /dev/full: the disk is full"), "{line}: {message}");
    }
}

/// Changes a key file, or cuts it short, between its check and its use, while the lookup waits for the reader of an output.
#[cfg(target_os = "linux")]
#[test]
fn keys_that_change_while_they_are_mapped() {
    use std::io::{Read, Seek, SeekFrom, Write};
    let here = Workspace::with_keys("--bits 2");
    here.write("table.csv", "1\n2\n3\n0\n");
    here.write("values.csv", "0\n1\n2\n3\n");
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let key = here.read("server.key");
    let middle = key.len() as u64 / 2;
    here.shell_succeeds("mkfifo pipe.ct; touch stderr");
    let files = here.files();
    let lookup = |change: &dyn Fn(&mut std::fs::File)| {
        here.write("server.key", &key);
        let tables = "--table table.csv --output r.ct --table table.csv --output pipe.ct";
        let line = format!("lookup --evaluation server.key --input values.ct {tables}");
        let mut child = here.start(&line);
        // The first output has an unnamed file once the key has been read; then the lookup waits for the second to open.
        let open = format!("/proc/{}/fd", child.id());
        let is_unnamed = |entry: std::io::Result<std::fs::DirEntry>| {
            let link = entry.and_then(|entry| std::fs::read_link(entry.path()));
            link.is_ok_and(|link| link.to_string_lossy().ends_with(" (deleted)"))
        };
        while !std::fs::read_dir(&open).is_ok_and(|mut found| found.any(is_unnamed)) {
            std::thread::sleep(std::time::Duration::from_millis(5));
            assert!(child.try_wait().unwrap().is_none(), "the lookup ended before its output");
        }
        let path = here.path("server.key");
        change(&mut std::fs::File::options().write(true).open(path).unwrap());
        let mut pipe = std::fs::File::open(here.path("pipe.ct")).unwrap();
        pipe.read_to_end(&mut Vec::new()).unwrap();
        let succeeded = child.wait().unwrap().success();
        let message = here.text("stderr");
        (succeeded, message)
    };
    let refused = |change: &dyn Fn(&mut std::fs::File), what: &str| {
        let (succeeded, message) = lookup(change);
        assert!(!succeeded && message.contains(what), "{message}");
        assert!(message.contains("server.key changed while it was in use"), "{message}");
        assert_eq!(here.files(), files);
    };
    let flip = |file: &mut std::fs::File| {
        file.seek(SeekFrom::Start(middle)).unwrap();
        file.write_all(&[key[middle as usize] ^ 1]).unwrap();
    };
    refused(&flip, "it was written to after it was opened");
    refused(&|file| file.set_len(middle).unwrap(), "bytes long when it was opened");
    assert!(lookup(&|_| ()).0);
}

#[test]
fn parameters() {
    let here = Workspace::new();
    // A large prime is too large for one interpolation, and not a product of digits.
    let message = here.fail("plan --mode packed --modulus 1000003");
    assert!(message.contains("input modulus 1000003: it needs at least two factors"), "{message}");
    assert!(message.ends_with("; --mode leveled supports it"), "{message}");
    let message = here.fail("plan --mode packed --bits 8 --memory 1GB");
    assert!(message.contains("in 1 GB of memory") && message.contains("the smallest needs"));
    let message = here.fail("plan --bits 8 --memory 1MB");
    assert!(
        message.contains("in 1 MB of memory") && message.contains("the smallest needs"),
        "{message}"
    );
    let message = here.fail("plan --bits 16 --method akp");
    assert!(message.contains("input modulus of AKP is 65536") && message.contains("16384"));
    assert!(
        here.fail("plan --bits 8 --ring-degree 5000")
            .contains("ring degree is 5000; it must be a power of two")
    );
    here.refuses("plan --table none.csv", "none.csv");
    here.write("one.csv", "0\n");
    assert!(here.fail("plan --table one.csv").starts_with("one.csv: input modulus is 1"));
}

#[test]
fn instruction_sets() {
    let here = Workspace::new();
    for setting in ["AVX2", "", "avx1024"] {
        let mut command = here.strict_command("plan --bits 4");
        command.env("CRYPTABLE_SIMD", setting);
        let output = command.assert().code(1).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(
            message.contains(&format!("CRYPTABLE_SIMD is {setting}, but must be scalar")),
            "{message}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn pictures() {
    let here = Workspace::new();
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[1, 2, 3]).unwrap();
    here.write("rgb.png", picture).write("text.png", "text").write("short.csv", "0\n1\n");
    here.refuses("demo --image rgb.png", "rgb.png: its pixels are RGB of 8 bits");
    here.refuses("demo --image text.png", "cannot read text.png as a PNG");
    here.refuses("demo --image none.png", "cannot read none.png");
    here.refuses("demo --table sepia", "no table \"sepia\": contrast, invert");
    here.refuses("demo --table short.csv", "short.csv: the table has 2 outputs");
    here.write("file", "");
    here.refuses("demo --output file", "cannot create file/before-after.png: ");
}

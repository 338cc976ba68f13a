//! All steps through files, with insecure toy keys.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

/// Returns `count` values below `modulus`, one per line, and the values of f.
fn columns(count: u64, modulus: u64, f: impl Fn(u64) -> u64) -> (String, String) {
    let values: Vec<u64> = (0..count).map(|i| (i * i + i / 7) % modulus).collect();
    let lines = |values: Vec<u64>| values.iter().map(|v| format!("{v}\n")).collect::<String>();
    (lines(values.clone()), lines(values.into_iter().map(f).collect()))
}

#[test]
fn csv_through_several_ciphertexts() {
    let f = |x| (3 * x + 1) % 10;
    let table: String = (0..10).rev().map(|x| format!("{x},{}\n", f(x))).collect();
    let here = Workspace::new();
    here.write("table.csv", format!("x,y\n{table}"));
    here.succeed(
        "keygen --insecure-toy --table table.csv --secret client.key --evaluation server.key",
    );
    let (values, expected) = columns(2500, 10, f);
    here.write("values.csv", format!("digit\n{values}"));
    here.succeed("encrypt --key client.key --input values.csv --column digit --output values.ct");
    let report = here.json(
        "--threads 1 lookup --key server.key --table table.csv --input values.ct \
         --output result.ct",
    );
    assert_eq!((&report["values"], &report["ciphertexts"]), (&2500.into(), &3.into()));
    assert_eq!(report["threads"], 1);
    here.succeed("decrypt --key client.key --input result.ct --output result.csv --column f");
    assert_eq!(here.read("result.csv"), format!("f\n{expected}").into_bytes());
    // A fresh ciphertext decrypts too.
    here.succeed("decrypt --key client.key --input values.ct --output same.csv");
    assert_eq!(here.read("same.csv"), values.into_bytes());
}

#[test]
fn arrays_and_raw_words_with_another_output_modulus() {
    let here = Workspace::with_keys("--bits 2 --output-bits 9");
    let mut table = b"\x93NUMPY\x01\x00\x46\x00".to_vec();
    let header = "{'descr': '>i4', 'fortran_order': False, 'shape': (4,), }";
    table.extend(format!("{header:69}\n").bytes());
    table.extend([500_i32, 0, 7, 300].into_iter().flat_map(i32::to_be_bytes));
    here.write("table.npy", table).write("values.bin", [0, 1, 2, 3, 3, 0]);
    here.succeed("--quiet encrypt --key client.key --input values.bin --output v.ct");
    here.succeed("--quiet lookup --key server.key --table table.npy --input v.ct --output r.ct");
    let output = here.succeed("--quiet decrypt --key client.key --input r.ct --output r.npy");
    assert_eq!(output, "");
    here.succeed("decrypt --key client.key --input r.ct --output r.dat --format raw16");
    let expected = [500_u16, 0, 7, 300, 300, 500].map(u16::to_le_bytes).concat();
    assert_eq!(here.read("r.dat"), expected);
    let array = here.read("r.npy");
    assert_eq!(array.len(), 128 + expected.len());
    assert!(array.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u2',"));
    assert!(array.ends_with(&expected));
}

#[test]
fn inspect_tells_types_and_counts() {
    let here = Workspace::with_keys("--modulus 3");
    here.write("values.csv", "0\n1\n2\n");
    here.succeed("encrypt --key client.key --input values.csv --output values.ct");
    let reports = here.jsons("inspect client.key server.key values.ct");
    let types: Vec<_> = reports.iter().map(|report| report["type"].as_str().unwrap()).collect();
    assert_eq!(
        types,
        [
            "a secret key for packed values",
            "an evaluation key for packed values",
            "ciphertexts of packed values"
        ]
    );
    for report in &reports {
        assert_eq!(report["parameter_digest"], reports[0]["parameter_digest"]);
        let file = report["file"].as_str().unwrap();
        assert_eq!(report["bytes"], here.read(file).len());
    }
    assert_eq!(reports[1]["parameters"]["input_modulus"], 3);
    assert_eq!((&reports[2]["values"], &reports[2]["modulus"]), (&3.into(), &3.into()));
    assert!(here.succeed("inspect client.key").contains("INSECURE"));
}

#[cfg(unix)]
#[test]
fn secret_keys_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let here = Workspace::with_keys("--bits 1");
    let mode = |name| here.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("client.key"), 0o600);
    assert_ne!(mode("server.key") & 0o044, 0);
}

#[test]
fn keys_are_replaced_only_by_force() {
    let here = Workspace::with_keys("--bits 1");
    let line = "keygen --insecure-toy --bits 2 --secret client.key --evaluation server.key";
    let secret = here.read("client.key");
    here.refuses(line, "client.key exists; --force replaces it");
    let line_2 = "keygen --insecure-toy --bits 2 --secret new.key --evaluation server.key";
    here.refuses(line_2, "server.key exists");
    assert_eq!(here.read("client.key"), secret);
    here.succeed(&format!("{line} --force"));
    assert_ne!(here.read("client.key"), secret);
}

#[test]
fn plan_predicts_without_files() {
    let here = Workspace::new();
    let plan = here.json("--threads 2 plan --bits 1 --ring-degree 32768 --count 40000");
    assert!(plan["security_bits"].as_f64().unwrap() >= 128.0);
    // The probability is for any value of a ciphertext, and for one value an n-th of it.
    assert_eq!(plan["values_per_ciphertext"], 32_768);
    let [ciphertext, value] =
        ["log2_fail", "log2_fail_per_value"].map(|name| plan[name].as_f64().unwrap());
    assert!(ciphertext <= -64.0 && (ciphertext - value - 15.0).abs() < 1e-9);
    assert_eq!((&plan["ciphertexts"], &plan["values"]), (&2.into(), &40_000.into()));
    let time = |name: &str| plan[name].as_f64().unwrap();
    assert!((time("eval_s_one_thread") / time("eval_s") - 1.7).abs() < 1e-6);
    assert!(time("peak_bytes") > time("key_memory_bytes"));
    let text = here.succeed("plan --bits 1 --quiet");
    assert!(text.contains("security") && text.contains("failure probability"), "{text}");
    assert!(here.files().is_empty());
}

#[test]
fn demo_maps_every_pixel() {
    let here = Workspace::new();
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 50, 30);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels: Vec<u8> = (0..1500_u32).map(|i| (i * 7 % 256) as u8).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    here.write("scan.png", picture);
    let report = here.json("demo --insecure-toy --image scan.png --table invert --output out/a");
    assert_eq!((&report["wrong"], &report["values_checked"]), (&0.into(), &1500.into()));
    let file = std::io::Cursor::new(here.read("out/a/before-after.png"));
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut found = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut found).unwrap();
    for (row, before) in found.chunks(108).zip(pixels.chunks(50)) {
        assert_eq!((&row[..50], &row[50..58]), (before, &[255; 8][..]));
        assert!(row[58..].iter().zip(before).all(|(after, before)| *after == 255 - before));
    }
}

#[test]
fn contributors_encrypt_by_the_public_key() {
    let here = Workspace::new();
    here.write("table.csv", (0..10).map(|x| format!("{}\n", x * x % 10)).collect::<String>());
    let keygen =
        "keygen --insecure-toy --table table.csv --secret client.key --evaluation server.key";
    here.succeed(&format!("{keygen} --public public.key"));
    let (values, expected) = columns(1500, 10, |x| x * x % 10);
    here.write("values.csv", values);
    here.succeed("encrypt --public public.key --input values.csv --output values.ct");
    here.succeed("lookup --key server.key --table table.csv --input values.ct --output result.ct");
    here.succeed("decrypt --key client.key --input result.ct --output result.csv");
    assert_eq!(here.read("result.csv"), expected.into_bytes());
    here.write("expected.csv", here.read("result.csv"));
    let text = here.succeed("inspect public.key");
    assert!(text.contains("a public key for packed values"), "{text}");
    let size = |name: &str| here.read(name).len();
    let full = size("result.ct");
    let lookup = "lookup --compress --key server.key --table table.csv --input values.ct";
    here.succeed(&format!("{lookup} --output result.ct --rerandomize public.key"));
    assert!(size("result.ct") * 10 < full * 7, "{} of {full} bytes", size("result.ct"));
    here.succeed("decrypt --key client.key --input result.ct --output result.csv");
    assert_eq!(here.read("result.csv"), here.read("expected.csv"));
    let message =
        here.fail("sum --key server.key --input result.ct --input result.ct --output s.ct");
    assert!(message.contains("compressed results"), "{message}");
    // Wrong keys are named, and no key is replaced.
    let message = here.fail("encrypt --public server.key --input values.csv --output x.ct");
    assert!(message.contains("an evaluation key"), "{message}");
    here.refuses("encrypt --secret public.key --input values.csv --output x.ct", "a public key");
    let message = here.fail("encrypt --public public.key --input values.csv --output public.key");
    assert!(message.contains("public.key"), "{message}");
}

#[test]
fn words_and_aes_keys_of_contributors() {
    let here = Workspace::new();
    here.succeed(
        "keygen circuit compare32 --insecure-toy --secret b.secret --evaluation b.server --public b.public",
    );
    here.write("words.csv", "x,y\n3,4\n9,2\n");
    here.succeed("encrypt --circuit compare32 --public b.public --input words.csv --output w.ct");
    here.succeed("circuit run compare32 --evaluation b.server --input w.ct --output r.ct");
    here.succeed("decrypt --secret b.secret --input r.ct --output r.csv");
    assert_eq!(here.read("r.csv"), b"less,less_signed,equal\n1,1,0\n0,0,0\n");
    here.succeed(
        "keygen aes --insecure-toy --secret a.secret --evaluation a.server --public a.public",
    );
    let text = here.succeed("inspect a.public");
    assert!(text.contains("a public key for transciphering"), "{text}");
    let of_key = "--key 000102030405060708090a0b0c0d0e0f --output k.ct";
    here.succeed(&format!("aes encrypt-key --public a.public {of_key}"));
    here.refuses(&format!("aes encrypt-key --public b.public {of_key}"), "keygen aes");
}

#[test]
fn results_are_handed_over_to_another_client() {
    let here = Workspace::new();
    here.write("table.csv", (0..10).map(|x| format!("{}\n", x * x % 10)).collect::<String>());
    for name in ["clinic", "analyst"] {
        here.succeed(&format!(
            "keygen --insecure-toy --table table.csv --secret {name}.key --evaluation {name}-server.key \
             --public {name}.pub"
        ));
    }
    let (values, expected) = columns(1500, 10, |x| x * x % 10);
    here.write("values.csv", values);
    here.succeed("rekey keygen --secret clinic.key --to analyst.pub --output rekey.key");
    here.succeed("encrypt --secret clinic.key --input values.csv --output values.ct");
    let lookup = "lookup --key clinic-server.key --table table.csv --input values.ct";
    here.succeed(&format!("{lookup} --output result.ct"));
    here.succeed("rekey apply --key rekey.key --input result.ct --output handed-over.ct");
    here.succeed("decrypt --secret analyst.key --input handed-over.ct --output result.csv");
    assert_eq!(here.read("result.csv"), expected.into_bytes());
    let text = here.succeed("inspect rekey.key");
    assert!(text.contains("a key that gives packed values a new owner"), "{text}");
    assert!(text.contains("  new owner   "), "{text}");

    here.refuses("decrypt --secret clinic.key --input handed-over.ct --output r.csv", "client key");
    let message = here.fail("rekey apply --key rekey.key --input handed-over.ct --output r.ct");
    assert!(message.contains("handed-over.ct does not match rekey.key"), "{message}");
    here.succeed(&format!("{lookup} --compress --output small.ct"));
    here.refuses("rekey apply --key rekey.key --input small.ct --output r.ct", "compressed");
    let message = here.fail("rekey keygen --secret clinic.key --to clinic.pub --output r.key");
    assert!(message.contains("client's public key than the owner's"), "{message}");
    let message = here.fail("rekey keygen --secret clinic.key --to analyst.pub --output rekey.key");
    assert!(message.contains("rekey.key") && message.contains("--force"), "{message}");
    let message =
        here.fail("lookup --key rekey.key --table table.csv --input values.ct --output r.ct");
    assert!(message.contains("`rekey apply` reads it"), "{message}");
    let message = here.fail("encrypt --secret clinic.key --input values.csv --output rekey.key");
    assert!(message.contains("a new owner; --force replaces it"), "{message}");
    here.succeed("keygen --insecure-toy --bits 2 --secret other.key --evaluation other-server.key --public other.pub");
    let message = here.fail("rekey keygen --secret clinic.key --to other.pub --output r.key");
    assert!(message.contains("clinic.key cannot be rekeyed to other.pub"), "{message}");
    let message = here.fail("rekey keygen --secret clinic.key --to analyst.key --output r.key");
    assert!(message.contains("a public key") && message.contains("a secret key"), "{message}");
}

#[test]
fn single_and_leveled_results_are_handed_over() {
    let here = Workspace::new();
    here.write("table.csv", (0..8).map(|x| format!("{}\n", x * 3 % 8)).collect::<String>());
    here.write("values.csv", "0\n3\n7\n");
    for engine in ["single", "leveled"] {
        let keygen = format!("keygen --insecure-toy --mode {engine} --table table.csv");
        here.succeed(&format!("{keygen} --secret {engine}.key --evaluation {engine}-server.key"));
        here.succeed(&format!(
            "{keygen} --secret {engine}-2.key --evaluation e.key --force --public {engine}.pub"
        ));
        here.succeed(&format!(
            "rekey keygen --secret {engine}.key --to {engine}.pub --output {engine}-rekey.key"
        ));
        here.succeed(&format!(
            "encrypt --secret {engine}.key --input values.csv --output values.ct"
        ));
        here.succeed(&format!("lookup --key {engine}-server.key --table table.csv --input values.ct --output result.ct"));
        here.succeed(&format!(
            "rekey apply --key {engine}-rekey.key --input result.ct --output over.ct"
        ));
        here.succeed(&format!(
            "decrypt --secret {engine}-2.key --input over.ct --output result.csv"
        ));
        assert_eq!(here.read("result.csv"), b"0\n1\n5\n", "{engine}");
    }
}

#[test]
fn contributors_encrypt_integers_and_values_to_compare() {
    let here = Workspace::new();
    here.write("x.csv", "3\n200\n255\n");
    here.write("y.csv", "4\n100\n255\n");
    here.succeed(
        "keygen integers --insecure-toy --digit-bits 2 --secret client.key --evaluation server.key \
         --public public.key",
    );
    for name in ["x", "y"] {
        here.succeed(&format!(
            "encrypt --public public.key --as integers --bits 8 --input {name}.csv --output {name}.ct"
        ));
    }
    here.succeed("integers --key server.key --op add --input x.ct --input y.ct --output sum.ct");
    here.succeed("decrypt --key client.key --input sum.ct --output sum.csv");
    assert_eq!(here.read("sum.csv"), b"7\n44\n254\n");

    here.succeed(
        "keygen compare --insecure-toy --bits 6 --secret own.key --evaluation there.key \
         --public public.key --force",
    );
    here.write("a.csv", "3\n7\n5\n");
    here.write("b.csv", "4\n7\n2\n");
    for name in ["a", "b"] {
        let files = format!("--input {name}.csv --output {name}.ct");
        here.succeed(&format!("encrypt --public public.key {files}"));
    }
    here.succeed("compare --key there.key --op less-than --input a.ct --input b.ct --output c.ct");
    here.succeed("decrypt --key own.key --input c.ct --output c.csv");
    assert_eq!(here.read("c.csv"), b"1\n0\n0\n");
}

#[test]
fn contributors_encrypt_single_and_leveled_values() {
    for mode in ["single", "leveled"] {
        let here = Workspace::new();
        here.write("table.csv", (0..8).map(|x| format!("{}\n", x * x % 8)).collect::<String>());
        here.succeed(&format!(
            "keygen --insecure-toy --mode {mode} --table table.csv --secret client.key \
             --evaluation server.key --public public.key"
        ));
        let (values, expected) = columns(30, 8, |x| x * x % 8);
        here.write("values.csv", values);
        here.succeed("encrypt --public public.key --input values.csv --output values.ct");
        here.succeed(
            "lookup --key server.key --table table.csv --input values.ct --output result.ct",
        );
        here.succeed("decrypt --key client.key --input result.ct --output result.csv");
        assert_eq!(here.read("result.csv"), expected.into_bytes());
        let text = here.succeed("inspect public.key");
        assert!(text.contains(&format!("a public key for {mode} values")), "{text}");
    }
}

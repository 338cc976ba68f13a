//! Dictionaries and structured tables of wide values, in words.
#![cfg(feature = "client")]

use crate::support;

use serde_json::Value;
use support::{Workspace, numbers};

/// Returns a workspace with keys for words of 4 bits, and encrypted values of 8 bits.
fn toy() -> Workspace {
    let here = Workspace::with_keys("wide --bits 8 --public public.key");
    here.write("values.csv", numbers(0..256));
    here.succeed(
        "encrypt --as words --bits 8 --secret client.key --input values.csv --output v.ct",
    );
    here
}

fn decrypted(here: &Workspace, bits: u32) -> String {
    here.succeed(&format!(
        "decrypt --as words --bits {bits} --secret client.key --input r.ct --output r.csv"
    ));
    here.text("r.csv")
}

const LOOKUP: &str = "wide --evaluation server.key --input v.ct --output r.ct";

#[test]
fn keys_have_their_values_and_others_the_default() {
    let here = toy();
    here.write("d.csv", "key,value\n255,3\n17,1\n16,0\n200,7\n");
    let report = here.json(&format!("{LOOKUP} --bits 8 --dictionary d.csv --default 5"));
    assert_eq!((&report["values"], &report["lookups"]), (&256.into(), &4.into()));
    let value = |key: u64| match key {
        255 => 3,
        17 => 1,
        16 => 0,
        200 => 7,
        _ => 5,
    };
    assert_eq!(decrypted(&here, 4), numbers((0..256).map(value)));
    // Values of two words.
    here.write("d.csv", "1,200\n2,201\n");
    here.succeed(&format!("{LOOKUP} --bits 8 --dictionary d.csv --default 0"));
    let value = |key: u64| if key == 1 || key == 2 { 199 + key } else { 0 };
    assert_eq!(decrypted(&here, 8), numbers((0..256).map(value)));
    // Encrypted values decrypt to themselves.
    here.succeed("decrypt --as words --bits 8 --secret client.key --input v.ct --output same.csv");
    assert_eq!(here.read("same.csv"), here.read("values.csv"));
}

#[test]
fn contributors_encrypt_words() {
    let here = toy();
    let files = "--input values.csv --output v.ct --force";
    here.succeed(&format!("encrypt --public public.key --as words --bits 8 {files}"));
    here.write("d.csv", "1,200\n2,201\n");
    here.succeed(&format!("{LOOKUP} --bits 8 --dictionary d.csv --default 0"));
    let value = |key: u64| if key == 1 || key == 2 { 199 + key } else { 0 };
    assert_eq!(decrypted(&here, 8), numbers((0..256).map(value)));
}

#[test]
fn tables_with_structure() {
    let here = toy();
    here.write("pieces.csv", "start,rate\n0,1\n100,2\n200,15\n");
    here.succeed(&format!("{LOOKUP} --pieces pieces.csv --value-bits 4"));
    let rate = |x: u64| 1 + u64::from(x >= 100) + 13 * u64::from(x >= 200);
    assert_eq!(decrypted(&here, 4), numbers((0..256).map(rate)));
    let halves: String = (0..16).map(|x| format!("{},{}\n", 7 * x, 9 * x)).collect();
    here.write("sum.csv", halves);
    here.succeed(&format!("{LOOKUP} --sum sum.csv --value-bits 8"));
    let sum = |x: u64| (7 * (x % 16) + 9 * (x / 16)) % 256;
    assert_eq!(decrypted(&here, 8), numbers((0..256).map(sum)));
    let halves: String = (0..16).map(|x| format!("{},{}\n", x / 2, x % 8)).collect();
    here.write("product.csv", halves);
    here.succeed(&format!("{LOOKUP} --product product.csv --product product.csv"));
    let product = |x: u64| 2 * (x % 16 / 2) * (x / 16 % 8) % 16;
    assert_eq!(decrypted(&here, 4), numbers((0..256).map(product)));
}

#[test]
fn what_does_not_fit_is_named() {
    let here = toy();
    let dictionary = |text: &str| {
        here.write("d.csv", text);
        here.fail(&format!("{LOOKUP} --bits 8 --dictionary d.csv --default 0"))
    };
    let error = dictionary("1,2\n1,3\n");
    assert_eq!(error, "d.csv line 2: key 1 is already on line 1");
    let error = dictionary("256,2\n");
    assert!(error.contains("d.csv line 1, key: 256 is not below the modulus 256"), "{error}");
    let many: String = (0..17).map(|key| format!("{key},1\n")).collect();
    assert!(dictionary(&many).contains("number of entries of the dictionary is 17"));
    let pieces: String = (0..40).map(|i| format!("{},{}\n", i * 6, i % 16)).collect();
    here.write("pieces.csv", pieces).write("short.csv", "1,2\n");
    let error = here.fail(&format!("{LOOKUP} --pieces pieces.csv --value-bits 4"));
    assert!(error.contains("pieces.csv") && error.contains("pairs of classes"), "{error}");
    let error = here.fail(&format!("{LOOKUP} --sum short.csv --value-bits 4"));
    assert!(error.contains("short.csv: 1 lines, but halves have 16 values"), "{error}");
    here.refuses(&format!("{LOOKUP} --sum short.csv --value-bits 4 --memory 1kB"), "short.csv");
    here.write("d.csv", "1,2\n");
    let error =
        here.fail(&format!("{LOOKUP} --bits 8 --dictionary d.csv --default 0 --memory 1kB"));
    assert!(error.contains("above --memory"), "{error}");
    // Values of one word, where keys have two.
    here.succeed(
        "encrypt --as words --bits 4 --secret client.key --input short.csv --column 1 --output v.ct",
    );
    let error = here.fail(&format!("{LOOKUP} --bits 8 --dictionary d.csv --default 0"));
    assert!(error.contains("v.ct: 1 ciphertexts, not 2 for every value"), "{error}");
    here.write("large.csv", "256\n");
    let error = here
        .fail("encrypt --as words --bits 8 --secret client.key --input large.csv --output l.ct");
    assert!(error.contains("256 is not below the modulus 256"), "{error}");
}

#[test]
fn lookups_that_do_not_fit_memory_are_refused() {
    let here = Workspace::with_keys("--bits 4");
    here.write("values.csv", "1\n2\n").write("table.csv", numbers((0..16).rev()));
    here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let line = "lookup --evaluation server.key --table table.csv --input values.ct --output r.ct";
    let error = here.fail(&format!("{line} --memory 1MB"));
    assert!(error.contains("the lookup may take") && error.contains("above --memory"), "{error}");
    here.succeed(&format!("{line} --memory 4GB"));
}

#[test]
fn plans_say_what_cannot_be_done() {
    let here = Workspace::new();
    let text = here.succeed("plan wide --insecure-toy --bits 16 --value-bits 8");
    assert!(text.contains("a table without structure would take"), "{text}");
    let plan: Value = here.json("plan wide --insecure-toy --bits 8");
    assert_eq!(plan["operations"][0]["lookups"], 4);
    let error = here.fail("plan wide --insecure-toy --bits 8 --value-bits 9");
    assert!(error.contains("number of words of a dictionary's values is 3"), "{error}");
}

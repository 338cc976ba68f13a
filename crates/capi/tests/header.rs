//! The header is that of the sources: it declares their functions, with the same arguments, and is what cbindgen writes
//! where that is installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header() -> String {
    fs::read_to_string(folder().join("include/cryptable.h")).unwrap()
}

/// A text with one space in place of any white space.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The type in C of a type in Rust.
fn type_in_c(rust: &str) -> String {
    let inner = |start: &str, end: &str| rust.strip_prefix(start)?.strip_suffix(end);
    if let Some(handle) = inner("Option<&mut MaybeUninit<Option<Box<", ">>>>") {
        return format!("{handle} **");
    }
    if let Some(written) = inner("Option<&mut MaybeUninit<", ">>") {
        return format!("{written} *");
    }
    if let Some(borrowed) = inner("Option<&", ">") {
        return format!("const {borrowed} *");
    }
    if let Some(owned) = inner("Option<Box<", ">>") {
        return format!("{owned} *");
    }
    if let Some(elements) = rust.strip_prefix("*const ") {
        return format!("const {} *", type_in_c(elements));
    }
    if let Some(elements) = rust.strip_prefix("*mut ") {
        return format!("{} *", type_in_c(elements));
    }
    match rust {
        "u8" | "u32" | "u64" => format!("uint{}_t", &rust[1..]),
        "usize" => "size_t".into(),
        "c_char" => "char".into(),
        other => other.into(),
    }
}

/// The types of arguments and of the result of each function, as C has them.
type Signatures = BTreeMap<String, (Vec<String>, String)>;

fn signatures_of_sources() -> Signatures {
    let mut found = Signatures::new();
    for entry in fs::read_dir(folder().join("src")).unwrap() {
        let text = joined(&fs::read_to_string(entry.unwrap().path()).unwrap());
        for declared in text.split("#[unsafe(no_mangle)] pub ").skip(1) {
            let rest = declared.split_once("extern \"C\" fn ").unwrap().1;
            let (name, rest) = rest.split_once('(').unwrap();
            let (arguments, rest) = rest.split_once(')').unwrap();
            let types = arguments.split(": ").skip(1).map(|rest| {
                // What follows the last comma is the next argument's name.
                let end = rest.rfind(',').filter(|&comma| !rest[comma..].contains('>'));
                type_in_c(rest[..end.unwrap_or(rest.len())].trim())
            });
            let result = rest.split(" {").next().unwrap().trim().strip_prefix("-> ");
            let result = result.map_or("void".into(), type_in_c);
            assert!(found.insert(name.into(), (types.collect(), result)).is_none(), "{name}");
        }
    }
    found
}

fn signatures_of_header() -> Signatures {
    let mut found = Signatures::new();
    let text = header();
    let code = text.lines().filter(|line| !line.starts_with("//") && !line.starts_with('#'));
    for prototype in joined(&code.collect::<Vec<_>>().join(" ")).split(';') {
        let Some((start, rest)) = prototype.split_once("cryptable_") else { continue };
        let Some((name, arguments)) = rest.split_once('(') else { continue };
        let types = arguments.trim_end_matches(')').split(", ").filter(|&it| it != "void");
        let types = types.map(|argument| {
            let name = argument.rfind(['*', ' ']).unwrap() + 1;
            argument[..name].trim().to_owned()
        });
        let result = start.rsplit(['{', '}']).next().unwrap();
        found.insert(format!("cryptable_{name}"), (types.collect(), result.trim().to_owned()));
    }
    found
}

#[test]
fn the_header_declares_the_functions_of_the_sources() {
    let sources = signatures_of_sources();
    assert!(sources.len() > 30, "{sources:?}");
    assert_eq!(signatures_of_header(), sources);
}

#[test]
fn the_test_in_c_calls_every_function() {
    let program = fs::read_to_string(folder().join("tests/every_function.c")).unwrap();
    let missing = signatures_of_sources().into_keys();
    let missing: Vec<_> = missing.filter(|name| !program.contains(&format!("{name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The tool is installed apart, as cargo-deny and mdbook are.
#[test]
fn the_header_is_what_cbindgen_writes() {
    let folder = folder();
    let cbindgen = std::env::var_os("CBINDGEN").map_or_else(|| "cbindgen".into(), PathBuf::from);
    let mut command = Command::new(cbindgen);
    command.args(["--quiet", "--config", "cbindgen.toml", "."]).current_dir(folder);
    let output = match command.output() {
        Err(_) => return println!("the header is NOT made anew: there is no cbindgen"),
        Ok(output) => output,
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = String::from_utf8(output.stdout).unwrap();
    assert!(written == header(), "make capi-header writes it anew");
}

//! Tests that frames of earlier versions are read as intended.
//!
//! `known_answers/vN` has a toy secret key, a frame that it encrypted, and results with their own units. When the
//! format changes, this command writes the files of the new version:
//!
//! ```sh
//! cargo test -p cryptable-frames --test known_answers -- --ignored
//! ```

#![cfg(feature = "client")]

use std::path::{Path, PathBuf};

use cryptable::{Engine, Execution, Parameters, ReadOptions, SecretKey};
use cryptable_frames::{FileFormat, FileKind, Frame, Mapping, Pipeline, Schema};
use cryptable_wire::FORMAT_VERSION;

/// The first version with frames.
const FIRST: u16 = 5;

const SCHEMA: &str = r#"{"columns": [
    {"column": "age", "type": "integer", "minimum": -8, "maximum": 7, "nulls": "validity"},
    {"column": "day", "type": "date", "offset": "2024-01-01"}
]}"#;

const RESULTS: &str =
    r#"{"columns": [{"column": "word", "type": "words", "words": ["young", "old"]}]}"#;

const DATA: &str = "age,day\n-8,2024-01-16\n,2024-01-02\n7,2024-01-01\n";

const WORDS: &str = "word\nyoung\n\"\"\nold\n";

fn folder(version: u16) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/known_answers/v{version}"))
}

fn schema(json: &str) -> Schema {
    Schema::from_json(json.as_bytes()).unwrap()
}

#[test]
fn frames_of_versions_that_are_read_hold_what_they_held() {
    for version in FIRST..=FORMAT_VERSION {
        let read = |name: &str| std::fs::read(folder(version).join(name)).unwrap();
        let options = ReadOptions::default().allow_insecure();
        let secret = SecretKey::from_bytes(&read("secret.key"), options).unwrap();
        for (name, schema, expected) in
            [("people.frame", Some(schema(SCHEMA)), DATA), ("results.frame", None, WORDS)]
        {
            let bytes = read(name);
            let frame = Frame::from_bytes(&bytes, options).unwrap();
            let columns = frame.decrypt(&secret, schema.as_ref()).unwrap();
            let mut text = Vec::new();
            FileFormat::from(FileKind::Csv).write(&mut text, &columns).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expected, "v{version} {name}");
            // The same bytes are written again.
            assert!(version != FORMAT_VERSION || frame.to_bytes() == bytes, "{name}");
        }
    }
}

#[test]
#[ignore = "writes the files of the current version, once"]
fn write_the_files_of_the_current_version() {
    let folder = folder(FORMAT_VERSION);
    if folder.exists() {
        return;
    }
    std::fs::create_dir_all(&folder).unwrap();
    let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 16, 16).unwrap());
    let data = FileFormat::from(FileKind::Csv).read(DATA.as_bytes()).unwrap();
    let (inputs, results) = (schema(SCHEMA), schema(RESULTS));
    let frame = Frame::encrypt(&secret, &data, &inputs).unwrap();
    let text = "[[step]]\nlookup = 'age'\ntable = 'words.csv'\ninto = 'word'";
    let pipeline = Pipeline::from_toml(text).unwrap();
    let mapping = Mapping::read("from,to,word\n,0,young\n1,,old\n".as_bytes()).unwrap();
    let table = mapping.table(&inputs.columns()[0], 16, &results.columns()[0], 16, None);
    let tables = [Some(table.unwrap().into())];
    let server = secret.evaluation_key();
    let found = pipeline.run(&server, &frame, &tables, Some(&results), Execution::default());
    std::fs::write(folder.join("secret.key"), &*secret.to_bytes()).unwrap();
    std::fs::write(folder.join("people.frame"), frame.to_bytes()).unwrap();
    std::fs::write(folder.join("results.frame"), found.unwrap().to_bytes()).unwrap();
}

//! Readers of frames, and of the texts that go with them: schemas, mappings, pipelines, data.

use std::sync::LazyLock;

use cryptable::{Engine, ReadOptions, SecretKey};
use cryptable_frames::{
    FileFormat, FileKind, Frame, FrameColumn, Mapping, Pipeline, Program, RowGroups, Schema,
    suggest,
};
use cryptable_wire::HEADER_BYTES;

use crate::clients::client;
use crate::limits::MAX_KEY_MEMORY;
use crate::repair;

/// Bytes of a frame's body before its first column: key, rows and number of columns.
const START_BYTES: usize = HEADER_BYTES + 28;

const SCHEMA: &str = r#"{"columns": [
    {"column": "a", "type": "integer", "minimum": -2, "maximum": 1, "nulls": "validity"},
    {"column": "b", "type": "words", "words": ["x", "y"], "other": "y", "nulls": {"value": "x"}},
    {"column": "c", "type": "number", "bins": [0, 1.5, 3], "clip": true},
    {"column": "d", "type": "date", "unit": "month", "offset": "2024-01-01", "round": true}
]}"#;

const DATA: &str = "a,b,c,d\n-2,x,0.5,2024-03-09\n,,7,2024-01-01\n";

const PIPELINE: &str = "schema = 's'\noutput = ['f']\n[[step]]\nlookup = 'a'\ntable = 't'\ninto = 'e'\n\
    [[step]]\nsum = ['a', 'e']\nfactors = [1, -2]\ninto = 'f'\n";

const NETWORK: &str = r#"{"columns": ["a"], "modulus": 4, "results": ["e"], "output_modulus": 16, "layers": [
    {"weights": [[1], [-1]], "constants": [1, 0], "tables": [[0, 1, 2, 1], [3, 2, 1, 0]]},
    {"weights": [[3, 1]], "constants": [0]}]}"#;

const PROGRAM: &str = r#"{"columns": ["a"], "modulus": 4, "results": ["e"], "output_modulus": 16, "formulas": [{"sum": [
    {"choice": {"column": 0, "within": [[1, 3]], "then": {"constant": 5}, "otherwise":
        {"table": {"column": 0, "outputs": [0, 1, 2, 3]}}}}]}]}"#;

fn schema() -> Schema {
    Schema::from_json(SCHEMA.as_bytes()).expect("a schema")
}

/// Frames of single and of packed values, and of sums by groups.
#[must_use]
pub fn frames() -> Vec<Vec<u8>> {
    let data = FileFormat::from(FileKind::Csv).read(DATA.as_bytes()).expect("data");
    let of = |engine| Frame::encrypt(&client(engine), &data, &schema()).expect("four values");
    let [single, packed] = [Engine::Single, Engine::Packed].map(of);
    let groups = RowGroups { column: "b".into(), groups: 2 };
    let sums = FrameColumn::new("sum", packed.columns()[1].values().clone());
    let sums = Frame::new(vec![sums.with_groups(Some(groups))]).expect("a column");
    [single, packed, sums].map(|frame| frame.to_bytes()).to_vec()
}

/// Reads a frame, and decrypts it, since it may claim any units.
pub fn read_frame(bytes: &[u8]) -> bool {
    static SECRETS: LazyLock<[SecretKey; 2]> =
        LazyLock::new(|| [Engine::Single, Engine::Packed].map(client));
    let options = ReadOptions::default().allow_insecure().max_memory(MAX_KEY_MEMORY);
    let Ok(frame) = Frame::from_bytes(bytes, options) else { return false };
    for secret in &*SECRETS {
        let _ = frame.decrypt(secret, Some(&schema()));
    }
    assert_eq!(frame.to_bytes(), bytes);
    true
}

/// Returns a frame whose files of ciphertexts are repaired one by one.
#[must_use]
pub fn repair_frame(bytes: &[u8]) -> Vec<u8> {
    let Some((start, mut rest)) = bytes.split_at_checked(START_BYTES) else {
        return repair::object(bytes);
    };
    // The checksum is no part of the body.
    let stated = u64::from_le_bytes(start[48..56].try_into().expect("eight bytes"));
    let end = usize::try_from(stated).unwrap_or(usize::MAX).saturating_add(HEADER_BYTES);
    rest = &rest[..rest.len().min(end.saturating_sub(START_BYTES))];
    let mut frame = start.to_vec();
    // Files begin with their magic, after their length; all else is kept as it is.
    while rest.len() > 8 {
        let length = u64::from_le_bytes(rest[..8].try_into().expect("eight bytes"));
        let is_file = rest[8..].starts_with(&cryptable::CiphertextFileSummary::MAGIC);
        if !is_file || length == 0 || length > rest.len() as u64 - 8 {
            frame.push(rest[0]);
            rest = &rest[1..];
            continue;
        }
        let (field, after) = rest[8..].split_at(length as usize);
        let field = repair::ciphertext_file(field);
        frame.extend((field.len() as u64).to_le_bytes());
        frame.extend(field);
        rest = after;
    }
    frame.extend(rest);
    let body = (frame.len() - HEADER_BYTES) as u64;
    frame[48..56].copy_from_slice(&body.to_le_bytes());
    repair::object(&frame)
}

/// Schemas as clients write them.
#[must_use]
pub fn schemas() -> Vec<Vec<u8>> {
    vec![SCHEMA.into(), schema().to_json().into_bytes()]
}

/// Reads a schema, writes it, and makes a table of it.
pub fn read_schema(bytes: &[u8]) -> bool {
    let Ok(schema) = Schema::from_json(bytes) else { return false };
    let again = Schema::from_json(schema.to_json().as_bytes()).expect("its own text");
    assert_eq!(again.to_json(), schema.to_json());
    let mapping = Mapping::read("from,to,x\n,,1\n".as_bytes()).expect("a mapping");
    let columns = schema.columns();
    let _ = mapping.table(&columns[0], 64, &columns[columns.len() - 1], 64, None);
    true
}

/// Mappings of each form.
#[must_use]
pub fn mappings() -> Vec<Vec<u8>> {
    let texts =
        ["a,b\n-2,x\n-1,y\n0,x\n1,x\n", "from,to,b\n,0,x\n1,,y\n", "from,below,b\n-2,2,y\n"];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Reads a mapping, and makes a table of it.
pub fn read_mapping(bytes: &[u8]) -> bool {
    let Ok(mapping) = Mapping::read(bytes) else { return false };
    let schema = schema();
    let columns = schema.columns();
    let _ = mapping.table(&columns[3], 16, &columns[2], 16, Some("1"));
    mapping.table(&columns[0], 4, &columns[1], 4, None).is_ok()
}

/// A program with formulas of several kinds, one whose results are added up by groups, and a network.
#[must_use]
pub fn programs() -> Vec<Vec<u8>> {
    let groups = r#""modulus": 4, "group_by": {"column": "a", "groups": 3},"#;
    let sums = PROGRAM.replace(r#""modulus": 4,"#, groups);
    vec![PROGRAM.into(), sums.into_bytes(), NETWORK.into()]
}

/// Reads a program.
pub fn read_program(bytes: &[u8]) -> bool {
    Program::from_json(bytes).is_ok()
}

/// A pipeline with steps of each kind.
#[must_use]
pub fn pipelines() -> Vec<Vec<u8>> {
    vec![PIPELINE.into()]
}

/// Reads a pipeline.
pub fn read_pipeline(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| Pipeline::from_toml(text).is_ok())
}

/// Data as CSV and as JSON lines.
#[must_use]
pub fn data() -> Vec<Vec<u8>> {
    vec![DATA.into(), "{\"a\": 1, \"b\": null}\n{\"c\": \"2024-01-01 10:00\", \"a\": 2.5}\n".into()]
}

/// Reads data, and suggests a schema.
pub fn read_data(bytes: &[u8]) -> bool {
    let kinds = [FileKind::Csv, FileKind::JsonLines];
    let read = kinds.map(|kind| FileFormat::from(kind).read(bytes));
    let read = read.into_iter().flatten();
    read.map(|columns| suggest(&columns, 16)).filter(Result::is_ok).count() > 0
}

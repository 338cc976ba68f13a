//! Test of a frame of 65,536 rows at 128 bits of security, with every value compared.

#![cfg(feature = "client")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use cryptable::{Execution, ReadOptions, Request, SecretKey, Table};
use cryptable_frames::{FileFormat, FileKind, Frame, Operand, Pipeline, RecordBatch, Schema};

const ROWS: u64 = 65_536;

/// Number of lookups of one column, which are done together.
const LOOKUPS: u64 = 5;

const SCHEMA: &str = r#"{"columns": [
    {"column": "id", "type": "integer"},
    {"column": "change", "type": "integer", "minimum": -128, "maximum": 127},
    {"column": "price", "type": "number", "scale": 0.01, "maximum": 2.55, "nulls": "validity"},
    {"column": "day", "type": "date", "offset": "2024-01-01"}
]}"#;

/// Returns the values of a row: the last two columns as the numbers that represent them, prices as cents.
fn row(row: u64) -> (u64, i64, Option<u64>, u64) {
    let mixed = row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let price = (!mixed.is_multiple_of(7)).then_some(mixed / 7 % 256);
    (row % 256, (mixed % 256) as i64 - 128, price, mixed / 2048 % 256)
}

fn table(number: u64) -> Table {
    Table::from_fn(256, 256, move |x| (x * x + number * x + 7 * number) % 256).unwrap()
}

fn csv(columns: &RecordBatch) -> String {
    let mut bytes = Vec::new();
    FileFormat::from(FileKind::Csv).write(&mut bytes, columns).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
#[ignore = "a key and six lookups of full size: half a minute on two cores, 4 GB of memory"]
fn frames_of_full_size_give_the_tables_values_on_every_row() {
    let mut data = String::from("id,change,price,day\n");
    let day = |days| chrono::NaiveDate::from_ymd_opt(2024, 1, 1).unwrap() + chrono::Days::new(days);
    let cents =
        |price: Option<u64>| price.map_or(String::new(), |it| format!("{}", it as f64 / 100.0));
    for (id, change, price, days) in (0..ROWS).map(row) {
        writeln!(data, "{id},{change},{},{}", cents(price), day(days)).unwrap();
    }
    let schema = Schema::from_json(SCHEMA.as_bytes()).unwrap();
    let columns = FileFormat::from(FileKind::Csv).read(data.as_bytes()).unwrap();
    let plan = Request::for_table(&table(0))
        .values(ROWS)
        .engine(cryptable::Engine::Packed)
        .plan()
        .unwrap();
    let secret = SecretKey::generate(plan.best());
    let server = secret.evaluation_key();
    let start = Instant::now();
    let frame = Frame::encrypt(&secret, &columns, &schema).unwrap();
    let frame = Frame::from_bytes(&frame.to_bytes(), ReadOptions::default()).unwrap();
    println!("encrypted in {:?}, {} bytes", start.elapsed(), frame.to_bytes().len());
    assert_eq!(csv(&frame.decrypt(&secret, Some(&schema)).unwrap()), data);

    let mut pipeline = String::new();
    for number in 0..LOOKUPS {
        writeln!(pipeline, "[[step]]\nlookup = 'id'\ntable = 't'\ninto = 'id{number}'").unwrap();
    }
    pipeline += "[[step]]\nlookup = 'price'\ntable = 't'\ninto = 'cost'\n";
    pipeline += "[[step]]\nsum = ['id0', 'id1']\nfactors = [1, -1]\ninto = 'score'\n";
    let pipeline = Pipeline::from_toml(&pipeline).unwrap();
    let of = |number| Some(Operand::Table(table(number)));
    let tables: Vec<Option<Operand>> = (0..=LOOKUPS).map(of).chain([None]).collect();
    let results = pipeline.run(&server, &frame, &tables, None, Execution::default()).unwrap();
    let results = Frame::from_bytes(&results.to_bytes(), ReadOptions::default()).unwrap();
    let mut expected = String::from("id0,id1,id2,id3,id4,cost,score\n");
    for (id, _, price, _) in (0..ROWS).map(row) {
        let found: Vec<u64> = (0..LOOKUPS).map(|number| table(number).output(id)).collect();
        found.iter().for_each(|output| write!(expected, "{output},").unwrap());
        let cost = price.map(|price| table(LOOKUPS).output(price).to_string()).unwrap_or_default();
        writeln!(expected, "{cost},{}", (256 + found[0] - found[1]) % 256).unwrap();
    }
    assert!(csv(&results.decrypt(&secret, None).unwrap()) == expected, "wrong values");
    compare_times(&secret, &server, &tables);
}

/// Compares the time of five lookups of a column in a pipeline with that of separate lookups.
fn compare_times(
    secret: &SecretKey,
    server: &cryptable::EvaluationKey,
    tables: &[Option<Operand>],
) {
    let values: Vec<u64> = (0..ROWS).map(|row| row % 256).collect();
    let input = secret.encrypt(&values).unwrap();
    let column = cryptable_frames::FrameColumn::new("id", input.clone());
    let frame = Frame::new(vec![column]).unwrap();
    let steps = (0..LOOKUPS)
        .map(|number| format!("[[step]]\nlookup = 'id'\ntable = 't'\ninto = 'r{number}'\n"));
    let pipeline = Pipeline::from_toml(&steps.collect::<String>()).unwrap();
    let mut alone = Duration::ZERO;
    for number in 0..LOOKUPS {
        let start = Instant::now();
        server.lookup(&input, &server.prepare(&table(number)).unwrap()).unwrap();
        alone += start.elapsed();
    }
    let start = Instant::now();
    pipeline.run(server, &frame, tables, None, Execution::default()).unwrap();
    let together = start.elapsed();
    println!("{LOOKUPS} lookups: {together:?} in a pipeline, {alone:?} alone");
    assert!(together <= alone * 3 / 2, "{together:?} and {alone:?}");
}

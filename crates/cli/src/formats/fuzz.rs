//! Fuzzing of the files that users provide, under the limits of `cryptable_fuzz`: guided by coverage under `cargo
//! bolero`, or on mutations of the files in `tests/fuzz_seeds` as ordinary tests.

use std::cell::RefCell;
use std::panic::RefUnwindSafe;
use std::path::Path;
use std::rc::Rc;

use cryptable_fuzz::limits::within_limits;
use cryptable_fuzz::mutation::mutated;
use cryptable_fuzz::repair;

use super::column::{Column, ColumnOptions};
use super::csv::Coding;
use super::dictionary::Dictionary;
use super::domain::Domain;
use super::npy;
use super::png::GreyImage;
use super::raw::{WordFormat, Words};
use super::table::{self, Moduli, TableOptions};
use crate::args::CsvArgs;
use crate::commands::resume::read_record;

/// Number of mutations per seed in the short run.
const MUTATIONS: u64 = 300;

fn csv_values(bytes: &[u8]) {
    let domain = Domain { modulus: 256, signed: bytes.len() % 2 == 1 };
    for column in [None, Some("age"), Some("2")] {
        for missing in [None, Some("7".to_owned())] {
            let csv = CsvArgs { missing, ..CsvArgs::default() };
            let options = ColumnOptions { column, csv: &csv, coding: Coding::Integers(domain) };
            if let Ok(values) = Column::new(bytes, Path::new("v.csv"), &options) {
                values.take_while(Result::is_ok).flatten().for_each(|v| assert!(v < 256));
            }
        }
    }
}

fn npy_values(bytes: &[u8]) {
    if let Ok((_, words)) = npy::open(bytes, Path::new("v.npy"), Domain::unsigned(256)) {
        words.take_while(Result::is_ok).flatten().for_each(|v| assert!(v < 256));
    }
}

fn raw_values(bytes: &[u8]) {
    for format in [1, 2, 4, 8].map(WordFormat::unsigned) {
        let words = Words::new(bytes, Path::new("v.bin"), format, None, Domain::unsigned(1 << 20));
        words.take_while(Result::is_ok).flatten().for_each(|v| assert!(v < 1 << 20));
    }
}

/// Reads the bytes as a table in each format, by extension.
fn tables(bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    for (name, moduli) in [
        ("t.csv", Moduli::default()),
        ("t.csv", Moduli { input: Some(4), output: Some(4) }),
        ("t.npy", Moduli::default()),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let _ = table::read(&path, &TableOptions::plain(moduli));
    }
}

/// Reads the bytes as a dictionary, and looks its own text up in it.
fn dictionaries(bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    for name in ["d.csv", "d.json"] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let Ok(book) = Dictionary::open(&path, false) else { continue };
        let coding = Coding::Words(Rc::new(RefCell::new(book)), 16);
        let csv = CsvArgs::default();
        let options = ColumnOptions { column: Some("1"), csv: &csv, coding };
        if let Ok(values) = Column::new(bytes, &path, &options) {
            values.take_while(Result::is_ok).flatten().for_each(|v| assert!(v < 16));
        }
    }
}

fn pictures(bytes: &[u8]) {
    if let Ok(picture) = GreyImage::read(bytes, "p.png") {
        assert_eq!(picture.pixels.len(), picture.width * picture.height);
    }
}

/// Reads the records that an interrupted lookup left, both as they are and with right checksums.
fn resumed_lookups(bytes: &[u8]) {
    for mut file in [bytes, &repair::resume_records(bytes)] {
        while let Ok(Some((_, taken))) = read_record(&mut file) {
            assert!(taken > 8);
        }
    }
}

/// Returns a function that runs a reader within limits: of one type for all readers, so that `bolero` is compiled for one.
fn limited(read: fn(&[u8])) -> impl Fn(&[u8]) + RefUnwindSafe {
    move |input: &[u8]| {
        within_limits(input.len(), || read(input));
    }
}

macro_rules! readers {
    ($($name:ident: $($seed:literal)*;)*) => {
        mod readers {
            $(
                #[test]
                fn $name() {
                    bolero::check!().with_iterations(100).for_each(super::limited(super::$name));
                }
            )*
        }

        #[test]
        fn mutations_of_seeds_do_no_harm() {
            $(
                for seed in [$(&include_bytes!(concat!("../../tests/fuzz_seeds/", $seed))[..]),*] {
                    for input in (0..MUTATIONS).map(|index| mutated(seed, index)) {
                        within_limits(input.len(), || $name(&input));
                    }
                }
            )*
        }
    };
}

readers! {
    csv_values: "values.csv" "quoted.csv";
    npy_values: "values.npy";
    raw_values: "values.npy";
    tables: "table.csv" "pairs.csv" "values.npy";
    dictionaries: "book.csv" "book.json";
    pictures: "picture.png";
    resumed_lookups: "resumed.bin";
}

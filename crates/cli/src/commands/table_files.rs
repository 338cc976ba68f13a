//! Reading of tables, with the options that several commands share.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;

use crate::args::TableArgs;
use crate::formats::dictionary::Dictionary;
use crate::formats::table::{self, FoundTable, Moduli, TableOptions};

/// Reads tables, and the dictionaries of their words, as the arguments state.
pub fn read_all(reading: &TableArgs, paths: &[PathBuf], moduli: Moduli) -> Result<Vec<FoundTable>> {
    let open = |path: &Path, may_grow| {
        anyhow::Ok(Rc::new(RefCell::new(Dictionary::open(path, may_grow)?)))
    };
    let path = reading.output_dictionary.as_deref();
    let outputs = path.map(|path| open(path, reading.extend)).transpose()?;
    let inputs = match reading.dictionary.as_deref() {
        None => None,
        shared if shared == path => outputs.clone(),
        Some(path) => Some(open(path, false)?),
    };
    let options = TableOptions {
        moduli,
        default: reading.default.as_deref(),
        signs: reading.signs(),
        header: stated_header(reading),
        inputs,
        outputs: outputs.clone(),
    };
    let found = paths.iter().map(|path| table::read(path, &options));
    let found: Vec<FoundTable> = found.collect::<Result<_>>()?;
    outputs.map(|book| book.borrow().save()).transpose()?;
    Ok(found)
}

/// Returns whether tables have a header, if stated.
pub fn stated_header(reading: &TableArgs) -> Option<bool> {
    (reading.header || reading.no_header).then_some(reading.header)
}

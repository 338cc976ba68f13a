//! Reading of tables, with the options that several commands share.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;

use crate::args::TableArgs;
use crate::formats::dictionary::Dictionary;
use crate::formats::table::{self, FoundTable, Moduli, TableOptions};

/// Reads a table like [`read_all`].
pub fn read(reading: &TableArgs, path: &PathBuf, moduli: Moduli) -> Result<FoundTable> {
    Ok(read_all(reading, std::slice::from_ref(path), moduli)?.swap_remove(0))
}

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
        header: reading.stated_header(),
        inputs,
        outputs: outputs.clone(),
    };
    let found = paths.iter().map(|path| table::read(path, &options));
    let found: Vec<FoundTable> = found.collect::<Result<_>>()?;
    outputs.map(|book| book.borrow().save()).transpose()?;
    Ok(found)
}

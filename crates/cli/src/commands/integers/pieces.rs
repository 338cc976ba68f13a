//! Pieces of a piecewise linear function, from a CSV file.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::formats::records::Records;
use crate::input_file;
use crate::printable::Printable as _;

/// Largest number of pieces that are read. No digit can distinguish more.
const MAX_PIECES: usize = 1 << 8;

/// Reads the start of each piece, and the slope of the function from there on.
pub fn read(path: &Path) -> Result<Vec<(i128, i64)>> {
    let shown = input_file::shown(path);
    let mut records = Records::new(input_file::open(path)?, shown, None)?;
    let mut pieces = Vec::new();
    while records.advance()? {
        let is_first = pieces.is_empty() && records.line() == 1;
        if is_first && records.is_header() && records.missing_among(0..2).is_none() {
            continue;
        }
        let place = format!("{} line {}", shown.printable(), records.line());
        ensure!(records.width() == 2, "{place}: {} columns; a piece has 2", records.width());
        let number = |column| records.integer(column);
        let (Some(start), Some(slope)) = (number(0), number(1)) else {
            bail!("{place}: a piece is two integers: where it starts, what it grows by");
        };
        let slope = i64::try_from(slope)
            .ok()
            .with_context(|| format!("{place}: {slope} does not fit 64 bits, signed"))?;
        pieces.push((start, slope));
        ensure!(pieces.len() <= MAX_PIECES, "{place}: more than {MAX_PIECES} pieces");
    }
    ensure!(!pieces.is_empty(), "{}: no pieces", shown.printable());
    Ok(pieces)
}

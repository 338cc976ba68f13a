//! Pieces of a piecewise linear function, from a CSV file.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::formats::lines::Lines;
use crate::input_file;

/// Largest number of pieces that are read. No digit can distinguish more.
const MAX_PIECES: usize = 1 << 8;

/// Reads the start of each piece, and the slope of the function from there on.
pub fn read(path: &Path) -> Result<Vec<(i128, i64)>> {
    let mut lines = Lines::open(path, ["start", "slope"])?;
    let mut pieces = Vec::new();
    while lines.advance()? {
        let (place, slope) = (lines.place(), lines.integer(1)?);
        let slope = i64::try_from(slope)
            .ok()
            .with_context(|| format!("{place}, slope: {slope} does not fit 64 bits, signed"))?;
        pieces.push((lines.integer(0)?, slope));
        ensure!(pieces.len() <= MAX_PIECES, "{place}: more than {MAX_PIECES} pieces");
    }
    ensure!(!pieces.is_empty(), "{}: no pieces", input_file::name(path));
    Ok(pieces)
}

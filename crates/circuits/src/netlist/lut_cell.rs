//! Cells `$lut` of Yosys: a table of any function of their inputs, as `abc -lut` produces them.
//!
//! The parameter `LUT` has a bit for every argument. Bit i is the output for the inputs that are the binary digits of
//! i, the least significant one first. The parameter is a string of digits with the last argument first, or a number.

use serde_json::Value;

use super::cover::Cover;
use super::error::{NetlistError, Place};
use super::limits;

/// The type of these cells.
pub(super) const KIND: &str = "$lut";
/// The pin of the inputs.
pub(super) const INPUTS: &str = "A";
/// The pin of the output.
pub(super) const OUTPUT: &str = "Y";
/// The parameter with the table.
pub(super) const TABLE: &str = "LUT";

/// Returns the cover of a table with this number of inputs: a row for each argument of value 1.
///
/// # Errors
/// If the parameter is not such a table, or has too many inputs.
pub(super) fn cover(
    table: Option<&Value>,
    inputs: usize,
    place: &Place,
) -> Result<Cover, NetlistError> {
    // Far more than the limit on a cover's size allows, and few enough for shifts.
    let most = limits::MAX_COVER_CELLS.ilog2() as usize;
    limits::check(|| place.clone(), "inputs of a table", inputs, most)?;
    let arguments = 1usize << inputs;
    let size = arguments * inputs;
    limits::check(|| place.clone(), "arguments times inputs", size, limits::MAX_COVER_CELLS)?;
    let refusal = || {
        let found = table.map_or("nothing".to_owned(), ToString::to_string);
        NetlistError::Lut { place: place.clone(), found, inputs }
    };
    let ones: Vec<usize> = match table {
        Some(Value::String(digits)) if digits.len() == arguments => {
            let digit = |(index, digit)| match digit {
                b'0' => Ok(None),
                b'1' => Ok(Some(index)),
                _ => Err(refusal()),
            };
            let found = digits.bytes().rev().enumerate().map(digit);
            found.filter_map(Result::transpose).collect::<Result<_, _>>()?
        }
        Some(Value::Number(number)) => {
            let bits = number.as_u64().ok_or_else(refusal)?;
            // Bits above the 64 of a number are 0.
            let is_one = |index: usize| index < 64 && bits >> index & 1 == 1;
            if arguments < 64 && bits >> arguments != 0 {
                return Err(refusal());
            }
            (0..arguments).filter(|&index| is_one(index)).collect()
        }
        _ => return Err(refusal()),
    };
    let row = |index: &usize| {
        let index = *index;
        (0..inputs).map(move |bit| b'0' + (index >> bit & 1) as u8)
    };
    Ok(Cover { cells: ones.iter().flat_map(row).collect(), rows: ones.len(), inverted: false })
}

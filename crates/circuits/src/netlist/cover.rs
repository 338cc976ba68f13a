//! Covers of BLIF: sums of products as tables of `0`, `1` and `-`, turned into gates or table nodes.

use cryptable_bits::BitTable;

use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// Largest number of inputs for which gates are found from the truth table, which reveals XORs, multiplexers and
/// majorities.
const TABLE_INPUTS: usize = BitTable::MAX_INPUTS;

/// Form in which covers are elaborated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoverForm {
    /// Gates of two signals, and majorities.
    Gates,
    /// A table node for each cover with three to eight inputs that matter.
    Tables,
}

/// A cover: if a row matches, the output is 1, or 0 if the cover is `inverted`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cover {
    /// Characters `0`, `1` and `-` of all rows.
    pub(super) cells: Vec<u8>,
    /// Number of rows.
    pub(super) rows: usize,
    /// Whether rows state where the output is 0.
    pub(super) inverted: bool,
}

impl Cover {
    /// Builds the signal of the output: gates, or one table if the form has tables and there are few enough inputs.
    pub(super) fn build(
        &self,
        builder: &mut CircuitBuilder,
        inputs: &[Signal],
        form: CoverForm,
    ) -> Signal {
        let width = inputs.len();
        let sum = if width <= TABLE_INPUTS {
            let table = self.truth_table(width);
            match form {
                CoverForm::Tables if width > 0 => {
                    let table = BitTable::from_fn(width, |index| table[index]);
                    builder.table(&table.expect("from 1 to 8 inputs"), inputs)
                }
                CoverForm::Gates | CoverForm::Tables => of_table(builder, &table, inputs),
            }
        } else {
            let mut products: Vec<Signal> = self
                .rows(width)
                .map(|row| {
                    let mut factors: Vec<Signal> = row
                        .iter()
                        .zip(inputs)
                        .filter(|(cell, _)| **cell != b'-')
                        .map(|(&cell, &input)| input.inverted_if(cell == b'0'))
                        .collect();
                    tree(&mut factors, Signal::TRUE, |a, b| builder.and(a, b))
                })
                .collect();
            tree(&mut products, Signal::FALSE, |a, b| builder.or(a, b))
        };
        sum.inverted_if(self.inverted)
    }

    /// Rows, each with one character per input.
    fn rows(&self, width: usize) -> impl Iterator<Item = &[u8]> {
        (0..self.rows).map(move |row| &self.cells[row * width..(row + 1) * width])
    }

    /// Truth table of whether a row matches: bit k of an index is input k.
    fn truth_table(&self, width: usize) -> Vec<bool> {
        let fits = |row: &[u8], index: usize| {
            row.iter().enumerate().all(|(bit, &cell)| match cell {
                b'1' => index >> bit & 1 == 1,
                b'0' => index >> bit & 1 == 0,
                _ => true,
            })
        };
        (0..1 << width).map(|index| self.rows(width).any(|row| fits(row, index))).collect()
    }
}

/// Joins neighbouring signals until one is left.
fn tree(
    list: &mut Vec<Signal>,
    of_none: Signal,
    mut join: impl FnMut(Signal, Signal) -> Signal,
) -> Signal {
    while list.len() > 1 {
        *list = list
            .chunks(2)
            .map(|pair| if let [a, b] = *pair { join(a, b) } else { pair[0] })
            .collect();
    }
    list.first().copied().unwrap_or(of_none)
}

/// Builds gates of a truth table: bit k of an index is input k. Inputs are split off one after the other, those first
/// that cost one gate.
fn of_table(builder: &mut CircuitBuilder, table: &[bool], inputs: &[Signal]) -> Signal {
    if table.iter().all(|&bit| bit == table[0]) {
        return Signal::constant(table[0]);
    }
    if let Some(polarity) = majority_polarity(table) {
        let [a, b, c] = [0, 1, 2].map(|k| inputs[k].inverted_if(polarity >> k & 1 == 1));
        return builder.majority(a, b, c);
    }
    let (input, [low, high]) = (0..inputs.len())
        .map(|input| (input, cofactors(table, input)))
        .min_by_key(|(_, [low, high])| cost(low, high))
        .expect("a table that is not constant has inputs");
    let mut rest = inputs.to_vec();
    let split = rest.remove(input);
    let constant = |half: &[bool]| half.iter().all(|&bit| bit == half[0]).then(|| half[0]);
    if low == high {
        return of_table(builder, &low, &rest);
    }
    if low.iter().zip(&high).all(|(a, b)| a != b) {
        let low = of_table(builder, &low, &rest);
        return builder.xor(split, low);
    }
    let [l, h] = [&low, &high].map(|half| of_table(builder, half, &rest));
    match (constant(&low), constant(&high)) {
        (Some(false), _) => builder.and(split, h),
        (Some(true), _) => builder.or(!split, h),
        (_, Some(false)) => builder.and(!split, l),
        (_, Some(true)) => builder.or(split, l),
        (None, None) => builder.multiplexer(split, h, l),
    }
}

/// Cost of splitting an input off: nothing, one gate, a multiplexer.
fn cost(low: &[bool], high: &[bool]) -> usize {
    let constant = |half: &[bool]| half.iter().all(|&bit| bit == half[0]);
    match () {
        () if low == high => 0,
        () if low.iter().zip(high).all(|(a, b)| a != b) => 1,
        () if constant(low) || constant(high) => 2,
        () => 3,
    }
}

/// The table where an input is 0, and the one where it is 1.
fn cofactors(table: &[bool], input: usize) -> [Vec<bool>; 2] {
    [0, 1].map(|value| {
        let kept = table.iter().enumerate().filter(|(index, _)| index >> input & 1 == value);
        kept.map(|(_, &bit)| bit).collect()
    })
}

/// Which inputs of a table of three are inverted if it is their majority, as bits.
fn majority_polarity(table: &[bool]) -> Option<usize> {
    let is = |polarity: usize| {
        (0..8).all(|index: usize| table[index] == ((index ^ polarity).count_ones() >= 2))
    };
    (table.len() == 8).then(|| (0..8).find(|&polarity| is(polarity)))?
}

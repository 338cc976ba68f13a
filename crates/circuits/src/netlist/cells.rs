//! Named cells: the internal gate library of Yosys (`$_AND_`, …), also by names without the decoration.

use super::error::{NetlistError, Place};
use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// A cell of the library.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    name: &'static str,
    inputs: &'static [&'static str],
    function: fn(&mut CircuitBuilder, &[Signal]) -> Signal,
}

/// The pin of every cell's output.
const OUTPUT: &str = "Y";
const ONE: &[&str] = &["A"];
const TWO: &[&str] = &["A", "B"];
const THREE: &[&str] = &["A", "B", "C"];
const FOUR: &[&str] = &["A", "B", "C", "D"];
const SELECT: &[&str] = &["A", "B", "S"];

const LIBRARY: [Cell; 16] = [
    Cell { name: "BUF", inputs: ONE, function: |_, x| x[0] },
    Cell { name: "NOT", inputs: ONE, function: |_, x| !x[0] },
    Cell { name: "AND", inputs: TWO, function: |b, x| b.and(x[0], x[1]) },
    Cell { name: "NAND", inputs: TWO, function: |b, x| !b.and(x[0], x[1]) },
    Cell { name: "OR", inputs: TWO, function: |b, x| b.or(x[0], x[1]) },
    Cell { name: "NOR", inputs: TWO, function: |b, x| !b.or(x[0], x[1]) },
    Cell { name: "XOR", inputs: TWO, function: |b, x| b.xor(x[0], x[1]) },
    Cell { name: "XNOR", inputs: TWO, function: |b, x| !b.xor(x[0], x[1]) },
    Cell { name: "ANDNOT", inputs: TWO, function: |b, x| b.and(x[0], !x[1]) },
    Cell { name: "ORNOT", inputs: TWO, function: |b, x| b.or(x[0], !x[1]) },
    Cell { name: "MUX", inputs: SELECT, function: |b, x| b.multiplexer(x[2], x[1], x[0]) },
    Cell { name: "NMUX", inputs: SELECT, function: |b, x| !b.multiplexer(x[2], x[1], x[0]) },
    Cell { name: "AOI3", inputs: THREE, function: |b, x| !and_or(b, [x[0], x[1], x[2], x[2]]) },
    Cell { name: "AOI4", inputs: FOUR, function: |b, x| !and_or(b, [x[0], x[1], x[2], x[3]]) },
    // (A + B)·C = !(!A·!B + !C), so that one function serves both.
    Cell { name: "OAI3", inputs: THREE, function: |b, x| and_or(b, [!x[0], !x[1], !x[2], !x[2]]) },
    Cell { name: "OAI4", inputs: FOUR, function: |b, x| and_or(b, [!x[0], !x[1], !x[2], !x[3]]) },
];

/// `w·x + y·z`.
fn and_or(builder: &mut CircuitBuilder, [w, x, y, z]: [Signal; 4]) -> Signal {
    let (first, second) = (builder.and(w, x), builder.and(y, z));
    builder.or(first, second)
}

/// Prefixes of the names of Yosys' cells with a state.
const STATES: [&str; 12] = [
    "$_DFF", "$_SDFF", "$_ALDFF", "$_DLATCH", "$_SR_", "$_FF_", "$dff", "$sdff", "$adff", "$aldff",
    "$dlatch", "$mem",
];

impl Cell {
    /// Finds the cell with a name, in upper or lower case: `$_AND_`, `AND`, `and2`, `inv`.
    pub(super) fn find(kind: &str, place: &Place) -> Result<&'static Self, NetlistError> {
        let has_state = STATES.iter().any(|state| kind.starts_with(state));
        let upper = kind.to_ascii_uppercase();
        let bare = upper.strip_prefix("$_").and_then(|name| name.strip_suffix('_'));
        let name = bare.unwrap_or(&upper);
        let name = if name == "INV" { "NOT" } else { name };
        let is = |cell: &&Self| {
            cell.name == name || name.strip_suffix('2') == Some(cell.name) && cell.inputs.len() == 2
        };
        LIBRARY.iter().find(is).ok_or_else(|| {
            let (place, cell) = (place.clone(), kind.to_owned());
            if has_state {
                NetlistError::State { place, cell }
            } else {
                NetlistError::UnknownCell { place, cell }
            }
        })
    }

    /// Builds the cell and returns the signal of its output.
    pub(super) fn build(&self, builder: &mut CircuitBuilder, inputs: &[Signal]) -> Signal {
        (self.function)(builder, inputs)
    }

    /// Connections of the inputs, in their order, and of the output. Each pin has one connection.
    pub(super) fn connect<T: Clone>(
        &self,
        connections: &[(&str, T)],
        place: &Place,
    ) -> Result<(Vec<T>, T), NetlistError> {
        let kind = || self.name.to_owned();
        for (pin, _) in connections {
            if !self.inputs.contains(pin) && *pin != OUTPUT {
                let (place, pin) = (place.clone(), (*pin).to_owned());
                return Err(NetlistError::UnknownPin { place, cell: kind(), pin });
            }
        }
        let find = |pin: &'static str| {
            let mut found = connections.iter().filter(|(name, _)| *name == pin);
            match (found.next(), found.count()) {
                (Some((_, net)), 0) => Ok(net.clone()),
                (None, _) => {
                    let place = place.clone();
                    Err(NetlistError::UnconnectedPin { place, cell: kind(), pin })
                }
                (Some(_), more) => {
                    let (place, pin) = (place.clone(), pin.to_owned());
                    Err(NetlistError::PinWidth { place, cell: kind(), pin, found: more + 1 })
                }
            }
        };
        let inputs = self.inputs.iter().map(|pin| find(pin)).collect::<Result<_, _>>()?;
        Ok((inputs, find(OUTPUT)?))
    }
}

//! Helpers for tests of netlists.

use cryptable_circuits::Circuit;

/// The outputs of a circuit of one output bit on all inputs; the first input bit is the least significant.
pub fn table(circuit: &Circuit) -> Vec<bool> {
    let bits = circuit.input_bits();
    (0..1usize << bits)
        .map(|index| {
            let inputs: Vec<bool> = (0..bits).map(|bit| index >> bit & 1 == 1).collect();
            circuit.evaluate(&inputs).unwrap()[0]
        })
        .collect()
}

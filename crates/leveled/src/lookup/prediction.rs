//! What a lookup will take, by counts.

use crate::circuit_cost::CircuitCost;
use crate::cmux_tree::TreeShape;
use cryptable_fhew::keys::evaluation_key_bytes;

use super::{Parameters, width};

/// Bits that a word of a ciphertext takes in a file.
const WORD_BITS: u32 = 64;

/// Predicted work and memory of a lookup of one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Blind rotations of circuit bootstraps: one a ciphertext of the input.
    pub bootstraps: usize,
    /// CMUXes of the table.
    pub cmuxes: usize,
    /// Time on one thread, in u.
    pub eval_units: f64,
    /// Bytes of an evaluation key in its file, but for headers and parameters.
    pub key_file_bytes: usize,
    /// Bytes of memory that the evaluation key takes.
    pub key_memory_bytes: usize,
    /// Bytes of memory that the table takes, as a list twice and as polynomials.
    pub table_bytes: usize,
    /// Bytes of memory that the selectors of a value take.
    pub selector_bytes: usize,
    /// Bytes of a result in its file.
    pub result_bytes: usize,
}

impl Prediction {
    /// Counts.
    pub(super) fn of(parameters: &Parameters) -> Self {
        let circuit = parameters.circuit();
        let (bits, output_bits) =
            (width(parameters.input_modulus()), width(parameters.output_modulus()));
        let cost = CircuitCost::of(circuit);
        let shape = TreeShape::new(circuit, bits, output_bits);
        let fhew = circuit.parameters();
        let word_bits = WORD_BITS - (fhew.prime() - 1).leading_zeros();
        let outputs = parameters.digits(parameters.output_modulus());
        let result_bits = outputs * (fhew.ring_degree() + 1) * word_bits as usize;
        Self {
            bootstraps: parameters.digits(parameters.input_modulus()),
            cmuxes: shape.gates(),
            eval_units: cost.bootstraps_units(bits, 1) + cost.tree_units(shape),
            key_file_bytes: evaluation_key_bytes(fhew),
            key_memory_bytes: cost.key_memory_bytes() as usize,
            table_bytes: shape.bytes() + 2 * (size_of::<u64>() << bits),
            selector_bytes: (cost.selector_bytes * bits as f64) as usize,
            result_bytes: result_bits.div_ceil(8),
        }
    }

    /// Bytes of memory in all, of key, table, selectors and result.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.key_memory_bytes + self.table_bytes + self.selector_bytes + self.result_bytes
    }
}

//! Memory of a lookup beside the key: bounds that measurements (results of `bench`, one and two threads) stay below.

use cryptable_ring::selected_product::TableMatrix;

use crate::literal::ParametersLiteral;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;

/// Memory of CoeffsToSlots and the exponential, over the polynomials that CoeffsToSlots holds: two exponentials at once on
/// two threads, and gaps between buffers.
const WORKING_FACTOR: usize = 2;

/// Bytes of a word, and of an entry of a table.
const WORD_BYTES: usize = 8;

/// Bytes of an output of a table of a value's own.
const ENTRY_BYTES: usize = 4;

impl Parameters {
    /// As [`Parameters::working_bytes`], for a table of its own for every value: beside what one table takes, all outputs,
    /// or the halves of all encrypted entries that are no seeds (which may be in a mapped file).
    pub(crate) fn working_bytes_of_entries(&self, kind: EntryKind) -> usize {
        let literal = self.literal();
        let p = literal.input_modulus as usize;
        let entries = match (kind, self.circuit()) {
            (EntryKind::Plain, _) => ENTRY_BYTES * p * literal.slots,
            (EntryKind::Encrypted, Circuit::Multiplexer(circuit)) => {
                WORD_BYTES * p * literal.ring_degree * circuit.entry_limbs()
            }
            _ => 0,
        };
        self.working_bytes(1) + entries
    }

    /// Bytes of temporaries at the widest point, of tables and of results, for so many tables on one input.
    pub(crate) fn working_bytes(&self, tables: usize) -> usize {
        let literal = self.literal();
        // CoeffsToSlots holds the digits and two polynomials a giant step over all primes.
        let polynomials = literal.dnum + 2 * literal.coeffs_to_slots.baby_steps + 6;
        let limbs = WORKING_FACTOR * polynomials * literal.widest_basis().limbs();
        let results = 2 * tables * literal.ring_degree;
        let words = limbs * literal.ring_degree + results;
        WORD_BYTES * words
            + match self.circuit() {
                Circuit::Akp(_) | Circuit::MultiPrecision(_) => {
                    interpolation_bytes(literal, tables)
                }
                Circuit::Multiplexer(circuit) => {
                    circuit.tree_bytes() + table_bytes(literal, tables)
                }
            }
    }
}

/// Bytes of the powers and blocks of Paterson-Stockmeyer that AKP's interpolation holds for all exponentials, and of
/// outputs that wait for SlotsToCoeffs.
fn interpolation_bytes(literal: &ParametersLiteral, tables: usize) -> usize {
    let parts = if literal.slots < literal.ring_degree { 1 } else { 2 };
    let limbs = literal.exponential_limbs();
    let log_length = literal.interpolation_levels();
    let log_babies = (literal.log_babies as usize).min(log_length);
    let (babies, giants) = (1 << log_babies, log_length - log_babies);
    let steps = (babies + giants) * limbs;
    let blocks = (1 << giants) * (limbs - log_babies);
    // A table's outputs, of every part and joined.
    let outputs = tables * 2 * limbs;
    2 * WORD_BYTES * literal.ring_degree * parts * (steps + blocks + outputs)
}

/// Bytes of tables: the caller's, and what they are prepared to.
fn table_bytes(literal: &ParametersLiteral, tables: usize) -> usize {
    let entries = literal.input_modulus as usize;
    tables * (WORD_BYTES * entries + TableMatrix::bytes_at_most(entries))
}

//! What a lookup will cost, from its dry run.

use cryptable_wire::bit_packing::packed_bytes;

use crate::Parameters;
use crate::methods::circuit::Circuit;

/// Predicted costs of one lookup on one full ciphertext.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// NTTs of the ring degree.
    pub transforms: usize,
    /// Multiply-accumulates of one limb.
    pub limb_products: usize,
    /// Key switches.
    pub key_switches: usize,
    /// Multiply-accumulates of one limb by table entries.
    pub table_products: usize,
    /// Time in u on one thread.
    pub eval_units: f64,
    /// Evaluation keys in memory.
    pub key_memory_bytes: usize,
    /// Evaluation keys on disk.
    pub key_file_bytes: usize,
    /// Encoded matrices of the homomorphic DFTs.
    pub matrix_bytes: usize,
    /// Ciphertexts and temporaries at the widest point.
    pub working_bytes: usize,
    /// A fresh ciphertext.
    pub ciphertext_bytes: usize,
    /// A result.
    pub result_bytes: usize,
}

impl Prediction {
    /// Peak memory of a lookup: keys, matrices and temporaries.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.key_memory_bytes + self.matrix_bytes + self.working_bytes
    }
}

/// Measured cost of one multiply-accumulate of a limb, in NTTs of the same degree: memory traffic
/// included.
const UNITS_PER_LIMB_PRODUCT: f64 = 0.36;

/// Measured cost of one multiply-accumulate of a limb by a constant of a linear combination.
const UNITS_PER_COMBINATION_PRODUCT: f64 = 0.15;

/// Measured cost of one multiply-accumulate of a limb by a table entry, which runs from the cache.
const UNITS_PER_TABLE_PRODUCT: f64 = 0.012;

/// Measured memory of a lookup on two threads beyond keys and matrices, over that of CoeffsToSlots:
/// two waves at once, and recycled buffers of several lengths.
const WORKING_FACTOR: usize = 5;

impl Parameters {
    /// Predicts the cost of one lookup.
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        let literal = self.literal();
        let degree = literal.ring_degree;
        let dry_run = self.circuit().predict_worst(literal).dry_run;
        let counts = dry_run.counts();
        let requests = dry_run.key_requests();
        // An NTT of degree N against one of 2^16: N·log N.
        let size = degree as f64 / 65536.0;
        let transform_units = size * (degree as f64).log2() / 16.0;
        let eval_units = counts.transforms as f64 * transform_units
            + counts.limb_products as f64 * size * UNITS_PER_LIMB_PRODUCT
            + counts.combination_products as f64 * size * UNITS_PER_COMBINATION_PRODUCT
            + counts.table_products as f64 * size * UNITS_PER_TABLE_PRODUCT;
        let stages =
            [&self.circuit().phase_to_wave().coeffs_to_slots, self.circuit().slots_to_coeffs()];
        let plans = stages.into_iter().flat_map(|dft| dft.plans());
        let matrix_bytes =
            plans.map(|plan| 8 * plan.rounded_coefficients * plan.shape.basis.limbs()).sum();
        let widest = literal.widest_basis();
        // CoeffsToSlots holds the digits and two polynomials a giant step over all primes.
        let polynomials = literal.digits + 2 * literal.coeffs_to_slots.baby_steps + 6;
        let tree_bytes = match self.circuit() {
            Circuit::Akp(_) => 0,
            Circuit::Multiplexer(circuit) => circuit.tree_bytes(),
        };
        let bits = literal.log2_ciphertext_modulus;
        Prediction {
            transforms: counts.transforms,
            limb_products: counts.limb_products,
            key_switches: counts.key_switches,
            table_products: counts.table_products,
            eval_units,
            key_memory_bytes: requests.iter().map(|r| r.shape.memory_bytes(degree)).sum(),
            key_file_bytes: requests.iter().map(|r| r.shape.stored_bytes(degree)).sum(),
            matrix_bytes,
            working_bytes: WORKING_FACTOR * polynomials * widest.limbs() * degree * 8 + tree_bytes,
            ciphertext_bytes: packed_bytes(degree, bits),
            result_bytes: 2 * packed_bytes(degree, bits),
        }
    }
}

//! What a lookup will take, by counts.

use cryptable_fhew::keys::evaluation_key_bytes;
use cryptable_lattice::cost::Prediction;

use super::parameters::{Parameters, width};
use crate::bootstrapping::ciphertext_count;
use crate::cost::CircuitBootstrappingCost;
use crate::tree::TreeShape;

impl Parameters {
    /// Sizes of a table of these moduli.
    fn shape(&self) -> TreeShape {
        let (bits, output_bits) = (width(self.input_modulus()), width(self.output_modulus()));
        TreeShape::new(self.circuit_bootstrapping(), bits, output_bits)
    }

    /// Circuit bootstraps of a lookup of one value: a blind rotation for each of its ciphertexts.
    #[must_use]
    pub fn bootstraps(&self) -> usize {
        self.shape().inputs()
    }

    /// CMUXes of a lookup of one value.
    #[must_use]
    pub fn cmuxes(&self) -> usize {
        self.shape().cmuxes()
    }

    /// Bytes of memory that a table takes: as a list twice, and as polynomials.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        self.shape().bytes() + 2 * (size_of::<u64>() << width(self.input_modulus()))
    }

    /// Predicted work and memory of a lookup of one value.
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        let circuit = self.circuit_bootstrapping();
        let (shape, cost) = (self.shape(), CircuitBootstrappingCost::of(circuit));
        let bits = width(self.input_modulus());
        let lwe = circuit.lwe_shape();
        let inputs = ciphertext_count(bits, circuit.bits_per_ciphertext());
        let result_bytes = lwe.computed_bytes(shape.outputs()) as usize;
        let rgsw_bytes = (cost.rgsw_bytes * bits as f64) as usize;
        Prediction {
            work: cost.lookup(shape),
            values_per_ciphertext: 1,
            parallelism: inputs,
            key_memory_bytes: cost.key_memory_bytes() as usize,
            key_file_bytes: evaluation_key_bytes(circuit.fhew()),
            working_bytes: self.table_bytes() + rgsw_bytes + result_bytes,
            second_thread_bytes: 0,
            ciphertext_bytes: lwe.fresh_bytes(inputs) as usize,
            result_bytes,
        }
    }
}

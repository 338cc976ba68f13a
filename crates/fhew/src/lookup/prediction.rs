//! What a lookup will take, counted from parameters.

use cryptable_lattice::cost::Prediction;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, KeyId};

use super::Parameters;
use crate::cost;
use crate::keys::{evaluation_key_bytes, evaluation_key_memory_bytes};

/// Work of one lookup: blind rotations and a key switch.
impl Parameters {
    /// Time, memory and sizes of a lookup in one table. Every value is by itself, so that all numbers are those of one
    /// value; header and checksum of a ciphertext, which any number of values share, are left out.
    ///
    /// ```
    /// use cryptable_fhew::lookup::Parameters;
    /// use cryptable_lattice::cost::CostModel;
    /// let prediction = Parameters::insecure_toy(16, 16)?.prediction();
    /// let one = prediction.duration(&CostModel::default(), 1, 1);
    /// assert!(prediction.duration(&CostModel::default(), 1000, 2) > one);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        let fhew = self.fhew();
        let LweShape { dimension, modulus } = self.shape();
        let bits = modulus.ilog2() as usize;
        let keys = evaluation_key_bytes(fhew);
        // Two lengths of 8 bytes each, see `write_server_keys`.
        let envelope = HEADER_BYTES + 8 + self.to_bytes().len() + KeyId::BYTES + 8 + CHECKSUM_BYTES;
        // Digits of both halves of an accumulator, the accumulator and its products: a few polynomials more than rows.
        let polynomials = 2 * fhew.literal().rotation.rows() + 16;
        Prediction {
            work: cost::lookup(self.method(), fhew.literal()),
            values_per_ciphertext: 1,
            parallelism: 1,
            key_memory_bytes: evaluation_key_memory_bytes(fhew),
            key_file_bytes: keys.saturating_add(envelope),
            working_bytes: 8 * fhew.ring_degree() * polynomials,
            second_thread_bytes: 0,
            ciphertext_bytes: bits.div_ceil(8),
            result_bytes: ((dimension + 1) * bits).div_ceil(8),
        }
    }
}

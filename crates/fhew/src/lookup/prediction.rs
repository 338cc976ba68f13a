//! Predicted costs of a lookup, counted from parameters.

use cryptable_lattice::cost::Prediction;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, KeyId};

use super::Parameters;
use crate::cost;
use crate::keys::{evaluation_key_bytes, evaluation_key_memory_bytes, evaluation_key_words};

/// Largest number of polynomials of an encoded table, over all methods.
const POLYNOMIALS_A_TABLE: usize = 8;

/// Seconds that a command needs to choose parameters among all methods.
const CHOICE_SECONDS: f64 = 0.06;

/// Work of one lookup: blind rotations and a key switch.
impl Parameters {
    /// Predicts time, memory and sizes of a lookup in one table. All numbers are per value, since every value is looked up by
    /// itself. The header and checksum of a ciphertext, which all its values share, are not counted.
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
        let LweShape { dimension, modulus } = fhew.lwe_shape();
        let bits = modulus.ilog2() as usize;
        let keys = evaluation_key_bytes(fhew);
        // Two lengths of 8 bytes each, see `write_server_keys`.
        let envelope = HEADER_BYTES + 8 + self.to_bytes().len() + KeyId::BYTES + 8 + CHECKSUM_BYTES;
        // Digits of both halves of an accumulator, the accumulator and its products: a few more polynomials than rows.
        let polynomials = 2 * fhew.literal().rotation.rows() + 16;
        Prediction {
            work: cost::lookup(self.method(), fhew.literal()),
            values_per_ciphertext: 1,
            parallelism: 1,
            key_memory_bytes: evaluation_key_memory_bytes(fhew),
            key_file_bytes: keys.saturating_add(envelope),
            key_words: evaluation_key_words(fhew),
            choice_seconds: CHOICE_SECONDS,
            working_bytes: 8 * fhew.ring_degree() * polynomials,
            second_thread_bytes: 0,
            ciphertext_bytes: bits.div_ceil(8),
            result_bytes: ((dimension + 1) * bits).div_ceil(8),
        }
    }

    /// Predicts a lookup of `values` values at once in `tables` tables, like [`Parameters::prediction`]. Memory grows
    /// with both, since the results of all values in all tables exist at the same time. The predicted work is that of one
    /// lookup per table, an upper bound: [`super::EvaluationKey::lookup_many`] lists the work that tables share.
    ///
    /// ```
    /// use cryptable_fhew::lookup::Parameters;
    /// let parameters = Parameters::insecure_toy(16, 16)?;
    /// let [few, many] = [1, 1000].map(|values| parameters.prediction_for(values, 16));
    /// let results = 16 * 999 * 8 * parameters.fhew().lwe_dimension();
    /// assert!(many.working_bytes - few.working_bytes > results);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn prediction_for(&self, values: u64, tables: usize) -> Prediction {
        let (one, shape) = (self.prediction(), self.fhew().lwe_shape());
        let values = usize::try_from(values).unwrap_or(usize::MAX).max(1);
        let tables = tables.max(1);
        // All results; those of one table once more, while they are converted to a list and to bytes; the input.
        let results = shape.memory_bytes(values.saturating_mul(tables + 2));
        let encoded = tables * POLYNOMIALS_A_TABLE * 8 * self.fhew().ring_degree();
        let working_bytes = one.working_bytes.saturating_add(results).saturating_add(encoded);
        Prediction { work: one.work * tables as f64, working_bytes, ..one }
    }
}

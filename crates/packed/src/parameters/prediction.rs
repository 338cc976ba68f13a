//! What a lookup will cost, from its dry run.

use cryptable_ckks::dry_run::Counts;
use cryptable_lattice::KeyRequest;
use cryptable_lattice::cost::Prediction;
use cryptable_wire::bit_packing::packed_bytes;

use crate::parameters::parameter_set::Parameters;

impl Parameters {
    /// Predicts work, memory and sizes of a lookup of one table on one full ciphertext.
    ///
    /// ```
    /// use cryptable_packed::{CostModel, Parameters};
    /// let prediction = Parameters::insecure_toy(16, 16)?.prediction();
    /// let time = prediction.duration(&CostModel::default(), 1024, 1);
    /// assert!(time.as_secs_f64() < 1.0 && prediction.peak_bytes() > prediction.key_memory_bytes);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        self.prediction_of(1)
    }

    /// As [`Parameters::prediction`], for so many tables on one input: [`crate::EvaluationKey::lookup_many`].
    #[must_use]
    pub fn prediction_of(&self, tables: usize) -> Prediction {
        let literal = self.literal();
        let (degree, tables) = (literal.ring_degree, tables.max(1));
        let dry_run = self.circuit().predict_worst(tables).dry_run;
        let requests = self.key_requests();
        let bits = literal.log2_ciphertext_modulus;
        Prediction {
            work: dry_run.counts().work(degree),
            values_per_ciphertext: literal.slots,
            // Most steps share out limbs, and products of selectors, to the threads.
            parallelism: literal.limbs(),
            key_memory_bytes: self.memory_bytes_of(&requests),
            key_file_bytes: requests.iter().map(|r| r.shape.stored_bytes(degree)).sum(),
            working_bytes: self.working_bytes(tables),
            ciphertext_bytes: packed_bytes(degree, bits),
            result_bytes: 2 * packed_bytes(degree, bits),
        }
    }

    /// Bytes of the evaluation key in memory, encoded matrices included.
    pub(crate) fn key_memory_bytes(&self) -> usize {
        self.memory_bytes_of(&self.key_requests())
    }

    /// Bytes of these switching keys, and of the encoded matrices.
    fn memory_bytes_of(&self, requests: &[KeyRequest]) -> usize {
        let degree = self.literal().ring_degree;
        let keys: usize = requests.iter().map(|r| r.shape.memory_bytes(degree)).sum();
        let stages =
            [&self.circuit().phase_exponential().coeffs_to_slots, self.circuit().slots_to_coeffs()];
        let stages = stages.into_iter().chain(self.circuit().clearing_plans());
        let stages = stages.chain(self.selection().map(|it| &it.slots_to_coeffs));
        let plans = stages.flat_map(|dft| dft.plans());
        let matrices: usize =
            plans.map(|plan| 8 * plan.rounded_coefficients * plan.shape.basis.limbs()).sum();
        keys + matrices
    }

    /// Counts of the operations of a lookup of so many tables on one input.
    #[must_use]
    pub fn operation_counts(&self, tables: usize) -> Counts {
        self.circuit().predict_worst(tables.max(1)).dry_run.counts()
    }
}

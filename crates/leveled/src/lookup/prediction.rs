//! Predicted costs of a lookup, by counts.

use cryptable_fhew::keys::{evaluation_key_bytes, evaluation_key_words};
use cryptable_lattice::cost::Prediction;

use super::parameters::{Parameters, width};
use crate::bootstrapping::ciphertext_count;
use crate::cost::CircuitBootstrappingCost;
use crate::keys::BITS_A_THREAD;
use crate::tree::TreeShape;

impl Parameters {
    /// Returns the sizes of a table of these moduli.
    fn shape(&self) -> TreeShape {
        let (bits, output_bits) = (width(self.input_modulus()), width(self.output_modulus()));
        TreeShape::new(self.circuit_bootstrapping(), bits, output_bits)
    }

    /// Returns the number of circuit bootstraps of a lookup of one value: a blind rotation per ciphertext.
    #[must_use]
    pub fn bootstraps(&self) -> usize {
        self.shape().inputs()
    }

    /// Returns the number of CMUXes of a lookup of one value.
    #[must_use]
    pub fn cmuxes(&self) -> usize {
        self.shape().cmuxes()
    }

    /// Returns the bytes of memory that a table needs: twice as a list, and once as polynomials.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        self.shape().bytes() + 2 * (size_of::<u64>() << width(self.input_modulus()))
    }

    /// Predicts work and memory of a lookup of one value.
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
            key_words: evaluation_key_words(circuit.fhew()),
            choice_seconds: 0.0,
            working_bytes: self.table_bytes() + rgsw_bytes + result_bytes,
            second_thread_bytes: 0,
            ciphertext_bytes: lwe.fresh_bytes(inputs) as usize,
            result_bytes,
        }
    }

    /// Predicts a lookup of `values` values at once in `tables` tables, like [`Parameters::prediction`]. Memory grows
    /// with both, since the results of all values in all tables exist at the same time. It also includes the RGSW ciphertexts
    /// of the bits that the threads process at once. Tables share circuit bootstraps.
    ///
    /// ```
    /// use cryptable_lattice::cost::CostModel;
    /// use cryptable_leveled::lookup::Parameters;
    /// let parameters = Parameters::insecure_toy(16, 16)?;
    /// let of = |values, tables| parameters.prediction_for(values, tables);
    /// assert!(of(1000, 16).working_bytes > 10 * of(1, 16).working_bytes);
    /// let seconds = |tables| CostModel::default().seconds(&of(1, tables).work);
    /// assert!(seconds(1) < seconds(16) && seconds(16) < 16.0 * seconds(1));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn prediction_for(&self, values: u64, tables: usize) -> Prediction {
        let circuit = self.circuit_bootstrapping();
        let (one, shape, lwe) = (self.prediction(), self.shape(), circuit.lwe_shape());
        let cost = CircuitBootstrappingCost::of(circuit);
        let values = usize::try_from(values).unwrap_or(usize::MAX).max(1);
        let tables = tables.max(1);
        // At most three copies of a table's results exist: as values, as a list, as bytes.
        let results = values.saturating_mul(shape.outputs()).saturating_mul(tables + 2);
        let of_input = values.saturating_mul(shape.inputs());
        let bits = values.saturating_mul(shape.input_bits());
        let selectors =
            |threads: usize| (cost.rgsw_bytes * bits.min(BITS_A_THREAD * threads) as f64) as usize;
        let working_bytes = (tables * self.table_bytes())
            .saturating_add(lwe.memory_bytes(results.saturating_add(of_input)))
            .saturating_add(selectors(1));
        let mut work = one.work;
        (1..tables).for_each(|_| work += cost.tree(shape));
        let second_thread_bytes = selectors(2) - selectors(1);
        Prediction { work, working_bytes, second_thread_bytes, ..one }
    }
}

//! Predicted cost of packed lookups of single values, and the number of values from which they are faster.

use cryptable_lattice::cost::{CostModel, Prediction, Work};
use cryptable_lattice::lwe_list::LweShape;
use cryptable_packed::EntryKind;

use super::Parameters;
use crate::cost::{self, Masks};
use crate::extraction::SeededExtractionKey;
use crate::packing::SeededRingPackingKey;

impl Parameters {
    /// Predicts time, memory and sizes of a lookup of a full packed ciphertext, conversions included.
    ///
    /// ```
    /// use cryptable_conversion::lookup::Parameters;
    /// let parameters = Parameters::insecure_toy(4, 4)?;
    /// let (both, packed) = (parameters.prediction(), parameters.packed().prediction());
    /// assert!(both.work.transforms > packed.work.transforms);
    /// assert_eq!(both.values_per_ciphertext, 1024);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        self.prediction_for(1)
    }

    /// Predicts a lookup in `tables` tables, like [`Parameters::prediction`]. Each table has its own results and
    /// extractions.
    #[must_use]
    pub fn prediction_for(&self, tables: usize) -> Prediction {
        let tables = tables.max(1);
        let (single, packed) =
            (self.single().prediction(), self.packed().prediction_for(EntryKind::Shared, tables));
        let LweShape { dimension, modulus } = self.conversion().lwe_shape();
        let slots = packed.values_per_ciphertext;
        let conversion = self.conversion();
        let files = SeededRingPackingKey::body_bytes(conversion)
            + SeededExtractionKey::body_bytes(conversion);
        let mut work = packed.work;
        work += self.packing_work(slots as f64);
        work += self.extraction_work(slots as f64) * tables as f64;
        // The masks of the input and of every result, and the columns of one of them.
        let lists = (2 + tables) * 8 * slots * (dimension + 1);
        Prediction {
            work,
            key_memory_bytes: single.key_memory_bytes
                + packed.key_memory_bytes
                + self.conversion().key_memory_bytes(),
            key_file_bytes: single.key_file_bytes + packed.key_file_bytes + files as usize,
            key_words: single.key_words
                + packed.key_words
                + self.conversion().key_memory_bytes() / size_of::<u64>(),
            choice_seconds: single.choice_seconds + packed.choice_seconds,
            working_bytes: packed.working_bytes + lists,
            // A fresh value is one word, a result a mask and a word.
            ciphertext_bytes: single.ciphertext_bytes * slots,
            result_bytes: (dimension + 1) * slots * modulus.ilog2() as usize / 8,
            ..packed
        }
    }

    /// Returns the number of values, up to the capacity of a packed ciphertext, from which a packed lookup is faster
    /// than lookups one by one. It does not depend on the number of threads, since both distribute their work evenly.
    /// `None` if packing is never faster.
    #[must_use]
    pub fn crossing(&self, cost: &CostModel) -> Option<u64> {
        self.crossing_against(cost, &self.single().prediction())
    }

    /// Returns the crossing like [`Parameters::crossing`], but compared with single lookups with other parameters: `n =
    /// fixed/(single - value)`, from the work per ciphertext and the additional work per value.
    #[must_use]
    pub fn crossing_against(&self, cost: &CostModel, single: &Prediction) -> Option<u64> {
        let mut fixed = self.packed().prediction().work;
        fixed += self.packing_work(0.0);
        fixed += self.extraction_work(0.0);
        let slots = self.packed().literal().slots as f64;
        let all = cost.seconds(&self.prediction().work);
        let fixed = cost.seconds(&fixed);
        let gain = cost.seconds(&single.work) - (all - fixed) / slots;
        let values = (fixed / gain).ceil();
        (gain > 0.0 && values <= slots).then_some((values as u64).max(1))
    }

    /// Returns the work of ring packing of `values` fresh values.
    fn packing_work(&self, values: f64) -> Work {
        let slots = self.packed().literal().slots;
        cost::packing(self.conversion(), slots, values, Masks::Drawn)
    }

    /// Returns the work of extracting `values` values.
    fn extraction_work(&self, values: f64) -> Work {
        cost::extraction(self.conversion(), self.packed().literal().slots, values)
    }
}

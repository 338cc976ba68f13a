//! What a lookup of packed single values will take, and from how many values on it pays.

use cryptable_lattice::cost::{CostModel, Prediction, Work};
use cryptable_lattice::lwe_list::LweShape;

use super::Parameters;
use crate::extraction::SeededExtractionKey;
use crate::literal::BlockLiteral;
use crate::packing::SeededRingPackingKey;

/// Bytes of a word.
const WORD: f64 = 8.0;

/// Passes over a word of a mask, beside products: rows become columns or columns rows, and pages are fresh.
/// Fitted to 65,536 values of dimension 820, as all of these.
const PACKING_PASSES: f64 = 16.0;
const EXTRACTION_PASSES: f64 = 23.0;

/// Transforms of degree 65,536 that drawing as many words of a mask from a seed takes.
const DRAWING: f64 = 7.6;

/// Combination products that a product with the key of a block takes: operands come from the second-level cache.
const PRODUCT: f64 = 1.25;

/// Words of a limb of degree 65,536.
const LIMB: f64 = 65536.0;

impl Parameters {
    /// Time, memory and sizes of a lookup of as many values as a packed ciphertext holds, conversions included.
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
        let (single, packed) = (self.single().prediction(), self.packed().prediction());
        let LweShape { dimension, modulus } = self.conversion().lwe_shape();
        let slots = packed.values_per_ciphertext;
        let conversion = self.conversion();
        let files = SeededRingPackingKey::body_bytes(conversion)
            + SeededExtractionKey::body_bytes(conversion);
        let mut work = packed.work;
        work += self.packing_work(slots as f64);
        work += self.extraction_work(slots as f64);
        // Masks of the input and of the result, and columns of one of them.
        let lists = 3 * 8 * slots * (dimension + 1);
        Prediction {
            work,
            key_memory_bytes: single.key_memory_bytes
                + packed.key_memory_bytes
                + self.conversion_memory_bytes(),
            key_file_bytes: single.key_file_bytes + packed.key_file_bytes + files as usize,
            working_bytes: packed.working_bytes + lists,
            // A fresh value is a word, a result a mask and a word.
            ciphertext_bytes: single.ciphertext_bytes * slots,
            result_bytes: (dimension + 1) * slots * modulus.ilog2() as usize / 8,
            ..packed
        }
    }

    /// From how many values on, up to those of a packed ciphertext, a packed lookup is faster than one by one: on any
    /// number of threads, since both share their work out. `None` if it never is.
    #[must_use]
    pub fn crossing(&self, cost: &CostModel) -> Option<u64> {
        self.crossing_against(cost, &self.single().prediction())
    }

    /// As [`Parameters::crossing`], against single lookups with other parameters: `n = fixed/(single - value)`, of the
    /// work that a ciphertext takes however many values are in it, and that which each value adds.
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

    /// Ring packing: n + 2 transforms a block, ℓ + 2 of degree N, `2·n·N` products; masks of so many values, drawn from
    /// their seed.
    fn packing_work(&self, values: f64) -> Work {
        let literal = self.conversion().literal();
        let n = literal.lwe_dimension as f64;
        let blocks = self.blocks(&literal.packing);
        let degree = literal.packing.degree;
        let switch = (literal.packing.switching.length + 2) as f64 * relative(literal.ring_degree);
        Work {
            transforms: blocks * (n + 2.0) * relative(degree)
                + switch
                + DRAWING * n * values / LIMB,
            combination_products: PRODUCT * blocks * 2.0 * n * degree as f64 / LIMB,
            key_bytes: PACKING_PASSES * WORD * n * values,
            ..Work::default()
        }
    }

    /// Extraction: ℓ + n + 1 transforms a block, ℓ' + 2 of degree N, `ℓ·(n + 1)·N` products; masks of so many values.
    fn extraction_work(&self, values: f64) -> Work {
        let literal = self.conversion().literal();
        let width = (literal.lwe_dimension + 1) as f64;
        let (blocks, degree) = (self.blocks(&literal.extraction), literal.extraction.degree);
        let length = literal.key_switching.map_or(0, |digits| digits.length) as f64;
        let switch =
            (literal.extraction.switching.length + 2) as f64 * relative(literal.ring_degree);
        Work {
            transforms: blocks * (length + width) * relative(degree) + switch,
            combination_products: PRODUCT * blocks * length * width * degree as f64 / LIMB,
            key_bytes: EXTRACTION_PASSES * WORD * width * values,
            ..Work::default()
        }
    }

    /// Blocks that hold values: of sparse layouts few.
    fn blocks(&self, block: &BlockLiteral) -> f64 {
        (self.packed().literal().slots as f64 / block.degree as f64).max(1.0)
    }

    /// Bytes of both conversion keys in memory.
    fn conversion_memory_bytes(&self) -> usize {
        let literal = self.conversion().literal();
        let switch = |block: &BlockLiteral| 2 * literal.ring_degree * block.switching.length;
        let columns = 2 * literal.lwe_dimension * literal.packing.degree;
        let length = literal.key_switching.map_or(0, |digits| digits.length);
        let rows = length * (literal.lwe_dimension + 1);
        8 * (columns + rows * literal.extraction.degree)
            + 8 * (switch(&literal.packing) + switch(&literal.extraction))
    }
}

/// A transform of this degree in those of degree 65,536: N·log2 N.
fn relative(degree: usize) -> f64 {
    let degree = degree as f64;
    degree * degree.log2() / (LIMB * 16.0)
}

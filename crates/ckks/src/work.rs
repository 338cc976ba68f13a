//! Conversion of operation counts to work of the cost model.

use cryptable_lattice::cost::Work;

use crate::dry_run::Counts;

/// Cost of a base conversion's product, in combination products: its inputs are also reduced. This and the other
/// constants are fitted to the steps of lookups.
const CONVERSION: f64 = 1.93;

/// Cost of lifting a limb to another prime beyond its own product, in combination products: the limb is written to
/// memory for that product alone, while digits of twelve primes write a limb for twelve products. AKP of 6 bits at
/// degree 2^15 has 24 digits.
const LIFTED: f64 = 3.4;

/// Factors by which primes beyond 2^50 are slower: transforms, products of limbs, combination products and base
/// conversions. Derived from AKP of 13 bits.
const WIDE: [f64; 4] = [2.2, 2.0, 2.2, 1.2];

/// Degree for which the units of [`Work`] are defined.
const WORK_DEGREE: f64 = 65536.0;

impl Counts {
    /// Converts counts at a ring degree to work: a transform of degree N costs N·log N.
    ///
    /// ```
    /// use cryptable_ckks::dry_run::Counts;
    /// let counts = Counts { transforms: 8, ..Counts::default() };
    /// assert_eq!(counts.work(1 << 16).transforms, 8.0);
    /// assert_eq!(counts.work(1 << 8).transforms, 8.0 / 256.0 / 2.0);
    /// ```
    #[must_use]
    pub fn work(&self, degree: usize) -> Work {
        self.work_times(degree, [1.0; 4])
    }

    /// Returns the work like [`Counts::work`], modulo primes beyond 2^50, which are several times slower.
    ///
    /// ```
    /// use cryptable_ckks::dry_run::Counts;
    /// let counts = Counts { transforms: 8, ..Counts::default() };
    /// assert!(counts.work_of_wide_primes(1 << 16).transforms > counts.work(1 << 16).transforms);
    /// ```
    #[must_use]
    pub fn work_of_wide_primes(&self, degree: usize) -> Work {
        self.work_times(degree, WIDE)
    }

    /// The work, with factors for transforms, products of limbs, combination products and conversions.
    fn work_times(
        &self,
        degree: usize,
        [of_transform, of_product, of_combination, of_conversion]: [f64; 4],
    ) -> Work {
        let size = degree as f64 / WORK_DEGREE;
        let transform = size * (degree as f64).log2() / WORK_DEGREE.log2();
        Work {
            transforms: of_transform * self.transforms as f64 * transform,
            limb_products: of_product * self.limb_products as f64 * size,
            combination_products: size
                * (of_combination * self.combination_products as f64
                    + of_conversion * CONVERSION * self.conversion_products as f64
                    + LIFTED * self.lifted_limbs as f64),
            table_products: self.table_products as f64 * size,
            ..Work::default()
        }
    }
}

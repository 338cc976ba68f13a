//! Counted operations as work of the cost model.

use cryptable_lattice::cost::Work;

use crate::dry_run::Counts;

/// Combination products that a base conversion's product takes: its inputs are reduced on the way. Fitted to the steps of
/// lookups, as all of these.
const CONVERSION: f64 = 1.93;

/// Combination products that lifting a limb to another prime takes beyond its own product: it is written to memory for that
/// product alone, where digits of twelve primes write a limb for twelve. AKP of 6 bits at degree 2^15 has 24 digits.
const LIFTED: f64 = 3.4;

/// How many times as long primes beyond 2^50 take: transforms, products of limbs, combination products and base conversions.
/// From AKP of 13 bits.
const WIDE: [f64; 4] = [2.2, 2.0, 2.2, 1.2];

/// Degree that the units of [`Work`] are counted at.
const WORK_DEGREE: f64 = 65536.0;

impl Counts {
    /// Counts at a ring degree as work: a transform of degree N is N·log N.
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

    /// Returns the work like [`Counts::work`], modulo primes beyond 2^50, which take several times as long.
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

    /// The work, with factors of transforms, products of limbs, combination products and conversions.
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

//! Counted operations as work of the cost model.

use cryptable_lattice::cost::Work;

use crate::dry_run::Counts;

/// Combination products that a base conversion's product takes: its inputs are reduced on the way. Fitted to the steps of
/// lookups, within 5 % of which it leaves predictions in the mean.
const CONVERSION: f64 = 1.85;

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
        let size = degree as f64 / WORK_DEGREE;
        let transform = size * (degree as f64).log2() / WORK_DEGREE.log2();
        Work {
            transforms: self.transforms as f64 * transform,
            limb_products: self.limb_products as f64 * size,
            combination_products: size
                * (self.combination_products as f64 + CONVERSION * self.conversion_products as f64),
            table_products: self.table_products as f64 * size,
            ..Work::default()
        }
    }
}

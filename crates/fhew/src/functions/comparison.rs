//! Comparison of values of large precision: the sign of their difference.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;

use super::large_functions::LargeFunctions;
use crate::decomposition::large_precision::check_large;

impl LargeFunctions<'_> {
    /// 1 if x < y, else 0: as [`LargeFunctions::sign`], for x and y whose difference fits, such as all in
    /// [-2^(bits-2), 2^(bits-2)).
    ///
    /// # Errors
    /// As [`LargeFunctions::sign`].
    pub fn less_than(
        &self,
        x: &LweCiphertext,
        y: &LweCiphertext,
        output_modulus: u64,
    ) -> Result<LweCiphertext> {
        self.sign(&self.difference(x, y)?, output_modulus)
    }

    /// x - y.
    pub(super) fn difference(&self, x: &LweCiphertext, y: &LweCiphertext) -> Result<LweCiphertext> {
        check_large(self.key.parameters(), x)?;
        check_large(self.key.parameters(), y)?;
        let mut difference = x.clone();
        difference.sub_assign(y);
        Ok(difference)
    }
}

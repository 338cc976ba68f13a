//! Maximum of values of large precision.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;

use super::large_functions::LargeFunctions;

impl LargeFunctions<'_> {
    /// max(x, y) modulo 2^(bits-1), as [`LargeFunctions::relu`] gives it, for x and y whose difference fits.
    ///
    /// y + max(x - y, 0).
    ///
    /// # Errors
    /// If a ciphertext is not one of large precision.
    pub fn maximum(&self, x: &LweCiphertext, y: &LweCiphertext) -> Result<LweCiphertext> {
        let mut result = self.relu(&self.difference(x, y)?)?;
        // y modulo 2^(bits-1) has twice the phase.
        result.add_assign(y);
        result.add_assign(y);
        Ok(result)
    }
}

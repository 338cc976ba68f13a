//! ReLU of large precision.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;

use super::large_functions::LargeFunctions;

impl LargeFunctions<'_> {
    /// max(x, 0), of bits - 1 bits: phase max(x, 0)·q_0/2^(bits-1).
    ///
    /// x + |x| is 2·max(x, 0): a phase of half the modulus, without a division. Cost and noise of
    /// [`LargeFunctions::absolute`], and the input's noise.
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision.
    pub fn relu(&self, x: &LweCiphertext) -> Result<LweCiphertext> {
        let mut sum = self.absolute(x)?;
        sum.add_assign(x);
        Ok(sum)
    }
}

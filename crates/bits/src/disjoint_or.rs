//! The OR of bits that are never both 1: their sum, without a product or a level.

use cryptable_ckks::Arithmetic;
use cryptable_lattice::error::Result;

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

impl EvaluationKey {
    /// Returns `x + y` at the lower of both levels: the OR and XOR of two bits that are never both 1, as in
    /// multiplexers and carries. If both bits are 1, the result is not a bit.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[false, true, false])?, secret.encrypt(&[true, false, false])?);
    /// let either = server.disjoint_or(&x, &y)?;
    /// assert_eq!(secret.decrypt(&either)?, [true, true, false]);
    /// assert_eq!(either.levels(), x.levels());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, their numbers differ, or the sum would be too
    /// noisy.
    pub fn disjoint_or(&self, x: &EncryptedBits, y: &EncryptedBits) -> Result<EncryptedBits> {
        self.check(&[x, y])?;
        let limbs = x.limbs().min(y.limbs());
        let of_both = [x, y].map(|bits| self.noise_at(bits, limbs));
        let noise = self.parameters().noise_after_disjoint_or(of_both[0], of_both[1]);
        noise.check("the sum", self.parameters().literal().log2_fail)?;
        let parts = x.parts.iter().zip(&y.parts).map(|(x, y)| {
            let mut sum = self.lowered(x, limbs);
            self.evaluator().add_assign(&mut sum, &self.lowered(y, limbs));
            sum
        });
        Ok(x.with_parts(parts.collect(), noise))
    }
}

impl Parameters {
    /// Noise of a sum of two bits of one level. Deviations add up, because the bits may depend on each other.
    #[must_use]
    pub fn noise_after_disjoint_or(&self, x: BitNoise, y: BitNoise) -> BitNoise {
        x + y
    }
}

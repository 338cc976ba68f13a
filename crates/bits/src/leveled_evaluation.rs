//! Operations on bits between bootstraps: gates, negations, cleaning.

use cryptable_ckks::{Arithmetic, Ciphertext};
use cryptable_lattice::error::{Result, check_within};

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::gate::{Gate, GatePolynomial};
use crate::noise::BitNoise;
use crate::{cleaning, leveled_gates};

impl EvaluationKey {
    /// Evaluates a gate of two bits between bootstraps. The result is one level below the lower of the two.
    ///
    /// ```
    /// use cryptable_bits::{Gate, Packing, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[false, true])?, secret.encrypt(&[true, true])?);
    /// let result = server.gate(Gate::AndNot, &y, &x)?;
    /// assert_eq!(secret.decrypt(&result)?, [true, false]);
    /// assert_eq!(result.levels(), x.levels() - 1);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, their numbers differ, no level is left, or the
    /// result would be too noisy ([`NoiseTooLarge`](cryptable_lattice::Error::NoiseTooLarge)).
    pub fn gate(&self, gate: Gate, x: &EncryptedBits, y: &EncryptedBits) -> Result<EncryptedBits> {
        self.check(&[x, y])?;
        let limbs = self.limbs_above(&[x, y], 1)?;
        let (noise_x, noise_y) = (self.noise_at(x, limbs), self.noise_at(y, limbs));
        let noise = self.parameters().noise_after_gate(gate, noise_x, noise_y);
        noise.check("the gate", self.parameters().literal().log2_fail)?;
        let polynomial = gate.polynomial();
        let parts = x.parts.iter().zip(&y.parts).collect();
        let parts = self.evaluator().map_all(parts, |(x, y): (&Ciphertext, &Ciphertext)| {
            let (x, y) = (self.lowered(x, limbs), self.lowered(y, limbs));
            leveled_gates::gate(&self.evaluator(), polynomial, &x, &y)
        });
        Ok(x.with_parts(parts, noise))
    }

    /// Evaluates several gates of the same two bits with one product, for little more than the cost of one gate.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::gate`].
    pub fn gates(
        &self,
        gates: &[Gate],
        x: &EncryptedBits,
        y: &EncryptedBits,
    ) -> Result<Vec<EncryptedBits>> {
        self.check(&[x, y])?;
        let limbs = self.limbs_above(&[x, y], 1)?;
        let (noise_x, noise_y) = (self.noise_at(x, limbs), self.noise_at(y, limbs));
        let predict =
            |&gate: &Gate| self.parameters().noise_after_shared_gate(gate, noise_x, noise_y);
        let noises: Vec<BitNoise> = gates.iter().map(predict).collect();
        let limit = self.parameters().literal().log2_fail;
        noises.iter().try_for_each(|noise| noise.check("the gate", limit))?;
        let polynomials: Vec<GatePolynomial> = gates.iter().map(|gate| gate.polynomial()).collect();
        let parts = x.parts.iter().zip(&y.parts).collect();
        let by_part = self.evaluator().map_all(parts, |(x, y): (&Ciphertext, &Ciphertext)| {
            let (x, y) = (self.lowered(x, limbs), self.lowered(y, limbs));
            let lowered = [self.lowered(&x, limbs - 1), self.lowered(&y, limbs - 1)];
            let lowered = [&lowered[0], &lowered[1]];
            leveled_gates::gates(&self.evaluator(), &polynomials, &x, &y, lowered)
        });
        Ok(self.join_parts(by_part, x.count, &noises))
    }

    /// Negates bits, without a level or noise.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters.
    pub fn not(&self, x: &EncryptedBits) -> Result<EncryptedBits> {
        self.check(&[x])?;
        let not = |part| leveled_gates::not(&self.evaluator(), part);
        let parts = x.parts.iter().map(not).collect();
        Ok(x.with_parts(parts, x.noise))
    }

    /// Squares the errors of bits by `3x² - 2x³`, which consumes two levels.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, fewer than two levels are left, or the result would
    /// be too noisy ([`NoiseTooLarge`](cryptable_lattice::Error::NoiseTooLarge)).
    pub fn clean(&self, x: &EncryptedBits) -> Result<EncryptedBits> {
        self.check(&[x])?;
        self.limbs_above(&[x], cleaning::LEVELS)?;
        let noise = self.parameters().noise_after_cleaning(x.noise);
        noise.check("cleaning", self.parameters().literal().log2_fail)?;
        Ok(self.clean_unchecked(x, noise))
    }

    /// Cleans bits of this key and states `noise` for the result. The caller has checked the levels.
    pub(crate) fn clean_unchecked(&self, x: &EncryptedBits, noise: BitNoise) -> EncryptedBits {
        let clean = |part: &Ciphertext| {
            cleaning::clean(&self.evaluator(), part, &self.lowered(part, x.limbs() - 1))
        };
        x.with_parts(self.evaluator().map_all(x.parts.iter().collect(), clean), noise)
    }

    /// Returns the same bits with `levels` levels left, which need less memory and less time in later operations. The
    /// levels that are kept stay usable, and one rounding of noise is added.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let x = secret.encrypt(&[true, false])?;
    /// let lowered = server.lower(&x, 1)?;
    /// assert_eq!((x.levels(), lowered.levels()), (2, 1));
    /// assert_eq!(secret.decrypt(&lowered)?, [true, false]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, or have fewer levels left.
    pub fn lower(&self, x: &EncryptedBits, levels: usize) -> Result<EncryptedBits> {
        self.check(&[x])?;
        self.limbs_above(&[x], levels)?;
        let limbs = self.parameters().literal().input_limbs() + levels;
        let noise = self.noise_at(x, limbs);
        let lower = |part: &Ciphertext| self.lowered(part, limbs);
        let parts = self.evaluator().map_all(x.parts.iter().collect(), lower);
        Ok(x.with_parts(parts, noise))
    }

    /// Limbs of the lowest of some bits, after checking that it has `levels` levels left.
    pub(crate) fn limbs_above(&self, bits: &[&EncryptedBits], levels: usize) -> Result<usize> {
        let left = bits.iter().map(|bits| bits.levels()).min().unwrap_or(0);
        check_within("number of levels left", left as u64, levels as u64..)?;
        Ok(self.parameters().literal().input_limbs() + left)
    }
}

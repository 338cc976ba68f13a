//! LWE ciphertexts of single values, and their changes of modulus (Sec. 2.2.1 and 2.3.1 of Ma et al., TCHES 2024).

use crate::security::SecretDistribution;

/// An LWE ciphertext (b, a) modulo q, of phase b + ⟨a, s⟩ mod q.
///
/// The modulus may be any number below 2^62: a power of two between lookups, or the prime of the ring right after a
/// blind rotation. Operators panic if moduli or dimensions differ. These are errors of the program, never of the data,
/// which public interfaces check first.
///
/// ```
/// use cryptable_lattice::lwe::LweCiphertext;
/// let mut c = LweCiphertext::trivial(4, 1 << 20, 300_000);
/// c.add_assign(&LweCiphertext::trivial(4, 1 << 20, 1_000_000));
/// assert_eq!(c.body(), 1_300_000 % (1 << 20));
/// assert_eq!(c.mod_down(1 << 12).body(), 1_300_000 % (1 << 12));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LweCiphertext {
    /// The mask, followed by the body, each word in `[0, q)`.
    words: Vec<u64>,
    modulus: u64,
}

impl LweCiphertext {
    /// Returns the ciphertext with the words of a mask, followed by its body.
    ///
    /// # Panics
    /// If there is no word, the modulus is not in `[2, 2^62)`, or a word is not below the modulus.
    #[must_use]
    pub fn from_words(words: Vec<u64>, modulus: u64) -> Self {
        assert!((2..1 << 62).contains(&modulus), "LWE modulus {modulus}");
        assert!(
            !words.is_empty() && words.iter().all(|&w| w < modulus),
            "LWE words modulo {modulus}"
        );
        Self { words, modulus }
    }

    /// Returns the ciphertext without mask or noise that encrypts `phase` under every secret.
    ///
    /// # Panics
    /// Panics like [`LweCiphertext::from_words`].
    #[must_use]
    pub fn trivial(dimension: usize, modulus: u64, phase: u64) -> Self {
        let mut words = vec![0; dimension + 1];
        words[dimension] = phase;
        Self::from_words(words, modulus)
    }

    /// Returns the dimension n of the mask.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.words.len() - 1
    }

    /// Returns the modulus q.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the mask a.
    #[must_use]
    pub fn mask(&self) -> &[u64] {
        &self.words[..self.dimension()]
    }

    /// Returns the body b.
    #[must_use]
    pub fn body(&self) -> u64 {
        self.words[self.dimension()]
    }

    /// Returns the words of the mask, followed by the body.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    fn map_assign(&mut self, of: impl Fn(u64) -> u64) {
        self.words.iter_mut().for_each(|word| *word = of(*word));
    }

    fn zip_assign(&mut self, other: &Self, of: impl Fn(u64, u64) -> u64) {
        assert_eq!(self.modulus, other.modulus, "LWE moduli");
        assert_eq!(self.dimension(), other.dimension(), "LWE dimensions");
        for (word, &with) in self.words.iter_mut().zip(&other.words) {
            *word = of(*word, with);
        }
    }

    /// `self += other`. Variances of independent noises add up.
    ///
    /// # Panics
    /// If moduli or dimensions differ.
    pub fn add_assign(&mut self, other: &Self) {
        let q = self.modulus;
        self.zip_assign(other, |x, y| if x + y >= q { x + y - q } else { x + y });
    }

    /// `self -= other`. Variances of independent noises add up.
    ///
    /// # Panics
    /// If moduli or dimensions differ.
    pub fn sub_assign(&mut self, other: &Self) {
        let q = self.modulus;
        self.zip_assign(other, |x, y| if x >= y { x - y } else { x + q - y });
    }

    /// `self = -self`.
    pub fn neg_assign(&mut self) {
        let q = self.modulus;
        self.map_assign(|x| if x == 0 { 0 } else { q - x });
    }

    /// `self *= factor`. The noise grows with the factor.
    pub fn mul_integer_assign(&mut self, factor: i64) {
        let q = self.modulus;
        let factor = u128::from(factor.rem_euclid(q as i64) as u64);
        self.map_assign(|x| (u128::from(x) * factor % u128::from(q)) as u64);
    }

    /// Adds a constant to the phase.
    ///
    /// # Panics
    /// If the constant is not below the modulus.
    pub fn add_constant_assign(&mut self, constant: u64) {
        assert!(constant < self.modulus, "constant {constant} modulo {}", self.modulus);
        let (dimension, q) = (self.dimension(), self.modulus);
        let body = self.words[dimension] + constant;
        self.words[dimension] = if body >= q { body - q } else { body };
    }

    /// ModDown: the phase modulo a divisor of q, without noise.
    ///
    /// # Panics
    /// If `modulus` does not divide q.
    #[must_use]
    pub fn mod_down(&self, modulus: u64) -> Self {
        assert!(self.modulus.is_multiple_of(modulus), "{modulus} does not divide {}", self.modulus);
        Self::from_words(self.words.iter().map(|word| word % modulus).collect(), modulus)
    }

    /// ModUp: the phase plus an unknown multiple of q, modulo a multiple of q.
    ///
    /// # Panics
    /// If q does not divide `modulus`.
    #[must_use]
    pub fn mod_up(&self, modulus: u64) -> Self {
        assert!(modulus.is_multiple_of(self.modulus), "{} does not divide {modulus}", self.modulus);
        Self::from_words(self.words.clone(), modulus)
    }

    /// ModSwitch: multiplies the phase by modulus/q and rounds.
    ///
    /// Rounding a mask word by ε adds ε·s to the phase. Under a binary secret its mean over s, ε/2, is known and
    /// subtracted from the body, so that ε·(s - 1/2) remains: variance n/48 + 1/12 instead of n/24 + 1/12 (the mean
    /// compensation of recent FHEW bootstrapping). Ternary secrets are already centred: n/18 + 1/12.
    ///
    /// # Panics
    /// If `modulus` is not in `[2, 2^62)`, or is more than 2^30 times q.
    #[must_use]
    pub fn modulus_switch(&self, modulus: u64, secret: SecretDistribution) -> Self {
        let nearest = |exact| ((exact + Scale::HALF) >> Scale::FRACTION_BITS) as i128;
        self.switch_rounding(modulus, secret, nearest)
    }

    /// ModSwitch to an even modulus that rounds all words of the mask to numbers of -1 modulo 2^θ, θ = `spacing_log2`:
    /// to odd ones for θ = 1 (sparse rounding, Sec. 4.3 of Wang et al., EUROCRYPT 2024).
    ///
    /// These numbers are 2^θ apart, so that rounding errors of the mask have 4^θ times the variance of those of
    /// [`LweCiphertext::modulus_switch`]. The body is rounded to any integer. With the same compensation of the mean,
    /// the variance is 4^θ·n/48 + 1/12 for binary secrets and 4^θ·n/18 + 1/12 for ternary ones
    /// ([`odd_modulus_switch_variance`]).
    ///
    /// # Panics
    /// If θ is 0 or the modulus is no multiple of 2^θ. Also panics like [`LweCiphertext::modulus_switch`].
    #[must_use]
    pub fn odd_modulus_switch(
        &self,
        modulus: u64,
        spacing_log2: u32,
        secret: SecretDistribution,
    ) -> Self {
        assert!(
            (1..62).contains(&spacing_log2) && modulus.is_multiple_of(1 << spacing_log2),
            "numbers of -1 modulo 2^{spacing_log2} and {modulus}"
        );
        // Words from the middle between two such numbers on are rounded to the upper one.
        let middle = (1 + (1u128 << (spacing_log2 - 1))) << Scale::FRACTION_BITS;
        let above = |exact: u128| (exact + middle) >> (Scale::FRACTION_BITS + spacing_log2);
        self.switch_rounding(modulus, secret, |exact| (above(exact) << spacing_log2) as i128 - 1)
    }

    /// ModSwitch with masks rounded by `round`, from units of 2^-32. The mean is compensated.
    fn switch_rounding(
        &self,
        modulus: u64,
        secret: SecretDistribution,
        round: impl Fn(u128) -> i128,
    ) -> Self {
        let scale = Scale::new(self.modulus, modulus);
        let mut excess = 0i64;
        let mut words = Vec::with_capacity(self.words.len());
        words.extend(self.mask().iter().map(|&word| {
            let exact = scale.apply(word);
            let rounded = round(exact);
            excess += ((rounded << Scale::FRACTION_BITS) - exact as i128) as i64;
            // A rounded word is outside of [0, modulus) by less than the modulus.
            match rounded as i64 {
                below @ ..0 => below.wrapping_add_unsigned(modulus) as u64,
                above => {
                    if above as u64 >= modulus {
                        above as u64 - modulus
                    } else {
                        above as u64
                    }
                }
            }
        }));
        let compensation = if secret == SecretDistribution::Binary { excess / 2 } else { 0 };
        let body = scale.apply(self.body()) as i128 - i128::from(compensation);
        let rounded = (body + Scale::HALF as i128) >> Scale::FRACTION_BITS;
        words.push(rounded.rem_euclid(i128::from(modulus)) as u64);
        Self::from_words(words, modulus)
    }
}

/// Multiplication by modulus/q in fixed point.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// modulus·2^shift/q, of 63 or 64 bits: one word product instead of a long division.
    reciprocal: u64,
    shift: u32,
}

impl Scale {
    /// Bits after the point.
    const FRACTION_BITS: u32 = 32;
    /// 1/2.
    const HALF: u128 = 1 << (Self::FRACTION_BITS - 1);

    /// Returns the multiplication for a switch from one modulus to another.
    ///
    /// # Panics
    /// If `to` is not in `[2, 2^62)`, or is more than 2^30 times `from`.
    fn new(from: u64, to: u64) -> Self {
        assert!((2..1 << 62).contains(&to), "LWE modulus {to}");
        let shift = 63 + from.ilog2() - to.ilog2();
        assert!(shift > Self::FRACTION_BITS, "from modulus {from} to {to}");
        // The reciprocal is below 2^64, since to/from < 2^(1 + log2 to - log2 from).
        Self { reciprocal: ((u128::from(to) << shift) / u128::from(from)) as u64, shift }
    }

    /// Returns word·to/from in units of 2^-32. The result is too small by less than word·2^(32 - shift) of these units.
    #[inline]
    fn apply(self, word: u64) -> u128 {
        (u128::from(word) * u128::from(self.reciprocal)) >> (self.shift - Self::FRACTION_BITS)
    }
}

/// Returns the variance of the error that [`LweCiphertext::modulus_switch`] adds to the phase, in squared units of the
/// target modulus.
///
/// The formula is σ_ms² of Lemma 1 of Ma et al. (n/18 + 1/12 for ternary secrets), and is for target moduli well below
/// the source.
#[must_use]
pub fn modulus_switch_variance(dimension: usize, secret: SecretDistribution) -> f64 {
    (dimension as f64 * compensated_moment(dimension, secret) + 1.0) / 12.0
}

/// Returns the variance of the error that [`LweCiphertext::odd_modulus_switch`] adds: rounding errors of the mask count
/// 4^θ times, θ = `spacing_log2`. (σ_ms² of Theorem 1 of Wang et al., without the mean, which is compensated.)
#[must_use]
pub fn odd_modulus_switch_variance(
    dimension: usize,
    spacing_log2: u32,
    secret: SecretDistribution,
) -> f64 {
    let mask = dimension as f64 * compensated_moment(dimension, secret);
    (4f64.powi(spacing_log2 as i32) * mask + 1.0) / 12.0
}

/// Returns the second moment of a coefficient of a secret, about the mean that modulus switching compensates.
fn compensated_moment(dimension: usize, secret: SecretDistribution) -> f64 {
    match secret {
        // About the mean 1/2.
        SecretDistribution::Binary => 0.25,
        SecretDistribution::UniformTernary => 2.0 / 3.0,
        SecretDistribution::FixedWeightTernary(weight) | SecretDistribution::Blocks(weight) => {
            f64::from(weight) / dimension as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use cryptable_ring::random::replay;

    use super::*;
    use SecretDistribution::{Binary, UniformTernary};
    use cryptable_ring::random::RandomStream;
    use proptest::prelude::*;

    fn phase(c: &LweCiphertext, secret: &[i8]) -> i128 {
        let q = i128::from(c.modulus());
        let products = c.mask().iter().zip(secret).map(|(&a, &s)| i128::from(a) * i128::from(s));
        (products.sum::<i128>() + i128::from(c.body())).rem_euclid(q)
    }

    fn uniform(dimension: usize, modulus: u64, stream: &mut RandomStream) -> LweCiphertext {
        let mut words = vec![0; dimension + 1];
        stream.uniform_assign(&mut words, modulus);
        LweCiphertext::from_words(words, modulus)
    }

    fn secret(dimension: usize, kind: SecretDistribution, stream: &mut RandomStream) -> Vec<i8> {
        let ternary = stream.uniform_ternary(dimension);
        match kind {
            Binary => {
                let mut bits = vec![0; dimension];
                stream.uniform_assign(&mut bits, 2);
                bits.iter().map(|&b| b as i8).collect()
            }
            _ => ternary.to_vec(),
        }
    }

    proptest! {
        #[test]
        fn operators_are_those_of_phases(modulus in 2u64..1 << 61, factor in any::<i32>()) {
            let mut stream = RandomStream::from_os();
            let s = secret(40, UniformTernary, &mut stream);
            let (x, y) = (uniform(40, modulus, &mut stream), uniform(40, modulus, &mut stream));
            let q = i128::from(modulus);
            let (px, py) = (phase(&x, &s), phase(&y, &s));
            let check = |of: &dyn Fn(&mut LweCiphertext), expected: i128| {
                let mut z = x.clone();
                of(&mut z);
                assert_eq!(phase(&z, &s), expected.rem_euclid(q));
            };
            check(&|z| z.add_assign(&y), px + py);
            check(&|z| z.sub_assign(&y), px - py);
            check(&|z| z.neg_assign(), -px);
            check(&|z| z.mul_integer_assign(factor.into()), px * i128::from(factor));
            check(&|z| z.add_constant_assign(modulus - 1), px - 1);
        }

        #[test]
        fn mod_down_and_up_keep_the_phase(log2 in 12u32..36) {
            let mut stream = RandomStream::from_os();
            let s = secret(40, UniformTernary, &mut stream);
            let c = uniform(40, 1 << log2, &mut stream);
            prop_assert_eq!(phase(&c.mod_down(1 << 11), &s), phase(&c, &s) % (1 << 11));
            let up = c.mod_up(1 << (log2 + 3));
            prop_assert_eq!(phase(&up, &s) % (1 << log2), phase(&c, &s));
        }
    }

    #[test]
    fn modulus_switching_adds_the_variance_of_its_formula() {
        let _replay = replay::begin();
        let mut stream = RandomStream::from_os();
        for (kind, from, to, spacing) in [
            (Binary, 1u64 << 20, 1u64 << 12, 0),
            (UniformTernary, (1 << 46) + 12_289, 1 << 20, 0),
            (Binary, 1 << 20, 1 << 12, 1),
            (UniformTernary, 1 << 22, 1 << 12, 1),
            (Binary, 1 << 20, 1 << 12, 2),
            (UniformTernary, 1 << 22, 1 << 12, 3),
        ] {
            let (n, samples) = (600, 1000);
            let s = secret(n, kind, &mut stream);
            let error = |_| {
                let c = uniform(n, from, &mut stream);
                let exact = phase(&c, &s) as f64 * to as f64 / from as f64;
                let switched = match spacing {
                    0 => c.modulus_switch(to, kind),
                    _ => c.odd_modulus_switch(to, spacing, kind),
                };
                assert!(switched.mask().iter().all(|word| (word + 1) % (1 << spacing) == 0));
                let error = phase(&switched, &s) as f64 - exact;
                error - (error / to as f64).round() * to as f64
            };
            let errors: Vec<f64> = (0..samples).map(error).collect();
            let mean = errors.iter().sum::<f64>() / f64::from(samples);
            let variance = errors.iter().map(|e| e * e).sum::<f64>() / f64::from(samples);
            let predicted = match spacing {
                0 => modulus_switch_variance(n, kind),
                _ => odd_modulus_switch_variance(n, spacing, kind),
            };
            let ratio = variance / predicted;
            assert!((0.75..1.33).contains(&ratio), "{kind:?}: variance {variance}, ratio {ratio}");
            assert!(
                mean.abs() < 6.0 * (variance / f64::from(samples)).sqrt(),
                "{kind:?}: mean {mean}"
            );
        }
    }
}

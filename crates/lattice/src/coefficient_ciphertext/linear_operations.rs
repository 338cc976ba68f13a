//! Linear operations, which work on encrypted values without any key.
//!
//! They do not track noise: code that offers them to callers keeps a [`crate::NoiseBound`] beside the ciphertext.

use super::{CoefficientCiphertext, CoefficientLayout, UniformPart};
use crate::error::{Result, check_equal, check_values, check_within};
use crate::plaintext_encoding::PlaintextEncoding;

impl CoefficientCiphertext {
    /// Encrypts `m + m'` modulo p, value by value; noise variances add up.
    ///
    /// ```
    /// # #[cfg(feature = "client")] {
    /// use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
    /// use cryptable_lattice::secret::TernarySecret;
    /// let secret = TernarySecret::uniform(64);
    /// let encrypt = |values| CoefficientCiphertext::encrypt(&secret, values, 4, 10, 28);
    /// let sum = encrypt(&[1, 2, 3]).add(&encrypt(&[7, 8, 9]))?;
    /// assert_eq!(sum.decrypt(&secret), [8, 0, 2]);
    /// # }
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If moduli or layouts differ.
    pub fn add(&self, other: &Self) -> Result<Self> {
        self.combine(other, u64::wrapping_add)
    }

    /// Encrypts `m - m'` modulo p, value by value; noise variances add up.
    ///
    /// # Errors
    /// If moduli or layouts differ.
    pub fn sub(&self, other: &Self) -> Result<Self> {
        self.combine(other, u64::wrapping_sub)
    }

    /// Encrypts `m + constant` modulo p, value by value; noise does not change.
    ///
    /// # Errors
    /// If the number of constants is not the number of values, or a constant is not below p.
    pub fn add_plain(&self, constants: &[u64]) -> Result<Self> {
        let limit = self.plaintext_modulus;
        check_equal("number of constants", constants.len(), self.layout.count)?;
        check_values(constants, limit)?;
        let mut sum = self.clone();
        let encoding = PlaintextEncoding::new(limit, 1 << self.log2_modulus);
        for (word, &value) in sum.b.iter_mut().step_by(self.layout.gap()).zip(constants) {
            *word = word.wrapping_add(encoding.encode(value)) & self.mask();
        }
        Ok(sum)
    }

    /// Encrypts `factor·m` modulo p, value by value; noise grows by |`factor`|.
    ///
    /// If p is not a power of two, the rounding error of `2^k·m/p`, of at most 1/2, grows in the same way.
    #[must_use]
    pub fn mul_scalar(&self, factor: i64) -> Self {
        let (mut b, mut a) = self.to_pair();
        for word in b.iter_mut().chain(&mut a) {
            *word = word.wrapping_mul(factor as u64) & self.mask();
        }
        Self { b, a: UniformPart::Words(a), ..*self }
    }

    /// Moves every value on by `offset` slots, by multiplying with a monomial, and returns the first `count` slots of
    /// the result as values. Values that leave at one end enter, negated, at the other. Slots without a value hold zero
    /// in a fresh ciphertext, and unspecified values in others. Noise does not change.
    ///
    /// ```
    /// # #[cfg(feature = "client")] {
    /// use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
    /// use cryptable_lattice::secret::TernarySecret;
    /// let secret = TernarySecret::uniform(64);
    /// let x = CoefficientCiphertext::encrypt(&secret, &[1, 2, 3], 4, 16, 28);
    /// assert_eq!(x.shift(1, 4)?.decrypt(&secret), [0, 1, 2, 3]);
    /// assert_eq!(x.shift(-1, 4)?.decrypt(&secret), [2, 3, 0, 15]);
    /// # }
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer slots than `count`, or if `offset` exceeds the number of slots.
    pub fn shift(&self, offset: i64, count: usize) -> Result<Self> {
        let slots = self.layout.slots as u64;
        for (name, value) in [("number of values", count as u64), ("shift", offset.unsigned_abs())]
        {
            check_within(name, value, ..=slots)?;
        }
        let degree = self.layout.ring_degree;
        // X^N is -1: exponents are modulo 2N.
        let exponent = (offset * self.layout.gap() as i64).rem_euclid(2 * degree as i64) as usize;
        let shifted = |words: &[u64]| -> Vec<u64> {
            let word = |position: usize| {
                let source = (position + 2 * degree - exponent) % (2 * degree);
                let word = words[source % degree];
                if source < degree { word } else { word.wrapping_neg() & self.mask() }
            };
            (0..degree).map(word).collect()
        };
        let (b, a) = self.to_pair();
        let (b, a) = (shifted(&b), UniformPart::Words(shifted(&a)));
        let layout = CoefficientLayout { count, ..self.layout };
        Ok(Self { b, a, layout, ..*self })
    }

    /// Returns the mask of all bits below the ciphertext modulus.
    fn mask(&self) -> u64 {
        (1 << self.log2_modulus) - 1
    }

    /// Applies `f` to both halves of two ciphertexts, word by word, modulo `2^k`.
    fn combine(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Result<Self> {
        let shape = |x: &Self| {
            [
                ("log2 of the second operand's modulus", u64::from(x.log2_modulus)),
                ("modulus of the second operand's values", x.plaintext_modulus),
                ("ring degree of the second operand", x.layout.ring_degree as u64),
                ("number of slots of the second operand", x.layout.slots as u64),
                ("number of values of the second operand", x.layout.count as u64),
            ]
        };
        for ((name, expected), (_, found)) in shape(self).into_iter().zip(shape(other)) {
            check_equal(name, found, expected)?;
        }
        let ((mut b, mut a), (other_b, other_a)) = (self.to_pair(), other.to_pair());
        let words = b.iter_mut().chain(&mut a);
        for (word, other) in words.zip(other_b.iter().chain(&other_a)) {
            *word = f(*word, *other) & self.mask();
        }
        Ok(Self { b, a: UniformPart::Words(a), ..*self })
    }
}

#[cfg(all(test, feature = "diagnostics"))]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::secret::TernarySecret;

    /// Asserts that a ciphertext decrypts to `expected`, with noise of about the given variance.
    fn assert_values(
        secret: &TernarySecret,
        ciphertext: &CoefficientCiphertext,
        expected: &[u64],
        variance: f64,
    ) {
        assert_eq!(ciphertext.decrypt(secret), expected);
        let bits = f64::from(ciphertext.log2_modulus);
        let half_step = bits.exp2() / (2.0 * ciphertext.plaintext_modulus as f64);
        let errors = ciphertext.errors(secret, expected);
        let squares = errors.iter().map(|e| (e * half_step).powi(2)).sum::<f64>();
        let ratio = squares / errors.len() as f64 / variance;
        // 250 errors estimate a variance with a relative deviation of 0.09.
        assert!((0.5..1.8).contains(&ratio), "variance is {ratio} times the expected {variance}");
    }

    #[test]
    fn values_follow_the_operations() {
        let secret = TernarySecret::uniform(256);
        for (p, bits) in [(2u64, 28u32), (7, 28), (256, 32), (1000, 60)] {
            let first: Vec<u64> = (0..250).map(|i| i * 77 % p).collect();
            let second: Vec<u64> = (0..250).map(|i| (i * i + 3) % p).collect();
            let encrypt =
                |values: &[u64]| CoefficientCiphertext::encrypt(&secret, values, 256, p, bits);
            let (x, y) = (encrypt(&first), encrypt(&second));
            let plain = |f: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
                first.iter().zip(&second).map(|(&a, &b)| f(a, b) % p).collect()
            };
            let sum = plain(&|a, b| a + b);
            assert_values(&secret, &x.add(&y).unwrap(), &sum, 21.0);
            assert_values(&secret, &x.sub(&y).unwrap(), &plain(&|a, b| a + p - b), 21.0);
            assert_values(&secret, &x.add_plain(&second).unwrap(), &sum, 10.5);
            let scaled = plain(&|a, _| 5 * a);
            assert_values(&secret, &x.mul_scalar(5), &scaled, 25.0 * 10.5);
            let negated = plain(&|a, _| p - a);
            assert_values(&secret, &x.mul_scalar(-1), &negated, 10.5);
            // A result is an operand like any other, also after it was written and read.
            let twice = x.add(&x.mul_scalar(2)).unwrap();
            let twice = CoefficientCiphertext::from_body(&twice.to_body()).unwrap();
            assert_values(&secret, &twice, &plain(&|a, _| 3 * a), 9.0 * 10.5);
        }
    }

    #[test]
    fn sparse_layouts_keep_their_values() {
        let secret = TernarySecret::uniform(256);
        let encrypt = |values: &[u64]| CoefficientCiphertext::encrypt(&secret, values, 8, 16, 28);
        let x = encrypt(&[1, 2, 15]).add_plain(&[1, 15, 1]).unwrap();
        assert_eq!(x.decrypt(&secret), [2, 1, 0]);
        let y = x.sub(&encrypt(&[3, 0, 1])).unwrap().mul_scalar(-2);
        assert_eq!(y.decrypt(&secret), [2, 14, 2]);
    }

    #[test]
    fn operands_that_differ_are_refused() {
        let secret = TernarySecret::uniform(256);
        let encrypt = |values: &[u64], (slots, modulus, bits)| {
            CoefficientCiphertext::encrypt(&secret, values, slots, modulus, bits)
        };
        let x = encrypt(&[1, 2], (8, 16, 28));
        for (other, name) in [
            (encrypt(&[1, 2], (8, 16, 29)), "log2 of the second operand's modulus is 29"),
            (encrypt(&[1, 2], (8, 17, 28)), "modulus of the second operand's values is 17"),
            (encrypt(&[1, 2], (16, 16, 28)), "number of slots of the second operand is 16"),
            (encrypt(&[1, 2, 3], (8, 16, 28)), "number of values of the second operand is 3"),
        ] {
            for error in [x.add(&other).unwrap_err(), x.sub(&other).unwrap_err()] {
                assert!(matches!(error, Error::Mismatch { .. }), "{error}");
                assert!(error.to_string().contains(name), "{error}");
            }
        }
        let count = x.add_plain(&[1]).unwrap_err();
        assert!(matches!(count, Error::Mismatch { .. }), "{count}");
        let range = x.add_plain(&[1, 16]).unwrap_err();
        assert!(matches!(range, Error::ValueOutOfRange { index: 1, value: 16, limit: 16 }));
    }
}

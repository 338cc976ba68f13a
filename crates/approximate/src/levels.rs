//! Products and sums at the scales that belong to their levels, written once for ciphertexts and dry runs.
//!
//! A ciphertext with l limbs has the scale `Δ_l`: the next prime to be dropped at the top, and below it
//! `Δ_{l-1} = Δ_l²/q_{l-1}`, as products leave it. All ciphertexts of a level can therefore be added.

use cryptable_ckks::dry_run::PlainShape;
use cryptable_ckks::{Arithmetic, chain_primes};
use cryptable_lattice::Result;
use cryptable_lattice::error::demand;
use num_complex::Complex64;

/// The scales of all levels.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    primes: Vec<f64>,
    bottom: usize,
    top: usize,
}

impl Levels {
    /// Levels of a chain from `bottom` to `top` limbs.
    pub(crate) fn new(primes: &[f64], bottom: usize, top: usize) -> Self {
        Self { primes: primes.to_vec(), bottom, top }
    }

    /// Checks that scales fit numbers: with primes of different sizes, products would change the scale from level to
    /// level.
    ///
    /// # Errors
    /// If one is not from 2^10 to 2^55.
    pub(crate) fn check(&self) -> Result<()> {
        for limbs in self.bottom..=self.top {
            let bits = self.scale_at(limbs).log2();
            let limit = "it must be from 10 to 55: primes of levels must be of about one size";
            demand((10.0..=55.0).contains(&bits), "log2 of the scale of a level", bits, limit)?;
        }
        Ok(())
    }

    /// Limbs at which no level is left.
    pub(crate) fn bottom(&self) -> usize {
        self.bottom
    }

    /// Limbs of fresh ciphertexts.
    pub(crate) fn top(&self) -> usize {
        self.top
    }

    /// Returns the scale of ciphertexts of `limbs` limbs.
    pub(crate) fn scale_at(&self, limbs: usize) -> f64 {
        chain_primes::scale_at(&self.primes, self.top, limbs)
    }

    /// Returns the largest absolute value of slots that `limbs` limbs can hold: coefficients are no larger than slots.
    pub(crate) fn capacity(&self, limbs: usize) -> f64 {
        // Decryption and bootstrapping read two limbs; encoding is limited to 62 bits.
        let modulus: f64 = self.primes[..limbs.min(2)].iter().product();
        modulus.min(62f64.exp2()) / (2.0 * self.scale_at(limbs))
    }

    /// Returns the dry run's shape of a plaintext with these slots, for products with ciphertexts of `limbs` limbs.
    pub(crate) fn plain_shape(&self, limbs: usize, slots: usize, mean_square: f64) -> PlainShape {
        PlainShape { scale: self.scale_at(limbs), mean_square, slots }
    }

    /// Lowers a ciphertext to fewer limbs and the scale of that level.
    pub(crate) fn lower<A: Arithmetic>(
        &self,
        arithmetic: &A,
        ct: &A::Ciphertext,
        limbs: usize,
    ) -> A::Ciphertext {
        if arithmetic.limbs(ct) == limbs {
            return ct.clone();
        }
        self.combine(arithmetic, &[ct], &[Complex64::ONE], limbs)
    }

    /// Computes `Σ_k factors[k]·inputs[k]` with `limbs` limbs, fewer than every input has.
    pub(crate) fn combine<A: Arithmetic>(
        &self,
        arithmetic: &A,
        inputs: &[&A::Ciphertext],
        factors: &[Complex64],
        limbs: usize,
    ) -> A::Ciphertext {
        let wide = self.scale_at(limbs) * self.primes[limbs];
        let rows = [factors.to_vec()];
        let mut sums = arithmetic.linear_combinations(limbs + 1, inputs, &rows, wide);
        arithmetic.rescale(sums.swap_remove(0), 1)
    }

    /// The product, one level below the lower operand.
    pub(crate) fn multiply<A: Arithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Ciphertext,
        b: &A::Ciphertext,
    ) -> A::Ciphertext {
        let limbs = arithmetic.limbs(a).min(arithmetic.limbs(b));
        // If both operands are the same ciphertext, it is lowered once.
        let lowered = self.lower(arithmetic, a, limbs);
        if std::ptr::eq(a, b) {
            return arithmetic.mul(&lowered, &lowered);
        }
        arithmetic.mul(&lowered, &self.lower(arithmetic, b, limbs))
    }

    /// The sum, at the level of the lower operand; the difference if `negative`.
    pub(crate) fn add<A: Arithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Ciphertext,
        b: &A::Ciphertext,
        negative: bool,
    ) -> A::Ciphertext {
        let limbs = arithmetic.limbs(a).min(arithmetic.limbs(b));
        let mut sum = self.lower(arithmetic, a, limbs);
        let other = self.lower(arithmetic, b, limbs);
        if negative {
            arithmetic.sub_assign(&mut sum, &other);
        } else {
            arithmetic.add_assign(&mut sum, &other);
        }
        sum
    }

    /// The product with a plaintext at the scale of the ciphertext's level, one level below.
    pub(crate) fn multiply_plain<A: Arithmetic>(
        &self,
        arithmetic: &A,
        ct: &A::Ciphertext,
        plain: &A::Plain,
    ) -> A::Ciphertext {
        arithmetic.rescale(arithmetic.mul_plain(ct, plain), 1)
    }
}

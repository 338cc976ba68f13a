//! LWE key switching of all coefficients of an RLWE ciphertext at once.
//!
//! Coefficient i of `b + a·z` is the LWE ciphertext of body b_i and mask `±a_(i-j)`, j < N', under the coefficients of z.
//! Switching it to the LWE secret s, dimension n, adds up `±digit_k(a_(i-j))·row_(j,k)` over j and k, where row (j, k)
//! encrypts z_j·weight(k). Word l of the result is therefore coefficient i of
//!
//! `Σ_k D_k(X)·R_kl(X)`, with `D_k = Σ_i digit_k(a_i)·X^i` and `R_kl = Σ_j row_(j,k)[l]·X^j`
//!
//! modulo X^N' + 1. The key is that of [`cryptable_fhew::switching`], read by columns. This is the counterpart of the
//! column method: the product of a digit with a matrix whose N' rows are shifts of one another.
//!
//! Products are of integers, below 2^48 in size, so they are computed modulo a prime of 49.9 bits and reduced modulo
//! q = 2^w afterwards.
//!
//! Shapes: one RLWE ciphertext of degree N' modulo q in, N' LWE ciphertexts of dimension n modulo q out. Work: ℓ
//! forward and n + 1 inverse transforms of degree N', ℓ·(n + 1)·N' products.
//!
//! Noise: that of an LWE key switch, `ℓ·N'·E[digit²]·σ² + rounding·N'·E[z²]`, the same for all coefficients. Their
//! errors are dependent, as those of one polynomial. With one row per size of a digit, `D_k` is one polynomial of signs
//! per size, and `E[digit²]` is replaced by the probability that a digit is not 0.

use cryptable_fhew::noise::{Variance, lwe_key_switching_noise};
use cryptable_fhew::seeded_rows::RowDomain;
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_lattice::ERROR_VARIANCE;
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::columns::Columns;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{Multiplicand, PrimeRing};
use cryptable_ring::random::Seed;
use cryptable_ring::{Buffer, kernels};
use rayon::prelude::*;

use crate::blocks::Stride;

/// Number of columns to which all blocks are switched before the next columns are read: half a megabyte of the key and
/// of results.
const COLUMNS_AT_ONCE: usize = 4;

/// Added to products to make them positive: the bound on their size, and a multiple of every q.
const OFFSET: u64 = 1 << 47;

/// Decomposition of words into the terms that rows are multiplied by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwitchingDigits {
    pub(crate) gadget: Gadget,
    /// Rows per digit: 1, which the digit multiplies, or one per size of a digit, which its sign multiplies.
    pub(crate) multiples: usize,
}

impl SwitchingDigits {
    /// Returns the number of terms of each word.
    fn count(self) -> usize {
        self.gadget.length() * self.multiples
    }

    /// Returns the factor of row `multiple` for a digit.
    fn factor(self, digit: i32, multiple: usize) -> i64 {
        match self.multiples {
            1 => digit.into(),
            _ if digit.unsigned_abs() as usize == multiple + 1 => digit.signum().into(),
            _ => 0,
        }
    }
}

/// A key switching key in columns, prepared.
#[derive(Debug)]
pub(crate) struct BlockSwitchingKey {
    digits_of: SwitchingDigits,
    /// For each term, n + 1 polynomials.
    digits: Vec<Multiplicand>,
    /// [`OFFSET`] in every coefficient.
    offset: Multiplicand,
    dimension: usize,
}

/// A block that is to be switched.
#[derive(Debug)]
pub(crate) struct BlockDigits {
    /// Digits of its mask, as evaluations.
    digits: Multiplicand,
    /// Positions of its values.
    stride: Stride,
}

impl BlockSwitchingKey {
    /// Draws the masks of all rows.
    pub(crate) fn expand(
        ring: &PrimeRing,
        key: &SeededKeySwitchingKey,
        seed: &Seed,
        digits_of: SwitchingDigits,
        dimension: usize,
    ) -> Self {
        let (n, width, length) = (ring.degree(), dimension + 1, digits_of.count());
        let gadget = digits_of.gadget;
        let digit = |k: usize| {
            let mut rows = Buffer::unspecified(n * width);
            rows.par_chunks_exact_mut(width).enumerate().for_each(|(j, row)| {
                let (index, (mask, body)) = (j * length + k, row.split_at_mut(dimension));
                let mut stream = RowDomain::KeySwitching.mask_stream(seed, index);
                stream.uniform_assign(mask, gadget.modulus());
                body[0] = key.bodies()[index];
            });
            let columns = Columns::of_sums(&[&rows], width, 0, (gadget.modulus() - 1) as u32);
            let mut words = Buffer::unspecified(n * width);
            for (l, out) in words.chunks_exact_mut(n).enumerate() {
                out.iter_mut().zip(columns.column(l)).for_each(|(out, &word)| *out = word.into());
            }
            ring.prepare(&words)
        };
        let digits = (0..length).map(digit).collect();
        let offset = ring.prepare(&vec![OFFSET; ring.degree()]);
        Self { digits_of, digits, offset, dimension }
    }

    /// Returns the number of bytes of memory that the key uses.
    pub(crate) fn bytes(&self) -> usize {
        self.digits.iter().map(|digit| 8 * digit.words().len()).sum()
    }

    /// Decomposes a block's mask into digits, modulo q.
    pub(crate) fn digits(&self, ring: &PrimeRing, mask: &[u64], stride: Stride) -> BlockDigits {
        let SwitchingDigits { gadget, multiples } = self.digits_of;
        let (n, length) = (ring.degree(), gadget.length());
        let mut digits = Buffer::unspecified(n * self.digits_of.count());
        for (i, of_word) in gadget.digits_of_each(mask).chunks_exact(length).enumerate() {
            for (k, &digit) in of_word.iter().enumerate() {
                for multiple in 0..multiples {
                    let factor = self.digits_of.factor(digit, multiple);
                    let term = k * multiples + multiple;
                    digits[term * n + i] = ring.modulus().reduce_i64(factor);
                }
            }
        }
        BlockDigits { digits: ring.prepare(&digits), stride }
    }

    /// Switches blocks. Returns the masks of `count` values by columns, and the words to be added to their bodies,
    /// modulo q.
    ///
    /// All blocks are multiplied by a group of columns before the next group is read.
    pub(crate) fn switch(
        &self,
        ring: &PrimeRing,
        blocks: &[BlockDigits],
        count: usize,
    ) -> (Columns, Vec<u64>) {
        let (n, mask) = (ring.degree(), self.digits_of.gadget.modulus() - 1);
        let mut masks = Columns::unspecified(count, self.dimension);
        masks.write(COLUMNS_AT_ONCE, |first, columns| {
            let mut sum = Buffer::unspecified(n);
            for block in blocks {
                for (c, column) in columns.iter_mut().enumerate() {
                    self.column(ring, &mut sum, &block.digits, first + c);
                    block.stride.scatter(column, &sum, |word| (word & mask) as u32);
                }
            }
        });
        let (mut bodies, mut sum) = (vec![0; count], Buffer::unspecified(n));
        for block in blocks {
            self.column(ring, &mut sum, &block.digits, self.dimension);
            block.stride.scatter(&mut bodies, &sum, |word| word & mask);
        }
        (masks, bodies)
    }

    /// Computes `Σ_k D_k·R_kl + OFFSET` in every coefficient, as integers.
    fn column(&self, ring: &PrimeRing, out: &mut [u64], digits: &Multiplicand, l: usize) {
        let n = ring.degree();
        let keys = self.digits.iter().map(|key| &key.words()[l * n..][..n]);
        let terms: Vec<(&[u64], &[u64])> = digits.words().chunks_exact(n).zip(keys).collect();
        out.copy_from_slice(self.offset.words());
        kernels::inner_product_add(ring.modulus(), out, &terms);
        ring.inverse_assign(out);
    }
}

/// Returns the variance that rounding a block to q and switching it add to a phase, as a fraction of q squared.
pub(crate) fn noise(digits: SwitchingDigits, degree: usize) -> Variance {
    let SwitchingDigits { gadget, multiples } = digits;
    let multiplied = lwe_key_switching_noise(gadget, degree, SecretDistribution::UniformTernary);
    if multiples == 1 {
        return multiplied;
    }
    // Each nonzero digit adds one row unmultiplied.
    let terms = (degree * gadget.length()) as f64 * ERROR_VARIANCE;
    let nonzero = 1.0 - f64::from(gadget.base_log2()).exp2().recip();
    let units = |terms: f64| Variance::of_units(terms, gadget.modulus() as f64);
    let rest = multiplied.0 - units(terms * gadget.digit_variance()).0;
    units(terms * nonzero) + Variance(rest.max(0.0))
}

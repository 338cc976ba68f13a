//! Products and linear combinations of several polynomials at once, blocked for the cache.

use std::borrow::Cow;
use std::ops::DerefMut;

use rayon::prelude::*;

use crate::{Basis, Evaluations, Modulus, Poly, Ring, kernels};

/// Words that the input blocks may occupy together, 32 KiB: they stay in the first-level cache for all rows.
const BLOCK_WORDS: usize = 4096;

/// Words of one part of a product's limb: long enough for memory to deliver operands at nearly its full speed.
const PRODUCT_WORDS: usize = 1 << 14;

/// An integer of `Z[i]`: multiplies slots by `(re + i·im)·2^shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct GaussianInteger {
    /// The real part.
    pub re: i128,
    /// The imaginary part.
    pub im: i128,
    /// log2 of the common factor of both parts: constants at the scales of products have more than 127 bits.
    pub shift: u32,
}

impl GaussianInteger {
    /// The most bits of parts that are made from floating-point numbers: more than their mantissas have.
    const MAX_BITS: i32 = 100;

    /// Returns `re + i·im`, rounded to an integer. If a part has more than 100 bits, both parts are rounded to
    /// multiples of `2^shift` instead. Such a part stays exact, since a mantissa has 53 bits.
    ///
    /// ```
    /// use cryptable_ring::combination::GaussianInteger;
    /// assert_eq!(GaussianInteger::rounded(2.6, -0.4), GaussianInteger { re: 3, im: 0, shift: 0 });
    /// let wide = GaussianInteger::rounded(3.0 * 140f64.exp2(), 0.0);
    /// assert_eq!((wide.re >> 90, wide.shift), (3 << 9, 41));
    /// ```
    ///
    /// # Panics
    /// If a number is not finite.
    #[must_use]
    pub fn rounded(re: f64, im: f64) -> Self {
        let largest = re.abs().max(im.abs());
        assert!(largest.is_finite(), "constant {re} + {im}i");
        let bits = if largest < 1.0 { 0 } else { largest.log2().floor() as i32 };
        let shift = (bits - Self::MAX_BITS).max(0);
        let integer = |part: f64| (part * f64::from(-shift).exp2()).round() as i128;
        Self { re: integer(re), im: integer(im), shift: shift as u32 }
    }

    /// Returns the residues that multiply the first and the second half of the evaluations modulo a prime (see
    /// [`Ring::imaginary_unit`]).
    pub(crate) fn residues(self, ring: &Ring, prime: usize) -> (u64, u64) {
        let m = ring.modulus(prime);
        let factor = m.pow(2, u64::from(self.shift));
        let re = m.mul(m.reduce_i128(self.re), factor);
        let im = m.mul(m.reduce_i128(self.im), m.mul(factor, ring.imaginary_unit(prime)));
        (m.add(re, im), m.sub(re, im))
    }
}

/// `out[r] = Σ_k rows[r][k]·inputs[k]` modulo `q_0 … q_{main-1}` of the inputs' chain.
///
/// Inputs may have more limbs than `main`: the others are not read. The cost is one lazy multiply-accumulate per word
/// and entry; each input is read once per call.
///
/// # Panics
/// If an input has fewer than `main` chain limbs, or a row's length is not the number of inputs.
#[must_use]
pub fn linear_combinations(
    ring: &Ring,
    main: usize,
    inputs: &[&Poly<Evaluations>],
    rows: &[Vec<GaussianInteger>],
) -> Vec<Poly<Evaluations>> {
    assert!(rows.iter().all(|row| row.len() == inputs.len()), "row length");
    let residues = |prime| Halves::of_rows(ring, prime, rows);
    combine_blocks(ring, main, rows.len(), inputs, residues, |m, out, blocks, factors| {
        combine_rows(m, out, blocks, factors);
    })
}

/// Makes `outputs` polynomials of `main` limbs from blocks of words of the inputs, in parallel:
/// `combine(modulus, outputs, inputs, residues)` writes a block, and `residues(prime)` returns the residues for its
/// half of the slots.
pub(crate) fn combine_blocks<R: Sync>(
    ring: &Ring,
    main: usize,
    outputs: usize,
    inputs: &[&Poly<Evaluations>],
    residues: impl Fn(usize) -> Halves<R> + Sync,
    combine: impl Fn(&Modulus, Vec<&mut [u64]>, &[&[u64]], &R) + Sync,
) -> Vec<Poly<Evaluations>> {
    assert!(inputs.iter().all(|input| input.basis().main >= main), "an input lacks limbs");
    let degree = ring.degree();
    let basis = inputs.first().map_or(ring.main_basis(main), |it| it.basis().lowered(main));
    let mut outputs: Vec<_> =
        (0..outputs).map(|_| Poly::<Evaluations>::unspecified(ring, basis)).collect();
    let mut by_limb: Vec<Vec<&mut [u64]>> = (0..basis.limbs()).map(|_| Vec::new()).collect();
    for output in &mut outputs {
        for (limb, words) in output.words_mut().chunks_mut(degree).enumerate() {
            by_limb[limb].push(words);
        }
    }
    by_limb.into_par_iter().enumerate().for_each(|(limb, out)| {
        let prime = ring.prime_index(basis, limb);
        let (m, residues) = (ring.modulus(prime), residues(prime));
        let block = (BLOCK_WORDS / inputs.len().max(1)).next_power_of_two().max(64).min(degree / 2);
        let inputs: Vec<Cow<'_, [u64]>> =
            inputs.iter().map(|input| input.limb_of(ring, main, limb)).collect();
        // Limbs are divided among threads, too: a thread that has no limb left takes blocks of the last ones.
        by_block(out.into_iter(), block).into_par_iter().enumerate().for_each(|(index, out)| {
            let range = index * block..(index + 1) * block;
            let blocks: Vec<&[u64]> = inputs.iter().map(|input| &input[range.clone()]).collect();
            let is_first = range.start < degree / 2;
            combine(m, out, &blocks, if is_first { &residues.first } else { &residues.second });
        });
    });
    outputs
}

/// Combines the same words for every row of residues, two rows at a time.
pub(crate) fn combine_rows(
    m: &Modulus,
    out: impl IntoIterator<Item = impl DerefMut<Target = [u64]>>,
    inputs: &[&[u64]],
    rows: impl IntoIterator<Item = impl AsRef<[u64]>>,
) {
    let mut rows = out.into_iter().zip(rows);
    while let Some((mut out0, row0)) = rows.next() {
        let Some((mut out1, row1)) = rows.next() else {
            return kernels::linear_combination(m, &mut out0, inputs, row0.as_ref());
        };
        let (out, rows) = ([&mut *out0, &mut *out1], [row0.as_ref(), row1.as_ref()]);
        kernels::linear_combinations_of_two([m; 2], out, inputs, rows);
    }
}

/// Residues of constants of `Z[i]`: those that multiply the first half of the evaluations, and those for the second
/// half.
pub(crate) struct Halves<R> {
    pub(crate) first: R,
    pub(crate) second: R,
}

impl Halves<Vec<Vec<u64>>> {
    /// Returns the residues of rows of constants.
    pub(crate) fn of_rows(ring: &Ring, prime: usize, rows: &[Vec<GaussianInteger>]) -> Self {
        let of_row = |row: &Vec<GaussianInteger>| -> (Vec<u64>, Vec<u64>) {
            row.iter().map(|factor| factor.residues(ring, prime)).unzip()
        };
        let (first, second) = rows.iter().map(of_row).unzip();
        Self { first, second }
    }
}

/// Cuts limbs into blocks of `words` words. Each block has its words of every limb.
pub(crate) fn by_block<'a>(
    limbs: impl ExactSizeIterator<Item = &'a mut [u64]>,
    block: usize,
) -> Vec<Vec<&'a mut [u64]>> {
    let count = limbs.len();
    let mut blocks: Vec<Vec<&mut [u64]>> = Vec::new();
    for limb in limbs {
        for (index, words) in limb.chunks_mut(block).enumerate() {
            if index == blocks.len() {
                blocks.push(Vec::with_capacity(count));
            }
            blocks[index].push(words);
        }
    }
    blocks
}

/// The product `d0 + d1·s + d2·s²` of two pairs `(a0, a1)` and `(b0, b1)`, read as `a0 + a1·s` and
/// `b0 + b1·s`.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// `a0·b0`, the coefficient of 1.
    pub d0: Poly<Evaluations>,
    /// `a0·b1 + a1·b0`, the coefficient of s.
    pub d1: Poly<Evaluations>,
    /// `a1·b1`, the coefficient of s².
    pub d2: Poly<Evaluations>,
}

impl Tensor {
    /// Makes every limb by `multiply(limb, prime, [d0, d1, d2])`, in parallel; `prime` is the index of the limb's prime
    /// in the ring.
    pub(crate) fn by_limbs(
        ring: &Ring,
        basis: Basis,
        multiply: impl Fn(usize, usize, [&mut [u64]; 3]) + Sync,
    ) -> Self {
        let degree = ring.degree();
        let unspecified = || Poly::<Evaluations>::unspecified(ring, basis);
        let mut out = Self { d0: unspecified(), d1: unspecified(), d2: unspecified() };
        let limbs = out
            .d0
            .words_mut()
            .par_chunks_mut(degree)
            .zip(out.d1.words_mut().par_chunks_mut(degree))
            .zip(out.d2.words_mut().par_chunks_mut(degree));
        limbs.enumerate().for_each(|(limb, ((d0, d1), d2))| {
            multiply(limb, ring.prime_index(basis, limb), [d0, d1, d2]);
        });
        out
    }
}

/// A pair of polynomials: the two parts of a ciphertext.
pub type Parts<'a> = (&'a Poly<Evaluations>, &'a Poly<Evaluations>);

/// Returns the sum of the products `a·b` of [`Parts`], modulo `q_0 … q_{main-1}`; further limbs of the
/// operands are not read. Every operand is read once, and sums are reduced once.
#[must_use]
pub fn tensor(ring: &Ring, main: usize, pairs: &[(Parts<'_>, Parts<'_>)]) -> Tensor {
    Tensor::by_limbs(ring, pairs[0].0.0.basis().lowered(main), |limb, prime, out| {
        let m = ring.modulus(prime);
        let factors: Vec<_> = pairs
            .iter()
            .map(|(a, b)| [a.0, a.1, b.0, b.1].map(|part| part.limb_of(ring, main, limb)))
            .collect();
        // Limbs are divided among threads, too: a thread that has no limb left takes a part of the last ones.
        let [d0, d1, d2] = out.map(|words| words.par_chunks_mut(PRODUCT_WORDS));
        d0.zip(d1).zip(d2).enumerate().for_each(|(block, ((d0, d1), d2))| {
            let range = block * PRODUCT_WORDS..block * PRODUCT_WORDS + d0.len();
            let pairs: Vec<_> = factors
                .iter()
                .map(|pair| pair.each_ref().map(|words| &words[range.clone()]))
                .collect();
            kernels::tensor_products(m, [d0, d1, d2], &pairs);
        });
    })
}

/// Returns the sum of the products of [`Parts`] with polynomials, part by part, modulo `q_0 … q_{main-1}`;
/// further limbs of the operands are not read.
#[must_use]
pub fn plain_products(
    ring: &Ring,
    main: usize,
    pairs: &[(Parts<'_>, &Poly<Evaluations>)],
) -> (Poly<Evaluations>, Poly<Evaluations>) {
    let (degree, basis) = (ring.degree(), pairs[0].0.0.basis().lowered(main));
    let unspecified = || Poly::<Evaluations>::unspecified(ring, basis);
    let (mut c0, mut c1) = (unspecified(), unspecified());
    let limbs = c0.words_mut().par_chunks_mut(degree).zip(c1.words_mut().par_chunks_mut(degree));
    limbs.enumerate().for_each(|(limb, (c0, c1))| {
        let m = ring.modulus(ring.prime_index(basis, limb));
        let multiply = |out: &mut [u64], part: for<'a> fn(Parts<'a>) -> &'a Poly<Evaluations>| {
            let factors: Vec<_> = pairs
                .iter()
                .map(|&(ct, plain)| [part(ct), plain].map(|poly| poly.limb_of(ring, main, limb)))
                .collect();
            let terms: Vec<(&[u64], &[u64])> = factors.iter().map(|[a, b]| (&**a, &**b)).collect();
            kernels::inner_product(m, out, &terms);
        };
        multiply(c0, |ct| ct.0);
        multiply(c1, |ct| ct.1);
    });
    (c0, c1)
}

impl Poly<Evaluations> {
    /// Adds the constant `re + i·im` to every slot.
    pub fn add_constant_assign(&mut self, ring: &Ring, constant: GaussianInteger) {
        let (basis, half) = (self.basis(), ring.degree() / 2);
        self.words_mut().par_chunks_mut(2 * half).enumerate().for_each(|(limb, words)| {
            let prime = ring.prime_index(basis, limb);
            let (first, second) = constant.residues(ring, prime);
            kernels::add_scalar_assign(ring.modulus(prime), &mut words[..half], first);
            kernels::add_scalar_assign(ring.modulus(prime), &mut words[half..], second);
        });
    }

    /// Adds `factor·other`. Limbs of `other` that this polynomial lacks are not read.
    ///
    /// # Panics
    /// If the operand has fewer limbs, or special ones.
    pub fn add_multiple_assign(&mut self, ring: &Ring, other: &Self, factor: i128) {
        let (basis, degree) = (self.basis(), ring.degree());
        assert!(basis.special == 0 && other.basis().main >= basis.main, "operand lacks limbs");
        self.words_mut().par_chunks_mut(degree).enumerate().for_each(|(limb, acc)| {
            let m = ring.modulus(ring.prime_index(basis, limb));
            let words = other.limb_of(ring, basis.main, limb);
            kernels::mul_scalar_add_assign(m, acc, &words, m.reduce_i128(factor));
        });
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::primes::ntt_primes;

    #[test]
    fn wide_constants_have_the_residues_of_big_integers() {
        let primes = ntt_primes(64, 49.0, 2, &[]);
        let ring = Ring::new(64, &primes, &[]);
        for (re, log2_scale) in [(1.0, 0), (-0.75, 60), (0.7, 126), (-0.3, 132), (1.9, 190)] {
            let scale = f64::from(log2_scale).exp2();
            let found = GaussianInteger::rounded(re * scale, 0.0);
            // The conversion is exact: mantissas have 53 bits, and no part is below a quarter.
            let mantissa = BigInt::from((re * 56f64.exp2()) as i64);
            let exact: BigInt = (mantissa << log2_scale) >> 56;
            for (index, &prime) in primes.iter().enumerate() {
                let expected = ((exact.clone() % prime) + prime) % prime;
                let (first, second) = found.residues(&ring, index);
                assert_eq!(BigInt::from(first), expected, "{re}·2^{log2_scale}");
                assert_eq!(first, second);
            }
        }
    }
}

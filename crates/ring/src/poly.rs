//! Polynomials in residue number system form.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use crate::{Basis, Buffer, Modulus, Ring, Rounding, kernels};

mod sealed {
    pub trait Sealed {}
}

/// How the words of a [`Poly`] are to be read; a type, so that mixing domains does not compile.
pub trait Domain: sealed::Sealed + Copy + Send + Sync + 'static {}

/// Words are coefficients of `1, X, …, X^(N-1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficients;

/// Words are values at the odd powers of a 2N-th root of unity (see [`crate::NttTable`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluations;

impl sealed::Sealed for Coefficients {}
impl sealed::Sealed for Evaluations {}
impl Domain for Coefficients {}
impl Domain for Evaluations {}

/// A polynomial of `Z_Q[X]/(X^N + 1)`: one limb of N words for each prime of its [`Basis`], limb
/// after limb in one contiguous buffer, words in `[0, prime)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poly<D: Domain> {
    words: Buffer,
    degree: usize,
    basis: Basis,
    domain: PhantomData<D>,
}

impl<D: Domain> Poly<D> {
    /// The zero polynomial.
    #[must_use]
    pub fn zero(ring: &Ring, basis: Basis) -> Self {
        Self::from_buffer(ring, basis, Buffer::zeroed(ring.degree() * basis.limbs()))
    }

    /// A polynomial of unspecified words, every limb of which is to be written before it is read.
    #[must_use]
    pub fn unspecified(ring: &Ring, basis: Basis) -> Self {
        Self::from_buffer(ring, basis, Buffer::unspecified(ring.degree() * basis.limbs()))
    }

    fn from_buffer(ring: &Ring, basis: Basis, words: Buffer) -> Self {
        assert_eq!(words.len(), ring.degree() * basis.limbs(), "words of {basis:?}");
        Self { words, degree: ring.degree(), basis, domain: PhantomData }
    }

    /// Takes a limb-major buffer as a polynomial; words must be reduced.
    ///
    /// # Panics
    /// If the buffer's length is not N times the number of limbs.
    #[must_use]
    pub fn from_words(ring: &Ring, basis: Basis, words: Vec<u64>) -> Self {
        Self::from_buffer(ring, basis, words.into())
    }

    /// The primes that the polynomial is given by.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// All words, limb after limb.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A copy of all words, limb after limb.
    #[must_use]
    pub fn into_words(self) -> Vec<u64> {
        self.words.to_vec()
    }

    /// All words, limb after limb, for writing; they must stay below their primes.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The N words of one limb.
    #[must_use]
    pub fn limb(&self, limb: usize) -> &[u64] {
        &self.words[limb * self.degree..(limb + 1) * self.degree]
    }

    /// Runs `f(modulus, words)` on every limb, on all threads.
    pub fn for_each_limb(&mut self, ring: &Ring, f: impl Fn(&Modulus, &mut [u64]) + Sync) {
        let basis = self.basis;
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            f(ring.modulus(ring.prime_index(basis, limb)), words);
        });
    }

    /// Runs `f(modulus, words, other's words)` on every limb of two polynomials of one basis.
    fn zip_limbs(
        &mut self,
        ring: &Ring,
        other: &Self,
        f: impl Fn(&Modulus, &mut [u64], &[u64]) + Sync,
    ) {
        assert_eq!(self.basis, other.basis, "operands have different bases");
        let basis = self.basis;
        let limbs = self.words.par_chunks_mut(self.degree).zip(other.words.par_chunks(self.degree));
        limbs.enumerate().for_each(|(limb, (a, b))| {
            f(ring.modulus(ring.prime_index(basis, limb)), a, b);
        });
    }

    /// Adds a polynomial of the same basis.
    pub fn add_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::add_assign);
    }

    /// Subtracts a polynomial of the same basis.
    pub fn sub_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::sub_assign);
    }

    /// Changes the sign of all coefficients.
    pub fn neg_assign(&mut self, ring: &Ring) {
        self.for_each_limb(ring, kernels::neg_assign);
    }

    /// Multiplies all coefficients by an integer.
    pub fn mul_integer_assign(&mut self, ring: &Ring, factor: i128) {
        self.for_each_limb(ring, |m, words| {
            kernels::mul_scalar_assign(m, words, m.reduce_i128(factor));
        });
    }

    /// Keeps the first `main` chain limbs and no special ones: reduction modulo a divisor of Q.
    ///
    /// # Panics
    /// If the polynomial has special limbs or fewer main ones.
    pub fn drop_to(&mut self, main: usize) {
        assert!(self.basis.special == 0 && main <= self.basis.main, "drop {:?}", self.basis);
        self.words.truncate(main * self.degree);
        self.basis.main = main;
    }
}

impl<D: Domain> zeroize::Zeroize for Poly<D> {
    fn zeroize(&mut self) {
        self.words.zeroize();
    }
}

impl Poly<Coefficients> {
    /// The polynomial of these signed coefficients, reduced modulo every prime of the basis.
    #[must_use]
    pub fn from_signed(ring: &Ring, basis: Basis, coefficients: &[i64]) -> Self {
        assert_eq!(coefficients.len(), ring.degree());
        let mut poly = Self::unspecified(ring, basis);
        poly.for_each_limb(ring, |m, words| kernels::from_signed(m, words, coefficients));
        poly
    }

    /// The evaluations of this polynomial, with one NTT per limb.
    #[must_use]
    pub fn into_evaluations(self, ring: &Ring) -> Poly<Evaluations> {
        self.into_evaluations_except(ring, &(0..0))
    }

    /// The evaluations of this polynomial, except in a range of limbs, which are left as they are:
    /// for limbs of unspecified words that nobody reads.
    #[must_use]
    pub fn into_evaluations_except(
        mut self,
        ring: &Ring,
        except: &Range<usize>,
    ) -> Poly<Evaluations> {
        let basis = self.basis;
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            if !except.contains(&limb) {
                ring.table(ring.prime_index(basis, limb)).forward_assign(words);
            }
        });
        Poly { words: self.words, degree: self.degree, basis, domain: PhantomData }
    }
}

impl Poly<Evaluations> {
    /// The coefficients of this polynomial, with one inverse NTT per limb.
    #[must_use]
    pub fn into_coefficients(mut self, ring: &Ring) -> Poly<Coefficients> {
        let basis = self.basis;
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            ring.table(ring.prime_index(basis, limb)).inverse_assign(words);
        });
        Poly { words: self.words, degree: self.degree, basis, domain: PhantomData }
    }

    /// Multiplies by a polynomial of the same basis.
    pub fn mul_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::mul_assign);
    }

    /// The image under the automorphism `X -> X^element`, for odd elements.
    #[must_use]
    pub fn automorphism(&self, ring: &Ring, element: usize) -> Self {
        let permutation = ring.galois_permutation(element);
        let mut out = Self::unspecified(ring, self.basis);
        let limbs = out.words.par_chunks_mut(self.degree).zip(self.words.par_chunks(self.degree));
        limbs.for_each(|(out, input)| kernels::permute(out, input, &permutation));
        out
    }

    /// Multiplies by `X^(N/2)`, the constant i in slots.
    pub fn mul_imaginary_unit_assign(&mut self, ring: &Ring) {
        let (basis, half) = (self.basis, self.degree / 2);
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            let prime = ring.prime_index(basis, limb);
            let (m, unit) = (ring.modulus(prime), ring.imaginary_unit(prime));
            kernels::mul_scalar_assign(m, &mut words[..half], unit);
            kernels::mul_scalar_assign(m, &mut words[half..], m.neg(unit));
        });
    }

    /// Divides by all special primes and the top `rescale` main primes, rounding to nearest.
    ///
    /// `x -> round(x / D)` modulo the remaining main primes, D the product of the dropped ones:
    /// ModDown, rescale, or both in one pass. It takes one inverse NTT per dropped limb and one NTT
    /// per remaining one. The rounding error is uniform in `[-1/2, 1/2]` a coefficient.
    #[must_use]
    pub fn divide_round(self, ring: &Ring, rescale: usize) -> Self {
        assert!(rescale < self.basis.main, "rescale {rescale} of {:?}", self.basis);
        let (basis, degree) = (self.basis, self.degree);
        let kept = basis.main - rescale;
        let dropped: Vec<usize> =
            (kept..basis.limbs()).map(|limb| ring.prime_index(basis, limb)).collect();
        if dropped.is_empty() {
            return self;
        }
        let mut words = self.words;
        let (head, tail) = words.split_at_mut(kept * degree);
        // The quotient is written over the converted remainder: a buffer of its own length, whereas
        // the dividend's, with all dropped limbs, goes back to the free list.
        let mut quotient = Buffer::unspecified(kept * degree);
        let mut targets: Vec<(usize, &mut [u64])> =
            quotient.chunks_mut(degree).enumerate().collect();
        ring.convert_base(&dropped, tail, &mut targets, Rounding::Exact);
        let converter = ring.converter(&dropped);
        let limbs = quotient.par_chunks_mut(degree).zip(head.par_chunks(degree));
        limbs.enumerate().for_each(|(prime, (remainder, dividend))| {
            ring.table(prime).forward_assign(remainder);
            let m = ring.modulus(prime);
            let minus_inverse = m.value() - converter.product_inverse(prime);
            kernels::sub_mul_scalar_assign(m, remainder, dividend, minus_inverse);
        });
        Self { words: quotient, basis: Basis::main(kept), degree, domain: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::primes::ntt_primes;

    fn ring() -> Ring {
        let primes = ntt_primes(32, 45.0, 7, &[]);
        Ring::new(32, &primes[..4], &primes[4..])
    }

    /// The centred integers behind a polynomial, by the Chinese remainder theorem.
    fn integers(ring: &Ring, poly: &Poly<Coefficients>) -> Vec<BigInt> {
        let primes: Vec<BigInt> = ring
            .limb_primes(poly.basis())
            .iter()
            .map(|&i| BigInt::from(ring.modulus(i).value()))
            .collect();
        let product: BigInt = primes.iter().product();
        (0..ring.degree())
            .map(|i| {
                let mut x = BigInt::from(0);
                for (limb, q) in primes.iter().enumerate() {
                    let hat = &product / q;
                    let inverse = hat.modpow(&(q - 2), q);
                    x += &hat * (inverse * poly.limb(limb)[i] % q);
                }
                let x = x % &product;
                if &x * 2 > product { x - &product } else { x }
            })
            .collect()
    }

    fn sample(ring: &Ring, basis: Basis) -> Poly<Coefficients> {
        let mut poly = Poly::<Coefficients>::zero(ring, basis);
        let mut state = 7u64;
        poly.for_each_limb(ring, |_, _| ());
        let degree = ring.degree();
        for (limb, words) in poly.words_mut().chunks_mut(degree).enumerate() {
            for word in words {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(limb as u64 | 1);
                *word = state >> 20 & ((1 << 44) - 1);
            }
        }
        poly
    }

    #[test]
    fn divide_round_is_division_rounded_to_nearest() {
        let ring = ring();
        for (special, rescale) in [(0, 1), (3, 0), (3, 1), (1, 0), (2, 2)] {
            let basis = Basis { main: 4, special };
            let poly = sample(&ring, basis);
            let before = integers(&ring, &poly);
            let after = poly.into_evaluations(&ring).divide_round(&ring, rescale);
            assert_eq!(after.basis(), Basis::main(4 - rescale));
            let kept: BigInt = (0..4 - rescale).map(|i| BigInt::from(ring.main_prime(i))).product();
            let dropped: BigInt = ring
                .limb_primes(basis)
                .iter()
                .filter(|&&i| i >= 4 - rescale)
                .map(|&i| BigInt::from(ring.modulus(i).value()))
                .product();
            for (x, y) in before.iter().zip(integers(&ring, &after.into_coefficients(&ring))) {
                // 2·|x - y·D| <= D, up to a multiple of the remaining modulus.
                let mut distance = (x - &y * &dropped) % (&kept * &dropped);
                if &distance * 2 > &kept * &dropped {
                    distance -= &kept * &dropped;
                } else if &distance * -2 > &kept * &dropped {
                    distance += &kept * &dropped;
                }
                assert!(distance.magnitude() * 2u8 <= *dropped.magnitude(), "{distance}");
            }
        }
    }

    #[test]
    fn approximate_conversion_is_off_by_a_small_multiple_of_the_source() {
        let ring = ring();
        let sources = [4usize, 5, 6];
        let basis = Basis { main: 0, special: 3 };
        let poly = sample(&ring, basis);
        let expected = integers(&ring, &poly);
        let product: BigInt =
            sources.iter().map(|&i| BigInt::from(ring.modulus(i).value())).product();
        let source = poly.into_evaluations(&ring).words().to_vec();
        let mut out = vec![0u64; 4 * 32];
        let mut targets: Vec<(usize, &mut [u64])> = out.chunks_mut(32).enumerate().collect();
        ring.convert_base(&sources, &source, &mut targets, Rounding::Approximate);
        let out = Poly::<Coefficients>::from_words(&ring, Basis::main(4), out);
        for (x, y) in expected.iter().zip(integers(&ring, &out)) {
            let x = if x.sign() == num_bigint::Sign::Minus { x + &product } else { x.clone() };
            let multiple = (&y - &x) / &product;
            assert_eq!(&y - &x, &multiple * &product);
            assert!((0..3).contains(&i64::try_from(multiple).unwrap()));
        }
    }
}

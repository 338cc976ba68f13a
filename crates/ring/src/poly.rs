//! Polynomials in residue number system form.

mod chain_switch;
mod divide_round;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use crate::{Basis, Buffer, Modulus, NttTable, Ring, kernels};

mod sealed {
    pub trait Sealed {}
}

/// The interpretation of the words of a [`Poly`]. It is a type, so that mixing domains does not compile.
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

/// A polynomial of `Z_Q[X]/(X^N + 1)`: one limb of N words for each limb of its [`Basis`], one after another in one
/// contiguous buffer, with words below the limb's modulus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poly<D: Domain> {
    words: Buffer,
    degree: usize,
    basis: Basis,
    domain: PhantomData<D>,
}

impl<D: Domain> Poly<D> {
    /// Returns the zero polynomial.
    #[must_use]
    pub fn zero(ring: &Ring, basis: Basis) -> Self {
        Self::from_buffer(ring, basis, Buffer::zeroed(ring.degree() * basis.limbs()))
    }

    /// Returns a polynomial of unspecified words. Every limb must be written before it is read.
    #[must_use]
    pub fn unspecified(ring: &Ring, basis: Basis) -> Self {
        Self::from_buffer(ring, basis, Buffer::unspecified(ring.degree() * basis.limbs()))
    }

    fn from_buffer(ring: &Ring, basis: Basis, words: Buffer) -> Self {
        assert_eq!(words.len(), ring.degree() * basis.limbs(), "words of {basis:?}");
        Self { words, degree: ring.degree(), basis, domain: PhantomData }
    }

    /// Returns the polynomial with the words of a limb-major buffer, which must be reduced.
    ///
    /// # Panics
    /// If the buffer's length is not N times the number of limbs.
    #[must_use]
    pub fn from_words(ring: &Ring, basis: Basis, words: Vec<u64>) -> Self {
        Self::from_buffer(ring, basis, words.into())
    }

    /// Returns the primes that represent the polynomial.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Returns all words, limb after limb.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns a copy of all words, limb after limb.
    #[must_use]
    pub fn into_words(self) -> Vec<u64> {
        self.words.to_vec()
    }

    /// Returns all words, limb after limb, for writing; they must stay below their primes.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Returns the N words of one limb.
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

    /// Runs `f(modulus, words, other's words)` on every limb of two polynomials of the same basis.
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

    /// Runs `f(limb, table, words)` on every limb, on all threads, and returns the result as a polynomial of another
    /// domain.
    fn transformed<E: Domain>(
        mut self,
        ring: &Ring,
        f: impl Fn(usize, &NttTable, &mut [u64]) + Sync,
    ) -> Poly<E> {
        let Self { degree, basis, .. } = self;
        self.words.par_chunks_mut(degree).enumerate().for_each(|(limb, words)| {
            f(limb, ring.table(ring.prime_index(basis, limb)), words);
        });
        Poly { words: self.words, degree, basis, domain: PhantomData }
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

    /// Keeps the first `main` chain primes and no special ones: reduction modulo a divisor of Q.
    ///
    /// # Panics
    /// If the polynomial has special primes or fewer main ones.
    pub fn drop_to(&mut self, ring: &Ring, main: usize) {
        let (from, to) = (self.basis, self.basis.lowered(main));
        assert!(from.special == 0 && main <= from.main, "drop {from:?}");
        self.words.truncate(to.limbs() * self.degree);
        self.basis = to;
        if let Some(limb) = split_limb(from, to) {
            let m = ring.modulus(ring.prime_index(to, limb));
            reduce_assign(m, &mut self.words[limb * self.degree..]);
        }
    }

    /// Returns one limb for a result modulo the first `main` primes; this polynomial has more. Returns the limb's
    /// words, or their residues if the result keeps only the first of the limb's two primes.
    pub fn limb_of(&self, ring: &Ring, main: usize, limb: usize) -> Cow<'_, [u64]> {
        let words = self.limb(limb);
        if split_limb(self.basis, self.basis.lowered(main)) != Some(limb) {
            return Cow::Borrowed(words);
        }
        let mut reduced = vec![0; words.len()];
        let prime = ring.single_prime(self.basis.chain, main - 1);
        kernels::reduce(ring.modulus(prime), &mut reduced, words);
        Cow::Owned(reduced)
    }
}

/// Returns the limb that has two primes in `from` and only the first of them in `to`, which has fewer primes.
fn split_limb(from: Basis, to: Basis) -> Option<usize> {
    (to.main < from.main && to.main > 0 && from.shared.is_second(to.main))
        .then(|| to.main_limbs() - 1)
}

/// Reduces words of any modulus below 2^62.
fn reduce_assign(m: &Modulus, words: &mut [u64]) {
    let input = Buffer::copied(words);
    kernels::reduce(m, words, &input);
}

impl<D: Domain> zeroize::Zeroize for Poly<D> {
    fn zeroize(&mut self) {
        self.words.zeroize();
    }
}

impl Poly<Coefficients> {
    /// Returns the polynomial of these signed coefficients, reduced modulo every prime of the basis.
    #[must_use]
    pub fn from_signed(ring: &Ring, basis: Basis, coefficients: &[i64]) -> Self {
        assert_eq!(coefficients.len(), ring.degree());
        let mut poly = Self::unspecified(ring, basis);
        poly.for_each_limb(ring, |m, words| kernels::from_signed(m, words, coefficients));
        poly
    }

    /// Returns the evaluations of this polynomial, with one NTT per limb.
    #[must_use]
    pub fn into_evaluations(self, ring: &Ring) -> Poly<Evaluations> {
        self.into_evaluations_except(ring, &(0..0))
    }

    /// Returns the evaluations of a secret polynomial. Clears the stacks of the threads that compute them, since
    /// transforms spill registers there.
    #[must_use]
    pub fn into_secret_evaluations(self, ring: &Ring) -> Poly<Evaluations> {
        self.transformed(ring, |_, table, words| table.forward_secret_assign(words))
    }

    /// Returns the evaluations of this polynomial, except in a range of limbs, which stay unchanged: for limbs of
    /// unspecified words that are never read.
    #[must_use]
    pub fn into_evaluations_except(self, ring: &Ring, except: &Range<usize>) -> Poly<Evaluations> {
        self.transformed(ring, |limb, table, words| {
            if !except.contains(&limb) {
                table.forward_assign(words);
            }
        })
    }
}

impl Poly<Evaluations> {
    /// Returns the coefficients of this polynomial, with one inverse NTT per limb.
    #[must_use]
    pub fn into_coefficients(self, ring: &Ring) -> Poly<Coefficients> {
        self.transformed(ring, |_, table, words| table.inverse_assign(words))
    }

    /// Multiplies by a polynomial of the same basis.
    pub fn mul_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::mul_assign);
    }

    /// Returns the image under the automorphism `X -> X^element`, for odd elements.
    #[must_use]
    pub fn automorphism(&self, ring: &Ring, element: usize) -> Self {
        let permutation = ring.galois_permutation(element);
        let mut out = Self::unspecified(ring, self.basis);
        let limbs = out.words.par_chunks_mut(self.degree).zip(self.words.par_chunks(self.degree));
        limbs.for_each(|(out, input)| kernels::permute(out, input, permutation.whole()));
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
}

//! Polynomials on a card: [`Poly`] with the same words in the same order.

use std::marker::PhantomData;

use cryptable_lattice::error::Result;
use cryptable_ring::{Basis, Coefficients, Domain, Evaluations, Poly};

use crate::arguments::{Elementwise, Limbs};
use crate::device::Words;
use crate::kernels::{self, Grid, Kernel};
use crate::ntt::{self, Batch};
use crate::ring::DeviceRing;

/// Threads of a block of kernels that take a word a thread.
const THREADS: u32 = 256;

/// A polynomial in the memory of a card: limb-major words in `[0, prime)`.
#[derive(Debug)]
pub struct DevicePoly<D: Domain> {
    words: Words,
    degree: usize,
    basis: Basis,
    domain: PhantomData<D>,
}

impl<D: Domain> Clone for DevicePoly<D> {
    fn clone(&self) -> Self {
        self.of_first_limbs(self.basis)
    }
}

impl<D: Domain> DevicePoly<D> {
    /// A polynomial of unspecified words, every limb of which is to be written before it is read.
    pub(crate) fn unspecified(ring: &DeviceRing<'_>, basis: Basis) -> Self {
        let words = ring.device().allocate(ring.degree() * basis.limbs());
        Self { words, degree: ring.degree(), basis, domain: PhantomData }
    }

    /// The zero polynomial.
    #[must_use]
    pub fn zero(ring: &DeviceRing<'_>, basis: Basis) -> Self {
        let poly = Self::unspecified(ring, basis);
        elementwise(ring, &kernels::SET_ZERO, ring.limbs(basis), [poly.limb(0), 0, 0]);
        poly
    }

    /// A copy of a polynomial.
    #[must_use]
    pub fn upload(ring: &DeviceRing<'_>, poly: &Poly<D>) -> Self {
        Self::upload_words(ring, poly.basis(), poly.words())
    }

    /// A copy of words, limb after limb, that are yet to become residues.
    ///
    /// # Panics
    /// If there are not N for each limb.
    pub(crate) fn upload_words(ring: &DeviceRing<'_>, basis: Basis, words: &[u64]) -> Self {
        assert_eq!(words.len(), ring.degree() * basis.limbs(), "words of {basis:?}");
        let words = ring.device().upload(words);
        Self { words, degree: ring.degree(), basis, domain: PhantomData }
    }

    /// A copy of the polynomial on the processor.
    ///
    /// # Errors
    /// The first error of the card.
    pub fn download(&self, ring: &DeviceRing<'_>) -> Result<Poly<D>> {
        let mut poly = Poly::unspecified(ring.ring(), self.basis);
        self.words.read(0, poly.words_mut())?;
        Ok(poly)
    }

    /// The primes that the polynomial is given by.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// The address of a limb.
    pub(crate) fn limb(&self, limb: usize) -> u64 {
        self.words.address(limb * self.degree)
    }

    /// Its words.
    pub(crate) fn into_words(self) -> Words {
        self.words
    }

    /// The same words of another domain: for transforms in place.
    pub(crate) fn with_domain<E: Domain>(self) -> DevicePoly<E> {
        DevicePoly {
            words: self.words,
            degree: self.degree,
            basis: self.basis,
            domain: PhantomData,
        }
    }

    /// Adds a polynomial of the same basis.
    pub fn add_assign(&mut self, ring: &DeviceRing<'_>, other: &Self) {
        assert_eq!(self.basis, other.basis, "operands have different bases");
        let operands = [self.limb(0), self.limb(0), other.limb(0)];
        elementwise(ring, &kernels::ADD, ring.limbs(self.basis), operands);
    }

    /// Subtracts a polynomial of the same basis.
    pub fn sub_assign(&mut self, ring: &DeviceRing<'_>, other: &Self) {
        assert_eq!(self.basis, other.basis, "operands have different bases");
        let operands = [self.limb(0), self.limb(0), other.limb(0)];
        elementwise(ring, &kernels::SUBTRACT, ring.limbs(self.basis), operands);
    }

    /// Changes the sign of all coefficients.
    pub fn neg_assign(&mut self, ring: &DeviceRing<'_>) {
        let operands = [self.limb(0), self.limb(0), 0];
        elementwise(ring, &kernels::NEGATE, ring.limbs(self.basis), operands);
    }

    /// Keeps the first `main` chain primes and no special ones: reduction modulo a divisor of Q. The memory stays as much.
    ///
    /// # Panics
    /// If the polynomial has special primes or fewer main ones.
    pub fn drop_to(&mut self, ring: &DeviceRing<'_>, main: usize) {
        let (from, to) = (self.basis, self.basis.lowered(main));
        assert!(from.special == 0 && main <= from.main, "drop {from:?}");
        self.basis = to;
        self.reduce_split_limb(ring, from);
    }

    /// A copy of the first `main` chain primes: [`DevicePoly::drop_to`].
    ///
    /// # Panics
    /// If the polynomial has special primes or fewer main ones.
    #[must_use]
    pub fn truncated(&self, ring: &DeviceRing<'_>, main: usize) -> Self {
        let to = self.basis.lowered(main);
        assert!(self.basis.special == 0, "truncate {:?}", self.basis);
        let mut copy = self.of_first_limbs(to);
        copy.reduce_split_limb(ring, self.basis);
        copy
    }

    /// A copy of as many limbs as a basis has.
    fn of_first_limbs(&self, basis: Basis) -> Self {
        let len = self.degree * basis.limbs();
        let mut words = self.words.device().allocate(len);
        words.copy_from(0, &self.words, 0, len);
        Self { words, basis, ..*self }
    }

    /// Reduces the limb that had two primes in `from` and has the first of them now.
    fn reduce_split_limb(&mut self, ring: &DeviceRing<'_>, from: Basis) {
        let to = self.basis;
        if to.main == from.main || to.main == 0 || !from.shared.is_second(to.main) {
            return;
        }
        let limb = to.main_limbs() - 1;
        let words = self.limb(limb);
        reduce_limb(ring, ring.ring().prime_index(to, limb), words, words);
    }
}

/// One limb modulo a divisor of its modulus, given by number.
pub(crate) fn reduce_limb(ring: &DeviceRing<'_>, modulus: usize, to: u64, from: u64) {
    elementwise(ring, &kernels::REDUCE, Limbs::new(&[modulus]), [to, from, 0]);
}

/// Runs a kernel on all words of limbs: `[out, a, b]`.
fn elementwise(
    ring: &DeviceRing<'_>,
    kernel: &Kernel<Elementwise>,
    limbs: Limbs,
    [out, a, b]: [u64; 3],
) {
    let degree = ring.degree() as u32;
    let arguments = Elementwise { moduli: ring.moduli(), out, a, b, degree, limbs };
    ring.device().launch(kernel, word_grid(ring, limbs.count as usize), &arguments);
}

/// A thread a word of so many limbs: blocks (N / threads, limbs).
pub(crate) fn word_grid(ring: &DeviceRing<'_>, limbs: usize) -> Grid {
    let threads = THREADS.min(ring.degree() as u32);
    Grid { blocks: [ring.degree() as u32 / threads, limbs as u32, 1], threads }
}

impl DevicePoly<Coefficients> {
    /// The evaluations of this polynomial, with one transform a limb, in place: evaluation i is the value at
    /// `psi^(2·bitrev(i)+1)`, as of [`Poly::into_evaluations`].
    #[must_use]
    pub fn into_evaluations(self, ring: &DeviceRing<'_>) -> DevicePoly<Evaluations> {
        ntt::forward(ring, self.limb(0), &Batch::of_limbs(ring.limbs(self.basis)));
        self.with_domain()
    }
}

impl DevicePoly<Evaluations> {
    /// The coefficients of this polynomial, with one inverse transform a limb, in place.
    #[must_use]
    pub fn into_coefficients(self, ring: &DeviceRing<'_>) -> DevicePoly<Coefficients> {
        let words = self.limb(0);
        ntt::inverse(ring, words, words, &Batch::of_limbs(ring.limbs(self.basis)));
        self.with_domain()
    }

    /// Multiplies by a polynomial of the same basis.
    pub fn mul_assign(&mut self, ring: &DeviceRing<'_>, other: &Self) {
        assert_eq!(self.basis, other.basis, "operands have different bases");
        let operands = [self.limb(0), self.limb(0), other.limb(0)];
        elementwise(ring, &kernels::MULTIPLY, ring.limbs(self.basis), operands);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, samples};
    use cryptable_ring::{Coefficients, Ring, primes::ntt_primes};

    #[test]
    fn polynomials_without_their_last_primes() {
        let ring = samples::ring(64);
        let on_card = DeviceRing::new(&Device::for_tests(), &ring);
        for primes in 1..=8 {
            let poly: Poly<Evaluations> = samples::poly(&ring, ring.main_basis(primes), 5);
            let found = DevicePoly::upload(&on_card, &poly);
            for main in 1..=primes {
                let mut expected = poly.clone();
                expected.drop_to(&ring, main);
                let truncated = found.truncated(&on_card, main);
                assert_eq!(truncated.download(&on_card).unwrap(), expected);
                let mut dropped = found.clone();
                dropped.drop_to(&on_card, main);
                assert_eq!(dropped.download(&on_card).unwrap(), expected);
                assert_eq!(dropped.clone().download(&on_card).unwrap(), expected);
                expected.neg_assign(&ring);
                dropped.neg_assign(&on_card);
                assert_eq!(dropped.download(&on_card).unwrap(), expected);
            }
        }
        let zero = DevicePoly::<Coefficients>::zero(&on_card, ring.full_basis());
        assert_eq!(zero.download(&on_card).unwrap(), Poly::zero(&ring, ring.full_basis()));
    }

    #[test]
    fn sums_and_products_are_those_of_the_processor() {
        let primes = ntt_primes(1024, 49.0, 3, &[]);
        let ring = Ring::new(1024, &primes, &[]);
        let on_card = DeviceRing::new(&Device::for_tests(), &ring);
        let basis = Basis::main(3);
        let poly = |seed: u64| {
            let words = (0..3 * 1024u64).map(|i| {
                let q = primes[i as usize / 1024];
                if i % 7 == 0 { q - 1 } else { (i + 1).wrapping_mul(seed) % q }
            });
            Poly::<Evaluations>::from_words(&ring, basis, words.collect())
        };
        let (a, b) = (poly(0x9e37_79b9_7f4a_7c15), poly(0xbf58_476d_1ce4_e5b9));
        let b_on_card = DevicePoly::upload(&on_card, &b);
        let check = |f: fn(&mut Poly<Evaluations>, &Ring, &Poly<Evaluations>),
                     g: fn(
            &mut DevicePoly<Evaluations>,
            &DeviceRing<'_>,
            &DevicePoly<Evaluations>,
        )| {
            let mut expected = a.clone();
            f(&mut expected, &ring, &b);
            let mut found = DevicePoly::upload(&on_card, &a);
            g(&mut found, &on_card, &b_on_card);
            assert_eq!(found.download(&on_card).unwrap(), expected);
        };
        check(Poly::add_assign, DevicePoly::add_assign);
        check(Poly::sub_assign, DevicePoly::sub_assign);
        check(Poly::mul_assign, DevicePoly::mul_assign);
    }
}

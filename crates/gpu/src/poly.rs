//! Polynomials on a card: [`Poly`] with the same words in the same order.

use std::marker::PhantomData;

use cryptable_lattice::error::Result;
use cryptable_ring::{Basis, Coefficients, Domain, Evaluations, Poly};

use crate::arguments::Elementwise;
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
        let mut words = self.words.device().allocate(self.words.len());
        words.copy_from(0, &self.words, 0, self.words.len());
        Self { words, ..*self }
    }
}

impl<D: Domain> DevicePoly<D> {
    /// A polynomial of unspecified words, every limb of which is to be written before it is read.
    pub(crate) fn unspecified(ring: &DeviceRing<'_>, basis: Basis) -> Self {
        let words = ring.device().allocate(ring.degree() * basis.limbs());
        Self { words, degree: ring.degree(), basis, domain: PhantomData }
    }

    /// A copy of a polynomial.
    #[must_use]
    pub fn upload(ring: &DeviceRing<'_>, poly: &Poly<D>) -> Self {
        let words = ring.device().upload(poly.words());
        Self { words, degree: ring.degree(), basis: poly.basis(), domain: PhantomData }
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
        elementwise(ring, &kernels::ADD, self.basis, operands, 0);
    }

    /// Subtracts a polynomial of the same basis.
    pub fn sub_assign(&mut self, ring: &DeviceRing<'_>, other: &Self) {
        assert_eq!(self.basis, other.basis, "operands have different bases");
        let operands = [self.limb(0), self.limb(0), other.limb(0)];
        elementwise(ring, &kernels::SUBTRACT, self.basis, operands, 0);
    }
}

/// Runs a kernel on all words of the limbs of a basis: `[out, a, b]`, and a factor a limb.
pub(crate) fn elementwise(
    ring: &DeviceRing<'_>,
    kernel: &Kernel<Elementwise>,
    basis: Basis,
    [out, a, b]: [u64; 3],
    factors: u64,
) {
    let (degree, limbs) = (ring.degree() as u32, ring.limbs(basis));
    let grid = word_grid(ring, basis.limbs());
    let arguments = Elementwise { moduli: ring.moduli(), out, a, b, factors, degree, limbs };
    ring.device().launch(kernel, grid, &arguments);
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
        elementwise(ring, &kernels::MULTIPLY, self.basis, operands, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use cryptable_ring::{Ring, primes::ntt_primes};

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

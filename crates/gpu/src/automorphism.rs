//! Automorphisms of the ring.

use cryptable_ring::Evaluations;

use crate::arguments::Automorphism;
use crate::kernels;
use crate::poly::{DevicePoly, word_grid};
use crate::ring::DeviceRing;

impl DevicePoly<Evaluations> {
    /// The image under the automorphism `X -> X^element`, for odd elements: a permutation of the evaluations.
    ///
    /// # Panics
    /// If the element is even.
    #[must_use]
    pub fn automorphism(&self, ring: &DeviceRing<'_>, element: usize) -> Self {
        assert!(element % 2 == 1, "Galois element {element} is even");
        let out = Self::unspecified(ring, self.basis());
        let arguments = Automorphism {
            out: out.limb(0),
            input: self.limb(0),
            element: (element % (2 * ring.degree())) as u32,
            log_degree: ring.degree().ilog2(),
        };
        let grid = word_grid(ring, self.basis().limbs());
        ring.device().launch(&kernels::AUTOMORPHISM, grid, &arguments);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, samples};
    use cryptable_ring::{Basis, Poly, Ring, primes::ntt_primes};

    fn check(ring: &Ring, basis: Basis, elements: &[usize]) {
        let on_card = DeviceRing::new(&Device::for_tests(), ring);
        let poly: Poly<Evaluations> = samples::poly(ring, basis, 3);
        let input = DevicePoly::upload(&on_card, &poly);
        for &element in elements {
            let found = input.automorphism(&on_card, element);
            assert_eq!(
                found.download(&on_card).unwrap(),
                poly.automorphism(ring, element),
                "X^{element} of degree {}",
                ring.degree()
            );
        }
    }

    #[test]
    fn automorphisms_are_those_of_the_processor() {
        for degree in [16, 64, 1024] {
            let ring = samples::ring(degree);
            check(&ring, ring.full_basis(), &[1, 3, 5, 25, degree - 1, degree + 1, 2 * degree - 1]);
        }
        let ring = Ring::new(1 << 16, &ntt_primes(1 << 16, 49.0, 1, &[]), &[]);
        let elements = [ring.rotation_element(1), ring.rotation_element(12_345)];
        check(&ring, Basis::main(1), &[elements[0], elements[1], ring.conjugation_element()]);
    }
}

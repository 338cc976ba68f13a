//! Products and sums of polynomials with constants.

use cryptable_ring::combination::GaussianInteger;
use cryptable_ring::{Basis, Domain, Evaluations};

use crate::arguments::{Constants, MAX_LIMBS};
use crate::kernels::{self, Kernel};
use crate::poly::{DevicePoly, word_grid};
use crate::ring::DeviceRing;

impl<D: Domain> DevicePoly<D> {
    /// Multiplies all coefficients by an integer.
    pub fn mul_integer_assign(&mut self, ring: &DeviceRing<'_>, factor: i128) {
        let operands = [self.limb(0), self.limb(0), 0];
        let factors = |prime| integer_factors(ring, prime, factor);
        with_constants(ring, &kernels::MULTIPLY_CONSTANTS, self.basis(), operands, factors);
    }

    /// Multiplies every limb by a residue, given by the number of its modulus.
    pub(crate) fn mul_residues_assign(
        &mut self,
        ring: &DeviceRing<'_>,
        residue: impl Fn(usize) -> u64,
    ) {
        let operands = [self.limb(0), self.limb(0), 0];
        let factors = |prime| {
            let factor = residue(prime);
            (factor, factor)
        };
        with_constants(ring, &kernels::MULTIPLY_CONSTANTS, self.basis(), operands, factors);
    }
}

impl DevicePoly<Evaluations> {
    /// Multiplies by `X^(N/2)`, the constant i in slots.
    pub fn mul_imaginary_unit_assign(&mut self, ring: &DeviceRing<'_>) {
        let operands = [self.limb(0), self.limb(0), 0];
        let factors = |prime: usize| {
            let unit = ring.ring().imaginary_unit(prime);
            (unit, ring.ring().modulus(prime).neg(unit))
        };
        with_constants(ring, &kernels::MULTIPLY_CONSTANTS, self.basis(), operands, factors);
    }

    /// Adds the constant `re + i·im` to every slot.
    pub fn add_constant_assign(&mut self, ring: &DeviceRing<'_>, constant: GaussianInteger) {
        let operands = [self.limb(0), self.limb(0), 0];
        let factors = |prime| constant.residues(ring.ring(), prime);
        with_constants(ring, &kernels::ADD_CONSTANTS, self.basis(), operands, factors);
    }

    /// Adds `factor·other`; limbs of `other` that this polynomial lacks are not read.
    ///
    /// # Panics
    /// If the operand has fewer limbs, or there are special ones.
    pub fn add_multiple_assign(&mut self, ring: &DeviceRing<'_>, other: &Self, factor: i128) {
        let basis = self.basis();
        assert!(basis.special == 0 && other.basis().main >= basis.main, "operand lacks limbs");
        let operands = [self.limb(0), self.limb(0), other.limb(0)];
        let factors = |prime| integer_factors(ring, prime, factor);
        with_constants(ring, &kernels::ADD_CONSTANT_MULTIPLE, basis, operands, factors);
    }
}

/// An integer modulo a prime, for both halves of the evaluations.
fn integer_factors(ring: &DeviceRing<'_>, prime: usize, factor: i128) -> (u64, u64) {
    let residue = ring.ring().modulus(prime).reduce_i128(factor);
    (residue, residue)
}

/// Runs a kernel on all words of the limbs of a basis: `[out, a, b]`, and constants of the prime of each limb.
fn with_constants(
    ring: &DeviceRing<'_>,
    kernel: &Kernel<Constants>,
    basis: Basis,
    [out, a, b]: [u64; 3],
    constants: impl Fn(usize) -> (u64, u64),
) {
    let (mut first, mut second) = ([0; MAX_LIMBS], [0; MAX_LIMBS]);
    for (limb, prime) in ring.ring().limb_primes(basis).into_iter().enumerate() {
        (first[limb], second[limb]) = constants(prime);
    }
    let (degree, limbs) = (ring.degree() as u32, ring.limbs(basis));
    let arguments = Constants { moduli: ring.moduli(), out, a, b, first, second, degree, limbs };
    ring.device().launch(kernel, word_grid(ring, basis.limbs()), &arguments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, samples};
    use cryptable_ring::{Coefficients, Poly};

    #[test]
    fn products_and_sums_with_constants_are_those_of_the_processor() {
        let ring = samples::ring(1024);
        let on_card = DeviceRing::new(&Device::for_tests(), &ring);
        for primes in 1..=8 {
            let basis = ring.main_basis(primes);
            let poly: Poly<Evaluations> = samples::poly(&ring, basis, primes as u64);
            let other: Poly<Evaluations> = samples::poly(&ring, ring.main_basis(8), 0);
            let other_on_card = DevicePoly::upload(&on_card, &other);
            for factor in [0, 1, -1, i128::MAX, i128::MIN, -123_456_789_012_345_678_901] {
                let mut expected = poly.clone();
                let mut found = DevicePoly::upload(&on_card, &poly);
                expected.mul_integer_assign(&ring, factor);
                found.mul_integer_assign(&on_card, factor);
                assert_eq!(found.download(&on_card).unwrap(), expected);
                expected.add_multiple_assign(&ring, &other, factor);
                found.add_multiple_assign(&on_card, &other_on_card, factor);
                assert_eq!(found.download(&on_card).unwrap(), expected);
                expected.mul_imaginary_unit_assign(&ring);
                found.mul_imaginary_unit_assign(&on_card);
                assert_eq!(found.download(&on_card).unwrap(), expected);
                let constant = GaussianInteger { re: factor, im: 1 - (factor >> 1), shift: 70 };
                expected.add_constant_assign(&ring, constant);
                found.add_constant_assign(&on_card, constant);
                assert_eq!(found.download(&on_card).unwrap(), expected);
            }
        }
        let poly: Poly<Coefficients> = samples::poly(&ring, ring.full_basis(), 1);
        let (mut expected, mut found) = (poly.clone(), DevicePoly::upload(&on_card, &poly));
        expected.mul_integer_assign(&ring, -7);
        found.mul_integer_assign(&on_card, -7);
        assert_eq!(found.download(&on_card).unwrap(), expected);
    }
}

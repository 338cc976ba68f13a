//! Sums of products of ciphertexts, before relinearization.

use cryptable_lattice::error::Result;
use cryptable_ring::combination::Tensor;
use cryptable_ring::{Basis, Evaluations};

use crate::arguments::{MAX_PAIRS, TensorSum};
use crate::kernels::{self, Kernel};
use crate::poly::{DevicePoly, word_grid};
use crate::ring::DeviceRing;

/// The two parts of a ciphertext.
pub type DeviceParts<'a> = [&'a DevicePoly<Evaluations>; 2];

/// The product `d0 + d1·s + d2·s²` of two pairs: see [`Tensor`].
#[derive(Clone, Debug)]
pub struct DeviceTensor {
    /// `a0·b0`, the coefficient of 1.
    pub d0: DevicePoly<Evaluations>,
    /// `a0·b1 + a1·b0`, the coefficient of s.
    pub d1: DevicePoly<Evaluations>,
    /// `a1·b1`, the coefficient of s².
    pub d2: DevicePoly<Evaluations>,
}

impl DeviceTensor {
    /// A tensor of unspecified words.
    pub(crate) fn unspecified(ring: &DeviceRing<'_>, basis: Basis) -> Self {
        let [d0, d1, d2] = std::array::from_fn(|_| DevicePoly::unspecified(ring, basis));
        Self { d0, d1, d2 }
    }

    /// Where the three polynomials are.
    pub(crate) fn addresses(&self) -> [u64; 3] {
        [&self.d0, &self.d1, &self.d2].map(|poly| poly.limb(0))
    }

    /// A copy on the processor.
    ///
    /// # Errors
    /// The first error of the card.
    pub fn download(&self, ring: &DeviceRing<'_>) -> Result<Tensor> {
        Ok(Tensor {
            d0: self.d0.download(ring)?,
            d1: self.d1.download(ring)?,
            d2: self.d2.download(ring)?,
        })
    }
}

/// The basis of results modulo `q_0 … q_{main-1}` of operands, the first of which has this one.
///
/// # Panics
/// If an operand has fewer primes, or special ones and not the same.
pub(crate) fn common_basis<'a>(
    first: Basis,
    main: usize,
    mut operands: impl Iterator<Item = &'a DevicePoly<Evaluations>>,
) -> Basis {
    let basis = first.lowered(main);
    assert!(
        operands.all(|operand| {
            let operand = operand.basis();
            // Special limbs follow the main ones: where they are is the same in operands of as many.
            operand.lowered(main) == basis && (basis.special == 0 || operand.main == main)
        }),
        "operands for results of {basis:?}"
    );
    basis
}

/// The sum of the products `a·b` of pairs, modulo `q_0 … q_{main-1}`; further limbs of the operands are not read. Every
/// operand is read once, and sums are reduced once.
///
/// # Panics
/// If there are no pairs, or an operand has fewer primes.
#[must_use]
pub fn tensor(
    ring: &DeviceRing<'_>,
    main: usize,
    pairs: &[(DeviceParts<'_>, DeviceParts<'_>)],
) -> DeviceTensor {
    let parts = pairs.iter().map(|&([a0, a1], [b0, b1])| [a0, a1, b0, b1]);
    let basis = common_basis(pairs[0].0[0].basis(), main, parts.clone().flatten());
    let out = DeviceTensor::unspecified(ring, basis);
    let parts = parts.map(|parts| parts.map(|part| part.limb(0)));
    add_products(ring, &kernels::TENSOR, basis, out.addresses(), &parts.collect::<Vec<_>>());
    out
}

/// The sum of the products of pairs with polynomials, part by part, modulo `q_0 … q_{main-1}`; further limbs of the operands
/// are not read.
///
/// # Panics
/// As [`tensor`].
#[must_use]
pub fn plain_products(
    ring: &DeviceRing<'_>,
    main: usize,
    pairs: &[(DeviceParts<'_>, &DevicePoly<Evaluations>)],
) -> (DevicePoly<Evaluations>, DevicePoly<Evaluations>) {
    let operands = pairs.iter().flat_map(|&([a0, a1], b)| [a0, a1, b]);
    let basis = common_basis(pairs[0].0[0].basis(), main, operands);
    let (c0, c1) = (DevicePoly::unspecified(ring, basis), DevicePoly::unspecified(ring, basis));
    let parts = pairs.iter().map(|([a0, a1], b)| [a0.limb(0), a1.limb(0), b.limb(0), 0]);
    let out = [c0.limb(0), c1.limb(0), 0];
    add_products(ring, &kernels::PLAIN_PRODUCTS, basis, out, &parts.collect::<Vec<_>>());
    (c0, c1)
}

/// Runs a kernel on as many pairs at a time as it takes.
fn add_products(
    ring: &DeviceRing<'_>,
    kernel: &Kernel<TensorSum>,
    basis: Basis,
    out: [u64; 3],
    pairs: &[[u64; 4]],
) {
    for (index, pairs) in pairs.chunks(MAX_PAIRS).enumerate() {
        let mut parts = [[0; 4]; MAX_PAIRS];
        parts[..pairs.len()].copy_from_slice(pairs);
        let arguments = TensorSum {
            moduli: ring.moduli(),
            out,
            parts,
            pairs: pairs.len() as u32,
            accumulate: u32::from(index > 0),
            degree: ring.degree() as u32,
            limbs: ring.limbs(basis),
        };
        ring.device().launch(kernel, word_grid(ring, basis.limbs()), &arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, samples};
    use cryptable_ring::{Poly, combination};

    #[test]
    fn products_are_those_of_the_processor() {
        let ring = samples::ring(64);
        let on_card = DeviceRing::new(&Device::for_tests(), &ring);
        // Of several numbers of primes; the largest words among them.
        let make =
            |seed: u64| samples::poly(&ring, ring.main_basis(6 + seed as usize % 3), seed / 3);
        let polys: Vec<Poly<Evaluations>> = (0..9).map(make).collect();
        let copies: Vec<_> = polys.iter().map(|poly| DevicePoly::upload(&on_card, poly)).collect();
        for (count, mains) in [(1, 1..=6), (5, 1..=6), (64, 5..=6), (65, 6..=6), (130, 6..=6)] {
            for main in mains {
                let pick = |k: usize, part: usize| (k * (part + 2) + part) % polys.len();
                let of = |k| [pick(k, 0), pick(k, 1), pick(k, 2), pick(k, 3)];
                let pairs: Vec<_> = (0..count).map(|k| of(k).map(|i| &polys[i])).collect();
                let pairs: Vec<_> = pairs.iter().map(|[a, b, c, d]| ((*a, *b), (*c, *d))).collect();
                let expected = combination::tensor(&ring, main, &pairs);
                let plain: Vec<_> = pairs.iter().map(|&(a, (b, _))| (a, b)).collect();
                let (c0, c1) = combination::plain_products(&ring, main, &plain);

                let pairs: Vec<_> = (0..count).map(|k| of(k).map(|i| &copies[i])).collect();
                let pairs: Vec<_> = pairs.iter().map(|&[a, b, c, d]| ([a, b], [c, d])).collect();
                let found = tensor(&on_card, main, &pairs).download(&on_card).unwrap();
                assert!(found.d0 == expected.d0, "{count} pairs, {main} primes");
                assert!(found.d1 == expected.d1 && found.d2 == expected.d2);
                let plain: Vec<_> = pairs.iter().map(|&(a, [b, _])| (a, b)).collect();
                let found = plain_products(&on_card, main, &plain);
                assert_eq!(found.0.download(&on_card).unwrap(), c0);
                assert_eq!(found.1.download(&on_card).unwrap(), c1);
            }
        }
    }

    #[test]
    fn products_of_great_moduli() {
        let ring = samples::ring(64);
        let on_card = DeviceRing::new(&Device::for_tests(), &ring);
        for seed in 0..3 {
            let poly: Poly<Evaluations> = samples::poly(&ring, ring.full_basis(), seed);
            let copy = DevicePoly::upload(&on_card, &poly);
            let expected = combination::tensor(&ring, 8, &[((&poly, &poly), (&poly, &poly)); 40]);
            let found = tensor(&on_card, 8, &[([&copy; 2], [&copy; 2]); 40]);
            let found = found.download(&on_card).unwrap();
            assert!(found.d0 == expected.d0 && found.d1 == expected.d1 && found.d2 == expected.d2);
        }
    }
}

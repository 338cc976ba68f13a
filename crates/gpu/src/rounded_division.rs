//! Division by dropped primes, rounded to nearest, on a card: ModDown, rescale, or both at once. See
//! [`cryptable_ring::RoundedDivision`].

use cryptable_ring::{Basis, Evaluations};

use crate::arguments::{Limbs, MAX_LIMBS, arguments};
use crate::conversion::convert;
use crate::kernels::{self, Grid};
use crate::ntt::{self, Batch};
use crate::poly::{DevicePoly, reduce_limb, word_grid};
use crate::ring::DeviceRing;

/// `FinishDivision` of `rounded_division.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinishDivision {
    moduli: u64,
    dividends: [u64; 2],
    remainders: [u64; 2],
    inverses: [u64; MAX_LIMBS],
    degree: u32,
    split_limb: u32,
    limbs: Limbs,
}

arguments!(FinishDivision);

/// Divides polynomials of a basis, at these addresses, by all special primes and the top `rescale` main primes: one, or two
/// of one ciphertext. Their dropped limbs are overwritten.
///
/// # Panics
/// If no main prime would be left, or there is nothing to divide by.
fn divide<const COUNT: usize>(
    ring: &DeviceRing<'_>,
    dividends: [u64; COUNT],
    basis: Basis,
    rescale: usize,
) -> [DevicePoly<Evaluations>; COUNT] {
    assert!(rescale < basis.main && (1..=2).contains(&COUNT), "rescale {rescale} of {basis:?}");
    let (on_cpu, degree) = (ring.ring(), ring.degree());
    let kept = basis.without_special().lowered(basis.main - rescale);
    let is_split = rescale > 0 && basis.shared.is_second(kept.main);
    let mut dropped: Vec<usize> =
        (kept.limbs()..basis.limbs()).map(|limb| on_cpu.prime_index(basis, limb)).collect();
    let bytes = |limbs: usize| (8 * limbs * degree) as u64;
    // With a limb that is cut in two, what is dropped of it comes before the limbs that are dropped as a whole.
    let mut with_second = None;
    if is_split {
        let second = on_cpu.single_prime(kept.chain, kept.main);
        let limbs = dropped.len() + 1;
        let words = ring.device().allocate(COUNT * limbs * degree);
        for (part, &dividend) in dividends.iter().enumerate() {
            let at = |limb: usize| words.address((part * limbs + limb) * degree);
            reduce_limb(ring, second, at(0), dividend + bytes(kept.limbs() - 1));
            for (index, &modulus) in dropped.iter().enumerate() {
                // Residues stay as they are.
                reduce_limb(ring, modulus, at(index + 1), dividend + bytes(kept.limbs() + index));
            }
        }
        dropped.insert(0, second);
        with_second = Some(words);
    }
    let divisors: [u64; COUNT] = match &with_second {
        Some(words) => std::array::from_fn(|part| words.address(part * dropped.len() * degree)),
        None => dividends.map(|dividend| dividend + bytes(kept.limbs())),
    };
    let converter = ring.converter(&dropped);
    let batch = Batch::of_polys(Limbs::new(&dropped), divisors);
    ntt::inverse_scaled(ring, divisors[0], divisors[0], &batch, converter.scaled_inverses());
    let quotients: [DevicePoly<Evaluations>; COUNT] =
        std::array::from_fn(|_| DevicePoly::unspecified(ring, kept));
    let addresses = quotients.each_ref().map(|quotient| quotient.limb(0));
    let parts: Vec<_> =
        divisors.iter().zip(addresses).map(|(&from, to)| converter.part(from, to, 0..0)).collect();
    let limbs = ring.limbs(kept);
    convert(ring, limbs, &parts);
    ntt::forward(ring, addresses[0], &Batch::of_polys(limbs, addresses));
    let two = |addresses: [u64; COUNT]| [addresses[0], addresses[COUNT - 1]];
    let mut inverses = [0; MAX_LIMBS];
    for (limb, inverse) in inverses[..kept.limbs()].iter_mut().enumerate() {
        *inverse = converter.product_inverse(on_cpu.prime_index(kept, limb));
    }
    let arguments = FinishDivision {
        moduli: ring.moduli(),
        dividends: two(dividends),
        remainders: two(addresses),
        inverses,
        degree: degree as u32,
        split_limb: if is_split { kept.limbs() as u32 - 1 } else { u32::MAX },
        limbs,
    };
    let Grid { blocks: [x, y, _], threads } = word_grid(ring, kept.limbs());
    let grid = Grid { blocks: [x, y, COUNT as u32], threads };
    ring.device().launch(&kernels::FINISH_DIVISION, grid, &arguments);
    quotients
}

/// Divides one polynomial, or the two of a ciphertext, by all special primes and the top `rescale` main primes, rounding to
/// nearest.
///
/// # Panics
/// If no main prime would be left.
pub(crate) fn divide_round<const COUNT: usize>(
    ring: &DeviceRing<'_>,
    dividends: [DevicePoly<Evaluations>; COUNT],
    rescale: usize,
) -> [DevicePoly<Evaluations>; COUNT] {
    let basis = dividends[0].basis();
    if basis.special == 0 && rescale == 0 {
        return dividends;
    }
    divide(ring, dividends.each_ref().map(|poly| poly.limb(0)), basis, rescale)
}

impl DevicePoly<Evaluations> {
    /// Divides by all special primes and the top `rescale` main primes, rounding to nearest.
    ///
    /// # Panics
    /// If no main prime would be left.
    #[must_use]
    pub fn divide_round(self, ring: &DeviceRing<'_>, rescale: usize) -> Self {
        let [quotient] = divide_round(ring, [self], rescale);
        quotient
    }
}

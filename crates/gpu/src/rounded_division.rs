//! Division by dropped primes, rounded to nearest, on a card: ModDown, rescale, or both at once. See
//! [`cryptable_ring::RoundedDivision`].

use cryptable_ring::{Basis, Evaluations};

use crate::arguments::{Limbs, MAX_LIMBS, arguments};
use crate::conversion::{Converter, convert};
use crate::device::Words;
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

/// The limbs that are divided by: their moduli, and where those of each polynomial are.
struct Dropped<const COUNT: usize> {
    moduli: Vec<usize>,
    addresses: [u64; COUNT],
    /// What the addresses are of, where it is not the polynomials themselves.
    _copies: Option<Words>,
}

impl<const COUNT: usize> Dropped<COUNT> {
    /// Those of a basis that are not kept; `is_split` where the last kept limb is cut in two.
    fn new(
        ring: &DeviceRing<'_>,
        dividends: [u64; COUNT],
        (basis, kept): (Basis, Basis),
        is_split: bool,
    ) -> Self {
        let degree = ring.degree();
        let mut moduli: Vec<usize> = (kept.limbs()..basis.limbs())
            .map(|limb| ring.ring().prime_index(basis, limb))
            .collect();
        let bytes = |limbs: usize| (8 * limbs * degree) as u64;
        if !is_split {
            let addresses = dividends.map(|dividend| dividend + bytes(kept.limbs()));
            return Self { moduli, addresses, _copies: None };
        }
        // What is dropped of the limb that is cut in two comes before the limbs that are dropped as a whole.
        let second = ring.ring().single_prime(kept.chain, kept.main);
        let limbs = moduli.len() + 1;
        let words = ring.device().allocate(COUNT * limbs * degree);
        let at = |part: usize, limb: usize| words.address((part * limbs + limb) * degree);
        for (part, &dividend) in dividends.iter().enumerate() {
            reduce_limb(ring, second, at(part, 0), dividend + bytes(kept.limbs() - 1));
            for (index, &modulus) in moduli.iter().enumerate() {
                // Residues stay as they are.
                let from = dividend + bytes(kept.limbs() + index);
                reduce_limb(ring, modulus, at(part, index + 1), from);
            }
        }
        moduli.insert(0, second);
        let addresses = std::array::from_fn(|part| at(part, 0));
        Self { moduli, addresses, _copies: Some(words) }
    }
}

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
    let kept = basis.without_special().lowered(basis.main - rescale);
    let is_split = rescale > 0 && basis.shared.is_second(kept.main);
    let dropped = Dropped::new(ring, dividends, (basis, kept), is_split);
    let converter = ring.converter(&dropped.moduli);
    let batch = Batch::of_polys(Limbs::new(&dropped.moduli), dropped.addresses);
    let first = dropped.addresses[0];
    ntt::inverse_scaled(ring, first, first, &batch, converter.scaled_inverses());
    let quotients: [DevicePoly<Evaluations>; COUNT] =
        std::array::from_fn(|_| DevicePoly::unspecified(ring, kept));
    let remainders = quotients.each_ref().map(|quotient| quotient.limb(0));
    let parts = dropped.addresses.iter().zip(remainders);
    let parts: Vec<_> = parts.map(|(&from, to)| converter.part(from, to, 0..0)).collect();
    let limbs = ring.limbs(kept);
    convert(ring, limbs, &parts);
    ntt::forward(ring, remainders[0], &Batch::of_polys(limbs, remainders));
    finish(ring, &converter, (dividends, remainders), (kept, is_split));
    quotients
}

/// Makes quotients of remainders, in their place: subtracts them from the dividends and divides exactly.
fn finish<const COUNT: usize>(
    ring: &DeviceRing<'_>,
    converter: &Converter,
    (dividends, remainders): ([u64; COUNT], [u64; COUNT]),
    (kept, is_split): (Basis, bool),
) {
    let two = |addresses: [u64; COUNT]| [addresses[0], addresses[COUNT - 1]];
    let mut inverses = [0; MAX_LIMBS];
    for (limb, inverse) in inverses[..kept.limbs()].iter_mut().enumerate() {
        *inverse = converter.product_inverse(ring.ring().prime_index(kept, limb));
    }
    let arguments = FinishDivision {
        moduli: ring.moduli(),
        dividends: two(dividends),
        remainders: two(remainders),
        inverses,
        degree: ring.degree() as u32,
        split_limb: if is_split { kept.limbs() as u32 - 1 } else { u32::MAX },
        limbs: ring.limbs(kept),
    };
    let Grid { blocks: [x, y, _], threads } = word_grid(ring, kept.limbs());
    let grid = Grid { blocks: [x, y, COUNT as u32], threads };
    ring.device().launch(&kernels::FINISH_DIVISION, grid, &arguments);
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

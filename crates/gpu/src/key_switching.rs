//! Hybrid key switching (Han, Ki 2020) on a card, in parts that can be hoisted. See [`cryptable_lattice::key_switching`].

use cryptable_lattice::SwitchingKeyShape;
use cryptable_lattice::key_switching::special_product;
use cryptable_ring::{Basis, Evaluations, inverse_element};

use crate::arguments::{Limbs, MAX_LIMBS, arguments};
use crate::conversion::convert;
use crate::device::Words;
use crate::kernels::{self, Grid};
use crate::ntt::{self, Batch, OwnLimbs};
use crate::poly::DevicePoly;
use crate::ring::DeviceRing;
use crate::rounded_division::divide_round;
use crate::switching_key::DeviceKey;

/// Threads of a block.
const THREADS: u32 = 128;

/// Keys of one launch.
pub(crate) const MAX_KEYS: usize = 32;

/// The most digits of a polynomial.
const MAX_DIGITS: usize = 24;

/// The digits of a polynomial, each raised to the modulus Q·P, in evaluations (ModUp).
#[derive(Debug)]
pub(crate) struct Digits<'p> {
    basis: Basis,
    digit_limbs: usize,
    count: usize,
    /// `[digit][limb][coefficient]`, a digit's own limbs unspecified.
    raised: Words,
    /// The polynomial, which the digits' own limbs are read from.
    own: Option<&'p DevicePoly<Evaluations>>,
}

impl<'p> Digits<'p> {
    /// Cuts a polynomial into digits for keys of a shape.
    ///
    /// # Panics
    /// If it has special limbs, more limbs than the shape serves, or more digits than a kernel takes.
    pub(crate) fn decompose(
        ring: &DeviceRing<'_>,
        poly: &'p DevicePoly<Evaluations>,
        shape: SwitchingKeyShape,
    ) -> Self {
        let main = poly.basis().main;
        let (basis, count) = (shape.raised(main), shape.digits_at(main));
        assert_eq!(poly.basis(), basis.without_special(), "polynomial and key");
        assert!(count <= MAX_DIGITS, "{count} digits");
        let (degree, limbs) = (ring.degree(), basis.limbs());
        let converters = ring.digit_converters(poly.basis(), shape.digit_limbs);
        let prepared = ring.device().allocate(basis.main_limbs() * degree);
        let own = Batch::of_limbs(ring.limbs(poly.basis()));
        let factors = converters.factors.address(0);
        ntt::inverse_scaled(ring, poly.limb(0), prepared.address(0), &own, factors);
        let raised = ring.device().allocate(count * limbs * degree);
        let part = |digit: usize| {
            let own = shape.digit_range(digit, main);
            let (from, to) = (own.start * degree, digit * limbs * degree);
            converters.converters[digit].part(prepared.address(from), raised.address(to), own)
        };
        let parts: Vec<_> = (0..count).map(part).collect();
        let moduli = ring.limbs(basis);
        convert(ring, moduli, &parts);
        let own = OwnLimbs {
            digit_limbs: shape.digit_limbs as u32,
            main_limbs: basis.main_limbs() as u32,
        };
        let batch = Batch { copies: count as u32, own: Some(own), ..Batch::of_limbs(moduli) };
        ntt::forward(ring, raised.address(0), &batch);
        Self { basis, digit_limbs: shape.digit_limbs, count, raised, own: Some(poly) }
    }

    /// The single digit of a polynomial that is small against every prime: its lift to Q·P.
    pub(crate) fn from_lifted(lifted: DevicePoly<Evaluations>) -> Self {
        let basis = lifted.basis();
        let raised = lifted.into_words();
        Self { basis, digit_limbs: basis.main_limbs(), count: 1, raised, own: None }
    }

    /// The inner products with keys, each with what is added and the automorphism that follows.
    ///
    /// # Panics
    /// If a key has digits of another shape or another level, or there are more than [`MAX_KEYS`].
    pub(crate) fn multiply(
        &self,
        ring: &DeviceRing<'_>,
        keys: &[(&DeviceKey, Product)],
        added: Added<'_>,
    ) {
        assert!(!keys.is_empty() && keys.len() <= MAX_KEYS, "{} keys", keys.len());
        let shape = keys[0].0.shape();
        let same = |(key, _): &(&DeviceKey, Product)| key.shape() == shape;
        assert!(
            keys.iter().all(same) && shape.digit_limbs == self.digit_limbs,
            "keys of other shapes"
        );
        assert_eq!(shape.basis.lowered(self.basis.main), self.basis, "digits and keys");
        let mut rows = [KeyRows::default(); MAX_KEYS];
        for (row, (key, product)) in rows.iter_mut().zip(keys) {
            let ([b, a], [out0, out1]) = (key.rows(), product.out);
            let inverse_element = inverse_element(ring.degree(), product.element) as u32;
            *row = KeyRows { b, a, out0, out1, inverse_element, adds: u32::from(product.adds) };
        }
        let degree = ring.degree() as u32;
        let arguments = KeySwitching {
            moduli: ring.moduli(),
            digits: self.raised.address(0),
            own: self.own.map_or(0, |poly| poly.limb(0)),
            add: added.polys.map(|poly| poly.map_or(0, |poly| poly.limb(0))),
            factors: added.factors(ring, self.basis),
            degree,
            log_degree: degree.ilog2(),
            digit_count: self.count as u32,
            digit_limbs: self.digit_limbs as u32,
            main_limbs: self.basis.main_limbs() as u32,
            key_limbs: shape.basis.limbs() as u32,
            keys: keys.len() as u32,
            add_limbs: added.limbs() as u32,
            limbs: ring.limbs(self.basis),
            key_limb: limbs_of_key(shape.basis, self.basis),
            rows,
        };
        let blocks = [degree / THREADS, self.basis.limbs() as u32, 1];
        let grid = Grid { blocks, threads: THREADS };
        ring.device().launch(&kernels::MULTIPLY_BY_KEYS, grid, &arguments);
    }

    /// The rest of [`switch_and_divide`], which does not depend on what the digits are of.
    pub(crate) fn switch_and_divide(
        &self,
        ring: &DeviceRing<'_>,
        key: &DeviceKey,
        add: [Option<&DevicePoly<Evaluations>>; 2],
        rescale: usize,
    ) -> [DevicePoly<Evaluations>; 2] {
        let sums = [(); 2].map(|()| DevicePoly::unspecified(ring, self.basis));
        let out = sums.each_ref().map(|sum| sum.limb(0));
        self.multiply(
            ring,
            &[(key, Product { out, element: 1, adds: false })],
            Added::times_special(add),
        );
        divide_round(ring, sums, rescale)
    }
}

/// Where an inner product goes, and under which automorphism.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    /// The first limbs of both sums.
    pub out: [u64; 2],
    /// The Galois element of the automorphism that is applied to both; 1 for none.
    pub element: usize,
    /// Whether they are added to what is there.
    pub adds: bool,
}

/// What is added to an inner product, before an automorphism.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Added<'p> {
    polys: [Option<&'p DevicePoly<Evaluations>>; 2],
    times_special: bool,
}

impl<'p> Added<'p> {
    /// P times polynomials of the main limbs.
    pub(crate) fn times_special(polys: [Option<&'p DevicePoly<Evaluations>>; 2]) -> Self {
        Self { polys, times_special: true }
    }

    /// Polynomials modulo Q·P.
    pub(crate) fn raised(polys: [Option<&'p DevicePoly<Evaluations>>; 2]) -> Self {
        Self { polys, times_special: false }
    }

    fn limbs(&self) -> usize {
        self.polys.iter().flatten().map(|poly| poly.basis().limbs()).max().unwrap_or(0)
    }

    fn factors(&self, ring: &DeviceRing<'_>, basis: Basis) -> [u64; MAX_LIMBS] {
        if self.times_special { special_factors(ring, basis) } else { [1; MAX_LIMBS] }
    }
}

/// P modulo every main limb of a basis.
pub(crate) fn special_factors(ring: &DeviceRing<'_>, basis: Basis) -> [u64; MAX_LIMBS] {
    let mut factors = [0; MAX_LIMBS];
    for (limb, factor) in factors[..basis.main_limbs()].iter_mut().enumerate() {
        *factor = special_product(ring.ring(), basis, ring.ring().prime_index(basis, limb));
    }
    factors
}

/// `KeyRows` of `key_switching.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyRows {
    b: u64,
    a: u64,
    out0: u64,
    out1: u64,
    inverse_element: u32,
    adds: u32,
}

/// `KeySwitching` of `key_switching.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeySwitching {
    moduli: u64,
    digits: u64,
    own: u64,
    add: [u64; 2],
    factors: [u64; MAX_LIMBS],
    degree: u32,
    log_degree: u32,
    digit_count: u32,
    digit_limbs: u32,
    main_limbs: u32,
    key_limbs: u32,
    keys: u32,
    add_limbs: u32,
    limbs: Limbs,
    key_limb: [u16; MAX_LIMBS],
    rows: [KeyRows; MAX_KEYS],
}

arguments!(KeySwitching);

/// Which limb of a key's basis each limb of a lower one is.
fn limbs_of_key(key: Basis, basis: Basis) -> [u16; MAX_LIMBS] {
    let main = basis.main_limbs();
    let mut limbs = [0; MAX_LIMBS];
    for (limb, out) in limbs[..basis.limbs()].iter_mut().enumerate() {
        *out = if limb < main { limb } else { limb - main + key.main_limbs() } as u16;
    }
    limbs
}

/// Switches `poly·s'` to the secret s, and divides by P and the top `rescale` primes: `(poly·s' + add[0] + add[1]·s)/D`.
///
/// # Panics
/// If the key's level is below that of `poly`, or no prime would be left.
pub(crate) fn switch_and_divide(
    ring: &DeviceRing<'_>,
    poly: &DevicePoly<Evaluations>,
    key: &DeviceKey,
    add: [Option<&DevicePoly<Evaluations>>; 2],
    rescale: usize,
) -> [DevicePoly<Evaluations>; 2] {
    Digits::decompose(ring, poly, key.shape()).switch_and_divide(ring, key, add, rescale)
}

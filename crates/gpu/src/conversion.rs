//! Base conversion on a card: the constants, and the launch. See [`cryptable_ring::Ring::convert_base`].

use std::ops::Range;
use std::sync::Arc;

use cryptable_ring::Ring;

use crate::arguments::{Limbs, arguments};
use crate::device::{Device, Words};
use crate::kernels::{self, Grid};
use crate::ring::DeviceRing;

/// Coefficients that a block converts.
const CONVERTED: u32 = 128;

/// The most source limbs of a conversion.
const MAX_SOURCES: usize = 31;

/// The most conversions of one launch.
pub(crate) const MAX_PARTS: usize = 24;

/// Targets that a block converts to: the sources are read once for them.
const GROUP: u32 = 8;

/// The constants of conversions from one set of moduli to all of a ring.
#[derive(Debug)]
pub(crate) struct Converter {
    sources: usize,
    first_modulus: u64,
    /// `(Q/q_i)^-1·N^-1 mod q_i`: what inverse transforms multiply by.
    pub(crate) scaled_inverses: Vec<u64>,
    scaled_inverses_on_card: Words,
    /// [modulus][source], and the factor of the overflow.
    factors: Words,
    reciprocals: Words,
    /// `Q^-1` modulo every modulus, or 0.
    product_inverses: Vec<u64>,
}

impl Converter {
    /// The constants of these source moduli, by number.
    ///
    /// # Panics
    /// If there are more than a kernel takes: no parameter set has as many.
    pub(crate) fn new(device: &Device, ring: &Ring, sources: &[usize]) -> Self {
        assert!(sources.len() <= MAX_SOURCES, "{} source limbs", sources.len());
        let constants = ring.conversion_constants(sources);
        let reciprocals: Vec<u64> = constants.reciprocals.iter().map(|x| x.to_bits()).collect();
        Self {
            sources: sources.len(),
            first_modulus: ring.modulus(sources[0]).value(),
            scaled_inverses_on_card: device.upload(&constants.scaled_inverses),
            scaled_inverses: constants.scaled_inverses,
            factors: device.upload(&constants.factors.concat()),
            reciprocals: device.upload(&reciprocals),
            product_inverses: constants.product_inverses,
        }
    }

    /// Where the factors of the inverse transforms are that prepare sources.
    pub(crate) fn scaled_inverses(&self) -> u64 {
        self.scaled_inverses_on_card.address(0)
    }

    /// `Q^-1` modulo the modulus with this number.
    pub(crate) fn product_inverse(&self, modulus: usize) -> u64 {
        self.product_inverses[modulus]
    }

    /// A conversion of prepared limbs at `from` to all targets at `to` but some.
    pub(crate) fn part(&self, from: u64, to: u64, own: Range<usize>) -> ConversionPart {
        ConversionPart {
            from,
            to,
            factors: self.factors.address(0),
            reciprocals: self.reciprocals.address(0),
            first_modulus: self.first_modulus,
            sources: self.sources as u32,
            own_start: own.start as u32,
            own_end: own.end as u32,
            unused: 0,
        }
    }
}

/// One conversion of a launch: `ConversionPart` of `conversion.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConversionPart {
    from: u64,
    to: u64,
    factors: u64,
    reciprocals: u64,
    first_modulus: u64,
    sources: u32,
    own_start: u32,
    own_end: u32,
    unused: u32,
}

/// `Conversion` of `conversion.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion {
    moduli: u64,
    degree: u32,
    group: u32,
    targets: Limbs,
    parts: [ConversionPart; MAX_PARTS],
}

arguments!(Conversion);

/// Converts prepared limbs of every part to the targets: coefficients in `[0, q)`.
///
/// # Panics
/// If there are more parts than a launch takes.
pub(crate) fn convert(ring: &DeviceRing<'_>, targets: Limbs, parts: &[ConversionPart]) {
    assert!(!parts.is_empty() && parts.len() <= MAX_PARTS, "{} conversions", parts.len());
    let degree = ring.degree() as u32;
    let mut all = [parts[0]; MAX_PARTS];
    all[..parts.len()].copy_from_slice(parts);
    let arguments = Conversion { moduli: ring.moduli(), degree, group: GROUP, targets, parts: all };
    let blocks = [degree / CONVERTED, targets.count.div_ceil(GROUP), parts.len() as u32];
    ring.device().launch(&kernels::CONVERT_BASE, Grid { blocks, threads: CONVERTED }, &arguments);
}

/// The constants of the digits of a polynomial of some limbs.
#[derive(Debug)]
pub(crate) struct DigitConverters {
    /// The factors of the inverse transforms of all limbs.
    pub factors: Words,
    /// The conversion of each digit.
    pub converters: Vec<Arc<Converter>>,
}

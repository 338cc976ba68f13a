//! Products of RLWE ciphertexts with RGSW and RLWE' ciphertexts over one prime (Chillotti et al., J. Cryptology 2020).
//!
//! An RLWE ciphertext is 2N words: body b, then mask a; its phase is b + a·s. A *gadget ciphertext* (RLWE') of m
//! is ℓ rows, row k an RLWE ciphertext of m·weight(k); an RGSW ciphertext of m is the rows of m (for the body's
//! digits), then those of m·s (for the mask's). Both are prepared as [`crate::prime_ring::PreparedRows`].
//!
//! Coefficients are fractions ([`crate::torus`]) on both sides, so that rotation and automorphism of an accumulator
//! are copies. A product counts ℓ forward transforms for each polynomial decomposed and 2 inverse ones.

use crate::digit_product::DigitScratch;
use crate::fraction_digits::FractionDigits;
use crate::gadget::Gadget;
use crate::prime_ring::{PreparedKey, PrimeRing};
use crate::{Buffer, torus};

/// Room for a product's digits and sums, reused from one product to the next.
#[derive(Debug)]
pub struct Scratch {
    room: DigitScratch,
    product: Buffer,
}

impl Scratch {
    /// Room for products of up to `rows` rows.
    #[must_use]
    pub fn new(ring: &PrimeRing, rows: usize) -> Self {
        let n = ring.degree();
        Self { room: DigitScratch::new(n, rows), product: Buffer::zeroed(2 * n) }
    }
}

/// Decompositions of an RGSW ciphertext: of bodies and of masks.
///
/// What rounding a mask leaves is multiplied by the secret, some N/2 times the variance of what a body's leaves: masks
/// want more digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RgswGadget {
    /// Of bodies.
    pub body: Gadget,
    /// Of masks.
    pub mask: Gadget,
}

impl RgswGadget {
    /// One decomposition for both.
    #[must_use]
    pub fn uniform(gadget: Gadget) -> Self {
        Self { body: gadget, mask: gadget }
    }

    /// Rows of an RGSW ciphertext.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.body.length() + self.mask.length()
    }
}

/// Products of polynomials with gadget ciphertexts.
#[derive(Clone, Copy, Debug)]
pub struct GadgetProduct<'a> {
    /// The ring.
    pub ring: &'a PrimeRing,
    /// The decomposition.
    pub gadget: Gadget,
}

impl GadgetProduct<'_> {
    /// `out += polynomial ⊙ key`: the product of a polynomial with a gadget ciphertext, an RLWE ciphertext.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn add(
        &self,
        out: &mut [u64],
        polynomial: &[u64],
        key: PreparedKey<'_>,
        scratch: &mut Scratch,
    ) {
        let (tables, ntt) = self.ring.digit_products();
        let digits = self.gadget.fraction_digits();
        let rows = &mut scratch.room.digits[..self.ring.degree() * digits.length()];
        tables.decompose(&digits, rows, polynomial);
        tables.multiply_add(ntt, out, key, &mut scratch.room);
    }
}

/// Products of RLWE with RGSW ciphertexts.
#[derive(Clone, Copy, Debug)]
pub struct ExternalProduct<'a> {
    /// The ring.
    pub ring: &'a PrimeRing,
    /// The decompositions.
    pub gadget: RgswGadget,
}

impl ExternalProduct<'_> {
    /// `accumulator += (X^exponent - 1)·accumulator ⊡ key`: a CMUX that rotates if the key holds 1.
    ///
    /// # Panics
    /// If lengths do not fit, or the exponent is 2N or more.
    pub fn rotate_if_assign(
        &self,
        accumulator: &mut [u64],
        exponent: usize,
        key: PreparedKey<'_>,
        scratch: &mut Scratch,
    ) {
        let (tables, ntt) = self.ring.digit_products();
        for (digits, out, source) in self.halves(&mut scratch.room, accumulator) {
            tables.decompose_rotation(&digits, out, source, exponent);
        }
        tables.multiply_add(ntt, accumulator, key, &mut scratch.room);
    }

    /// `accumulator += accumulator ⊡ ((X^exponent - 1)·positive + (X^-exponent - 1)·negative)`: a CMUX for a ternary
    /// secret, whose two RGSW ciphertexts hold whether it is 1 and whether it is -1.
    ///
    /// # Panics
    /// If lengths do not fit, or the exponent is 2N or more.
    pub fn rotate_ternary_assign(
        &self,
        accumulator: &mut [u64],
        exponent: usize,
        keys: [PreparedKey<'_>; 2],
        scratch: &mut Scratch,
    ) {
        let n = self.ring.degree();
        let inverse = (2 * n - exponent) % (2 * n);
        let source = Buffer::copied(accumulator);
        let Scratch { room, product } = scratch;
        for (exponent, key) in [exponent, inverse].into_iter().zip(keys) {
            product.fill(0);
            self.add_in(product, &source, key, room);
            for (out, source) in accumulator.chunks_exact_mut(n).zip(product.chunks_exact(n)) {
                torus::add_rotation_difference(out, source, exponent);
            }
        }
    }

    /// `accumulator = accumulator ⊡ key`: the external product of an RLWE with an RGSW ciphertext, in place.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn assign(&self, accumulator: &mut [u64], key: PreparedKey<'_>, scratch: &mut Scratch) {
        self.decompose(accumulator, &mut scratch.room);
        accumulator.fill(0);
        let (tables, ntt) = self.ring.digit_products();
        tables.multiply_add(ntt, accumulator, key, &mut scratch.room);
    }

    /// `out += source ⊡ key`: the external product of an RLWE with an RGSW ciphertext.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn add(
        &self,
        out: &mut [u64],
        source: &[u64],
        key: PreparedKey<'_>,
        scratch: &mut Scratch,
    ) {
        self.add_in(out, source, key, &mut scratch.room);
    }

    fn add_in(
        &self,
        out: &mut [u64],
        source: &[u64],
        key: PreparedKey<'_>,
        room: &mut DigitScratch,
    ) {
        self.decompose(source, room);
        let (tables, ntt) = self.ring.digit_products();
        tables.multiply_add(ntt, out, key, room);
    }

    /// Digits of body and mask.
    fn decompose(&self, source: &[u64], room: &mut DigitScratch) {
        let (tables, _) = self.ring.digit_products();
        for (digits, rows, source) in self.halves(room, source) {
            tables.decompose(&digits, rows, source);
        }
    }

    /// Body and mask: how each is decomposed, the room of its digits, and itself.
    fn halves<'r>(
        &self,
        room: &'r mut DigitScratch,
        source: &'r [u64],
    ) -> [(FractionDigits, &'r mut [u64], &'r [u64]); 2] {
        let n = self.ring.degree();
        let RgswGadget { body, mask } = self.gadget;
        let (body_rows, mask_rows) =
            room.digits[..n * self.gadget.rows()].split_at_mut(n * body.length());
        let (body_source, mask_source) = source.split_at(n);
        [
            (body.fraction_digits(), body_rows, body_source),
            (mask.fraction_digits(), mask_rows, mask_source),
        ]
    }
}

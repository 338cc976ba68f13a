//! Products of RLWE ciphertexts with RGSW and RLWE' ciphertexts over one prime (Chillotti et al., J. Cryptology 2020).
//!
//! An RLWE ciphertext is 2N words: body b, then mask a; its phase is b + a·s. A *gadget ciphertext* (RLWE') of m
//! is ℓ rows, row k an RLWE ciphertext of m·weight(k); an RGSW ciphertext of m is 2ℓ rows: those of m (for the
//! body's digits), then those of m·s (for the mask's). Both are prepared as [`crate::prime_ring::PreparedRows`].
//!
//! Coefficients are fractions ([`crate::torus`]) on both sides, so that rotation and automorphism of an accumulator
//! are copies. A product counts ℓ forward transforms for each polynomial decomposed and 2 inverse ones.

use crate::gadget::Gadget;
use crate::kernels::digit_product::DigitRoom;
use crate::prime_ring::{PreparedKey, PrimeRing};
use crate::{Buffer, torus};

/// Room for a product's digits and sums, reused from one product to the next.
#[derive(Debug)]
pub struct Scratch {
    room: DigitRoom,
    product: Buffer,
}

impl Scratch {
    /// Room for products of up to `rows` rows.
    #[must_use]
    pub fn new(ring: &PrimeRing, rows: usize) -> Self {
        let n = ring.degree();
        Self { room: DigitRoom::new(n, rows), product: Buffer::zeroed(2 * n) }
    }
}

/// Gadget products over one ring with one gadget.
#[derive(Clone, Copy, Debug)]
pub struct GadgetProduct<'a> {
    /// The ring.
    pub ring: &'a PrimeRing,
    /// The decomposition.
    pub gadget: Gadget,
}

impl GadgetProduct<'_> {
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
        let n = self.ring.degree();
        let (tables, ntt) = self.ring.digit_products();
        let digits = self.gadget.fraction_digits();
        let out = scratch.room.digits.chunks_exact_mut(n * digits.length());
        for (out, source) in out.zip(accumulator.chunks_exact(n)) {
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
            self.add_product(product, &source, key, room);
            for (out, source) in accumulator.chunks_exact_mut(n).zip(product.chunks_exact(n)) {
                torus::add_rotation_difference(out, source, exponent);
            }
        }
    }

    /// `accumulator = accumulator ⊡ key`: the external product of an RLWE with an RGSW ciphertext, in place.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn external_product_assign(
        &self,
        accumulator: &mut [u64],
        key: PreparedKey<'_>,
        scratch: &mut Scratch,
    ) {
        self.decompose(accumulator, &mut scratch.room);
        accumulator.fill(0);
        let (tables, ntt) = self.ring.digit_products();
        tables.multiply_add(ntt, accumulator, key, &mut scratch.room);
    }

    /// `out += source ⊡ key`: the external product of an RLWE with an RGSW ciphertext.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn external_product_add(
        &self,
        out: &mut [u64],
        source: &[u64],
        key: PreparedKey<'_>,
        scratch: &mut Scratch,
    ) {
        self.add_product(out, source, key, &mut scratch.room);
    }

    /// `out += polynomial ⊙ key`: the product of a polynomial with a gadget ciphertext, an RLWE ciphertext.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn gadget_product_add(
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

    /// Digits of all polynomials of `source`.
    fn decompose(&self, source: &[u64], room: &mut DigitRoom) {
        let n = self.ring.degree();
        let (tables, _) = self.ring.digit_products();
        let digits = self.gadget.fraction_digits();
        let rows = room.digits.chunks_exact_mut(n * digits.length());
        for (rows, source) in rows.zip(source.chunks_exact(n)) {
            tables.decompose(&digits, rows, source);
        }
    }

    /// `out += Σ digit·row` over the digits of all polynomials of `source`.
    fn add_product(
        &self,
        out: &mut [u64],
        source: &[u64],
        key: PreparedKey<'_>,
        room: &mut DigitRoom,
    ) {
        self.decompose(source, room);
        let (tables, ntt) = self.ring.digit_products();
        tables.multiply_add(ntt, out, key, room);
    }
}

//! Products of RLWE ciphertexts with RGSW and RLWE' ciphertexts over one prime
//! (Chillotti et al., J. Cryptology 2020).
//!
//! An RLWE ciphertext is 2N words, the body b followed by the mask a; its phase is b + a·s. A *gadget ciphertext*
//! (RLWE') of m has ℓ rows, of which row k is an RLWE ciphertext of m·weight(k). An RGSW ciphertext of m has the rows
//! of m (for the body's digits), followed by those of m·s (for the mask's). Both are prepared as
//! [`cryptable_ring::prime_ring::PreparedRows`].
//!
//! Coefficients are torus fractions ([`cryptable_ring::torus`]) on both sides, so that rotation and automorphism of an
//! accumulator are copies. A product takes ℓ forward transforms per decomposed polynomial, and two inverse ones.
//!
use cryptable_ring::Buffer;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{DigitScratch, PreparedKey, PrimeRing};
use cryptable_ring::torus::{self, FractionDigits};

/// Scratch memory for a product's digits and sums, reused from one product to the next.
#[derive(Debug)]
pub struct Scratch {
    digits: DigitScratch,
    product: Buffer,
}

impl Scratch {
    /// Allocates memory for products of up to `rows` rows.
    #[must_use]
    pub fn new(ring: &PrimeRing, rows: usize) -> Self {
        Self::of_batch(ring, rows, 1)
    }

    /// Allocates memory for products of up to `rows` rows with each of `count` accumulators.
    #[must_use]
    pub fn of_batch(ring: &PrimeRing, rows: usize, count: usize) -> Self {
        let digits = ring.batch_scratch(rows, count);
        Self { digits, product: Buffer::zeroed(2 * ring.degree()) }
    }
}

/// The decompositions of an RGSW ciphertext.
///
/// The rounding error of a mask is multiplied by the secret, so its variance is about N/2 times that of a body's
/// rounding error: masks need more digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RgswGadget {
    /// The decomposition of bodies.
    pub body: Gadget,
    /// The decomposition of masks.
    pub mask: Gadget,
}

impl RgswGadget {
    /// Returns the same decomposition for both.
    #[must_use]
    pub fn uniform(gadget: Gadget) -> Self {
        Self { body: gadget, mask: gadget }
    }

    /// Returns the number of rows of an RGSW ciphertext.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.body.length() + self.mask.length()
    }
}

/// Products of polynomials with gadget ciphertexts.
#[derive(Clone, Copy, Debug)]
pub struct GadgetProduct<'a> {
    /// The ring of all operands.
    pub ring: &'a PrimeRing,
    /// The decomposition of polynomials, for which the gadget ciphertexts have one row per digit.
    pub gadget: Gadget,
}

impl GadgetProduct<'_> {
    /// `out += polynomial ⊙ key`: adds the product of a polynomial with a gadget ciphertext, which is an RLWE
    /// ciphertext.
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
        self.ring.decompose(&self.gadget.fraction_digits(), &mut scratch.digits, 0, polynomial);
        self.ring.add_digit_product(out, key, &mut scratch.digits);
    }
}

/// Products of RLWE with RGSW ciphertexts.
#[derive(Clone, Copy, Debug)]
pub struct ExternalProduct<'a> {
    /// The ring of all operands.
    pub ring: &'a PrimeRing,
    /// The decompositions of the RLWE ciphertext's body and mask.
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
        for (digits, first_row, source) in self.halves(accumulator) {
            let scratch = &mut scratch.digits;
            self.ring.decompose_rotation(&digits, scratch, first_row, source, exponent);
        }
        self.ring.add_digit_product(accumulator, key, &mut scratch.digits);
    }

    /// `accumulator += accumulator ⊡ ((X^exponent - 1)·positive + (X^-exponent - 1)·negative)`: a CMUX for a ternary
    /// secret coefficient. One RGSW ciphertext holds whether it is 1, and the other whether it is -1.
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
        let Scratch { digits, product } = scratch;
        for (exponent, key) in [exponent, inverse].into_iter().zip(keys) {
            product.fill(0);
            self.add_product(product, &source, key, digits);
            for (out, source) in accumulator.chunks_exact_mut(n).zip(product.chunks_exact(n)) {
                torus::add_rotation_difference(out, source, exponent);
            }
        }
    }

    /// `accumulator += Σ_k (X^exponent_k - 1)·accumulator ⊡ key_k` for each of several accumulators: rotates by the
    /// exponent whose key holds 1, if all others hold 0. The number of transforms is that of one CMUX per accumulator.
    /// Keys are contiguous, and exponents are grouped by accumulator.
    ///
    /// # Panics
    /// If lengths do not fit, an exponent is 2N or more, or there are more keys than
    /// [`cryptable_ring::prime_ring::MOST_KEYS`].
    pub fn rotate_by_one_assign(
        &self,
        accumulators: &mut [u64],
        exponents: &[usize],
        keys: PreparedKey<'_>,
        scratch: &mut Scratch,
    ) {
        let rows = self.gadget.rows();
        for (index, accumulator) in accumulators.chunks_exact(2 * self.ring.degree()).enumerate() {
            for (digits, first_row, source) in self.halves(accumulator) {
                let first_row = index * rows + first_row;
                self.ring.decompose(&digits, &mut scratch.digits, first_row, source);
            }
        }
        self.ring.add_digit_products(accumulators, keys, exponents, &mut scratch.digits);
    }

    /// `accumulator = accumulator ⊡ key`: the external product of an RLWE with an RGSW ciphertext,
    /// in place.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn assign(&self, accumulator: &mut [u64], key: PreparedKey<'_>, scratch: &mut Scratch) {
        self.decompose(accumulator, &mut scratch.digits);
        accumulator.fill(0);
        self.ring.add_digit_product(accumulator, key, &mut scratch.digits);
    }

    /// `out += source ⊡ key`: adds the external product of an RLWE with an RGSW ciphertext.
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
        self.add_product(out, source, key, &mut scratch.digits);
    }

    fn add_product(
        &self,
        out: &mut [u64],
        source: &[u64],
        key: PreparedKey<'_>,
        digits: &mut DigitScratch,
    ) {
        self.decompose(source, digits);
        self.ring.add_digit_product(out, key, digits);
    }

    /// Writes the digits of body and mask.
    fn decompose(&self, source: &[u64], scratch: &mut DigitScratch) {
        for (digits, first_row, source) in self.halves(source) {
            self.ring.decompose(&digits, scratch, first_row, source);
        }
    }

    /// Returns, for the body and the mask of a ciphertext, the digits, their first row, and the polynomial itself.
    fn halves<'a>(&self, source: &'a [u64]) -> [(FractionDigits, usize, &'a [u64]); 2] {
        let RgswGadget { body, mask } = self.gadget;
        let (body_source, mask_source) = source.split_at(self.ring.degree());
        [
            (body.fraction_digits(), 0, body_source),
            (mask.fraction_digits(), body.length(), mask_source),
        ]
    }
}

//! RGSW ciphertexts over one prime, and their products (Chillotti et al., J. Cryptology 2020).
//!
//! An RGSW ciphertext of m under a ring secret s is 2ℓ RLWE ciphertexts: ℓ of `m·weight(k)`, for the gadget digits of
//! bodies, followed by ℓ of `m·s·weight(k)`, for those of masks. If m is a bit, the ciphertext is a selector:
//! `zero + RGSW ⊡ (one - zero)` (CMUX) is `one` if the bit is 1.
//!
//! RGSW ciphertexts multiply RLWE ciphertexts of 2N words, the body followed by the mask, as fractions of the modulus
//! ([`cryptable_ring::torus`]).

use crate::external_product::{ExternalProduct, GadgetProduct, RgswGadget, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};

/// An RGSW ciphertext, prepared for products.
#[derive(Debug)]
pub struct RgswCiphertext {
    gadget: Gadget,
    rows: PreparedRows,
    /// A copy of the row of `m·weight(ℓ - 1)`, which is all that products with coarse polynomials need.
    highest_row: PreparedRows,
}

impl RgswCiphertext {
    /// Prepares 2ℓ RLWE ciphertexts of 2N residues each: those of `m·weight(k)`, followed by those of `m·s·weight(k)`.
    ///
    /// # Panics
    /// If their number is not 2ℓ, or if one does not have 2N words.
    #[must_use]
    pub fn from_rows(ring: &PrimeRing, gadget: Gadget, rows: &[&[u64]]) -> Self {
        assert_eq!(rows.len(), 2 * gadget.length(), "rows of an RGSW ciphertext");
        let prepared = |rows: &[&[u64]]| {
            ring.prepare_rows(1, rows.len(), |_, words| {
                for (out, row) in words.chunks_exact_mut(2 * ring.degree()).zip(rows) {
                    out.copy_from_slice(row);
                }
            })
        };
        let highest = gadget.length() - 1;
        let highest_row = prepared(&rows[highest..=highest]);
        Self { gadget, rows: prepared(rows), highest_row }
    }

    /// Returns the decomposition of the operands, bodies and masks alike.
    #[must_use]
    pub fn gadget(&self) -> Gadget {
        self.gadget
    }

    /// Returns the memory of the ciphertext in bytes: 2ℓ + 1 rows of 2N words.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.highest_row.bytes()
    }

    fn external_product<'a>(&self, ring: &'a PrimeRing) -> ExternalProduct<'a> {
        ExternalProduct { ring, gadget: RgswGadget::uniform(self.gadget) }
    }

    /// `out += self ⊡ ciphertext`, the external product: 2(ℓ + 1) transforms.
    ///
    /// # Panics
    /// If lengths do not fit the ring, or the scratch is for fewer rows.
    pub fn add_product(
        &self,
        ring: &PrimeRing,
        out: &mut [u64],
        ciphertext: &[u64],
        scratch: &mut Scratch,
    ) {
        self.external_product(ring).add(out, ciphertext, self.rows.key(0), scratch);
    }

    /// `out += m·polynomial`, for a plain polynomial whose coefficients are multiples of 1/B, where B is the gadget's
    /// base: only the highest of their digits is not 0, so that this takes 3 transforms.
    ///
    /// # Panics
    /// Panics like [`RgswCiphertext::add_product`].
    pub fn add_coarse_product(
        &self,
        ring: &PrimeRing,
        out: &mut [u64],
        polynomial: &[u64],
        scratch: &mut Scratch,
    ) {
        let gadget = Gadget::new(self.gadget.modulus(), self.gadget.base_log2(), 1);
        GadgetProduct { ring, gadget }.add(out, polynomial, self.highest_row.key(0), scratch);
    }

    /// `ciphertext *= X^(exponent·m)` for a bit m: 2(ℓ + 1) transforms.
    ///
    /// # Panics
    /// Panics like [`RgswCiphertext::add_product`], or if the exponent is 2N or more.
    pub fn rotate_if_assign(
        &self,
        ring: &PrimeRing,
        ciphertext: &mut [u64],
        exponent: usize,
        scratch: &mut Scratch,
    ) {
        let key = self.rows.key(0);
        self.external_product(ring).rotate_if_assign(ciphertext, exponent, key, scratch);
    }
}

//! Relinearization: multiplies a polynomial by s², with a gadget ciphertext of s².

use cryptable_lattice::external_product::{GadgetProduct, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Buffer, torus};

use crate::rlwe::RlweCiphertext;

/// log2 of the primes that hold products in addition to Q: together they must exceed twice products of P·N·Q by 2^14, the
/// square of the largest body divided by Q.
const LOG2_AUXILIARY: f64 = 49.9;

/// A gadget ciphertext of s², and rings for products.
#[derive(Debug)]
pub struct RelinearizationKey {
    gadget: Gadget,
    rows: PreparedRows,
    /// Rings that hold products in addition to Q.
    pub(super) auxiliary: [PrimeRing; 2],
}

impl RelinearizationKey {
    /// Makes a key from a prepared gadget ciphertext of s².
    #[must_use]
    pub fn new(ring: &PrimeRing, gadget: Gadget, rows: PreparedRows) -> Self {
        let primes = ntt_primes(ring.degree(), LOG2_AUXILIARY, 2, &[ring.modulus().value()]);
        let auxiliary = [primes[0], primes[1]].map(|prime| PrimeRing::new(ring.degree(), prime));
        Self { gadget, rows, auxiliary }
    }

    /// Returns the bytes of memory that the gadget ciphertext occupies.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// Adds `square·s²` to a ciphertext's phase.
    pub(super) fn add_square(
        &self,
        ring: &PrimeRing,
        ciphertext: &mut RlweCiphertext,
        square: &[u64],
    ) {
        let m = ring.modulus();
        let mut fractions = Buffer::unspecified(2 * ring.degree());
        torus::from_residues(m, &mut fractions, ciphertext.words());
        let mut source = Buffer::unspecified(ring.degree());
        torus::from_residues(m, &mut source, square);
        let mut scratch = Scratch::new(ring, self.gadget.length());
        let product = GadgetProduct { ring, gadget: self.gadget };
        product.add(&mut fractions, &source, self.rows.key(0), &mut scratch);
        torus::to_residues(m, ciphertext.words_mut(), &fractions);
    }
}

//! From the secret of a ring to that of its blocks: what every extraction begins with.

use cryptable_ring::prime_ring::PreparedRows;
use cryptable_ring::{Buffer, Evaluations, Poly, torus};

use crate::clients::Clients;
use crate::extraction::SeededExtractionKey;
use crate::parameters::Parameters;
use crate::phases::EncryptedPhases;
use crate::ring_switching;

/// A switch to the secret z'(X^r) of blocks, prepared.
pub(super) struct BlockSwitch {
    parameters: Parameters,
    clients: Clients,
    rows: PreparedRows,
}

impl BlockSwitch {
    /// Draws the masks of its rows.
    pub(super) fn expand(key: &SeededExtractionKey) -> Self {
        let rings = key.parameters.extraction();
        let rows = key.switching.prepare(&rings.whole, &key.seed, rings.gadget.length());
        Self { parameters: key.parameters.clone(), clients: key.clients, rows }
    }

    pub(super) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(super) fn clients(&self) -> Clients {
        self.clients
    }

    /// Bytes of memory that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// Body and mask under the secret of blocks, as `round` makes words of fractions.
    pub(super) fn under_block_secret(
        &self,
        phases: &EncryptedPhases,
        round: impl Fn(&mut [u64], &[u64]),
    ) -> (Buffer, Buffer) {
        let (rings, ring) = (self.parameters.extraction(), self.parameters.bottom_ring());
        let n = ring.degree();
        let fractions = |part: &Poly<Evaluations>| {
            let mut fractions = Buffer::unspecified(n);
            let words = part.clone().into_coefficients(ring);
            torus::from_residues(ring.modulus(0), &mut fractions, words.words());
            fractions
        };
        let ciphertext = phases.ciphertext();
        let (body, mask) = (fractions(&ciphertext.c0), fractions(&ciphertext.c1));
        let key = self.rows.key(0);
        let switched = ring_switching::switch(&rings.whole, rings.gadget, key, &body, &mask);
        let rounded = |fractions: &[u64]| {
            let mut words = Buffer::unspecified(n);
            round(&mut words, fractions);
            words
        };
        (rounded(&switched[..n]), rounded(&switched[n..]))
    }
}

//! Keys of extraction, and extraction itself.

use std::fmt;

use cryptable_fhew::booleans::{self, EncryptedBits};
use cryptable_fhew::seeded_rows::SeededRows;
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_lattice::Result;
use cryptable_lattice::error::check_values;
use cryptable_lattice::lwe_list::LweList;
use cryptable_ring::prime_ring::PreparedRows;
use cryptable_ring::random::Seed;
use cryptable_ring::{Buffer, Evaluations, Poly, torus};

use crate::blocks::{Blocks, Stride};
use crate::clients::Clients;
use crate::extraction::block_key_switching::{BlockDigits, BlockSwitchingKey};
use crate::parameters::Parameters;
use crate::phases::EncryptedPhases;
use crate::ring_switching;

/// What a client sends: bodies of all rows, and the seed of their masks.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededExtractionKey {
    pub(crate) parameters: Parameters,
    pub(crate) clients: Clients,
    pub(crate) seed: Seed,
    /// ℓ rows of degree N, from the ring's secret to that of blocks.
    pub(crate) switching: SeededRows,
    /// From the secret of blocks to that of LWE.
    pub(crate) key_switching: SeededKeySwitchingKey,
}

/// A key that extracts LWE ciphertexts. Holds no secret, and is `Sync`.
pub struct ExtractionKey {
    parameters: Parameters,
    clients: Clients,
    switching: PreparedRows,
    key_switching: BlockSwitchingKey,
}

impl fmt::Debug for ExtractionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtractionKey({:?}, {} bytes)", self.clients, self.memory_bytes())
    }
}

impl SeededExtractionKey {
    /// The parameters that it is of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

impl ExtractionKey {
    /// Draws all masks.
    #[must_use]
    pub fn expand(key: &SeededExtractionKey) -> Self {
        let parameters = key.parameters.clone();
        let rings = parameters.extraction();
        let switching = key.switching.prepare(&rings.whole, &key.seed, rings.gadget.length());
        let key_switching = BlockSwitchingKey::expand(
            parameters.products(),
            &key.key_switching,
            &key.seed,
            parameters.key_switching_gadget(),
            parameters.literal().lwe_dimension,
        );
        Self { clients: key.clients, switching, key_switching, parameters }
    }

    /// The parameters that it is of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Whose ciphertexts it takes and makes.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.clients
    }

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.switching.bytes() + self.key_switching.bytes()
    }

    /// Extracts bits, phases of `bit/4`: ciphertexts of Boolean gates.
    ///
    /// # Errors
    /// As [`ExtractionKey::extract`], or if the parameters of gates have another LWE dimension or modulus.
    pub fn extract_bits(
        &self,
        gates: &booleans::Parameters,
        phases: &EncryptedPhases,
    ) -> Result<EncryptedBits> {
        self.parameters.check_single(gates.fhew())?;
        let eighth = self.parameters.lwe_shape().modulus / 8;
        EncryptedBits::of_values(gates, self.clients.lwe, self.extract(phases, 7 * eighth)?)
    }

    /// LWE ciphertexts of all values of a layout, plus a constant in units of q: the phases are the same fractions of q
    /// as of q_0, with the noise of [`Parameters::extraction_noise`].
    ///
    /// # Errors
    /// If the ciphertext is of other parameters or another client, or the constant is not below q.
    pub fn extract(&self, phases: &EncryptedPhases, constant: u64) -> Result<LweList> {
        phases.check(&self.parameters, self.clients.ring)?;
        let (shape, layout) = (self.parameters.lwe_shape(), phases.layout());
        check_values(&[constant], shape.modulus)?;
        let blocks = Blocks::new(self.parameters.literal().extraction.degree, layout);
        let (body, mask) = self.under_block_secret(phases);
        let ring = self.parameters.products();
        let digits = |&(block, stride): &(usize, Stride)| {
            self.key_switching.digits(ring, &blocks.get(&mask, block), stride)
        };
        let digits: Vec<BlockDigits> = blocks.occupied().iter().map(digits).collect();
        let (masks, mut bodies) = self.key_switching.switch(ring, &digits, layout.count);
        for (sum, &word) in bodies.iter_mut().zip(body.iter().step_by(layout.gap())) {
            *sum = (*sum + word + constant) & (shape.modulus - 1);
        }
        Ok(LweList::from_columns(shape, masks, bodies))
    }

    /// Body and mask modulo q under the secret z'(X^r) of blocks.
    fn under_block_secret(&self, phases: &EncryptedPhases) -> (Buffer, Buffer) {
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
        let key = self.switching.key(0);
        let switched = ring_switching::switch(&rings.whole, rings.gadget, key, &body, &mask);
        let rounded = |fractions: &[u64]| {
            let mut words = Buffer::unspecified(n);
            let bits = self.parameters.literal().log2_lwe_modulus;
            torus::to_power_of_two(&mut words, fractions, bits);
            words
        };
        (rounded(&switched[..n]), rounded(&switched[n..]))
    }
}

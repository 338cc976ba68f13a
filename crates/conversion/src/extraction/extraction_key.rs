//! Keys of extraction, and extraction itself.

use std::fmt;

use cryptable_fhew::booleans::{self, EncryptedBits};
use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_lattice::Result;
use cryptable_lattice::error::check_values;
use cryptable_lattice::lwe_list::LweList;
use cryptable_ring::prime_ring::PreparedRows;
use cryptable_ring::{Buffer, Evaluations, Poly, torus};
use cryptable_wire::ObjectType;

use crate::blocks::{Blocks, Stride};
use crate::clients::Clients;
use crate::extraction::block_key_switching::{BlockDigits, BlockSwitchingKey, SwitchingDigits};
use crate::key_files::{Field, SeededBodies, SeededKey};
use crate::parameters::Parameters;
use crate::phases::EncryptedPhases;
use crate::ring_switching;

/// Extraction key in the form in which a client sends it.
pub type SeededExtractionKey = SeededKey<ExtractionRows>;

/// Rows of an extraction key.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractionRows {
    /// ℓ rows of degree N, from the ring's secret to that of blocks.
    pub(crate) switching: SeededRows,
    /// Rows from the secret of blocks to the LWE secret; empty if values stay under the secret of blocks.
    pub(crate) key_switching: SeededKeySwitchingKey,
}

impl SeededBodies for ExtractionRows {
    const OBJECT_TYPE: ObjectType = ObjectType::ExtractionKey;
    /// Longest body of a key, 64 MiB.
    const MAX_BODY_BYTES: u64 = 1 << 26;

    /// Returns the words of the switch, modulo the block's prime, and those of LWE key switching, modulo q.
    fn fields(parameters: &Parameters) -> [Field; 2] {
        let literal = parameters.literal();
        let switch = &literal.extraction;
        let length = literal.key_switching.map_or(0, |digits| digits.length) * literal.multiples();
        let count = literal.ring_degree * switch.switching.length;
        let (prime, modulus) = (parameters.extraction().prime(), parameters.lwe_shape().modulus);
        [
            Field { name: "rows of the switch", count, modulus: prime },
            Field { name: "rows of LWE key switching", count: switch.degree * length, modulus },
        ]
    }

    fn words(&self) -> [&[u64]; 2] {
        [self.switching.bodies(), self.key_switching.bodies()]
    }

    fn from_words([switching, rows]: [Vec<u64>; 2]) -> Self {
        Self {
            switching: SeededRows::new(RowDomain::ExtractionSwitch, switching),
            key_switching: SeededKeySwitchingKey::new(rows),
        }
    }
}

/// Key that extracts LWE ciphertexts under the LWE secret ([`ExtractionKey::extract`]) or a ring secret
/// ([`ExtractionKey::take_out`]), depending on its parameters. Holds no secret, and is `Sync`.
pub struct ExtractionKey {
    parameters: Parameters,
    clients: Clients,
    /// Rows of the switch to the secret z'(X^r) of blocks, prepared.
    rows: PreparedRows,
    /// Key from the secret of blocks to the LWE secret; `None` if values stay under the secret of blocks.
    key_switching: Option<BlockSwitchingKey>,
}

impl fmt::Debug for ExtractionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtractionKey({:?}, {} bytes)", self.clients(), self.memory_bytes())
    }
}

impl ExtractionKey {
    /// Expands all masks from the seed.
    #[must_use]
    pub fn expand(key: &SeededExtractionKey) -> Self {
        let (parameters, rings) = (key.parameters.clone(), key.parameters.extraction());
        let rows = key.rows.switching.prepare(&rings.whole, &key.seed, rings.gadget.length());
        let key_switching = parameters.key_switching_gadget().map(|gadget| {
            BlockSwitchingKey::expand(
                parameters.products(),
                &key.rows.key_switching,
                &key.seed,
                SwitchingDigits { gadget, multiples: parameters.literal().multiples() },
                parameters.literal().lwe_dimension,
            )
        });
        Self { parameters, clients: key.clients, rows, key_switching }
    }

    /// Returns the parameters of the key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifiers of the secret keys of its inputs and outputs.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.clients
    }

    /// Returns the number of bytes of memory that the key uses.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.rows.bytes() + self.key_switching.as_ref().map_or(0, BlockSwitchingKey::bytes)
    }

    /// Extracts bits, phases of `bit/4`: ciphertexts of Boolean gates.
    ///
    /// # Errors
    /// The errors of [`ExtractionKey::extract`], or if the parameters of gates have another LWE dimension or modulus.
    pub fn extract_bits(
        &self,
        gates: &booleans::Parameters,
        phases: &EncryptedPhases,
    ) -> Result<EncryptedBits> {
        self.parameters().check_single(gates.fhew())?;
        let eighth = self.parameters().lwe_shape().modulus / 8;
        EncryptedBits::of_values(gates, self.clients().lwe, self.extract(phases, 7 * eighth)?)
    }

    /// Extracts all values of a layout as LWE ciphertexts, and adds a constant in units of q. Phases are the same
    /// fractions of q as of q_0, with the noise of [`Parameters::extraction_noise`].
    ///
    /// # Errors
    /// If the ciphertext is of other parameters or another client, the constant is not below q, or the parameters are
    /// for extraction to a ring secret.
    pub fn extract(&self, phases: &EncryptedPhases, constant: u64) -> Result<LweList> {
        let parameters = &self.parameters;
        parameters.check_takes_out_to_lwe()?;
        let key_switching = self.key_switching.as_ref().expect("checked");
        phases.check(parameters, self.clients().ring)?;
        let (shape, layout) = (parameters.lwe_shape(), phases.layout());
        check_values(&[constant], shape.modulus)?;
        let blocks = Blocks::new(parameters.literal().extraction.degree, layout);
        let bits = parameters.literal().log2_lwe_modulus;
        let round = |out: &mut [u64], fractions: &[u64]| {
            torus::to_power_of_two(out, fractions, bits);
        };
        let (body, mask) = self.under_block_secret(phases, round);
        let ring = parameters.products();
        let digits = |&(block, stride): &(usize, Stride)| {
            key_switching.digits(ring, &blocks.get(&mask, block), stride)
        };
        let digits: Vec<BlockDigits> = blocks.occupied().iter().map(digits).collect();
        let (masks, mut bodies) = key_switching.switch(ring, &digits, layout.count);
        for (sum, &word) in bodies.iter_mut().zip(body.iter().step_by(layout.gap())) {
            *sum = (*sum + word + constant) & (shape.modulus - 1);
        }
        Ok(LweList::from_columns(shape, masks, bodies))
    }

    /// Returns body and mask under the secret of blocks; `round` converts fractions to words.
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

//! Keys of extraction, and extraction itself.

use std::fmt;

use cryptable_fhew::booleans::{self, EncryptedBits};
use cryptable_fhew::seeded_rows::SeededRows;
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_lattice::Result;
use cryptable_lattice::error::check_values;
use cryptable_lattice::lwe_list::LweList;
use cryptable_ring::random::Seed;
use cryptable_ring::torus;

use crate::blocks::{Blocks, Stride};
use crate::clients::Clients;
use crate::extraction::block_key_switching::{BlockDigits, BlockSwitchingKey, SwitchingDigits};
use crate::extraction::block_switch::BlockSwitch;
use crate::parameters::Parameters;
use crate::phases::EncryptedPhases;

/// Extraction key as a client sends it: bodies of all rows, and the seed of their masks.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededExtractionKey {
    pub(crate) parameters: Parameters,
    pub(crate) clients: Clients,
    pub(crate) seed: Seed,
    /// ℓ rows of degree N, from the ring's secret to that of blocks.
    pub(crate) switching: SeededRows,
    /// From the secret of blocks to that of LWE; no rows where values stay under the former.
    pub(crate) key_switching: SeededKeySwitchingKey,
}

/// A key that extracts LWE ciphertexts. Holds no secret, and is `Sync`.
pub struct ExtractionKey {
    switch: BlockSwitch,
    key_switching: BlockSwitchingKey,
}

impl fmt::Debug for ExtractionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtractionKey({:?}, {} bytes)", self.clients(), self.memory_bytes())
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
    ///
    /// # Panics
    /// If the parameters are of extraction to a ring secret: [`super::RingExtractionKey`].
    #[must_use]
    pub fn expand(key: &SeededExtractionKey) -> Self {
        let parameters = &key.parameters;
        let gadget = parameters.key_switching_gadget().expect("extraction to an LWE secret");
        let digits = SwitchingDigits { gadget, multiples: parameters.literal().multiples() };
        let key_switching = BlockSwitchingKey::expand(
            parameters.products(),
            &key.key_switching,
            &key.seed,
            digits,
            parameters.literal().lwe_dimension,
        );
        Self { switch: BlockSwitch::expand(key), key_switching }
    }

    /// The parameters that it is of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.switch.parameters()
    }

    /// Whose ciphertexts it takes and makes.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.switch.clients()
    }

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.switch.memory_bytes() + self.key_switching.bytes()
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
        self.parameters().check_single(gates.fhew())?;
        let eighth = self.parameters().lwe_shape().modulus / 8;
        EncryptedBits::of_values(gates, self.clients().lwe, self.extract(phases, 7 * eighth)?)
    }

    /// LWE ciphertexts of all values of a layout, plus a constant in units of q: the phases are the same fractions of q
    /// as of q_0, with the noise of [`Parameters::extraction_noise`].
    ///
    /// # Errors
    /// If the ciphertext is of other parameters or another client, or the constant is not below q.
    pub fn extract(&self, phases: &EncryptedPhases, constant: u64) -> Result<LweList> {
        let parameters = self.parameters();
        phases.check(parameters, self.clients().ring)?;
        let (shape, layout) = (parameters.lwe_shape(), phases.layout());
        check_values(&[constant], shape.modulus)?;
        let blocks = Blocks::new(parameters.literal().extraction.degree, layout);
        let bits = parameters.literal().log2_lwe_modulus;
        let round = |out: &mut [u64], fractions: &[u64]| {
            torus::to_power_of_two(out, fractions, bits);
        };
        let (body, mask) = self.switch.under_block_secret(phases, round);
        let ring = parameters.products();
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
}

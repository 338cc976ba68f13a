//! Generation of keys for FHEW gates on packed bits.

use cryptable_bits as bits;
use cryptable_fhew::booleans;
use cryptable_lattice::{Progress, Result};

use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::literal::ParametersLiteral;
use crate::packed_gates::PackedGates;
use crate::packing::{RingPackingKey, SeededRingPackingKey};
use crate::parameters::Parameters;
use crate::secrets::Secrets;

/// A client's secrets for FHEW gates on packed bits: its key for gates, and a ring secret. Redacted in Debug; the ring
/// secret is zeroized on drop.
#[derive(Debug)]
pub struct PackedGatesSecret<'a> {
    single: &'a booleans::SecretKey,
    ring: bits::SecretKey,
    parameters: Parameters,
}

impl<'a> PackedGatesSecret<'a> {
    /// Generates a new secret of the ring.
    ///
    /// # Errors
    /// If there is no conversion between the parameters.
    pub fn generate(single: &'a booleans::SecretKey, packed: &bits::Parameters) -> Result<Self> {
        Self::with_ring(single, bits::SecretKey::generate(packed))
    }

    /// Uses a secret of the ring that was generated before.
    ///
    /// # Errors
    /// If there is no conversion between the parameters.
    pub fn with_ring(single: &'a booleans::SecretKey, ring: bits::SecretKey) -> Result<Self> {
        let (numbers, packed) = (single.parameters().fhew(), ring.parameters());
        let (degree, bottom) = (packed.literal().ring_degree, packed.bottom_prime());
        let is_toy = packed.security_bits() == 0.0 || single.parameters().security_bits() == 0.0;
        let literal = match is_toy {
            false => ParametersLiteral::between_128(numbers, degree, bottom),
            true => ParametersLiteral::insecure_between(numbers, degree, bottom),
        };
        Ok(Self { single, ring, parameters: Parameters::new(literal)? })
    }

    /// Returns the secret of the ring, which must be kept in addition to the key for gates, and which generates the
    /// server's largest key (by its `write_evaluation_key`).
    #[must_use]
    pub fn ring(&self) -> &bits::SecretKey {
        &self.ring
    }

    /// Returns the parameters of the conversion.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifiers of both secrets.
    #[must_use]
    pub fn clients(&self) -> Clients {
        Clients { lwe: self.single.id(), ring: self.ring.id() }
    }

    /// Generates the packing key, in the form in which it is sent.
    ///
    /// # Errors
    /// Never, since dimensions are those of the parameters.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    pub fn packing_key(&self) -> Result<SeededRingPackingKey> {
        self.secrets().packing_key(&self.parameters)
    }

    /// Generates the extraction key, in the form in which it is sent.
    ///
    /// # Errors
    /// Never, since dimensions are those of the parameters.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    pub fn extraction_key(&self) -> Result<SeededExtractionKey> {
        self.secrets().extraction_key(&self.parameters)
    }

    /// Generates all keys of a server in the same process. Progress counts switching keys of the ring.
    ///
    /// # Errors
    /// The errors of [`PackedGates::new`], or if `progress` asks to stop.
    pub fn packed_gates(&self, progress: Progress<'_>) -> Result<PackedGates> {
        let server = self.ring.evaluation_key(progress)?;
        let packing = RingPackingKey::expand(&self.packing_key()?);
        let extraction = ExtractionKey::expand(&self.extraction_key()?);
        PackedGates::new(self.single.parameters(), server, packing, extraction)
    }

    fn secrets(&self) -> Secrets<'_> {
        let clients = self.clients();
        let lwe = self.single.fhew().lwe_coefficients();
        Secrets { lwe, ring: self.ring.secret(), clients }
    }
}

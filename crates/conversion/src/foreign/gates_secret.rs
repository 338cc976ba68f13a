//! Secrets of another library, and generation of keys for gates on its ciphertexts.

use std::fmt;

use cryptable_bits as bits;
use cryptable_lattice::{Progress, Result};
use cryptable_wire::KeyId;
use zeroize::Zeroizing;

use super::gates::ForeignGates;
use super::parameters::ForeignParameters;
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::packing::{RingPackingKey, SeededRingPackingKey};
use crate::parameters::Parameters;
use crate::secrets::Secrets;

/// Domain of identifiers.
const IDENTIFIER: &str = "cryptable: identifier of an LWE secret of another library";

/// An LWE secret of another library. Zeroized on drop, redacted in Debug, not `Clone`.
pub struct ForeignSecret {
    parameters: ForeignParameters,
    coefficients: Zeroizing<Vec<i8>>,
    id: KeyId,
}

impl fmt::Debug for ForeignSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ForeignSecret({}, {}, redacted)", self.parameters.name(), self.id)
    }
}

impl ForeignSecret {
    /// Reads a secret from a file that another library's program wrote.
    ///
    /// # Errors
    /// If the bytes are not exactly one secret of these parameters.
    pub fn from_bytes(parameters: &ForeignParameters, bytes: &[u8]) -> Result<Self> {
        let coefficients = parameters.read_secret(bytes)?;
        let words = Zeroizing::new(coefficients.iter().map(|&c| c as u8).collect::<Vec<u8>>());
        let id = KeyId::of_secret(IDENTIFIER, &words);
        Ok(Self { parameters: parameters.clone(), coefficients, id })
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The parameters that it is of.
    #[must_use]
    pub fn parameters(&self) -> &ForeignParameters {
        &self.parameters
    }
}

/// A client's secrets for gates on another library's ciphertexts: that of the library, and one of the ring. Redacted in Debug;
/// the ring's is zeroized on drop.
#[derive(Debug)]
pub struct ForeignGatesSecret<'a> {
    foreign: &'a ForeignSecret,
    ring: bits::SecretKey,
    parameters: Parameters,
}

impl<'a> ForeignGatesSecret<'a> {
    /// With a new secret of the ring.
    ///
    /// # Errors
    /// If there is no conversion between the parameters.
    pub fn generate(foreign: &'a ForeignSecret, packed: &bits::Parameters) -> Result<Self> {
        let parameters = foreign.parameters.conversion(packed)?;
        Ok(Self { foreign, ring: bits::SecretKey::generate(packed), parameters })
    }

    /// The secret of the ring, which makes the server's largest key (its `write_evaluation_key`).
    #[must_use]
    pub fn ring(&self) -> &bits::SecretKey {
        &self.ring
    }

    /// The parameters of packing and extraction.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Identifiers of both secrets.
    #[must_use]
    pub fn clients(&self) -> Clients {
        Clients { lwe: self.foreign.id, ring: self.ring.id() }
    }

    /// The packing key, as it is sent.
    ///
    /// # Errors
    /// Never: dimensions are those of the parameters.
    pub fn packing_key(&self) -> Result<SeededRingPackingKey> {
        self.secrets().packing_key(&self.parameters)
    }

    /// The extraction key, as it is sent.
    ///
    /// # Errors
    /// Never: dimensions are those of the parameters.
    pub fn extraction_key(&self) -> Result<SeededExtractionKey> {
        self.secrets().extraction_key(&self.parameters)
    }

    /// All keys of a server in the same process. Progress counts switching keys of the ring.
    ///
    /// # Errors
    /// As [`ForeignGates::new`], or if `progress` asks to stop.
    pub fn gates(&self, progress: Progress<'_>) -> Result<ForeignGates> {
        let server = self.ring.evaluation_key(progress)?;
        let packing = RingPackingKey::expand(&self.packing_key()?);
        let extraction = ExtractionKey::expand(&self.extraction_key()?);
        ForeignGates::new(&self.foreign.parameters, server, packing, extraction)
    }

    fn secrets(&self) -> Secrets<'_> {
        let clients = self.clients();
        Secrets { lwe: &self.foreign.coefficients, ring: self.ring.secret(), clients }
    }
}

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
use crate::secrets::Secrets;

/// Domain separation of identifiers.
const IDENTIFIER: &str = "cryptable: identifier of an LWE secret of another library";

/// An LWE secret of another library. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// Every set of server keys is generated with a new ring secret, which is dropped afterwards, since results are
/// encrypted under this LWE secret.
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

    /// Returns the identifier.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Returns the parameters.
    #[must_use]
    pub fn parameters(&self) -> &ForeignParameters {
        &self.parameters
    }

    /// Generates all keys of a server in the same process, for bootstraps with the parameters `packed`, such as
    /// [`ForeignParameters::packed`] returns. Progress counts switching keys of the ring.
    ///
    /// # Errors
    /// The errors of [`ForeignGates::new`], or if `progress` asks to stop.
    pub fn gates(&self, packed: &bits::Parameters, progress: Progress<'_>) -> Result<ForeignGates> {
        self.parameters.log2_fail(packed)?;
        let ring = bits::SecretKey::generate(packed);
        let server = ring.evaluation_key(progress)?;
        let (packing, extraction) = self.conversion_keys(&ring)?;
        let packing = RingPackingKey::expand(&packing);
        let extraction = ExtractionKey::expand(&extraction);
        ForeignGates::new(&self.parameters, server, packing, extraction)
    }

    /// Generates the keys of packing and extraction, in the form in which they are sent.
    pub(super) fn conversion_keys(
        &self,
        ring: &bits::SecretKey,
    ) -> Result<(SeededRingPackingKey, SeededExtractionKey)> {
        let parameters = self.parameters.conversion(ring.parameters())?;
        let clients = Clients { lwe: self.id, ring: ring.id() };
        let secrets = Secrets { lwe: &self.coefficients, ring: ring.secret(), clients };
        Ok((secrets.packing_key(&parameters)?, secrets.extraction_key(&parameters)?))
    }
}

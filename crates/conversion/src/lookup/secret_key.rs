//! The client's keys: for single values, for packed ones, and the evaluation keys generated from both.

use cryptable_fhew::lookup as single;
use cryptable_fhew::lookup::Ciphertext;
use cryptable_lattice::{Progress, Result};
use cryptable_packed as packed;
use cryptable_wire::KeyId;

use super::{EvaluationKey, Parameters};
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::packing::{RingPackingKey, SeededRingPackingKey};
use crate::secrets::Secrets;

/// The secret keys of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    single: single::SecretKey,
    packed: packed::SecretKey,
}

impl SecretKey {
    /// Draws fresh secrets from the operating system's randomness.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let single = single::SecretKey::generate(parameters.single());
        let packed = packed::SecretKey::generate(parameters.packed());
        Self { parameters: parameters.clone(), single, packed }
    }

    /// Joins keys of the parameters' parts.
    pub(super) fn of_parts(
        parameters: Parameters,
        single: single::SecretKey,
        packed: packed::SecretKey,
    ) -> Self {
        Self { parameters, single, packed }
    }

    /// Returns the parameters that the key was generated for.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifier of the key for single values ([`SecretKey::single`]).
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.single.id()
    }

    /// Returns the key for single values.
    #[must_use]
    pub fn single(&self) -> &single::SecretKey {
        &self.single
    }

    /// Returns the key for packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::SecretKey {
        &self.packed
    }

    /// Returns the number of values in one ciphertext of a file, which equals the number that are packed together.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        self.packed.values_per_ciphertext()
    }

    /// Encrypts values below the input modulus p one by one, any number of them.
    ///
    /// # Errors
    /// If a value is not below p; the error names its position.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        self.single.encrypt(values)
    }

    /// Decrypts single values, fresh ones or results. Use [`SecretKey::packed`] for packed ones.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        self.single.decrypt(ciphertext)
    }

    /// Generates the evaluation key for a server in memory. Progress counts switching keys of packed values.
    ///
    /// # Errors
    /// If `progress` asks to stop.
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        let (packing, extraction) = self.conversion_keys()?;
        let (packing, extraction) =
            (RingPackingKey::expand(&packing), ExtractionKey::expand(&extraction));
        let packed = self.packed.evaluation_key(progress)?;
        let single = self.single.evaluation_key(Progress::silent())?;
        Ok(EvaluationKey::new(self.parameters.clone(), single, packed, packing, extraction))
    }

    /// Generates the keys of both conversions, in the form in which they are sent.
    pub(super) fn conversion_keys(&self) -> Result<(SeededRingPackingKey, SeededExtractionKey)> {
        let lwe = self.single.fhew().lwe_coefficients();
        let clients = Clients { lwe: self.single.id(), ring: self.packed.id() };
        let secrets = Secrets { lwe, ring: self.packed.secret(), clients };
        let parameters = self.parameters.conversion();
        Ok((secrets.packing_key(parameters)?, secrets.extraction_key(parameters)?))
    }
}

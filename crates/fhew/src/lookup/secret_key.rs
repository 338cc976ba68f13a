//! The client's key for single values.

use crate::keys::evaluation_key::SeededEvaluationKey;
use crate::keys::secret_key::SecretKey as FhewSecret;
use crate::test_polynomial::encode;
use cryptable_lattice::lwe_masks::fresh_mask;
use cryptable_ring::random::Seed;
use rayon::prelude::*;

use super::ciphertext::Ciphertext;
use super::{EvaluationKey, Parameters};
use cryptable_lattice::error::{Result, check_values};
use cryptable_wire::KeyId;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    secret: FhewSecret,
}

impl SecretKey {
    /// Draws fresh secrets.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        Self::from_secret(parameters.clone(), FhewSecret::generate(parameters.fhew()))
    }

    /// From secrets of these parameters.
    pub(super) fn from_secret(parameters: Parameters, secret: FhewSecret) -> Self {
        Self { parameters, secret }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secrets below, for the low-level methods of `cryptable-fhew`.
    #[must_use]
    pub fn fhew(&self) -> &FhewSecret {
        &self.secret
    }

    /// The evaluation key for a server, as it is sent: seeds in place of masks.
    #[must_use]
    pub fn seeded_evaluation_key(&self) -> SeededEvaluationKey {
        self.secret.evaluation_key()
    }

    /// The evaluation key for a server, in memory.
    ///
    /// # Panics
    /// Never: the keys are of these parameters.
    #[must_use]
    pub fn evaluation_key(&self) -> EvaluationKey {
        let key = self.seeded_evaluation_key();
        EvaluationKey::new(self.parameters.clone(), self.id(), &key)
            .expect("keys of these parameters")
    }

    /// Encrypts values of `Z_p`.
    ///
    /// # Errors
    /// If one is not below p.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let p = self.parameters.input_modulus();
        check_values(values, p)?;
        let fhew = self.parameters.fhew();
        let (q, dimension) = (fhew.lwe_modulus(), fhew.lwe_dimension());
        let seed = Seed::random();
        let body = |(index, &value): (usize, &u64)| {
            let mask = fresh_mask(&seed, index, dimension, q);
            self.secret.body_of(&mask, encode(value, p, q), q)
        };
        let bodies = values.par_iter().enumerate().map(body).collect();
        Ok(Ciphertext::fresh(&self.parameters, p, seed, bodies))
    }

    /// Decrypts fresh ciphertexts or results.
    ///
    /// # Errors
    /// If they are of other parameters.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check(&self.parameters, None)?;
        let modulus = ciphertext.modulus();
        (0..ciphertext.count())
            .into_par_iter()
            .map(|index| self.secret.decrypt(&ciphertext.value(index), modulus))
            .collect()
    }

    /// The identifier that this key, its evaluation keys and its ciphertext files share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.secret.id("cryptable: identifier of a secret key for single values")
    }
}

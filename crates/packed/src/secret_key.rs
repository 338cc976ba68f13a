//! The client's key: encrypts, decrypts, and generates evaluation keys.

use std::sync::Arc;

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{EvaluationKeys, KeyRequest, SwitchingKey};
use cryptable_ring::Ring;
use cryptable_ring::random::RandomStream;

use crate::ciphertext::Ciphertext;
use crate::{EvaluationKey, KeyId, Parameters};
use cryptable_lattice::error::{Error, Result, check_values};

/// The secret key of one client: a uniform ternary polynomial.
///
/// Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    ring: Arc<Ring>,
    secret: TernarySecret,
}

/// A callback of work done and total work.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

impl SecretKey {
    /// Draws a fresh secret.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let degree = parameters.literal().ring_degree;
        let distribution = SecretDistribution::UniformTernary;
        let secret = TernarySecret::sample(degree, distribution, &mut RandomStream::from_os());
        Self::from_secret(parameters.clone(), secret)
    }

    pub(crate) fn from_secret(parameters: Parameters, secret: TernarySecret) -> Self {
        let ring = Arc::new(parameters.ring());
        Self { parameters, ring, secret }
    }

    /// The identifier that this key, its evaluation keys and its ciphertext files share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId::of_secret("cryptable: identifier of a secret key", &self.to_bytes())
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The ring of the parameters, with its tables.
    #[must_use]
    pub fn ring(&self) -> Arc<Ring> {
        Arc::clone(&self.ring)
    }

    pub(crate) fn secret(&self) -> &TernarySecret {
        &self.secret
    }

    /// Encrypts up to `slots` values of `Z_p` into one ciphertext.
    ///
    /// # Errors
    /// If there are more values than slots, or one is not below p.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        self.encrypt_digits(values, self.parameters.literal().input_modulus)
    }

    /// Encrypts values of another modulus: some of the digits of an input that comes in several ciphertexts,
    /// see [`crate::EvaluationKey::lookup_digits`].
    ///
    /// # Errors
    /// If there are more values than slots, one is not below the modulus, or that is below 2 or above the
    /// input modulus.
    pub fn encrypt_digits(&self, values: &[u64], modulus: u64) -> Result<Ciphertext> {
        let literal = self.parameters.literal();
        if modulus < 2 {
            return Err(Error::TooSmall {
                name: "modulus of the values",
                value: modulus,
                limit: 2,
            });
        }
        if modulus > literal.input_modulus {
            let limit = literal.input_modulus;
            return Err(Error::TooLarge { name: "modulus of the values", value: modulus, limit });
        }
        if values.len() > literal.slots {
            return Err(Error::TooLarge {
                name: "number of values of one ciphertext",
                value: values.len() as u64,
                limit: literal.slots as u64,
            });
        }
        check_values(values, modulus)?;
        let shape = (literal.slots, modulus, literal.log2_ciphertext_modulus);
        let body = CoefficientCiphertext::encrypt(&self.secret, values, shape);
        Ok(Ciphertext::new(self.parameters.digest(), body))
    }

    /// Decrypts a fresh ciphertext or a result.
    ///
    /// # Errors
    /// If it is of other parameters.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        self.check(ciphertext)?;
        Ok(ciphertext.body().decrypt(&self.secret))
    }

    /// Decrypts without rounding: fractions of the modulus of the values within [-1/2, 1/2), with the
    /// ciphertext's noise. For results of a [`crate::RealTable`].
    ///
    /// Noise shows what was computed: give unrounded results to nobody who must not know it.
    ///
    /// # Errors
    /// If it is of other parameters.
    pub fn decrypt_reals(&self, ciphertext: &Ciphertext) -> Result<Vec<f64>> {
        self.check(ciphertext)?;
        Ok(ciphertext.body().fractions(&self.secret))
    }

    /// Signed distances of a ciphertext's phases from those of `expected`, in half steps: what is
    /// left of the margin. Beyond ±1 a value decrypts wrong.
    ///
    /// # Errors
    /// If it is of other parameters.
    pub fn errors(&self, ciphertext: &Ciphertext, expected: &[u64]) -> Result<Vec<f64>> {
        self.check(ciphertext)?;
        Ok(ciphertext.body().errors(&self.secret, expected))
    }

    fn check(&self, ciphertext: &Ciphertext) -> Result<()> {
        ciphertext.check(&self.parameters, None)
    }

    /// Generates the switching keys one at a time, under a fresh ephemeral sparse secret.
    ///
    /// # Errors
    /// Whatever `consume` returns.
    pub fn generate_keys<E>(
        &self,
        progress: Progress<'_>,
        mut consume: impl FnMut(KeyRequest, SwitchingKey) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let literal = self.parameters.literal();
        let degree = literal.ring_degree;
        let weight = SecretDistribution::FixedWeightTernary(literal.sparse_weight);
        let sparse = TernarySecret::sample(degree, weight, &mut RandomStream::from_os());
        let secrets = SecretPair { dense: &self.secret, sparse: &sparse };
        let requests = self.parameters.circuit().key_requests();
        progress(0, requests.len());
        for (done, request) in requests.iter().enumerate() {
            let key = secrets.generate_key(&self.ring, request.purpose, request.shape);
            consume(*request, key)?;
            progress(done + 1, requests.len());
        }
        Ok(())
    }

    /// All switching keys, in memory.
    #[must_use]
    pub fn switching_keys(&self, progress: Progress<'_>) -> EvaluationKeys {
        let mut keys = EvaluationKeys::new();
        let inserted = self.generate_keys::<std::convert::Infallible>(progress, |request, key| {
            keys.insert(request.purpose, key);
            Ok(())
        });
        match inserted {
            Ok(()) => keys,
        }
    }

    /// The evaluation key for a server, in memory.
    #[must_use]
    pub fn evaluation_key(&self, progress: Progress<'_>) -> EvaluationKey {
        let keys = self.switching_keys(progress);
        EvaluationKey::new(self.parameters.clone(), self.id(), self.ring(), keys)
            .expect("the keys of these parameters are complete")
    }
}

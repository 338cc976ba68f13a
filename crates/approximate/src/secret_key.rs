//! The client's key: encrypts, decrypts, and generates evaluation keys.

use std::io::Write;

use cryptable_ckks::dry_run::Shape;
use cryptable_ckks::encryption::{self, SlotRounding};
#[cfg(doc)]
use cryptable_lattice::Error;
use cryptable_lattice::coefficient_ciphertext::Flooding;
use cryptable_lattice::error::{Result, check_client, check_equal, demand};
use cryptable_lattice::ring_secret_key::{RingSecretKey, RingSecretParameters};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{Binding, Progress};
use cryptable_ring::SecretSlots;
use cryptable_wire::ObjectType;
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::ciphertext::Ciphertext;
use crate::encryption::{Encryption, encrypting_key};
use crate::evaluation_key::{EvaluationKey, KeyedParameters};
use crate::key_set::KeySet;
use crate::packed_integers::SharedSecret;
use crate::parameters::Parameters;

/// log2 of the probability per slot that its error exceeds the step to which it is rounded.
const LOG2_FAIL_OF_ROUNDING: f64 = -40.0;

/// The secret key of one client: a uniform ternary polynomial. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey(RingSecretKey<Parameters>);

cryptable_lattice::engine_key!(SecretKey, RingSecretKey<Parameters>);

impl RingSecretParameters for Parameters {
    const SECRET_KEY: ObjectType = ObjectType::VectorSecretKey;
    const IDENTIFIER: &'static str = "cryptable: identifier of a secret key of vectors";

    /// Without bootstrapping, nothing is encrypted under the sparse secret: one of weight 1 hides nothing.
    fn sparse_weight(&self) -> u32 {
        self.literal().bootstrapping.as_ref().map_or(1, |it| it.sparse_weight)
    }
}

impl Encryption for SecretKey {
    fn parameters(&self) -> &Parameters {
        self.0.parameters()
    }

    fn binding(&self) -> &Binding {
        self.0.binding()
    }

    fn shape(&self) -> Shape {
        self.0.parameters().fresh_shape(1.0)
    }

    fn encrypt_coefficients(
        &self,
        mut coefficients: Zeroizing<Vec<i64>>,
        scale: f64,
    ) -> cryptable_ckks::Ciphertext {
        let limbs = self.0.parameters().level_scales().top();
        let coefficients = std::mem::take(&mut *coefficients);
        encryption::encrypt_seeded(self.ring(), self.secret(), coefficients, scale, limbs)
            .expand(self.ring())
    }
}

encrypting_key!(SecretKey);

impl SecretKey {
    /// Draws a fresh secret.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        Self(RingSecretKey::generate(parameters))
    }

    /// Generates the evaluation key for a server in the same process, with [`KeySet::for_parameters`]. `progress`
    /// counts switching keys.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        self.evaluation_key_for(&KeySet::for_parameters(self.parameters()), progress)
    }

    /// Generates the evaluation key for a server in the same process, with the keys of a key set.
    ///
    /// # Errors
    /// If the parameters do not support a requested key, or [`Error::Cancelled`].
    pub fn evaluation_key_for(
        &self,
        keys: &KeySet,
        progress: Progress<'_>,
    ) -> Result<EvaluationKey> {
        let parameters = KeyedParameters::new(self.parameters().clone(), keys.clone())?;
        self.generate_keys(parameters, progress).map(EvaluationKey::new)
    }

    /// Generates the key of [`SecretKey::evaluation_key`] and writes it, one switching key at a time.
    ///
    /// # Errors
    /// If writing fails, or [`Error::Cancelled`].
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        self.write_evaluation_key_for(&KeySet::for_parameters(self.parameters()), out, progress)
    }

    /// Generates an evaluation key with the keys of a key set and writes it, one switching key at a time: parameters
    /// and key set, the key identifier, then seed and words of every switching key. `progress` counts switching keys.
    ///
    /// # Errors
    /// If the parameters do not support a requested key, writing fails, or [`Error::Cancelled`].
    pub fn write_evaluation_key_for(
        &self,
        keys: &KeySet,
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let parameters = KeyedParameters::new(self.parameters().clone(), keys.clone())?;
        self.write_keys(&parameters, out, progress)
    }

    /// Makes a key with the secret of packed integers, so that servers can convert between the two.
    ///
    /// # Errors
    /// If their ring degrees differ.
    pub fn sharing(parameters: &Parameters, packed: &cryptable_packed::SecretKey) -> Result<Self> {
        let (found, expected) =
            (packed.parameters().ring_degree(), parameters.literal().ring_degree);
        check_equal("ring degree of packed integers", found, expected)?;
        let coefficients = Zeroizing::new(packed.secret().coefficients().to_vec());
        let secret = TernarySecret::from_coefficients(coefficients).expect("a secret's");
        Ok(Self(RingSecretKey::from_secret(parameters.clone(), secret)))
    }

    /// Returns the statement for servers that a key of packed integers has the same secret.
    ///
    /// # Errors
    /// [`Error::OtherClient`] if it has another secret.
    pub fn shared_secret(&self, packed: &cryptable_packed::SecretKey) -> Result<SharedSecret> {
        let other = Self::sharing(self.parameters(), packed)?;
        check_client("secret key of packed integers", self.id(), other.id())?;
        Ok(SharedSecret { vectors: self.id(), packed: packed.id() })
    }

    /// Decrypts slots and rounds each part to a multiple of the smallest power of two that exceeds its error, except
    /// with probability 2^-40. This hides the error, which depends on the secret, unless a value is near the middle of
    /// two multiples. If others see results of adversarial ciphertexts, use [`SecretKey::decrypt_flooded`].
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters.
    pub fn decrypt(&self, ct: &Ciphertext) -> Result<Vec<Complex64>> {
        self.decrypt_rounded(ct, None).map(SecretSlots::into_public)
    }

    /// Returns the real parts of [`SecretKey::decrypt`].
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters.
    pub fn decrypt_reals(&self, ct: &Ciphertext) -> Result<Vec<f64>> {
        let slots = self.decrypt_rounded(ct, None)?;
        Ok(slots.iter().map(|z| z.re).collect())
    }

    /// Decrypts slots and, before rounding, adds noise that hides their own. Its size follows from the error of the
    /// ciphertext. This is secure against those who choose the computation and see results (Li, Micciancio, Schultz,
    /// Sorrell, CRYPTO 2022).
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters, or the noise exceeds an eighth of the bound
    /// of the slots.
    pub fn decrypt_flooded(&self, ct: &Ciphertext, flooding: Flooding) -> Result<Vec<Complex64>> {
        self.decrypt_rounded(ct, Some(flooding)).map(SecretSlots::into_public)
    }

    fn decrypt_rounded(&self, ct: &Ciphertext, flooding: Option<Flooding>) -> Result<SecretSlots> {
        ct.check(self.binding())?;
        let largest = ct.error().largest(LOG2_FAIL_OF_ROUNDING);
        let deviation = flooding.map_or(0.0, |it| it.deviation(largest, 2 * ct.slots()));
        if flooding.is_some() {
            let limit = "it must be at most an eighth of the bound of the slots: fewer bits or fewer queries";
            let ok = deviation <= ct.bounds().part() / 8.0;
            demand(ok, "standard deviation of flooding", deviation, limit)?;
        }
        let step = largest.max(deviation).log2().ceil().exp2();
        let rounding = SlotRounding { step, deviation };
        Ok(encryption::decrypt_rounded(self.ring(), self.secret(), &ct.inner, ct.slots(), rounding))
    }

    /// Distances of the slots from `expected`.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters.
    #[cfg(feature = "diagnostics")]
    pub fn errors(&self, ct: &Ciphertext, expected: &[Complex64]) -> Result<Vec<Complex64>> {
        ct.check(self.binding())?;
        let slots = encryption::decrypt(self.ring(), self.secret(), &ct.inner, ct.slots());
        Ok(slots.iter().zip(expected).map(|(z, expected)| z - expected).collect())
    }
}

//! The client's secret key, which encrypts, decrypts, and generates evaluation keys.

use cryptable_lattice::Progress;
use cryptable_lattice::block_secret::BlockSecretShape;
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, RealDecryption};
use cryptable_lattice::error::{Error, Result, check_values};
use cryptable_lattice::ring_secret_key::{RingSecretKey, RingSecretParameters, secret_key_file};
use cryptable_lattice::secret::TernarySecret;
use cryptable_wire::ObjectType;
use zeroize::Zeroizing;

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;

/// The secret key of one client: a uniform ternary polynomial.
///
/// Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_packed::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
/// let ciphertext = secret.encrypt(&[3, 1, 4])?;
/// assert_eq!(secret.decrypt(&ciphertext)?, [3, 1, 4]);
/// assert_eq!(secret.values_per_ciphertext(), 1024);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Debug)]
pub struct SecretKey(RingSecretKey<Parameters>);

cryptable_lattice::engine_key!(SecretKey, RingSecretKey<Parameters>);

impl RingSecretParameters for Parameters {
    const SECRET_KEY: ObjectType = ObjectType::PackedSecretKey;
    const IDENTIFIER: &'static str = "cryptable: identifier of a secret key";

    fn sparse_weight(&self) -> u32 {
        self.literal().sparse_weight
    }

    fn block_secret(&self) -> Option<BlockSecretShape> {
        self.literal().block_secret_shape()
    }

    fn identified_bytes(&self, secret: &TernarySecret) -> Zeroizing<Vec<u8>> {
        secret_key_file(self, secret)
    }
}

impl SecretKey {
    /// Draws a fresh secret.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        Self(RingSecretKey::generate(parameters))
    }

    /// Generates the evaluation key of a server in the same process. Progress counts switching keys.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        self.generate_keys(self.parameters().clone(), progress).map(EvaluationKey::new)
    }

    /// The maximum number of values per ciphertext.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        self.parameters().literal().slots
    }

    /// Encrypts up to [`SecretKey::values_per_ciphertext`] values of `Z_p` into one ciphertext.
    ///
    /// # Errors
    /// If there are more values than slots, or one is not below p.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        self.encrypt_digits(values, self.parameters().input_modulus())
    }

    /// Encrypts values of another modulus: some digits of an input that is spread over several ciphertexts, see
    /// [`EvaluationKey::lookup_digits`].
    ///
    /// # Errors
    /// If there are more values than slots, one is not below the modulus, or the modulus is below 2 or above the input
    /// modulus.
    pub fn encrypt_digits(&self, values: &[u64], modulus: u64) -> Result<Ciphertext> {
        check_plain_values(self.parameters(), values, modulus)?;
        let literal = self.parameters().literal();
        let (slots, bits) = (literal.input_slots(), literal.log2_ciphertext_modulus);
        let body = CoefficientCiphertext::encrypt(self.secret(), values, slots, modulus, bits);
        let noise = self.parameters().fresh_noise(modulus);
        Ok(Ciphertext::new(*self.binding(), noise, body))
    }

    /// Decrypts a fresh ciphertext or a result.
    ///
    /// # Errors
    /// If it has other parameters or belongs to another client.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check_result(self.parameters(), self.binding())?;
        Ok(ciphertext.decrypt(self.secret()))
    }

    /// Decrypts results of a [`crate::RealTable`]: fractions of the output modulus P within [-1/2, 1/2).
    ///
    /// By default, values are the exact multiples of 1/P that the table holds, as with [`SecretKey::decrypt`]. They
    /// show no noise, except in wrong results, which occur with the probability that the parameters state. With the
    /// options ([`RealDecryption`]), values are rounded to fewer bits or flooding noise is added.
    ///
    /// # Errors
    /// If the ciphertext has other parameters or belongs to another client; if the requested precision is finer than
    /// the steps of the table, or flooding would leave nothing of the values.
    pub fn decrypt_reals(
        &self,
        ciphertext: &Ciphertext,
        options: RealDecryption,
    ) -> Result<Vec<f64>> {
        self.check(ciphertext)?;
        ciphertext.body().decrypt_reals(self.secret(), options)
    }

    /// Signed distances of a ciphertext's phases from those of `expected`, in half steps of the modulus of the values.
    /// Beyond ±1 a value decrypts wrong. Feature `diagnostics`.
    ///
    /// Noise reveals what was computed, and with enough results the secret key (Li, Micciancio, EUROCRYPT 2021, ePrint
    /// 2020/1533). Never disclose errors.
    ///
    /// # Errors
    /// If it has other parameters or belongs to another client.
    #[cfg(feature = "diagnostics")]
    pub fn errors(&self, ciphertext: &Ciphertext, expected: &[u64]) -> Result<Vec<f64>> {
        self.check(ciphertext)?;
        Ok(ciphertext.body().errors(self.secret(), expected))
    }

    /// Encrypts values with phases that are all off by the same fraction of the torus, which the ciphertext's noise
    /// bound does not include. Used to measure how lookups transform errors of known size. Feature `diagnostics`.
    ///
    /// # Errors
    /// The errors of [`SecretKey::encrypt`].
    #[cfg(feature = "diagnostics")]
    pub fn encrypt_shifted(&self, values: &[u64], fraction: f64) -> Result<Ciphertext> {
        let fresh = self.encrypt(values)?;
        let mut body = fresh.body().clone();
        body.shift_assign(fraction);
        Ok(Ciphertext::new(*self.binding(), fresh.noise(), body))
    }

    fn check(&self, ciphertext: &Ciphertext) -> Result<()> {
        ciphertext.check(self.parameters(), self.binding(), None)
    }
}

/// Checks values of a modulus before they are encrypted into one ciphertext.
///
/// # Errors
/// If the modulus is below 2 or above the input modulus, there are more values than slots, or one is not below the modulus.
pub(super) fn check_plain_values(
    parameters: &Parameters,
    values: &[u64],
    modulus: u64,
) -> Result<()> {
    let literal = parameters.literal();
    let name = "modulus of the values";
    if modulus < 2 {
        return Err(Error::TooSmall { name, value: modulus, limit: 2 });
    }
    if modulus > literal.input_modulus {
        return Err(Error::TooLarge { name, value: modulus, limit: literal.input_modulus });
    }
    if values.len() > literal.slots {
        return Err(Error::TooLarge {
            name: "number of values of one ciphertext",
            value: values.len() as u64,
            limit: literal.slots as u64,
        });
    }
    check_values(values, modulus)
}

//! A client's secrets for circuit bootstraps: encryption, decryption, keys for a server.

use std::io::Write;

use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::keys::SeededEvaluationKey;
use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Progress, Result};
use cryptable_ring::clear_stack;
use cryptable_wire::{BodyReader, KeyId, ObjectType, secret_key_bytes, write_server_keys};
use zeroize::Zeroizing;

use super::evaluation_key::CircuitBootstrappingEvaluationKey;
use crate::bootstrapping::{Plaintext, ciphertext_count, decrypt_plaintext, plaintext_body};
use crate::parameters::CircuitBootstrappingParameters;
use cryptable_lattice::error::out_of_range;

/// Longest body of a file of a secret key.
pub(crate) const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

/// Most bits of a value.
const MAX_BITS: usize = 64;

/// The domain in which identifiers of secret keys are hashed.
pub const IDENTIFIER: &str = "cryptable: identifier of a secret key of circuit bootstrapping";

/// Steps of progress of making an evaluation key: drawing it, and expanding or writing it.
const KEY_STEPS: usize = 2;

/// What a file says before the secrets or keys.
pub(crate) struct FileStart<'a> {
    pub(crate) object_type: ObjectType,
    pub(crate) parameter_digest: [u8; 32],
    pub(crate) parameters: &'a [u8],
}

/// The secrets of one client. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_leveled::keys::CircuitBootstrappingSecretKey;
/// use cryptable_leveled::parameters::ParameterSet;
/// let secret = CircuitBootstrappingSecretKey::generate(&ParameterSet::TwoBitDepth11.parameters());
/// let encrypted = secret.encrypt_values(8, &[7, 255])?;
/// assert_eq!(encrypted.len(), 2 * 4);
/// assert_eq!(secret.decrypt_values(8, &encrypted)?, [7, 255]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct CircuitBootstrappingSecretKey {
    parameters: CircuitBootstrappingParameters,
    secret: SecretKey,
    id: KeyId,
}

impl CircuitBootstrappingSecretKey {
    /// Draws fresh secrets.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn generate(parameters: &CircuitBootstrappingParameters) -> Self {
        Self::new(parameters, SecretKey::generate(parameters.fhew()))
    }

    fn new(parameters: &CircuitBootstrappingParameters, secret: SecretKey) -> Self {
        Self { parameters: parameters.clone(), id: secret.id(IDENTIFIER), secret }
    }

    /// Reads secrets, which end the body of a file.
    ///
    /// # Errors
    /// If bytes are missing or left over, or are no secrets of these parameters.
    pub(crate) fn read(
        parameters: &CircuitBootstrappingParameters,
        mut reader: BodyReader<'_>,
    ) -> Result<Self> {
        let secret = SecretKey::read_coefficients(parameters.fhew(), &mut reader)?;
        reader.finish()?;
        Ok(Self::new(parameters, secret))
    }

    /// The parameters that the secrets are of.
    #[must_use]
    pub fn parameters(&self) -> &CircuitBootstrappingParameters {
        &self.parameters
    }

    /// The secrets of LWE and of both rings.
    #[must_use]
    pub fn fhew(&self) -> &SecretKey {
        &self.secret
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The server's keys as they are sent: bodies, and a seed for all masks.
    #[must_use]
    pub fn seeded_evaluation_key(&self) -> SeededEvaluationKey {
        self.secret.evaluation_key()
    }

    /// The server's keys, expanded.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Cancelled`].
    pub fn evaluation_key(
        &self,
        progress: Progress<'_>,
    ) -> Result<CircuitBootstrappingEvaluationKey> {
        let steps = progress.steps(KEY_STEPS)?;
        let seeded = self.seeded_evaluation_key();
        steps.done()?;
        let key = CircuitBootstrappingEvaluationKey::new(&self.parameters, self.id, &seeded)?;
        steps.done()?;
        Ok(key)
    }

    /// Writes a file of fresh server's keys, as they are sent.
    ///
    /// # Errors
    /// If writing fails; [`cryptable_lattice::Error::Cancelled`].
    pub(crate) fn write_evaluation_key(
        &self,
        out: &mut dyn Write,
        start: &FileStart<'_>,
        progress: Progress<'_>,
    ) -> Result<()> {
        let steps = progress.steps(KEY_STEPS)?;
        let keys = self.seeded_evaluation_key().to_bytes();
        steps.done()?;
        let parameters = (&start.parameter_digest, start.parameters);
        write_server_keys(out, start.object_type, parameters, self.id, &keys)?;
        steps.done()
    }

    /// A file of these secrets: two bits a coefficient.
    pub(crate) fn to_bytes(&self, start: &FileStart<'_>) -> Zeroizing<Vec<u8>> {
        let length = self.secret.coefficient_bytes();
        let (digest, parameters) = (&start.parameter_digest, start.parameters);
        let file = secret_key_bytes(start.object_type, digest, parameters, length, |writer| {
            self.secret.write_coefficients(writer)
        });
        clear_stack();
        file
    }

    /// Encrypts integers of `bits` bits, a ciphertext for every
    /// [`CircuitBootstrappingParameters::bits_per_ciphertext`] of them, the lowest first: errors of variance 10.5.
    ///
    /// # Errors
    /// If the number of bits is not from 1 to 64, or a value has more.
    pub fn encrypt_values(&self, bits: usize, values: &[u64]) -> Result<LweList> {
        if !(1..=MAX_BITS).contains(&bits) {
            let limit = format!("values have from 1 to {MAX_BITS} bits");
            return Err(out_of_range("number of bits", bits as u64, limit));
        }
        if bits < MAX_BITS {
            cryptable_lattice::error::check_values(values, 1 << bits)?;
        }
        Ok(self.encrypt_each(bits, values.len(), |index| values[index]))
    }

    /// Encrypts `count` integers of `bits` bits, from 1 to 64, that `value` gives.
    pub(crate) fn encrypt_each(
        &self,
        bits: usize,
        count: usize,
        value: impl Fn(usize) -> u64 + Sync,
    ) -> LweList {
        let each = self.parameters.bits_per_ciphertext();
        let width = ciphertext_count(bits, each);
        LweList::fresh(self.parameters.lwe_shape(), width * count, |index, mask| {
            let shifted = value(index / width) >> (index % width * each as usize);
            let plaintext = Plaintext { value: shifted & ((1 << each) - 1), bits: each };
            plaintext_body(&self.secret, mask, plaintext)
        })
    }

    /// Decrypts fresh or computed integers of `bits` bits.
    ///
    /// # Errors
    /// If the number of bits is not from 1 to 64, or the ciphertexts are of other sizes or not of whole values.
    pub fn decrypt_values(&self, bits: usize, values: &LweList) -> Result<Vec<u64>> {
        values.check(self.parameters.lwe_shape())?;
        let each = self.parameters.bits_per_ciphertext();
        let width = ciphertext_count(bits, each);
        if !(1..=MAX_BITS).contains(&bits) || !values.len().is_multiple_of(width) {
            let limit = format!("values of {bits} bits have {width}, at most {MAX_BITS} bits");
            return Err(out_of_range("number of ciphertexts", values.len() as u64, limit));
        }
        let value = |index: usize| -> Result<u64> {
            (index * width..(index + 1) * width).rev().try_fold(0, |sum, i| {
                Ok(sum << each | decrypt_plaintext(&self.secret, &values.ciphertext(i), each)?)
            })
        };
        decrypt_each(values.len() / width, value)
    }
}

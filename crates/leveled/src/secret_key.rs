//! The client's key: encrypted integers, bytes and round keys as they are sent, decryption, keys for a server.

use std::io::{self, Write};

use cryptable_fhew::keys::SecretKey;
use cryptable_wire::{KeyId, ObjectType, secret_key_bytes, write_server_keys};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::aes::BLOCK_BYTES;
use crate::aes::round_keys::expand_key;
use crate::digit_selectors::digit_count;
use crate::digits::{Digit, decrypt_digit, encrypted_body};
use crate::encrypted_bytes::{BITS, Content, EncryptedBytes};
use crate::encrypted_values::{EncryptedValues, MAX_WIDTH};
use crate::error::{Error, Result};
use crate::evaluation_key::CircuitEvaluationKey;
use crate::parameter_serialization::open_circuit_object;
use crate::parameters::CircuitParameters;

/// Longest body of a secret key.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// The domain of identifiers.
pub(crate) const IDENTIFIER: &str = "cryptable: identifier of a secret key for circuits on bits";

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_leveled::parameters::CircuitParameters;
/// use cryptable_leveled::secret_key::CircuitSecretKey;
/// let secret = CircuitSecretKey::generate(&CircuitParameters::aes_128());
/// let encrypted = secret.encrypt(b"bytes");
/// assert_eq!(secret.decrypt(&encrypted)?, b"bytes");
/// # Ok::<(), cryptable_leveled::error::Error>(())
/// ```
#[derive(Debug)]
pub struct CircuitSecretKey {
    parameters: CircuitParameters,
    secret: SecretKey,
}

impl CircuitSecretKey {
    /// Draws fresh secrets.
    #[must_use]
    pub fn generate(parameters: &CircuitParameters) -> Self {
        let secret = SecretKey::generate(parameters.parameters());
        Self { parameters: parameters.clone(), secret }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &CircuitParameters {
        &self.parameters
    }

    /// The secrets below.
    #[must_use]
    pub fn fhew(&self) -> &SecretKey {
        &self.secret
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.secret.id(IDENTIFIER)
    }

    /// The server's key, in memory.
    ///
    /// # Panics
    /// Never: the keys are of these parameters.
    #[must_use]
    pub fn evaluation_key(&self) -> CircuitEvaluationKey {
        let key = self.secret.evaluation_key();
        CircuitEvaluationKey::new(self.parameters.clone(), self.id(), &key)
            .expect("keys of these parameters")
    }

    /// Encrypts bytes bit by bit: errors of variance 10.5.
    #[must_use]
    pub fn encrypt(&self, bytes: &[u8]) -> EncryptedBytes {
        self.encrypt_as(Content::Message, bytes)
    }

    /// Encrypts the round keys of an AES-128 key.
    #[must_use]
    pub fn encrypt_aes_key(&self, key: &[u8; BLOCK_BYTES]) -> EncryptedBytes {
        self.encrypt_as(Content::RoundKeys, &expand_key(key))
    }

    fn encrypt_as(&self, content: Content, bytes: &[u8]) -> EncryptedBytes {
        let bit = |index: usize| (bytes[index / BITS] >> (index % BITS) & 1).into();
        let values = self.encrypt_digits(1, (BITS, BITS * bytes.len()), bit);
        EncryptedBytes::new(content, &self.parameters, values)
    }

    /// So many digits of `bits` bits, `width` a value.
    fn encrypt_digits(
        &self,
        bits: u32,
        (width, count): (usize, usize),
        digit: impl Fn(usize) -> u64 + Sync,
    ) -> EncryptedValues {
        EncryptedValues::fresh(&self.parameters, self.id(), width, count, |index, mask| {
            encrypted_body(&self.secret, mask, Digit { value: digit(index), bits })
        })
    }

    /// Encrypts integers of `bits` bits, a ciphertext for every [`CircuitParameters::digit_bits`] of them: errors of
    /// variance 10.5.
    ///
    /// # Errors
    /// If the number of bits is not from 1 to 64, or a value has more.
    pub fn encrypt_values(&self, bits: usize, values: &[u64]) -> Result<EncryptedValues> {
        if !(1..=MAX_WIDTH).contains(&bits) {
            let limit = format!("values have from 1 to {MAX_WIDTH} bits");
            return Err(Error::Number { name: "number of bits", value: bits as u64, limit });
        }
        if let Some(&value) = values.iter().find(|&&value| bits < 64 && value >> bits != 0) {
            let limit = format!("values here have {bits} bits");
            return Err(Error::Number { name: "value", value, limit });
        }
        let digit_bits = self.parameters.digit_bits();
        let width = digit_count(bits, digit_bits);
        let digit = |index: usize| {
            values[index / width] >> (index % width * digit_bits as usize) & ((1 << digit_bits) - 1)
        };
        Ok(self.encrypt_digits(digit_bits, (width, width * values.len()), digit))
    }

    /// Decrypts fresh or computed integers.
    ///
    /// # Errors
    /// If they are of other sizes or under another key, or have more than 64 bits.
    pub fn decrypt_values(&self, values: &EncryptedValues) -> Result<Vec<u64>> {
        self.decrypt_digits(values, self.parameters.digit_bits())
    }

    fn decrypt_digits(&self, values: &EncryptedValues, bits: u32) -> Result<Vec<u64>> {
        values.check(&self.parameters, self.id())?;
        let most = digit_count(MAX_WIDTH, bits);
        if values.width() > most {
            let (name, value) = ("number of a value's ciphertexts", values.width() as u64);
            return Err(Error::Number { name, value, limit: format!("at most {most}") });
        }
        let value = |index: usize| -> Result<u64> {
            let digits = values.value(index);
            digits.iter().rev().try_fold(0, |sum, digit| {
                Ok(sum << bits | decrypt_digit(&self.secret, digit, bits)?)
            })
        };
        (0..values.count()).into_par_iter().map(value).collect()
    }

    /// Decrypts fresh or computed bytes.
    ///
    /// # Errors
    /// If they are of other parameters or under another key.
    pub fn decrypt(&self, bytes: &EncryptedBytes) -> Result<Vec<u8>> {
        bytes.check(&self.parameters, self.id())?;
        let values = self.decrypt_digits(bytes.values(), 1)?;
        Ok(values.into_iter().map(|value| value as u8).collect())
    }

    /// The key in its wire format: parameters, then two bits a coefficient of every secret.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let parameters = self.parameters.to_bytes();
        let digest = self.parameters.digest();
        let object_type = ObjectType::CircuitSecretKey;
        let bytes = self.secret.coefficient_bytes();
        secret_key_bytes(object_type, &digest, &parameters, bytes, |writer| {
            self.secret.write_coefficients(writer)
        })
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key for circuits.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::CircuitSecretKey;
        let (parameters, mut reader) = open_circuit_object(bytes, object_type, MAX_BODY_BYTES)?;
        let secret = SecretKey::read_coefficients(parameters.parameters(), &mut reader)?;
        reader.finish()?;
        Ok(Self { parameters, secret })
    }

    /// Generates an evaluation key and writes it in its wire format, with a seed in place of masks.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_evaluation_key(&self, out: &mut dyn Write) -> io::Result<()> {
        let parameters = self.parameters.to_bytes();
        let keys = self.secret.evaluation_key().to_bytes();
        let parameters = (&self.parameters.digest(), &parameters[..]);
        write_server_keys(out, ObjectType::CircuitEvaluationKey, parameters, self.id(), &keys)
    }
}

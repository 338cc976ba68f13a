//! The client's key of any engine.

use std::io::Write;

use cryptable_lattice::error::check_signs;
use cryptable_ring::unoptimised;
use cryptable_wire::{KeyId, ObjectType, WireError, peek_header};
use zeroize::Zeroizing;

use crate::ciphertext::Part;
use crate::engine::{each_engine, engine_accessors, other_engine};
use crate::engines::{bridged, leveled, packed, single};
use crate::{Ciphertext, Engine, Error, EvaluationKey, Execution, Parameters, ReadOptions, Result};

/// A client's secret key: encrypts, decrypts, and makes the evaluation key that a server gets.
///
/// Zeroized on drop, redacted in `Debug`, never cloned. See [`crate`] for the way of values from client to server and back.
#[derive(Debug)]
pub enum SecretKey {
    /// Of [`Engine::Packed`].
    Packed(Box<packed::SecretKey>),
    /// Of [`Engine::Single`].
    Single(Box<single::SecretKey>),
    /// Of [`Engine::Leveled`].
    Leveled(Box<leveled::SecretKey>),
    /// Of single values that the server may pack ([`crate::Request::inputs`]).
    Bridged(Box<bridged::SecretKey>),
}

impl SecretKey {
    engine_accessors!(pub SecretKey, "secret key");

    /// Draws fresh secrets for parameters: those of a plan's candidate, or of another key.
    #[must_use]
    pub fn generate(parameters: impl AsRef<Parameters>) -> Self {
        unoptimised::start_threads();
        unoptimised::warn();
        match parameters.as_ref() {
            Parameters::Packed(it) => Self::Packed(Box::new(packed::SecretKey::generate(it))),
            Parameters::Single(it) => Self::Single(Box::new(single::SecretKey::generate(it))),
            Parameters::Leveled(it) => Self::Leveled(Box::new(leveled::SecretKey::generate(it))),
            Parameters::Bridged(it) => Self::Bridged(Box::new(bridged::SecretKey::generate(it))),
        }
    }

    /// The parameters that it was made for.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        each_engine!(self, it => it.parameters().clone().into())
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key.
    #[must_use]
    pub fn id(&self) -> KeyId {
        each_engine!(self, it => it.id())
    }

    /// Values that [`SecretKey::encrypt`] puts into one part of a ciphertext.
    #[must_use]
    pub fn values_per_part(&self) -> usize {
        self.parameters().values_per_part()
    }

    /// Encrypts integers below the input modulus, any number from 1 on, in parts of [`SecretKey::values_per_part`]. Decryption
    /// gives them in the same order.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let values = secret.encrypt(&[3, 0, 15])?;
    /// assert_eq!(secret.decrypt(&values)?, [3, 0, 15]);
    /// assert!(secret.encrypt(&[16]).is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] names the first value that is not below the input modulus; [`Error::TooSmall`] if
    /// there is none at all.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        self.encrypt_parts(
            values,
            |values| each_engine!(self, it => it.encrypt(values).map(Part::from)),
        )
    }

    /// Encrypts signed integers from -p/2 to p/2 - 1, p the input modulus, as [`SecretKey::encrypt`] does. The ciphertext says that
    /// they are signed.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let server = secret.evaluation_key();
    /// let absolute = server.prepare(&Table::from_signed_fn(16, 16, |x| x.abs().min(7))?)?;
    /// let values = secret.encrypt_signed(&[-5, 3])?;
    /// assert_eq!(secret.decrypt_signed(&server.lookup(&values, &absolute)?)?, [5, 3]);
    /// // A table of unsigned inputs is refused.
    /// let double = server.prepare(&Table::from_fn(16, 16, |x| 2 * x % 16)?)?;
    /// assert!(server.lookup(&values, &double).is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SignedValueOutOfRange`] names the first value that is out of range; [`Error::TooSmall`] if there is none at all.
    pub fn encrypt_signed(&self, values: &[i64]) -> Result<Ciphertext> {
        let modulus = self.parameters().input_modulus();
        let (least, most) = (-((modulus / 2) as i64), (modulus.div_ceil(2) - 1) as i64);
        let mut residues = Zeroizing::new(Vec::with_capacity(values.len()));
        for (index, &value) in values.iter().enumerate() {
            if value < least || value > most {
                return Err(Error::SignedValueOutOfRange { index, value, least, most });
            }
            // Without a branch: values are secret.
            let is_negative = (value >> 63).cast_unsigned();
            residues.push(value.cast_unsigned().wrapping_add(modulus & is_negative));
        }
        Ok(self.encrypt(&residues)?.with_signed(true))
    }

    /// Encrypts what goes into one part after the other.
    ///
    /// # Errors
    /// As [`SecretKey::encrypt`], and those of `encrypt`.
    pub(super) fn encrypt_parts(
        &self,
        values: &[u64],
        encrypt: impl Fn(&[u64]) -> Result<Part>,
    ) -> Result<Ciphertext> {
        if values.is_empty() {
            return Err(Error::TooSmall { name: "number of values", value: 0, limit: 1 });
        }
        let per_part = self.values_per_part();
        let parts = values
            .chunks(per_part)
            .enumerate()
            .map(|(part, values)| encrypt(values).map_err(|error| shifted(error, part * per_part)));
        Ciphertext::new(parts.collect::<Result<_>>()?)
    }

    /// Decrypts a fresh ciphertext, a sum, or the result of a lookup: exact integers below its modulus M. Of signed values they are
    /// the residues modulo M, see [`SecretKey::decrypt_signed`]. Memory of copies is cleared; clearing the values that are returned
    /// is up to the caller.
    ///
    /// # Errors
    /// If it is of another engine, client or parameter set.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        let mut values = Zeroizing::new(Vec::with_capacity(ciphertext.count()));
        for part in ciphertext.parts() {
            let part = Zeroizing::new(match (self, part) {
                (Self::Packed(key), Part::Packed(part)) => key.decrypt(part)?,
                (Self::Single(key), Part::Single(part)) => key.decrypt(part)?,
                (Self::Leveled(key), Part::Leveled(part)) => key.decrypt(part)?,
                (Self::Bridged(key), Part::Single(part)) => key.decrypt(part)?,
                (Self::Bridged(key), Part::Packed(part)) => key.packed().decrypt(part)?,
                _ => return Err(other_engine("ciphertext", self.engine(), ciphertext.engine())),
            });
            values.extend_from_slice(&part);
        }
        Ok(std::mem::take(&mut *values))
    }

    /// Decrypts signed values ([`Ciphertext::is_signed`]): exact integers from -M/2 to M/2 - 1 for their modulus M.
    ///
    /// # Errors
    /// As [`SecretKey::decrypt`]; [`Error::Signs`] if they are unsigned.
    pub fn decrypt_signed(&self, ciphertext: &Ciphertext) -> Result<Vec<i64>> {
        check_signs("values", ciphertext.is_signed(), true, "those that are decrypted here")?;
        let values = Zeroizing::new(self.decrypt(ciphertext)?);
        let modulus = ciphertext.modulus();
        let half = modulus.div_ceil(2);
        // Without a branch: values are secret.
        let signed = |&value: &u64| {
            let is_negative = u64::from(value >= half);
            value.wrapping_sub(modulus & is_negative.wrapping_neg()).cast_signed()
        };
        Ok(values.iter().map(signed).collect())
    }

    /// Generates the evaluation key for a server in this process. For another one see [`SecretKey::write_evaluation_key`].
    ///
    /// # Panics
    /// Never: nothing cancels it.
    #[must_use]
    pub fn evaluation_key(&self) -> EvaluationKey {
        self.evaluation_key_with(Execution::default()).expect("nobody cancels")
    }

    /// [`SecretKey::evaluation_key`] with threads, progress and cancellation.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; if threads cannot be started.
    pub fn evaluation_key_with(&self, execution: Execution<'_>) -> Result<EvaluationKey> {
        execution.run(|progress| {
            Ok(match self {
                Self::Packed(key) => EvaluationKey::Packed(Box::new(key.evaluation_key(progress)?)),
                Self::Single(key) => EvaluationKey::Single(Box::new(key.evaluation_key(progress)?)),
                Self::Leveled(key) => {
                    EvaluationKey::Leveled(Box::new(key.evaluation_key(progress)?))
                }
                Self::Bridged(key) => {
                    EvaluationKey::Bridged(Box::new(key.evaluation_key(progress)?))
                }
            })
        })
    }

    /// Generates an evaluation key and writes it as a server reads it ([`EvaluationKey::open`],
    /// [`EvaluationKey::from_shared`]): the random parts, the masks, as seeds, and never all of it in memory.
    ///
    /// # Errors
    /// If writing fails; [`Error::Cancelled`].
    pub fn write_evaluation_key(
        &self,
        out: &mut (dyn Write + Send),
        execution: Execution<'_>,
    ) -> Result<()> {
        execution.run(|progress| each_engine!(self, it => it.write_evaluation_key(out, progress)))
    }

    /// The key as bytes for a file, in the clear: whoever has them decrypts. They are cleared from memory on drop.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, ReadOptions, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Leveled, 4, 4)?);
    /// let options = ReadOptions::default().allow_insecure();
    /// let same = SecretKey::from_bytes(&secret.to_bytes(), options)?;
    /// assert_eq!(same.decrypt(&secret.encrypt(&[3])?)?, [3]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        each_engine!(self, it => it.to_bytes())
    }

    /// Reads a secret key of any engine, as [`SecretKey::to_bytes`] wrote it.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key, or `options` do not accept its parameters.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let found = peek_header(bytes)?.object_type;
        if found == ObjectType::BridgedSecretKey {
            return Ok(Self::Bridged(Box::new(bridged::SecretKey::from_bytes(bytes, options)?)));
        }
        let engine = Engine::ALL.into_iter().find(|e| e.object_types().secret_key == found);
        Ok(match engine {
            Some(Engine::Packed) => {
                Self::Packed(Box::new(packed::SecretKey::from_bytes(bytes, options)?))
            }
            Some(Engine::Single) => {
                Self::Single(Box::new(single::SecretKey::from_bytes(bytes, options)?))
            }
            Some(Engine::Leveled) => {
                Self::Leveled(Box::new(leveled::SecretKey::from_bytes(bytes, options)?))
            }
            None => return Err(WireError::WrongKind { expected: "a secret key", found }.into()),
        })
    }
}

/// The position of a value among all of them instead of among those of its part.
fn shifted(error: Error, by: usize) -> Error {
    match error {
        Error::ValueOutOfRange { index, value, limit } => {
            Error::ValueOutOfRange { index: index + by, value, limit }
        }
        other => other,
    }
}

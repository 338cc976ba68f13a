//! Packed and single values behind one face: files say which of the two they hold.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::ValueEnum;
use cryptable::{
    Ciphertext, EvaluationKey, KeyId, LookupTable, Parameters, SecretKey, SharedBytes, single,
};
use cryptable_rlwe::wire::{ObjectType, peek_header};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::mapped_file::MappedFile;

/// Single values a ciphertext of a file holds at most: enough for all threads, and for progress to show.
const SINGLE_VALUES_PER_CIPHERTEXT: usize = 1024;

/// A callback of work done and total work.
type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// How values are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Up to 65,536 values a ciphertext, tables to 24 bits: seconds for all values together
    Packed,
    /// Every value by itself, tables to 6 bits: milliseconds a value, and small keys
    Single,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Packed => "packed",
            Self::Single => "single",
        })
    }
}

/// Parameters of either kind.
#[derive(Clone, Debug)]
pub enum AnyParameters {
    /// For packed values.
    Packed(Box<Parameters>),
    /// For single values.
    Single(Box<single::Parameters>),
}

impl AnyParameters {
    /// Of packed values: their name. Of single ones: that of the method.
    pub fn name(&self) -> &str {
        match self {
            Self::Packed(parameters) => &parameters.literal().name,
            Self::Single(parameters) => parameters.method().name(),
        }
    }

    /// Input and output modulus of tables.
    pub fn moduli(&self) -> (u64, u64) {
        match self {
            Self::Packed(parameters) => {
                (parameters.literal().input_modulus, parameters.literal().output_modulus)
            }
            Self::Single(parameters) => (parameters.input_modulus(), parameters.output_modulus()),
        }
    }

    /// Estimated security in bits.
    pub fn security_bits(&self) -> f64 {
        match self {
            Self::Packed(parameters) => parameters.security_bits(),
            Self::Single(parameters) => parameters.security_bits(),
        }
    }

    /// log2 of the failure probability of a value.
    pub fn log2_fail(&self) -> f64 {
        match self {
            Self::Packed(parameters) => parameters.failure().log2_fail(),
            Self::Single(parameters) => parameters.log2_fail(),
        }
    }
}

/// A ciphertext of many values packed together, or of values each by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyCiphertext {
    /// Packed values.
    Packed(Ciphertext),
    /// Single values.
    Single(single::Ciphertext),
}

impl AnyCiphertext {
    /// Which of the two it is.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Packed(_) => Mode::Packed,
            Self::Single(_) => Mode::Single,
        }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        match self {
            Self::Packed(ciphertext) => ciphertext.count(),
            Self::Single(ciphertext) => ciphertext.count(),
        }
    }

    /// The modulus of the values.
    pub fn modulus(&self) -> u64 {
        match self {
            Self::Packed(ciphertext) => ciphertext.modulus(),
            Self::Single(ciphertext) => ciphertext.modulus(),
        }
    }

    /// The digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        match self {
            Self::Packed(ciphertext) => ciphertext.parameter_digest(),
            Self::Single(ciphertext) => ciphertext.parameter_digest(),
        }
    }

    /// Its wire format.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Packed(ciphertext) => ciphertext.to_bytes(),
            Self::Single(ciphertext) => ciphertext.to_bytes(),
        }
    }

    /// Reads either kind.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(match peek_header(bytes)?.object_type {
            ObjectType::SingleCiphertext => Self::Single(single::Ciphertext::from_bytes(bytes)?),
            _ => Self::Packed(Ciphertext::from_bytes(bytes)?),
        })
    }
}

impl From<Ciphertext> for AnyCiphertext {
    fn from(ciphertext: Ciphertext) -> Self {
        Self::Packed(ciphertext)
    }
}

impl From<single::Ciphertext> for AnyCiphertext {
    fn from(ciphertext: single::Ciphertext) -> Self {
        Self::Single(ciphertext)
    }
}

/// A client's secret key of either kind.
#[derive(Debug)]
pub enum AnySecretKey {
    /// For packed values.
    Packed(SecretKey),
    /// For single values.
    Single(single::SecretKey),
}

impl AnySecretKey {
    /// Reads either kind.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(match peek_header(bytes)?.object_type {
            ObjectType::SingleSecretKey => Self::Single(single::SecretKey::from_bytes(bytes)?),
            _ => Self::Packed(SecretKey::from_bytes(bytes)?),
        })
    }

    /// Draws fresh secrets.
    pub fn generate(parameters: &AnyParameters) -> Self {
        match parameters {
            AnyParameters::Packed(parameters) => Self::Packed(SecretKey::generate(parameters)),
            AnyParameters::Single(parameters) => {
                Self::Single(single::SecretKey::generate(parameters))
            }
        }
    }

    /// Its wire format.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        match self {
            Self::Packed(key) => key.to_bytes(),
            Self::Single(key) => key.to_bytes(),
        }
    }

    /// Generates an evaluation key and writes it; single values' comes in one piece, without progress.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        match self {
            Self::Packed(key) => key.write_evaluation_key(out, progress)?,
            Self::Single(key) => key.write_evaluation_key(out)?,
        }
        Ok(())
    }

    /// Which of the two it is.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Packed(_) => Mode::Packed,
            Self::Single(_) => Mode::Single,
        }
    }

    /// Digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        match self {
            Self::Packed(key) => key.parameters().digest(),
            Self::Single(key) => key.parameters().digest(),
        }
    }

    /// Its identifier.
    pub fn id(&self) -> KeyId {
        match self {
            Self::Packed(key) => key.id(),
            Self::Single(key) => key.id(),
        }
    }

    /// Modulus of the values that it encrypts.
    pub fn input_modulus(&self) -> u64 {
        match self {
            Self::Packed(key) => key.parameters().literal().input_modulus,
            Self::Single(key) => key.parameters().input_modulus(),
        }
    }

    /// Values that go into one ciphertext.
    pub fn values_per_ciphertext(&self) -> usize {
        match self {
            Self::Packed(key) => key.parameters().literal().slots,
            Self::Single(_) => SINGLE_VALUES_PER_CIPHERTEXT,
        }
    }

    /// Encrypts.
    ///
    /// # Errors
    /// If there are too many values or one is not below the input modulus.
    pub fn encrypt(&self, values: &[u64]) -> Result<AnyCiphertext> {
        Ok(match self {
            Self::Packed(key) => key.encrypt(values)?.into(),
            Self::Single(key) => key.encrypt(values)?.into(),
        })
    }

    /// Decrypts.
    ///
    /// # Errors
    /// If the ciphertext is of the other kind or of other parameters.
    pub fn decrypt(&self, ciphertext: &AnyCiphertext) -> Result<Vec<u64>> {
        match (self, ciphertext) {
            (Self::Packed(key), AnyCiphertext::Packed(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            (Self::Single(key), AnyCiphertext::Single(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            _ => Err(other_mode(ciphertext.mode(), self.mode())),
        }
    }
}

fn other_mode(ciphertext: Mode, key: Mode) -> anyhow::Error {
    anyhow::anyhow!("a ciphertext of {ciphertext} values, but a key for {key} values")
}

/// A server's evaluation key of either kind.
#[derive(Debug)]
pub enum AnyEvaluationKey {
    /// For packed values.
    Packed(Box<EvaluationKey>),
    /// For single values.
    Single(Box<single::EvaluationKey>),
}

impl AnyEvaluationKey {
    /// Reads a file of either kind.
    ///
    /// # Errors
    /// If it cannot be read or is not exactly one undamaged evaluation key.
    pub fn open(path: &Path) -> Result<Self> {
        let file = MappedFile::open(path)?;
        Self::read(file).with_context(|| format!("cannot read {}", path.display()))
    }

    fn read(file: MappedFile) -> Result<Self> {
        Ok(match peek_header(file.as_ref())?.object_type {
            ObjectType::SingleEvaluationKey => {
                Self::Single(Box::new(single::EvaluationKey::from_bytes(file.as_ref())?))
            }
            _ => {
                let shared: SharedBytes = Arc::new(file);
                Self::Packed(Box::new(EvaluationKey::from_shared(shared)?))
            }
        })
    }

    /// Which of the two it is.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Packed(_) => Mode::Packed,
            Self::Single(_) => Mode::Single,
        }
    }

    /// Digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        match self {
            Self::Packed(key) => key.parameters().digest(),
            Self::Single(key) => key.parameters().digest(),
        }
    }

    /// Input and output modulus of tables.
    pub fn moduli(&self) -> (u64, u64) {
        match self {
            Self::Packed(key) => {
                let literal = key.parameters().literal();
                (literal.input_modulus, literal.output_modulus)
            }
            Self::Single(key) => {
                (key.parameters().input_modulus(), key.parameters().output_modulus())
            }
        }
    }

    /// Whose key it is.
    pub fn client(&self) -> KeyId {
        match self {
            Self::Packed(key) => key.client(),
            Self::Single(key) => key.client(),
        }
    }

    /// Bytes of memory that the key takes.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Packed(key) => key.memory_bytes(),
            Self::Single(key) => key.memory_bytes(),
        }
    }

    /// Maps every value through a table.
    ///
    /// # Errors
    /// If the ciphertext is of the other kind or of other parameters, or the table of other moduli.
    pub fn lookup(
        &self,
        input: &AnyCiphertext,
        table: &LookupTable,
        progress: Progress<'_>,
    ) -> Result<AnyCiphertext> {
        Ok(match (self, input) {
            (Self::Packed(key), AnyCiphertext::Packed(input)) => {
                key.lookup(input, table, progress)?.into()
            }
            (Self::Single(key), AnyCiphertext::Single(input)) => {
                key.lookup(input, table, progress)?.into()
            }
            _ => return Err(other_mode(input.mode(), self.mode())),
        })
    }
}

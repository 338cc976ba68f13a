//! Packed values, single ones and those bit by bit behind one face: files say which they hold.

use std::fmt;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::ValueEnum;
use cryptable::{
    Ciphertext, EvaluationKey, KeyId, Parameters, SecretKey, SharedBytes, Table, leveled, single,
};
use cryptable_lattice::{Progress as LatticeProgress, ReadOptions};
use cryptable_wire::{ObjectType, peek_header};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::mapped_file::MappedFile;

/// Single values a ciphertext of a file holds at most: enough for all threads, and for progress to show.
const SINGLE_VALUES_PER_CIPHERTEXT: usize = 1024;

/// A callback of work done and total work.
type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// One expression for every mode.
macro_rules! each {
    ($any:expr, $enum:ident, $inner:ident => $expression:expr) => {
        match $any {
            $enum::Packed($inner) => $expression,
            $enum::Single($inner) => $expression,
            $enum::Bits($inner) => $expression,
        }
    };
}

/// Insecure parameters are read, too: reports warn of them.
fn read_options() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// How values are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Up to 65,536 values a ciphertext, tables to 24 bits: seconds for all values together
    Packed,
    /// Every value by itself, tables to 6 bits: milliseconds a value, and small keys
    Single,
    /// Every value by itself, two bits at a time, tables to 24 bits: five to six milliseconds a bit
    Bits,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Packed, Self::Single, Self::Bits];

    /// As the command line has it.
    pub fn option(self) -> &'static str {
        match self {
            Self::Packed => "--mode packed",
            Self::Single => "--mode single",
            Self::Bits => "--mode bits",
        }
    }

    /// Whether every value has a ciphertext of its own.
    pub fn is_by_value(self) -> bool {
        self != Self::Packed
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Packed => "packed",
            Self::Single => "single",
            Self::Bits => "bitwise",
        })
    }
}

/// Parameters of any mode.
#[derive(Clone, Debug)]
pub enum AnyParameters {
    /// For packed values.
    Packed(Box<Parameters>),
    /// For single values.
    Single(Box<single::Parameters>),
    /// For values bit by bit.
    Bits(Box<leveled::Parameters>),
}

impl AnyParameters {
    /// Of packed values: their name. Of others: that of the method or set.
    pub fn name(&self) -> String {
        match self {
            Self::Packed(parameters) => parameters.literal().name.clone(),
            Self::Single(parameters) => parameters.method().name().to_owned(),
            Self::Bits(parameters) => parameters.method_name(),
        }
    }

    /// Input and output modulus of tables.
    pub fn moduli(&self) -> (u64, u64) {
        each!(self, Self, it => (it.input_modulus(), it.output_modulus()))
    }

    /// Estimated security in bits.
    pub fn security_bits(&self) -> f64 {
        each!(self, Self, it => it.security_bits())
    }

    /// log2 of the failure probability of a value.
    pub fn log2_fail(&self) -> f64 {
        match self {
            Self::Packed(parameters) => parameters.failure().log2_fail(),
            Self::Single(parameters) => parameters.log2_fail(),
            Self::Bits(parameters) => parameters.log2_fail(),
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
    /// Values bit by bit.
    Bits(leveled::Ciphertext),
}

impl AnyCiphertext {
    /// Which it is.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Packed(_) => Mode::Packed,
            Self::Single(_) => Mode::Single,
            Self::Bits(_) => Mode::Bits,
        }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        each!(self, Self, it => it.count())
    }

    /// The modulus of the values.
    pub fn modulus(&self) -> u64 {
        each!(self, Self, it => it.modulus())
    }

    /// The digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        each!(self, Self, it => it.parameter_digest())
    }

    /// Its wire format.
    pub fn to_bytes(&self) -> Vec<u8> {
        each!(self, Self, it => it.to_bytes())
    }

    /// Reads any kind.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(match peek_header(bytes)?.object_type {
            ObjectType::SingleCiphertext => Self::Single(single::Ciphertext::from_bytes(bytes)?),
            ObjectType::LeveledCiphertext => Self::Bits(leveled::Ciphertext::from_bytes(bytes)?),
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

impl From<leveled::Ciphertext> for AnyCiphertext {
    fn from(ciphertext: leveled::Ciphertext) -> Self {
        Self::Bits(ciphertext)
    }
}

/// A client's secret key of any kind.
#[derive(Debug)]
pub enum AnySecretKey {
    /// For packed values.
    Packed(Box<SecretKey>),
    /// For single values.
    Single(Box<single::SecretKey>),
    /// For values bit by bit.
    Bits(Box<leveled::SecretKey>),
}

impl AnySecretKey {
    /// Reads any kind.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(match peek_header(bytes)?.object_type {
            ObjectType::SingleSecretKey => {
                Self::Single(Box::new(single::SecretKey::from_bytes(bytes)?))
            }
            ObjectType::LeveledSecretKey => {
                Self::Bits(Box::new(leveled::SecretKey::from_bytes(bytes, read_options())?))
            }
            _ => Self::Packed(Box::new(SecretKey::from_bytes(bytes)?)),
        })
    }

    /// Draws fresh secrets.
    pub fn generate(parameters: &AnyParameters) -> Self {
        match parameters {
            AnyParameters::Packed(parameters) => {
                Self::Packed(Box::new(SecretKey::generate(parameters)))
            }
            AnyParameters::Single(parameters) => {
                Self::Single(Box::new(single::SecretKey::generate(parameters)))
            }
            AnyParameters::Bits(parameters) => {
                Self::Bits(Box::new(leveled::SecretKey::generate(parameters)))
            }
        }
    }

    /// Its wire format.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        each!(self, Self, it => it.to_bytes())
    }

    /// Generates an evaluation key and writes it; only that of packed values shows progress.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        match self {
            Self::Packed(key) => key.write_evaluation_key(out, progress)?,
            Self::Single(key) => key.write_evaluation_key(out)?,
            Self::Bits(key) => {
                let on = |done, total| {
                    progress(done, total);
                    ControlFlow::Continue(())
                };
                key.write_evaluation_key(out, LatticeProgress::new(&on))?;
            }
        }
        Ok(())
    }

    /// Which it is.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Packed(_) => Mode::Packed,
            Self::Single(_) => Mode::Single,
            Self::Bits(_) => Mode::Bits,
        }
    }

    /// Digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        each!(self, Self, it => it.parameters().digest())
    }

    /// Its identifier.
    pub fn id(&self) -> KeyId {
        each!(self, Self, it => it.id())
    }

    /// Modulus of the values that it encrypts.
    pub fn input_modulus(&self) -> u64 {
        each!(self, Self, it => it.parameters().input_modulus())
    }

    /// Values that go into one ciphertext.
    pub fn values_per_ciphertext(&self) -> usize {
        match self {
            Self::Packed(key) => key.parameters().literal().slots,
            Self::Single(_) => SINGLE_VALUES_PER_CIPHERTEXT,
            Self::Bits(key) => key.values_per_ciphertext(),
        }
    }

    /// Encrypts.
    ///
    /// # Errors
    /// If there are too many values or one is not below the input modulus.
    pub fn encrypt(&self, values: &[u64]) -> Result<AnyCiphertext> {
        Ok(each!(self, Self, it => it.encrypt(values)?.into()))
    }

    /// Decrypts.
    ///
    /// # Errors
    /// If the ciphertext is of another mode or of other parameters.
    pub fn decrypt(&self, ciphertext: &AnyCiphertext) -> Result<Vec<u64>> {
        match (self, ciphertext) {
            (Self::Packed(key), AnyCiphertext::Packed(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            (Self::Single(key), AnyCiphertext::Single(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            (Self::Bits(key), AnyCiphertext::Bits(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            _ => Err(other_mode(ciphertext.mode(), self.mode())),
        }
    }
}

fn other_mode(ciphertext: Mode, key: Mode) -> anyhow::Error {
    anyhow::anyhow!("a ciphertext of {ciphertext} values, but a key for {key} values")
}

/// A server's evaluation key of any kind.
#[derive(Debug)]
pub enum AnyEvaluationKey {
    /// For packed values.
    Packed(Box<EvaluationKey>),
    /// For single values.
    Single(Box<single::EvaluationKey>),
    /// For values bit by bit.
    Bits(Box<leveled::EvaluationKey>),
}

impl AnyEvaluationKey {
    /// Reads a file of any kind.
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
            ObjectType::LeveledEvaluationKey => {
                let shared: SharedBytes = Arc::new(file);
                Self::Bits(Box::new(leveled::EvaluationKey::from_shared(shared, read_options())?))
            }
            _ => {
                let shared: SharedBytes = Arc::new(file);
                Self::Packed(Box::new(EvaluationKey::from_shared(shared)?))
            }
        })
    }

    /// Which it is.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Packed(_) => Mode::Packed,
            Self::Single(_) => Mode::Single,
            Self::Bits(_) => Mode::Bits,
        }
    }

    /// Digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        each!(self, Self, it => it.parameters().digest())
    }

    /// Input and output modulus of tables for values of this modulus. Values bit by bit may have any of no more bits
    /// than the key's, and so may be results of another output modulus.
    pub fn moduli(&self, values: u64) -> (u64, u64) {
        match self {
            Self::Bits(key) => (values, key.parameters().output_modulus()),
            Self::Packed(key) => {
                (key.parameters().input_modulus(), key.parameters().output_modulus())
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
            Self::Bits(key) => key.key_id(),
        }
    }

    /// Bytes of memory that the key takes.
    pub fn memory_bytes(&self) -> usize {
        each!(self, Self, it => it.memory_bytes())
    }

    /// Maps every value through a table.
    ///
    /// # Errors
    /// If the ciphertext is of another mode or of other parameters, or the table of other moduli.
    pub fn lookup(
        &self,
        input: &AnyCiphertext,
        table: &Table,
        progress: Progress<'_>,
    ) -> Result<AnyCiphertext> {
        Ok(match (self, input) {
            (Self::Packed(key), AnyCiphertext::Packed(input)) => {
                key.lookup(input, table, progress)?.into()
            }
            (Self::Single(key), AnyCiphertext::Single(input)) => {
                key.lookup(input, table, progress)?.into()
            }
            (Self::Bits(key), AnyCiphertext::Bits(input)) => {
                let on = |done, total| {
                    progress(done, total);
                    ControlFlow::Continue(())
                };
                let prepared = key.prepare(table)?;
                key.lookup_many(input, &[&prepared], LatticeProgress::new(&on))?.remove(0).into()
            }
            _ => return Err(other_mode(input.mode(), self.mode())),
        })
    }
}

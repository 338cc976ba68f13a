//! Parameters of keys of all kinds.

use std::fmt;

use cryptable_lattice::error::check_parameters;
use cryptable_wire::{BodyReader, ObjectType, object_bytes, peek_header, read_object};

use super::kind::KeyKind;
use crate::engine::other_kind;
use crate::engines::{bridged, integer_bridge, leveled, leveled_bridge, packed, single};
use crate::{FailureProbability, Parameters, ReadOptions, Result, SecurityLevel, WireError};
use crate::{bits, bridges, circuits, ckks, gates, large_values, transciphering};

/// Validated, immutable parameters of a key of any kind. Keys are generated for them and store them in their files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum KeyParameters {
    /// Parameters of lookups, with any engine.
    Lookups(Parameters),
    /// Parameters of gates on encrypted bits.
    Gates(Box<gates::Parameters>),
    /// Parameters of functions of large values.
    LargeValues(Box<large_values::Parameters>),
    /// Parameters of circuits on bits in slots.
    Bits(Box<bits::Parameters>),
    /// Parameters of vectors of real and complex numbers.
    Ckks(Box<ckks::Parameters>),
    /// Parameters of transciphering.
    Transciphering(Box<transciphering::Parameters>),
    /// Parameters of a bridge between packed values and integers.
    IntegerBridge(Box<integer_bridge::Parameters>),
    /// Parameters of a bridge between packed and leveled values.
    LeveledBridge(Box<leveled_bridge::Parameters>),
}

/// Evaluates the same expression on parameters of any kind.
macro_rules! each {
    ($parameters:expr, $inner:ident => $expression:expr) => {
        match $parameters {
            KeyParameters::Lookups($inner) => $expression,
            KeyParameters::Gates($inner) => $expression,
            KeyParameters::LargeValues($inner) => $expression,
            KeyParameters::Bits($inner) => $expression,
            KeyParameters::Ckks($inner) => $expression,
            KeyParameters::Transciphering($inner) => $expression,
            KeyParameters::IntegerBridge($inner) => $expression,
            KeyParameters::LeveledBridge($inner) => $expression,
        }
    };
}

impl KeyParameters {
    /// Returns the kind of the keys that are generated for these parameters.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match self {
            Self::Lookups(Parameters::Packed(_)) => KeyKind::Packed,
            Self::Lookups(Parameters::Single(_)) => KeyKind::Single,
            Self::Lookups(Parameters::Bridged(_)) => KeyKind::Bridged,
            Self::Lookups(Parameters::Leveled(_)) => KeyKind::Leveled,
            Self::Gates(_) => KeyKind::Gates,
            Self::LargeValues(_) => KeyKind::LargeValues,
            Self::Bits(_) => KeyKind::Bits,
            Self::Ckks(_) => KeyKind::Ckks,
            Self::Transciphering(_) => KeyKind::Transciphering,
            Self::IntegerBridge(_) => KeyKind::IntegerBridge,
            Self::LeveledBridge(_) => KeyKind::LeveledBridge,
        }
    }

    /// Returns the parameters of lookups; for a bridge, those of its packed lookups.
    ///
    /// # Errors
    /// [`crate::Error::OtherKind`] if keys of this kind are not for lookups.
    pub fn lookups(&self) -> Result<Parameters> {
        match self {
            Self::Lookups(it) => Ok(it.clone()),
            Self::IntegerBridge(it) => Ok(it.packed().clone().into()),
            Self::LeveledBridge(it) => Ok(it.packed().clone().into()),
            other => Err(other_kind("key", "packed, single or leveled", other.kind().name())),
        }
    }

    /// Returns whether the parameters have 128 bits of security, as checked at construction, or are a toy for tests.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        each!(self, it => it.security_level())
    }

    /// Returns the estimated security in bits; 0 for insecure parameters.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        each!(self, it => it.security_bits())
    }

    /// Returns the base-2 logarithm of [`KeyParameters::failure_probability`].
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        each!(self, it => it.log2_fail())
    }

    /// Returns a bound on the probability that one operation goes wrong: for any value of a ciphertext, for a gate, or
    /// for an AES block.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
    }

    /// Returns a bound on the probability that an operation goes wrong for one value. By default, readers refuse more
    /// than [`FailureProbability::READ_LIMIT`].
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        match self {
            Self::Lookups(it) => it.value_failure_probability(),
            Self::IntegerBridge(it) => it.value_failure_probability(),
            Self::LeveledBridge(it) => it.value_failure_probability(),
            Self::Ckks(it) => FailureProbability::from_log2(it.log2_fail_per_slot()),
            Self::Bits(it) => FailureProbability::from_log2(it.literal().log2_fail),
            _ => self.failure_probability(),
        }
    }

    /// Returns the digest that identifies the parameters in ciphertexts.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        each!(self, it => it.digest())
    }

    /// Returns the digest that identifies the parameters in key files. It differs from [`KeyParameters::digest`] if
    /// ciphertexts belong to only a part of the parameters.
    pub(crate) fn file_digest(&self) -> [u8; 32] {
        match self {
            Self::Lookups(Parameters::Bridged(both)) => both.digest(),
            other => other.digest(),
        }
    }

    /// Returns the canonical encoding: equal parameters have equal bytes. The bytes do not name the kind.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        each!(self, it => it.to_bytes())
    }

    /// Encodes a file of parameters alone, from which keys can be generated elsewhere.
    ///
    /// ```
    /// use cryptable::{KeyKind, KeyParameters, ReadOptions, Request};
    /// let plan = Request::new(16, 16).insecure_toy().plan()?;
    /// let file = KeyParameters::from(&plan).to_file();
    /// let same = KeyParameters::from_file(&file, ReadOptions::default().allow_insecure())?;
    /// assert_eq!((same.kind(), same.digest()), (KeyKind::Packed, KeyParameters::from(&plan).digest()));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn to_file(&self) -> Vec<u8> {
        object_bytes(ObjectType::Parameters, &self.file_digest(), |body| {
            body.bytes(&self.to_bytes())?;
            body.bytes(self.kind().name().as_bytes())
        })
    }

    /// Reads a file of parameters, as [`KeyParameters::to_file`] writes it.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged file of parameters, or if `options` refuse them.
    pub fn from_file(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let limit = bytes.len() as u64;
        let mut reader = BodyReader::new(read_object(bytes, ObjectType::Parameters, None, limit)?);
        let parameters = reader.bytes("parameters", limit)?;
        let name = reader.bytes("kind of keys", limit)?;
        reader.finish()?;
        let has_name = |kind: &&KeyKind| kind.name().as_bytes() == name;
        let kind = KeyKind::ALL.iter().find(has_name).ok_or_else(|| {
            let found = String::from_utf8_lossy(name).into_owned();
            WireError::invalid("kind of keys", found, "a kind of this version")
        })?;
        let found = Self::from_bytes(kind.secret_key(), parameters, options)?;
        let digest = peek_header(bytes)?.parameter_digest;
        check_parameters("parameters", digest, found.file_digest())?;
        Ok(found)
    }

    /// Reads the parameters at the beginning of a file, given the type of object that it holds.
    ///
    /// # Errors
    /// If the object is not a key, if the bytes are not valid parameters of its kind, or if `options` refuse them.
    pub(crate) fn from_bytes(
        object: ObjectType,
        bytes: &[u8],
        options: ReadOptions,
    ) -> Result<Self> {
        let kind = match object {
            ObjectType::IntegerBridgeKey => Some(KeyKind::IntegerBridge),
            ObjectType::LeveledBridgeKey => Some(KeyKind::LeveledBridge),
            other => KeyKind::of(other),
        };
        let Some(kind) = kind else {
            return Err(WireError::WrongKind { expected: "a key", found: object }.into());
        };
        Ok(match kind {
            KeyKind::Packed => packed::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::Single => single::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::Bridged => bridged::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::Leveled => leveled::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::Gates => gates::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::LargeValues => large_values::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::Bits => bits::Parameters::from_bytes(bytes, options)?.into(),
            // An evaluation key also stores which switching keys it has.
            KeyKind::Ckks if object == ObjectType::VectorEvaluationKey => {
                ckks::Parameters::from_evaluation_key_bytes(bytes, options)?.into()
            }
            KeyKind::Ckks => ckks::Parameters::from_bytes(bytes, options)?.into(),
            KeyKind::Transciphering => {
                transciphering::Parameters::from_bytes(bytes, options)?.into()
            }
            KeyKind::IntegerBridge => {
                integer_bridge::Parameters::from_bytes(bytes, options)?.into()
            }
            KeyKind::LeveledBridge => {
                leveled_bridge::Parameters::from_bytes(bytes, options)?.into()
            }
        })
    }
}

impl fmt::Display for KeyParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Lookups(parameters) = self {
            return parameters.fmt(f);
        }
        let security = match self.security_level() {
            SecurityLevel::Insecure => "INSECURE".to_owned(),
            SecurityLevel::Bits128 => format!("{:.0}-bit security", self.security_bits()),
        };
        let fails = self.value_failure_probability();
        write!(f, "{}: {security}, a value fails with a probability of {fails}", self.kind())
    }
}

/// Converts lookup parameters, or a plan or candidate that holds some.
impl<T: AsRef<Parameters>> From<T> for KeyParameters {
    fn from(parameters: T) -> Self {
        Self::Lookups(parameters.as_ref().clone())
    }
}

impl From<&Self> for KeyParameters {
    fn from(parameters: &Self) -> Self {
        parameters.clone()
    }
}

impl From<&bridges::Plan<large_values::Parameters>> for KeyParameters {
    fn from(plan: &bridges::Plan<large_values::Parameters>) -> Self {
        plan.parameters().into()
    }
}

impl From<&bridges::Plan<leveled::Parameters>> for KeyParameters {
    fn from(plan: &bridges::Plan<leveled::Parameters>) -> Self {
        plan.parameters().into()
    }
}

impl From<&circuits::Candidate> for KeyParameters {
    fn from(candidate: &circuits::Candidate) -> Self {
        (&candidate.parameters).into()
    }
}

impl From<&ckks::LookupPlan> for KeyParameters {
    fn from(plan: &ckks::LookupPlan) -> Self {
        (&plan.best().parameters).into()
    }
}

/// Implements the conversions of the parameters of engines, owned and borrowed.
macro_rules! from_parameters {
    ($($module:ident => |$it:ident| $made:expr;)+) => {
        $(
            impl From<$module::Parameters> for KeyParameters {
                fn from($it: $module::Parameters) -> Self {
                    $made
                }
            }

            impl From<&$module::Parameters> for KeyParameters {
                fn from(parameters: &$module::Parameters) -> Self {
                    parameters.clone().into()
                }
            }
        )+
    };
}

from_parameters! {
    packed => |it| Self::Lookups(it.into());
    single => |it| Self::Lookups(it.into());
    bridged => |it| Self::Lookups(it.into());
    leveled => |it| Self::Lookups(it.into());
    gates => |it| Self::Gates(Box::new(it));
    large_values => |it| Self::LargeValues(Box::new(it));
    bits => |it| Self::Bits(Box::new(it));
    ckks => |it| Self::Ckks(Box::new(it));
    transciphering => |it| Self::Transciphering(Box::new(it));
    integer_bridge => |it| Self::IntegerBridge(Box::new(it));
    leveled_bridge => |it| Self::LeveledBridge(Box::new(it));
}

//! The engines, and access to the object of one engine behind the public types.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Way to encrypt values and to evaluate tables on them. Keys and ciphertexts of one engine do not work with another.
///
/// ```
/// use cryptable::Engine;
/// assert_eq!("leveled".parse::<Engine>()?, Engine::Leveled);
/// assert!("bits".parse::<Engine>().unwrap_err().to_string().contains("packed, single, leveled"));
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Tens of thousands of values per ciphertext, functional bootstrapping through CKKS: tables of up to 24 bits, for
    /// throughput.
    Packed,
    /// One value per ciphertext, FHEW functional bootstrapping: tables of up to 6 bits, for latency.
    Single,
    /// One value at a time, in digits of two bits, with circuit bootstrapping and CMUX trees: tables of up to 24 bits,
    /// for latency.
    Leveled,
}

impl Engine {
    /// All engines, in the order in which plans try them.
    pub const ALL: [Self; 3] = [Self::Packed, Self::Single, Self::Leveled];

    /// Returns the name in options and messages: `packed`, `single` or `leveled`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Packed => "packed",
            Self::Single => "single",
            Self::Leveled => "leveled",
        }
    }

    /// Returns a one-line description of what the engine is good for.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Packed => {
                "many values at once (CKKS functional bootstrapping): the most values per second"
            }
            Self::Single => {
                "one value at a time (FHEW functional bootstrapping): milliseconds, small tables"
            }
            Self::Leveled => {
                "one value at a time (circuit bootstrapping, CMUX trees): larger tables"
            }
        }
    }

    /// Returns whether every value is encrypted on its own, as in `single` and `leveled`.
    #[must_use]
    pub fn is_value_by_value(self) -> bool {
        self != Self::Packed
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Unsupported(format!("an engine called {name}: there are {names}"))
        })
    }
}

/// Evaluates the same expression on the object of whichever engine the enum holds.
macro_rules! each_engine {
    ($object:expr, $inner:ident => $expression:expr) => {
        match $object {
            Self::Packed($inner) => $expression,
            Self::Single($inner) => $expression,
            Self::Leveled($inner) => $expression,
            Self::Bridged($inner) => $expression,
        }
    };
}

pub(crate) use each_engine;

/// Defines the accessors that every enum over the engines has: `engine`, and `packed`, `single`, `bridged` and
/// `leveled`, which return the object of one engine. Errors call the object `$object`.
macro_rules! engine_accessors {
    ($visibility:vis $type:ident, $object:literal) => {
        /// Returns the engine that the object belongs to.
        #[must_use]
        pub fn engine(&self) -> $crate::Engine {
            match self {
                Self::Packed(_) => $crate::Engine::Packed,
                Self::Single(_) | Self::Bridged(_) => $crate::Engine::Single,
                Self::Leveled(_) => $crate::Engine::Leveled,
            }
        }

        /// Returns the object of the packed engine, for operations that only this engine has: a table per value,
        /// encrypted tables, digits, fixed-point outputs.
        ///
        /// # Errors
        /// [`OtherKind`](crate::Error::OtherKind) if the object belongs to another engine.
        $visibility fn packed(&self) -> $crate::Result<&$crate::engines::packed::$type> {
            match self {
                Self::Packed(it) => Ok(it),
                Self::Bridged(it) => Ok(it.packed()),
                it => Err($crate::engine::other_engine($object, $crate::Engine::Packed, it.engine())),
            }
        }

        /// Returns the object of the engine `single`, for operations that only this engine has.
        ///
        /// # Errors
        /// [`OtherKind`](crate::Error::OtherKind) if the object belongs to another engine.
        $visibility fn single(&self) -> $crate::Result<&$crate::engines::single::$type> {
            match self {
                Self::Single(it) => Ok(it),
                Self::Bridged(it) => Ok(it.single()),
                it => Err($crate::engine::other_engine($object, $crate::Engine::Single, it.engine())),
            }
        }

        /// Returns the object of single values that a server may pack ([`Request::inputs`](crate::Request::inputs)).
        ///
        /// # Errors
        /// [`UnsupportedOperation`](crate::Error::UnsupportedOperation) if the object belongs to one engine alone.
        $visibility fn bridged(&self) -> $crate::Result<&$crate::engines::bridged::$type> {
            match self {
                Self::Bridged(it) => Ok(it),
                it => Err($crate::engine::not_bridged(it.engine().name())),
            }
        }

        /// Returns the object of the leveled engine, for operations that only this engine has.
        ///
        /// # Errors
        /// [`OtherKind`](crate::Error::OtherKind) if the object belongs to another engine.
        $visibility fn leveled(&self) -> $crate::Result<&$crate::engines::leveled::$type> {
            match self {
                Self::Leveled(it) => Ok(it),
                it => Err($crate::engine::other_engine($object, $crate::Engine::Leveled, it.engine())),
            }
        }
    };
}

pub(crate) use engine_accessors;

/// Returns the error for an object of one engine where packing single values needs an object of both.
pub(crate) fn not_bridged(engine: &'static str) -> Error {
    Error::UnsupportedOperation {
        engine,
        operation: "pack single values",
        reason: "its keys do not allow it; use keys of a request with inputs(Engine::Single)",
    }
}

/// Returns the error for an object of the wrong engine.
pub(crate) fn other_engine(object: &'static str, expected: Engine, found: Engine) -> Error {
    other_kind(object, expected.name(), found.name())
}

/// Returns the error for an object of the wrong engine or kind of keys, given their names.
pub(crate) fn other_kind(
    object: &'static str,
    expected: &'static str,
    found: &'static str,
) -> Error {
    Error::OtherKind { object, expected, found }
}

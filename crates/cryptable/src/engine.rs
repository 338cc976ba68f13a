//! The engines behind the library, and which of them an object is of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How values are encrypted and tables evaluated. Objects of one engine are of no use to another.
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
    /// Tens of thousands of values a ciphertext, functional bootstrapping through CKKS: tables to 24 bits, for
    /// throughput.
    Packed,
    /// Every value by itself, FHEW functional bootstrapping: tables to 6 bits, for latency.
    Single,
    /// Every value by itself, digits of two bits, circuit bootstrapping and CMUX trees: tables to 24 bits, for
    /// latency.
    Leveled,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 3] = [Self::Packed, Self::Single, Self::Leveled];

    /// Its name in options and messages: `packed`, `single` or `leveled`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Packed => "packed",
            Self::Single => "single",
            Self::Leveled => "leveled",
        }
    }

    /// What it is good for, in one line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Packed => {
                "many values at once (CKKS functional bootstrapping): the most values a second"
            }
            Self::Single => {
                "one value at a time (FHEW functional bootstrapping): milliseconds, small tables"
            }
            Self::Leveled => {
                "one value at a time (circuit bootstrapping, CMUX trees): larger tables"
            }
        }
    }

    /// Whether every value has a ciphertext of its own: of `single` and `leveled`.
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

/// The same expression for the object of whichever engine there is.
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

/// What every enum over the engines has: `engine`, and `packed`, `single` and `leveled`, which give the object of one
/// engine, or [`Error::OtherKind`] that calls it `$object`.
macro_rules! engine_accessors {
    ($visibility:vis $type:ident, $object:literal) => {
        /// Which engine it is of.
        #[must_use]
        pub fn engine(&self) -> $crate::Engine {
            match self {
                Self::Packed(_) => $crate::Engine::Packed,
                Self::Single(_) | Self::Bridged(_) => $crate::Engine::Single,
                Self::Leveled(_) => $crate::Engine::Leveled,
            }
        }

        /// That of the packed engine, for what it alone can do: a table for each value, tables that the server cannot
        /// read, digits, fixed-point outputs.
        ///
        /// # Errors
        /// If it is of another engine.
        $visibility fn packed(&self) -> $crate::Result<&$crate::engines::packed::$type> {
            match self {
                Self::Packed(it) => Ok(it),
                Self::Bridged(it) => Ok(it.packed()),
                it => Err($crate::engine::other_engine($object, $crate::Engine::Packed, it.engine())),
            }
        }

        /// That of the engine for single values, for what it alone can do.
        ///
        /// # Errors
        /// If it is of another engine.
        $visibility fn single(&self) -> $crate::Result<&$crate::engines::single::$type> {
            match self {
                Self::Single(it) => Ok(it),
                Self::Bridged(it) => Ok(it.single()),
                it => Err($crate::engine::other_engine($object, $crate::Engine::Single, it.engine())),
            }
        }

        /// That of single values that a server may pack ([`crate::Request::inputs`]).
        ///
        /// # Errors
        /// If its client made no keys for that, or it is of another engine.
        $visibility fn bridged(&self) -> $crate::Result<&$crate::engines::bridged::$type> {
            match self {
                Self::Bridged(it) => Ok(it),
                it => Err($crate::engine::not_bridged(it.engine().name())),
            }
        }

        /// That of the leveled engine, for what it alone can do.
        ///
        /// # Errors
        /// If it is of another engine.
        $visibility fn leveled(&self) -> $crate::Result<&$crate::engines::leveled::$type> {
            match self {
                Self::Leveled(it) => Ok(it),
                it => Err($crate::engine::other_engine($object, $crate::Engine::Leveled, it.engine())),
            }
        }
    };
}

pub(crate) use engine_accessors;

/// An object without what packing takes.
pub(crate) fn not_bridged(engine: &'static str) -> Error {
    Error::UnsupportedOperation {
        engine,
        operation: "pack single values",
        reason: "its keys are not for that; those of a request with inputs(Engine::Single) may be",
    }
}

/// An object of the wrong engine.
pub(crate) fn other_engine(object: &'static str, expected: Engine, found: Engine) -> Error {
    other_kind(object, expected.name(), found.name())
}

/// An object of the wrong engine or kind of keys, by their names.
pub(crate) fn other_kind(
    object: &'static str,
    expected: &'static str,
    found: &'static str,
) -> Error {
    Error::OtherKind { object, expected, found }
}

//! Parameters of any kind of key.

use crate::{
    FailureProbability, Parameters, SecurityLevel, booleans, bridges, circuits, ckks,
    integers::large_values, transciphering,
};

/// Parameters that a key file carries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InspectedParameters {
    /// Of keys for lookups, of any engine.
    Engine(Parameters),
    /// Of transciphering.
    Transciphering(Box<transciphering::Parameters>),
    /// Of gates on encrypted bits.
    Booleans(Box<booleans::Parameters>),
    /// Of functions of large values.
    Integers(Box<large_values::Parameters>),
    /// Of circuits on bits in slots.
    Circuits(Box<circuits::Parameters>),
    /// Of vectors of real and complex numbers.
    Vectors(Box<ckks::Parameters>),
    /// Of conversions between single and packed values.
    Conversion(Box<booleans::ConversionParameters>),
    /// Of a bridge between packed values and integers.
    IntegerBridge(Box<bridges::IntegerParameters>),
    /// Of a bridge between packed values and leveled ones.
    LeveledBridge(Box<bridges::LeveledParameters>),
}

/// The same expression for parameters of any kind; those of circuits and of conversions have one of their own.
macro_rules! each_kind {
    ($parameters:expr, $inner:ident => $expression:expr, $bits:ident => $of_bits:expr, $conversion:ident => $of_conversion:expr) => {
        match $parameters {
            Self::Engine($inner) => $expression,
            Self::Transciphering($inner) => $expression,
            Self::Booleans($inner) => $expression,
            Self::Integers($inner) => $expression,
            Self::Vectors($inner) => $expression,
            Self::Circuits($bits) => $of_bits,
            Self::Conversion($conversion) => $of_conversion,
            Self::IntegerBridge($inner) => $expression,
            Self::LeveledBridge($inner) => $expression,
        }
    };
}

impl InspectedParameters {
    /// Whether they claim to be secure, or to be toys.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        each_kind!(self, it => it.security_level(), bits => bits.literal().security, it => it.literal().security)
    }

    /// Estimated security in bits; 0 of insecure ones.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        each_kind!(self, it => it.security_bits(), bits => bits.security_bits(), it => it.security_bits())
    }

    /// log2 of the probability that any value of a ciphertext, a gate, or a block of AES goes wrong. Minus infinity of
    /// conversions: they add noise, which counts in the probability of what follows them.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        each_kind!(self, it => it.log2_fail(), bits => bits.log2_fail(), _it => f64::NEG_INFINITY)
    }

    /// The probability of [`InspectedParameters::log2_fail`].
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
    }

    /// The same of one value. Readers refuse what is above [`FailureProbability::READ_LIMIT`].
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        match self {
            Self::Engine(it) => it.value_failure_probability(),
            Self::IntegerBridge(it) => it.value_failure_probability(),
            Self::LeveledBridge(it) => it.value_failure_probability(),
            Self::Vectors(it) => FailureProbability::from_log2(it.log2_fail_per_slot()),
            Self::Circuits(it) => FailureProbability::from_log2(it.literal().log2_fail),
            _ => self.failure_probability(),
        }
    }
}

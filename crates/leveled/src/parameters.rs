//! Parameters of circuit bootstrapping: numbers, what validation makes of them, sets with names.

mod circuit_bootstrapping_parameters;
mod parameter_set;
mod serialization;

pub use circuit_bootstrapping_parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, LOG2_FAIL, MAX_BITS_PER_CIPHERTEXT,
};
pub use parameter_set::ParameterSet;

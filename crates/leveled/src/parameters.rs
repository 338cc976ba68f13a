//! Parameters of circuit bootstrapping: literals, validated parameters, and named sets.

mod circuit_bootstrapping_parameters;
mod parameter_set;
mod serialization;

pub use circuit_bootstrapping_parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, LOG2_FAIL, MAX_BITS_PER_CIPHERTEXT,
};
pub use parameter_set::ParameterSet;

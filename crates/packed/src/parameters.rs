//! Parameters: validates a literal, plans its circuit, and computes its failure probability, security and cost.

pub(crate) mod circuit;
pub(crate) mod failure;
pub(crate) mod hidden_tables;
pub(crate) mod kept_primes;
mod levels;
mod memory;
pub(crate) mod noise_limits;
pub(crate) mod parameter_set;
mod phase_model;
mod prediction;
mod secrets;
pub(crate) mod validation;

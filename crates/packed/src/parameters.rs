//! Parameters: a literal is validated, its circuit planned, its failure probability, security and cost computed.

pub(crate) mod circuit;
pub(crate) mod entries;
pub(crate) mod failure;
mod levels;
pub(crate) mod literal;
mod memory;
pub(crate) mod parameter_set;
mod prediction;
pub(crate) mod validation;

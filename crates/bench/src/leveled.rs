//! Benchmarks of circuit bootstrapping, and of the tables and AES that are built on it.

pub mod aes;
pub mod automaton;
mod bits;
pub mod circuit_bootstrapping;
pub mod cmux_chain;
pub mod cmux_tree;
pub(crate) mod line;

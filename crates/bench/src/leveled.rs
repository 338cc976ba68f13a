//! Benchmarks of circuit bootstrapping, and of tables and AES that are made of it.

pub mod aes;
pub mod automaton;
mod bits;
pub mod circuit_bootstrapping;
pub mod cmux_chain;
pub mod cmux_tree;
pub(crate) mod line;

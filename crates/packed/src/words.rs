//! Wide values as words modulo p, one ciphertext per word: lookups of inputs with p² or p⁴ values, such as 32 and 64
//! bits with p = 2^16.
//!
//! A table of p² entries is out of reach unless it has structure and consists of a few lookups of words, and of sums
//! between them, which cost nothing. [`circuit`] has such sequences, which are written once and run on ciphertexts
//! ([`evaluation`]), on noise bounds and counts ([`prediction`]), or in the clear. [`dictionary`] makes a circuit of a
//! dictionary by a perfect hash ([`perfect_hash`]), and [`structured_table`] makes one of a table that is a sum or
//! product of functions of either half, or constant on large blocks.

pub(crate) mod circuit;
#[cfg(feature = "client")]
mod client;
pub(crate) mod dictionary;
pub(crate) mod evaluation;
mod perfect_hash;
pub(crate) mod prediction;
mod structured_table;

//! Wide values in words modulo p, each word a ciphertext of its own: lookups of inputs with p² or p⁴ values, as 32 and 64 bits
//! are with p = 2^16.
//!
//! A table of p² entries is out of reach, but for those with structure: what they are made of is a few lookups of words and
//! sums between them, which cost nothing. [`circuit`] is such a sequence, written once and run on ciphertexts
//! ([`evaluation`]), on bounds of noise and counts ([`prediction`]), or in the clear. [`dictionary`] makes one of a
//! dictionary by a perfect hash ([`perfect_hash`]), [`structured_table`] of tables that are sums or products of functions of
//! either half, or constant on large blocks.

pub(crate) mod circuit;
#[cfg(feature = "client")]
mod client;
pub(crate) mod dictionary;
pub(crate) mod evaluation;
mod perfect_hash;
pub(crate) mod prediction;
mod structured_table;

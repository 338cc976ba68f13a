//! Vector kernels of words up to 2^62, for any modulus: sums of products, products with constants, and reductions.
//!
//! AVX2 and AVX-512 multiply halves of words: four products of 32 bits for one of 64, where a scalar processor
//! multiplies words in one instruction per word. Sums of products are faster nevertheless, since products of halves are
//! added up unreduced, without carries: nine instructions per vector of words and term, hence 1.1 per word on eight
//! lanes, where portable code takes a load, a product and two additions. IFMA would take six of its products, each of
//! which is no faster.
//!
//! Kernels are written once, over the arithmetic of a vector (`lanes`), and compiled for each instruction set
//! (`entry`).

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

pub(super) mod avx2;
pub(super) mod avx512;
mod elementwise;
mod entry;
mod lanes;
mod modulus;
mod sums;
#[cfg(test)]
mod tests;

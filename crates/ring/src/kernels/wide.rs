//! Vector kernels of words up to 2^62, for any modulus: sums of products, products with constants, and reductions.
//!
//! AVX2 and AVX-512 multiply halves of words: four products of 32 bits to one of 64 where a processor multiplies words
//! in one instruction a word. Sums of products gain even so, since halves of products are added up unreduced, without
//! carries: nine instructions for a vector of words and a term, so 1.1 a word on eight lanes, where portable code takes a
//! load, a product and two additions. IFMA would take six of its products, one of which is no faster.
//!
//! Kernels are written once, over the arithmetic of a vector (`lanes`), and compiled for each instruction set (`entry`).

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

//! Packed methods: tens of thousands of values in one ciphertext, through CKKS.

pub mod akp;
pub mod exponential;
pub mod failure;
pub mod homomorphic_dft;
pub mod interpolation;
pub mod mod_raise;

//! Packed methods: tens of thousands of values in one ciphertext, through CKKS.

pub mod akp;
pub mod circuit;
pub mod exponential;
pub mod failure;
pub mod functional_digit_decomposition;
pub mod homomorphic_dft;
pub mod interpolation;
pub mod kronecker_deltas;
pub mod kronecker_product;
pub mod levels;
pub mod mod_raise;
pub mod multiplexer_bootstrapping;
pub mod multiplexer_tree;
pub mod noise_cleaning;
pub mod phase_to_wave;
pub mod slot_tables;
pub mod slots_to_coeffs;

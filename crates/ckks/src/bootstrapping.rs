//! Parts of bootstrapping that all circuits share: ModRaise, the homomorphic DFTs, the exponential of the phase that
//! removes the overflow, and the numbers of their literals.

pub mod block_product;
pub mod exponential;
pub mod exponential_series;
pub mod homomorphic_dft;
pub mod literals;
pub mod mod_raise;
pub mod modulus_switch;
pub mod subring_trace;

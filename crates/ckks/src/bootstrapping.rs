//! The parts of bootstrapping that every circuit shares: ModRaise, the homomorphic DFTs, and the exponential of the
//! phase that removes the overflow.

pub mod exponential;
pub mod homomorphic_dft;
pub mod mod_raise;
pub mod modulus_switch;

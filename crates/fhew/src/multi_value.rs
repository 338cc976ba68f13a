//! Several tables with one blind rotation.
//!
//! | file | algorithm |
//! |---|---|
//! | `factored_test` | test polynomials with a common factor (Carpov, Izabachène, Mollimard, CT-RSA 2019): any phase, more noise |
//! | `many_lut` | interleaved test polynomials (PBSmanyLUT; Chillotti, Ligier, Orfila, Tap, ASIACRYPT 2021, Algorithm 6): coarser phases, no more noise |

pub(crate) mod factored_test;
pub(crate) mod many_lut;

pub use factored_test::{FactoredTest, MAX_UNSCALED_MODULUS, UnscaledTest, boot_raw_factored};
pub use many_lut::{boot_raw_sparse, sparse_modulus, sparsity};

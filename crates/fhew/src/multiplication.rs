//! Products of RLWE ciphertexts, and products with the secret: both need a gadget ciphertext of s².
//!
//! | file | algorithm |
//! |---|---|
//! | `relinearization` | a polynomial times s² |
//! | `bfv` | BFV multiplication of packed values (Ma et al., TCHES 2024, Sec. 2.3.6) |
//! | `scheme_switching` | from a phase to its product with the secret (De Micheli, Kim, Micciancio, Suhl, PKC 2024) |

pub(crate) mod bfv;
pub(crate) mod relinearization;
pub(crate) mod scheme_switching;

pub use bfv::PackedNoise;
pub use relinearization::RelinearizationKey;

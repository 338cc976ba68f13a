//! Blind rotation: `accumulator·X^(-⟨mask, s⟩)`, which looks the phase of an LWE ciphertext up in a test polynomial.
//!
//! | file | algorithm |
//! |---|---|
//! | `cmux` | a CMUX per coefficient of the secret (Chillotti et al., J. Cryptology 2020), or a step per block (Lee et al., ASIA CCS 2023) |
//! | `automorphism` | automorphisms between external products (Lee et al., EUROCRYPT 2023), for sparse exponents too (Wang et al., EUROCRYPT 2024, Algorithms 4 to 6) |
//! | `exponent_group` | the exponents that automorphisms go through |
//! | `expected_automorphisms` | the expected number of automorphisms |
//! | `method` | the choice between these methods, which is part of the parameters |
//! | `blind_rotation` | the keys of the chosen method |

pub(crate) mod automorphism;
pub(crate) mod blind_rotation;
pub(crate) mod cmux;
pub(crate) mod expected_automorphisms;
pub(crate) mod exponent_group;
pub(crate) mod method;

pub use automorphism::{AutomorphismRotationKey, RotationAutomorphisms, Step, automorphism_count};
pub use blind_rotation::BlindRotationKey;
pub use cmux::{CmuxRotationKey, cmux_rgsw_count, cmux_roundings, cmux_steps};
pub use expected_automorphisms::{expected_automorphisms, expected_sparse_automorphisms};
pub use exponent_group::{AutomorphismWindow, ExponentGroup};

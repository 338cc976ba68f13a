//! Gates on LWE ciphertexts of other libraries: ciphertexts of OpenFHE and tfhe-rs are bootstrapped thousands at once,
//! and results are encrypted under their original secret (Section 6.2 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024,
//! ePrint 2024/767).
//!
//! The client has both secrets: that of the other library and one of the ring. Its packing key encrypts the former
//! under the latter, and its extraction key goes back. A server with these keys needs none of the other library's keys.
//!
//! ```text
//!   OpenFHE's, n = 554, q = 2^11 ── multiplied to 2^14 ──►  ring packing, half GateBoot, cleanings
//!        ▲                                                             │
//!        └── rounded to 2^11 ◄── extraction, key switching modulo 2^14 ◄
//! ```
//!
//! **Noise.** Ciphertexts of these libraries have more noise than those of [`crate::PackedGates`], enough to bring sums
//! close to the decision: `noisy_sums.rs` of `bits` computes how often gates are wrong, in any round. Results have
//! about the same noise as the other library's own results, or less, and can be inputs of its gates.
//!
//! | file | content |
//! |---|---|
//! | `parameters.rs` | ciphertexts of each library, by name |
//! | `file.rs` | lists and secrets as files |
//! | `gates.rs`, `secret.rs` | gates, and their keys |
//! | `serialization.rs` | keys as one file |

mod file;
mod gates;
mod parameters;
#[cfg(feature = "client")]
mod secret;
mod serialization;

pub use gates::ForeignGates;
pub use parameters::ForeignParameters;
#[cfg(feature = "client")]
pub use secret::ForeignSecret;

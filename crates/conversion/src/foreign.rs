//! Gates on LWE ciphertexts of other libraries: those of OpenFHE and tfhe-rs are taken in, bootstrapped thousands at once, and
//! given back under the secret that they came under (Section 6.2 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767).
//!
//! The client has both secrets, that of the other library and one of the ring. Its packing key encrypts the former under the
//! latter, its extraction key goes back. So a server of these keys needs none of the other library's.
//!
//! ```text
//!   OpenFHE's, n = 554, q = 2^11 ── multiplied to 2^14 ──►  ring packing, half GateBoot, cleanings
//!        ▲                                                             │
//!        └── rounded to 2^11 ◄── extraction, key switching modulo 2^14 ◄
//! ```
//!
//! **Noise.** Ciphertexts of these libraries have more noise than those of [`crate::PackedGates`], so much that sums come near
//! to the decision: see `noisy_sums.rs` of `bits`, which says how often gates are wrong, in any round. Results have about
//! as much as the other library's own, or less, and are inputs of its gates.
//!
//! | file | what |
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

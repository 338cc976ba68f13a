//! Comparison, maximum, ReLU and their like of encrypted integers, thousands at once.
//!
//! Integers of 4 to 39 bits, signed or not, are encrypted as packed values with one bit of headroom ([`Signedness`]), under
//! keys of [`Request::comparisons`]. The sign of a difference compares them, by functional bootstrapping digit after digit
//! (Alexandru, Kim, Polyakov, "General Functional Bootstrapping using CKKS", CRYPTO 2025). Results are bits
//! ([`EvaluationKey::less_than`], [`EvaluationKey::equal`]), or integers as [`Digits`] ([`EvaluationKey::maximum`],
//! [`EvaluationKey::relu`]): what AKP computes has too little precision for an integer of 32 bits in one ciphertext.
//!
//! ```
//! use cryptable::comparisons::Signedness::Signed;
//! use cryptable::{Request, SecretKey};
//!
//! let request = Request::comparisons(32).memory(8 << 30);
//! # let request = Request::comparisons(8).insecure_toy(); /*
//! let plan = request.plan()?;                          // 128 bits of security; whole operations fail with 2^-64
//! # */ let plan = request.plan()?;
//! println!("{plan}");                                  // time and failures of every operation
//!
//! let secret = SecretKey::generate(&plan);             // the client
//! let x = secret.encrypt_integers(&[-100, 5, 127], Signed)?;
//! let y = secret.encrypt_integers(&[100, 5, -128], Signed)?;
//!
//! let server = secret.evaluation_key();                // the server
//! let is_less = server.less_than(&x, &y)?;
//! let larger = server.maximum(&x, &y)?;
//!
//! assert_eq!(secret.decrypt(&is_less)?, [1, 0, 0]);    // the client again
//! assert_eq!(secret.decrypt_integers(&larger, Signed)?, [100, 5, 127]);
//! # Ok::<(), cryptable::Error>(())
//! ```
//!
//! All other calls of packed values work under the same keys: sums ([`EvaluationKey::add`]), tables of the most significant
//! digit ([`EvaluationKey::lookup`]), files ([`crate::CiphertextWriter`]). Floors, single digits, and tables of digits are
//! those of the engine: [`EvaluationKey::packed`], [`crate::engines::packed::EvaluationKey::floor`].

mod calls;
mod digits;
pub(crate) mod request;

pub use calls::OperationResult;
pub use cryptable_packed::{Operation, Signedness};
pub use digits::Digits;

#[allow(unused_imports, reason = "links of the documentation")]
use crate::{EvaluationKey, Request};

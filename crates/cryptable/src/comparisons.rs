//! Comparison, maximum, ReLU and similar functions of encrypted integers, thousands at once.
//!
//! Integers of 4 to 39 bits, signed or unsigned, are encrypted as packed values with one bit of headroom
//! ([`Signedness`]), under keys of [`Request::comparisons`]. Two integers are compared by the sign of their difference,
//! which functional bootstrapping computes digit by digit (Alexandru, Kim, Polyakov, "General Functional Bootstrapping
//! using CKKS", CRYPTO 2025). Results are bits ([`EvaluationKey::less_than`], [`EvaluationKey::equal`]) or integers in
//! [`Digits`] ([`EvaluationKey::maximum`], [`EvaluationKey::relu`]), since AKP is not precise enough for an integer of
//! 32 bits in one ciphertext.
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
//! Everything else that packed values offer works under the same keys: sums ([`EvaluationKey::add`]), tables of the
//! most significant digit ([`EvaluationKey::lookup`]), files ([`crate::CiphertextWriter`]), floors
//! ([`EvaluationKey::floor`]) and tables of single digits ([`EvaluationKey::lookup_digit`]).

mod calls;
mod digits;
pub(crate) mod request;

pub use calls::OperationResult;
pub use cryptable_packed::{Operation, Signedness};
pub use digits::Digits;

#[allow(unused_imports, reason = "links of the documentation")]
use crate::{EvaluationKey, Request};

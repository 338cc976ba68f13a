//! Bits in the slots of CKKS ciphertexts: thousands of gates at once, and bootstraps that square the errors of bits or
//! evaluate a gate on their way. BinBoot and GateBoot of Bae, Cheon, Kim, Stehlé ("Bootstrapping Bits with CKKS",
//! EUROCRYPT 2024, ePrint 2024/767).
//!
//! ```
//! use cryptable_bits::{Gate, Packing, Parameters, SecretKey};
//! use cryptable_lattice::Progress;
//! // `Parameters::latency_128(Packing::Real)` has 128 bits of security; a toy ring keeps this example quick.
//! let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
//! let server = secret.evaluation_key(Progress::silent())?;
//! let x = secret.encrypt(&[false, false, true, true])?;
//! let y = secret.encrypt(&[false, true, false, true])?;
//! let nand = server.gate_boot(Gate::Nand, &x, &y)?;
//! assert_eq!(secret.decrypt(&nand)?, [true, true, true, false]);
//! let again = server.gate_boot(Gate::Xor, &nand, &server.bin_boot(&x)?)?;
//! assert_eq!(secret.decrypt(&again)?, [true, true, false, true]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | step | file |
//! |---|---|
//! | gates, and the waves of period 1 that evaluate them | `gate.rs` |
//! | SlotsToCoeffs, ModRaise, CoeffsToSlots, wave: both algorithms as one circuit | `circuit.rs` |
//! | the wave as a series and squarings | `wave_series.rs` |
//! | all numbers of a parameter set, the sets with names | `literal.rs`, `named_sets.rs` |
//! | validation, security, precision | `validation.rs`, `parameters.rs` |
//!
//! The engine is not behind the API of `cryptable` yet; `docs/decisions.md` says what stands and what is next.
//!
//! Everything that touches a secret needs the feature `client` (on by default); a server builds without it.
#![forbid(unsafe_code)]

mod circuit;
mod encrypted_bits;
mod evaluation_key;
mod gate;
mod literal;
mod named_sets;
mod parameters;
#[cfg(feature = "client")]
mod secret_key;
mod validation;
mod wave_series;

pub use encrypted_bits::EncryptedBits;
pub use evaluation_key::EvaluationKey;
pub use gate::{Gate, Wave};
pub use literal::{Packing, ParametersLiteral, TransformLiteral, WaveLiteral};
pub use parameters::{Parameters, Precision};
#[cfg(feature = "client")]
pub use secret_key::SecretKey;

//! Conversion between single values (FHEW, LWE ciphertexts) and packed ones (CKKS, RLWE ciphertexts): Sec. 6 of Bae,
//! Cheon, Kim, Stehlé (EUROCRYPT 2024, ePrint 2024/767).
//!
//! ```text
//!   N LWE ciphertexts, dimension n, modulo q = 2^w             N LWE ciphertexts, dimension n, modulo q
//!        │  column method: a block of N' of them                     ▲  key switching of a whole block at once
//!        │  becomes RLWE of degree N'                                │  to the LWE secret
//!        ▼         packing/column_method.rs                          │         extraction/block_key_switching.rs
//!   N/N' RLWE ciphertexts of degree N', modulo Q'              N/N' RLWE ciphertexts of degree N', modulo q
//!        │  coefficients interleave                                  ▲  coefficients part
//!        │         blocks.rs                                         │         blocks.rs
//!        ▼  switch to the ring's secret                              │  switch to a block's secret
//!   RLWE of degree N, modulo q_0  ───── half bootstrap … ──────►  RLWE of degree N, modulo q_0
//!                  ring_switching.rs                                           ring_switching.rs
//! ```
//! Value t is coefficient t·gap of the RLWE ciphertext's phase, and the same fraction of q_0 as it was of q. Such a
//! ciphertext is the input of a half bootstrap and the output of SlotsToCoeffs.
//!
//! | module | content |
//! |---|---|
//! | [`literal`], [`parameters`] | numbers, and their validation; noise of packing and extraction |
//! | [`packing`], [`extraction`] | the two algorithms, their keys, and the files of keys |
//! | [`packed_gates`], [`packed_gates_secret`] | FHEW gates on packed bits, whose results are extracted again, and their keys |
//! | [`foreign`] | such gates on ciphertexts of OpenFHE and tfhe-rs |
//! | [`packed_bits`] | results of packed lookups as bits in slots |
//! | [`owners`] | joint keys of several owners for values and for bits, and lookups whose results they decrypt together |
//! | [`phases`] | RLWE ciphertexts with one phase per coefficient |
//! | [`power_of_two`] | conversion of phases to and from ciphertexts of the packed engine |
//! | [`secrets`] | generation of keys (feature `client`) |
//! | [`bridges`] | packed values that become integers or leveled values, and back |
//! | [`lookup`] | single values that are looked up packed: engines `single` and `packed` with keys between them |
#![forbid(unsafe_code)]

mod blocks;
pub mod bridges;
mod clients;
mod cost;
pub mod extraction;
mod file_parts;
pub mod foreign;
mod gate_keys;
mod key_files;
pub mod literal;
pub mod lookup;
pub mod owners;
pub mod packed_bits;
pub mod packed_gates;
#[cfg(feature = "client")]
pub mod packed_gates_secret;
pub mod packing;
pub mod parameters;
pub mod phases;
pub mod power_of_two;
mod ring_switching;
#[cfg(feature = "client")]
pub mod secrets;
mod validation;

pub use clients::Clients;
pub use extraction::{ExtractionKey, SeededExtractionKey};
pub use literal::{BlockLiteral, ParametersLiteral};
pub use packed_gates::{GateKeys, PackedGates};
#[cfg(feature = "client")]
pub use packed_gates_secret::PackedGatesSecret;
pub use packing::{RingPackingKey, SeededRingPackingKey};
pub use parameters::Parameters;
pub use phases::EncryptedPhases;
#[cfg(feature = "client")]
pub use secrets::Secrets;

//! Boolean gates on thousands of encrypted bits at once.
//!
//! [`PackedGates`] packs thousands of bits of [`crate::gates`] into one RLWE ciphertext, evaluates a gate on all of
//! them by one half bootstrap of bits in CKKS slots, and extracts the results (Sec. 6 of Bae, Cheon, Kim, Stehlé,
//! "Bootstrapping Bits with CKKS", EUROCRYPT 2024). A gate takes microseconds per bit; keys occupy half a gigabyte.
//!
//! ```
//! use cryptable::bits::{self, Packing};
//! use cryptable::gates::{Gate, Parameters};
//! use cryptable::packed_gates::PackedGatesSecret;
//! use cryptable::{Progress, SecretKey};
//!
//! // The client. In production, use `Parameters::with_log2_fail(-128.0)?`, whose ciphertexts have a modulus of 18 bits,
//! // and `bits::Parameters::cleaning_128(Packing::Complex)?`; toys keep this example quick.
//! let secret = SecretKey::generate(Parameters::insecure_toy());
//! let secret = secret.gates()?;
//! let packed = bits::Parameters::insecure_toy(Packing::Complex)?;
//! let gates = PackedGatesSecret::generate(secret, &packed)?;
//! let server = gates.packed_gates(Progress::silent())?;
//!
//! // The server.
//! let a = secret.encrypt(&[false, false, true, true]);
//! let b = secret.encrypt(&[false, true, false, true]);
//! let sum = server.gate(Gate::Xor, &a, &b, Progress::silent())?;
//! let carry = server.gate(Gate::And, &a, &b, Progress::silent())?;
//! let neither = server.gate(Gate::Nor, &sum, &carry, Progress::silent())?;
//!
//! assert_eq!(secret.decrypt(&neither)?, [true, false, false, false]);
//! # Ok::<(), cryptable::Error>(())
//! ```
//!
//! A server in another process needs three files of the client: those of [`PackedGatesSecret::packing_key`] and
//! [`PackedGatesSecret::extraction_key`], and the evaluation key of [`PackedGatesSecret::ring`]. [`PackedGates::new`]
//! combines them.
//!
//! [`foreign`] does the same for ciphertexts of OpenFHE and tfhe-rs; results are encrypted under the same foreign
//! secret.

#[cfg(feature = "client")]
pub use cryptable_conversion::PackedGatesSecret;
pub use cryptable_conversion::foreign;
pub use cryptable_conversion::{
    Clients, ExtractionKey, PackedGates, Parameters as ConversionParameters, RingPackingKey,
    SeededExtractionKey, SeededRingPackingKey,
};

//! Packing: LWE ciphertexts of dimension N to RLWE ciphertexts, whose phases have theirs in some coefficients.
//!
//! | file | algorithm |
//! |---|---|
//! | `trace` | the field trace: log2 N automorphism keys (Chen, Dai, Kim, Song, ACNS 2021) |
//! | `key_switching` | packing key switching: N·ℓ rows, less noise (Ma et al., TCHES 2024, Algorithm 9) |
//! | `compressed_list` | many ciphertexts packed by the trace for a client that only decrypts |
//! | `key_serialization` | packing keys as bytes |

mod compressed_list;
pub(crate) mod key_serialization;
pub(crate) mod key_switching;
pub(crate) mod trace;

pub use key_switching::{PackingKey, SeededPackingKey, packing_key_words};
pub use trace::{PackedLength, TraceKey, exponents};

//! Lookups with the least latency: a single value of up to 24 bits, bit by bit.
//!
//! A value is an LWE ciphertext for every two of its bits. A lookup makes a selector of each bit by circuit
//! bootstrapping (Wang et al., EUROCRYPT 2024), one blind rotation for two bits, and the selectors walk the table by a
//! tree of CMUXes (Chillotti et al., J. Cryptology 2020): time is linear in the number of bits, and the table itself
//! costs little up to some 16 of them. Both are in crate `cryptable-leveled`. Results are encrypted digits again, and
//! inputs of the next lookup. Parameter sets with a ciphertext and a rotation for every bit are there, too, for values
//! of one bit.
//!
//! ```
//! use cryptable_lattice::Table;
//! use cryptable_leveled::lookup::{Parameters, SecretKey};
//!
//! let table = Table::from_fn(100, 100, |x| (x * x + 1) % 100)?;
//! // `Parameters::for_table(&table)` gives 128-bit parameters; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy(100, 100)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key();
//! let input = secret.encrypt(&[3, 99])?;
//!
//! // The server, which holds the evaluation key only:
//! let output = evaluation_key.lookup(&input, &table, &|_done, _total| ())?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&output)?, [10, 2]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```

mod ciphertext;
mod evaluation_key;
mod parameters;
mod prediction;
#[cfg(feature = "client")]
mod secret_key;
mod serialization;

pub use ciphertext::Ciphertext;
pub use evaluation_key::{EvaluationKey, PreparedTable};
pub use parameters::{Parameters, Request};
pub use prediction::Prediction;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;

/// Bits of a value below a modulus, at least 1.
fn width(modulus: u64) -> usize {
    (u64::BITS - (modulus - 1).leading_zeros()).max(1) as usize
}

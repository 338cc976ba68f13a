//! Encrypted integers of many bits: sign, comparison, absolute value, ReLU, maximum, digits, and tables of digits. This is
//! the public interface of [`crate::functions`] and [`crate::decomposition`].
//!
//! | type | contents | use |
//! |---|---|---|
//! | [`EncryptedIntegers`] | signed integers of up to 28 bits, one LWE ciphertext each | functions by digit decomposition |
//! | [`RadixInteger`] | one integer, unsigned or in two's complement, as digits of base 8 | sums, comparisons, tables |
//! | [`SmallValues`] | values below a small modulus, such as signs | selecting between integers, results of tables |
//!
//! [`EvaluationKey::to_radix`] converts the first to the second. [`EvaluationKey::continuous`] reads integers as fractions
//! and evaluates any [`RealFunction`] on them, with a precision of about eight bits.
//!
//! ```
//! use cryptable_fhew::integers::{Parameters, SecretKey};
//! use cryptable_lattice::Progress;
//!
//! // `Parameters::new(20)` has 128 bits of security; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy(16)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let key = secret.evaluation_key(Progress::silent())?;
//! let x = secret.encrypt(&[-12_345])?;
//! let y = secret.encrypt_radix(300, 4)?; // four digits: up to 4,095
//!
//! // The server, which holds only the evaluation key:
//! let absolute = key.absolute(&x, Progress::silent())?;
//! let sum = key.radix_add(&y, &y)?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&absolute)?, [12_345]);
//! assert_eq!(secret.decrypt_radix(&sum)?, 600);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```

mod ciphertexts;
mod continuous;
mod evaluation_key;
mod interchange;
mod parameters;
mod prediction;
#[cfg(feature = "client")]
mod public_key;
mod radix;
#[cfg(feature = "client")]
mod secret_key;

pub use ciphertexts::{EncryptedIntegers, RadixInteger, SmallValues};
pub use continuous::RealFunction;
pub use evaluation_key::EvaluationKey;
pub use parameters::{MAX_RADIX_DIGITS, Parameters, RADIX_BASE};
pub use prediction::Function;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;

//! Dictionaries, and tables of 2^32 entries that have structure, on tens of thousands of encrypted values at once.
//!
//! Values of up to 64 bits are encrypted in words, each a packed value ([`WideValues`]). They are looked up in a
//! [`WordCircuit`]: a [`Dictionary`] with at most as many keys as a word has values, or a table with structure
//! ([`WordCircuit::sum`], [`WordCircuit::products`], [`WordCircuit::piecewise_constant`]). [`crate::Request::words`]
//! finds parameters.
//!
//! ```
//! use cryptable::wide::{Dictionary, words_of_bits};
//! use cryptable::{Execution, Request, SecretKey};
//!
//! let request = Request::words(32).value_bits(8);
//! # let request = Request::words(8).value_bits(3).insecure_toy(); /*
//! let plan = request.plan()?;                          // 128 bits of security; a ciphertext fails with 2^-64
//! # */ let plan = request.plan()?;
//! println!("{plan}");
//!
//! let secret = SecretKey::generate(&plan);             // the client
//! let values = secret.encrypt_wide(&[0xf0, 0x17, 0x18], plan.bits())?;
//!
//! let server = secret.evaluation_key();                // the server
//! let words = words_of_bits(plan.bits(), plan.modulus());
//! let dictionary = Dictionary::new(plan.modulus(), words, 8, [(0x17, 3), (0xf0, 5)], 1)?;
//! let prepared = server.packed()?.prepare_words(&dictionary.circuit()?)?;
//! let found = server.lookup_wide(&values, &prepared, Execution::default())?;
//!
//! assert_eq!(secret.decrypt_wide(&found)?, [5, 3, 1]); // the client again
//! # Ok::<(), cryptable::Error>(())
//! ```

pub(crate) mod request;
mod values;

pub use cryptable_packed::{Dictionary, PreparedWords, WordCircuit};
pub use request::words_of_bits;
pub use values::WideValues;

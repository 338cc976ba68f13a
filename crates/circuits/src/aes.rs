//! AES-128 (FIPS 197) as a circuit, encryption only.
//!
//! | module | what |
//! |---|---|
//! | `s_box` | the S-box in depth 16, by gates of two bits |
//! | `s_box_tables` | the S-box and its multiples in depth 3, by tables of eight bits |
//! | `encryption` | rounds and key schedule |
//! | `key_expansion` | the key schedule in the clear, for clients |

mod encryption;
#[cfg(feature = "client")]
mod key_expansion;
mod s_box;
mod s_box_tables;

pub use encryption::{KeySource, SBox, encrypt};
#[cfg(feature = "client")]
pub use key_expansion::expand_key;
pub use s_box::s_box;

//! AES-128 (FIPS 197) as a circuit, encryption only.
//!
//! | module | what |
//! |---|---|
//! | `s_box` | the S-box in depth 16 |
//! | `encryption` | rounds and key schedule |

mod encryption;
mod s_box;

pub use encryption::{KeySource, encrypt};
pub use s_box::s_box;

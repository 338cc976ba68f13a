//! Switching an LWE ciphertext from the ring secret to the LWE secret, through a ring of lower degree.
//!
//! | file | step |
//! |---|---|
//! | `intermediate_ring` | the parameters of the ring of lower degree |
//! | `ring_dimension_switching` | dimension N to N', by gadget products (Chen, Dai, Kim, Song, ACNS 2021) |
//! | `lwe_key_switching` | dimension N' (or N) to n, by rows of words (Ma et al., TCHES 2024, Sec. 2.3.3) |

pub(crate) mod intermediate_ring;
pub(crate) mod lwe_key_switching;
pub(crate) mod ring_dimension_switching;

pub use lwe_key_switching::{LweKeySwitchingKey, SeededKeySwitchingKey};
pub use ring_dimension_switching::{RingDimensionSwitchingKey, SmallRing};

//! Mutations of seeds, without coverage, for short runs.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Numbers near which readers behave differently.
const EDGES: [u64; 10] =
    [0, 1, 2, 0xFF, 0x7FFF, 0xFFFF_FFFF, 1 << 32, 1 << 62, u64::MAX - 1, u64::MAX];

/// Returns a seed with one to three changes, which depend only on `index`.
///
/// ```
/// use cryptable_fuzz::mutation::mutated;
/// assert_eq!(mutated(b"seed", 7), mutated(b"seed", 7));
/// assert!((0..9).any(|index| mutated(b"seed", index) != b"seed"));
/// ```
///
/// # Panics
/// Never: the list of edges is not empty.
#[must_use]
pub fn mutated(seed: &[u8], index: u64) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(index);
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..=bytes.len());
        let word = EDGES.choose(&mut rng).expect("there are some").to_le_bytes();
        let end = bytes.len().min(at + 8);
        match rng.random_range(0..7) {
            0 => bytes.truncate(at),
            1 => bytes.extend(word),
            2 => drop(bytes.splice(at..at, [word[0]])),
            3 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            // Numbers in literals are text.
            4 => drop(bytes.splice(at..at, [b'9'])),
            5 => drop(bytes.drain(at..end.min(at + 3))),
            _ => bytes[at..end].copy_from_slice(&word[..end - at]),
        }
    }
    bytes
}

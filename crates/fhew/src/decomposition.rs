//! Homomorphic digit decomposition (Sec. 4 of Ma et al., TCHES 2024; Liu, Micciancio, Polyakov, ASIACRYPT 2022,
//! "LMP22"): from one ciphertext of large precision to one ciphertext per digit. One file per algorithm.
//!
//! All algorithms go from the lowest digit up (Algorithms 7 and 8). The ciphertext modulo the window of its lowest
//! digit encrypts that digit. Blind rotations then clear the window, or narrow its range, so that the next digit, whose
//! window is B times as large, sees B times less of it.
//!
//! The paper divides the modulus by B between digits. Here the modulus stays and the windows grow, so nothing is
//! rounded, and all noise keeps one unit, a fraction of q_0. A rotation's noise matters less from digit to digit, so each
//! step uses the rotation key with the fewest digits that is precise enough (LMP22 change the base for the same reason).

pub(crate) mod digit_decomposition;
pub(crate) mod hom_decomp_fdfb;
pub(crate) mod hom_decomp_reduce;
pub(crate) mod hom_floor;
pub(crate) mod large_precision;
pub(crate) mod plan;

pub use digit_decomposition::{ClearedNoise, Clearing, ClearingModel, DigitDecomposition, Window};
pub use hom_decomp_fdfb::HomDecompFdfb;
pub use hom_decomp_reduce::HomDecompReduce;
pub use hom_floor::HomFloor;
pub use large_precision::{check_large, check_large_bits, to_large};
#[cfg(feature = "client")]
pub use large_precision::{decrypt_large, encrypt_large, encrypt_large_phase};
pub use plan::{Decomposition, Digits, MAX_DIGIT_BITS};

/// Returns all algorithms, in the paper's order.
#[must_use]
pub fn algorithms() -> &'static [&'static dyn DigitDecomposition] {
    &[&HomFloor { twice: false }, &HomFloor { twice: true }, &HomDecompReduce, &HomDecompFdfb]
}

/// Returns the algorithm with this [`DigitDecomposition::name`].
#[must_use]
pub fn algorithm(name: &str) -> Option<&'static dyn DigitDecomposition> {
    algorithms().iter().copied().find(|algorithm| algorithm.name() == name)
}

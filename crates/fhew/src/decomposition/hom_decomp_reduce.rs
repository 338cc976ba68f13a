//! HomDecomp-Reduce (Algorithm 7 of Ma et al., TCHES 2024): one bootstrap per digit, which halves the range of the
//! window.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use super::digit_decomposition::{ClearedNoise, Clearing, ClearingModel, DigitDecomposition};

/// Adds ±window/4, depending on the window's half, and subtracts window/2: any phase of the window is then within
/// ±window/4, a quarter of the next digit's slot (equation (9)).
///
/// Noise (Theorem 7): the rotation's noise is added. A quarter of the next digit's slot is left for all noise. Digits
/// have up to 4 bits at N = 2,048.
#[derive(Clone, Copy, Debug)]
pub struct HomDecompReduce;

/// Halves the range of a ciphertext whose phase lies anywhere in the window, to within ±window/4 of a multiple of the
/// window.
pub(super) fn halve_range(clearing: &Clearing<'_>, large: &mut LweCiphertext, low: &LweCiphertext) {
    large.add_assign(&clearing.boot(|_| 0.25, low));
    let half = 1 << (clearing.window.log2_window - 1);
    large.add_constant_assign(large.modulus() - half);
}

impl DigitDecomposition for HomDecompReduce {
    fn name(&self) -> &'static str {
        "HomDecomp-Reduce"
    }

    fn rotations(&self) -> usize {
        1
    }

    fn remainder(&self) -> f64 {
        0.25
    }

    fn clear(&self, clearing: &Clearing<'_>, large: &mut LweCiphertext, low: &LweCiphertext) {
        halve_range(clearing, large, low);
    }

    fn noise(&self, clearing: &ClearingModel<'_>, input: NoiseLaw) -> ClearedNoise {
        let output = input.with_independent(clearing.rotation().law());
        ClearedNoise { output, worst: output, decisions: Vec::new() }
    }
}

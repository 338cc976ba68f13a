//! HomFloor (Liu, Micciancio, Polyakov, ASIACRYPT 2022): two bootstraps a digit, which clear the window.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use super::digit_decomposition::{ClearedNoise, Clearing, DigitDecomposition, Window};
use super::hom_decomp_reduce::{halve_range, rotation};
use crate::noise::NoiseModel;

/// Halves the range by the window's upper bit, then looks the rest up and takes it away.
///
/// The rest lies in ±window/4, where f(x) = x extends to a negacyclic function without a jump, the triangle wave: a
/// phase that noise carries beyond ±window/4 by ε is cleared to 2ε. (LMP22 keep the rest in [q/4, 3q/4), whose ends
/// are a jump; with the offset q/2 taken out first, ciphertexts without gaps can be decomposed too.)
///
/// Noise (Table 9): all noise of the window's phase stays, B times smaller for the next digit, and the second
/// rotation's.
#[derive(Clone, Copy, Debug)]
pub struct HomFloor;

/// f(x) = x for phases x of ±window/4, with its negacyclic extension: fractions of the window.
pub(super) fn triangle(x: f64) -> f64 {
    if x < 0.25 { x } else { 0.5 - x }
}

impl DigitDecomposition for HomFloor {
    fn name(&self) -> &'static str {
        "HomFloor"
    }

    fn rotations(&self) -> usize {
        2
    }

    fn remainder(&self) -> f64 {
        0.0
    }

    fn clear(
        &self,
        clearing: &Clearing<'_>,
        large: &LweCiphertext,
        low: &LweCiphertext,
    ) -> LweCiphertext {
        let mut halved = halve_range(clearing, large, low);
        let rest = clearing.boot(triangle, &clearing.low_phase(&halved));
        halved.sub_assign(&rest);
        halved
    }

    fn noise(
        &self,
        model: &NoiseModel,
        rotation_key: usize,
        window: Window,
        input: NoiseLaw,
    ) -> ClearedNoise {
        let two_n = model.parameters().rotation_modulus();
        let rotation = rotation(model, rotation_key);
        let output = (rotation + window.to_large(model.common(two_n))).law();
        // At ±window/4, twice the errors of both phases.
        let worst = input.with_independent(rotation.law()).times(2.0).with_independent(output);
        ClearedNoise { output, worst, decisions: Vec::new() }
    }
}

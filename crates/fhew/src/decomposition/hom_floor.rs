//! HomFloor and HomFloorAlt (Liu, Micciancio, Polyakov, ASIACRYPT 2022, "LMP22"): two or three bootstraps per digit, which
//! clear the window.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use super::digit_decomposition::{ClearedNoise, Clearing, ClearingModel, DigitDecomposition};
use super::hom_decomp_reduce::halve_range;
use crate::full_domain::method::Decision;

/// Halves the range by the window's upper bit, once or twice, then looks the rest up and subtracts it.
///
/// HomFloor halves once. The rest lies in ±window/4, where f(x) = x extends to a negacyclic function without a jump, the
/// triangle wave. A phase that noise carries beyond ±window/4 by ε is cleared to 2ε. (LMP22 keep the rest in [q/4, 3q/4),
/// at whose ends the function jumps. Here the offset q/2 is subtracted first, so that ciphertexts without gaps can be
/// decomposed, too.)
///
/// Noise (Table 9): all noise of the window's phase, B times smaller for the next digit, plus that of the last rotation.
#[derive(Clone, Copy, Debug)]
pub struct HomFloor {
    /// Whether the range is halved twice (HomFloorAlt), to ±window/8, away from the ends of f(x) = x: both halvings together
    /// may be off by window/8 (q > 8√2·β in this case).
    pub twice: bool,
}

/// Returns f(x) = x for phases within ±window/4, extended negacyclically; phases are fractions of the window.
fn triangle(x: f64) -> f64 {
    if x < 0.25 { x } else { 0.5 - x }
}

impl DigitDecomposition for HomFloor {
    fn name(&self) -> &'static str {
        if self.twice { "HomFloorAlt" } else { "HomFloor" }
    }

    fn rotations(&self) -> usize {
        if self.twice { 3 } else { 2 }
    }

    fn remainder(&self) -> f64 {
        0.0
    }

    fn clear(&self, clearing: &Clearing<'_>, large: &mut LweCiphertext, low: &LweCiphertext) {
        halve_range(clearing, large, low);
        if self.twice {
            // From ±window/4 to ±window/8: negative phases move up, others down.
            large.sub_assign(&clearing.boot(|_| 0.125, &clearing.low_phase(large)));
        }
        large.sub_assign(&clearing.boot(triangle, &clearing.low_phase(large)));
    }

    fn noise(&self, clearing: &ClearingModel<'_>, input: NoiseLaw) -> ClearedNoise {
        let (rotation, common) = (clearing.rotation(), clearing.common());
        let output = (rotation + clearing.window.to_large(common)).law();
        if !self.twice {
            // At ±window/4 the errors of both phases count twice.
            let worst = input.with_independent(rotation.law()).times(2.0).with_independent(output);
            return ClearedNoise { output, worst, decisions: Vec::new() };
        }
        // The errors of both decisions, and of the values that they added.
        let halvings = input.with_independent((rotation * 2.0).law());
        let halved = Decision {
            name: "range after two halvings",
            noise: clearing.window.of_large(halvings).with_independent((common * 2.0).law()),
            margin: 0.125,
        };
        ClearedNoise { output, worst: output, decisions: vec![halved] }
    }
}

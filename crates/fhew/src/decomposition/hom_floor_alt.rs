//! HomFloorAlt (Liu, Micciancio, Polyakov, ASIACRYPT 2022): three bootstraps a digit, which clear the window without
//! coming near a jump.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use super::digit_decomposition::{ClearedNoise, Clearing, DigitDecomposition, Window};
use super::hom_decomp_reduce::{halve_range, rotation};
use super::hom_floor::triangle;
use crate::full_domain::method::Decision;
use crate::noise::NoiseModel;

/// Halves the range twice, to ±window/8, then looks the rest up, far from where f(x) = x ends, and takes it away.
///
/// Noise (Table 9): as HomFloor; both halvings together may be off by window/8 (q > 8√2·β there).
#[derive(Clone, Copy, Debug)]
pub struct HomFloorAlt;

impl DigitDecomposition for HomFloorAlt {
    fn name(&self) -> &'static str {
        "HomFloorAlt"
    }

    fn rotations(&self) -> usize {
        3
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
        let mut large = halve_range(clearing, large, low);
        // From ±window/4 to ±window/8: up from below 0, down from above.
        large.sub_assign(&clearing.boot(|_| 0.125, &clearing.low_phase(&large)));
        let rest = clearing.boot(triangle, &clearing.low_phase(&large));
        large.sub_assign(&rest);
        large
    }

    fn noise(
        &self,
        model: &NoiseModel,
        rotation_key: usize,
        window: Window,
        input: NoiseLaw,
    ) -> ClearedNoise {
        let common = model.common(model.parameters().rotation_modulus());
        let rotation = rotation(model, rotation_key);
        let output = (rotation + window.to_large(common)).law();
        let halved = Decision {
            name: "range after two halvings",
            // The errors of both decisions, and of what they added.
            noise: window
                .of_large(input.with_independent((rotation * 2.0).law()))
                .with_independent((common * 2.0).law()),
            margin: 0.125,
        };
        ClearedNoise { output, worst: output, decisions: vec![halved] }
    }
}

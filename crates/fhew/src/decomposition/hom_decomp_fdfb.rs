//! HomDecomp-FDFB (Algorithm 8 of Ma et al., TCHES 2024): two bootstraps per digit, the continuous identity by
//! FDFB-Compress.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use super::digit_decomposition::{ClearedNoise, Clearing, ClearingModel, DigitDecomposition};
use crate::full_domain::compress_continuous::CompressContinuous;
use crate::full_domain::method::Decision;
use crate::noise::NoiseModel;

/// Looks the whole window up by FDFB-Compress with β-padding, and subtracts it.
///
/// The first bootstrap only compresses. Its noise matters in units of the window, so it uses the coarsest rotation key.
/// The second bootstrap is precise.
///
/// Noise (Theorem 9): 1/k_2² times that of the compressed phase plus that of the window's phase, both B times smaller
/// for the next digit, plus that of the second rotation.
#[derive(Clone, Copy, Debug)]
pub struct HomDecompFdfb;

/// log2 of the probability that the compressed phase leaves its half; the padding is chosen for it.
const PADDING_LOG2_FAIL: f64 = -70.0;

impl HomDecompFdfb {
    fn compress(model: &NoiseModel) -> CompressContinuous {
        CompressContinuous::clamped(model, PADDING_LOG2_FAIL)
    }
}

impl DigitDecomposition for HomDecompFdfb {
    fn name(&self) -> &'static str {
        "HomDecomp-FDFB"
    }

    fn rotations(&self) -> usize {
        2
    }

    fn remainder(&self) -> f64 {
        0.0
    }

    fn clear(&self, clearing: &Clearing<'_>, large: &mut LweCiphertext, low: &LweCiphertext) {
        let key = clearing.key;
        let two_n = key.parameters().rotation_modulus();
        let compress = Self::compress(&NoiseModel::new(key.parameters()));
        let compressed = compress.compress(key, &key.to_rotation_modulus(low, two_n));
        // Compressed phases of the upper half come out negative; the result is the identity on both halves.
        let identity = |x: f64| match compress.recover(x) {
            recovered if recovered >= 0.0 => recovered,
            recovered => -(recovered + 1.0),
        };
        large.sub_assign(&clearing.boot(identity, &compressed));
    }

    fn noise(&self, clearing: &ClearingModel<'_>, _input: NoiseLaw) -> ClearedNoise {
        let model = clearing.model;
        let compress = Self::compress(model);
        let recovered = clearing.common() + model.bootstrap() * compress.slope().powi(-2);
        let output = (clearing.rotation() + clearing.window.to_large(recovered)).law();
        let compressed = Decision {
            name: "compressed phase",
            noise: model.bootstrap().law(),
            margin: compress.padding(),
        };
        ClearedNoise { output, worst: output, decisions: vec![compressed] }
    }
}

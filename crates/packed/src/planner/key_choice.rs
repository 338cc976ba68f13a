//! Choice of keys: fewer and smaller keys for CoeffsToSlots, and more keys for products.
//!
//! For each matrix of CoeffsToSlots, fewer baby steps, or keys that baby steps share, make the evaluation key smaller
//! and a lookup slower.
//!
//! Nearly all of an evaluation key is for these rotations, with one key per baby step and one per giant step. The rule
//! weighs size against time: a percent of key bytes is worth a fifth of a percent of time ([`KEY_WEIGHT`]). So a matrix
//! of few diagonals gives up baby steps for one more giant step, and a matrix of many diagonals keeps them. A matrix
//! that raises has all its baby steps. Stronger weights, and keys that baby steps share, are only used under memory
//! limits.
//!
//! Relinearization keys may have more digits than those of rotations, and there may be more of them. Products, whose
//! limbs decrease level by level, then need fewer special primes and narrower conversions. Keys for rotations are most
//! of an evaluation key, those of relinearization a tenth.

use cryptable_lattice::cost::{CostModel, Prediction};

use crate::literal::{DftLiteral, ParametersLiteral};
use crate::parameters::parameter_set::Parameters;

/// Percentage of time that one percent of the key file is worth.
pub(crate) const KEY_WEIGHT: f64 = 0.2;

/// Numbers of baby steps that are tried for each matrix, all with their own keys.
const OWN_KEYS: [[usize; 2]; 4] = [[8, 8], [6, 6], [5, 5], [4, 4]];

/// Numbers of baby steps, and of those with keys, which the others share. They take longer than predicted, so that the
/// default does not use them.
const SHARED_KEYS: [[usize; 2]; 4] = [[8, 4], [6, 3], [8, 3], [4, 2]];

/// Keys for products at the top of the chain that are tried: number of limbs below the top, and digits.
const TOPS: [&[[usize; 2]]; 3] = [&[[0, 3]], &[[0, 3], [1, 3]], &[[0, 4], [1, 3]]];

/// Maximum number of digits of rotation keys for which relinearization keys of more digits are an advantage.
const MOST_DIGITS: usize = 3;

/// Least number of limbs of a key in two digits for the lower part of the chain.
const LEAST_LIMBS: usize = 6;

/// Objective of the choice: the logarithm of seconds times bytes of the key file to the power of the weight.
pub(crate) fn weighted(prediction: &Prediction) -> f64 {
    let seconds = CostModel::default().seconds(&prediction.work);
    seconds.ln() + KEY_WEIGHT * (prediction.key_file_bytes as f64).ln()
}

/// Returns the literal with the best baby steps of each matrix of CoeffsToSlots, if one percent of the key file is
/// worth `weight` percent of time; Tries shared keys if `weight` exceeds the default.
pub(crate) fn with_baby_steps(found: &Parameters, weight: f64) -> ParametersLiteral {
    let (literal, moduli) = (found.literal(), found.moduli());
    let (degree, model) = (literal.ring_degree, CostModel::default());
    let prediction = found.prediction();
    let all_seconds = model.seconds(&prediction.work);
    let all_bytes = prediction.key_file_bytes as f64;
    let (circuit, matrices) = (found.circuit(), literal.coeffs_to_slots.stages.len());
    let dft = &circuit.phase_exponential().expect("values that are raised").coeffs_to_slots;
    let mut best = vec![(f64::INFINITY, OWN_KEYS[0]); matrices];
    let shared = if weight > KEY_WEIGHT { &SHARED_KEYS[..] } else { &[] };
    for &choice in OWN_KEYS.iter().chain(shared) {
        let planned = dft.clone().with_baby_steps(degree / 2, &vec![choice; matrices]);
        for (best, stage) in best.iter_mut().zip(&planned.stages) {
            let counts = stage.plan.counts(degree, stage.rescale);
            // Every digit is raised once.
            let seconds = circuit.digits() as f64 * model.seconds(&counts.work(degree));
            let keys = stage.plan.rotations().len();
            let bytes = (keys * stage.plan.shape.stored_bytes(&moduli)) as f64;
            let cost = seconds / all_seconds + weight * bytes / all_bytes;
            if cost < best.0 {
                *best = (cost, choice);
            }
        }
    }
    let matrix_babies = best.into_iter().map(|(_, choice)| choice).collect();
    let of = &literal.coeffs_to_slots;
    let coeffs_to_slots = DftLiteral { keyed_babies: None, matrix_babies, ..of.clone() };
    ParametersLiteral { coeffs_to_slots, ..literal.clone() }
}

/// Returns the literal with every choice of relinearization keys that is worth trying. There are none if several owners
/// make the keys, if one of them has to hide tables, or if digits of the whole chain have few limbs.
pub(crate) fn with_relinearization_keys(literal: &ParametersLiteral) -> Vec<ParametersLiteral> {
    let top = literal.product_limbs();
    let is_fixed = !literal.owners.is_one()
        || literal.hidden_bits.is_some()
        || literal.block_secret.is_some()
        || literal.dnum > MOST_DIGITS
        || top < 2 * LEAST_LIMBS;
    if is_fixed {
        return Vec::new();
    }
    let lower: Vec<[usize; 2]> =
        literal.product_shapes()[1..].iter().map(|it| [it.basis.main, it.digits()]).collect();
    // With one limb less than where the exponential ends, a key may need one special prime less.
    let narrower =
        lower.first().filter(|&&[limbs, _]| limbs > LEAST_LIMBS).map(|&[limbs, digits]| {
            let mut keys = lower.clone();
            keys[0] = [limbs - 1, digits];
            keys
        });
    let lowers: Vec<Vec<[usize; 2]>> = std::iter::once(lower).chain(narrower).collect();
    let join = |tops: &[[usize; 2]], lower: &Vec<[usize; 2]>| {
        let tops = tops.iter().map(|&[below, digits]| [top - below, digits]);
        let relinearization = tops.chain(lower.iter().copied()).collect();
        ParametersLiteral { relinearization, ..literal.clone() }
    };
    TOPS.iter().flat_map(|tops| lowers.iter().map(|lower| join(tops, lower))).collect()
}

//! The amount of noise that hides the errors of a lookup, which depend on outputs at other inputs of the table.
//!
//! Errors of the deltas of all inputs have a norm of at most R, in every slot ([`largest_row`]). In the coordinates of
//! flooding, which are orthonormal, a product has half of that, since its slots are halves of outputs: `|E| <= R/2` at
//! scale 1. Flooding with the parameter `√(πV)·R/2` hides outputs ([`cryptable_lattice::hidden_table`]).
//!
//! The statistical distance is the sum of these terms, each with a share of 2^-κ: `4ε` for both halves of slots;
//! multiples of P beyond the window, in either world; slots whose errors exceed the bound; what encryptions of zero add
//! to flooding, in either world and both halves; and an overflow of any value, half of 2^-κ. A lookup of T tables has T
//! times as much, and so have T lookups.

use cryptable_ckks::hiding::{Hiding, zero_digit, zero_norm};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::hidden_table::SHARE;
use cryptable_ring::random::WideGaussian;

use crate::akp::AkpCircuit;
use crate::literal::ParametersLiteral;
use crate::parameters::circuit::Circuit;
use crate::parameters::failure::FailureModel;

/// Number of fresh ciphertexts whose sum inputs may be.
const FRESH_INPUTS: u64 = 16;

/// Maximum number of bits of constants that hide tables: integers of up to eight times as much are exact in doubles.
pub(crate) const MAX_CONSTANT_BITS: f64 = 46.0;

impl ParametersLiteral {
    /// log2 of the probability that the errors of one slot exceed the bound that flooding is designed for.
    pub(crate) fn log2_hidden_slot(&self) -> f64 {
        let bits = self.hidden_bits.map_or(0, |bits| bits + SHARE + 1);
        -f64::from(bits) - (self.ring_degree as f64).log2()
    }

    /// A bound on the norm of the change that rounded constants make to the deltas in a slot. Constants of power k and
    /// input j are off by up to half a unit in both parts; a unit is P over 2 to their number of bits. Norms of
    /// `2·Re Σ_k r_kj·z^k` over j are within √2 of those of independent roundings, `p/√3` units, as tests compute.
    pub(crate) fn constant_row(&self) -> f64 {
        let (p, modulus) = (self.input_modulus as f64, self.output_modulus as f64);
        2.0 * p / 6f64.sqrt() * modulus / self.constant_bits.exp2()
    }
}

/// The largest error of a phase, as a fraction of the torus, for inputs with this noise. The probability that an error
/// exceeds it is at most 2 to the power `log2`.
///
/// # Panics
/// If the parameters are those of a tree.
pub(crate) fn largest_phase(
    model: &FailureModel,
    circuit: &Circuit,
    input: NoiseBound,
    log2: f64,
) -> f64 {
    let phase = model.phases(circuit, &[(input, 1)])[0];
    phase.bias + phase.law.largest(log2)
}

/// A bound on the norm of the errors η_j of the deltas of all inputs in one slot. Covers phase errors up to `phase`,
/// and errors of the exponential and its powers, which exceed their part with a probability of at most 2 to the power
/// `log2`.
///
/// An error ε of the modulus changes the deltas by `G(m - j)·ε`, with the gains of the kernel. A rounding of power n
/// enters power k at most k/n times, and deltas have all powers with the same weights (Parseval's identity), so that
/// all roundings of powers have `Σ_(n>=2) 1/n² < 2/3` of the variance that a rounding of the exponential has. The
/// exponential has four roundings.
fn largest_row(literal: &ParametersLiteral, model: &FailureModel, phase: f64, log2: f64) -> f64 {
    let (kernel, noise, approximation) = model.exponential_errors();
    let mut modulus = approximation;
    for _ in 0..literal.exponential_cleanings {
        modulus = 4.0 * modulus * modulus;
    }
    let gain = (12.0 * kernel.mean_square_gain()).sqrt();
    // The real part has half of the variance.
    let largest = literal.slot_law(noise * (1.25 / 2.0)).largest(log2) + noise.bound;
    // Twice the error of the worst table within [-1/2, 1/2] is the sum of the absolute errors of all deltas.
    let left = 2.0 * kernel.largest_deviation(phase + approximation / std::f64::consts::TAU);
    left + gain * (modulus + largest)
}

/// Adds flooding to the circuit if tables are to be hidden; returns it unchanged otherwise.
///
/// # Errors
/// If keys have no digit beyond the product that is hidden, or flooding has no room.
pub(crate) fn hide(
    literal: &ParametersLiteral,
    circuit: Circuit,
    fresh: NoiseBound,
) -> Result<Circuit> {
    let (Some(hidden), Circuit::Akp(akp)) = (literal.hidden_tables(), &circuit) else {
        return Ok(circuit);
    };
    let (limbs, scale) = akp.hidden_product();
    let key = literal.relinearization_shapes()[0];
    if zero_digit(key, limbs).is_none() {
        let (name, value) =
            ("number of digits (dnum) of keys for hidden tables", key.digits() as u64);
        return Err(Error::TooSmall { name, value, limit: value + 1 });
    }
    let shapes = circuit.predict_worst(&circuit.dry_run(), 1);
    let model = FailureModel::new(literal, &circuit, shapes);
    let log2_slot = literal.log2_hidden_slot();
    // An overflow changes all deltas of its slot.
    let found = model.log2_overflow + (literal.ring_degree as f64).log2();
    let limit = -1.0 - literal.hidden_bits.map_or(0.0, f64::from);
    if found > limit {
        return Err(Error::FailureProbability { found, limit });
    }
    let phase = largest_phase(&model, &circuit, fresh.times(FRESH_INPUTS), log2_slot);
    let row = largest_row(literal, &model, phase, log2_slot) + literal.constant_row();
    let parameter = hidden.parameter() * row / 2.0 * scale;
    let Some(flooding) = WideGaussian::at_least(parameter) else {
        let (name, value) = ("log2 of the flooding of hidden tables", parameter.log2());
        return Err(Error::Parameter { name, value, limit: "it must be below 120".into() });
    };
    let zeros = zero_norm(literal.ring_degree) / (2.0 * flooding.variance().sqrt());
    let least = -f64::from(literal.hidden_bits.map_or(0, |bits| bits + SHARE + 1));
    if zeros.log2() > least {
        let (name, value) = ("log2 of what encryptions of zero show beside flooding", zeros.log2());
        return Err(Error::Parameter { name, value, limit: format!("it must be at most {least}") });
    }
    let hiding = Hiding { flooding, key_limbs: literal.product_limbs() };
    let Circuit::Akp(akp) = circuit else { unreachable!("matched above") };
    Ok(Circuit::Akp(AkpCircuit::hiding(akp, hiding, phase)))
}

//! The errors between an input's phases and the exponentials of a lookup, for the failure model.

use cryptable_ckks::bootstrapping::block_product::BlockProduct;
use cryptable_ckks::bootstrapping::exponential::Exponential;
use cryptable_lattice::NoiseLaw;

use crate::bootstrapping::phase_exponential::PhaseExponential;
use crate::literal::ParametersLiteral;
use crate::parameters::circuit::Circuit;

/// Errors of phases and of their exponentials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseModel {
    /// Law of the noise that the circuit adds to a phase.
    pub noise: NoiseLaw,
    /// Factor from the noise of a coefficient, modulo the prime that inputs are switched to, to that of a phase.
    pub gain: f64,
    /// log2 of the probability that an overflow of any digit is outside the interval of the exponential.
    pub log2_overflow: f64,
    /// Bound on the error of the exponential's approximation.
    pub approximation: f64,
}

impl PhaseModel {
    /// The model of a circuit.
    ///
    /// # Panics
    /// If phases are neither raised nor exponentiated by blocks.
    pub(crate) fn new(literal: &ParametersLiteral, circuit: &Circuit) -> Self {
        match (circuit.phase_exponential(), circuit.block_product()) {
            (Some(front), _) => Self::of_raised(literal, circuit, front),
            (None, Some(product)) => Self::of_blocks(product),
            (None, None) => unreachable!("one of two ways leads to exponentials"),
        }
    }

    fn of_raised(literal: &ParametersLiteral, circuit: &Circuit, front: &PhaseExponential) -> Self {
        let (dry_run, matrices) = (circuit.dry_run(), front.coeffs_to_slots.plans());
        let phase_noise =
            |input| front.phases(&dry_run, &matrices, front.raised_shape(input))[0].noise;
        // Input noise of about the size that the circuit adds, so that the difference below keeps its full precision.
        let unit = literal.ring_degree as f64;
        let fixed = phase_noise(0.0);
        let overflow = literal.encapsulated_secret().tail_log2(front.bound);
        Self {
            noise: literal.slot_law(fixed).times(front.bound),
            gain: front.bound * ((phase_noise(unit).total() - fixed.total()) / unit).sqrt(),
            log2_overflow: overflow + literal.log2_raises(),
            approximation: approximation_error(literal, front.bound),
        }
    }

    /// Errors of a switch to the block secret are sums over all coefficients of products of its keys' errors with
    /// digits. Nothing overflows, and the only approximation is the rounding of doubles.
    fn of_blocks(product: &BlockProduct) -> Self {
        Self {
            noise: NoiseLaw::gaussian(product.switching_variance()),
            gain: 1.0 / product.prime(),
            log2_overflow: f64::NEG_INFINITY,
            approximation: 0.0,
        }
    }
}

/// Bound on the error of the exponential's approximation over the interval of the phase.
fn approximation_error(literal: &ParametersLiteral, bound: f64) -> f64 {
    let shape = literal.exponential_shape();
    let function = literal.phase_function();
    Exponential::approximation_error(function, bound, shape.doublings, shape.coefficients())
}

//! The decision at the start of every method: about the slot of the input.

use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::method::Decision;
use crate::noise::NoiseModel;

/// Returns the decision about an input's slot of width 1/p, at modulus 2N.
pub(crate) fn input_decision(model: &NoiseModel, p: u64, input: NoiseLaw) -> Decision {
    input_decision_at(model, model.parameters().rotation_modulus(), p, input)
}

/// Returns the decision of [`input_decision`] at another modulus.
pub(crate) fn input_decision_at(
    model: &NoiseModel,
    modulus: u64,
    p: u64,
    input: NoiseLaw,
) -> Decision {
    let switch = model.lwe_modulus_switch(modulus);
    Decision { name: "input", noise: input.with_independent(switch.law()), margin: 0.5 / p as f64 }
}

/// Returns the decision about a phase with an unknown top bit: half the input's error, against half a slot of 2p.
pub(crate) fn extra_bit_decision(model: &NoiseModel, p: u64, input: NoiseLaw) -> Decision {
    let decision = input_decision(model, 2 * p, input.times(0.5));
    Decision { name: "input with an extra bit", ..decision }
}

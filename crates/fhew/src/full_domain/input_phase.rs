//! Start of every method: the input as a phase for blind rotation, and the decision made there.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::method::Decision;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::NoiseModel;
use crate::test_polynomial::half_slot;

/// A ciphertext of phase m/p with half a slot of width 1/p added, modulo 2N or a divisor of it.
pub(crate) fn slot_phase(
    key: &EvaluationKey,
    ciphertext: &LweCiphertext,
    p: u64,
    modulus: u64,
) -> LweCiphertext {
    let mut phase = ciphertext.clone();
    phase.add_constant_assign(half_slot(p, phase.modulus()));
    key.to_rotation_modulus(&phase, modulus)
}

/// The ciphertext, modulo q, of phase m·q/p, modulo 2q: an unknown multiple of q is added. Half a slot is, too.
pub(crate) fn with_extra_bit(input: &LweCiphertext, plaintext_modulus: u64) -> LweCiphertext {
    let doubled = 2 * input.modulus();
    let mut phase = input.mod_up(doubled);
    phase.add_constant_assign(half_slot(2 * plaintext_modulus, doubled));
    phase
}

/// The decision about an input's slot of width 1/p, at modulus 2N.
pub(crate) fn input_decision(model: &NoiseModel, p: u64, input: NoiseLaw) -> Decision {
    input_decision_at(model, model.parameters().rotation_modulus(), p, input)
}

/// The same at another modulus.
pub(crate) fn input_decision_at(
    model: &NoiseModel,
    modulus: u64,
    p: u64,
    input: NoiseLaw,
) -> Decision {
    let switch = model.lwe_modulus_switch(modulus);
    Decision { name: "input", noise: input.with_independent(switch.law()), margin: 0.5 / p as f64 }
}

/// Decision about a phase of [`with_extra_bit`] switched to 2N: half the input's error, against half a slot of 2p.
pub(crate) fn extra_bit_decision(model: &NoiseModel, p: u64, input: NoiseLaw) -> Decision {
    let decision = input_decision(model, 2 * p, input.times(0.5));
    Decision { name: "input with an extra bit", ..decision }
}

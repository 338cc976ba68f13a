//! Start of every method: the checked input, as a phase for blind rotation, and the decision made there.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::method::Decision;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::NoiseModel;
use crate::test_polynomial::half_slot;

/// The phase modulo 2N of a lookup's input m·q/p: in the middle of slot m, of width 2N/p.
///
/// Adds the noise of [`NoiseModel::lwe_modulus_switch`].
///
/// # Errors
/// If the ciphertext is not one of the key's parameters, or p is odd, below 2 or above N/2.
pub(crate) fn input_phase(
    key: &EvaluationKey,
    input: &LweCiphertext,
    p: u64,
) -> Result<LweCiphertext> {
    check_input(key, input, p)?;
    Ok(slot_phase(key, input, p, key.parameters().rotation_modulus()))
}

/// Returns a phase like [`input_phase`], modulo 2q: half the noise, and an unknown bit on top.
///
/// # Errors
/// As [`input_phase`].
pub(crate) fn input_phase_with_extra_bit(
    key: &EvaluationKey,
    input: &LweCiphertext,
    p: u64,
) -> Result<LweCiphertext> {
    check_input(key, input, p)?;
    Ok(key.to_rotation_modulus(&with_extra_bit(input, p), key.parameters().rotation_modulus()))
}

/// Checks that a ciphertext and a plaintext modulus fit the parameters.
pub(crate) fn check_input(key: &EvaluationKey, input: &LweCiphertext, p: u64) -> Result<()> {
    key.check(input)?;
    key.parameters().check_plaintext_modulus(p)
}

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
    let switch = model.lwe_modulus_switch(model.parameters().rotation_modulus());
    Decision { name: "input", noise: input.with_independent(switch.law()), margin: 0.5 / p as f64 }
}

/// Decision about a phase of [`with_extra_bit`] switched to 2N: half the input's error, against half a slot of 2p.
pub(crate) fn extra_bit_decision(model: &NoiseModel, p: u64, input: NoiseLaw) -> Decision {
    let two_n = model.parameters().rotation_modulus();
    Decision {
        name: "input with an extra bit",
        noise: input.times(0.5).with_independent(model.lwe_modulus_switch(two_n).law()),
        margin: 0.25 / p as f64,
    }
}

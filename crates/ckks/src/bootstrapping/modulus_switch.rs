//! The last step of a lookup: from coefficients modulo q_0 to a ciphertext modulo the client's power of two. Line 8 of
//! Algorithm 1 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623).

use cryptable_lattice::RlweCiphertext;
use cryptable_lattice::coefficient_ciphertext::{
    CoefficientCiphertext, CoefficientLayout, UniformPart,
};
use cryptable_ring::modulus_switch::to_power_of_two_assign;
use cryptable_ring::{Evaluations, Poly, Ring};

/// Target of a modulus switch: the ciphertext's modulus, the modulus of its values, and their positions.
#[derive(Clone, Copy, Debug)]
pub struct CoefficientShape {
    /// log2 of the client's modulus.
    pub log2_modulus: u32,
    /// The modulus of the values.
    pub plaintext_modulus: u64,
    /// Which coefficients hold values.
    pub layout: CoefficientLayout,
}

/// Switches values in coefficients, fractions of their modulus at scale q_0 modulo q_0, to a ciphertext of the client:
/// every word times `2^k/q_0`, rounded.
///
/// # Panics
/// If the ciphertext has more than one limb.
pub fn switch_to_power_of_two(
    ring: &Ring,
    ciphertext: RlweCiphertext,
    shape: CoefficientShape,
) -> CoefficientCiphertext {
    let CoefficientShape { log2_modulus, plaintext_modulus, layout } = shape;
    let switch = |poly: Poly<Evaluations>| {
        assert_eq!(poly.basis(), ring.main_basis(1), "limbs after SlotsToCoeffs");
        let mut words = poly.into_coefficients(ring).into_words();
        to_power_of_two_assign(ring.modulus(0), &mut words, log2_modulus);
        words
    };
    let (b, a) = (switch(ciphertext.c0), switch(ciphertext.c1));
    CoefficientCiphertext { log2_modulus, plaintext_modulus, layout, b, a: UniformPart::Words(a) }
}

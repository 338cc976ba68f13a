//! SlotsToCoeffs, which turns outputs in slots into coefficients at the bottom of the chain: line 7 of Algorithm 1 of
//! Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623).

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::homomorphic_dft::{DftLevels, HomomorphicDft, ScaleShares};
use cryptable_ckks::dft_factors::{slots_to_coeffs, slots_to_coeffs_sparse};
use cryptable_ckks::dry_run::Shape;

use crate::literal::ParametersLiteral;

/// Plans SlotsToCoeffs for outputs of the given scale, which are `denominator` times what coefficients are to hold.
/// Limbs beyond those that SlotsToCoeffs uses are dropped.
pub(crate) fn plan(
    literal: &ParametersLiteral,
    primes: &[f64],
    outputs: Shape,
    denominator: f64,
) -> HomomorphicDft {
    let (degree, slots) = (literal.ring_degree, literal.output_slots() / 2);
    let stc = &literal.slots_to_coeffs;
    let matrices = if is_sparse(literal) {
        slots_to_coeffs_sparse(slots, &stc.stages, 1.0 / denominator)
    } else {
        slots_to_coeffs(slots, &stc.stages, 1.0 / denominator)
    };
    let limbs = outputs.limbs.min(literal.output_limbs());
    let levels = DftLevels {
        limbs,
        scale: outputs.scale * literal.crossing_scale(),
        primes: &primes[1..limbs],
        target: primes[0],
        ring_slots: degree / 2,
        baby_steps: stc.baby_steps,
        shares: ScaleShares::ByLargestError,
    };
    HomomorphicDft::new(matrices, &levels, |limbs| literal.low_transform_shape(limbs))
        .sharing_baby_keys(stc.keyed_babies)
        .with_baby_steps(degree / 2, &stc.matrix_babies)
        .ending_in_coefficients()
}

/// Returns whether outputs are real numbers, one per slot, that become the two parts of half as many slots. Complex
/// outputs are already in place, whether they fill the ring or are repeated.
fn is_sparse(literal: &ParametersLiteral) -> bool {
    literal.slots < literal.ring_degree && !literal.complex_outputs
}

/// Applies SlotsToCoeffs: returns the outputs in coefficients, at scale q_0 modulo q_0.
pub(crate) fn apply<A: Arithmetic>(
    arithmetic: &A,
    literal: &ParametersLiteral,
    dft: &HomomorphicDft,
    matrices: &[A::Matrix],
    mut outputs: A::Ciphertext,
) -> A::Ciphertext {
    if literal.has_inner_ring() {
        arithmetic.begin_stage("leave_inner_ring");
        let limbs = arithmetic.limbs(&outputs).min(literal.output_limbs());
        arithmetic.drop_to(&mut outputs, limbs);
        outputs = arithmetic.leave_inner(&outputs);
    }
    arithmetic.begin_stage("slots_to_coeffs");
    let mut ct = dft.apply(arithmetic, matrices, outputs);
    if is_sparse(literal) {
        let rotated = arithmetic.rotate(&ct, literal.slots / 2);
        arithmetic.add_assign(&mut ct, &rotated);
    }
    ct
}

//! ModRaise with sparse-secret encapsulation (Bossuat, Troncoso-Pastoriza, Hubaux, ACNS 2022, ePrint 2022/024):
//! lines 2 to 4 of Algorithm 1 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623).
//!
//! At the bottom modulus q_0 the ciphertext is switched to a sparse secret of weight 32. Its words are then read as
//! integers modulo the whole chain, and it is switched back to the dense secret. The overflow I of
//! `phase = q_0·(m/p + I)` thus depends on the sparse secret only: |I| is at most 16.5.

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::divided_key_switch::switch_and_rescale;
use cryptable_lattice::key_switching::{Digits, add_times_special};
use cryptable_lattice::{KeyPurpose, KeyRequest, RlweCiphertext};
use cryptable_ring::{
    Basis, Coefficients, Evaluations, Poly, Ring, SharedLimbs, kernels,
    modulus_switch::from_power_of_two_assign,
};

use crate::bootstrapping::homomorphic_dft::HomomorphicDft;
use crate::dry_run::{Shape, SlotNoise};
use crate::overflow::EncapsulatedSecret;
use crate::transform_plan::raising_shape;
use crate::{Arithmetic, Ciphertext, Evaluator};

/// Returns the keys of an encapsulated ModRaise from the bottom prime of the first chain to the basis `raised`.
///
/// Both have a single digit: words modulo q_0 are small compared with any other modulus, so one special prime is
/// enough, and the key for the switch to the sparse secret is never used beyond `q_0·p_0`.
pub fn key_requests(bottom: SharedLimbs, raised: Basis) -> [KeyRequest; 2] {
    let bottom = Basis::main(1).sharing(bottom);
    [
        KeyRequest { purpose: KeyPurpose::DenseToSparse, shape: raising_shape(bottom) },
        KeyRequest { purpose: KeyPurpose::SparseToDense, shape: raising_shape(raised) },
    ]
}

/// Returns the dry run's shape of a raised ciphertext, for an input whose coefficients have noise of the given variance
/// modulo q_0: t = m/p + I at scale q_0.
///
/// Its slots have power N·Var(t), with Var(t) = (h + 1)/12 for a secret of weight h. The noise is that of the input and
/// of the two switches, about (N·2/3 + h)/12 per coefficient, times the number of owners.
#[must_use]
pub fn raised_shape(
    secret: EncapsulatedSecret,
    raised: Basis,
    bottom_prime: f64,
    input_noise: f64,
) -> Shape {
    let (n, overflow) = (secret.degree as f64, secret.overflow_variance());
    let rounding = secret.owners.mean_rounding_variance(secret.degree);
    let switching = n * rounding + n * (input_noise + overflow);
    // CoeffsToSlots moves errors of coefficients to slots: each is a sum over the whole secret.
    let noise = SlotNoise::gaussian(switching / (bottom_prime * bottom_prime));
    let shape = Shape::new(raised.main, bottom_prime, n * overflow, noise);
    Shape { chain: raised.chain, ..shape }
}

/// Raises a ciphertext of the client to `limbs` limbs.
///
/// The result's coefficients are `q_0·(m/p + I)` plus noise: m/p + I at scale q_0. NTTs: 4 for the switch to the sparse
/// secret, `4·limbs + 5` for the switch back. If a matrix of `dft`, which is applied next, raises, that matrix switches
/// back instead.
pub fn mod_raise(
    evaluator: &Evaluator<'_>,
    input: &CoefficientCiphertext,
    limbs: usize,
    dft: &HomomorphicDft,
) -> Ciphertext {
    let ring = evaluator.ring();
    raise_before(evaluator, &switch_to_bottom(ring, input), ring.main_basis(limbs), dft)
}

/// Raises a ciphertext modulo q_0 like [`mod_raise`] to `raised`, before `dft` is applied.
///
/// # Panics
/// The panics of [`raise`].
pub fn raise_before(
    evaluator: &Evaluator<'_>,
    bottom: &RlweCiphertext,
    raised: Basis,
    dft: &HomomorphicDft,
) -> Ciphertext {
    let raise = if dft.raises() { raise_sparse } else { raise };
    raise(evaluator, bottom, raised)
}

/// Switches a ciphertext of the client to the modulus q_0: every word times `q_0/2^k`, rounded.
pub fn switch_to_bottom(ring: &Ring, input: &CoefficientCiphertext) -> RlweCiphertext {
    let (m0, bits) = (ring.modulus(0), input.log2_modulus);
    let bottom = |mut words: Vec<u64>| {
        from_power_of_two_assign(m0, &mut words, bits);
        Poly::<Coefficients>::from_words(ring, ring.main_basis(1), words).into_evaluations(ring)
    };
    let (b, a) = input.to_pair();
    RlweCiphertext { c0: bottom(b), c1: bottom(a) }
}

/// Raises a ciphertext modulo q_0, such as a result of SlotsToCoeffs, to the primes of `raised`: [`mod_raise`] without
/// the client's modulus.
///
/// # Panics
/// If the ciphertext has more than one prime.
pub fn raise(evaluator: &Evaluator<'_>, bottom: &RlweCiphertext, raised: Basis) -> Ciphertext {
    let ring = evaluator.ring();
    let Ciphertext { parts, scale } = raise_sparse(evaluator, bottom, raised);
    let key = evaluator.key(KeyPurpose::SparseToDense, raised);
    let mut raised = Digits::from_lifted(&parts.c1).inner_product(ring, key);
    add_times_special(ring, &mut raised.c0, &parts.c0);
    Ciphertext { parts: raised.divide_round(ring, 0), scale }
}

/// Raises a ciphertext like [`raise`], but leaves it under the sparse secret: only for a matrix that raises
/// ([`crate::TransformPlan::raises`]). The mask has one special prime more than the body.
///
/// # Panics
/// The panics of [`raise`].
fn raise_sparse(evaluator: &Evaluator<'_>, bottom: &RlweCiphertext, raised: Basis) -> Ciphertext {
    let ring = evaluator.ring();
    assert_eq!(bottom.c0.basis(), ring.main_basis(1), "primes before ModRaise");
    let key = evaluator.key(KeyPurpose::DenseToSparse, ring.main_basis(1));
    let sparse = switch_and_rescale(ring, &bottom.c0, &bottom.c1, key, 0);
    let with_special = raising_shape(raised).basis;
    let c0 = lift(ring, sparse.c0.into_coefficients(ring), raised);
    let c1 = lift(ring, sparse.c1.into_coefficients(ring), with_special);
    Ciphertext { parts: RlweCiphertext { c0, c1 }, scale: evaluator.prime(0) }
}

/// Reads centred coefficients modulo q_0 as integers modulo all primes of `basis`.
pub fn lift(ring: &Ring, poly: Poly<Coefficients>, basis: Basis) -> Poly<Evaluations> {
    let mut lifted = Poly::<Coefficients>::unspecified(ring, basis);
    lifted.for_each_limb(ring, |m, words| {
        kernels::lift_centered(m, words, poly.limb(0), ring.modulus(0));
    });
    lifted.into_evaluations(ring)
}

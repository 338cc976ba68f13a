//! The parts of functional bootstrapping that all methods share: the way from coefficients modulo the client's modulus
//! to the complex exponentials of their phases in slots, and the way from outputs in slots back to coefficients.
//!
//! These are lines 2 to 5, 7 and 8 of Algorithm 1 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623); lines 1
//! to 4, 10 and 11 of Algorithm 1 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301).

use cryptable_ckks::dry_run::Shape;

pub(crate) mod phase_exponential;
pub(crate) mod phase_start;
pub(crate) mod slots_to_coeffs;

/// Results of the dry run of a lookup by any method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookupShapes {
    /// The exponential of a phase, with its noise beyond that of the phase.
    pub exponential: Shape,
    /// Outputs in slots, before SlotsToCoeffs.
    pub outputs: Shape,
    /// The result, with outputs as fractions of P in its coefficients.
    pub result: Shape,
}

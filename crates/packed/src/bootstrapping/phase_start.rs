//! The two ways from a ciphertext to exponentials of its phases.

use cryptable_ckks::bootstrapping::block_product::BlockProduct;
use cryptable_ckks::dry_run::Shape;
use cryptable_ckks::{Arithmetic, Ciphertext, DryRun, Evaluator, LinearTransform};
use cryptable_lattice::Result;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;

use crate::bootstrapping::phase_exponential::PhaseExponential;
use crate::literal::ParametersLiteral;
use crate::step::Step;

/// A plan for exponentiating a ciphertext's phases.
#[derive(Clone, Debug)]
pub(crate) enum PhaseStart {
    /// ModRaise, CoeffsToSlots and a series, for any number of values.
    Raised(Box<PhaseExponential>),
    /// A product over the blocks of a small secret, for few values.
    Blocks(BlockProduct),
}

impl PhaseStart {
    /// Plans the literal's way over the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        match literal.block_product(primes) {
            Some(product) => Self::Blocks(product),
            None => Self::Raised(Box::new(PhaseExponential::new(literal, primes))),
        }
    }

    /// The plan of CoeffsToSlots and of the series, if phases are raised.
    pub(crate) fn raised(&self) -> Option<&PhaseExponential> {
        match self {
            Self::Raised(front) => Some(front),
            Self::Blocks(_) => None,
        }
    }

    /// The modulus that inputs are switched to.
    pub(crate) fn input_modulus(&self) -> f64 {
        match self {
            Self::Raised(front) => front.bottom_prime(),
            Self::Blocks(product) => product.prime(),
        }
    }

    /// Returns the same plan for a dry run that predicts the noise of an average input.
    pub(crate) fn of_average_phases(&self) -> Self {
        match self {
            Self::Raised(front) => Self::Raised(Box::new(front.of_average_phases())),
            Self::Blocks(_) => self.clone(),
        }
    }

    /// The exponentials in a dry run, with their noise beyond that of their phases, for an input whose noise has the
    /// given variance. `any_slots` is a dry run that counts the noise of all coefficients.
    pub(crate) fn predict(
        &self,
        dry_run: &DryRun,
        input_noise: f64,
        any_slots: &DryRun,
    ) -> Vec<Shape> {
        match self {
            Self::Raised(front) => front.predict(dry_run, front.raised_shape(input_noise)),
            Self::Blocks(product) => {
                let exponential = product.predict(any_slots);
                dry_run.repeat(any_slots);
                vec![exponential]
            }
        }
    }

    /// Computes the exponentials of a ciphertext.
    ///
    /// # Errors
    /// The errors of `step`, which is called [`STEPS_BEFORE_TABLES`](crate::akp::STEPS_BEFORE_TABLES) times.
    pub(crate) fn evaluate(
        &self,
        evaluator: &Evaluator<'_>,
        coeffs_to_slots: &[LinearTransform],
        input: &CoefficientCiphertext,
        step: Step<'_>,
    ) -> Result<Vec<Ciphertext>> {
        match self {
            Self::Raised(front) => {
                evaluator.begin_stage("mod_raise");
                let raised = front.raise(evaluator, input);
                step()?;
                let phases = front.phases(evaluator, coeffs_to_slots, raised);
                step()?;
                let exponentials = front.exponentials(evaluator, phases);
                step()?;
                Ok(exponentials)
            }
            Self::Blocks(product) => {
                let phases = product.switch(evaluator, input);
                step()?;
                let sums = product.sums(evaluator, &phases);
                step()?;
                let exponential = product.multiply(evaluator, sums);
                step()?;
                Ok(vec![exponential])
            }
        }
    }
}

//! Failure probability of a word: the union bound over all results of a plan.
//!
//! The engine's bound on the squared errors of a result fails with its stated probability, for each result separately.
//! The overflow of ModRaise leaves the interval of a bootstrap's series with half of that probability. An output is off
//! by half with the probability that follows from its noise.

use cryptable_lattice::FailureProbability;

use super::emission::Emitted;
use super::model::BitModel;
use super::plan::{Operation, PlanError, Step};
use super::remembered::Remembered;

/// Probability of a too large overflow, as a share of the stated probability.
const OVERFLOW: f64 = 0.5;

/// Failure probability of a word, and its largest contribution.
pub(super) struct Risk {
    /// log2 of the probability that a bit of any output of one word is wrong.
    pub(super) log2_fail: f64,
    results: usize,
    each: f64,
    gate: String,
}

impl Risk {
    pub(super) fn of<M: BitModel>(memory: &Remembered<'_, M>, emitted: &Emitted<M::Noise>) -> Self {
        let stated = memory.model.log2_fail_limit().exp2();
        let (mut sum, mut results) = (0.0, 0);
        let mut worst = (0.0, f64::NEG_INFINITY, 0);
        for (index, Step { operation, outputs, .. }) in emitted.steps.iter().enumerate() {
            if matches!(operation, Operation::Not(_)) {
                continue;
            }
            let own = stated * if operation.is_bootstrap() { 1.0 + OVERFLOW } else { 1.0 };
            sum += own * outputs.len() as f64;
            results += outputs.len();
            // Among results with equal contributions, the noisiest one.
            let fails = outputs.clone().map(|value| memory.log2_fail(emitted.noises[value]));
            let fails = fails.fold(f64::NEG_INFINITY, f64::max);
            if (own, fails) > (worst.0, worst.1) {
                worst = (own, fails, index);
            }
        }
        let of_output = |&value: &usize| memory.log2_fail(emitted.noises[value]).exp2();
        sum += emitted.outputs.iter().map(of_output).sum::<f64>();
        let (each, _, index) = worst;
        let gate = match emitted.steps.get(index) {
            Some(step) => format!("{} of step {index}", step.operation.name()),
            None => String::new(),
        };
        Self { log2_fail: sum.log2().min(0.0), results, each: each.log2(), gate }
    }

    pub(super) fn error(self, found: FailureProbability, limit: FailureProbability) -> PlanError {
        let Self { results, each, gate, .. } = self;
        PlanError::Failure { results, each, gate, found, limit }
    }
}

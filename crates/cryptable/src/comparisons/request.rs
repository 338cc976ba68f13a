//! Requests for comparisons: parameters, and a prediction for each operation.

use cryptable_packed::Operation;

use crate::engines::packed;
use crate::operation_plan::Title;
use crate::{OperationPlan, PlannedOperation, Request, Result};

/// The job of comparing encrypted integers, including maximum, ReLU and the like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparisons {
    bits: u32,
    digit_bits: Option<u32>,
}

impl Request<Comparisons> {
    /// Creates a request for comparisons of integers of `bits` bits, 4 to 39 at the default failure probability. Keys
    /// have one more bit, as headroom. Up to half the values of a full ciphertext, comparisons are cheaper the fewer
    /// values there are.
    ///
    /// ```
    /// use cryptable::Request;
    /// use cryptable::comparisons::Operation;
    /// let plan = Request::comparisons(21).log2_fail(-40.0).plan()?;
    /// assert_eq!(plan.parameters().input_modulus(), 1 << 22);
    /// let maximum = plan.operation(Operation::Maximum.name()).expect("a planned operation");
    /// assert!(maximum.failure.log2() <= -40.0 && maximum.lookups > 1);
    /// assert!(Request::comparisons(60).plan().is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn comparisons(bits: u32) -> Self {
        Self::of(Comparisons { bits, digit_bits: None })
    }

    /// Restricts the plan to digits of at most `bits` bits, 2 to 8; the most significant digit has exactly `bits` bits.
    /// Digits determine which bits [`EvaluationKey::floor`](crate::EvaluationKey::floor) removes. Default: the fastest
    /// size. Toys always have digits of 3 bits.
    ///
    /// ```
    /// use cryptable::Request;
    /// let plan = Request::comparisons(15).digit_bits(4).plan()?;
    /// assert_eq!(plan.parameters().digit_sizes()?, [16, 16, 16, 16]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn digit_bits(mut self, bits: u32) -> Self {
        self.job.digit_bits = Some(bits);
        self
    }

    /// Finds the fastest parameters, and predicts each operation.
    ///
    /// # Errors
    /// If a number is out of range, or if no parameters meet the request; the error states what is needed.
    pub fn plan(&self) -> Result<OperationPlan<Comparisons>> {
        let Self { job, limits } = *self;
        let Comparisons { bits, digit_bits } = job;
        let parameters = if limits.insecure_toy {
            packed::Parameters::insecure_toy_comparisons(bits)?
        } else {
            let request = packed::Request {
                log2_fail: limits.log2_fail,
                memory: limits.memory,
                count: limits.count(),
                digit_bits,
                ..packed::Request::new(2, 2)
            };
            packed::Parameters::for_comparisons(bits, &request)?
        };
        let slots = parameters.literal().slots as u64;
        let cost = limits.cost();
        let threads = limits.threads();
        let planned = |operation: Operation| {
            let bootstraps = parameters.bootstraps(operation);
            let prediction = parameters.operation_prediction(operation);
            PlannedOperation {
                name: operation.name(),
                lookups: bootstraps,
                tables: bootstraps,
                duration: prediction.duration(&cost, slots, threads),
                failure: parameters.operation_failure(operation),
            }
        };
        Ok(OperationPlan {
            job,
            threads,
            operations: Operation::ALL.into_iter().map(planned).collect(),
            peak_bytes: parameters.prediction().peak_bytes(),
            key_file_bytes: parameters.prediction().key_file_bytes,
            parameters: parameters.into(),
        })
    }
}

impl OperationPlan<Comparisons> {
    /// Returns the number of bits of the integers, without headroom.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.job.bits
    }
}

impl Title for OperationPlan<Comparisons> {
    fn title(&self) -> String {
        let bits = self.bits();
        format!("integers of {bits} bits, modulo 2^{}: one bit is headroom", bits + 1)
    }
}

//! Parameters for integers that are compared, and what each operation takes.

use std::fmt;
use std::time::Duration;

use cryptable_packed::Operation;

use crate::engines::packed;
use crate::{CostModel, FailureProbability, Parameters, Result};

/// What integers are to be compared, and what it may take.
///
/// ```
/// use cryptable::comparisons::{Operation, Request};
/// let plan = Request::new(21).log2_fail(-40.0).plan()?;
/// assert_eq!(plan.parameters().input_modulus(), 1 << 22);
/// let maximum = plan.operation(Operation::Maximum);
/// assert!(maximum.failure.log2() <= -40.0 && maximum.bootstraps > 1);
/// assert!(Request::new(60).plan().is_err());
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    bits: u32,
    packed: packed::Request,
    threads: usize,
    cost: CostModel,
    is_toy: bool,
}

impl Request {
    /// A request for integers of so many bits, from 4 to 39 at the default failure probability. The bit of headroom is added
    /// to these.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        let packed = packed::Request::new(2, 2);
        Self { bits, packed, threads: 1, cost: CostModel::calibrated(), is_toy: false }
    }

    /// Integers of so many bits in place of those of [`Request::new`].
    #[must_use]
    pub fn bits(mut self, bits: u32) -> Self {
        self.bits = bits;
        self
    }

    /// log2 of the largest probability that any integer of a full ciphertext comes out wrong of a whole operation. Left out: -64.
    #[must_use]
    pub fn log2_fail(mut self, log2_fail: f64) -> Self {
        self.packed.log2_fail = Some(log2_fail);
        self
    }

    /// The most bytes of memory that an operation may take on the server, keys included. Left out: any number.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.packed.memory = Some(bytes);
        self
    }

    /// How many integers are compared at once. Left out: as many as a ciphertext holds. Fewer than half of that are cheaper.
    #[must_use]
    pub fn values(mut self, values: usize) -> Self {
        self.packed.count = Some(values);
        self
    }

    /// Threads that times are predicted for. Left out: one.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// INSECURE parameters of a small ring, for tests.
    #[must_use]
    pub fn insecure_toy(mut self) -> Self {
        self.is_toy = true;
        self
    }

    /// Finds the fastest parameters.
    ///
    /// # Errors
    /// If a number is out of range, or nothing serves the request: names what is needed.
    pub fn plan(&self) -> Result<Plan> {
        let parameters = if self.is_toy {
            packed::Parameters::insecure_toy_comparisons(self.bits)?
        } else {
            packed::Parameters::for_comparisons(self.bits, &self.packed)?
        };
        let slots = parameters.literal().slots;
        let operations = Operation::ALL.map(|operation| PlannedOperation {
            operation,
            bootstraps: parameters.bootstraps(operation),
            duration: parameters.operation_prediction(operation).duration(
                &self.cost,
                slots as u64,
                self.threads,
            ),
            failure: parameters.operation_failure(operation),
        });
        let peak_bytes = parameters.prediction().peak_bytes();
        let key_file_bytes = parameters.prediction().key_file_bytes;
        let (bits, threads, parameters) = (self.bits, self.threads, parameters.into());
        Ok(Plan { bits, threads, parameters, operations, peak_bytes, key_file_bytes })
    }
}

/// What an operation on a full ciphertext takes.
#[derive(Clone, Copy, Debug)]
pub struct PlannedOperation {
    /// The operation.
    pub operation: Operation,
    /// Functional bootstraps, each of all integers.
    pub bootstraps: usize,
    /// Predicted time for a full ciphertext.
    pub duration: Duration,
    /// The probability that any integer of a full ciphertext comes out wrong.
    pub failure: FailureProbability,
}

/// Parameters, and what each operation takes. Its `Display` is the list.
#[derive(Clone, Debug)]
pub struct Plan {
    bits: u32,
    threads: usize,
    parameters: Parameters,
    operations: [PlannedOperation; Operation::ALL.len()],
    peak_bytes: usize,
    key_file_bytes: usize,
}

impl Plan {
    /// The parameters that keys are generated for.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What every operation takes.
    #[must_use]
    pub fn operations(&self) -> &[PlannedOperation] {
        &self.operations
    }

    /// What an operation takes.
    ///
    /// # Panics
    /// Never: all are planned.
    #[must_use]
    pub fn operation(&self, operation: Operation) -> PlannedOperation {
        let found = self.operations.iter().find(|planned| planned.operation == operation);
        *found.expect("all operations are planned")
    }

    /// Bits of the integers, without headroom.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Predicted bytes of memory of an operation on the server, keys included.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// Bytes of the evaluation key's file.
    #[must_use]
    pub fn key_file_bytes(&self) -> usize {
        self.key_file_bytes
    }

    /// Threads that times are predicted for.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }
}

impl AsRef<Parameters> for Plan {
    fn as_ref(&self) -> &Parameters {
        &self.parameters
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bits, threads, parameters, .. } = self;
        let values = parameters.values_per_ciphertext();
        writeln!(f, "integers of {bits} bits, modulo 2^{}: one bit is headroom", bits + 1)?;
        writeln!(f, "  {parameters}")?;
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        writeln!(
            f,
            "  {:.1} GB of memory, evaluation key of {:.1} GB",
            gigabytes(self.peak_bytes),
            gigabytes(self.key_file_bytes)
        )?;
        let plural = if *threads == 1 { "" } else { "s" };
        write!(f, "  {values} integers at once, {threads} thread{plural}, predicted:")?;
        for planned in &self.operations {
            let PlannedOperation { operation, bootstraps, duration, failure } = planned;
            let (operation, seconds) = (operation.name(), duration.as_secs_f64());
            write!(
                f,
                "\n    {operation:<17}{bootstraps:>3} bootstraps {seconds:>8.1} s  fails with {failure}"
            )?;
        }
        Ok(())
    }
}

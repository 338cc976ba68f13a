//! Requests for computing on columns of integers: parameters, and a prediction for each operation.

use std::time::Duration;

use cryptable_integers::{
    AnyColumn, ColumnKind, DryRun, Evaluator, LookupModel, Operation, Outline, Piece,
    PlannedOperand, insecure_packed_toy, insecure_packed_toy_of, packed_parameters_for,
    single_parameters_for,
};

use crate::engines::{packed, single};
use crate::operation_plan::Title;
use crate::{
    Engine, Error, FailureProbability, Limits, OperationPlan, Parameters, PlannedOperation,
    Request, Result,
};

/// Bits per digit of packed integers, by default.
const PACKED_DIGIT_BITS: u32 = 3;

/// Bits per digit of packed integers for sums, by default.
const SUM_DIGIT_BITS: u32 = 4;

/// Bits per digit of integers of engine `single`, by default.
const SINGLE_DIGIT_BITS: u32 = 2;

/// Largest number of bits per digit of toys of engine `single`.
const MAX_SINGLE_TOY_BITS: u32 = 3;

/// Number of values of a packed toy.
const TOY_PLACES: usize = 1024;

/// Number of pieces of the piecewise linear function in plans.
const PIECES: i128 = 5;

/// Number of attempts to find parameters with which every operation keeps its failure probability. Each attempt lowers
/// the failure probability of lookups by the factor that the previous one missed, since other parameters need another
/// number of lookups.
const MAX_ATTEMPTS: usize = 6;

/// Extra margin per attempt, in bits, since decryption also contributes to the probability.
const SURER: f64 = 0.05;

/// Operations on two columns that plans list.
const BINARY: [&str; 8] = ["add", "sub", "mul", "min", "max", "less", "less_or_equal", "equal"];

/// Number of largest integers of a column that plans search for.
const LARGEST: u64 = 10;

/// Least digit modulus with which columns can be searched and sorted.
const LEAST_MODULUS_OF_ROWS: u64 = 16;

/// Shifts by encrypted amounts that plans list.
const SHIFTS: [&str; 3] = ["shift_left", "shift_right", "rotate_left"];

/// The job of computing on columns of integers in digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integers {
    kind: ColumnKind,
    engine: Engine,
    digit_bits: Option<u32>,
    is_reduced: bool,
    is_searched: bool,
    is_for_sums: bool,
}

impl Request<Integers> {
    /// Creates a request for columns of integers. Keys serve integers of every kind, and keep the failure probability
    /// for operations on all of them; a plan predicts operations on `kind`.
    ///
    /// ```
    /// use cryptable::integers::ColumnKind;
    /// use cryptable::{Engine, Request};
    /// let plan = Request::integers(ColumnKind::of::<u16>()).engine(Engine::Single).plan()?;
    /// println!("{plan}");                                  // lookups, time and failures of every operation
    /// assert_eq!((plan.digit_bits(), plan.operations()[0].name), (2, "add"));
    /// assert!(plan.parameters().failure_probability().log2() <= -64.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn integers(kind: ColumnKind) -> Self {
        let (engine, digit_bits) = (Engine::Packed, None);
        let (is_reduced, is_searched, is_for_sums) = (false, false, false);
        Self::of(Integers { kind, engine, digit_bits, is_reduced, is_searched, is_for_sums })
    }

    /// Sets the engine: [`Engine::Packed`], the default, for thousands of integers at once, or [`Engine::Single`] for
    /// the lowest latency.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.job.engine = engine;
        self
    }

    /// Sets the number of bits per digit, 1 to 5. Default: 3 for packed values, 2 for single ones.
    #[must_use]
    pub fn digit_bits(mut self, bits: u32) -> Self {
        self.job.digit_bits = Some(bits);
        self
    }

    /// Prefers sums and comparisons: packed digits of four bits, or of two, with room for a carry but not for another
    /// digit. Carries, comparisons, equality, minimum and maximum then need about half the time, and products twice the
    /// time.
    ///
    /// ```
    /// use cryptable::Request;
    /// use cryptable::integers::ColumnKind;
    /// let plan = Request::integers(ColumnKind::of::<u32>()).for_sums().insecure_toy().plan()?;
    /// let less = plan.operations().iter().find(|operation| operation.name == "less");
    /// assert_eq!((plan.digit_bits(), less.map(|it| it.lookups)), (4, Some(8)));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn for_sums(mut self) -> Self {
        self.job.is_for_sums = true;
        self
    }

    /// Includes the propagation of carries ([`Operation::Reduce`]) in the predictions of all operations. Sums and
    /// differences leave carries unpropagated otherwise.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        self.job.is_reduced = true;
        self
    }

    /// Includes searches for largest integers ([`Operation::Largest`] for ten of them, [`Operation::Argmax`]) and sorts
    /// ([`Operation::Sort`]) in the predictions, and keeps the failure probability for these operations, too, on
    /// integers of this kind. Only packed values in digits of at least two bits support them.
    ///
    /// ```
    /// use cryptable::Request;
    /// use cryptable::integers::ColumnKind;
    /// let request = Request::integers(ColumnKind::of::<u8>()).digit_bits(2).searched();
    /// let plan = request.insecure_toy().plan()?;
    /// assert!(plan.operations().iter().any(|operation| operation.name == "largest"));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn searched(mut self) -> Self {
        self.job.is_searched = true;
        self
    }

    /// Finds the fastest parameters for digits of that size with which every operation keeps the failure probability, on
    /// integers of every kind.
    ///
    /// The probability, 2^-64 by default, is that of a whole operation on integers with one ciphertext per digit: all
    /// of its lookups and the decryption of the result, for any of the values. Products of 64 bits need the most
    /// lookups and thus determine the parameters, which makes operations on 8 bits 3 % slower.
    ///
    /// # Errors
    /// [`Error::FailureUnreachable`] if some operation fails more often with all parameters tried; it states the
    /// nearest probability. [`Error::Memory`] if the parameters need more memory than allowed. [`Error::Unsupported`]
    /// for [`Engine::Leveled`].
    pub fn plan(&self) -> Result<OperationPlan<Integers>> {
        let limit = self.limits.log2_fail.unwrap_or(FailureProbability::DEFAULT.log2());
        // A lookup has to fail less often than an operation, which consists of many lookups.
        let (mut lookup_limit, mut nearest) = (limit, None::<Error>);
        for _ in 0..MAX_ATTEMPTS {
            let parameters =
                self.parameters(lookup_limit).map_err(|error| nearest.take().unwrap_or(error))?;
            if self.limits.insecure_toy {
                return self.plan_with(parameters);
            }
            let mut of = "u64".to_owned();
            let mut worst = self.planned(&parameters, ListedOperation::with_most_lookups())?;
            for operation in self.operations_on_rows(&parameters)? {
                let planned = self.planned(&parameters, operation)?;
                if planned.failure > worst.failure {
                    (worst, of) = (planned, self.job.kind.to_string());
                }
            }
            let found = worst.failure.log2();
            if found <= limit {
                return self.plan_with(parameters);
            }
            let what = format!("{} of {of} in digits, by engine {}", worst.name, self.job.engine);
            nearest = Some(Error::FailureUnreachable { what, found, limit });
            lookup_limit -= found - limit + SURER;
        }
        Err(nearest.expect("an attempt that did not do"))
    }

    /// Returns the plan with these parameters, or an error if they exceed the memory limit.
    fn plan_with(&self, parameters: Parameters) -> Result<OperationPlan<Integers>> {
        let prediction = parameters.prediction();
        let needed = prediction.peak_bytes();
        if let Some(limit) = self.limits.memory.filter(|&limit| needed > limit) {
            return Err(Error::Memory { needed, limit });
        }
        Ok(OperationPlan {
            job: self.job,
            threads: self.limits.threads(),
            operations: self.operations(&parameters)?,
            peak_bytes: needed,
            key_file_bytes: prediction.key_file_bytes,
            parameters,
        })
    }

    /// Predicts every operation of the list with these parameters.
    fn operations(&self, parameters: &Parameters) -> Result<Vec<PlannedOperation>> {
        let (model, capacity) = model_of(parameters)?;
        let digit_bits = Evaluator::new(&DryRun::new(model, capacity))?.digit_bits();
        let mut operations = listed_operations(self.job.kind, digit_bits);
        operations.extend(self.operations_on_rows(parameters)?);
        operations.into_iter().map(|operation| self.planned(parameters, operation)).collect()
    }

    /// Lists the operations that depend on all rows of a column, if they are requested and supported.
    fn operations_on_rows(&self, parameters: &Parameters) -> Result<Vec<ListedOperation>> {
        let Integers { kind, is_searched, .. } = self.job;
        if !is_searched {
            return Ok(Vec::new());
        }
        if self.job.engine != Engine::Packed || parameters.input_modulus() < LEAST_MODULUS_OF_ROWS {
            let what = "searches and sorts of columns other than packed values in digits of two bits or more";
            return Err(Error::Unsupported(what.into()));
        }
        let rows = parameters.values_per_ciphertext() as u64;
        let largest = ListedOperation {
            name: "largest",
            operation: Operation::Largest(LARGEST.min(rows)),
            operands: vec![PlannedOperand::Column(kind)],
        };
        let named = |name| ListedOperation::named(name, &[PlannedOperand::Column(kind)]);
        Ok(vec![largest, named("argmax"), named("sort")])
    }

    /// Predicts one operation with these parameters: its lookups, time and failure probability.
    fn planned(
        &self,
        parameters: &Parameters,
        listed: ListedOperation,
    ) -> Result<PlannedOperation> {
        let ListedOperation { name, operation, operands } = listed;
        let (model, capacity) = model_of(parameters)?;
        let dry_run = DryRun::new(model, capacity);
        let mut results = operation.dry_run(&dry_run, &operands)?;
        if self.job.is_reduced {
            reduce(&Evaluator::new(&dry_run)?, &mut results)?;
        }
        let lookups = dry_run.lookups();
        let ciphertexts = results.iter().flat_map(AnyColumn::ciphertexts);
        Ok(PlannedOperation {
            name,
            lookups: lookups.len(),
            tables: lookups.iter().sum(),
            duration: self.duration(parameters, &lookups),
            failure: dry_run.failure_probability(ciphertexts)?,
        })
    }

    /// Finds the fastest parameters whose lookups keep this failure probability per ciphertext.
    fn parameters(&self, log2_fail: f64) -> Result<Parameters> {
        let Self { job: Integers { engine, digit_bits, is_for_sums, .. }, limits } = *self;
        Ok(match engine {
            Engine::Packed if is_for_sums => {
                let digit_bits = digit_bits.unwrap_or(SUM_DIGIT_BITS);
                if !matches!(digit_bits, 2 | SUM_DIGIT_BITS) {
                    let what = format!("digits of {digit_bits} bits for sums: use 4 bits, or 2");
                    return Err(Error::Unsupported(what));
                }
                let modulus = 2 << digit_bits;
                if limits.insecure_toy {
                    return Ok(insecure_packed_toy_of(modulus, TOY_PLACES)?.into());
                }
                let request = Self::packed_request(&limits, log2_fail, modulus);
                packed_parameters_for(digit_bits, &request)?.into()
            }
            Engine::Packed => {
                let digit_bits = digit_bits.unwrap_or(PACKED_DIGIT_BITS);
                if limits.insecure_toy {
                    return Ok(insecure_packed_toy(digit_bits, TOY_PLACES)?.into());
                }
                let request = Self::packed_request(&limits, log2_fail, 4);
                packed_parameters_for(digit_bits, &request)?.into()
            }
            Engine::Single if is_for_sums => {
                let what = "digits for sums of single values: use engine packed".into();
                return Err(Error::Unsupported(what));
            }
            Engine::Single => {
                let digit_bits = digit_bits.unwrap_or(SINGLE_DIGIT_BITS);
                if limits.insecure_toy {
                    let modulus = 1 << (2 * digit_bits.min(MAX_SINGLE_TOY_BITS));
                    return Ok(single::Parameters::insecure_toy(modulus, modulus)?.into());
                }
                single_parameters_for(digit_bits, log2_fail)?.into()
            }
            Engine::Leveled => {
                let what = "integers in digits by engine leveled: use packed or single";
                return Err(Error::Unsupported(what.into()));
            }
        })
    }

    /// Returns the request for parameters of packed digits.
    fn packed_request(limits: &Limits, log2_fail: f64, modulus: u64) -> packed::Request {
        packed::Request {
            count: limits.count(),
            memory: limits.memory,
            log2_fail: Some(log2_fail),
            ..packed::Request::new(modulus, modulus)
        }
    }

    /// Predicts the time of lookups, given the number of tables of each.
    fn duration(&self, parameters: &Parameters, lookups: &[usize]) -> Duration {
        let cost = self.limits.cost();
        let threads = self.limits.threads();
        let capacity = parameters.values_per_ciphertext() as u64;
        let one_table = parameters.prediction();
        let lookup_duration = |&tables: &usize| match parameters {
            Parameters::Packed(packed) => {
                packed.prediction_of(tables).duration(&cost, capacity, threads)
            }
            _ => {
                let values = self.limits.values.unwrap_or(1);
                one_table.duration(&cost, values.saturating_mul(tables as u64), threads)
            }
        };
        lookups.iter().map(lookup_duration).sum()
    }
}

/// Propagates the carries of integers.
fn reduce(server: &Evaluator<'_, DryRun<'_>>, results: &mut [AnyColumn<Outline>]) -> Result<()> {
    for result in results {
        if let AnyColumn::Integers(integers) = result {
            *result = server.reduce(integers)?.into();
        }
    }
    Ok(())
}

/// Returns the model of lookups, and the number of values that share a failure probability: those of one ciphertext.
fn model_of(parameters: &Parameters) -> Result<(&(dyn LookupModel + Sync), usize)> {
    Ok(match parameters {
        Parameters::Single(single) => (&**single, 1),
        other => (other.packed()?, parameters.values_per_ciphertext()),
    })
}

/// An operation of plans, by name, with fresh operands.
struct ListedOperation {
    name: &'static str,
    operation: Operation,
    operands: Vec<PlannedOperand>,
}

impl ListedOperation {
    /// Lists an operation that has a name of its own.
    fn named(name: &'static str, operands: &[PlannedOperand]) -> Self {
        let operation = Operation::by_name(name).expect("an operation of the list");
        Self { name, operation, operands: operands.to_vec() }
    }

    /// Lists the operation that needs the most lookups on integers of any kind: a product of 64 bits.
    fn with_most_lookups() -> Self {
        Self::named("mul", &[PlannedOperand::Column(ColumnKind::of::<u64>()); 2])
    }
}

/// Lists the operations that plans show, with fresh operands of this kind.
fn listed_operations(kind: ColumnKind, digit_bits: u32) -> Vec<ListedOperation> {
    let column = PlannedOperand::Column(kind);
    let amount = PlannedOperand::Column(ColumnKind::of::<u8>());
    let condition = PlannedOperand::Column(ColumnKind::BOOLEANS);
    // The piece of an integer is determined by its most significant digit.
    let most = 1 << (digit_bits - u32::from(digit_bits > 1));
    let slopes: Vec<_> = (0..PIECES.min(most)).map(|i| (i * 20, 1 + i as i64)).collect();
    let piecewise = ListedOperation {
        name: "piecewise",
        operation: Operation::Piecewise(Piece::continuous(&slopes), kind),
        operands: vec![column],
    };
    let mut all: Vec<_> =
        BINARY.iter().map(|name| ListedOperation::named(name, &[column, column])).collect();
    all.push(ListedOperation::named("select", &[condition, column, column]));
    all.extend(SHIFTS.iter().map(|name| ListedOperation::named(name, &[column, amount])));
    all.push(piecewise);
    all
}

impl OperationPlan<Integers> {
    /// Returns the kind of integers that operations are predicted for.
    #[must_use]
    pub fn kind(&self) -> ColumnKind {
        self.job.kind
    }

    /// Returns the number of bits per digit; each digit is a ciphertext.
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        cryptable_integers::digit_bits(self.parameters.input_modulus())
    }
}

impl Title for OperationPlan<Integers> {
    fn title(&self) -> String {
        format!("{} in digits of {} bits", self.kind(), self.digit_bits())
    }
}

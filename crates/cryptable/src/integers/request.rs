//! The job of computing on columns of integers: its parameters, and what each operation takes.

use std::time::Duration;

use cryptable_integers::{
    AnyColumn, ColumnKind, DryRun, Evaluator, LookupModel, Operation, Outline, Piece,
    PlannedOperand, insecure_packed_toy, packed_parameters_for, single_parameters_for,
};

use crate::engines::{packed, single};
use crate::operation_plan::Title;
use crate::{
    Engine, Error, FailureProbability, OperationPlan, Parameters, PlannedOperation, Request, Result,
};

/// Bits of a packed digit by default.
const PACKED_DIGIT_BITS: u32 = 3;

/// Bits of a digit of engine `single` by default.
const SINGLE_DIGIT_BITS: u32 = 2;

/// Most bits of a digit of single toys.
const MAX_SINGLE_TOY_BITS: u32 = 3;

/// Places of a packed toy.
const TOY_PLACES: usize = 1024;

/// Pieces of the piecewise linear function that is planned.
const PIECES: i128 = 5;

/// Limits the attempts to find parameters with which every operation keeps its failure probability. Each attempt lowers the
/// probability of lookups by as much as the attempt before missed, since other parameters take other numbers of lookups.
const MAX_ATTEMPTS: usize = 6;

/// Adds a margin to each step, in bits: decryption takes a share of the probability, too.
const SURER: f64 = 0.05;

/// Operations of two columns that are planned.
const BINARY: [&str; 8] = ["add", "sub", "mul", "min", "max", "less", "less_or_equal", "equal"];

/// Shifts by encrypted amounts that are planned.
const SHIFTS: [&str; 3] = ["shift_left", "shift_right", "rotate_left"];

/// Computes on columns of integers in digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integers {
    kind: ColumnKind,
    engine: Engine,
    digit_bits: Option<u32>,
    is_reduced: bool,
}

impl Request<Integers> {
    /// Requests keys for columns of integers. Keys serve integers of every kind, and keep the failure probability for
    /// operations on all of them; a plan states what operations on `kind` take.
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
        Self::of(Integers { kind, engine, digit_bits, is_reduced: false })
    }

    /// Sets the engine: [`Engine::Packed`], the default, for thousands of integers at once, or [`Engine::Single`] for the
    /// least latency.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.job.engine = engine;
        self
    }

    /// Sets the bits of a digit, 1 to 5. Default: 3 of packed values, 2 of single ones.
    #[must_use]
    pub fn digit_bits(mut self, bits: u32) -> Self {
        self.job.digit_bits = Some(bits);
        self
    }

    /// Plans operations together with the carries of their results ([`Operation::Reduce`]), which sums and differences leave
    /// where they are.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        self.job.is_reduced = true;
        self
    }

    /// Finds the fastest parameters for digits of that size with which every operation keeps the failure probability, on
    /// integers of every kind.
    ///
    /// That probability, 2^-64 by default, is of the whole operation on integers with one ciphertext per digit: all of its
    /// lookups and the decryption of the result, for any of the values. Products of 64 bits, which look up most often,
    /// decide; they cost operations on 8 bits 3 % of their time.
    ///
    /// # Errors
    /// If there are none within the limits: [`Error::FailureUnreachable`] names the best that parameters reach;
    /// [`Error::Unsupported`] for [`Engine::Leveled`].
    pub fn plan(&self) -> Result<OperationPlan<Integers>> {
        let limit = self.limits.log2_fail.unwrap_or(FailureProbability::DEFAULT.log2());
        // A lookup has to be surer than operations, which look up many times.
        let (mut of_lookups, mut nearest) = (limit, None::<Error>);
        for _ in 0..MAX_ATTEMPTS {
            let parameters =
                self.parameters(of_lookups).map_err(|error| nearest.take().unwrap_or(error))?;
            if self.limits.insecure_toy {
                return self.plan_with(parameters);
            }
            let worst = self.planned(&parameters, ListedOperation::with_most_lookups())?;
            let found = worst.failure.log2();
            if found <= limit {
                return self.plan_with(parameters);
            }
            let what = format!("{} of u64 in digits, by engine {}", worst.name, self.job.engine);
            nearest = Some(Error::FailureUnreachable { what, found, limit });
            of_lookups -= found - limit + SURER;
        }
        Err(nearest.expect("an attempt that did not do"))
    }

    /// The plan with these parameters, if they keep to the memory of the limits.
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
        let operations = listed_operations(self.job.kind, digit_bits);
        operations.into_iter().map(|operation| self.planned(parameters, operation)).collect()
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
        let Self { job: Integers { engine, digit_bits, .. }, limits } = *self;
        Ok(match engine {
            Engine::Packed => {
                let digit_bits = digit_bits.unwrap_or(PACKED_DIGIT_BITS);
                if limits.insecure_toy {
                    return Ok(insecure_packed_toy(digit_bits, TOY_PLACES)?.into());
                }
                let request = packed::Request {
                    count: limits.count(),
                    memory: limits.memory,
                    log2_fail: Some(log2_fail),
                    ..packed::Request::new(4, 4)
                };
                packed_parameters_for(digit_bits, &request)?.into()
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

    /// The time of lookups of a number of tables each.
    fn duration(&self, parameters: &Parameters, lookups: &[usize]) -> Duration {
        let cost = self.limits.cost();
        let threads = self.limits.threads();
        let capacity = parameters.values_per_ciphertext() as u64;
        let one_table = parameters.prediction();
        let of_lookup = |&tables: &usize| match parameters {
            Parameters::Packed(packed) => {
                packed.prediction_of(tables).duration(&cost, capacity, threads)
            }
            _ => {
                let values = self.limits.values.unwrap_or(1);
                one_table.duration(&cost, values.saturating_mul(tables as u64), threads)
            }
        };
        lookups.iter().map(of_lookup).sum()
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

/// The model of lookups, and the number of values that fail together: those of a ciphertext.
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

    /// Lists the operation that looks up most often on integers of any kind: a product of 64 bits.
    fn with_most_lookups() -> Self {
        Self::named("mul", &[PlannedOperand::Column(ColumnKind::of::<u64>()); 2])
    }
}

/// Lists the operations that plans show, with fresh operands of this kind.
fn listed_operations(kind: ColumnKind, digit_bits: u32) -> Vec<ListedOperation> {
    let column = PlannedOperand::Column(kind);
    let amount = PlannedOperand::Column(ColumnKind::of::<u8>());
    let condition = PlannedOperand::Column(ColumnKind::BOOLEANS);
    // Pieces are found by their most significant digit.
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
    /// The kind of integers that operations are planned for.
    #[must_use]
    pub fn kind(&self) -> ColumnKind {
        self.job.kind
    }

    /// Bits of a digit, which is a ciphertext.
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        self.parameters.input_modulus().ilog2() / 2
    }
}

impl Title for OperationPlan<Integers> {
    fn title(&self) -> String {
        format!("{} in digits of {} bits", self.kind(), self.digit_bits())
    }
}

//! What is asked for: a packed lookup and what comes after it, and the parameters of either end that may serve it.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::{FailureProbability, Result};
use cryptable_packed::{self as packed, MultiplexerLiteral};

use super::continuation::Continuation;

/// Ring degree and slots of packed toys.
const TOY: (usize, usize) = (2048, 1024);

/// Steps that may go wrong, among which the failure probability is shared where parameters are looked for.
const STEPS: usize = 4;

/// log2 of the largest failure probability of toys.
const TOY_LOG2_FAIL: f64 = -30.0;

/// What becomes of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returning {
    /// They stay single values, to be decrypted.
    #[default]
    Single,
    /// They are packed, to be decrypted.
    Packed,
    /// They are packed and looked up again, under the same packed parameters.
    LookedUp,
}

/// A packed lookup, what comes after it, and limits: everything that a plan follows from.
///
/// ```
/// use cryptable_conversion::bridges::{Function, Integers, Request, Returning};
/// let next = Integers { bits: 8, function: Function::Sign };
/// let request = Request::new(16, next).values(100).taken_out(20).returning(Returning::Packed);
/// // For use without `insecure_toy`, which keeps this example quick.
/// let plan = request.insecure_toy().plan()?;
/// println!("{plan}");                                  // time and failures of every step
/// assert!(plan.log2_fail() <= -30.0 && plan.steps().len() == 5);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request<C: Continuation> {
    pub(super) input_modulus: u64,
    pub(super) next: C,
    pub(super) values: Option<usize>,
    pub(super) taken_out: Option<usize>,
    pub(super) returning: Returning,
    pub(super) threads: usize,
    pub(super) cost: Option<CostModel>,
    pub(super) memory: Option<usize>,
    log2_fail: Option<f64>,
    pub(super) is_toy: bool,
}

impl<C: Continuation> Request<C> {
    /// Packed lookups of values below a modulus, and what comes next.
    #[must_use]
    pub fn new(input_modulus: u64, next: C) -> Self {
        Self {
            input_modulus,
            next,
            values: None,
            taken_out: None,
            returning: Returning::default(),
            threads: 1,
            cost: None,
            memory: None,
            log2_fail: None,
            is_toy: false,
        }
    }

    /// So many values are looked up at once. Left out: as many as a packed ciphertext holds.
    #[must_use]
    pub fn values(mut self, values: usize) -> Self {
        self.values = Some(values);
        self
    }

    /// So many of them go on one by one. Left out: all.
    #[must_use]
    pub fn taken_out(mut self, values: usize) -> Self {
        self.taken_out = Some(values);
        self
    }

    /// What becomes of results. Left out: they stay single values.
    #[must_use]
    pub fn returning(mut self, returning: Returning) -> Self {
        self.returning = returning;
        self
    }

    /// The most memory, in bytes, that a packed lookup may take, keys of both ends included.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The largest probability, log2, that any value of a packed ciphertext goes wrong anywhere on its way; -64 if left out.
    #[must_use]
    pub fn log2_fail(mut self, log2_fail: f64) -> Self {
        self.log2_fail = Some(log2_fail);
        self
    }

    /// Threads that times are predicted for: one by default.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// What operations cost on the machine that will do it. Left out: measured on this one.
    #[must_use]
    pub fn cost_model(mut self, cost: CostModel) -> Self {
        self.cost = Some(cost);
        self
    }

    /// INSECURE parameters of small rings, for tests.
    #[must_use]
    pub fn insecure_toy(mut self) -> Self {
        self.is_toy = true;
        self
    }

    /// log2 of the largest failure probability of a ciphertext.
    pub(super) fn limit(&self) -> f64 {
        let usual = if self.is_toy { TOY_LOG2_FAIL } else { FailureProbability::DEFAULT.log2() };
        self.log2_fail.unwrap_or(usual)
    }

    /// Parameters of what comes next, by the probability that each of the values taken out may fail with.
    pub(super) fn target_candidates(&self) -> Result<Vec<C::Target>> {
        let slots = packed::Request::new(self.input_modulus, self.next.output_modulus());
        let slots = packed::Request { count: self.values, ..slots }.values_per_ciphertext();
        let values = self.taken_out.or(self.values).unwrap_or(slots).min(slots);
        let of_value = FailureProbability::from_log2(self.limit()).of_each(STEPS * values);
        self.next.candidates(of_value.log2())
    }

    /// Parameters of the packed lookup, the fastest first; such that take what comes back, if that is looked up again.
    pub(super) fn packed_candidates(&self) -> Result<Vec<packed::Parameters>> {
        let output = self.next.output_modulus();
        if self.is_toy {
            return self.packed_toys(output);
        }
        let of_tables =
            FailureProbability::from_log2(self.limit()).of_each(STEPS * self.next.tables());
        packed::Parameters::candidates(&packed::Request {
            count: self.values,
            memory: self.memory,
            tables: self.next.tables(),
            log2_fail: Some(of_tables.log2()),
            ..packed::Request::new(self.input_modulus, output)
        })
    }

    /// A toy of each method: one interpolation, and trees over digits that may come back.
    fn packed_toys(&self, output: u64) -> Result<Vec<packed::Parameters>> {
        let whole = packed::Parameters::insecure_toy_of(self.input_modulus, output, TOY.0, TOY.1);
        let bits = self.input_modulus.ilog2();
        let fits = |width: &u32| {
            self.input_modulus.is_power_of_two() && bits.is_multiple_of(*width) && bits > *width
        };
        let tree = |width: u32| {
            let count = (bits / width) as usize;
            let (digits, selectors) = (vec![1 << width; count], vec![1; count]);
            let literal = MultiplexerLiteral { digits, selectors, ..Default::default() };
            packed::Parameters::insecure_toy_tree(output, TOY.0, TOY.1, literal, 0)
        };
        let trees = [2, 3].into_iter().filter(fits).map(tree);
        let (found, mut refused): (Vec<_>, Vec<_>) =
            std::iter::once(whole).chain(trees).partition(Result::is_ok);
        match found.into_iter().collect::<Result<Vec<_>>>()? {
            none if none.is_empty() => refused.swap_remove(0).map(|one| vec![one]),
            found => Ok(found),
        }
    }
}

//! Request: a packed lookup and its continuation, and the parameters of either end that may serve it.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::{FailureProbability, Result};
use cryptable_packed::{self as packed, DigitInputs, MultiplexerLiteral};

use super::continuation::Continuation;

/// Ring degree and slots of packed toys.
const TOY: (usize, usize) = (2048, 1024);

/// Steps that may go wrong, among which the failure probability is shared where parameters are looked for.
const STEPS: usize = 4;

/// log2 of the largest failure probability of toys.
const TOY_LOG2_FAIL: f64 = -30.0;

/// Bits of a digit in which results come back: of leveled values, and of radix integers.
const RETURNED_DIGIT_BITS: [u32; 2] = [2, 3];

/// Destination of results.
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
/// // For use without `is_toy`, which keeps this example quick.
/// let request = Request {
///     values: Some(100),
///     taken_out: Some(20),
///     returning: Returning::Packed,
///     is_toy: true,
///     ..Request::new(16, next)
/// };
/// let plan = request.plan()?;
/// println!("{plan}");                                  // time and failures of every step
/// assert!(plan.log2_fail() <= -30.0 && plan.steps().len() == 5);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request<C: Continuation> {
    /// Modulus of the values that are looked up packed.
    pub input_modulus: u64,
    /// Continuation of the lookup.
    pub next: C,
    /// Values per packed lookup. Default: as many as a packed ciphertext holds.
    pub values: Option<usize>,
    /// Values of those that go on one by one. Default: all.
    pub taken_out: Option<usize>,
    /// Form in which results come back. Default: they stay single values.
    pub returning: Returning,
    /// Bytes of memory that a packed lookup may take, keys of both ends included. Default: any number.
    pub memory: Option<usize>,
    /// log2 of the largest probability that any value of a packed ciphertext goes wrong anywhere on its way. Default: -64, or
    /// -30 of toys.
    pub log2_fail: Option<f64>,
    /// Threads that times are predicted for. Default: the threads of rayon's pool.
    pub threads: Option<usize>,
    /// Costs of operations on the machine that will run them. Default: measured on this one.
    pub cost: Option<CostModel>,
    /// INSECURE parameters of small rings, for tests.
    pub is_toy: bool,
}

impl<C: Continuation> Request<C> {
    /// Packed lookups of values below a modulus, and what comes next, without limits.
    #[must_use]
    pub fn new(input_modulus: u64, next: C) -> Self {
        Self {
            input_modulus,
            next,
            values: None,
            taken_out: None,
            returning: Returning::default(),
            memory: None,
            log2_fail: None,
            threads: None,
            cost: None,
            is_toy: false,
        }
    }

    /// The number of threads that times are predicted for.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads).max(1)
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

    /// Parameters of the packed lookup, fastest first; with `digit_inputs`, only those that look such ciphertexts up, too.
    pub(super) fn packed_candidates(
        &self,
        digit_inputs: Option<DigitInputs>,
    ) -> Result<Vec<packed::Parameters>> {
        let output = self.next.output_modulus();
        if self.is_toy {
            return self.packed_toys(output);
        }
        let of_tables =
            FailureProbability::from_log2(self.limit()).of_each(STEPS * self.next.tables());
        let request = packed::Request {
            count: self.values,
            memory: self.memory,
            tables: self.next.tables(),
            log2_fail: Some(of_tables.log2()),
            digit_inputs,
            ..packed::Request::new(self.input_modulus, output)
        };
        let fastest = packed::Parameters::candidates(&request);
        if self.returning != Returning::LookedUp {
            return fastest;
        }
        // Results come back in digits, which only trees look up: small moduli have none among their fastest. Trees of bits
        // take the noisiest digits.
        let of = |method, digit_bits| {
            let tree = packed::Request { method: Some(method), digit_bits, ..request };
            packed::Parameters::candidates(&tree)
        };
        let widths = self.digit_widths().into_iter();
        let trees = widths.map(|width| of(packed::Method::Cmt, Some(width)));
        let trees = trees.chain([of(packed::Method::Bmt, None)]);
        let (found, mut refused): (Vec<_>, Vec<_>) =
            std::iter::once(fastest).chain(trees).partition(Result::is_ok);
        if found.is_empty() {
            return refused.swap_remove(0);
        }
        Ok(found.into_iter().flatten().flatten().collect())
    }

    /// Lists the widths, in bits, of digits in which results may come back and that divide inputs evenly.
    fn digit_widths(&self) -> Vec<u32> {
        let bits = self.input_modulus.ilog2();
        let fits = |width: &u32| {
            self.input_modulus.is_power_of_two() && bits.is_multiple_of(*width) && bits > *width
        };
        RETURNED_DIGIT_BITS.into_iter().filter(fits).collect()
    }

    /// A toy of each method: one interpolation, and trees over digits that may come back.
    fn packed_toys(&self, output: u64) -> Result<Vec<packed::Parameters>> {
        let whole = packed::Parameters::insecure_toy_of(self.input_modulus, output, TOY.0, TOY.1);
        let tree = |width: u32| {
            let count = (self.input_modulus.ilog2() / width) as usize;
            let (digits, selectors) = (vec![1 << width; count], vec![1; count]);
            let literal = MultiplexerLiteral { digits, selectors, ..Default::default() };
            packed::Parameters::insecure_toy_tree(output, TOY.0, TOY.1, literal, 0)
        };
        let trees = self.digit_widths().into_iter().map(tree);
        let (found, mut refused): (Vec<_>, Vec<_>) =
            std::iter::once(whole).chain(trees).partition(Result::is_ok);
        match found.into_iter().collect::<Result<Vec<_>>>()? {
            none if none.is_empty() => refused.swap_remove(0).map(|one| vec![one]),
            found => Ok(found),
        }
    }
}

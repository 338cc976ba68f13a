//! Requests for bridges: a packed lookup and the operation that follows it, and the candidates of both ends.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::{FailureProbability, Result};
use cryptable_packed::{self as packed, DigitInputs, MultiplexerLiteral};

use super::continuation::Continuation;

/// Ring degree and slots of packed toys.
const TOY: (usize, usize) = (2048, 1024);

/// Number of steps that may fail and share the failure probability in the search for parameters.
const STEPS: usize = 4;

/// log2 of the largest failure probability of toys.
const TOY_LOG2_FAIL: f64 = -30.0;

/// Bits of the digits in which results can be packed again: digits of leveled values and of radix integers.
const RETURNED_DIGIT_BITS: [u32; 2] = [2, 3];

/// Form in which results are returned.
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

/// A packed lookup, the operation that follows it, and limits: everything that a plan depends on.
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
    /// Modulus of the values that are looked up.
    pub input_modulus: u64,
    /// Operation that follows the lookup.
    pub next: C,
    /// Values per packed lookup. Default: the capacity of a packed ciphertext.
    pub values: Option<usize>,
    /// Number of results that are extracted. Default: all.
    pub taken_out: Option<usize>,
    /// Form in which results are returned. Default: they stay single values.
    pub returning: Returning,
    /// Bytes of memory that a packed lookup may use, keys of both ends included. Default: no limit.
    pub memory: Option<usize>,
    /// log2 of the largest probability that any value of a packed ciphertext goes wrong in any step. Default: -64, or
    /// -30 for toys.
    pub log2_fail: Option<f64>,
    /// Threads that times are predicted for. Default: the threads of rayon's pool.
    pub threads: Option<usize>,
    /// Costs of operations on the machine that will run them. Default: measured on this machine.
    pub cost: Option<CostModel>,
    /// Whether to use INSECURE parameters on small rings, for tests.
    pub is_toy: bool,
}

impl<C: Continuation> Request<C> {
    /// Creates a request for packed lookups of values below a modulus, and the next operation, without limits.
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

    /// Returns the number of threads that times are predicted for.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads).max(1)
    }

    /// Returns log2 of the largest failure probability of a ciphertext.
    pub(super) fn limit(&self) -> f64 {
        let usual = if self.is_toy { TOY_LOG2_FAIL } else { FailureProbability::DEFAULT.log2() };
        self.log2_fail.unwrap_or(usual)
    }

    /// Returns parameters of the next operation, given the failure probability allowed for each extracted value.
    pub(super) fn target_candidates(&self) -> Result<Vec<C::Target>> {
        let slots = packed::Request::new(self.input_modulus, self.next.output_modulus());
        let slots = packed::Request { count: self.values, ..slots }.values_per_ciphertext();
        let values = self.taken_out.or(self.values).unwrap_or(slots).min(slots);
        let of_value = FailureProbability::from_log2(self.limit()).of_each(STEPS * values);
        self.next.candidates(of_value.log2())
    }

    /// Returns parameters of the packed lookup, fastest first; with `digit_inputs`, only those that can also look up
    /// such digits.
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
        // Results are returned in digits, which only trees can look up, but for small moduli none of the fastest
        // methods is a tree. Trees of bits accept the noisiest digits.
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

    /// Lists the widths, in bits, of digits in which results can be returned and that divide inputs evenly.
    fn digit_widths(&self) -> Vec<u32> {
        let bits = self.input_modulus.ilog2();
        let fits = |width: &u32| {
            self.input_modulus.is_power_of_two() && bits.is_multiple_of(*width) && bits > *width
        };
        RETURNED_DIGIT_BITS.into_iter().filter(fits).collect()
    }

    /// Returns one toy per method: one interpolation, and trees over digits that can be returned.
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

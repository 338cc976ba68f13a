//! Where lookups run: a key, arithmetic that computes with its switching keys, and matrices in the form of that arithmetic.

use std::fmt;

use cryptable_ckks::Evaluator;

use crate::keys::evaluation_key::EvaluationKey;
use crate::keys::lookup_matrices::LookupMatrices;
use crate::lookup::lookup_arithmetic::LookupArithmetic;

/// Lookups with one evaluation key, on the processor ([`EvaluationKey::lookups`]) or on other arithmetic. Methods have the
/// names and the results of those of [`EvaluationKey`], which are these on the processor.
///
/// ```
/// use cryptable_packed::{Lookups, Parameters, Progress, SecretKey, Table};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let lookups: Lookups<'_, _> = key.lookups();
/// let reverse = lookups.prepare(&Table::from_fn(4, 4, |x| 3 - x)?)?;
/// let input = secret.encrypt(&[0, 1, 2, 3])?;
/// let output = lookups.lookup(&input, &reverse, Progress::silent())?;
/// assert_eq!(secret.decrypt(&output)?, [3, 2, 1, 0]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Lookups<'a, A: LookupArithmetic> {
    pub(crate) key: &'a EvaluationKey,
    pub(crate) arithmetic: A,
    pub(crate) matrices: &'a LookupMatrices<A::Matrix>,
}

impl<'a, A: LookupArithmetic> Lookups<'a, A> {
    /// Lookups on arithmetic that has the ring and the switching keys of `key`,
    /// with its matrices ([`EvaluationKey::matrices`]).
    #[must_use]
    pub fn new(
        key: &'a EvaluationKey,
        arithmetic: A,
        matrices: &'a LookupMatrices<A::Matrix>,
    ) -> Self {
        Self { key, arithmetic, matrices }
    }

    /// The evaluation key.
    #[must_use]
    pub fn key(&self) -> &'a EvaluationKey {
        self.key
    }

    /// The arithmetic.
    #[must_use]
    pub fn arithmetic(&self) -> &A {
        &self.arithmetic
    }
}

impl<A: LookupArithmetic> fmt::Debug for Lookups<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookups").field("key", &self.key.key_id()).finish_non_exhaustive()
    }
}

impl EvaluationKey {
    /// Lookups on the processor.
    #[must_use]
    pub fn lookups(&self) -> Lookups<'_, Evaluator<'_>> {
        Lookups::new(self, Evaluator::new(self.ring(), self.keys()), self.matrices())
    }
}

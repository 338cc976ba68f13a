//! What a full-domain method is: a lookup, and the noise that it predicts.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Result, Table};

use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance, log2_sum};

/// Where a method may go wrong: a phase whose noise must stay within a margin.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What is decided.
    pub name: &'static str,
    /// Variance of the phase there.
    pub variance: Variance,
    /// Largest error that is decided right, as a fraction of the modulus of that phase.
    pub margin: f64,
}

/// Noise of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodNoise {
    /// Variance of the result, LWE modulo the LWE modulus.
    pub output: Variance,
    /// All decisions on the way. Decoding the result comes on top.
    pub decisions: Vec<Decision>,
}

impl MethodNoise {
    /// log2 of the probability that any decision, or decoding the result modulo `output_modulus`, goes wrong:
    /// the sum of all (union bound).
    #[must_use]
    pub fn log2_fail(&self, output_modulus: u64) -> f64 {
        let decoding = self.output.log2_tail(0.5 / output_modulus as f64);
        let tails = self.decisions.iter().map(|d| d.variance.log2_tail(d.margin));
        log2_sum(tails.chain([decoding]))
    }
}

/// What noise is predicted for.
#[derive(Clone, Copy, Debug)]
pub enum TableKind<'a> {
    /// A table that is known: its own norms count.
    Given(&'a Table),
    /// The worst table of these moduli.
    Worst {
        /// Input modulus p.
        input_modulus: u64,
        /// Output modulus P.
        output_modulus: u64,
    },
}

impl TableKind<'_> {
    /// Input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        match self {
            Self::Given(table) => table.input_modulus(),
            Self::Worst { input_modulus, .. } => *input_modulus,
        }
    }

    /// Output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        match self {
            Self::Given(table) => table.output_modulus(),
            Self::Worst { output_modulus, .. } => *output_modulus,
        }
    }
}

/// A full-domain functional bootstrap.
pub trait FullDomainMethod: std::fmt::Debug + Sync {
    /// The paper's name; a star stands for multi-value bootstrapping.
    fn name(&self) -> &'static str;

    /// Number of blind rotations.
    fn rotations(&self) -> usize;

    /// Number of switches to the LWE secret.
    fn key_switches(&self) -> usize {
        1
    }

    /// Number of packings by the trace.
    fn packings(&self) -> usize {
        0
    }

    /// Number of BFV products.
    fn products(&self) -> usize {
        0
    }

    /// f(m) for a ciphertext of m: LWE modulo the LWE modulus in and out, phase m·q/p in and f(m)·q/P out.
    ///
    /// # Errors
    /// If the ciphertext is not one of the key's parameters ([`EvaluationKey::check`]), the method does not support
    /// the plaintext modulus, or the key lacks what the method needs.
    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext>;

    /// Predicted noise, for an input of variance `input` (at the LWE modulus).
    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise;
}

/// log2 of the failure probability of a lookup whose input is a result of the same method, for the worst table:
/// lookups can follow each other without end.
#[must_use]
pub fn log2_fail(
    method: &dyn FullDomainMethod,
    model: &NoiseModel,
    input_modulus: u64,
    output_modulus: u64,
) -> f64 {
    let table = TableKind::Worst { input_modulus, output_modulus };
    let result = method.noise(model, table, Variance::ZERO).output;
    let input = if result > model.fresh() { result } else { model.fresh() };
    method.noise(model, table, input).log2_fail(output_modulus)
}

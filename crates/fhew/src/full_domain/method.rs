//! The interface of full-domain methods: a lookup, and a prediction of its noise.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::table_lookup::TableLookup;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, log2_sum};
use crate::parameters::Parameters;

/// A point where a method may go wrong: a phase whose noise must stay within a margin.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Name of the decision.
    pub name: &'static str,
    /// Law of the phase's noise.
    pub noise: NoiseLaw,
    /// Largest error for which the decision is right, as a fraction of the phase's modulus.
    pub margin: f64,
}

/// Noise of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodNoise {
    /// Law of the result's noise, LWE modulo the LWE modulus.
    pub output: NoiseLaw,
    /// All decisions on the way, except decoding of the result.
    pub decisions: Vec<Decision>,
}

impl MethodNoise {
    /// Returns log2 of the probability that any decision, or decoding the result modulo `output_modulus`, goes wrong:
    /// the sum of their probabilities (union bound).
    #[must_use]
    pub fn log2_fail(&self, output_modulus: u64) -> f64 {
        let decoding = self.output.log2_exceeds(0.5 / output_modulus as f64);
        let tails = self.decisions.iter().map(|d| d.noise.log2_exceeds(d.margin));
        log2_sum(tails.chain([decoding]))
    }
}

/// The table for which noise is predicted.
#[derive(Clone, Copy, Debug)]
pub enum TableKind<'a> {
    /// A known table, with its own norms.
    Given(&'a Table),
    /// The worst table with these moduli.
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

/// Numbers of costly operations of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Blind rotations.
    pub rotations: usize,
    /// Switches to the LWE secret.
    pub key_switches: usize,
    /// Packings by the trace.
    pub packings: usize,
    /// BFV products.
    pub products: usize,
}

impl Operations {
    /// Only the switch of a result to the LWE secret.
    pub const KEY_SWITCH: Self = Self { rotations: 0, key_switches: 1, packings: 0, products: 0 };
}

/// A full-domain functional bootstrap.
pub trait FullDomainMethod: std::fmt::Debug + Sync {
    /// The paper's name; a star stands for multi-value bootstrapping.
    fn name(&self) -> &'static str;

    /// Costly operations of a lookup of one table.
    fn operations(&self) -> Operations;

    /// Checks that the method supports an input modulus with these parameters: by default, an even one.
    ///
    /// # Errors
    /// If the method does not support the modulus.
    fn check_input_modulus(&self, parameters: &Parameters, modulus: u64) -> Result<()> {
        parameters.check_plaintext_modulus(modulus)
    }

    /// Checks a table and encodes it, once for any number of lookups.
    ///
    /// # Errors
    /// If the method does not support a modulus of the table with these parameters.
    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable>;

    /// Returns f(m) of every table for a ciphertext of m, doing shared work once: LWE modulo Q under the ring secret.
    ///
    /// # Errors
    /// If the key lacks a part that the method needs.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>>;

    /// Returns f(m) of every table for a ciphertext of m, each with the noise of a lookup by itself
    /// ([`FullDomainMethod::noise`]): bootstraps whose test polynomials do not depend on the table are shared.
    ///
    /// # Errors
    /// If the ciphertext does not have the key's parameters ([`EvaluationKey::check`]), or the key lacks a part that the
    /// method needs.
    ///
    /// # Panics
    /// If the tables have different moduli, or were encoded for other parameters or by another method.
    fn lookup_many(
        &self,
        key: &EvaluationKey,
        tables: &[&EncodedTable],
        input: &LweCiphertext,
    ) -> Result<Vec<LweCiphertext>> {
        key.check(input)?;
        EncodedTable::assert_fit(tables, key);
        if tables.is_empty() {
            return Ok(Vec::new());
        }
        Ok(key.key_switch_many(&self.evaluate(&TableLookup { key, tables, input })?))
    }

    /// Returns κ for a method that hides tables: results reveal nothing about a table but its outputs, within a statistical
    /// distance of 2^-κ. `None` by default.
    fn hidden_bits(&self) -> Option<u32> {
        None
    }

    /// Returns f(m) for a ciphertext of m: LWE modulo the LWE modulus in and out, phase m·q/p in and f(m)·q/P out.
    ///
    /// # Errors
    /// If the ciphertext does not have the key's parameters ([`EvaluationKey::check`]), the method does not support the
    /// plaintext modulus, or the key lacks a part that the method needs.
    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let table = self.encode(key.parameters(), table)?;
        Ok(self.lookup_many(key, &[&table], input)?.swap_remove(0))
    }

    /// Predicts the noise, for an input with noise of this law (at the LWE modulus).
    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise;
}

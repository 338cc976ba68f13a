//! AKP functional bootstrapping: Algorithm 1 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623), and its
//! multi-value form (their Section 5.3), which is Algorithm 1 (MVB) of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301).
//!
//! The steps are ModRaise, CoeffsToSlots, the exponential of the phase, the table's trigonometric Hermite
//! interpolation, and SlotsToCoeffs. The chain of primes, from the bottom up:
//!
//! | primes | used by |
//! |---|---|
//! | 1 | q_0, the modulus of the result |
//! | `slots_to_coeffs.primes` | SlotsToCoeffs and the constants of the interpolation, which share them |
//! | ceil(log2 p), plus one for orders above the first; 0 for p = 2 and the first order | the interpolation |
//! | `chebyshev_log_length + doublings`, one more per cleaned doubling, one without `chebyshev_least_depth` | the exponential |
//! | `coeffs_to_slots.primes` | CoeffsToSlots |

pub(crate) mod fourier_sums;
pub(crate) mod hermite_kernel;
pub(crate) mod hidden_interpolation;
pub(crate) mod interpolation;
pub(crate) mod trigonometric_hermite;

use cryptable_ckks::bootstrapping::homomorphic_dft::HomomorphicDft;
use cryptable_ckks::dry_run::{DryRunParameters, Shape, SlotNoise, SlotVariance};
use cryptable_ckks::hiding::Hiding;
use cryptable_ckks::{Arithmetic, Ciphertext, DryRun, Evaluator, LinearTransform};
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::hidden_table::{HiddenTable, HiddenTables};
use cryptable_lattice::{NoiseLaw, Result, Table};

use crate::akp::interpolation::{Interpolation, InterpolationShape};
use crate::bootstrapping::phase_start::PhaseStart;
use crate::bootstrapping::{LookupShapes, slots_to_coeffs};
use crate::literal::ParametersLiteral;
use crate::step::Step;

/// Number of progress steps before any table: ModRaise, CoeffsToSlots, the exponential.
pub(crate) const STEPS_BEFORE_TABLES: usize = 3;

/// The public, table-independent part of AKP for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct AkpCircuit {
    literal: ParametersLiteral,
    /// The way from a ciphertext to exponentials of its phases.
    pub start: PhaseStart,
    /// The plan of SlotsToCoeffs, for the scale at which the interpolation ends.
    pub slots_to_coeffs: HomomorphicDft,
    /// Flooding of the products of hidden tables. None until the noise that it must hide is known.
    hiding: Option<Hiding>,
    largest_phase: Option<f64>,
    primes: Vec<f64>,
}

impl AkpCircuit {
    /// Plans the circuit over the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        let mut circuit = Self {
            literal: literal.clone(),
            start: PhaseStart::new(literal, primes),
            slots_to_coeffs: HomomorphicDft::default(),
            hiding: None,
            largest_phase: None,
            primes: primes.to_vec(),
        };
        let (outputs, denominator) = (circuit.worst_outputs(), Interpolation::denominator(literal));
        circuit.slots_to_coeffs = slots_to_coeffs::plan(literal, primes, outputs, denominator);
        circuit
    }

    /// Returns the same circuit with flooding, which hides products as long as errors of phases are at most
    /// `largest_phase`.
    pub(crate) fn hiding(self, hiding: Hiding, largest_phase: f64) -> Self {
        Self { hiding: Some(hiding), largest_phase: Some(largest_phase), ..self }
    }

    /// Returns the same circuit for tables whose outputs differ by at most `range`.
    pub(crate) fn within(&self, range: u64) -> Self {
        let literal = ParametersLiteral { output_range: Some(range), ..self.literal.clone() };
        Self { literal, ..self.clone() }
    }

    /// The largest error of a phase, as a fraction of the torus, for which tables are hidden; none if tables are not
    /// hidden.
    pub(crate) fn largest_phase(&self) -> Option<f64> {
        self.largest_phase
    }

    /// Limbs and scale of the product that flooding hides, in a dry run of the worst table.
    pub(crate) fn hidden_product(&self) -> (usize, f64) {
        let outputs = self.worst_outputs();
        (outputs.limbs + 1, outputs.scale * self.primes[outputs.limbs])
    }

    /// The literal that the circuit was planned for.
    pub(crate) fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// A dry run over this circuit's chain and key shapes.
    pub(crate) fn dry_run(&self) -> DryRun {
        self.literal.dry_run(&self.primes)
    }

    /// A dry run like [`AkpCircuit::dry_run`] that counts the noise of all coefficients.
    fn any_slots(&self) -> DryRun {
        let parameters = self.literal.dry_run_parameters(&self.primes);
        DryRun::new(DryRunParameters { noise_coefficients: parameters.degree, ..parameters })
    }

    /// Noise of a coefficient modulo q_0 or the prime of the secret of blocks, for an input with this noise as a
    /// fraction of the client's modulus.
    pub(crate) fn input_noise(&self, input: NoiseLaw) -> NoiseLaw {
        self.literal.input_noise(self.start.input_modulus(), input)
    }

    /// Predicts the outputs in slots of the table that amplifies noise most.
    pub(crate) fn worst_outputs(&self) -> Shape {
        self.predict_worst(&self.dry_run(), 1, &self.slots_to_coeffs).outputs
    }

    /// Predicts a lookup of `tables` tables, each the one that amplifies noise most, with these matrices of
    /// SlotsToCoeffs.
    pub(crate) fn predict_worst(
        &self,
        dry_run: &DryRun,
        tables: usize,
        dft: &HomomorphicDft,
    ) -> LookupShapes {
        let (table, power) = (self.worst_interpolation(), self.literal.worst_power());
        self.predict_through(dry_run, &table, power, tables, dft)
    }

    /// Predicts the result of a table that looks random. Rounding errors of SlotsToCoeffs are proportional to outputs,
    /// which on average are far from the ends of their range.
    pub(crate) fn predict_typical(&self) -> Shape {
        let literal = &self.literal;
        let table = self.interpolation(&literal.typical_table());
        self.predict_average(&table, literal.output_width().powi(2) / 12.0)
    }

    /// Predicts the result of a table whose outputs have this mean square, as fractions of P, on an input of average
    /// noise.
    pub(crate) fn predict_average(&self, table: &Interpolation, mean_square: f64) -> Shape {
        let literal = &self.literal;
        let is_one = literal.slots < literal.ring_degree && !literal.complex_outputs;
        let parts = if is_one { 1.0 } else { 2.0 };
        let added = literal.hidden_tables().map_or(0.0, HiddenTables::variance);
        let power = SlotVariance(parts * (mean_square + added));
        let average = Self { start: self.start.of_average_phases(), ..self.clone() };
        average.predict_through(&self.dry_run(), table, power, 1, &self.slots_to_coeffs).result
    }

    /// Predicts `tables` lookups of `table`, whose outputs in slots have this power, on one fresh input and with these
    /// matrices of SlotsToCoeffs.
    ///
    /// Noise is followed in three parts, because the table treats them differently: that of the phase (which the zero
    /// slopes of the interpolation square), that of the exponential beyond the phase's (which cosines keep), and that
    /// of the interpolation and SlotsToCoeffs.
    fn predict_through(
        &self,
        dry_run: &DryRun,
        table: &Interpolation,
        power: SlotVariance,
        tables: usize,
        dft: &HomomorphicDft,
    ) -> LookupShapes {
        let fresh = self.literal.fresh_noise(self.literal.input_modulus);
        let input_noise = self.input_noise(fresh.law()).variance();
        let mut exponentials = self.start.predict(dry_run, input_noise, &self.any_slots());
        let exponential = exponentials[0];
        // A cosine is the output up to constants, with its noise.
        if table.has_powers() {
            exponentials.iter_mut().for_each(|z| z.noise = SlotNoise::ZERO);
        }
        let tables = vec![table; tables * self.literal.tables_of_output()];
        let mut outputs = self
            .look_up_many(dry_run, exponentials, &tables, &|| Ok(()))
            .expect("steps of a dry run do not fail");
        if table.has_powers() {
            outputs.iter_mut().for_each(|output| output.power = power);
        }
        let matrices = dft.plans();
        let finish = |&output: &Shape| {
            slots_to_coeffs::apply(dry_run, &self.literal, dft, &matrices, output)
        };
        let results: Vec<Shape> = outputs.iter().map(finish).collect();
        LookupShapes { exponential, outputs: outputs[0], result: results[0] }
    }

    /// Exponentials of a ciphertext in a dry run, without noise.
    pub(crate) fn predict_exponentials(&self, dry_run: &DryRun) -> Vec<Shape> {
        let mut exponentials = self.start.predict(dry_run, 0.0, &self.any_slots());
        exponentials.iter_mut().for_each(|z| z.noise = SlotNoise::ZERO);
        exponentials
    }

    /// The interpolation that amplifies noise most.
    pub(crate) fn worst_interpolation(&self) -> Interpolation {
        self.interpolation(&self.literal.worst_table())
    }

    /// The interpolation of a table for dry runs, which draw nothing at random.
    pub(crate) fn interpolation(&self, table: &Table) -> Interpolation {
        match self.literal.hidden_tables() {
            None => Interpolation::new(table, self.literal.hermite_order),
            Some(_) => hidden(table, None),
        }
    }

    /// The interpolation of a table for lookups.
    pub(crate) fn prepared(&self, table: &Table) -> Interpolation {
        match self.literal.hidden_tables() {
            None => self.interpolation(table),
            law => hidden(table, law),
        }
    }

    /// Computes the outputs of every table in slots: SlotsMVB. All tables share the powers of the exponentials. If
    /// outputs are complex, every two tables are the parts of one complex table.
    ///
    /// # Errors
    /// The errors of `step`, which is called [`AkpCircuit::table_steps`] times.
    pub(crate) fn look_up_many<A: Arithmetic>(
        &self,
        arithmetic: &A,
        exponentials: Vec<A::Ciphertext>,
        tables: &[&Interpolation],
        step: Step<'_>,
    ) -> Result<Vec<A::Ciphertext>> {
        let ParametersLiteral { log_babies, constant_bits, complex_outputs, .. } = self.literal;
        let (power, hiding) = (self.literal.worst_power(), self.hiding.as_ref());
        let shape =
            InterpolationShape { log_babies, constant_bits, complex_outputs, power, hiding };
        self.literal.in_slots(arithmetic, |slots| {
            interpolation::evaluate(slots, exponentials, tables, shape, step)
        })
    }

    /// Computes the outputs of every table in slots from a ciphertext: ModRaise, CoeffsToSlots with these matrices, the
    /// exponential, and [`AkpCircuit::look_up_many`].
    ///
    /// # Errors
    /// The errors of `step`, which is called [`STEPS_BEFORE_TABLES`] and [`AkpCircuit::table_steps`] times.
    pub(crate) fn look_up_in(
        &self,
        evaluator: &Evaluator<'_>,
        coeffs_to_slots: &[LinearTransform],
        input: &CoefficientCiphertext,
        tables: &[&Interpolation],
        step: Step<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let exponentials = self.start.evaluate(evaluator, coeffs_to_slots, input, step)?;
        self.look_up_many(evaluator, exponentials, tables, step)
    }

    /// Number of progress steps of [`AkpCircuit::look_up_many`].
    pub(crate) fn table_steps(&self, tables: &[&Interpolation]) -> usize {
        interpolation::steps(self.literal.parts(), tables)
    }

    /// Applies SlotsToCoeffs: returns outputs as fractions of P in coefficients, at scale q_0 modulo q_0.
    pub(crate) fn finish<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        outputs: A::Ciphertext,
    ) -> A::Ciphertext {
        slots_to_coeffs::apply(arithmetic, &self.literal, &self.slots_to_coeffs, matrices, outputs)
    }
}

/// The interpolation of a hidden table. `law` says how it is hidden; dry runs have none.
fn hidden(table: &Table, law: Option<HiddenTables>) -> Interpolation {
    Interpolation::Hidden(HiddenTable::new(table.centered(), table.output_modulus(), law))
}

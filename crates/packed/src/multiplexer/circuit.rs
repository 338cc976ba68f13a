//! BMT-FBT and CMT-FBT: Algorithms 5 and 7 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301), for digits of any
//! sizes.
//!
//! Functional digit decomposition computes the Kronecker deltas of every digit, cleaning makes them precise if the
//! table is large, KProduct joins them to selectors, the multiplexer tree applies the table, and SlotsToCoeffs is last.
//! The chain of primes, from the bottom up:
//!
//! | primes | used by |
//! |---|---|
//! | 1 | q_0, the modulus of the result |
//! | `slots_to_coeffs.primes` | SlotsToCoeffs |
//! | one per row selector | the multiplexer tree |
//! | `ceil(log2 digits)` of the largest selector | KProduct |
//! | 2 per cleaning | cleaning of deltas |
//! | `ceil(log2(p - 1)) + 1`, 0 for p = 2 | Kronecker deltas |
//! | `chebyshev_log_length + doublings`, one more per cleaned doubling, one without `chebyshev_least_depth` | the exponential |
//! | `coeffs_to_slots.primes` | CoeffsToSlots |

use std::ops::Range;

use cryptable_ckks::bootstrapping::homomorphic_dft::{HomomorphicDft, join};
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::{NoiseLaw, Result, Table};
use cryptable_ring::selected_product::TableMatrix;

use crate::bootstrapping::phase_exponential::PhaseExponential;
use crate::bootstrapping::{LookupShapes, slots_to_coeffs};
use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::multiplexer::entry_kind::EntryKind;
use crate::multiplexer::kronecker_product::{joint_kronecker_product, kronecker_product};
use crate::multiplexer::multiplexer_tree::{self, Selectors, row_selector};
use crate::multiplexer::table_step::{TableArithmetic, TableShape};
use crate::step::Step;

/// The deltas of one digit: `[part][value]`, one part per value in a slot.
pub(crate) type DigitDeltas<C> = Vec<Vec<C>>;

/// The public, table-independent part of a multiplexer bootstrapping for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct MultiplexerCircuit {
    pub(super) literal: ParametersLiteral,
    pub(super) multiplexer: MultiplexerLiteral,
    /// The plan of CoeffsToSlots and of the exponential.
    pub phase_exponential: PhaseExponential,
    /// The plan of SlotsToCoeffs, for the scale of outputs.
    pub slots_to_coeffs: HomomorphicDft,
    /// Scale of outputs, as fractions of the output modulus, before SlotsToCoeffs.
    pub(super) output_scale: f64,
    primes: Vec<f64>,
}

/// Results of the dry run of a decomposition.
pub(crate) struct DeltaPrediction {
    pub(crate) exponential: Shape,
    /// The deltas of all digits.
    pub(crate) deltas: Vec<DigitDeltas<Shape>>,
}

/// Results of the dry run for functions of one digit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DigitFunctionPrediction {
    /// Noise of slots.
    pub noise: SlotNoise,
    /// Unit of values: they are rounded to integer multiples of it.
    unit: f64,
}

impl DigitFunctionPrediction {
    /// The largest change that rounding makes to any of these values.
    pub(crate) fn rounding(&self, values: &[f64]) -> f64 {
        let of_value = |value: &f64| (value - (value / self.unit).round() * self.unit).abs();
        values.iter().map(of_value).fold(0.0, f64::max)
    }
}

/// Returns the factor that centred outputs in the table are multiplied by, so that their unit 1/(factor·P) divides the
/// unit 1/M of digits, or is at most 2^-14 of it.
pub(crate) fn entry_factor(literal: &ParametersLiteral) -> u64 {
    let (input, output) = (literal.input_modulus, literal.output_modulus);
    if output.is_multiple_of(input) {
        1
    } else if input.is_multiple_of(output) {
        input / output
    } else {
        (input << 14).div_ceil(output)
    }
}

impl MultiplexerCircuit {
    /// Plans the circuit over the given chain of primes.
    pub(crate) fn new(
        literal: &ParametersLiteral,
        multiplexer: &MultiplexerLiteral,
        primes: &[f64],
    ) -> Self {
        let mut circuit = Self {
            literal: literal.clone(),
            multiplexer: multiplexer.clone(),
            phase_exponential: PhaseExponential::new(literal, primes),
            slots_to_coeffs: HomomorphicDft::default(),
            output_scale: 0.0,
            primes: primes.to_vec(),
        };
        let dry_run = circuit.dry_run();
        let deltas = circuit.predict_deltas(&dry_run).deltas;
        let outputs = circuit.predict_outputs(&dry_run, deltas, circuit.worst_mean_square(), 1);
        circuit.output_scale = outputs.scale;
        circuit.slots_to_coeffs = slots_to_coeffs::plan(literal, primes, outputs, 1.0);
        circuit
    }

    /// The sizes of the digits, the least significant first.
    pub(crate) fn digits(&self) -> &[u64] {
        &self.multiplexer.digits
    }

    /// Number of table steps of a lookup.
    pub(crate) fn table_steps(&self) -> usize {
        multiplexer_tree::table_steps(&self.multiplexer.row_sizes())
    }

    /// Number of values per slot: 2 with full packing.
    pub(crate) fn parts(&self) -> usize {
        self.literal.parts()
    }

    /// Number of values per ciphertext.
    pub(crate) fn slots(&self) -> usize {
        self.literal.slots
    }

    /// Number of slots that are encoded: each holds two values with full packing, else one.
    pub(crate) fn complex_slots(&self) -> usize {
        self.literal.slots / self.parts()
    }

    /// The modulus of outputs.
    pub(crate) fn output_modulus(&self) -> u64 {
        self.literal.output_modulus
    }

    /// The chain of primes.
    pub(crate) fn primes(&self) -> &[f64] {
        &self.primes
    }

    /// Whether there is a level for entries that are plaintexts or ciphertexts.
    pub(crate) fn has_entry_level(&self) -> bool {
        self.multiplexer.entry_levels == 1
    }

    /// Limbs of column selectors where they meet entries of slots.
    pub(crate) fn entry_limbs(&self) -> usize {
        self.literal.output_limbs() + self.rows().len() + 1
    }

    /// Entries of every row selector, the least significant first.
    pub(crate) fn rows(&self) -> Vec<usize> {
        self.multiplexer.row_sizes()
    }

    /// A dry run over this circuit's chain and key shapes.
    pub(crate) fn dry_run(&self) -> DryRun {
        self.literal.dry_run(&self.primes)
    }

    /// Predicts a lookup of `tables` tables whose centred outputs have the given mean square: keys, counts, noise.
    ///
    /// With a level for entries, keys and noise cover all kinds of entries, and counts are those of integers.
    pub(crate) fn predict(
        &self,
        dry_run: &DryRun,
        mean_square: f64,
        tables: usize,
    ) -> LookupShapes {
        self.literal.request_raising(dry_run);
        let DeltaPrediction { exponential, deltas } = self.predict_deltas(dry_run);
        let delta = deltas[0][0][0];
        let outputs = self.predict_outputs(dry_run, deltas, mean_square, tables);
        let matrices = self.slots_to_coeffs.plans();
        let mut result = outputs;
        for _ in 0..tables {
            result = self.finish(dry_run, &matrices, outputs);
        }
        if self.has_entry_level() {
            for kind in [EntryKind::Plain, EntryKind::Encrypted] {
                let entries = self.dry_run();
                let noise = self.predict_slots(&entries, kind, mean_square).result.noise;
                entries.key_requests().into_iter().for_each(|key| dry_run.request(key));
                if noise.total() > result.noise.total() {
                    result.noise = noise;
                }
            }
        }
        // All digits except the last go through SlotsToCoeffs as well.
        let all = 0..self.digits().len();
        for digit in 0..all.end - 1 {
            let deltas = vec![vec![delta; self.digits()[digit] as usize]; self.parts()];
            let value = self.digit_value(dry_run, &deltas, digit, &all);
            self.finish(dry_run, &matrices, value);
        }
        LookupShapes { exponential, outputs, result }
    }

    /// Predicts the result of a table whose centred outputs have the given mean square, on an input of average noise.
    pub(crate) fn predict_average(&self, mean_square: f64) -> Shape {
        let phase_exponential = self.phase_exponential.of_average_phases();
        let average = Self { phase_exponential, ..self.clone() };
        average.predict(&self.dry_run(), mean_square, 1).result
    }

    /// The mean square of the table that amplifies noise most: half the output modulus everywhere.
    pub(crate) fn worst_mean_square(&self) -> f64 {
        (self.literal.output_modulus as f64 / 2.0).powi(2)
    }

    /// Predicts the outputs of `tables` tables in slots.
    fn predict_outputs(
        &self,
        dry_run: &DryRun,
        deltas: Vec<DigitDeltas<Shape>>,
        mean_square: f64,
        tables: usize,
    ) -> Shape {
        let selectors = self.selectors(dry_run, deltas);
        let rows = self.rows();
        let (outer, inner) = multiplexer_tree::step_shape(&rows);
        let mean_square = mean_square * (entry_factor(&self.literal) as f64).powi(2);
        let shape = TableShape { outer, inner, columns: selectors.columns.len(), mean_square };
        let parts = vec![shape; multiplexer_tree::table_steps(&rows)];
        let tables_of_output = vec![&parts[..]; self.literal.tables_of_output()];
        let look_up = || self.look_up(dry_run, &selectors, &tables_of_output, &|| Ok(()));
        let outputs = look_up().expect("steps of a dry run do not fail");
        for _ in 1..tables {
            let _ = look_up();
        }
        outputs
    }

    /// Predicts the noise of the worst table's result if deltas have only the noise of their last roundings, which are
    /// independent.
    pub(crate) fn selection_noise(&self) -> SlotNoise {
        let dry_run = self.dry_run();
        let mut deltas = self.predict_deltas(&dry_run).deltas;
        // A delta of two values is read from the cosine; others are rounded once, or as a sum of conjugates.
        let roundings = if self.literal.real_slots { 1.0 } else { 2.0 };
        for (deltas, &digit) in deltas.iter_mut().zip(self.digits()) {
            deltas.iter_mut().flatten().for_each(|delta| {
                let rounding = self.literal.in_slots(&dry_run, |it| it.rounding_noise(delta.scale));
                delta.noise = rounding * if digit == 2 { 0.0 } else { roundings };
            });
        }
        let outputs = self.predict_outputs(&dry_run, deltas, self.worst_mean_square(), 1);
        self.finish(&dry_run, &self.slots_to_coeffs.plans(), outputs).noise
    }

    /// Predicts the deltas of all digits.
    pub(crate) fn predict_deltas(&self, dry_run: &DryRun) -> DeltaPrediction {
        let front = &self.phase_exponential;
        // Exponentials of all digits have the same shape, since it does not include the noise of phases.
        let of_digit = dry_run.afresh();
        let exponentials = front.predict(&of_digit, front.raised_shape(0.0));
        let deltas = |digit| {
            dry_run.repeat(&of_digit);
            self.deltas(dry_run, exponentials.clone(), digit)
        };
        let deltas = (0..self.digits().len()).map(deltas).collect();
        DeltaPrediction { exponential: exponentials[0], deltas }
    }

    /// Noise of a coefficient modulo q_0 at the start of a digit, for a ciphertext of the digits `all` with this noise
    /// as a fraction of the client's modulus. This is the noise of the input, plus for later digits that of subtracting
    /// earlier digits, which are rounded modulo the client's modulus.
    pub(crate) fn digit_input_noise(
        &self,
        digit: usize,
        all: &Range<usize>,
        input: NoiseLaw,
    ) -> NoiseLaw {
        let literal = &self.literal;
        let input = literal.input_noise(self.primes[0], input);
        let ratio = self.primes[0] / f64::from(literal.log2_ciphertext_modulus).exp2();
        let subtracted =
            literal.mean_rounding_variance() * ratio * ratio * (digit - all.start) as f64;
        input
            .with_independent(NoiseLaw::gaussian(subtracted))
            .times(self.digit_multiplier(digit, all.end) as f64)
    }

    /// Predicts a result of [`MultiplexerCircuit::digit_function`] in coefficients, for outputs of ±1/2, the noisiest.
    /// Rounding values to units leaves a bias rather than noise: see [`DigitFunctionPrediction::rounding`].
    pub(crate) fn predict_digit_function(&self, digit: usize) -> DigitFunctionPrediction {
        let dry_run = self.dry_run();
        let mut deltas = self.predict_deltas(&dry_run).deltas.swap_remove(digit);
        let unit = deltas[0][0].scale / self.value_scale();
        // A dry run would count the rounding of constants as noise, in proportion to the power of the deltas.
        deltas.iter_mut().flatten().for_each(|delta| dry_run.declare_power(delta, 0.0));
        let values = vec![0.5; self.digits()[digit] as usize];
        let mut outputs = self.digit_function(&dry_run, &deltas, &values);
        dry_run.declare_power(&mut outputs, 0.25);
        let noise = self.finish(&dry_run, &self.slots_to_coeffs.plans(), outputs).noise;
        DigitFunctionPrediction { noise, unit }
    }

    /// Returns the factor that turns the phase of a ciphertext of m modulo M into that of a digit, once the lower
    /// digits are subtracted: the product of the higher digits' sizes, up to digit `end` of the ciphertext.
    pub(crate) fn digit_multiplier(&self, digit: usize, end: usize) -> u64 {
        self.digits()[digit + 1..end].iter().product()
    }

    /// The denominator of the unit that outputs are counted in, a multiple of the output modulus. Digits that are
    /// subtracted need units of 1/M.
    pub(crate) fn denominator(&self) -> f64 {
        (entry_factor(&self.literal) * self.literal.output_modulus) as f64
    }

    /// Makes the selectors of rows and columns from the deltas of all digits (KProduct).
    pub(crate) fn selectors<A: Arithmetic>(
        &self,
        arithmetic: &A,
        deltas: Vec<DigitDeltas<A::Ciphertext>>,
    ) -> Selectors<A::Ciphertext> {
        self.literal.in_slots(arithmetic, |slots| self.selectors_in(slots, deltas))
    }

    fn selectors_in<A: Arithmetic>(
        &self,
        arithmetic: &A,
        deltas: Vec<DigitDeltas<A::Ciphertext>>,
    ) -> Selectors<A::Ciphertext> {
        arithmetic.begin_stage("selectors");
        let count = self.multiplexer.selectors.len();
        let mut rows = Vec::with_capacity(count - 1);
        let mut columns = Vec::new();
        for (index, mut parts) in self.grouped(deltas).enumerate() {
            if index + 1 < count {
                let parts = parts.into_iter();
                let parts = parts.map(|part| kronecker_product(arithmetic, part)).collect();
                rows.push(row_selector(arithmetic, parts));
            } else if parts.len() == 2 {
                let (imaginary, real) = (parts.swap_remove(1), parts.swap_remove(0));
                columns = joint_kronecker_product(arithmetic, real, imaginary);
            } else {
                columns = kronecker_product(arithmetic, parts.swap_remove(0));
            }
        }
        Selectors { rows, columns }
    }

    /// The deltas of each selector's digits, `[part][digit][value]`.
    pub(crate) fn grouped<C>(
        &self,
        deltas: Vec<DigitDeltas<C>>,
    ) -> impl Iterator<Item = Vec<Vec<Vec<C>>>> {
        let mut deltas = deltas.into_iter();
        self.multiplexer.selectors.iter().map(move |&digits| {
            let mut by_part: Vec<_> =
                (0..self.parts()).map(|_| Vec::with_capacity(digits)).collect();
            for digit in deltas.by_ref().take(digits) {
                by_part.iter_mut().zip(digit).for_each(|(part, digit)| part.push(digit));
            }
            by_part
        })
    }

    /// Evaluates the multiplexer tree on the parts of a table in the order of its steps. Returns outputs as fractions
    /// of P in slots; two tables become the real and the imaginary parts of outputs.
    ///
    /// # Errors
    /// The errors of `step`, which is called after each table step.
    pub(crate) fn look_up<A: TableArithmetic>(
        &self,
        arithmetic: &A,
        selectors: &Selectors<A::Ciphertext>,
        tables: &[&[A::Table]],
        step: Step<'_>,
    ) -> Result<A::Ciphertext> {
        let evaluate = |table| {
            self.literal.in_slots(arithmetic, |slots| {
                multiplexer_tree::evaluate(slots, selectors, table, step)
            })
        };
        let parts = tables.iter().map(|table| evaluate(table)).collect::<Result<Vec<_>>>()?;
        let mut outputs = join(arithmetic, parts);
        arithmetic.divide_slots_assign(&mut outputs, self.denominator());
        Ok(outputs)
    }

    /// The entries of a table, one matrix per table step, for [`MultiplexerCircuit::look_up`]: up to 8 bytes per entry.
    pub(crate) fn table_matrices(&self, table: &Table) -> Vec<TableMatrix> {
        let columns = self.multiplexer.columns();
        let stride = table.values().len() / columns;
        let factor = entry_factor(&self.literal) as i64;
        let rows = self.rows();
        let (outer, inner) = multiplexer_tree::step_shape(&rows);
        let matrix = |step| {
            let first = step * outer * inner;
            TableMatrix::new(outer, inner, columns, |o, i, j| {
                table.centered_value(first + o * inner + i + j * stride) * factor
            })
        };
        (0..multiplexer_tree::table_steps(&rows)).map(matrix).collect()
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

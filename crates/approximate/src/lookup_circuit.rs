//! Functional bootstrapping of slots as a circuit, for ciphertexts and for dry runs: Algorithm 4 of Alexandru, Kim, Polyakov
//! (CRYPTO 2025, ePrint 2024/1623) on the chains, matrices and keys of plain bootstrapping.
//!
//! Slots x become `(x - first)/period` as fractions of q_0: they are lowered and multiplied by B/period, where B is the
//! range of the bootstrap, and SlotsToCoeffs divides by B. Then follow ModRaise, CoeffsToSlots, `z = e^{2πit}`, and the
//! table's polynomial in z.
//!
//! **Levels.** The input needs one level, or none if B/period is an integer. The exponential ends some levels above the
//! top (the levels of the odd function of plain bootstraps), and a table of `2^d` coefficients consumes d levels from
//! there.
//!
//! **Noise.** An error φ of the phase t consists of the error of the input over the period and that of the circuit. By
//! the kernel of the interpolation ([`cryptable_packed::HermiteKernel`]) it leaves `C·φ^(M+1)`, whose largest value is
//! the bias of the result. Errors of the modulus of z are multiplied by the table's gain, and the polynomial adds its
//! own noise.

use cryptable_ckks::bootstrapping::homomorphic_dft::join_halves;
use cryptable_ckks::dry_run::{Shape, SlotNoise, SlotVariance};
use cryptable_ckks::paterson_stockmeyer::{PolynomialBasis, Steps};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::embedding_bound::embedding_limit;
use cryptable_lattice::noise_law::NoiseLaw;
use num_complex::Complex64;
use rayon::prelude::*;

use crate::bootstrap_circuit::{BootstrapCircuit, CoefficientVariance, EVALUATION_MARGIN};
use crate::phase_series::{PhaseSeries, SlotPeriod};
use crate::slot_table::SlotTable;

/// B over a period counts as whole if it is within this fraction of a whole number.
const ROUNDING: f64 = 1e-12;

/// Results of the dry run of a lookup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedLookup {
    /// Largest error of the phase, except with the stated probability, as a fraction of half the distance of two
    /// points. For a smooth function, as a fraction of the distance beyond its interval for which bounds hold.
    pub phase_error: f64,
    /// Shape of the result. Its noise is that for the largest gain of any table, or of any input of a smooth function.
    pub shape: Shape,
    /// Rest of the largest phase error, plus the approximation error of the exponential.
    pub bias: f64,
    /// Standard deviation of a part of a slot to expect.
    pub expected_deviation: f64,
}

impl BootstrapCircuit {
    /// Levels of the results of a table; `None` if there are too few for it.
    pub(crate) fn level_after(&self, series: &PhaseSeries) -> Option<usize> {
        let limbs = self.limbs_of_exponential().checked_sub(series.levels())?;
        limbs.min(self.top_of_values()).checked_sub(self.levels.bottom() + self.joining())
    }

    /// Number of levels of the product that joins sparse slots, or 0.
    fn joining(&self) -> usize {
        usize::from(self.sparse.is_some())
    }

    /// Largest number of limbs of tables' values.
    fn top_of_values(&self) -> usize {
        self.levels.top() + self.joining()
    }

    /// Number of levels that inputs need: 0 if B/period is an integer.
    pub(crate) fn level_before(&self, period: SlotPeriod) -> usize {
        usize::from(self.factor(period).fract() != 0.0)
    }

    /// Returns the factor of slots, B/period, rounded to a whole number if only the rounding of B keeps it from being
    /// one.
    fn factor(&self, period: SlotPeriod) -> f64 {
        let factor = self.bootstrapping.log2_range.exp2() / period.period;
        let whole = factor.round();
        if (factor - whole).abs() <= ROUNDING * whole { whole } else { factor }
    }

    /// Limbs at the end of the exponential.
    fn limbs_of_exponential(&self) -> usize {
        self.exact_phase().limbs - self.odd_function.series.levels()
    }

    /// Moves slots to coefficients modulo q_0, as fractions of the period. They need at least
    /// [`BootstrapCircuit::level_before`] levels.
    pub(crate) fn phases_in_periods<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        ct: &A::Ciphertext,
        period: SlotPeriod,
        parts: usize,
    ) -> A::Ciphertext {
        let (factor, bottom) = (self.factor(period), self.levels.bottom());
        let mut moved = if arithmetic.limbs(ct) > bottom {
            self.levels.combine(arithmetic, &[ct], &[factor.into()], bottom)
        } else {
            let mut multiple = ct.clone();
            arithmetic.mul_integer_assign(&mut multiple, factor as i64);
            multiple
        };
        let first = -period.first * factor;
        let imaginary = if parts == 2 { first } else { 0.0 };
        arithmetic.add_constant_assign(&mut moved, Complex64::new(first, imaginary));
        self.slots_to_coeffs.apply(arithmetic, matrices, moved)
    }

    /// Evaluates tables of phases x = t/K, of real parts and, if there are two, imaginary parts. The tables share their
    /// powers.
    pub(crate) fn look_up<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
        series: &[&PhaseSeries],
        mask: Option<&A::Plain>,
    ) -> Vec<A::Ciphertext> {
        let levels = series.iter().map(|it| it.levels()).max().expect("a series");
        let evaluate = |x: A::Ciphertext| {
            let z = self.exponential(arithmetic, &x, levels);
            self.evaluate_series(arithmetic, &z, series)
        };
        let parts: Vec<Vec<_>> = phases.into_par_iter().map(evaluate).collect();
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        let join = |_| {
            let halves = parts.iter_mut().map(|part| part.next().expect("a result a series"));
            let joined = join_halves(arithmetic, halves.collect());
            self.join_sparse(arithmetic, joined, mask)
        };
        series.iter().map(join).collect()
    }

    /// Computes `e^{2πit}` for tables of this many levels, at a scale whose repeated squares have the scales of levels
    /// from the top on.
    fn exponential<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        levels: usize,
    ) -> A::Ciphertext {
        let top = self.top_of_values();
        let limbs = self.limbs_of_exponential().min(top + levels);
        let scale = (top..limbs).fold(self.levels.scale_at(self.levels.top()), |scale, index| {
            (scale * arithmetic.prime(index)).sqrt()
        });
        let mut z = self.odd_function.series.exponential(arithmetic, x, 0.0, scale);
        arithmetic.drop_to(&mut z, limbs);
        z
    }

    /// Evaluates half of `T(z)` for every series.
    pub(crate) fn evaluate_series<A: Arithmetic>(
        &self,
        arithmetic: &A,
        z: &A::Ciphertext,
        series: &[&PhaseSeries],
    ) -> Vec<A::Ciphertext> {
        // Results are at most at the top: series with few coefficients are padded with zeros.
        let least = arithmetic.limbs(z).saturating_sub(self.top_of_values());
        let levels_of = |series: &PhaseSeries| series.levels().max(least);
        let log_length = series.iter().map(|it| levels_of(it) as u32).max().expect("a series");
        let log_babies = log_length.div_ceil(2);
        let steps = Steps::new(arithmetic, PolynomialBasis::Power, z, log_length, log_babies);
        let evaluate = |series: &&PhaseSeries| {
            let mut coefficients = series.halves().to_vec();
            coefficients.resize(1 << levels_of(series), Complex64::ZERO);
            let limbs = arithmetic.limbs(z) - levels_of(series) - self.joining();
            let scale = self.scale_before_joining(arithmetic, limbs);
            steps.evaluate_at_least_depth(arithmetic, &coefficients, scale)
        };
        series.iter().map(evaluate).collect()
    }

    /// Noise of the coefficients of exact slots, after [`BootstrapCircuit::phases_in_periods`].
    pub(crate) fn predict_coefficients(
        &self,
        dry_run: &DryRun,
        input: &Shape,
        period: SlotPeriod,
        parts: usize,
    ) -> CoefficientVariance {
        let (plans, zero) = (self.slots_to_coeffs.plans(), SlotVariance(0.0));
        let exact = Shape { noise: SlotNoise::ZERO, ..*input };
        self.phases_in_periods(dry_run, &plans, &exact, period, parts);
        self.coefficient_variance(&exact, |input| {
            // If all slots are zero, so is the first point.
            let first = if input.power == zero { 0.0 } else { period.first };
            let period = SlotPeriod { first, ..period };
            self.phases_in_periods(&dry_run.afresh(), &plans, input, period, parts)
        })
    }

    /// Dry run of a table of coefficients modulo q_0, which also have an earlier error, as fractions of q_0.
    pub(crate) fn predict_table(
        &self,
        dry_run: &DryRun,
        coefficients: CoefficientVariance,
        error: NoiseBound,
        parts: usize,
        table: &SlotTable,
    ) -> PredictedLookup {
        let of_circuit = self.predict_phases(dry_run, coefficients, parts);
        let phase = self.largest_phase_error(dry_run, of_circuit, error);
        let (shape, gained) = self.predict_polynomial(dry_run, parts, table.series());
        let kernel = table.kernel();
        let (gain, approximation) =
            (kernel.largest_gain(), self.odd_function.series.approximation_error());
        let left = kernel.largest_deviation(phase) + approximation * (1.0 + gain);
        let phase_variance = error.law().variance() + error.bias().powi(2);
        let left_on_average = kernel.mean_square_deviation(phase_variance + of_circuit);
        // The first omitted term of the series oscillates, half of it along the modulus.
        let of_series = (approximation / 2.0).powi(2);
        let gained_on_average = kernel.mean_square_gain() * (gained + of_series);
        let expected = shape.noise.total() / parts as f64
            + table.relative_variance() * (left_on_average + gained_on_average);
        let spread = table.spread();
        // Stated deviations are those of both parts, also for real slots.
        let noise =
            shape.noise.total() * 2.0 / parts as f64 + 2.0 * (spread * gain).powi(2) * gained;
        PredictedLookup {
            phase_error: phase * 2.0 * table.grid().count as f64,
            shape: Shape { noise: SlotNoise::roundings(noise), ..shape },
            bias: spread * left,
            expected_deviation: expected.sqrt(),
        }
    }

    /// The largest error of a phase, except with the stated probability, from the circuit's variance and the error of
    /// inputs.
    pub(crate) fn largest_phase_error(
        &self,
        dry_run: &DryRun,
        of_circuit: f64,
        error: NoiseBound,
    ) -> f64 {
        // The rounding at the switch of chains is noise of slots, half of which is in each part.
        let k = self.odd_function.series.bound;
        let rounding = dry_run.rounding_noise(self.exact_phase().scale).total() * k * k;
        let of_slots = NoiseLaw::slots(rounding / 2.0, embedding_limit(self.ring_degree()));
        let own = NoiseLaw::gaussian((of_circuit - rounding).max(0.0)).with_independent(of_slots);
        // Overflows use up half of the stated probability.
        let log2_fail = self.bootstrapping.log2_fail - 1.0;
        error.with_independent(NoiseBound::of_law(own, 0.0)).largest(log2_fail)
    }

    /// Predicts the polynomial of an exponential without noise, and the variance of the modulus of the exponential,
    /// whose phase is exact except for its imaginary part.
    pub(crate) fn predict_polynomial(
        &self,
        dry_run: &DryRun,
        parts: usize,
        series: &PhaseSeries,
    ) -> (Shape, f64) {
        let phase = self.exact_phase();
        let rounded = Shape { noise: dry_run.rounding_noise(phase.scale), ..phase };
        let z = self.exponential(dry_run, &rounded, series.levels());
        let exact = Shape { noise: SlotNoise::ZERO, ..z };
        let half = self.evaluate_series(dry_run, &exact, &[series]).swap_remove(0);
        let joined = join_halves(dry_run, vec![half; self.exponentials(parts)]);
        let joined = self.join_sparse(dry_run, joined, self.mask_plan(parts).as_ref());
        (joined, EVALUATION_MARGIN * z.noise.total() / 2.0)
    }
}

/// An error of slots as a fraction of a period.
pub(crate) fn in_periods(error: NoiseBound, period: SlotPeriod) -> NoiseBound {
    let factor = 1.0 / period.period;
    NoiseBound::of_law(error.law().times(factor), error.bias() * factor)
}

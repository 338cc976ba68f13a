//! The table step of AKP: the trigonometric Hermite interpolation of a table (line 6 of Algorithm 1 of Alexandru, Kim,
//! Polyakov, CRYPTO 2025, ePrint 2024/1623; Corollary 1, Theorems 2 and 3, and Remark 1 for p = 2), for one or two
//! values per slot and several tables at once (lines 5 to 8 of Algorithm 1 of Dumezy et al., TCHES 2026(1), ePrint
//! 2025/1301).

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::homomorphic_dft::{join, join_halves};
use cryptable_ckks::dry_run::SlotVariance;
use cryptable_ckks::hiding::Hiding;
use cryptable_ckks::paterson_stockmeyer::{ConstantScale, PolynomialBasis, Steps};
use cryptable_lattice::hidden_table::HiddenTable;
use num_complex::Complex64;

use crate::akp::hermite_kernel::HermiteOrder;
use crate::akp::hidden_interpolation::HiddenPowers;
use crate::akp::trigonometric_hermite::trigonometric_hermite;
use crate::literal::ParametersLiteral;
use crate::step::Step;
use cryptable_lattice::{Result, Table};

/// The coefficients of a table, ready to be evaluated on exponentials of the phase.
#[derive(Clone, Debug)]
pub(crate) enum Interpolation {
    /// p = 2 and first order (Remark 1): `f(0) + f(1) + (f(0) - f(1))·cos 2πt`, which is `2·P` times the output.
    Cosine {
        /// `f(0) + f(1)`.
        sum: i64,
        /// `f(0) - f(1)`.
        difference: i64,
    },
    /// All other tables (Corollary 1): half the coefficients of T, so that adding the conjugate yields Re T.
    Power(Vec<Complex64>),
    /// Hidden tables: constants are drawn for every lookup.
    Hidden(HiddenTable),
}

impl Interpolation {
    /// Interpolates `table`, with outputs as fractions of the output modulus.
    pub(crate) fn new(table: &Table, order: HermiteOrder) -> Self {
        let centered = table.centered();
        if let ([f0, f1], true) = (&centered[..], order.is_first()) {
            return Self::Cosine { sum: f0 + f1, difference: f0 - f1 };
        }
        let modulus = table.output_modulus() as f64;
        let values: Vec<f64> = centered.iter().map(|&v| v as f64 / modulus).collect();
        Self::of_values(&values, order)
    }

    /// Interpolates fractions within [-1/2, 1/2] by powers of the exponential.
    pub(crate) fn of_values(values: &[f64], order: HermiteOrder) -> Self {
        Self::Power(trigonometric_hermite(values, order).into_iter().map(|c| c / 2.0).collect())
    }

    /// Whether the interpolation is evaluated on powers of the exponential.
    pub(crate) fn has_powers(&self) -> bool {
        !matches!(self, Self::Cosine { .. })
    }

    /// The divisor that turns the interpolation's result into outputs as fractions of P.
    pub(crate) fn denominator(literal: &ParametersLiteral) -> f64 {
        if literal.is_cosine_table() { 2.0 * literal.output_modulus as f64 } else { 1.0 }
    }
}

/// Parameters for evaluating interpolations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InterpolationShape<'a> {
    /// log2 of the baby steps.
    pub log_babies: u32,
    /// Bits of constants that remain part of the scale.
    pub constant_bits: f64,
    /// Whether every two tables are the real and the imaginary part of one output.
    pub complex_outputs: bool,
    /// Upper bound on the mean square of slots: that of outputs of 1/2 in both parts, or more if multiples of 1 are
    /// added to hide outputs.
    pub power: SlotVariance,
    /// Flooding of the products of hidden tables.
    pub hiding: Option<&'a Hiding>,
}

/// Evaluates tables on one exponential (sparse packing) or two (real and imaginary parts of full packing). The outputs
/// of each table are one ciphertext, in the real parts (and imaginary parts) of its slots. For complex outputs, there
/// is one exponential, and one ciphertext per two tables.
///
/// The powers of an exponential are computed once for all tables (multi-value bootstrapping). Two threads process two
/// exponentials in parallel; one thread processes them one after the other, so that only the powers of one exponential
/// are in memory at a time.
///
/// # Errors
/// The errors of `step`, which is called [`steps`] times.
///
/// # Panics
/// If a table's input modulus is not that of the exponentials.
pub(crate) fn evaluate<A: Arithmetic>(
    arithmetic: &A,
    exponentials: Vec<A::Ciphertext>,
    tables: &[&Interpolation],
    shape: InterpolationShape<'_>,
    step: Step<'_>,
) -> Result<Vec<A::Ciphertext>> {
    // by_exponential[exponential][table]
    let evaluate = |exponential| evaluate_one(arithmetic, &exponential, tables, shape, step);
    let by_exponential: Vec<Vec<A::Ciphertext>> =
        arithmetic.map_all(exponentials, evaluate).into_iter().collect::<Result<_>>()?;
    let is_cosine = matches!(tables.first(), Some(Interpolation::Cosine { .. }));
    let joined = |parts: Vec<A::Ciphertext>| {
        if is_cosine {
            return join(arithmetic, parts);
        }
        let mut output = join_halves(arithmetic, parts);
        arithmetic.declare_power(&mut output, shape.power.0);
        output
    };
    if shape.complex_outputs {
        let mut outputs = by_exponential.into_iter().flatten();
        let pairs = std::iter::from_fn(|| Some(vec![outputs.next()?, outputs.next()?]));
        return Ok(pairs.map(joined).collect());
    }
    let mut by_exponential: Vec<_> = by_exponential.into_iter().map(Vec::into_iter).collect();
    let mut parts = |_| {
        let next = |exponential: &mut std::vec::IntoIter<A::Ciphertext>| {
            exponential.next().expect("one output per table")
        };
        by_exponential.iter_mut().map(next).collect()
    };
    Ok((0..tables.len()).map(|table| joined(parts(table))).collect())
}

/// Returns the number of progress steps that [`evaluate`] reports for `exponentials` exponentials: one for the powers
/// of each, and one per table.
pub(crate) fn steps(exponentials: usize, tables: &[&Interpolation]) -> usize {
    let has_powers = tables.iter().any(|table| table.has_powers());
    exponentials * (tables.len() + usize::from(has_powers))
}

/// Evaluates all tables on one exponential. Returns the outputs (for a cosine), or halves of complex numbers whose real
/// parts are the outputs.
fn evaluate_one<A: Arithmetic>(
    arithmetic: &A,
    exponential: &A::Ciphertext,
    tables: &[&Interpolation],
    InterpolationShape { log_babies, constant_bits, hiding, .. }: InterpolationShape<'_>,
    step: Step<'_>,
) -> Result<Vec<A::Ciphertext>> {
    let basis = PolynomialBasis::Power;
    let (mut powers, mut hidden_powers) = (None, None);
    let mut outputs = Vec::with_capacity(tables.len());
    for table in tables {
        arithmetic.begin_stage("interpolation");
        outputs.push(match table {
            Interpolation::Cosine { sum, difference } => {
                let mut output = exponential.clone();
                arithmetic.mul_integer_assign(&mut output, *difference);
                arithmetic.add_constant_assign(&mut output, Complex64::new(*sum as f64, 0.0));
                output
            }
            Interpolation::Power(coefficients) => {
                if powers.is_none() {
                    arithmetic.begin_stage("powers");
                    let log_length = coefficients.len().next_power_of_two().trailing_zeros();
                    let babies = log_babies.min(log_length);
                    powers = Some(Steps::new(arithmetic, basis, exponential, log_length, babies));
                    step()?;
                    arithmetic.begin_stage("interpolation");
                }
                let powers = powers.as_ref().expect("computed for the first table");
                powers.evaluate(arithmetic, coefficients, ConstantScale::Kept(constant_bits))
            }
            Interpolation::Hidden(table) => {
                if hidden_powers.is_none() {
                    arithmetic.begin_stage("powers");
                    let p = table.inputs();
                    hidden_powers = Some(HiddenPowers::new(arithmetic, exponential, p, log_babies));
                    step()?;
                    arithmetic.begin_stage("interpolation");
                }
                let powers = hidden_powers.as_ref().expect("computed for the first table");
                powers.evaluate(arithmetic, table, constant_bits, hiding)
            }
        });
        step()?;
    }
    Ok(outputs)
}

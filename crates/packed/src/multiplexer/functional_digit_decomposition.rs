//! FDD: Algorithm 2 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301), for digits of any sizes p_0, p_1, … whose
//! product is the modulus M.
//!
//! A ciphertext of m modulo M, multiplied by M/p_0, is a ciphertext of `m mod p_0` modulo p_0. This digit is
//! bootstrapped, and SlotsToCoeffs returns its value to the client's modulus, where it is subtracted. The rest,
//! `m - d_0`, is a multiple of p_0; multiplied by M/(p_0·p_1), it is a ciphertext of the next digit modulo p_1; and so
//! on. With powers of two these multiplications are the reductions modulo q of the paper. Every digit is bootstrapped,
//! so noise does not accumulate, and the margin grows with the digit.

use std::ops::Range;

use cryptable_ckks::bootstrapping::exponential::PhaseFunction;
use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_ckks::cleaning::{H1_LEVELS, H1_ROUNDINGS, h1};
use cryptable_ckks::{Arithmetic, Ciphertext, Evaluator};
use cryptable_lattice::Result;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use num_complex::Complex64;

use crate::keys::lookup_matrices::LookupMatrices;
use crate::multiplexer::circuit::{DigitDeltas, MultiplexerCircuit};
use crate::multiplexer::kronecker_deltas::kronecker_deltas;
use crate::multiplexer::real_deltas::real_deltas;
use crate::step::Step;

/// Number of progress steps per digit: ModRaise, CoeffsToSlots, the exponential, deltas, SlotsToCoeffs.
pub(crate) const STEPS_PER_DIGIT: usize = 5;

/// Evaluator that decomposes ciphertexts of one client, one digit after the other.
pub(crate) struct FunctionalDigitDecomposition<'a> {
    /// The circuit of a multiplexer tree, which knows the digits.
    pub circuit: &'a MultiplexerCircuit,
    /// The evaluator with the client's keys.
    pub evaluator: Evaluator<'a>,
    /// The matrices of the homomorphic DFTs.
    pub matrices: &'a LookupMatrices,
}

impl FunctionalDigitDecomposition<'_> {
    /// Decomposes a ciphertext that holds the given digits of the circuit (all of them, or some digits of an input that
    /// is spread over several ciphertexts). `consume(digit, deltas)` receives the deltas of every digit as soon as they
    /// are computed.
    ///
    /// # Errors
    /// The errors of `step`, which is called [`STEPS_PER_DIGIT`] times per digit, and those of `consume`.
    pub(crate) fn decompose(
        &self,
        input: &CoefficientCiphertext,
        digits: Range<usize>,
        step: Step<'_>,
        mut consume: impl FnMut(usize, DigitDeltas<Ciphertext>) -> Result<()>,
    ) -> Result<()> {
        let mut rest = input.clone();
        for digit in digits.clone() {
            let factor = self.circuit.digit_multiplier(digit, digits.end);
            let deltas = self.digit_deltas(&rest.mul_scalar(factor as i64), digit, step)?;
            if digit + 1 < digits.end {
                let value = self.circuit.digit_value(&self.evaluator, &deltas, digit, &digits);
                let value = self.to_coefficients(value, input, input.plaintext_modulus);
                rest = rest.sub(&value).expect("both are of the shape of the input");
            }
            step()?;
            consume(digit, deltas)?;
        }
        Ok(())
    }

    /// Computes the deltas of all digits of an input, which is one ciphertext or several, each with its digits.
    ///
    /// # Errors
    /// The errors of `step`.
    pub(crate) fn deltas(
        &self,
        inputs: &[(&crate::ciphertext::Ciphertext, Range<usize>)],
        step: Step<'_>,
    ) -> Result<Vec<DigitDeltas<Ciphertext>>> {
        let mut deltas = Vec::with_capacity(self.circuit.digits().len());
        for (input, digits) in inputs {
            self.decompose(input.body(), digits.clone(), step, |_, digit| {
                deltas.push(digit);
                Ok(())
            })?;
        }
        Ok(deltas)
    }

    /// Computes the deltas of a digit from a ciphertext of the digit modulo its size: SlotsMVB (line 3: Algorithm 1
    /// without its lines 9 to 11).
    fn digit_deltas(
        &self,
        input: &CoefficientCiphertext,
        digit: usize,
        step: Step<'_>,
    ) -> Result<DigitDeltas<Ciphertext>> {
        let evaluator = &self.evaluator;
        let front = &self.circuit.phase_exponential;
        evaluator.begin_stage("mod_raise");
        let raised = front.raise(evaluator, input);
        step()?;
        let phases = front.phases(evaluator, &self.matrices.coeffs_to_slots, raised);
        step()?;
        let exponentials = front.exponentials(evaluator, phases);
        step()?;
        let deltas = self.circuit.deltas(evaluator, exponentials, digit);
        step()?;
        Ok(deltas)
    }

    /// Applies SlotsToCoeffs and the switch to the client's modulus. Returns values modulo `plaintext_modulus` in the
    /// coefficients of the values of `input`.
    pub(crate) fn to_coefficients(
        &self,
        slots: Ciphertext,
        input: &CoefficientCiphertext,
        plaintext_modulus: u64,
    ) -> CoefficientCiphertext {
        let matrices = &self.matrices.slots_to_coeffs;
        let result = self.circuit.finish(&self.evaluator, matrices, slots);
        let (log2_modulus, layout) = (input.log2_modulus, input.layout);
        let shape = CoefficientShape { log2_modulus, plaintext_modulus, layout };
        self.evaluator.begin_stage("modulus_switch");
        switch_to_power_of_two(self.evaluator.ring(), result.parts, shape)
    }
}

impl MultiplexerCircuit {
    /// Computes the deltas of a digit from the exponentials of its phase: cleaned, with the limbs that its selector
    /// needs.
    ///
    /// Exponentials are processed one after the other, so that only the powers of one are in memory at a time. In real
    /// slots there is one exponential, in two parts.
    pub(crate) fn deltas<A: Arithmetic>(
        &self,
        arithmetic: &A,
        mut exponentials: Vec<A::Ciphertext>,
        digit: usize,
    ) -> DigitDeltas<A::Ciphertext> {
        let (p, kind) = (self.digits()[digit], self.literal.phase_function());
        let spare_bits = self.multiplexer.spare_bits_of(digit);
        if kind == PhaseFunction::Parts {
            let sine = exponentials.pop().expect("a sine");
            let cosine = exponentials.pop().expect("a cosine");
            return self.literal.in_slots(arithmetic, |real| {
                vec![self.cleaned(real, real_deltas(real, [cosine, sine], p, spare_bits), digit)]
            });
        }
        self.literal.in_slots(arithmetic, |slots| {
            let of_part = |exponential| {
                let deltas = kronecker_deltas(slots, &exponential, kind, p, spare_bits);
                drop(exponential);
                self.cleaned(slots, deltas, digit)
            };
            exponentials.into_iter().map(of_part).collect()
        })
    }

    /// Truncates the deltas of a digit to the limbs that its selector needs, and cleans them by `3x² - 2x³`: 0 and 1 do
    /// not change, and an error ε becomes `±3ε²` (BLEACH: Drucker et al., Journal of Cryptology 37(1), 2024, ePrint
    /// 2022/1298).
    fn cleaned<A: Arithmetic>(
        &self,
        arithmetic: &A,
        deltas: Vec<A::Ciphertext>,
        digit: usize,
    ) -> Vec<A::Ciphertext> {
        let limbs = self.literal.output_limbs() + self.multiplexer.delta_levels(digit);
        let cleaning = H1_LEVELS * self.multiplexer.delta_cleanings as usize;
        let power = 1.0 / deltas.len() as f64;
        arithmetic.map_all(deltas, |delta: A::Ciphertext| {
            if cleaning > 0 {
                arithmetic.begin_stage("delta_cleanings");
            }
            let mut delta = arithmetic.truncated(&delta, limbs + cleaning);
            for _ in 0..self.multiplexer.delta_cleanings {
                let mut cleaned = h1(arithmetic, &delta, &delta, 1);
                arithmetic.declare_cleaned(&mut cleaned, &delta, 3.0, H1_ROUNDINGS);
                arithmetic.declare_power(&mut cleaned, power);
                delta = cleaned;
            }
            // Every digit has its own exponential. Errors of its phase are tracked separately.
            arithmetic.declare_source(&mut delta, digit as u32);
            delta
        })
    }

    /// The value of a digit in its place, as a fraction of M: `d·p_0⋯p_{i-1}/M`, for a ciphertext of the
    /// digits `all`, p_0 the size of the first and M the product of all.
    ///
    /// The scale is that of outputs, as SlotsToCoeffs needs it.
    pub(crate) fn digit_value<A: Arithmetic>(
        &self,
        arithmetic: &A,
        deltas: &DigitDeltas<A::Ciphertext>,
        digit: usize,
        all: &Range<usize>,
    ) -> A::Ciphertext {
        let place: u64 = self.digits()[all.start..digit].iter().product();
        let modulus: u64 = self.digits()[all.clone()].iter().product();
        let unit = place as f64 / modulus as f64;
        let values: Vec<f64> = (0..self.digits()[digit]).map(|d| d as f64 * unit).collect();
        self.digit_function(arithmetic, deltas, &values)
    }

    /// Evaluates any function of a digit, with `values[d]` within [-1, 1], at the scale of outputs. If this scale
    /// leaves too few bits to the constants, they use one more prime.
    pub(crate) fn digit_function<A: Arithmetic>(
        &self,
        arithmetic: &A,
        deltas: &DigitDeltas<A::Ciphertext>,
        values: &[f64],
    ) -> A::Ciphertext {
        arithmetic.begin_stage("digit_values");
        let inputs: Vec<_> = deltas.iter().flatten().collect();
        let row = (0..deltas.len()).flat_map(|part| {
            let unit = if part == 0 { Complex64::ONE } else { Complex64::I };
            values.iter().map(move |&value| unit * value)
        });
        let (primes, rows) = (self.value_primes(), [row.collect()]);
        let limbs = self.literal.output_limbs() + primes;
        self.literal.in_slots(arithmetic, |slots| {
            let scale = self.value_scale();
            let sum = slots.linear_combinations(limbs, &inputs, &rows, scale).swap_remove(0);
            if primes == 0 { sum } else { slots.rescale(sum, primes) }
        })
    }

    /// Number of primes that the constants of functions of a digit use: none if deltas have the scale of their prime.
    fn value_primes(&self) -> usize {
        usize::from(self.multiplexer.spare_bits > 0)
    }

    /// The scale of functions of a digit before the primes of the constants are dropped.
    pub(crate) fn value_scale(&self) -> f64 {
        let limbs = self.literal.output_limbs();
        let dropped = &self.primes()[limbs..limbs + self.value_primes()];
        self.output_scale * dropped.iter().product::<f64>()
    }
}

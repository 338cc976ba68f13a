//! Algorithms 2, 3 and 6 on ciphertexts, which bootstrap and subtract one digit after the other.

use std::ops::Range;

use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_ckks::{Ciphertext, Evaluator};
use cryptable_lattice::Result;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;

use crate::akp::STEPS_BEFORE_TABLES;
use crate::akp::interpolation::Interpolation;
use crate::keys::lookup_matrices::LookupMatrices;
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::step::Step;

/// Number of progress steps per cleared digit in addition to those of its tables: AKP's, and SlotsToCoeffs.
const STEPS_PER_DIGIT: usize = STEPS_BEFORE_TABLES + 1;

/// Evaluator that clears digits of one client's ciphertexts.
pub(crate) struct DigitClearingEvaluator<'a> {
    /// The circuit, which knows the digits.
    pub circuit: &'a MultiPrecisionCircuit,
    /// The evaluator with the client's keys.
    pub evaluator: Evaluator<'a>,
    /// The matrices of the homomorphic DFTs.
    pub matrices: &'a LookupMatrices,
}

impl DigitClearingEvaluator<'_> {
    /// Clears the given digits of an input whose lowest digit is the first of them: HomFloor (Algorithm 2), one digit
    /// after the other. The `tables` of each digit are evaluated in the same pass, on the powers that its value needs
    /// anyway; digits without a list have no tables. `consume` receives a ciphertext of each digit, modulo its size,
    /// before it is cleared (line 4 of Algorithm 6), and the outputs of its tables.
    ///
    /// # Errors
    /// The errors of `step`, which is called [`DigitClearingEvaluator::steps`] times, and those of `consume`.
    pub(crate) fn clear(
        &self,
        input: &CoefficientCiphertext,
        digits: Range<usize>,
        tables: &[Vec<Interpolation>],
        step: Step<'_>,
        mut consume: impl FnMut(CoefficientCiphertext, Vec<Ciphertext>) -> Result<()>,
    ) -> Result<CoefficientCiphertext> {
        let modulus = input.plaintext_modulus;
        let first = digits.start;
        let mut rest = input.clone();
        for digit in digits {
            let shifted = self.digit(&rest, digit);
            let asked = tables.get(digit - first).map_or(&[][..], Vec::as_slice);
            let all: Vec<&Interpolation> =
                std::iter::once(&self.circuit.clearing[digit].table).chain(asked).collect();
            let mut outputs = self.look_up(&shifted, &all, step)?;
            let value = outputs.remove(0);
            let matrices = &self.matrices.clearing[digit];
            let value = self.circuit.finish(&self.evaluator, digit, matrices, value);
            let shape = CoefficientShape {
                log2_modulus: input.log2_modulus,
                plaintext_modulus: modulus,
                layout: input.layout,
            };
            let value = switch_to_power_of_two(self.evaluator.ring(), value.parts, shape);
            let place = self.circuit.place(digit) / self.circuit.place(first);
            let centre = self.circuit.centre(digit) * place;
            let constants = vec![modulus - centre; input.layout.count];
            rest = rest.sub(&value).and_then(|rest| rest.add_plain(&constants))?;
            step()?;
            consume(shifted, outputs)?;
        }
        Ok(rest)
    }

    /// Makes a ciphertext of a digit, modulo its size, from the rest that is left once the lower digits are cleared.
    pub(crate) fn digit(
        &self,
        rest: &CoefficientCiphertext,
        digit: usize,
    ) -> CoefficientCiphertext {
        let mut shifted = rest.mul_scalar(self.circuit.multiplier(digit) as i64);
        shifted.plaintext_modulus = self.circuit.digits()[digit];
        shifted
    }

    /// Looks up tables of a digit. Returns outputs in slots.
    ///
    /// # Errors
    /// The errors of `step`.
    pub(crate) fn look_up(
        &self,
        digit: &CoefficientCiphertext,
        tables: &[&Interpolation],
        step: Step<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let matrices = &self.matrices.coeffs_to_slots;
        self.circuit.akp.look_up_in(&self.evaluator, matrices, digit, tables, step)
    }

    /// Number of progress steps of clearing digits, and of their tables.
    pub(crate) fn steps(&self, digits: Range<usize>, tables: &[Vec<Interpolation>]) -> usize {
        let first = digits.start;
        let steps = |digit: usize| {
            let asked = tables.get(digit - first).map_or(&[][..], Vec::as_slice);
            let value = std::iter::once(&self.circuit.clearing[digit].table);
            let all: Vec<&Interpolation> = value.chain(asked).collect();
            STEPS_PER_DIGIT + self.circuit.akp.table_steps(&all)
        };
        digits.map(steps).sum()
    }
}

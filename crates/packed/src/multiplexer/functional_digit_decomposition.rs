//! FDD: Algorithm 2 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301), for digits of any sizes p_0, p_1, … whose
//! product is the modulus M.
//!
//! A ciphertext of m modulo M, multiplied by M/p_0, is one of `m mod p_0` modulo p_0: that digit is
//! bootstrapped, its value goes back through SlotsToCoeffs to the client's modulus and is subtracted.
//! What is left, `m - d_0`, is a multiple of p_0; multiplied by M/(p_0·p_1) it is a ciphertext of the next
//! digit modulo p_1; and so on. With powers of two these multiplications are the reductions modulo q of
//! the paper. Every digit is bootstrapped, so noise does not add up, and the margin grows with the digit.

use std::ops::Range;

use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_ckks::{Arithmetic, Ciphertext, Evaluator};
use cryptable_lattice::Result;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;

use crate::keys::lookup_matrices::LookupMatrices;
use crate::multiplexer::circuit::{DigitDeltas, MultiplexerCircuit};
use crate::step::Step;

/// Steps of progress a digit: ModRaise, CoeffsToSlots, the exponential, deltas, SlotsToCoeffs.
pub(crate) const STEPS_PER_DIGIT: usize = 5;

/// A decomposition of ciphertexts of one client, digit after digit.
pub(crate) struct FunctionalDigitDecomposition<'a> {
    /// The circuit of a multiplexer tree, which knows the digits.
    pub circuit: &'a MultiplexerCircuit,
    /// The evaluator with the client's keys.
    pub evaluator: Evaluator<'a>,
    /// The matrices of the homomorphic DFTs.
    pub matrices: &'a LookupMatrices,
}

impl FunctionalDigitDecomposition<'_> {
    /// Decomposes a ciphertext that holds the given digits of the circuit (all of them, or some of an input that comes
    /// in several ciphertexts). `consume(digit, deltas)` gets the deltas of every digit as soon as they are there.
    ///
    /// # Errors
    /// Those of `step`, which is called [`STEPS_PER_DIGIT`] times a digit, and of `consume`.
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

    /// SlotsMVB of the deltas (line 3: Algorithm 1 without its lines 9 to 11), on a ciphertext of a digit modulo its size.
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

    /// SlotsToCoeffs and the switch to the client's modulus: values of `plaintext_modulus` where those of `input` are.
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

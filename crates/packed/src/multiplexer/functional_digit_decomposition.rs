//! FDD: Algorithm 2 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301), for digits of any sizes p_0, p_1, … whose
//! product is the modulus M.
//!
//! A ciphertext of m modulo M, multiplied by M/p_0, is one of `m mod p_0` modulo p_0: that digit is
//! bootstrapped, its value goes back through SlotsToCoeffs to the client's modulus and is subtracted.
//! What is left, `m - d_0`, is a multiple of p_0; multiplied by M/(p_0·p_1) it is a ciphertext of the next
//! digit modulo p_1; and so on. With powers of two these multiplications are the reductions modulo q of
//! the paper. Every digit is bootstrapped, so noise does not add up, and the margin grows with the digit.

use std::ops::Range;

use cryptable_ckks::Bootstrapping;
use cryptable_ckks::bootstrapping::modulus_switch::CoefficientShape;
use cryptable_lattice::Result;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;

use crate::keys::lookup_matrices::LookupMatrices;
use crate::multiplexer::circuit::{DigitDeltas, MultiplexerCircuit};
use crate::step::Step;

/// Steps of progress a digit: ModRaise, CoeffsToSlots, the exponential, deltas, SlotsToCoeffs.
pub(crate) const STEPS_PER_DIGIT: usize = 5;

/// A decomposition of ciphertexts of one client, digit after digit.
pub(crate) struct FunctionalDigitDecomposition<'a, A: Bootstrapping> {
    /// The circuit of a multiplexer tree, which knows the digits.
    pub circuit: &'a MultiplexerCircuit,
    /// The arithmetic with the client's keys.
    pub arithmetic: &'a A,
    /// The matrices of the homomorphic DFTs.
    pub matrices: &'a LookupMatrices<A::Matrix>,
    /// Limbs of the whole chain.
    pub limbs: usize,
}

impl<A: Bootstrapping> FunctionalDigitDecomposition<'_, A> {
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
        mut consume: impl FnMut(usize, DigitDeltas<A::Ciphertext>) -> Result<()>,
    ) -> Result<()> {
        let mut rest = input.clone();
        for digit in digits.clone() {
            let factor = self.circuit.digit_multiplier(digit, digits.end);
            let deltas = self.digit_deltas(&rest.mul_scalar(factor as i64), digit, step)?;
            if digit + 1 < digits.end {
                let value = self.circuit.digit_value(self.arithmetic, &deltas, digit, &digits);
                let value = self.to_coefficients(value, input, input.plaintext_modulus)?;
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
    ) -> Result<DigitDeltas<A::Ciphertext>> {
        let (arithmetic, front) = (self.arithmetic, &self.circuit.phase_exponential);
        arithmetic.begin_stage("mod_raise");
        let raised = arithmetic.mod_raise(input, self.limbs);
        step()?;
        let phases = front.phases(arithmetic, &self.matrices.coeffs_to_slots, raised);
        step()?;
        let exponentials = front.exponentials(arithmetic, phases);
        step()?;
        let deltas = self.circuit.deltas(arithmetic, exponentials, digit);
        step()?;
        Ok(deltas)
    }

    /// SlotsToCoeffs and the switch to the client's modulus: values of `plaintext_modulus` where those of `input` are.
    ///
    /// # Errors
    /// Those of [`Bootstrapping::switch_to_power_of_two`].
    pub(crate) fn to_coefficients(
        &self,
        slots: A::Ciphertext,
        input: &CoefficientCiphertext,
        plaintext_modulus: u64,
    ) -> Result<CoefficientCiphertext> {
        let matrices = &self.matrices.slots_to_coeffs;
        let result = self.circuit.finish(self.arithmetic, matrices, slots);
        let (log2_modulus, layout) = (input.log2_modulus, input.layout);
        let shape = CoefficientShape { log2_modulus, plaintext_modulus, layout };
        self.arithmetic.begin_stage("modulus_switch");
        self.arithmetic.switch_to_power_of_two(result, shape)
    }
}

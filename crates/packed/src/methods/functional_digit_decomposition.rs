//! FDD: Algorithm 2 of Dumezy et al., for digits of any sizes p_0, p_1, … whose product is the modulus M.
//!
//! A ciphertext of m modulo M, multiplied by M/p_0, is one of `m mod p_0` modulo p_0: that digit is
//! bootstrapped, its value goes back through SlotsToCoeffs to the client's modulus and is subtracted.
//! What is left, `m - d_0`, is a multiple of p_0; multiplied by M/(p_0·p_1) it is a ciphertext of the next
//! digit modulo p_1; and so on. With powers of two these multiplications are the reductions modulo q of
//! the paper. Every digit is bootstrapped, so noise does not add up, and the margin grows with the digit.

use std::ops::Range;

use cryptable_ckks::{Ciphertext, Evaluator, LinearTransform};
use cryptable_ring::modulus_switch::to_power_of_two_assign;
use cryptable_ring::{Evaluations, Poly, Ring};

use crate::methods::mod_raise::mod_raise;
use crate::methods::multiplexer_bootstrapping::{DigitDeltas, MultiplexerCircuit};

/// Steps of progress a digit: ModRaise, CoeffsToSlots, the exponential, deltas, SlotsToCoeffs.
pub const STEPS_PER_DIGIT: usize = 5;

/// A decomposition of one RLWE ciphertext, digit after digit.
#[derive(Debug)]
pub struct FunctionalDigitDecomposition<'a> {
    /// The circuit.
    pub circuit: &'a MultiplexerCircuit,
    /// The evaluator with the client's keys.
    pub evaluator: Evaluator<'a>,
    /// CoeffsToSlots.
    pub coeffs_to_slots: &'a [LinearTransform],
    /// SlotsToCoeffs.
    pub slots_to_coeffs: &'a [LinearTransform],
    /// log2 of the client's modulus.
    pub log2_modulus: u32,
    /// Limbs of the whole chain.
    pub limbs: usize,
}

impl FunctionalDigitDecomposition<'_> {
    /// Decomposes a pair `(b, a)` modulo the client's modulus that holds the given digits of the circuit (all
    /// of them, or some of an input that comes in several ciphertexts). `consume(digit, deltas)` gets the
    /// deltas of every digit as soon as they are there, and `step()` is called [`STEPS_PER_DIGIT`] times a
    /// digit.
    pub fn decompose(
        &self,
        (mut b, mut a): (Vec<u64>, Vec<u64>),
        digits: Range<usize>,
        step: &dyn Fn(),
        mut consume: impl FnMut(usize, DigitDeltas<Ciphertext>),
    ) {
        for digit in digits.clone() {
            let factor = self.circuit.digit_multiplier(digit, digits.end);
            let deltas =
                self.digit_deltas((self.scaled(&b, factor), self.scaled(&a, factor)), digit, step);
            if digit + 1 < digits.end {
                let value = self.circuit.digit_value(&self.evaluator, &deltas, digit, &digits);
                let (digit_b, digit_a) = self.to_coefficients(value);
                self.subtract_assign(&mut b, &digit_b);
                self.subtract_assign(&mut a, &digit_a);
            }
            step();
            consume(digit, deltas);
        }
    }

    /// SlotsMVB of the deltas, on a ciphertext of a digit modulo its size.
    fn digit_deltas(
        &self,
        pair: (Vec<u64>, Vec<u64>),
        digit: usize,
        step: &dyn Fn(),
    ) -> DigitDeltas<Ciphertext> {
        let (evaluator, front) = (&self.evaluator, &self.circuit.phase_to_wave);
        let raised = mod_raise(evaluator, pair, self.log2_modulus, self.limbs);
        step();
        let phases = front.phases(evaluator, self.coeffs_to_slots, raised);
        step();
        let waves = front.waves(evaluator, phases);
        step();
        let deltas = self.circuit.deltas(evaluator, waves, digit);
        step();
        deltas
    }

    /// SlotsToCoeffs and the switch to the client's modulus.
    #[must_use]
    pub fn to_coefficients(&self, slots: Ciphertext) -> (Vec<u64>, Vec<u64>) {
        let result = self.circuit.finish(&self.evaluator, self.slots_to_coeffs, slots);
        let ring = self.evaluator.ring();
        let switch = |poly| switch_to_power_of_two(ring, poly, self.log2_modulus);
        (switch(result.parts.c0), switch(result.parts.c1))
    }

    fn scaled(&self, words: &[u64], factor: u64) -> Vec<u64> {
        let mask = (1 << self.log2_modulus) - 1;
        words.iter().map(|word| word.wrapping_mul(factor) & mask).collect()
    }

    fn subtract_assign(&self, words: &mut [u64], other: &[u64]) {
        let mask = (1 << self.log2_modulus) - 1;
        for (word, other) in words.iter_mut().zip(other) {
            *word = word.wrapping_sub(*other) & mask;
        }
    }
}

/// A polynomial modulo q_0 as words modulo `2^bits`.
///
/// # Panics
/// If the polynomial has other limbs.
#[must_use]
pub fn switch_to_power_of_two(ring: &Ring, poly: Poly<Evaluations>, bits: u32) -> Vec<u64> {
    assert_eq!(poly.basis(), cryptable_ring::Basis::main(1));
    let mut words = poly.into_coefficients(ring).into_words();
    to_power_of_two_assign(ring.modulus(0), &mut words, bits);
    words
}

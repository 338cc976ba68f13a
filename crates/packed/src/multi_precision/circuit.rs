//! The circuit for functions of large values: AKP on one digit after the other.
//!
//! A ciphertext of m modulo M = p_0·p_1⋯, multiplied by M/p_0, is a ciphertext of the lowest digit modulo p_0. The
//! interpolation of `mod p_0` and SlotsToCoeffs bring the digit's value to its place in m, and it is subtracted
//! (Algorithm 2, HomFloor). The rest is a multiple of p_0; multiplied by M/(p_0·p_1), it is a ciphertext of the next
//! digit (the reductions modulo q and switches by p of Algorithm 3 are these multiplications). The last step is a table
//! of the last digit: for the sign, a step function.
//!
//! One polynomial serves all digits: digits of p_i values, p_i a divisor of the largest size p, are every (p/p_i)-th of
//! its p nodes. SlotsToCoeffs has separate matrices for each digit, whose entries bring values to their place.
//!
//! Cleared digits need little precision. An error ε of the value of digit i, as a fraction of p_i, is an error of
//! ε/p_{i+1} in the phase of the next digit, where values are 1/p_{i+1} apart.

use cryptable_ckks::bootstrapping::homomorphic_dft::HomomorphicDft;
use cryptable_ckks::dry_run::{Counts, SlotNoise};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result, check_within};

use crate::akp::AkpCircuit;
use crate::akp::interpolation::Interpolation;
use crate::bootstrapping::{LookupShapes, slots_to_coeffs};
use crate::literal::ParametersLiteral;

/// The public, table-independent part of functions of large values for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct MultiPrecisionCircuit {
    /// AKP on one digit of the largest size.
    pub akp: AkpCircuit,
    digits: Vec<u64>,
    /// Clearing of every digit except the last.
    pub clearing: Vec<DigitClearing>,
}

/// The plan for clearing one digit.
#[derive(Clone, Debug)]
pub(crate) struct DigitClearing {
    /// The interpolation of the digit's centred value, as a fraction of its size.
    pub table: Interpolation,
    /// SlotsToCoeffs that brings the digit to its place, as a fraction of M.
    pub slots_to_coeffs: HomomorphicDft,
    /// Noise of coefficients after SlotsToCoeffs, modulo q_0: the sum over slots.
    noise: SlotNoise,
}

impl MultiPrecisionCircuit {
    /// Plans the circuit over the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        let digits = literal.digits.clone();
        let digit_literal = ParametersLiteral {
            input_modulus: literal.interpolated_modulus(),
            digits: Vec::new(),
            // Every digit has its share of the failure probability.
            log2_fail: literal.log2_fail - literal.log2_raises(),
            ..literal.clone()
        };
        let akp = AkpCircuit::new(&digit_literal, primes);
        let mut circuit = Self { akp, digits, clearing: Vec::new() };
        let outputs = circuit.akp.worst_outputs();
        for digit in 0..circuit.digits.len() - 1 {
            let denominator = 1.0 / circuit.amplitude(digit);
            let plan = slots_to_coeffs::plan(circuit.akp.literal(), primes, outputs, denominator);
            let noise = circuit.akp.predict_worst(&circuit.akp.dry_run(), 1, &plan).result.noise;
            let table = circuit.value_of_digit(digit);
            circuit.clearing.push(DigitClearing { table, slots_to_coeffs: plan, noise });
        }
        circuit
    }

    /// Sizes of the digits, the least significant first.
    pub(crate) fn digits(&self) -> &[u64] {
        &self.digits
    }

    /// Returns the factor that turns the phase of a ciphertext of m modulo M into that of a digit, once the lower
    /// digits are cleared.
    pub(crate) fn multiplier(&self, digit: usize) -> u64 {
        self.digits[digit + 1..].iter().product()
    }

    /// Returns the place value of a digit, `p_0⋯p_{i-1}`.
    pub(crate) fn place(&self, digit: usize) -> u64 {
        self.digits[..digit].iter().product()
    }

    /// The range of a digit's values in their place, as a fraction of M.
    pub(crate) fn amplitude(&self, digit: usize) -> f64 {
        1.0 / self.multiplier(digit) as f64
    }

    /// Returns the negated constant that centres values of a digit: the interpolation is of `d - c`.
    pub(crate) fn centre(&self, digit: usize) -> u64 {
        self.digits[digit] / 2
    }

    /// Noise of slots that clearing a digit adds to the phase of the rest, as a fraction of M: the noise of its
    /// outputs.
    pub(crate) fn clearing_noise(&self, digit: usize) -> SlotNoise {
        self.clearing[digit].noise
    }

    /// The interpolation of a table of a digit, or of any other value whose size divides that of the largest digit.
    ///
    /// # Panics
    /// If the number of entries does not divide the size of the largest digit.
    pub(crate) fn digit_table(&self, table: &Table) -> Interpolation {
        let modulus = table.output_modulus() as f64;
        let centered = table.centered();
        self.interpolation(table.input_modulus(), |d| centered[d] as f64 / modulus)
    }

    /// The first digit of values modulo `modulus`, once all lower digits are cleared: the modulus is the product of
    /// this digit and all higher ones.
    pub(crate) fn first_digit(&self, modulus: u64) -> Option<usize> {
        (0..self.digits.len())
            .find(|&digit| self.digits[digit..].iter().product::<u64>() == modulus)
    }

    /// The size of the largest digit: inputs of digit tables have a modulus that divides it.
    pub(crate) fn largest(&self) -> u64 {
        self.akp.literal().input_modulus
    }

    /// The size of the last digit, half of whose values are negative.
    ///
    /// # Errors
    /// If it is odd.
    pub(crate) fn signed_digit(&self) -> Result<u64> {
        let size = self.digits[self.digits.len() - 1];
        if size.is_multiple_of(2) {
            return Ok(size);
        }
        let limit = "its size must be even for a sign".into();
        Err(Error::Parameter { name: "last digit", value: size as f64, limit })
    }

    /// The step function of the most significant digit: one output modulo `modulus` for the lower half of values, and
    /// another one for the upper half.
    ///
    /// Nodes of smaller digits are among those of the largest, and so are their halves.
    ///
    /// # Errors
    /// If the size of the last digit is odd.
    pub(crate) fn step(&self, outputs: [u64; 2], modulus: u64) -> Result<Interpolation> {
        let size = self.signed_digit()?;
        let outputs = outputs.map(|output| output as f64 / modulus as f64);
        Ok(self.interpolation(size, |d| outputs[usize::from(2 * d as u64 >= size)]))
    }

    /// Predicts clearing all digits, and `tables` tables of the last one, each the one that amplifies noise most.
    pub(crate) fn predict(&self, dry_run: &DryRun, tables: usize) -> LookupShapes {
        for clearing in &self.clearing {
            self.akp.predict_worst(dry_run, 1, &clearing.slots_to_coeffs);
        }
        self.akp.predict_worst(dry_run, tables, &self.akp.slots_to_coeffs)
    }

    /// Predicts the work of clearing the `cleared` lowest digits, and of `tables` tables of each of these and of the
    /// last one. Every table is assumed to be the most expensive one.
    pub(crate) fn predict_digit_tables(&self, cleared: usize, tables: usize) -> Counts {
        let dry_run = self.akp.dry_run();
        for digit in self.clearing.iter().take(cleared) {
            self.akp.predict_worst(&dry_run, 1 + tables, &digit.slots_to_coeffs);
        }
        if tables > 0 {
            self.akp.predict_worst(&dry_run, tables, &self.akp.slots_to_coeffs);
        }
        dry_run.counts()
    }

    /// Applies SlotsToCoeffs to a cleared digit.
    pub(crate) fn finish<A: Arithmetic>(
        &self,
        arithmetic: &A,
        digit: usize,
        matrices: &[A::Matrix],
        value: A::Ciphertext,
    ) -> A::Ciphertext {
        let plan = &self.clearing[digit].slots_to_coeffs;
        slots_to_coeffs::apply(arithmetic, self.akp.literal(), plan, matrices, value)
    }

    /// The centred value of a digit as a fraction of its size: `(d - c)/p_i`.
    fn value_of_digit(&self, digit: usize) -> Interpolation {
        let (size, centre) = (self.digits[digit], self.centre(digit) as f64);
        self.interpolation(size, |d| (d as f64 - centre) / size as f64)
    }

    /// Interpolates a function of `size` values, over the nodes of the largest digit.
    fn interpolation(&self, size: u64, f: impl Fn(usize) -> f64) -> Interpolation {
        let literal = self.akp.literal();
        let largest = literal.input_modulus;
        assert_eq!(largest % size, 0, "{size} values at {largest} nodes");
        let ratio = (largest / size) as usize;
        let values: Vec<f64> = (0..largest as usize).map(|node| f(node / ratio)).collect();
        Interpolation::of_values(&values, literal.hermite_order)
    }
}

/// Checks that a floor drops at least one digit and at most `most`, so that one is left.
pub(crate) fn check_cleared(count: usize, most: usize) -> Result<()> {
    check_within("number of cleared digits", count as u64, 1..=most as u64)
}

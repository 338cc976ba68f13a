//! Maximum, minimum, ReLU, absolute value and clamping with parameters that select in slots: passes through all digits
//! of the values, followed by products only.

use cryptable_ckks::Ciphertext as SlotCiphertext;
use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_lattice::error::Result;
use cryptable_lattice::{NoiseBound, Progress, Table};

use crate::akp::STEPS_BEFORE_TABLES;
use crate::akp::interpolation::Interpolation;
use crate::ciphertext::Ciphertext;
use crate::comparison::operation::Operation;
use crate::comparison::passes::Passes;
use crate::comparison::slot_selection::{RealSlots, Selected, SlotSelection};
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_precision::circuit::MultiPrecisionCircuit;

/// Parts of the parameters that selections in slots need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selecting<'a> {
    /// The digits.
    pub circuit: &'a MultiPrecisionCircuit,
    /// The products.
    pub selection: &'a SlotSelection,
}

/// A vector in slots, and the noise of the digits that it was looked up from.
struct Found {
    slots: RealSlots<SlotCiphertext>,
    noise: NoiseBound,
}

/// A sign that was looked up, and the operand that it selects.
type FoundChoice<'a> = (&'a Found, Selected<'a, SlotCiphertext>);

/// The tables that a pass looks up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Digits,
    Sign,
    DigitsAndSign,
}

/// Results of a pass: digits, if they were requested, and the sign.
struct SlotDigits {
    digits: Vec<Found>,
    sign: Option<Found>,
}

impl EvaluationKey {
    fn passes<'p>(&self, operation: Operation, progress: Progress<'p>) -> Passes<'p> {
        Passes::new(progress, self.parameters().bootstraps(operation))
    }

    /// Returns the tables for digits, the last one without the sign, with outputs as fractions of the size of the
    /// largest.
    pub(super) fn tables_of_digits(
        &self,
        circuit: &MultiPrecisionCircuit,
    ) -> Result<Vec<Interpolation>> {
        circuit.signed_digit()?;
        let (largest, sizes) = (circuit.largest(), self.parameters().integer_digits());
        let table = |(&modulus, &size): (&u64, &u64)| {
            let table = Table::from_fn(modulus, largest, |digit| digit % size)?;
            Ok(circuit.digit_table(&table))
        };
        circuit.digits().iter().zip(&sizes).map(table).collect()
    }

    /// Computes the digits of the larger or the smaller of two values.
    pub(super) fn larger_in_slots(
        &self,
        selecting: Selecting<'_>,
        x: &Ciphertext,
        y: &Ciphertext,
        wants_larger: bool,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let mut passes = self.passes(Operation::Maximum, progress);
        let is_less = self.pass(selecting, &self.sub(x, y)?, Pass::Sign, &mut passes)?;
        let (first, second) = if wants_larger { (x, y) } else { (y, x) };
        let first = self.pass(selecting, first, Pass::Digits, &mut passes)?;
        let second = self.pass(selecting, second, Pass::Digits, &mut passes)?;
        let is_less = is_less.sign.expect("a sign was asked for");
        self.either(selecting, &is_less, [&first, &second], x)
    }

    /// Selects the digits of the first value, or those of the second where `sign` is 1.
    fn either(
        &self,
        selecting: Selecting<'_>,
        sign: &Found,
        [first, second]: [&SlotDigits; 2],
        x: &Ciphertext,
    ) -> Result<Vec<Ciphertext>> {
        let select = |(f, g): (&Found, &Found)| {
            let noise = f.noise.max(g.noise);
            let choice = (sign, Selected::Slots(&g.slots));
            self.selected(selecting, &f.slots, noise, vec![choice], x)
        };
        first.digits.iter().zip(&second.digits).map(select).collect()
    }

    /// Computes the digits of a value where it is not negative, else of 0.
    pub(super) fn relu_in_slots(
        &self,
        selecting: Selecting<'_>,
        x: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let mut passes = self.passes(Operation::Relu, progress);
        let found = self.pass(selecting, x, Pass::DigitsAndSign, &mut passes)?;
        let is_negative = found.sign.expect("a sign was asked for");
        let select = |f: &Found| {
            let choice = (&is_negative, Selected::Constant(0.0));
            self.selected(selecting, &f.slots, f.noise, vec![choice], x)
        };
        found.digits.iter().map(select).collect()
    }

    /// Computes the digits of the absolute value.
    pub(super) fn absolute_in_slots(
        &self,
        selecting: Selecting<'_>,
        x: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let mut passes = self.passes(Operation::AbsoluteValue, progress);
        let positive = self.pass(selecting, x, Pass::DigitsAndSign, &mut passes)?;
        let negative = self.pass(selecting, &self.negate(x)?, Pass::Digits, &mut passes)?;
        let is_negative = positive.sign.as_ref().expect("a sign was asked for");
        self.either(selecting, is_negative, [&positive, &negative], x)
    }

    /// Computes the digits of a value, or those of a bound where `x - low` or `high - x` is negative.
    pub(super) fn clamp_in_slots(
        &self,
        selecting: Selecting<'_>,
        x: &Ciphertext,
        [from_low, to_high]: [&Ciphertext; 2],
        [low, high]: [&[u64]; 2],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let mut passes = self.passes(Operation::Clamp, progress);
        let is_below = self.pass(selecting, from_low, Pass::Sign, &mut passes)?;
        let is_above = self.pass(selecting, to_high, Pass::Sign, &mut passes)?;
        let found = self.pass(selecting, x, Pass::Digits, &mut passes)?;
        let [is_below, is_above] =
            [is_below, is_above].map(|it| it.sign.expect("a sign was asked for"));
        let largest = selecting.circuit.largest() as f64;
        let centred = |digit: u64| {
            let fraction = digit as f64 / largest;
            if fraction < 0.5 { fraction } else { fraction - 1.0 }
        };
        let select = |(i, f): (usize, &Found)| {
            let choices = vec![
                (&is_below, Selected::Constant(centred(low[i]))),
                (&is_above, Selected::Constant(centred(high[i]))),
            ];
            self.selected(selecting, &f.slots, f.noise, choices, x)
        };
        found.digits.iter().enumerate().map(select).collect()
    }

    /// Makes a pass through all digits of a value, with one bootstrap per digit.
    fn pass(
        &self,
        Selecting { circuit, selection }: Selecting<'_>,
        x: &Ciphertext,
        pass: Pass,
        passes: &mut Passes<'_>,
    ) -> Result<SlotDigits> {
        self.check_whole(x)?;
        let count = circuit.digits().len();
        let (last, cleared) = (count - 1, 0..count - 1);
        let noise = self.parameters().noise_of_digits(x.noise(), 0..count);
        let has_digits = pass != Pass::Sign;
        let mut lists = vec![Vec::new(); count];
        if has_digits {
            let tables = self.tables_of_digits(circuit)?;
            lists.iter_mut().zip(tables).for_each(|(list, table)| list.push(table));
        }
        if pass != Pass::Digits {
            // The sign is 0 or 1, not a fraction of a modulus.
            lists[last].push(circuit.step([0, 1], 1)?);
        }
        passes.run(count, |progress| {
            let evaluator = self.clearing_evaluator(circuit);
            let (lists, of_last) = (&lists[..last], lists[last].iter().collect::<Vec<_>>());
            let steps = STEPS_BEFORE_TABLES + circuit.akp.table_steps(&of_last);
            let step = progress.steps(evaluator.steps(cleared.clone(), lists) + steps)?;
            let done = || step.done();
            let split = |outputs| selection.split(&self.evaluator(), outputs);
            let mut digits = Vec::with_capacity(count);
            let rest = evaluator.clear(x.body(), cleared, lists, &done, |_, outputs| {
                let noise = noise[digits.len().min(last)];
                digits.extend(outputs.into_iter().map(|it| Found { slots: split(it), noise }));
                Ok(())
            })?;
            let outputs = evaluator.look_up(&evaluator.digit(&rest, last), &of_last, &done)?;
            let outputs = outputs.into_iter();
            digits.extend(outputs.map(|it| Found { slots: split(it), noise: noise[last] }));
            let sign = if pass == Pass::Digits { None } else { digits.pop() };
            Ok(SlotDigits { digits, sign })
        })
    }

    /// Selects a digit by signs, and returns it in coefficients.
    fn selected(
        &self,
        Selecting { circuit, selection }: Selecting<'_>,
        otherwise: &RealSlots<SlotCiphertext>,
        digit: NoiseBound,
        choices: Vec<FoundChoice<'_>>,
        like: &Ciphertext,
    ) -> Result<Ciphertext> {
        let (signs, largest) = (choices.len(), circuit.largest());
        let of_signs = choices.iter().map(|(sign, _)| sign.noise).reduce(NoiseBound::max);
        let sign = of_signs.expect("a sign");
        let noise = self.parameters().checked_selection_noise(digit, sign, signs, largest)?;
        let choices: Vec<_> = choices.into_iter().map(|(sign, it)| (&sign.slots, it)).collect();
        let products = selection.select(&self.evaluator(), otherwise, &choices);
        let matrices = &self.matrices().products;
        let found = selection.finish(&self.evaluator(), matrices, products);
        let shape = CoefficientShape {
            log2_modulus: self.parameters().literal().log2_ciphertext_modulus,
            plaintext_modulus: largest,
            layout: like.body().layout,
        };
        Ok(self.result(switch_to_power_of_two(self.ring(), found.parts, shape), noise))
    }
}

//! Conversion of digits to digits of another size: the bits of a digit that go to different digits are tables of one
//! lookup.

use cryptable_lattice::Result;

use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{IntegerType, Radix};

/// Bits of a digit that go to the same digit of the result.
#[derive(Clone, Copy, Debug)]
struct Part {
    target: usize,
    /// The position of its lowest bit in the integer.
    start: u32,
    end: u32,
}

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// Returns the same integers in digits of another size. Digits must be below their base. Needs one lookup per
    /// digit, with one table for each digit that its bits go to; digits whose bits stay in place need none.
    pub(crate) fn regroup(
        &self,
        digits: &[Digit<E::Ciphertext>],
        from: Radix,
        to: Radix,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        if from == to {
            return Ok(digits.to_vec());
        }
        let mut sums = vec![Digit::public(0); to.digits()];
        for (index, digit) in digits.iter().enumerate() {
            let offset = index as u32 * from.digit_bits();
            let parts = parts(offset, offset + from.base(index).ilog2(), to);
            let found = match parts[..] {
                [Part { target, .. }] if offset == target as u32 * to.digit_bits() => {
                    vec![digit.clone()]
                }
                _ => self.look_up_parts(digit, offset, &parts, to)?,
            };
            for (part, value) in parts.iter().zip(found) {
                let sum = &mut sums[part.target];
                *sum = self.linear(&[(1, sum), (1, &value)], 0)?;
            }
        }
        Ok(sums)
    }

    /// Returns the same integers in halves of digits, for [`Evaluator::of_halves`]: carries first, then one lookup of
    /// two tables per digit.
    pub(crate) fn in_halves<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let (kind, x) = (x.kind(), self.reduce(x)?);
        let to = Radix::new(self.modulus().ilog2() / 2, kind.bits());
        Ok(IntegerColumn::new(kind, self.regroup(x.digits(), self.radix(kind), to)?))
    }

    /// Joins halves of digits to whole ones: no lookup except for their carries.
    pub(crate) fn joined<T: IntegerType>(
        &self,
        halves: &Self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let (x, none) = (halves.reduce(x)?, Digit::public(0));
        let digits = x.digits().chunks(2).map(|pair| {
            let terms = [(1, &pair[0]), (halves.base(), pair.get(1).unwrap_or(&none))];
            self.linear(&terms, 0)
        });
        Ok(IntegerColumn::new(x.kind(), digits.collect::<Result<_>>()?))
    }

    fn look_up_parts(
        &self,
        digit: &Digit<E::Ciphertext>,
        offset: u32,
        parts: &[Part],
        to: Radix,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        let functions: Vec<_> = (parts.iter())
            .map(|part| {
                let mask = (1i64 << (part.end - part.start)) - 1;
                let (down, up) =
                    (part.start - offset, part.start - part.target as u32 * to.digit_bits());
                move |value: i64| ((value >> down) & mask) << up
            })
            .collect();
        let functions: Vec<DigitFunction<'_>> = functions.iter().map(|f| f as _).collect();
        self.look_up(digit, &functions)
    }
}

/// The parts into which the digits of the result cut bits `start..end` of an integer.
fn parts(start: u32, end: u32, to: Radix) -> Vec<Part> {
    let size = to.digit_bits();
    let targets = start / size..=(end - 1) / size;
    targets
        .map(|target| Part {
            target: target as usize,
            start: start.max(target * size),
            end: end.min((target + 1) * size),
        })
        .collect()
}

//! Products: schoolbook, by tables of two digits.
//!
//! `x·y = sum_(i+j<n) B^(i+j)·x_i·y_j`, each `x_i·y_j = low + B·high` by a lookup of two tables on `x_i + B·y_j`:
//! n(n+1)/2 lookups, n of them of one table. Carries of a column's sums are deferred as long as the terms fit: for B =
//! 16 and p = 256, all 15 terms of a product of 32 bits fit.

use cryptable_lattice::Result;

use crate::carries::check_kinds;
use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::Evaluator;
use crate::integer::{Integer, IntegerType};

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// x·y, by [`Evaluator::mul_constant`] if one of them is public.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn mul<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let kind = x.kind();
        check_kinds([kind, y.kind()].into_iter())?;
        for (public, other) in [(x, y), (y, x)] {
            if public.is_public() {
                let radix = self.radix(kind);
                let word = (public.digits().iter().enumerate()).fold(0u64, |word, (i, digit)| {
                    word.wrapping_add((digit.low() as u64) << (i as u32 * radix.digit_bits()))
                });
                return self.mul_number(other, kind.number(word));
            }
        }
        if let Some(halves) = self.of_halves() {
            let product = halves.mul(&self.in_halves(x)?, &self.in_halves(y)?)?;
            return self.joined(&halves, &product);
        }
        let (x, y) = (self.reduce(x)?, self.reduce(y)?);
        let count = x.digit_count();
        let base = self.base();
        let mut lists: Vec<Vec<Digit<E::Ciphertext>>> = vec![Vec::new(); count];
        for (i, x) in x.digits().iter().enumerate() {
            for (j, y) in y.digits()[..count - i].iter().enumerate() {
                let pair = self.pair(x, y, base)?;
                let product = |pair: i64| pair.rem_euclid(base) * pair.div_euclid(base);
                if i + j + 1 == count {
                    lists[i + j].push(self.map(&pair, |pair| product(pair) % base)?);
                    continue;
                }
                let low = |pair| product(pair) % base;
                let mut parts = self.look_up(&pair, &[&low, &|pair| product(pair) / base])?;
                lists[i + j + 1].push(parts.swap_remove(1));
                lists[i + j].push(parts.swap_remove(0));
            }
        }
        self.sum_lists(kind, lists)
    }

    /// c·x for a public c: one lookup per digit, with one table for each digit of the result from there on.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn mul_constant<T: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        constant: T,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.mul_number(x, constant.to_i128())
    }

    fn mul_number<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        constant: i128,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let digit_bits = self.digit_bits();
        self.map_unsigned_digits(x, x.kind(), &|index, digit| {
            // Both factors have absolute values below 2^63, and the shift keeps what the type can hold.
            let product = constant.wrapping_mul(digit.into());
            product.wrapping_shl(index as u32 * digit_bits)
        })
    }
}

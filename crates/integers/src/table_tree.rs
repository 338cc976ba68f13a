//! Tables of several digits by trees of small ones ([AKP25], Sec. 5.3, after [GBA21]).
//!
//! The first two digits are looked up together, in the tables that are left for all values of the other digits: one
//! lookup of `B^(n-2)` tables for each digit of the result, which share all powers of the exponential (multi-value
//! bootstrapping). Then every digit selects one of B results: `sum_j [x_k = j]·y_j`, where each term is a lookup of
//! `y_j + B·x_k`. In all there are `1 + d'·sum_(k=1)^(n-2) B^k` lookups for d' digits of results. The paper's first
//! level reads one digit; digits here have half the bits of a table. The multiplexer trees of `cryptable-packed` (CMT)
//! select by products in slots instead, inside one bootstrap for each digit, and so grow far more slowly. The trees
//! here are for comparison, and for tables slightly larger than p.

use cryptable_lattice::Result;
use cryptable_lattice::error::{Error, check_within};

use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{ColumnKind, Integer, IntegerType, Radix};

/// Largest number of tables of the first lookup: each of them produces a ciphertext.
const MAX_TABLES: u64 = 1 << 10;

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// Evaluates any function of integers below `2^bits`, by a tree of tables over their digits.
    ///
    /// ```
    /// use cryptable_integers::{Evaluator, decrypt, encrypt, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
    /// let x = encrypt(&secret, &[5u8, 40, 63])?;
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let roots = Evaluator::new(&key)?.lookup_tree(&x, 6, |x| x.isqrt() as u8)?;
    /// assert_eq!(decrypt(&secret, &roots)?, [2, 6, 7]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of all operations; [`Error::Parameter`] if T has fewer bits; [`Error::TooLarge`] if the first lookup
    /// would have more than 1,024 tables.
    pub fn lookup_tree<T: Integer, U: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        bits: u32,
        f: impl Fn(u64) -> U,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        self.lookup_tree_to(x, ColumnKind::of::<U>(), bits, &|value| f(value).to_word())
    }

    /// [`Evaluator::lookup_tree`] to a kind that the type of the results can hold, with words as values.
    pub(crate) fn lookup_tree_to<T: IntegerType, U: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        to_kind: ColumnKind,
        bits: u32,
        word: &dyn Fn(u64) -> u64,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        let most = x.kind().bits();
        if !(1..=most).contains(&bits) {
            let (name, limit) = ("bits of a table", format!("it must be from 1 to {most}"));
            return Err(Error::Parameter { name, value: bits.into(), limit });
        }
        if let Some(halves) = self.of_halves() {
            let found = halves.lookup_tree_to(&self.in_halves(x)?, to_kind, bits, word)?;
            return self.joined(&halves, &found);
        }
        let (from, to) = (Radix::new(self.digit_bits(), bits), self.radix(to_kind));
        let digits = self.low_digits(x, from.digits())?;
        let leaves_bits = bits.saturating_sub(2 * self.digit_bits());
        let count = 1u64.checked_shl(leaves_bits).unwrap_or(u64::MAX);
        let tables = count.saturating_mul(to.digits() as u64);
        check_within("tables of the first lookup of a tree", tables, ..=MAX_TABLES)?;
        let (first, rest) = digits.split_at(digits.len().min(2));
        let (first_bits, mask) = (bits - leaves_bits, u64::MAX >> (u64::BITS - bits));
        let mut leaves =
            self.leaves(first, count, to, &|low, leaf| word((low | leaf << first_bits) & mask))?;
        for (index, digit) in rest.iter().enumerate() {
            let base = from.base(index + 2) as usize;
            leaves = leaves
                .iter()
                .map(|nodes| {
                    nodes.chunks(base).map(|nodes| self.choose_node(nodes, digit)).collect()
                })
                .collect::<Result<_>>()?;
        }
        let digits = leaves.into_iter().map(|mut nodes| nodes.swap_remove(0)).collect();
        Ok(IntegerColumn::new(to_kind, digits))
    }

    /// The results of all tables on the least significant digits, for every digit of the result.
    fn leaves(
        &self,
        first: &[Digit<E::Ciphertext>],
        count: u64,
        to: Radix,
        word: &dyn Fn(u64, u64) -> u64,
    ) -> Result<Vec<Vec<Digit<E::Ciphertext>>>> {
        let input = match first {
            [low, high] => self.pair(low, high, self.base())?,
            _ => first[0].clone(),
        };
        let table =
            |leaf: u64, place: usize| move |value: i64| to.digit(word(value as u64, leaf), place);
        let places = 0..to.digits();
        let tables: Vec<_> =
            places.flat_map(|place| (0..count).map(move |leaf| table(leaf, place))).collect();
        let tables: Vec<DigitFunction<'_>> = tables.iter().map(|table| table as _).collect();
        let results = self.look_up(&input, &tables)?;
        Ok(results.chunks(count as usize).map(<[_]>::to_vec).collect())
    }

    /// Selects the node whose number is the digit.
    fn choose_node(
        &self,
        nodes: &[Digit<E::Ciphertext>],
        digit: &Digit<E::Ciphertext>,
    ) -> Result<Digit<E::Ciphertext>> {
        let base = self.base();
        // Public nodes are combined in one table.
        let public = |value: i64| match nodes.get(value as usize) {
            Some(node) if node.ciphertext().is_none() => node.low(),
            _ => 0,
        };
        let mut sum = self.map(digit, public)?;
        for (number, node) in nodes.iter().enumerate() {
            if node.ciphertext().is_none() {
                continue;
            }
            let chosen = |pair: i64| {
                if pair.div_euclid(base) == number as i64 { pair.rem_euclid(base) } else { 0 }
            };
            let term = self.map(&self.pair(node, digit, base)?, chosen)?;
            self.add_apart(&mut sum, &term, base)?;
        }
        Ok(sum)
    }
}

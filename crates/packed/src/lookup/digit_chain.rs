//! Chain-based tables: an automaton reads the digits of values, the least significant first.
//!
//! `s_0 = 0`, `s_{i+1} = T_i(s_i + S·d_i)`: S states, pieces d_i of values, and the last state is the result. Tables on
//! a digit return its pieces, multiplied by S; the state is added to its piece, and the sum is looked up. All tables
//! together have as many entries as the sum of S times the size of each piece, whereas a table of the whole value has
//! the product of all sizes.
//!
//! This is the chaining method that Section 5.3 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623) adopts from
//! Guimarães, Borin, Aranha (TCHES 2021(2)). Digits that together with the state are too large for one lookup are cut
//! into pieces by further tables.
//!
//! The cost is one bootstrap per digit, one per digit that is cut, and one per piece except the first.

use std::cell::Cell;

use cryptable_lattice::error::{Error, Result, check_equal, check_within};
use cryptable_lattice::{Progress, Table};
use cryptable_ring::primes::greatest_common_divisor;

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;

/// The pieces of one digit: sizes, the least significant first.
type Pieces = Vec<u64>;

impl Parameters {
    /// Returns the sizes of the pieces of values, the least significant first, that [`EvaluationKey::lookup_chain`]
    /// reads in an automaton of `states` states. A piece is a digit, or a part of a digit that is too large together
    /// with a state.
    ///
    /// # Errors
    /// If the parameters process inputs as a whole, or a state and a part of a digit together have more values than the
    /// largest digit.
    pub fn chain_pieces(&self, states: u64) -> Result<Vec<u64>> {
        Ok(self.pieces_of_digits(states)?.concat())
    }

    fn pieces_of_digits(&self, states: u64) -> Result<Vec<Pieces>> {
        let Circuit::MultiPrecision(circuit) = self.circuit() else {
            let what = format!("automata on digits: {} takes no digits", self.literal().name);
            return Err(Error::Unsupported(what));
        };
        let largest = circuit.largest();
        let name = "states of an automaton on digits";
        check_within(name, states, 2..)?;
        let room = if largest.is_multiple_of(states) { largest / states } else { 1 };
        let pieces = |&digit: &u64| {
            let (mut rest, mut pieces) = (digit, Pieces::new());
            while rest > 1 {
                let size = greatest_common_divisor(rest, room);
                if size == 1 {
                    let expected = format!("a divisor of {largest}, with a part of each digit");
                    return Err(Error::mismatch(name, states, expected));
                }
                pieces.push(size);
                rest /= size;
            }
            Ok(pieces)
        };
        circuit.digits().iter().map(pieces).collect()
    }
}

impl EvaluationKey {
    /// Runs an automaton over the pieces of every value, the least significant first, starting in state 0. `tables[i]`
    /// maps `s + states·d`, s a state and d piece i ([`Parameters::chain_pieces`]), to the next state; the last table
    /// maps it to the result.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, Table};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_digits(&[4, 4, 8], 8)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// // Parity of all bits: the state is that of the bits so far.
    /// let pieces = key.parameters().chain_pieces(2)?;
    /// assert_eq!(pieces, [4, 4, 4, 2]);
    /// let parity = |m: u64| (m % 2 + u64::from((m / 2).count_ones())) % 2;
    /// let tables: Result<Vec<_>, _> = pieces.iter().map(|p| Table::from_fn(2 * p, 2, parity)).collect();
    /// let input = secret.encrypt(&[0, 1, 77, 127])?;
    /// let output = key.lookup_chain(&input, 2, &tables?, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&output)?, [0, 1, 0, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Parameters::chain_pieces`] and [`EvaluationKey::decompose`]; if the ciphertext does not have all
    /// digits, if there is not one table per piece, if a table has another input modulus or an output that is not a
    /// state; [`Error::NoiseTooLarge`]; [`Error::Cancelled`].
    pub fn lookup_chain(
        &self,
        input: &Ciphertext,
        states: u64,
        tables: &[Table],
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let parameters = self.parameters();
        input.check(parameters, self.binding(), Some(parameters.input_modulus()))?;
        let digits = parameters.pieces_of_digits(states)?;
        let chain = Chain { states, pieces: digits.concat(), tables };
        chain.check()?;
        let cut = digits.iter().filter(|pieces| pieces.len() > 1).count();
        let lookups = digits.len() + cut + chain.pieces.len() - 1;
        let run = Run { key: self, chain, progress, lookups, done: Cell::new(0) };
        let mut pieces = run.pieces(input, &digits)?.into_iter();
        let mut state = pieces.next().expect("a value has a digit");
        for (index, piece) in pieces.enumerate() {
            let sum = self.add(&state, &piece)?;
            let table = run.chain.step(index + 1)?;
            state = run.lookup(&sum, &[table])?.swap_remove(0);
        }
        Ok(state)
    }
}

/// A run of an automaton.
struct Run<'a> {
    key: &'a EvaluationKey,
    chain: Chain<'a>,
    progress: Progress<'a>,
    /// Number of all lookups; the next field counts those that have begun.
    lookups: usize,
    done: Cell<usize>,
}

impl Run<'_> {
    /// Does a part of the work, which has `lookups` lookups, with its own share of the progress.
    fn share<T>(&self, lookups: usize, work: impl FnOnce(Progress<'_>) -> Result<T>) -> Result<T> {
        let before = self.done.replace(self.done.get() + lookups);
        let share = self.progress.part(before..before + lookups, self.lookups);
        work(Progress::new(&share))
    }

    fn lookup(&self, digit: &Ciphertext, tables: &[Table]) -> Result<Vec<Ciphertext>> {
        let prepared = tables.iter().map(|table| self.key.prepare(table));
        let prepared = prepared.collect::<Result<Vec<_>>>()?;
        let prepared: Vec<_> = prepared.iter().collect();
        self.share(1, |progress| self.key.lookup_digit(digit, &prepared, progress))
    }

    /// The pieces of all values, each multiplied by the number of states. The first is replaced by the state after it.
    fn pieces(&self, input: &Ciphertext, digits: &[Pieces]) -> Result<Vec<Ciphertext>> {
        let (chain, mut first) = (&self.chain, 0);
        let mut tables = Vec::with_capacity(digits.len());
        for pieces in digits {
            let size = pieces.iter().product();
            tables.push(vec![match pieces.len() {
                1 => chain.table_of_piece(first, size, 1)?,
                _ => Table::from_fn(size, size, |digit| digit)?,
            }]);
            first += pieces.len();
        }
        let found =
            self.share(digits.len(), |progress| self.key.decompose(input, &tables, progress))?;
        let mut all = Vec::with_capacity(first);
        for (digit, sizes) in found.into_iter().flatten().zip(digits) {
            if sizes.len() == 1 {
                all.push(digit);
                continue;
            }
            let mut place = 1;
            let mut tables = Vec::with_capacity(sizes.len());
            for (index, size) in sizes.iter().enumerate() {
                tables.push(chain.table_of_piece(all.len() + index, digit.modulus(), place)?);
                place *= size;
            }
            all.extend(self.lookup(&digit, &tables)?);
        }
        Ok(all)
    }
}

/// An automaton over pieces.
struct Chain<'a> {
    states: u64,
    pieces: Pieces,
    tables: &'a [Table],
}

impl Chain<'_> {
    fn check(&self) -> Result<()> {
        let (found, expected) = (self.tables.len() as u64, self.pieces.len() as u64);
        check_equal("number of tables, one per piece,", found, expected)?;
        for (index, (table, piece)) in self.tables.iter().zip(&self.pieces).enumerate() {
            table.check_moduli(self.states * piece, table.output_modulus())?;
            let is_last = index + 1 == self.tables.len();
            let mut states = table.values().iter();
            let other = states.position(|&state| !is_last && state >= self.states);
            if let Some(index) = other {
                let (value, limit) = (table.values()[index], self.states);
                return Err(Error::TableEntry { index, value, limit });
            }
        }
        Ok(())
    }

    /// The modulus in which the state before a piece is added to it, or that of the result.
    fn modulus_before(&self, piece: usize) -> u64 {
        let last = || self.tables[self.tables.len() - 1].output_modulus();
        self.pieces.get(piece).map_or_else(last, |size| self.states * size)
    }

    /// The table on a digit for its piece that begins at `place`. The output is the number of states times the piece,
    /// or for the first piece the state after it.
    fn table_of_piece(&self, piece: usize, digit: u64, place: u64) -> Result<Table> {
        let size = self.pieces[piece];
        let scaled = |digit: u64| self.states * (digit / place % size);
        if piece == 0 {
            let first = self.tables[0].values();
            let next = |digit| first[scaled(digit) as usize];
            return Table::from_fn(digit, self.modulus_before(1), next);
        }
        Table::from_fn(digit, self.states * size, scaled)
    }

    /// The table on the sum of a piece and the state before it.
    fn step(&self, piece: usize) -> Result<Table> {
        let table = &self.tables[piece];
        let next = |sum: u64| table.values()[sum as usize];
        Table::from_fn(table.input_modulus(), self.modulus_before(piece + 1), next)
    }
}

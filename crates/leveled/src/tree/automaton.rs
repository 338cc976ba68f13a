//! Weighted finite automata over encrypted symbols (Chillotti et al., J. Cryptology 2020, Sec. 5).
//!
//! An automaton reads a word symbol by symbol. Each step leads to a next state and adds a weight; the state in which a
//! word ends may add another weight. [`crate::lookup::EvaluationKey::run`] evaluates an automaton on encrypted words and
//! returns a table's entry at the sum of the weights.
//!
//! Evaluation goes from the last symbol back. For every state, CMUXes choose the accumulator of the rest of the word among
//! those of the next states, each times X^-weight. The paper has symbols of one bit and a CMUX per state and bit. Here
//! symbols have up to eight bits, and the choices of all states share one decision diagram per symbol
//! (`decision_diagram.rs`), so a state that distinguishes few symbols needs few CMUXes.

use cryptable_lattice::error::out_of_range;
use cryptable_lattice::{Error, Result};

/// Largest number of symbols of an alphabet.
pub const MAX_SYMBOLS: u64 = 256;

/// Largest number of states.
const MAX_STATES: usize = 1 << 12;

/// The reaction of a state to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// Index of the state that follows.
    pub next: usize,
    /// Weight that is added to that of the word.
    pub weight: usize,
}

/// An automaton: the transitions of every state. Words start in the first state.
///
/// ```
/// use cryptable_leveled::lookup::{Automaton, Transition};
/// // Counts bits that are 1 and follow a 1.
/// let go = |next, weight| Transition { next, weight };
/// let automaton = Automaton::new(vec![vec![go(0, 0), go(1, 0)], vec![go(0, 0), go(1, 1)]])?;
/// assert_eq!(automaton.weight(&[1, 1, 1, 0, 1, 1])?, 3);
/// assert_eq!(automaton.largest_weight(6), 5);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    states: Vec<Vec<Transition>>,
    /// Weight that is added if a word ends in the state.
    last: Vec<usize>,
}

impl Automaton {
    /// Builds an automaton from the transitions of every state, one per symbol 0, 1, 2 and so on.
    ///
    /// # Errors
    /// If there is no state, or more than 4,096; if not all states have the same number of symbols, from 2 to 256; or if
    /// a transition leads to a state that does not exist.
    pub fn new(states: Vec<Vec<Transition>>) -> Result<Self> {
        let count = states.len();
        if !(1..=MAX_STATES).contains(&count) {
            let limit = format!("from 1 to {MAX_STATES}");
            return Err(out_of_range("number of states", count as u64, limit));
        }
        let symbols = states[0].len() as u64;
        if !(2..=MAX_SYMBOLS).contains(&symbols) {
            return Err(out_of_range("number of symbols", symbols, "from 2 to 256"));
        }
        if let Some(other) = states.iter().find(|state| state.len() as u64 != symbols) {
            let limit = format!("the first state has transitions on {symbols}");
            return Err(out_of_range("number of symbols", other.len() as u64, limit));
        }
        match states.iter().flatten().map(|transition| transition.next).max() {
            Some(next) if next >= count => {
                let limit = format!("there are states 0 to {}", count - 1);
                Err(out_of_range("next state", next as u64, limit))
            }
            _ => Ok(Self { last: vec![0; count], states }),
        }
    }

    /// Builds the automaton that counts the occurrences of a pattern, including overlapping ones (Knuth, Morris, Pratt,
    /// 1977).
    ///
    /// ```
    /// use cryptable_leveled::lookup::Automaton;
    /// let bytes = |text: &str| text.bytes().map(u64::from).collect::<Vec<_>>();
    /// let automaton = Automaton::occurrences(&bytes("ana"), 256)?;
    /// assert_eq!(automaton.weight(&bytes("bananas"))?, 2);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the pattern is empty or longer than 4,095 symbols, or has a symbol outside the alphabet; also same as
    /// [`Automaton::new`].
    pub fn occurrences(pattern: &[u64], symbols: u64) -> Result<Self> {
        if !(2..=MAX_SYMBOLS).contains(&symbols) {
            return Err(out_of_range("number of symbols", symbols, "from 2 to 256"));
        }
        if pattern.is_empty() || pattern.len() >= MAX_STATES {
            let limit = format!("from 1 to {}", MAX_STATES - 1);
            return Err(out_of_range("length of the pattern", pattern.len() as u64, limit));
        }
        check_symbols(pattern, symbols)?;
        // In state s, the last s symbols are the first s of the pattern.
        let mut states: Vec<Vec<Transition>> = Vec::with_capacity(pattern.len() + 1);
        // The state after reading the pattern without its first symbol.
        let mut fallback = 0;
        for (state, &expected) in pattern.iter().enumerate() {
            let mut row = match state {
                0 => vec![Transition { next: 0, weight: 0 }; symbols as usize],
                _ => states[fallback].clone(),
            };
            if state > 0 {
                fallback = row[expected as usize].next;
            }
            let weight = usize::from(state + 1 == pattern.len());
            row[expected as usize] = Transition { next: state + 1, weight };
            states.push(row);
        }
        // After an occurrence, the state is that of the pattern's longest end that is also its beginning.
        states.push(states[fallback].clone());
        Self::new(states)
    }

    /// Sets, for every state, the weight that is added if a word ends in it: 1 for accepting states, for example. Default: 0.
    ///
    /// # Errors
    /// If the numbers of weights and states differ.
    pub fn with_final_weights(mut self, weights: Vec<usize>) -> Result<Self> {
        if weights.len() != self.states.len() {
            let limit = format!("there are {} states", self.states.len());
            return Err(out_of_range("number of final weights", weights.len() as u64, limit));
        }
        self.last = weights;
        Ok(self)
    }

    /// Returns the number of symbols, which is the modulus of the values of a word.
    #[must_use]
    pub fn symbols(&self) -> u64 {
        self.states[0].len() as u64
    }

    /// Returns the transitions of every state.
    #[must_use]
    pub fn states(&self) -> &[Vec<Transition>] {
        &self.states
    }

    /// Returns, for every state, the weight that is added if a word ends in it.
    #[must_use]
    pub fn final_weights(&self) -> &[usize] {
        &self.last
    }

    /// Returns the weight of a word in the clear.
    ///
    /// # Errors
    /// If a value is not a symbol.
    pub fn weight(&self, word: &[u64]) -> Result<u64> {
        check_symbols(word, self.symbols())?;
        let step = |(state, sum): (usize, usize), &symbol: &u64| {
            let Transition { next, weight } = self.states[state][symbol as usize];
            (next, sum.saturating_add(weight))
        };
        let (state, sum) = word.iter().fold((0, 0), step);
        Ok(sum.saturating_add(self.last[state]) as u64)
    }

    /// Returns the largest weight of any word of a length. Tables of weights need one entry more.
    #[must_use]
    pub fn largest_weight(&self, length: usize) -> u64 {
        let mut rows = self.states.clone();
        for row in &mut rows {
            row.sort_unstable_by_key(|transition| (transition.next, transition.weight));
            row.dedup();
        }
        let mut rest = self.last.clone();
        for _ in 0..length {
            let best = |row: &Vec<Transition>| {
                let of = |t: &Transition| t.weight.saturating_add(rest[t.next]);
                row.iter().map(of).max().unwrap_or(0)
            };
            rest = rows.iter().map(best).collect();
        }
        rest[0] as u64
    }
}

/// Checks that all values of a word are symbols.
fn check_symbols(word: &[u64], symbols: u64) -> Result<()> {
    match word.iter().position(|&symbol| symbol >= symbols) {
        Some(index) => Err(Error::ValueOutOfRange { index, value: word[index], limit: symbols }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(next: usize, weight: usize) -> Transition {
        Transition { next, weight }
    }

    #[test]
    fn patterns_are_counted_where_they_end() {
        for pattern in [&[0, 1, 0][..], &[1], &[1, 1, 1], &[2, 0, 2, 2, 0, 2, 0]] {
            let automaton = Automaton::occurrences(pattern, 3).unwrap();
            let mut state = 1u64;
            let word: Vec<u64> = (0..500)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) % 3
                })
                .collect();
            let found = word.windows(pattern.len()).filter(|part| *part == pattern).count();
            assert_eq!(automaton.weight(&word).unwrap(), found as u64, "{pattern:?}");
        }
    }

    #[test]
    fn the_largest_weight_is_that_of_the_heaviest_word() {
        let automaton = Automaton::new(vec![
            vec![go(0, 0), go(1, 1)],
            vec![go(2, 0), go(1, 2)],
            vec![go(0, 3), go(2, 0)],
        ])
        .unwrap();
        let automaton = automaton.with_final_weights(vec![0, 0, 5]).unwrap();
        for length in 0..10 {
            let words = (0..1u64 << length).map(|word| {
                let bits: Vec<u64> = (0..length).map(|i| word >> i & 1).collect();
                automaton.weight(&bits).unwrap()
            });
            assert_eq!(automaton.largest_weight(length), words.max().unwrap(), "{length}");
        }
    }

    #[test]
    fn bad_automata_are_refused_by_name() {
        let message = |states| Automaton::new(states).unwrap_err().to_string();
        assert!(message(Vec::new()).contains("number of states"));
        assert!(message(vec![vec![go(0, 0)]]).contains("number of symbols"));
        assert!(message(vec![vec![go(0, 0); 257]]).contains("from 2 to 256"));
        assert!(message(vec![vec![go(0, 0); 2], vec![go(0, 0); 3]]).contains("number of symbols"));
        assert!(message(vec![vec![go(0, 0), go(1, 0)]]).contains("next state"));
        assert!(Automaton::occurrences(&[], 4).is_err());
        assert!(Automaton::occurrences(&[4], 4).is_err());
        let one = Automaton::occurrences(&[1], 4).unwrap();
        assert!(one.weight(&[4]).is_err() && one.with_final_weights(vec![1]).is_err());
    }
}

//! Weighted finite automata over encrypted symbols (Chillotti et al., J. Cryptology 2020, Sec. 5).
//!
//! An automaton reads a word symbol by symbol. Each step leads to a next state and adds a weight; the state in which a
//! word ends may add another one. [`crate::lookup::EvaluationKey::run`] evaluates it on encrypted words and gives a
//! table's entry at the sum of the weights.
//!
//! From the last symbol back: for every state the accumulator of the rest of the word is chosen by CMUXes among those
//! of the next states, each times X^-weight. The paper has symbols of one bit and a CMUX per state and bit. Here symbols
//! have up to eight bits, and the choices of all states share one decision diagram per symbol
//! (`decision_diagram.rs`), so that a state which tells few symbols apart takes few CMUXes.

use cryptable_lattice::error::out_of_range;
use cryptable_lattice::{Error, Result};

/// Most symbols of an alphabet.
pub const MAX_SYMBOLS: u64 = 256;

/// Most states.
const MAX_STATES: usize = 1 << 12;

/// Reaction of a state to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// Index of the state that follows.
    pub next: usize,
    /// Added to the weight of the word.
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
    /// Added where a word ends in the state.
    last: Vec<usize>,
}

impl Automaton {
    /// Builds an automaton from the transitions of every state, one per symbol 0, 1, 2 and so on.
    ///
    /// # Errors
    /// If there is no state, or more than 4,096; if states have not all the same number of symbols, from 2 to 256; or if
    /// a transition leads to no state.
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

    /// Builds the automaton that counts where a pattern occurs, occurrences that overlap included (Knuth, Morris, Pratt,
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
    /// If the pattern is empty or longer than 4,095 symbols, or has a symbol outside the alphabet; as
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
        // State s: the last s symbols are the first s of the pattern.
        let mut states: Vec<Vec<Transition>> = Vec::with_capacity(pattern.len() + 1);
        // The state after the pattern without its first symbol.
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
        // After an occurrence as after its longest end that begins the pattern.
        states.push(states[fallback].clone());
        Self::new(states)
    }

    /// Sets what is added where a word ends, for every state: 1 for states that accept, for example. Default: 0.
    ///
    /// # Errors
    /// If there are not as many weights as states.
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

    /// Returns what is added where a word ends, for every state.
    #[must_use]
    pub fn final_weights(&self) -> &[usize] {
        &self.last
    }

    /// Returns the weight of a word in the clear.
    ///
    /// # Errors
    /// If a value is no symbol.
    pub fn weight(&self, word: &[u64]) -> Result<u64> {
        check_symbols(word, self.symbols())?;
        let step = |(state, sum): (usize, usize), &symbol: &u64| {
            let Transition { next, weight } = self.states[state][symbol as usize];
            (next, sum.saturating_add(weight))
        };
        let (state, sum) = word.iter().fold((0, 0), step);
        Ok(sum.saturating_add(self.last[state]) as u64)
    }

    /// Returns the largest weight of any word of a length: tables of weights need an entry more.
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

//! Weighted finite automata over encrypted bits (Chillotti et al., J. Cryptology 2020, Sec. 5).
//!
//! A word of RGSW ciphertexts gives one LWE ciphertext of a table's value at the word's weight, with the noise of as
//! many CMUXes as the word has bits.
//!
//! From the last bit back: for every state the accumulator of what follows is chosen by a CMUX between those of the
//! two next states, each times X^weight. A bit costs a CMUX a state; the result of the first state has X^(Σ weights).

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_lattice::{Error, Result};
use rayon::prelude::*;

use super::cmux::Cmux;
use super::leveled_ciphertext::LeveledCiphertext;
use crate::parameters::CircuitBootstrappingParameters;
use cryptable_lattice::error::out_of_range;

/// Reaction of a state to a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The state that follows, by its index.
    pub next: usize,
    /// Added to the weight of the word.
    pub weight: usize,
}

/// An automaton: for every state its transitions on 0 and on 1.
///
/// ```
/// use cryptable_leveled::tree::{Automaton, Transition};
/// // Counts bits that are 1 and follow a 1.
/// let go = |next, weight| Transition { next, weight };
/// let automaton = Automaton::new(vec![[go(0, 0), go(1, 0)], [go(0, 0), go(1, 1)]])?;
/// assert_eq!(automaton.run(0, &[true, true, true, false, true, true]), 3);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Automaton {
    states: Vec<[Transition; 2]>,
}

impl Automaton {
    /// From transitions on 0 and 1 of every state.
    ///
    /// # Errors
    /// If there is no state, or a transition leads to none.
    pub fn new(states: Vec<[Transition; 2]>) -> Result<Self> {
        let all = states.iter().flatten();
        let worst = all.map(|transition| transition.next as u64).max();
        match worst {
            Some(next) if next < states.len() as u64 => Ok(Self { states }),
            _ => {
                let limit = format!("there are {} states", states.len());
                Err(out_of_range("next state", worst.unwrap_or(0), limit))
            }
        }
    }

    /// The weight of a word in the clear.
    #[must_use]
    pub fn run(&self, start: usize, word: &[bool]) -> usize {
        let step = |(state, sum): (usize, usize), &bit: &bool| {
            let Transition { next, weight } = self.states[state][usize::from(bit)];
            (next, sum + weight)
        };
        word.iter().fold((start, 0), step).1
    }

    /// A table of the weight of an encrypted word, first bit first: LWE of dimension N modulo Q, of phase
    /// `outputs[weight]·Q/output_modulus`.
    ///
    /// # Errors
    /// If the start is no state, weights can exceed the table, or it has more than N entries or one not below the
    /// output modulus.
    pub fn evaluate(
        &self,
        parameters: &CircuitBootstrappingParameters,
        start: usize,
        word: &[RgswCiphertext],
        outputs: &[u64],
        output_modulus: u64,
    ) -> Result<LweCiphertext> {
        self.check(start, word.len(), outputs, output_modulus)?;
        let ring = parameters.fhew().ring();
        let (n, q) = (ring.degree(), ring.modulus().value());
        if outputs.len() > n {
            let limit = format!("a polynomial has {n} coefficients");
            return Err(out_of_range("number of outputs", outputs.len() as u64, limit));
        }
        let mut polynomial = vec![0; n];
        for (coefficient, &output) in polynomial.iter_mut().zip(outputs) {
            let product = u128::from(output) * u128::from(q) + u128::from(output_modulus / 2);
            *coefficient = (product / u128::from(output_modulus)) as u64;
        }
        let end = LeveledCiphertext::trivial(ring, &polynomial);
        let mut after = vec![end; self.states.len()];
        for selector in word.iter().rev() {
            let choose = |transitions: &[Transition; 2]| {
                let moved = |Transition { next, weight }| {
                    // X^-weight brings entry `weight` to the constant coefficient.
                    after[next].times_monomial(ring, (2 * n - weight) % (2 * n))
                };
                let [mut zero, one] = transitions.map(moved);
                let mut cmux = Cmux::new(ring, selector.gadget());
                cmux.select_assign(selector, &mut zero, &one);
                zero
            };
            after = self.states.par_iter().map(choose).collect();
        }
        Ok(after[start].extract(ring, [0].into_iter()).remove(0))
    }

    fn check(&self, start: usize, length: usize, outputs: &[u64], modulus: u64) -> Result<()> {
        let demand = |ok: bool, name, value, limit: String| {
            if ok { Ok(()) } else { Err(out_of_range(name, value, limit)) }
        };
        let count = self.states.len();
        demand(start < count, "start", start as u64, format!("there are {count} states"))?;
        demand(modulus >= 2, "output modulus", modulus, "it must be at least 2".to_owned())?;
        let heaviest = self.states.iter().flatten().map(|t| t.weight).max().unwrap_or(0);
        let largest = heaviest.saturating_mul(length) as u64;
        let limit = format!("the table has {} outputs", outputs.len());
        demand(largest < outputs.len() as u64, "largest weight", largest, limit)?;
        match outputs.iter().position(|&output| output >= modulus) {
            Some(index) => Err(Error::TableEntry { index, value: outputs[index], limit: modulus }),
            None => Ok(()),
        }
    }
}

//! Automata that read words of encrypted values.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use cryptable::engines::leveled::{Automaton as LibraryAutomaton, Transition};

use crate::arrays::integers;
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::properties::properties;
use crate::stated_types::Integers;
use crate::table::{Table, of_moduli};

/// Reads words of encrypted values symbol by symbol: counts patterns in texts, checks formats, compares long numbers.
///
/// `next[s][x]` is the state that follows state s on symbol x. `weights[s][x]`, 0 by default, is added to the weight of
/// the word, and `final_weights[s]` is added if the word ends in state s. Words begin in state 0.
/// `EvaluationKey.run_automaton` returns a table's entry at the weight of each word.
///
///     >>> import cryptable
///     >>> text = list(b"bananaspapayas")
///     >>> secret = cryptable.SecretKey.generate(cryptable.plan(moduli=(256, 16), word_length=7))
///     >>> words = secret.encrypt([text[:7], text[7:]])
///     >>> automaton = cryptable.Automaton.occurrences(list(b"ana"), 256)
///     >>> secret.decrypt(secret.evaluation_key().run_automaton(automaton, words)).tolist()
///     [2, 0]
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Automaton {
    inner: LibraryAutomaton,
}

/// Returns the rows of an array of two dimensions.
fn rows(array: &Bound<'_, PyAny>, name: &str) -> Result<Vec<Vec<usize>>> {
    let found = integers(array, u64::MAX, false)?;
    let [_, width] = found.shape[..] else {
        let message = format!("{name} has {} dimensions, but must have 2", found.shape.len());
        return Err(PyValueError::new_err(message));
    };
    let row = |row: &[u64]| row.iter().map(|&number| number as usize).collect();
    Ok(found.values.chunks(width.max(1)).map(row).collect())
}

#[pymethods]
impl Automaton {
    #[new]
    #[pyo3(signature = (next: "npt.ArrayLike", weights: "npt.ArrayLike | None" = None, final_weights: "npt.ArrayLike | None" = None))]
    fn new(
        next: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        final_weights: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        let next = rows(next, "next")?;
        let weights = match weights {
            Some(weights) => rows(weights, "weights")?,
            None => next.iter().map(|row| vec![0; row.len()]).collect(),
        };
        let shape = |rows: &[Vec<usize>]| rows.iter().map(Vec::len).collect::<Vec<_>>();
        if shape(&next) != shape(&weights) {
            return Err(PyValueError::new_err("next and weights have different shapes"));
        }
        let row = |(next, weights): (&Vec<usize>, &Vec<usize>)| {
            let transition = |(&next, &weight)| Transition { next, weight };
            next.iter().zip(weights).map(transition).collect()
        };
        let states = next.iter().zip(&weights).map(row).collect();
        let mut inner = LibraryAutomaton::new(states).map_err(raise)?;
        if let Some(last) = final_weights {
            let last = integers(last, u64::MAX, false)?.values;
            let last = last.into_iter().map(|weight| weight as usize).collect();
            inner = inner.with_final_weights(last).map_err(raise)?;
        }
        Ok(Self { inner })
    }

    /// Makes the automaton that counts the occurrences of a pattern of symbols, including overlapping ones.
    #[staticmethod]
    #[pyo3(signature = (pattern: "npt.ArrayLike", symbols))]
    fn occurrences(pattern: &Bound<'_, PyAny>, symbols: u64) -> Result<Self> {
        let pattern = integers(pattern, symbols, false)?.values;
        let inner = LibraryAutomaton::occurrences(&pattern, symbols).map_err(raise)?;
        Ok(Self { inner })
    }

    /// Computes the weight of a word in the clear.
    #[pyo3(signature = (word: "npt.ArrayLike"))]
    fn weight(&self, word: &Bound<'_, PyAny>) -> Result<u64> {
        let word = integers(word, self.inner.symbols(), false)?.values;
        self.inner.weight(&word).map_err(raise)
    }

    /// Returns the largest weight of any word of this length; tables of weights need one more entry than that.
    fn largest_weight(&self, length: usize) -> u64 {
        self.inner.largest_weight(length)
    }

    /// The weights that are added at the end of a word, one per state.
    #[getter]
    fn final_weights<'py>(&self, py: Python<'py>) -> Integers<'py> {
        let weights = self.inner.final_weights().iter().map(|&weight| weight as u64);
        Integers(PyArray1::from_iter(py, weights).into_any())
    }

    /// The next states: one row per state, one column per symbol.
    #[getter]
    fn next<'py>(&self, py: Python<'py>) -> Result<Integers<'py>> {
        self.array(py, |transition| transition.next)
    }

    /// The weights that transitions add: one row per state, one column per symbol.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Result<Integers<'py>> {
        self.array(py, |transition| transition.weight)
    }

    fn __repr__(&self) -> String {
        format!("Automaton({} states, {} symbols)", self.inner.states().len(), self.inner.symbols())
    }
}

impl Automaton {
    /// An array with one number per transition.
    fn array<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Transition) -> usize,
    ) -> Result<Integers<'py>> {
        let states = self.inner.states();
        let numbers = states.iter().flatten().map(|transition| of(transition) as u64);
        let array = PyArray1::from_iter(py, numbers);
        let shape = [states.len(), states[0].len()];
        Ok(Integers(array.reshape(shape)?.into_any()))
    }
}

properties!(Automaton {
    /// The number of symbols: values of words are below it.
    symbols: u64 = |it| it.inner.symbols();
});

#[pymethods]
impl EvaluationKey {
    /// Runs an automaton on words, each along the last axis of the values. Returns one value per word: the entry of
    /// `outputs` at the word's weight, or the weight itself. Needs keys of a plan with `word_length`.
    #[pyo3(signature = (automaton, words, outputs: "TableLike | None" = None, *, threads: "int" = 0, progress = true))]
    fn run_automaton(
        &self,
        py: Python<'_>,
        automaton: &Automaton,
        words: &Ciphertext,
        outputs: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let Some((&length, shape)) = words.shape.split_last() else {
            return Err(PyValueError::new_err("a word has at least one dimension"));
        };
        let modulus = self.library().lookup_parameters().map_err(raise)?.output_modulus();
        let entries = (automaton.inner.largest_weight(length) + 1).max(2);
        let outputs = match outputs {
            Some(outputs) => {
                let table = of_moduli(outputs, entries, modulus, crate::table::Signs::default())?;
                (*table.cast::<Table>()?.get().inner).clone()
            }
            None => cryptable::Table::from_fn(entries, modulus, |weight| weight).map_err(raise)?,
        };
        let found = call::run_reporting(py, threads, progress, "automaton", |execution| {
            let key = self.library();
            key.run_automaton(&automaton.inner, &words.inner, length, &outputs, execution)
        })?;
        Ok(Ciphertext::new(found, shape.to_vec()))
    }
}

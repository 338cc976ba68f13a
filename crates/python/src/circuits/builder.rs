//! Construction of circuits, gate by gate or word by word.

use std::sync::{Mutex, PoisonError};

use cryptable::bits::BitTable;
use cryptable::circuits::{
    CircuitBuilder as LibraryBuilder, PortError, Signal as LibrarySignal, words,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::circuit::Circuit;
use crate::errors::{Result, exception, raise};

/// A builder of circuits. Words, both inputs and computed ones, are lists of signals, the lowest bit first.
///
/// Signals support the operators `& | ^ ~`. After `finish`, a builder accepts no more calls.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct CircuitBuilder {
    /// `None` once the circuit is finished.
    inner: Mutex<Option<LibraryBuilder>>,
}

/// A bit of a circuit under construction: of an input, a constant or a gate.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct Signal {
    inner: LibrarySignal,
    builder: Py<CircuitBuilder>,
}

/// A word of a circuit under construction.
type Word = Vec<Py<Signal>>;

fn port_error(error: PortError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Applies a call to signals of a builder.
fn make<R>(
    builder: &Bound<'_, CircuitBuilder>,
    call: impl FnOnce(&mut LibraryBuilder) -> Result<R>,
) -> Result<R> {
    let mut state = builder.get().inner.lock().unwrap_or_else(PoisonError::into_inner);
    let library = state.as_mut();
    call(library.ok_or_else(|| PyValueError::new_err("the circuit is finished"))?)
}

/// Checks that signals belong to this builder.
fn of_builder(
    builder: &Bound<'_, CircuitBuilder>,
    signals: &[Py<Signal>],
) -> Result<Vec<LibrarySignal>> {
    let one = |signal: &Py<Signal>| {
        let signal = signal.get();
        if signal.builder.is(builder) {
            return Ok(signal.inner);
        }
        Err(exception("MismatchError", "a signal belongs to another circuit".to_owned()))
    };
    signals.iter().map(one).collect()
}

fn signal(builder: &Bound<'_, CircuitBuilder>, inner: LibrarySignal) -> Signal {
    Signal { inner, builder: builder.clone().unbind() }
}

fn signals(builder: &Bound<'_, CircuitBuilder>, word: Vec<LibrarySignal>) -> Vec<Signal> {
    word.into_iter().map(|inner| signal(builder, inner)).collect()
}

/// Computes a word from two words.
fn word_of_two(
    builder: &Bound<'_, CircuitBuilder>,
    x: &[Py<Signal>],
    y: &[Py<Signal>],
    call: impl FnOnce(&mut LibraryBuilder, &[LibrarySignal], &[LibrarySignal]) -> Vec<LibrarySignal>,
) -> Result<Vec<Signal>> {
    if x.len() != y.len() {
        let message =
            format!("words have {} and {} bits, but must have the same number", x.len(), y.len());
        return Err(PyValueError::new_err(message));
    }
    let (x, y) = (of_builder(builder, x)?, of_builder(builder, y)?);
    let word = make(builder, |library| Ok(call(library, &x, &y)))?;
    Ok(signals(builder, word))
}

/// Computes a bit from two words.
fn bit_of_two(
    builder: &Bound<'_, CircuitBuilder>,
    x: &[Py<Signal>],
    y: &[Py<Signal>],
    call: impl FnOnce(&mut LibraryBuilder, &[LibrarySignal], &[LibrarySignal]) -> LibrarySignal,
) -> Result<Signal> {
    let mut word = word_of_two(builder, x, y, |library, x, y| vec![call(library, x, y)])?;
    Ok(word.swap_remove(0))
}

#[pymethods]
impl CircuitBuilder {
    /// Makes an empty circuit with this name.
    #[new]
    fn new(name: &str) -> Self {
        Self { inner: Mutex::new(Some(LibraryBuilder::new(name))) }
    }

    fn __repr__(&self) -> String {
        let state = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            Some(library) => format!("CircuitBuilder({} nodes)", library.node_count()),
            None => "CircuitBuilder(finished)".to_owned(),
        }
    }

    /// Adds an input of `width` bits.
    fn input(slf: &Bound<'_, Self>, name: &str, width: usize) -> Result<Vec<Signal>> {
        let word = make(slf, |library| library.input(name, width).map_err(port_error))?;
        Ok(signals(slf, word))
    }

    /// Adds an output with these bits.
    fn output(slf: &Bound<'_, Self>, name: &str, word: Word) -> Result<()> {
        let word = of_builder(slf, &word)?;
        make(slf, |library| library.output(name, &word).map_err(port_error))
    }

    /// Returns a constant bit.
    fn constant(slf: &Bound<'_, Self>, bit: bool) -> Signal {
        signal(slf, LibrarySignal::constant(bit))
    }

    /// Returns `a` where `select` is 1, else `b`.
    fn multiplexer(
        slf: &Bound<'_, Self>,
        select: Py<Signal>,
        a: Py<Signal>,
        b: Py<Signal>,
    ) -> Result<Signal> {
        let of = of_builder(slf, &[select, a, b])?;
        let found = make(slf, |library| Ok(library.multiplexer(of[0], of[1], of[2])))?;
        Ok(signal(slf, found))
    }

    /// Returns 1 where at least two of three bits are 1.
    fn majority(
        slf: &Bound<'_, Self>,
        a: Py<Signal>,
        b: Py<Signal>,
        c: Py<Signal>,
    ) -> Result<Signal> {
        let of = of_builder(slf, &[a, b, c])?;
        let found = make(slf, |library| Ok(library.majority(of[0], of[1], of[2])))?;
        Ok(signal(slf, found))
    }

    /// Returns the exclusive or of all bits of a word.
    fn parity(slf: &Bound<'_, Self>, word: Word) -> Result<Signal> {
        let of = of_builder(slf, &word)?;
        let found = make(slf, |library| Ok(library.xor_all(&of)))?;
        Ok(signal(slf, found))
    }

    /// Returns `outputs[x]` for a word x of up to eight bits.
    fn table(slf: &Bound<'_, Self>, outputs: Vec<bool>, word: Word) -> Result<Signal> {
        let (table, of) = (BitTable::new(&outputs).map_err(raise)?, of_builder(slf, &word)?);
        if table.inputs() != of.len() {
            let (found, expected) = (of.len(), table.inputs());
            let message = format!("a table of {expected} bits has a word of {found}");
            return Err(exception("TableError", message));
        }
        let found = make(slf, |library| Ok(library.table(&table, &of)))?;
        Ok(signal(slf, found))
    }

    /// Returns x + y, modulo 2 to the power of the number of bits.
    fn add(slf: &Bound<'_, Self>, x: Word, y: Word) -> Result<Vec<Signal>> {
        word_of_two(slf, &x, &y, words::add)
    }

    /// Returns x + y + carry, and the carry out of the sum.
    fn add_with_carry(
        slf: &Bound<'_, Self>,
        x: Word,
        y: Word,
        carry: Py<Signal>,
    ) -> Result<(Vec<Signal>, Signal)> {
        let carry = of_builder(slf, &[carry])?[0];
        let mut sum = word_of_two(slf, &x, &y, |library, x, y| {
            let (mut sum, out) = words::add_with_carry(library, x, y, carry);
            sum.push(out);
            sum
        })?;
        let out = sum.pop().expect("the carry is the last");
        Ok((sum, out))
    }

    /// Returns x - y, modulo 2 to the power of the number of bits.
    fn subtract(slf: &Bound<'_, Self>, x: Word, y: Word) -> Result<Vec<Signal>> {
        word_of_two(slf, &x, &y, words::subtract)
    }

    /// Returns the lowest `width` bits of x * y (default: the number of bits of x and y together).
    #[pyo3(signature = (x, y, width = None))]
    fn multiply(
        slf: &Bound<'_, Self>,
        x: Word,
        y: Word,
        width: Option<usize>,
    ) -> Result<Vec<Signal>> {
        let width = width.unwrap_or(x.len()).min(2 * x.len());
        word_of_two(slf, &x, &y, |library, x, y| words::multiply(library, x, y, width))
    }

    /// Returns 1 if x < y, as unsigned or signed words.
    #[pyo3(signature = (x, y, *, signed = false))]
    fn less_than(slf: &Bound<'_, Self>, x: Word, y: Word, signed: bool) -> Result<Signal> {
        if x.is_empty() {
            return Err(PyValueError::new_err("a word of no bits"));
        }
        let call = if signed { words::less_than_signed } else { words::less_than };
        bit_of_two(slf, &x, &y, call)
    }

    /// Returns 1 if x == y.
    fn equal(slf: &Bound<'_, Self>, x: Word, y: Word) -> Result<Signal> {
        bit_of_two(slf, &x, &y, words::equal)
    }

    /// Returns the circuit, without gates that no output needs; the builder accepts no more calls.
    fn finish(slf: &Bound<'_, Self>) -> Result<Circuit> {
        let builder = slf.get().inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        let builder = builder.ok_or_else(|| PyValueError::new_err("the circuit is finished"))?;
        Ok(Circuit { forms: vec![builder.finish()].into() })
    }
}

impl Signal {
    fn gate(
        slf: &Bound<'_, Self>,
        other: Py<Self>,
        gate: fn(&mut LibraryBuilder, LibrarySignal, LibrarySignal) -> LibrarySignal,
    ) -> Result<Self> {
        let builder = slf.get().builder.bind(slf.py());
        let of = of_builder(builder, &[slf.clone().unbind(), other])?;
        let found = make(builder, |library| Ok(gate(library, of[0], of[1])))?;
        Ok(signal(builder, found))
    }
}

#[pymethods]
impl Signal {
    fn __and__(slf: &Bound<'_, Self>, other: Py<Self>) -> Result<Self> {
        Self::gate(slf, other, LibraryBuilder::and)
    }

    fn __or__(slf: &Bound<'_, Self>, other: Py<Self>) -> Result<Self> {
        Self::gate(slf, other, LibraryBuilder::or)
    }

    fn __xor__(slf: &Bound<'_, Self>, other: Py<Self>) -> Result<Self> {
        Self::gate(slf, other, LibraryBuilder::xor)
    }

    fn __invert__(slf: &Bound<'_, Self>) -> Self {
        let Self { inner, builder } = slf.get();
        Self { inner: !*inner, builder: builder.clone_ref(slf.py()) }
    }

    fn __bool__(&self) -> Result<bool> {
        let message = "a signal has no truth value: multiplexer() chooses by one";
        Err(pyo3::exceptions::PyTypeError::new_err(message))
    }
}

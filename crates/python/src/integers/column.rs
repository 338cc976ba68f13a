//! Encrypted columns of integers or booleans.

use std::sync::Arc;

use cryptable::engines::{packed, single};
use cryptable::integers::ColumnKind;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use super::parts::Parts;
use crate::encrypted_array::{array_files, array_methods, operators};
use crate::errors::Result;
use crate::properties::properties;
use crate::stated_types::{self, NumberType};

/// Parts of a column, for one of the engines.
#[derive(Debug)]
pub(crate) enum EngineColumn {
    Packed(Parts<packed::Ciphertext>),
    Single(Parts<single::Ciphertext>),
}

/// Evaluates an expression for the parts of either engine.
macro_rules! each_engine {
    ($column:expr, $parts:ident => $body:expr) => {
        match $column {
            $crate::integers::column::EngineColumn::Packed($parts) => $body,
            $crate::integers::column::EngineColumn::Single($parts) => $body,
        }
    };
}
pub(crate) use each_engine;

/// Encrypted integers of 8 to 64 bits, or booleans, in the shape of the array that was encrypted. Public: they may be
/// sent, stored and pickled.
///
/// Operators (`+ - * << >> < <= == & | ^ ~`) work within `with cryptable.integers.computing(server):`, as in numpy.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct Column {
    pub(crate) inner: Arc<EngineColumn>,
    pub(crate) shape: Vec<usize>,
}

impl Column {
    pub(crate) fn new(inner: EngineColumn, shape: Vec<usize>) -> Self {
        Self { inner: inner.into(), shape }
    }

    pub(crate) fn kind(&self) -> ColumnKind {
        each_engine!(&*self.inner, parts => parts.kind)
    }

    fn read(bytes: &[u8]) -> cryptable::Result<Self> {
        let column = match Parts::from_bytes(bytes) {
            Ok(parts) => EngineColumn::Packed(parts),
            // Files state their engine; a file of neither engine is refused by both readers.
            Err(error) => match Parts::from_bytes(bytes) {
                Ok(parts) => EngineColumn::Single(parts),
                Err(_) => return Err(error),
            },
        };
        let count = each_engine!(&column, parts => parts.count());
        Ok(Self::new(column, vec![count]))
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        each_engine!(&*self.inner, parts => parts.to_bytes())
    }

    /// Evaluates an operator through `cryptable.integers`, which knows the key; the other operand comes first if the
    /// name begins with `r`.
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        other: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let operator = slf.py().import("cryptable.integers")?.getattr("_operator")?;
        match (name.strip_prefix('r'), other) {
            (_, None) => operator.call1((name, (slf,))),
            (None, Some(other)) => operator.call1((name, (slf, other))),
            (Some(reflected), Some(other)) => operator.call1((reflected, (other, slf))),
        }
    }
}

#[pymethods]
impl Column {
    /// The numpy type of the values.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Result<NumberType<'py>> {
        let name = match self.kind() {
            ColumnKind::BOOLEANS => "bool".to_owned(),
            kind => {
                let sign = if kind.is_signed() { "" } else { "u" };
                format!("{sign}int{}", kind.bits())
            }
        };
        Ok(NumberType(py.import("numpy")?.call_method1("dtype", (name,))?))
    }

    /// The name of its engine: `packed` or `single`.
    #[getter]
    fn engine(&self) -> &'static str {
        match &*self.inner {
            EngineColumn::Packed(_) => "packed",
            EngineColumn::Single(_) => "single",
        }
    }

    fn __repr__(&self) -> String {
        format!("Column({}, {}, shape {:?})", self.engine(), self.kind(), self.shape)
    }

    fn __invert__<'py>(slf: Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "not", None)
    }

    fn __neg__<'py>(slf: Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "negate", None)
    }

    fn __richcmp__<'py>(
        slf: Bound<'py, Self>,
        other: Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> Result<stated_types::Column<'py>> {
        let name = match comparison {
            CompareOp::Lt => "less",
            CompareOp::Le => "less_or_equal",
            CompareOp::Gt => "rless",
            CompareOp::Ge => "rless_or_equal",
            CompareOp::Eq | CompareOp::Ne => "equal",
        };
        let found = Self::operator(&slf, name, Some(&other))?;
        Ok(stated_types::Column(match comparison {
            CompareOp::Ne => Self::operator(found.cast::<Self>()?, "not", None)?,
            _ => found,
        }))
    }
}

properties!(Column {
    /// Number of bits of the integers; 1 for booleans.
    bits: u32 = |it| it.kind().bits();
    /// Whether integers are signed.
    signed: bool = |it| it.kind().is_signed();
});

array_methods!(Column { inner }, "select() chooses by them");
array_files!(Column);
operators!(
    Column: __add__ = "add", __radd__ = "radd", __sub__ = "sub", __rsub__ = "rsub", __mul__ = "mul", __rmul__ = "rmul",
    __lshift__ = "shift_left", __rshift__ = "shift_right", __and__ = "and", __or__ = "or", __xor__ = "xor"
);

//! Functions on slots: polynomials, tables, linear maps.

use cryptable::ckks::Grid;
use pyo3::prelude::*;

use super::parameter_set::Parameters;
use crate::arrays::{complex_numbers, reals};
use crate::errors::{Result, exception, raise};
use crate::properties::properties;
use crate::real_function::RealFunction;

/// A polynomial on real slots within `[-interval, interval]`, possibly an approximation of another function.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct Polynomial {
    pub(crate) inner: cryptable::ckks::Polynomial,
}

#[pymethods]
impl Polynomial {
    /// Makes the polynomial that is the sum of `coefficients[k] * x**k`.
    #[staticmethod]
    #[pyo3(signature = (coefficients: "npt.ArrayLike", interval = 1.0))]
    fn monomial(coefficients: &Bound<'_, PyAny>, interval: f64) -> Result<Self> {
        let coefficients = reals(coefficients)?.values;
        let inner = cryptable::ckks::Polynomial::monomial(&coefficients, interval);
        Ok(Self { inner: inner.map_err(raise)? })
    }

    /// Makes the sum of `coefficients[k] * T_k(x / interval)`, with the Chebyshev polynomials T_k.
    #[staticmethod]
    #[pyo3(signature = (coefficients: "npt.ArrayLike", interval = 1.0))]
    fn chebyshev(coefficients: &Bound<'_, PyAny>, interval: f64) -> Result<Self> {
        let coefficients = reals(coefficients)?.values;
        let inner = cryptable::ckks::Polynomial::chebyshev(&coefficients, interval);
        Ok(Self { inner: inner.map_err(raise)? })
    }

    /// Makes the polynomial of this degree that agrees with a function at the Chebyshev points. Its distance to the
    /// function is part of the errors that results state.
    #[staticmethod]
    #[pyo3(signature = (function: "Callable[[float], float]", degree, interval = 1.0))]
    fn interpolate(function: &Bound<'_, PyAny>, degree: usize, interval: f64) -> Result<Self> {
        let function = RealFunction::new(function);
        let value = |x| function.value(x, f64::NAN);
        let inner = cryptable::ckks::Polynomial::interpolate(value, interval, degree);
        Ok(Self { inner: function.result(inner)?.map_err(raise)? })
    }

    /// Returns the largest distance to a function within the interval, sampled at many points.
    #[pyo3(signature = (function: "Callable[[float], float]"))]
    fn max_error(&self, function: &Bound<'_, PyAny>) -> Result<f64> {
        let function = RealFunction::new(function);
        let error = self.inner.max_error(|x| function.value(x, f64::NAN));
        function.result(error)
    }

    /// Evaluates the polynomial in the clear.
    fn __call__(&self, x: f64) -> f64 {
        self.inner.evaluate(x)
    }

    fn __repr__(&self) -> String {
        format!("Polynomial(degree {}, {} levels)", self.degree(), self.levels())
    }
}

properties!(Polynomial {
    /// Its degree.
    degree: usize = |it| it.inner.degree();
    /// Number of levels that it consumes.
    levels: usize = |it| it.inner.levels();
});

/// A table, possibly discontinuous, on real slots that hold points `first + m * step`.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct SlotTable {
    pub(crate) inner: cryptable::ckks::SlotTable,
}

#[pymethods]
impl SlotTable {
    /// Makes the table with `values[m]` at `first + m * step`, by interpolation of order 1 to 3.
    #[new]
    #[pyo3(signature = (values: "npt.ArrayLike", *, first = 0.0, step = 1.0, order = 1))]
    fn new(values: &Bound<'_, PyAny>, first: f64, step: f64, order: u64) -> Result<Self> {
        let values = reals(values)?.values;
        let grid = Grid { first, step, count: values.len() };
        let inner = cryptable::ckks::SlotTable::new(grid, order, &values).map_err(raise)?;
        Ok(Self { inner })
    }

    /// Number of levels between the exponential and the result.
    #[getter]
    fn levels(&self) -> usize {
        self.inner.levels()
    }

    /// Returns the points, and the period after which they repeat.
    #[getter]
    fn points(&self) -> (Vec<f64>, f64) {
        let grid = self.inner.grid();
        ((0..grid.count).map(|m| grid.point(m)).collect(), grid.period())
    }

    /// Returns the largest error of outputs if inputs have errors of `error`.
    fn largest_deviation(&self, error: f64) -> f64 {
        self.inner.largest_deviation(error)
    }

    fn __len__(&self) -> usize {
        self.inner.values().len()
    }

    fn __repr__(&self) -> String {
        let grid = self.inner.grid();
        format!("SlotTable({} points from {} on, {} apart)", grid.count, grid.first, grid.step)
    }
}

/// A smooth function on an interval, evaluated by `EvaluationKey.lookup` in the bootstrap: a trigonometric series with
/// a longer period that approximates it within `tolerance`. For numbers outside the interval, results are the values of
/// the series.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct SmoothFunction {
    pub(crate) inner: cryptable::ckks::SmoothFunction,
}

/// The default tolerance.
const TOLERANCE: f64 = 1e-6;

#[pymethods]
impl SmoothFunction {
    /// Fits a function on the interval from `lower` to `upper`.
    #[staticmethod]
    #[pyo3(signature = (function: "Callable[[float], float]", lower, upper, *, tolerance = TOLERANCE))]
    fn fit(function: &Bound<'_, PyAny>, lower: f64, upper: f64, tolerance: f64) -> Result<Self> {
        let function = RealFunction::new(function);
        let value = |x| function.value(x, f64::NAN);
        let inner = cryptable::ckks::SmoothFunction::fit(value, [lower, upper], tolerance);
        Ok(Self { inner: function.result(inner)?.map_err(raise)? })
    }

    /// Makes GELU, x times the normal distribution function, for x from `-bound` to `bound`.
    #[staticmethod]
    #[pyo3(signature = (bound = 8.0, *, tolerance = TOLERANCE))]
    fn gelu(bound: f64, tolerance: f64) -> Result<Self> {
        Self::of(cryptable::ckks::SmoothFunction::gelu(bound, tolerance))
    }

    /// Makes `1 / (1 + exp(-x))`, for x from `-bound` to `bound`.
    #[staticmethod]
    #[pyo3(signature = (bound = 8.0, *, tolerance = TOLERANCE))]
    fn sigmoid(bound: f64, tolerance: f64) -> Result<Self> {
        Self::of(cryptable::ckks::SmoothFunction::sigmoid(bound, tolerance))
    }

    /// Makes the hyperbolic tangent, for x from `-bound` to `bound`.
    #[staticmethod]
    #[pyo3(signature = (bound = 4.0, *, tolerance = TOLERANCE))]
    fn tanh(bound: f64, tolerance: f64) -> Result<Self> {
        Self::of(cryptable::ckks::SmoothFunction::tanh(bound, tolerance))
    }

    /// Makes `exp(x)`, for x from `lower` to `upper`.
    #[staticmethod]
    #[pyo3(signature = (lower, upper, *, tolerance = TOLERANCE))]
    fn exponential(lower: f64, upper: f64, tolerance: f64) -> Result<Self> {
        Self::of(cryptable::ckks::SmoothFunction::exponential([lower, upper], tolerance))
    }

    /// Makes `1 / x`, for x from `lower` to `upper`, both above 0.
    #[staticmethod]
    #[pyo3(signature = (lower, upper, *, tolerance = TOLERANCE))]
    fn reciprocal(lower: f64, upper: f64, tolerance: f64) -> Result<Self> {
        Self::of(cryptable::ckks::SmoothFunction::reciprocal([lower, upper], tolerance))
    }

    /// Makes the square root of x, for x from `lower` to `upper`, both above 0.
    #[staticmethod]
    #[pyo3(signature = (lower, upper, *, tolerance = TOLERANCE))]
    fn square_root(lower: f64, upper: f64, tolerance: f64) -> Result<Self> {
        Self::of(cryptable::ckks::SmoothFunction::square_root([lower, upper], tolerance))
    }

    /// Evaluates the series in the clear.
    fn __call__(&self, x: f64) -> f64 {
        self.inner.evaluate(x)
    }

    fn __repr__(&self) -> String {
        let [lower, upper] = self.inner.interval();
        format!("SmoothFunction([{lower}, {upper}], error {:.1e})", self.inner.error())
    }
}

impl SmoothFunction {
    fn of(inner: cryptable::Result<cryptable::ckks::SmoothFunction>) -> Result<Self> {
        Ok(Self { inner: inner.map_err(raise)? })
    }
}

properties!(SmoothFunction {
    /// The ends of the interval.
    interval: (f64, f64) = |it| it.inner.interval().into();
    /// The distance after which the series repeats.
    period: f64 = |it| it.inner.period();
    /// Number of levels between the exponential and the result.
    levels: usize = |it| it.inner.levels();
    /// The largest distance between function and series on the interval.
    error: f64 = |it| it.inner.error();
    /// The largest slope on the interval, the largest factor by which errors of inputs grow.
    slope: f64 = |it| it.inner.slope();
});

/// A function that a bootstrap evaluates.
#[derive(FromPyObject)]
pub(crate) enum SlotFunction {
    Table(Py<SlotTable>),
    Smooth(Py<SmoothFunction>),
}

impl SlotFunction {
    pub(crate) fn get(&self) -> cryptable::ckks::SlotFunction<'_> {
        match self {
            Self::Table(table) => (&table.get().inner).into(),
            Self::Smooth(function) => (&function.get().inner).into(),
        }
    }
}

/// A table on a few points that needs no bootstrap, but consumes levels.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct LeveledTable {
    pub(crate) inner: cryptable::ckks::LeveledTable,
}

#[pymethods]
impl LeveledTable {
    /// Interpolates `values` at `points` (default: 0, 1, ...), where the first `order` derivatives vanish.
    #[new]
    #[pyo3(signature = (values: "npt.ArrayLike", points: "npt.ArrayLike | None" = None, *, order = 1))]
    fn new(
        values: &Bound<'_, PyAny>,
        points: Option<&Bound<'_, PyAny>>,
        order: usize,
    ) -> Result<Self> {
        let values = reals(values)?.values;
        let inner = match points {
            Some(points) => {
                cryptable::ckks::LeveledTable::new(&reals(points)?.values, &values, order)
            }
            None => cryptable::ckks::LeveledTable::of_integers(&values, order),
        };
        Ok(Self { inner: inner.map_err(raise)? })
    }

    /// Number of levels that it consumes.
    #[getter]
    fn levels(&self) -> usize {
        self.inner.levels()
    }

    /// Evaluates the function in the clear.
    fn __call__(&self, x: f64) -> f64 {
        self.inner.function(x)
    }

    fn __repr__(&self) -> String {
        format!("LeveledTable({} levels)", self.levels())
    }
}

/// A square matrix whose width is a power of two; it multiplies slots that repeat with that width as their period.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct LinearMap {
    pub(crate) inner: cryptable::ckks::LinearMap,
}

#[pymethods]
impl LinearMap {
    /// Makes the map from an array of rows, for vectors that are lowered to this level (default: the level of fresh
    /// ones).
    #[new]
    #[pyo3(signature = (parameters, matrix: "npt.ArrayLike", level = None))]
    fn new(
        parameters: &Parameters,
        matrix: &Bound<'_, PyAny>,
        level: Option<usize>,
    ) -> Result<Self> {
        let (matrix, _) = complex_numbers(matrix)?;
        let [rows, columns] = matrix.shape[..] else {
            let message = format!("a matrix has two dimensions, not the shape {:?}", matrix.shape);
            return Err(exception("RangeError", message));
        };
        let rows: Vec<Vec<_>> = match columns {
            0 => vec![Vec::new(); rows],
            columns => matrix.values.chunks(columns).map(<[_]>::to_vec).collect(),
        };
        let level = level.unwrap_or_else(|| parameters.inner.levels());
        let inner = cryptable::ckks::LinearMap::new(&parameters.inner, &rows, level);
        Ok(Self { inner: inner.map_err(raise)? })
    }

    /// The level to which vectors are lowered.
    #[getter]
    fn level(&self) -> usize {
        self.inner.level()
    }
}

//! Conversion between numpy arrays of any type and shape and the numbers of the library.

use cryptable::ckks::Complex64;
use numpy::{Element, IxDyn, PyArray1, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};
use zeroize::Zeroizing;

use crate::errors::{Result, exception};

/// Numbers with the shape of their array.
pub(crate) struct Numbers<T> {
    pub(crate) values: Vec<T>,
    pub(crate) shape: Vec<usize>,
}

/// Bound from which 64-bit floats skip integers: 2^53.
const LEAST_SKIPPED: f64 = 9_007_199_254_740_992.0;

/// The array that numpy makes of a Python object.
struct Source<'py> {
    array: Bound<'py, PyAny>,
    /// The kind of its type: `u`, `i`, ...
    kind: String,
    shape: Vec<usize>,
}

/// Converts to a numpy array; refuses masked elements.
pub(crate) fn as_array<'py>(values: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    values.py().import("cryptable._arrays")?.call_method1("as_array", (values,))
}

impl<'py> Source<'py> {
    fn new(values: &Bound<'py, PyAny>) -> Result<Self> {
        let numpy = values.py().import("numpy")?;
        let mut array = as_array(values)?;
        let kind_of = |array: &Bound<'py, PyAny>| -> Result<String> {
            array.getattr("dtype")?.getattr("kind")?.extract()
        };
        let mut kind = kind_of(&array)?;
        // Pandas columns of pandas' own integer types arrive as objects.
        if kind == "O" {
            let found = numpy.call_method1("asarray", (array.call_method0("tolist")?,))?;
            if found.getattr("shape")?.eq(array.getattr("shape")?)? {
                (kind, array) = (kind_of(&found)?, found);
            }
        }
        let shape = array.getattr("shape")?.extract()?;
        Ok(Self { array, kind, shape })
    }

    /// Returns its values, row by row, as this numpy type.
    fn values<T: Element + Copy>(&self, dtype: &str) -> Result<Vec<T>> {
        // numpy converts an empty list to floats; the library reports that there are no values.
        if places(&self.shape) == 0 {
            return Ok(Vec::new());
        }
        let numpy = self.array.py().import("numpy")?;
        let array = numpy.call_method1("ascontiguousarray", (&self.array, dtype))?;
        Ok(array.extract::<PyReadonlyArrayDyn<'_, T>>()?.as_slice()?.to_vec())
    }

    fn refuse<T>(&self) -> Result<T> {
        self.refuse_but("integers")
    }

    fn refuse_but<T>(&self, expected: &str) -> Result<T> {
        self.refuse_large_integers()?;
        let found = self.array.getattr("dtype")?;
        let hint = match (self.kind.as_str(), self.first_none()?) {
            (_, Some(place)) => format!(
                ": None at position {place} is a missing value, which fillna of pandas fills"
            ),
            ("U" | "S" | "M" | "O", None) => {
                ": a CodeBook makes integers of words, dates and categories".into()
            }
            _ => String::new(),
        };
        let message = format!("values are of type {found}, but must be {expected}{hint}");
        Err(PyTypeError::new_err(message))
    }
}

impl<'py> Source<'py> {
    /// Converts floats to integers if all of them are integers, since pandas converts integers to floats once one is
    /// missing; returns other arrays unchanged.
    ///
    /// # Errors
    /// `TypeError` names the first float that is not an integer, or is so large that floats skip integers.
    fn of_integers(values: &Bound<'py, PyAny>) -> Result<Self> {
        let mut source = Self::new(values)?;
        if source.kind != "f" || places(&source.shape) == 0 {
            return Ok(source);
        }
        let floats = source.values::<f64>("float64")?;
        let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < LEAST_SKIPPED;
        if let Some(place) = floats.iter().position(|value| !is_whole(value)) {
            let (found, value) = (source.array.getattr("dtype")?, floats[place]);
            let hint = if value.is_nan() {
                "is a missing value, which fillna of pandas fills"
            } else if value.fract() == 0.0 {
                "may have been rounded, since floats skip integers from 2^53 on"
            } else {
                "is not one; round().astype(int) makes integers"
            };
            return Err(PyTypeError::new_err(format!(
                "values are of type {found}, but must be integers: {value} at position {place} {hint}"
            )));
        }
        source.array = source.array.call_method1("astype", ("int64",))?;
        source.kind = "i".to_owned();
        Ok(source)
    }

    /// Returns the position of the first None among objects.
    fn first_none(&self) -> Result<Option<usize>> {
        if self.kind != "O" {
            return Ok(None);
        }
        let mut values = self.array.call_method0("ravel")?.try_iter()?.enumerate();
        let is_none = |(_, value): &(usize, Result<Bound<'_, PyAny>>)| {
            value.as_ref().is_ok_and(|value| value.is_none())
        };
        Ok(values.find(is_none).map(|(place, _)| place))
    }

    /// Refuses Python integers of more than 64 bits, which numpy keeps as objects, and names the first one.
    fn refuse_large_integers(&self) -> Result<()> {
        if self.kind != "O" {
            return Ok(());
        }
        for (index, value) in self.array.call_method0("ravel")?.try_iter()?.enumerate() {
            let value = value?;
            if !value.is_instance_of::<PyInt>() {
                return Ok(());
            }
            if value.extract::<i64>().is_err() && value.extract::<u64>().is_err() {
                let message = format!("value {value} at position {index} has more than 64 bits");
                return Err(exception("RangeError", message));
            }
        }
        Ok(())
    }
}

/// Returns the values of an array, or of anything that numpy converts to one, row by row. If `signed`, values below 0
/// are counted from the modulus, so that -1 is `modulus - 1`.
///
/// # Errors
/// `TypeError` if there is anything but integers; `RangeError` names the first value that does not fit.
pub(crate) fn integers(
    values: &Bound<'_, PyAny>,
    modulus: u64,
    signed: bool,
) -> Result<Numbers<u64>> {
    let source = Source::of_integers(values)?;
    let values = match source.kind.as_str() {
        _ if places(&source.shape) == 0 => Vec::new(),
        "b" | "u" => source.values("uint64")?,
        "i" => residues(&source.values("int64")?, modulus, signed)?,
        _ => source.refuse()?,
    };
    Ok(Numbers { values, shape: source.shape })
}

/// Whether values are signed: as the caller says, or else if they have a signed numpy type that cannot hold all
/// unsigned values below the modulus, such as int8 for 256.
pub(crate) fn are_signed(
    values: &Bound<'_, PyAny>,
    modulus: u64,
    stated: Option<bool>,
) -> Result<bool> {
    if let Some(signed) = stated {
        return Ok(signed);
    }
    let Ok(dtype) = values.getattr("dtype") else { return Ok(false) };
    let kind: Option<String> = dtype.getattr("kind").and_then(|kind| kind.extract()).ok();
    let bytes: Option<u32> = dtype.getattr("itemsize").and_then(|size| size.extract()).ok();
    let largest = |bytes: u32| i64::MAX as u64 >> (u64::BITS - 8 * bytes.clamp(1, 8));
    Ok(kind.as_deref() == Some("i") && bytes.is_some_and(|bytes| largest(bytes) < modulus - 1))
}

/// Returns the values of an array unchanged.
///
/// # Errors
/// `TypeError` if there is anything but integers, `RangeError` if one is above 2^63 - 1.
pub(crate) fn signed_integers(values: &Bound<'_, PyAny>) -> Result<Numbers<i64>> {
    let source = Source::of_integers(values)?;
    let values = match source.kind.as_str() {
        "b" | "i" => source.values("int64")?,
        "u" => {
            let fits = |value: u64| {
                i64::try_from(value).map_err(|_| {
                    exception("RangeError", format!("value {value} is above {}", i64::MAX))
                })
            };
            source.values::<u64>("uint64")?.into_iter().map(fits).collect::<Result<_>>()?
        }
        _ if places(&source.shape) == 0 => Vec::new(),
        _ => source.refuse()?,
    };
    Ok(Numbers { values, shape: source.shape })
}

/// Converts signed integers to residues.
fn residues(values: &[i64], modulus: u64, signed: bool) -> Result<Vec<u64>> {
    let least = if signed { -i64::try_from(modulus / 2).unwrap_or(i64::MAX) } else { 0 };
    let residue = |(index, &value): (usize, &i64)| match u64::try_from(value) {
        Ok(value) if signed && value >= modulus.div_ceil(2) => Err((index, value.to_string())),
        Ok(value) => Ok(value),
        Err(_) if value >= least => Ok(modulus - value.unsigned_abs()),
        Err(_) => Err((index, value.to_string())),
    };
    values.iter().enumerate().map(residue).collect::<std::result::Result<_, _>>().map_err(
        |(index, value)| {
            let range = if signed {
                let most = modulus.div_ceil(2) - 1;
                format!("from {least} to {most}; signed=False takes 0 to {}", modulus - 1)
            } else {
                format!("from 0 to {}; signed=True takes values below 0", modulus - 1)
            };
            exception("RangeError", format!("value {value} at position {index} is not {range}"))
        },
    )
}

/// Makes an array of this shape.
pub(crate) fn shaped<'py, T: Element>(
    py: Python<'py>,
    values: &[T],
    shape: &[usize],
) -> Result<Bound<'py, PyAny>> {
    Ok(PyArray1::from_slice(py, values).reshape(IxDyn(shape))?.into_any())
}

/// Makes an array of this shape, of numpy's smallest integer type with this many bits; signed integers are given as
/// words in two's complement.
pub(crate) fn of_words<'py>(
    py: Python<'py>,
    words: &[u64],
    shape: &[usize],
    bits: u32,
    signed: bool,
) -> Result<Bound<'py, PyAny>> {
    let size = bits.next_power_of_two().clamp(8, u64::BITS);
    let dtype = format!("{}int{size}", if signed { "" } else { "u" });
    shaped(py, words, shape)?.call_method1("astype", (dtype,))
}

/// Makes an array of this shape, of the smallest numpy type that holds all values below the modulus.
pub(crate) fn array<'py>(
    py: Python<'py>,
    values: &[u64],
    shape: &[usize],
    modulus: u64,
    signed: bool,
) -> Result<Bound<'py, PyAny>> {
    let bits = u64::BITS - (modulus - 1).leading_zeros();
    if !signed {
        return of_words(py, values, shape, bits, false);
    }
    let half = modulus.div_ceil(2);
    let word = |&value: &u64| if value < half { value } else { value.wrapping_sub(modulus) };
    let words = Zeroizing::new(values.iter().map(word).collect::<Vec<_>>());
    of_words(py, &words, shape, bits, true)
}

/// Returns the values of an array as words of `bits` bits, in two's complement.
///
/// # Errors
/// `TypeError` if there is anything but integers; `RangeError` names the first value that does not fit.
pub(crate) fn words(values: &Bound<'_, PyAny>, bits: u32, signed: bool) -> Result<Numbers<u64>> {
    let source = Source::of_integers(values)?;
    let bits = bits.clamp(1, u64::BITS);
    let (least, most) = if signed {
        (i64::MIN >> (u64::BITS - bits), (i64::MAX >> (u64::BITS - bits)).cast_unsigned())
    } else {
        (0, u64::MAX >> (u64::BITS - bits))
    };
    let refused = |index: usize, value: &dyn std::fmt::Display| {
        let message = format!("value {value} at position {index} is not from {least} to {most}");
        exception("RangeError", message)
    };
    let values = match source.kind.as_str() {
        _ if places(&source.shape) == 0 => Vec::new(),
        "b" | "u" => source.values::<u64>("uint64")?,
        "i" => {
            let values = source.values::<i64>("int64")?;
            if let Some(index) = values.iter().position(|&value| value < least) {
                return Err(refused(index, &values[index]));
            }
            if let Some(index) = values.iter().position(|&it| it > 0 && it.cast_unsigned() > most) {
                return Err(refused(index, &values[index]));
            }
            let mask = u64::MAX >> (u64::BITS - bits);
            let values = values.into_iter().map(|value| value.cast_unsigned() & mask).collect();
            return Ok(Numbers { values, shape: source.shape });
        }
        _ => source.refuse()?,
    };
    match values.iter().position(|&value| value > most) {
        Some(index) => Err(refused(index, &values[index])),
        None => Ok(Numbers { values, shape: source.shape }),
    }
}

/// Reads real numbers of any shape, row by row.
pub(crate) fn reals(values: &Bound<'_, PyAny>) -> Result<Numbers<f64>> {
    let source = Source::new(values)?;
    match source.kind.as_str() {
        "b" | "i" | "u" | "f" => {
            Ok(Numbers { values: source.values("float64")?, shape: source.shape })
        }
        _ => source.refuse_but("real numbers"),
    }
}

/// Reads complex numbers of any shape, row by row, and whether all of them are real.
pub(crate) fn complex_numbers(values: &Bound<'_, PyAny>) -> Result<(Numbers<Complex64>, bool)> {
    let source = Source::new(values)?;
    let is_real = source.kind != "c";
    match source.kind.as_str() {
        "b" | "i" | "u" | "f" | "c" => {
            Ok((Numbers { values: source.values("complex128")?, shape: source.shape }, is_real))
        }
        _ => source.refuse_but("numbers"),
    }
}

/// Reads truth values of any shape, row by row.
///
/// # Errors
/// `TypeError` for anything but booleans and integers, `RangeError` for integers other than 0 and 1.
pub(crate) fn booleans(values: &Bound<'_, PyAny>) -> Result<Numbers<bool>> {
    let words = words(values, 1, false)?;
    let values = words.values.iter().map(|&word| word == 1).collect();
    Ok(Numbers { values, shape: words.shape })
}

/// Returns the shape that `reshape` was called with, for `count` values; one side may be -1, as in numpy, and is
/// computed from the others.
///
/// # Errors
/// `ValueError` if the new shape has another number of places.
pub(crate) fn reshaped(shape: &Bound<'_, PyTuple>, count: usize) -> Result<Vec<usize>> {
    // The sides may come as separate arguments, or as one sequence.
    let asked: Result<Vec<i64>> = match shape.get_item(0) {
        Ok(first) if shape.len() == 1 && first.extract::<i64>().is_err() => first.extract(),
        _ => shape.extract(),
    };
    let asked = asked.map_err(|_| {
        PyTypeError::new_err(format!(
            "a shape is one or more integers, or a sequence of them, not {shape}"
        ))
    })?;
    let refused =
        || PyValueError::new_err(format!("{count} values cannot have the shape {asked:?}"));
    let sides = asked.iter().filter_map(|&side| usize::try_from(side).ok());
    // A product that wraps around could equal that of another shape.
    let known = sides.fold(1, usize::saturating_mul);
    let mut rest = (known > 0 && count.is_multiple_of(known)).then(|| count / known);
    let side = |&side: &i64| match side {
        // At most one side may be -1.
        -1 => rest.take(),
        _ => usize::try_from(side).ok(),
    };
    let found: Vec<usize> = asked.iter().map(side).collect::<Option<_>>().ok_or_else(refused)?;
    let all = found.iter().try_fold(1_usize, |places, &side| places.checked_mul(side));
    if all == Some(count) { Ok(found) } else { Err(refused()) }
}

/// Returns the index among `count` items; negative indices count from the end.
///
/// # Errors
/// `RangeError` if there are fewer.
pub(crate) fn index_of(index: i64, count: usize) -> Result<usize> {
    let found = if index < 0 { index + count as i64 } else { index };
    usize::try_from(found).ok().filter(|&found| found < count).ok_or_else(|| {
        exception("RangeError", format!("index {index} is not one of {count} values"))
    })
}

/// Returns the common shape of operands that are combined place by place.
///
/// # Errors
/// `MismatchError` if shapes differ: nothing is broadcast.
pub(crate) fn common_shape<'a>(
    shapes: impl IntoIterator<Item = &'a Vec<usize>>,
) -> Result<Vec<usize>> {
    let mut shapes = shapes.into_iter();
    let Some(first) = shapes.next() else { return Ok(Vec::new()) };
    match shapes.find(|&shape| shape != first) {
        None => Ok(first.clone()),
        Some(other) => {
            let message = format!(
                "operands have the shapes {first:?} and {other:?}, but must have the same one"
            );
            Err(exception("MismatchError", message))
        }
    }
}

/// Returns `len` of an array of this shape: the length of its first axis, as in numpy.
///
/// # Errors
/// `TypeError` for a single value.
pub(crate) fn length(shape: &[usize]) -> Result<usize> {
    let scalar = || PyTypeError::new_err("a single value has no len(): its shape is ()");
    shape.first().copied().ok_or_else(scalar)
}

/// Returns the number of places of a shape.
pub(crate) fn places(shape: &[usize]) -> usize {
    shape.iter().product()
}

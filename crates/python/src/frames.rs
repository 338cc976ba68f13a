//! Schemas and encrypted frames, for `cryptable/frames.py`. Columns are exchanged in the format of Arrow files.

use std::path::PathBuf;

use cryptable_frames::{
    Column, FileFormat, FileKind, FrameColumn, Mapping, Operand, Pipeline, RecordBatch, Step,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise, raise_of_frame};
use crate::evaluation_key::EvaluationKey;
use crate::files::{Access, read_file, write_file};
use crate::key_files::read_options;
use crate::programs::ServerProgram;
use crate::properties::properties;
use crate::secret_key::SecretKey;
use crate::table::{Signs, Table, of_moduli};

/// Encoding of the values of columns as integers. `frames.suggest` makes one from data, `Schema.from_json` from a
/// file's text.
#[pyclass(frozen, module = "cryptable.frames")]
pub(crate) struct Schema {
    inner: cryptable_frames::Schema,
}

#[pymethods]
impl Schema {
    /// Reads a schema, which may have been edited.
    #[staticmethod]
    fn from_json(text: &str) -> Result<Self> {
        let inner = cryptable_frames::Schema::from_json(text.as_bytes()).map_err(raise_of_frame)?;
        Ok(Self { inner })
    }

    /// Returns the schema as text that people can edit.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    /// Checks that frames of this schema can be inputs of a program, as `frames.plan(program, schema=schema)` does,
    /// before keys are made and anything is encrypted.
    fn check(&self, program: &ServerProgram) -> Result<()> {
        program.inner.check_schema(&self.inner).map_err(raise_of_frame)
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.inner.columns().iter().map(|column| column.name()).collect();
        format!("Schema({})", names.join(", "))
    }
}

properties!(Schema {
    /// Names of the columns.
    names: Vec<String> = |it| it.inner.columns().iter().map(|column| column.name().to_owned()).collect();
});

/// Encrypted columns with names, all with the same number of rows. The names, the number of rows, the units of results,
/// and which columns are signed or may have gaps are public.
#[pyclass(frozen, module = "cryptable.frames")]
pub(crate) struct Frame {
    pub(crate) inner: cryptable_frames::Frame,
}

#[pymethods]
impl Frame {
    /// Writes the frame to a file, as `cryptable encrypt --schema` does.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        call::detach(py, || {
            write_file(&path, Access::Public, replace, |out| {
                self.inner.write_to(out).map_err(raise_of_frame)
            })
        })
    }

    /// Reads a frame from a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
        let inner = call::detach(py, || {
            let bytes = read_file(&path)?;
            cryptable_frames::Frame::from_bytes(&bytes, read_options(false)).map_err(raise_of_frame)
        })?;
        Ok(Self { inner })
    }

    fn __len__(&self) -> usize {
        self.inner.rows()
    }

    fn __repr__(&self) -> String {
        format!("Frame({} rows: {})", self.inner.rows(), self.inner.names().join(", "))
    }
}

properties!(Frame {
    /// Names of the columns.
    names: Vec<String> = |it| it.inner.names();
});

/// Reads columns from an Arrow stream or file.
fn columns_of(arrow: &[u8]) -> Result<RecordBatch> {
    FileFormat::from(FileKind::Arrow).read(arrow).map_err(raise_of_frame)
}

/// Suggests a schema for data and keys of this many bits.
#[pyfunction]
pub(crate) fn suggest_schema(arrow: &[u8], bits: u32) -> Result<(Schema, Vec<(String, String)>)> {
    let columns = columns_of(arrow)?;
    let modulus = 1_u64.checked_shl(bits).unwrap_or(u64::MAX);
    let (inner, left_out) = cryptable_frames::suggest(&columns, modulus).map_err(raise_of_frame)?;
    let left_out = left_out.into_iter().map(|it| (it.column, it.reason)).collect();
    Ok((Schema { inner }, left_out))
}

/// Encrypts the columns of a schema, from data in Arrow's format.
#[pyfunction]
pub(crate) fn encrypt_frame(
    py: Python<'_>,
    secret: &SecretKey,
    arrow: &[u8],
    schema: &Schema,
) -> Result<Frame> {
    let columns = columns_of(arrow)?;
    let encrypt = || cryptable_frames::Frame::encrypt(secret.library(), &columns, &schema.inner);
    let inner = call::run_silently(py, || Ok(encrypt()))?.map_err(raise_of_frame)?;
    Ok(Frame { inner })
}

/// Decrypts all columns to an Arrow file.
#[pyfunction]
pub(crate) fn decrypt_frame<'py>(
    py: Python<'py>,
    secret: &SecretKey,
    frame: &Frame,
    schema: Option<&Schema>,
) -> Result<Bound<'py, PyBytes>> {
    let schema = schema.map(|schema| &schema.inner);
    let decrypt = || frame.inner.decrypt(secret.library(), schema);
    let batch = call::run_silently(py, || Ok(decrypt()))?.map_err(raise_of_frame)?;
    let mut arrow = Zeroizing::new(Vec::new());
    FileFormat::from(FileKind::Arrow).write(&mut *arrow, &batch).map_err(raise_of_frame)?;
    Ok(PyBytes::new(py, &arrow))
}

/// Looks up columns of a frame. Each step has the name of a result, a column and its table, or no table to copy the
/// column. The schemas are those of the frame's columns and of results.
#[pyfunction]
#[pyo3(signature = (server, frame, lookups: "Sequence[tuple[str, str, TableLike | str | None]]", schemas: "tuple[Schema | None, Schema | None]", threads: "int", progress))]
pub(crate) fn select_frame(
    py: Python<'_>,
    server: &EvaluationKey,
    frame: &Frame,
    lookups: Vec<(String, String, Option<Bound<'_, PyAny>>)>,
    schemas: (Option<Py<Schema>>, Option<Py<Schema>>),
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<Frame> {
    let (schema, results) = (schemas.0.as_ref().map(Py::get), schemas.1.as_ref().map(Py::get));
    let units = Units { frame, schema, results, key: server.library() };
    let mut steps = Vec::new();
    let mut operands = Vec::new();
    for (into, column, table) in lookups {
        let Some(table) = table else {
            operands.push(None);
            steps.push(Step::Select { columns: vec![column], into: vec![into] });
            continue;
        };
        operands.push(Some(units.table(&into, &column, &table)?.into()));
        steps.push(Step::Lookup { column, table: PathBuf::new(), default: None, into });
    }
    let pipeline = Pipeline::new(steps, None).map_err(raise_of_frame)?;
    let results = results.map(|results| &results.inner);
    let found = call::run_reporting(py, threads, progress, "lookups", |execution| {
        Ok(pipeline.run(server.library(), &frame.inner, &operands, results, execution))
    })?;
    Ok(Frame { inner: found.map_err(raise_of_frame)? })
}

/// Arguments of a join besides the frame.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Join {
    key: String,
    table: String,
    columns: Vec<String>,
    default: Option<String>,
    schema: Option<Py<Schema>>,
    results: Option<Py<Schema>>,
}

/// Adds columns of a table, which is CSV text, to a frame by a column of keys. Without a default, rows whose key is not
/// in the table have gaps.
#[pyfunction]
#[pyo3(signature = (server, frame, join: "Mapping[str, Any]", threads: "int", progress))]
pub(crate) fn join_frame(
    py: Python<'_>,
    server: &EvaluationKey,
    frame: &Frame,
    join: Join,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<Frame> {
    let (schema, results) = (join.schema.as_ref().map(Py::get), join.results.as_ref().map(Py::get));
    let units = Units { frame, schema, results, key: server.library() };
    let operand = Operand::Join(units.joined(&join)?);
    let Join { key: column, columns: into, default, .. } = join;
    let output = frame.inner.names().into_iter().chain(into.iter().cloned()).collect();
    let step = Step::Join { column, table: PathBuf::new(), default, into };
    let pipeline = Pipeline::new(vec![step], Some(output)).map_err(raise_of_frame)?;
    let (results, operands) = (results.map(|results| &results.inner), [Some(operand)]);
    let found = call::run_reporting(py, threads, progress, "join", |execution| {
        Ok(pipeline.run(server.library(), &frame.inner, &operands, results, execution))
    })?;
    Ok(Frame { inner: found.map_err(raise_of_frame)? })
}

/// Marks the rows of the largest values, whose digits are in several columns of a frame; without a number of rows,
/// marks the first row of the largest value.
#[pyfunction]
#[pyo3(signature = (server, frame, largest: "tuple[Sequence[str], int | None, str]", threads: "int", progress))]
pub(crate) fn largest_rows(
    py: Python<'_>,
    server: &EvaluationKey,
    frame: &Frame,
    largest: (Vec<String>, Option<u64>, String),
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<Frame> {
    let (columns, count, into) = largest;
    let step = match count {
        Some(count) => Step::Largest { columns, count, into },
        None => Step::Argmax { columns, into },
    };
    let pipeline = Pipeline::new(vec![step], None).map_err(raise_of_frame)?;
    let found = call::run_reporting(py, threads, progress, "largest", |execution| {
        Ok(pipeline.run(server.library(), &frame.inner, &[None], None, execution))
    })?;
    Ok(Frame { inner: found.map_err(raise_of_frame)? })
}

/// Runs a program on the columns of a frame, which it finds by name.
#[pyfunction]
#[pyo3(signature = (server, frame, program, threads: "int", progress))]
pub(crate) fn run_program(
    py: Python<'_>,
    server: &EvaluationKey,
    frame: &Frame,
    program: &ServerProgram,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<Frame> {
    let found = call::run_reporting(py, threads, progress, "program", |execution| {
        Ok(program.inner.run(server.library(), &frame.inner, execution))
    })?;
    Ok(Frame { inner: found.map_err(raise_of_frame)? })
}

/// Joins columns of encrypted values to a frame.
#[pyfunction]
pub(crate) fn join_columns(columns: Vec<(String, Py<Ciphertext>)>) -> Result<Frame> {
    let column = |(name, values): (String, Py<Ciphertext>)| {
        FrameColumn::new(name, (*values.get().inner).clone())
    };
    let columns = columns.into_iter().map(column).collect();
    Ok(Frame { inner: cryptable_frames::Frame::new(columns).map_err(raise_of_frame)? })
}

/// Returns the values of a column of a frame.
#[pyfunction]
pub(crate) fn column_of(frame: &Frame, name: &str) -> Result<Ciphertext> {
    let values = frame.inner.column(name).map_err(raise_of_frame)?.values().clone();
    let rows = values.count();
    Ok(Ciphertext::new(values, vec![rows]))
}

/// Units of columns before and after lookups.
struct Units<'a> {
    frame: &'a Frame,
    schema: Option<&'a Schema>,
    results: Option<&'a Schema>,
    key: &'a cryptable::EvaluationKey,
}

impl Units<'_> {
    /// Makes a table from CSV text in the units of its columns, or from anything that `cryptable.table` accepts.
    fn table(&self, into: &str, name: &str, table: &Bound<'_, PyAny>) -> Result<cryptable::Table> {
        let column = self.frame.inner.column(name).map_err(raise_of_frame)?;
        let parameters = self.key.lookup_parameters().map_err(raise)?;
        let (input, output) = (column.values().modulus(), parameters.output_modulus());
        let named = |schema: Option<&Schema>, name| schema?.inner.column(name).ok().cloned();
        let output_units = named(self.results, into);
        let is_signed = column.values().is_signed();
        let Ok(text) = table.extract::<String>() else {
            let outputs = output_units.is_some_and(|units| units.encoding().is_signed());
            let signs = Signs { inputs: is_signed, outputs };
            let table = of_moduli(table, input, output, signs)?;
            return Ok((*table.cast::<Table>()?.get().inner).clone());
        };
        let from = self.input(name)?;
        let to = integers_unless(output_units, into, false, output)?;
        let mapping = Mapping::read(text.as_bytes()).map_err(raise_of_frame)?;
        mapping.table(&from, input, &to, output, None).map_err(raise_of_frame)
    }

    /// Returns the units of a column of the frame, or those of integers.
    fn input(&self, name: &str) -> Result<Column> {
        let column = self.frame.inner.column(name).map_err(raise_of_frame)?;
        let named = || self.schema?.inner.column(name).ok().cloned();
        let units = column.units().cloned().or_else(named);
        integers_unless(units, name, column.values().is_signed(), column.values().modulus())
    }

    /// Makes the tables of a join.
    fn joined(&self, join: &Join) -> Result<Vec<cryptable::Table>> {
        let parameters = self.key.lookup_parameters().map_err(raise)?;
        let from = self.input(&join.key)?;
        let column = self.frame.inner.column(&join.key).map_err(raise_of_frame)?;
        let (input, output) = (column.values().modulus(), parameters.output_modulus());
        let units = |name: &String| {
            let units = self.results.and_then(|it| it.inner.column(name).ok().cloned());
            integers_unless(units, name, false, output)
        };
        let columns = join.columns.iter().map(units).collect::<Result<Vec<_>>>()?;
        let (table, default) = (join.table.as_bytes(), join.default.as_deref());
        Mapping::join(table, &from, input, &columns, output, default).map_err(raise_of_frame)
    }
}

/// Returns the units, or those of integers.
fn integers_unless(
    units: Option<Column>,
    name: &str,
    is_signed: bool,
    modulus: u64,
) -> Result<Column> {
    match units {
        Some(units) => Ok(units),
        None => Column::integers(name, is_signed, modulus).map_err(raise_of_frame),
    }
}

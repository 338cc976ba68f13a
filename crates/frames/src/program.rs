//! Programs: formulas over columns of a frame, by the names of columns and results.

use cryptable::Request;
use cryptable::engines::packed::{Formula, Layer, PreparedFormulas};
use cryptable::jobs::Formulas;
use serde::{Deserialize, Serialize};

use crate::error::{Error, PipelineProblem, Result};
use crate::schema::{Schema, check_name};

/// A program as its file states it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramFile {
    columns: Vec<String>,
    modulus: u64,
    results: Vec<String>,
    output_modulus: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    formulas: Vec<Formula>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    layers: Vec<Layer>,
    group_by: Option<GroupBy>,
    sort: Option<Sort>,
}

/// Order in which rows are sorted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sort {
    /// Number of columns, from the first on, that are the keys.
    keys: usize,
    /// Whether the largest key comes first.
    #[serde(default)]
    descending: bool,
}

/// The column whose values are groups, and the number of groups.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupBy {
    column: String,
    groups: u64,
}

/// Formulas with names, to which a decision tree, a forest or a linear model is compiled.
///
/// With `"group_by": {"column": "region", "groups": 64}`, formulas are added up over the rows of each group, which is
/// the value of that column. The sum of `{"constant": 1}` is the number of rows, and `{"column": 1}` is the value of a
/// column.
///
/// ```
/// use cryptable_frames::Program;
/// let program = Program::from_json(br#"{
///     "columns": ["age", "income"], "modulus": 16,
///     "results": ["score"], "output_modulus": 64,
///     "formulas": [{"choice": {
///         "column": 0, "within": [[0, 4]],
///         "then": {"constant": 10},
///         "otherwise": {"choice": {"column": 1, "within": [[0, 2]], "then": {"constant": 20}, "otherwise": {"constant": 30}}}
///     }}]
/// }"#)?;
/// assert_eq!(program.values(&[3, 0]), [10]);
/// assert_eq!(program.values(&[4, 2]), [30]);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
///
/// With `"sort": {"keys": 1}` instead of formulas, results are the columns with their rows sorted by the first columns,
/// the keys ([`PreparedFormulas::sort`]); with `"descending": true`, the largest comes first.
///
/// A network has `layers` instead of `formulas`: sums of integer multiples of the columns, a table for each sum, sums
/// of the tables' outputs, and so on ([`Layer`]). The sums of the last layer are the results.
/// ```
/// # use cryptable_frames::Program;
/// let network = Program::from_json(br#"{
///     "columns": ["x", "y"], "modulus": 8,
///     "results": ["total"], "output_modulus": 64,
///     "layers": [
///         {"weights": [[1, 2], [-1, 1]], "constants": [0, 4],
///          "tables": [[0, 1, 2, 3, 3, 3, 3, 3], [0, 0, 0, 0, 0, 1, 2, 3]]},
///         {"weights": [[5, -2]], "constants": [1]}
///     ]
/// }"#)?;
/// assert_eq!(network.values(&[1, 2]), [5 * 3 - 2 + 1]);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    file: ProgramFile,
    formulas: PreparedFormulas,
}

/// Properties of a column that a program reads.
pub(crate) struct Input {
    pub has_gaps: bool,
    pub is_signed: bool,
    /// A number that all residues are below, if the column is not signed.
    pub values_needed: u64,
}

impl ProgramFile {
    fn prepare(&self) -> Result<PreparedFormulas> {
        let kinds = [
            ("a sort", self.sort.is_some()),
            ("layers", !self.layers.is_empty()),
            ("formulas", !self.formulas.is_empty()),
            ("groups", self.group_by.is_some()),
        ];
        let mut kinds = kinds.iter().filter(|(_, is_there)| *is_there);
        if let (Some((first @ ("a sort" | "layers"), _)), Some((other, _))) =
            (kinds.next(), kinds.next())
        {
            let what = "it is not a program";
            return Err(Error::Syntax { what, text: format!("it has {first} and {other}") });
        }
        if let Some(Sort { keys, descending }) = self.sort {
            let columns = self.columns.len();
            return Ok(PreparedFormulas::sort(columns, keys, self.modulus, descending)?);
        }
        if !self.layers.is_empty() {
            return Ok(PreparedFormulas::network(&self.layers, self.modulus)?);
        }
        let Some(GroupBy { column, groups }) = &self.group_by else {
            return Ok(PreparedFormulas::new(&self.formulas, self.modulus)?);
        };
        let place = self.columns.iter().position(|name| name == column);
        let missing = || Error::NoColumn { name: column.clone(), known: self.columns.clone() };
        let place = place.ok_or_else(missing)?;
        Ok(PreparedFormulas::by_group(&self.formulas, place, *groups, self.modulus)?)
    }
}

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    /// If it is not JSON of this form, if the number of names is not that of columns and formulas, or if a formula is
    /// not valid.
    pub fn from_json(bytes: &[u8]) -> Result<Self> {
        let file: ProgramFile = serde_json::from_slice(bytes).map_err(|error| Error::Syntax {
            what: "it is not a program",
            text: error.to_string(),
        })?;
        let formulas = file.prepare()?;
        file.columns.iter().chain(&file.results).try_for_each(|name| check_name(name))?;
        for (name, found, expected) in [
            ("number of names of columns", file.columns.len(), formulas.columns()),
            ("number of names of results", file.results.len(), formulas.formulas()),
        ] {
            // Columns that no formula depends on may be named, too.
            let fits = found == expected || (found > expected && name.ends_with("columns"));
            if !fits {
                return Err(cryptable::Error::Mismatch {
                    name,
                    found: found.to_string(),
                    expected: expected.to_string(),
                }
                .into());
            }
        }
        Ok(Self { file, formulas })
    }

    /// Returns the names of the columns, in the order of their numbers in formulas.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.file.columns
    }

    /// Returns the names of the results.
    #[must_use]
    pub fn results(&self) -> &[String] {
        &self.file.results
    }

    /// Returns the formulas.
    #[must_use]
    pub fn formulas(&self) -> &PreparedFormulas {
        &self.formulas
    }

    /// Returns the number of the column whose values are groups, and the number of groups, if results are added up by
    /// groups.
    #[must_use]
    pub fn groups(&self) -> Option<(usize, u64)> {
        let GroupBy { column, groups } = self.file.group_by.as_ref()?;
        Some((self.columns().iter().position(|name| name == column)?, *groups))
    }

    /// Checks that a frame with this schema can be the program's input, before keys are generated and anything is
    /// encrypted: it has the program's columns, none of them is signed, all of its values fit, and columns of sorts and
    /// groups have neither gaps nor values that are too large to be sorted or added up by.
    ///
    /// ```
    /// use cryptable_frames::{Program, Schema};
    /// let sort = Program::from_json(br#"{"columns": ["x"], "modulus": 64, "sort": {"keys": 1},
    ///     "results": ["sorted"], "output_modulus": 64}"#)?;
    /// let schema = |maximum| {
    ///     let text = format!(r#"{{"columns": [{{"column": "x", "type": "integer", "maximum": {maximum}}}]}}"#);
    ///     Schema::from_json(text.as_bytes())
    /// };
    /// sort.check_schema(&schema(15)?)?;
    /// assert!(sort.check_schema(&schema(16)?).unwrap_err().to_string().contains("values below 16"));
    /// # Ok::<(), cryptable_frames::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoColumn`] if the schema lacks a column, [`Error::Column`] if one needs more values than the modulus,
    /// [`Error::Program`] for a column that is signed, or one of a sort or of groups.
    pub fn check_schema(&self, schema: &Schema) -> Result<()> {
        let modulus = self.file.modulus;
        schema.columns().iter().try_for_each(|column| column.check_modulus(modulus))?;
        let columns = self.columns().iter().map(|name| schema.column(name));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let input = |place: usize| Input {
            has_gaps: columns[place].has_validity(),
            is_signed: columns[place].encoding().is_signed(),
            values_needed: columns[place].encoding().values_within(modulus),
        };
        self.check_inputs(self.columns(), |place| Some(input(place)))?;
        let Some((place, groups)) = self.groups() else { return Ok(()) };
        let found = input(place).values_needed;
        if found > groups {
            let column = self.columns()[place].clone();
            return Err(PipelineProblem::NoGroup { column, found, groups }.into());
        }
        Ok(())
    }

    /// Checks columns with the names of the program's columns, as far as their properties are known.
    pub(crate) fn check_inputs(
        &self,
        names: &[String],
        input: impl Fn(usize) -> Option<Input>,
    ) -> Result<(), PipelineProblem> {
        let (keys, limit) =
            (self.file.sort.as_ref().map_or(0, |it| it.keys), self.file.modulus / 4);
        let mixes_rows = self.formulas.is_sort() || self.file.group_by.is_some();
        for (place, name) in names.iter().enumerate() {
            let (column, Some(found)) = (name.clone(), input(place)) else { continue };
            if mixes_rows && found.has_gaps {
                return Err(PipelineProblem::GapsAsZero(column));
            }
            if found.is_signed && place < self.formulas.columns() {
                return Err(PipelineProblem::SignedInput(column));
            }
            if place < keys && found.values_needed > limit {
                let found = found.values_needed;
                return Err(PipelineProblem::WideKey { column, found, limit });
            }
        }
        Ok(())
    }

    /// Returns the results for a row of integers that represent values, before results are added up or sorted.
    ///
    /// # Panics
    /// If the row has fewer values than columns, or one that is not below the modulus.
    #[must_use]
    pub fn values(&self, row: &[u64]) -> Vec<i64> {
        if self.formulas.is_sort() {
            return row.iter().map(|&value| value as i64).collect();
        }
        if self.file.layers.is_empty() {
            return self.file.formulas.iter().map(|formula| formula.value(row)).collect();
        }
        let values = row.iter().map(|&value| value as i64).collect();
        let next = |values: Vec<i64>, layer: &Layer| layer.values(&values, self.file.modulus);
        self.file.layers.iter().fold(values, next)
    }

    /// Returns the request for keys that serve the program.
    #[must_use]
    pub fn request(&self) -> Request<Formulas> {
        Request::formulas(&self.formulas, self.file.output_modulus)
    }
}

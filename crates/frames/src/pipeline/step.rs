//! Steps of pipelines, and their operands.

use std::path::PathBuf;

use cryptable::Table;
use cryptable::integers::Operation;
use serde::Deserialize;

use crate::error::PipelineProblem;
use crate::program::Program;
use crate::schema::Scalar;

/// A step as its file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepFile {
    lookup: Option<String>,
    table: Option<PathBuf>,
    default: Option<String>,
    sum: Option<Vec<String>>,
    factors: Option<Vec<i64>>,
    program: Option<PathBuf>,
    inputs: Option<Vec<String>>,
    join: Option<String>,
    largest: Option<Vec<String>>,
    argmax: Option<Vec<String>>,
    count: Option<u64>,
    compare: Option<String>,
    is: Option<Relation>,
    than: Option<Scalar>,
    select: Option<Vec<String>>,
    into: Option<NamesFile>,
}

/// Names of results: one name, or several for a program.
#[derive(Deserialize)]
#[serde(untagged)]
enum NamesFile {
    One(String),
    All(Vec<String>),
}

/// A relation between the values of a column and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub enum Relation {
    /// Below the constant.
    #[serde(rename = "<")]
    Less,
    /// At most the constant.
    #[serde(rename = "<=")]
    AtMost,
    /// Equal to the constant.
    #[serde(rename = "=")]
    Equal,
    /// Not equal to the constant.
    #[serde(rename = "!=")]
    Different,
    /// At least the constant.
    #[serde(rename = ">=")]
    AtLeast,
    /// Above the constant.
    #[serde(rename = ">")]
    Greater,
}

/// A step of a pipeline, which computes a new column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Maps every value of a column through a table.
    Lookup {
        /// Name of the column.
        column: String,
        /// File of the table.
        table: PathBuf,
        /// Output for inputs without a line in the table, if there is one.
        default: Option<String>,
        /// Name of the result.
        into: String,
    },
    /// Adds columns, or multiples of them, modulo the modulus of their values.
    Sum {
        /// Names of the columns.
        terms: Vec<String>,
        /// Factor of each column.
        factors: Vec<i64>,
        /// Name of the result.
        into: String,
    },
    /// Evaluates a program, such as a decision tree, on columns.
    Program {
        /// File of the program.
        program: PathBuf,
        /// Names of the columns, in the order of the program's columns.
        inputs: Vec<String>,
        /// Names of the results, in the order of the program's results.
        into: Vec<String>,
    },
    /// Looks up the columns of a table by a key: a left join.
    Join {
        /// Name of the column of keys.
        column: String,
        /// File of the table, whose first column, or first two columns, state keys.
        table: PathBuf,
        /// Output for rows whose key is not in the table; without one, they become missing values.
        default: Option<String>,
        /// Names of the table's columns, and of the results.
        into: Vec<String>,
    },
    /// Marks the rows whose values have a relation to a constant with 1, all others with 0.
    Compare {
        /// Name of the column.
        column: String,
        /// Relation of its values to the constant.
        is: Relation,
        /// The constant, in the units of the column.
        than: String,
        /// Name of the result.
        into: String,
    },
    /// Marks the first row with the largest value with 1, all others with 0.
    Argmax {
        /// Names of the columns of a value's digits, the most significant first.
        columns: Vec<String>,
        /// Name of the result.
        into: String,
    },
    /// Marks the rows with the largest values with 1, all others with 0.
    Largest {
        /// Names of the columns of a value's digits, the most significant first.
        columns: Vec<String>,
        /// Number of rows to mark; further rows with equal values are marked, too.
        count: u64,
        /// Name of the result.
        into: String,
    },
    /// Adds columns unchanged to the results.
    Select {
        /// Names of the columns.
        columns: Vec<String>,
        /// Their names among the results.
        into: Vec<String>,
    },
}

/// A table or a program, which a step needs besides columns.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Table of a lookup.
    Table(Table),
    /// Tables of a join, one per result, and without a default an additional one, whose bits tell which keys exist.
    Join(Vec<Table>),
    /// Program that is evaluated.
    Program(Box<Program>),
}

impl From<Table> for Operand {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl Step {
    /// Returns the names of the results.
    #[must_use]
    pub fn into(&self) -> &[String] {
        match self {
            Self::Lookup { into, .. }
            | Self::Compare { into, .. }
            | Self::Sum { into, .. }
            | Self::Largest { into, .. }
            | Self::Argmax { into, .. } => std::slice::from_ref(into),
            Self::Program { into, .. } | Self::Join { into, .. } | Self::Select { into, .. } => {
                into
            }
        }
    }

    /// Returns the names of the columns that the step reads.
    pub(super) fn inputs(&self) -> &[String] {
        match self {
            Self::Lookup { column, .. }
            | Self::Compare { column, .. }
            | Self::Join { column, .. } => std::slice::from_ref(column),
            Self::Sum { terms, .. } => terms,
            Self::Select { columns, .. }
            | Self::Largest { columns, .. }
            | Self::Argmax { columns, .. } => columns,
            Self::Program { inputs, .. } => inputs,
        }
    }

    /// Returns the name of the column that the step looks up, if any, and the names of all results.
    pub(super) fn lookups(&self) -> Option<(&str, &[String])> {
        match self {
            Self::Lookup { column, .. }
            | Self::Compare { column, .. }
            | Self::Join { column, .. } => Some((column, self.into())),
            _ => None,
        }
    }

    /// Returns the columns of digits that the step searches, and the operation, if the step is a search.
    #[must_use]
    pub fn search(&self) -> Option<(&[String], Operation)> {
        match self {
            Self::Largest { columns, count, .. } => Some((columns, Operation::Largest(*count))),
            Self::Argmax { columns, .. } => Some((columns, Operation::Argmax)),
            _ => None,
        }
    }

    /// Returns the number of tables in which the step looks up a column.
    pub(super) fn tables(&self) -> usize {
        match self {
            Self::Join { into, default, .. } => into.len() + usize::from(default.is_none()),
            Self::Lookup { .. } | Self::Compare { .. } => 1,
            _ => 0,
        }
    }

    pub(super) fn new(file: StepFile) -> Result<Self, PipelineProblem> {
        let kinds = [
            file.lookup.is_some(),
            file.sum.is_some(),
            file.program.is_some(),
            file.join.is_some(),
            file.largest.is_some(),
            file.argmax.is_some(),
            file.compare.is_some(),
            file.select.is_some(),
        ];
        if kinds.iter().filter(|&&is_there| is_there).count() != 1 {
            return Err(PipelineProblem::Kind);
        }
        let of_tables = file.lookup.is_some() || file.join.is_some();
        for (name, is_foreign) in [
            ("table", file.table.is_some() && !of_tables),
            ("default", file.default.is_some() && !of_tables),
            ("factors", file.factors.is_some() && file.sum.is_none()),
            ("count", file.count.is_some() && file.largest.is_none()),
            ("is", file.is.is_some() && file.compare.is_none()),
            ("than", file.than.is_some() && file.compare.is_none()),
            ("inputs", file.inputs.is_some() && file.program.is_none()),
        ] {
            if is_foreign {
                return Err(PipelineProblem::Foreign(name));
            }
        }
        file.step()
    }
}

impl StepFile {
    /// Converts the fields to a step, whose kind one of them states.
    fn step(self) -> Result<Step, PipelineProblem> {
        let Self { lookup, table, default, program, inputs, join, select, into, .. } = self;
        if let Some(columns) = select.filter(|columns| !columns.is_empty()) {
            let into = into.map_or_else(|| columns.clone(), NamesFile::all);
            let (columns_count, names) = (columns.len(), into.len());
            return match columns_count == names {
                true => Ok(Step::Select { columns, into }),
                false => Err(PipelineProblem::Names { columns: columns_count, names }),
            };
        }
        let into = into.ok_or(PipelineProblem::NoNames)?;
        if let (Some(column), Some(table)) = (lookup, &table) {
            return Ok(Step::Lookup { column, table: table.clone(), default, into: into.one()? });
        }
        if let (Some(column), Some(table)) = (join, table) {
            return Ok(Step::Join { column, table, default, into: into.all() });
        }
        if let (Some(program), Some(inputs)) = (program, inputs.filter(|it| !it.is_empty())) {
            return Ok(Step::Program { program, inputs, into: into.all() });
        }
        if let (Some(columns), Some(count)) = (self.largest, self.count) {
            return Ok(Step::Largest { columns, count, into: into.one()? });
        }
        if let Some(columns) = self.argmax.filter(|columns| !columns.is_empty()) {
            return Ok(Step::Argmax { columns, into: into.one()? });
        }
        if let (Some(column), Some(is), Some(than)) = (self.compare, self.is, self.than) {
            let than = than.value().to_string();
            return Ok(Step::Compare { column, is, than, into: into.one()? });
        }
        let terms = self.sum.filter(|terms| !terms.is_empty()).ok_or(PipelineProblem::Kind)?;
        let factors = self.factors.unwrap_or_else(|| vec![1; terms.len()]);
        if factors.len() != terms.len() {
            let (terms, factors) = (terms.len(), factors.len());
            return Err(PipelineProblem::Factors { terms, factors });
        }
        Ok(Step::Sum { terms, factors, into: into.one()? })
    }
}

impl NamesFile {
    fn one(self) -> Result<String, PipelineProblem> {
        match self {
            Self::One(into) => Ok(into),
            Self::All(_) => Err(PipelineProblem::Foreign("a list of `into`")),
        }
    }

    fn all(self) -> Vec<String> {
        match self {
            Self::One(into) => vec![into],
            Self::All(into) => into,
        }
    }
}

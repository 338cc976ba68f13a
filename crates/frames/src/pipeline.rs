//! Pipelines: lookups and sums on the columns of a frame, one after another, with one key.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use cryptable::{Ciphertext, EvaluationKey, Execution, PreparedTable, Table};
use serde::Deserialize;

use crate::error::{Error, PipelineProblem, Result};
use crate::frame::{Frame, FrameColumn, check_sign};
use crate::schema::{Schema, check_name};

/// A pipeline as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PipelineFile {
    schema: Option<PathBuf>,
    results: Option<PathBuf>,
    output: Option<Vec<String>>,
    step: Vec<StepFile>,
}

/// A step as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    lookup: Option<String>,
    table: Option<PathBuf>,
    default: Option<String>,
    sum: Option<Vec<String>>,
    factors: Option<Vec<i64>>,
    into: String,
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
        /// Output of inputs without a line in the table, if they have one.
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
}

impl Step {
    /// Returns the name of the result.
    #[must_use]
    pub fn into(&self) -> &str {
        match self {
            Self::Lookup { into, .. } | Self::Sum { into, .. } => into,
        }
    }

    /// Returns the names of the columns that the step reads.
    fn inputs(&self) -> &[String] {
        match self {
            Self::Lookup { column, .. } => std::slice::from_ref(column),
            Self::Sum { terms, .. } => terms,
        }
    }

    fn new(file: StepFile) -> Result<Self, PipelineProblem> {
        let StepFile { lookup, table, default, sum, factors, into } = file;
        match (lookup, table, sum) {
            (Some(column), Some(table), None) => match factors {
                Some(_) => Err(PipelineProblem::Foreign("factors")),
                None => Ok(Self::Lookup { column, table, default, into }),
            },
            (None, None, Some(terms)) if !terms.is_empty() => {
                let factors = factors.unwrap_or_else(|| vec![1; terms.len()]);
                if default.is_some() {
                    return Err(PipelineProblem::Foreign("default"));
                }
                if factors.len() != terms.len() {
                    let (terms, factors) = (terms.len(), factors.len());
                    return Err(PipelineProblem::Factors { terms, factors });
                }
                Ok(Self::Sum { terms, factors, into })
            }
            _ => Err(PipelineProblem::Kind),
        }
    }
}

/// Steps on the columns of a frame, by their names.
///
/// Lookups of one column are done together, which is faster than one after another.
///
/// ```
/// use cryptable_frames::Pipeline;
/// let pipeline = Pipeline::from_toml(r#"
///     output = ["score"]
///     [[step]]
///     lookup = "age"
///     table = "risk_of_age.csv"
///     into = "risk_of_age"
///     [[step]]
///     lookup = "region"
///     table = "risk_of_region.csv"
///     into = "risk_of_region"
///     [[step]]
///     sum = ["risk_of_age", "risk_of_region"]
///     factors = [2, 1]
///     into = "score"
/// "#)?;
/// assert_eq!(pipeline.steps().len(), 3);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pipeline {
    schema: Option<PathBuf>,
    results: Option<PathBuf>,
    steps: Vec<Step>,
    /// Names of the columns that are kept.
    output: Vec<String>,
}

impl Pipeline {
    /// Reads a pipeline from TOML.
    ///
    /// # Errors
    /// If it is not TOML of this form, or if a step is not valid.
    pub fn from_toml(text: &str) -> Result<Self> {
        let file: PipelineFile = toml::from_str(text).map_err(|error| Error::Syntax {
            what: "it is not a pipeline",
            text: error.to_string().trim_end().into(),
        })?;
        let step = |(index, file)| {
            Step::new(file).map_err(|problem| Error::Step { step: index + 1, problem })
        };
        let steps = file.step.into_iter().enumerate().map(step).collect::<Result<Vec<_>>>()?;
        let mut pipeline = Self::new(steps, file.output)?;
        (pipeline.schema, pipeline.results) = (file.schema, file.results);
        Ok(pipeline)
    }

    /// Joins steps. The results with the names in `output` are kept, or all results.
    ///
    /// # Errors
    /// If there are no steps, or if a name is empty or very long.
    pub fn new(steps: Vec<Step>, output: Option<Vec<String>>) -> Result<Self> {
        steps.iter().try_for_each(|step| check_name(step.into()))?;
        let all = || steps.iter().map(|step| step.into().to_owned()).collect();
        let output = output.unwrap_or_else(all);
        crate::schema::check_count(output.len())?;
        Ok(Self { schema: None, results: None, steps, output })
    }

    /// Returns the steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the file of the schema of the frame's columns, in whose units tables state their inputs, if there is one.
    #[must_use]
    pub fn schema(&self) -> Option<&Path> {
        self.schema.as_deref()
    }

    /// Returns the file of the schema of results, in whose units tables state their outputs, if there is one.
    #[must_use]
    pub fn results(&self) -> Option<&Path> {
        self.results.as_deref()
    }

    /// Returns the number of lookups of each column that is looked up.
    #[must_use]
    pub fn lookups_per_column(&self) -> Vec<usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for step in &self.steps {
            if let Step::Lookup { column, .. } = step {
                *counts.entry(column).or_default() += 1;
            }
        }
        counts.into_values().collect()
    }

    /// Checks that every step reads columns that exist before it, and that its result has a new name.
    ///
    /// # Errors
    /// [`Error::Step`] for the first step that does not; [`Error::NoColumn`] if an output does not exist.
    pub fn check(&self, frame: &Frame) -> Result<()> {
        let mut known = frame.names();
        for (index, step) in self.steps.iter().enumerate() {
            let of_step = |problem| Error::Step { step: index + 1, problem };
            if let Some(name) = step.inputs().iter().find(|name| !known.contains(name)) {
                let (name, known) = (name.clone(), known.clone());
                return Err(of_step(PipelineProblem::NoColumn { name, known }));
            }
            if known.iter().any(|name| name == step.into()) {
                return Err(of_step(PipelineProblem::Exists(step.into().into())));
            }
            known.push(step.into().into());
        }
        match self.output.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(Error::NoColumn { name: name.clone(), known }),
            None => Ok(()),
        }
    }

    /// Runs all steps and returns the columns that are kept. `tables` has the table of each step, or `None` for a sum.
    /// Results have the units that `results` states for their names.
    ///
    /// `execution` is for each lookup of a column; its progress starts anew with the next one.
    ///
    /// # Errors
    /// If a step refers to a column that does not exist, lacks its table, or is refused by the library; if units of
    /// results do not fit them.
    pub fn run(
        &self,
        server: &EvaluationKey,
        frame: &Frame,
        tables: &[Option<Table>],
        results: Option<&Schema>,
        execution: Execution<'_>,
    ) -> Result<Frame> {
        self.check(frame)?;
        let mut run = Run {
            server,
            columns: frame.columns().iter().map(|it| (it.name().to_owned(), it.clone())).collect(),
            results,
            done: HashSet::new(),
        };
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                _ if run.done.contains(&index) => {}
                Step::Lookup { column, .. } => {
                    self.look_up(&mut run, index, column, tables, execution)?;
                }
                Step::Sum { terms, factors, into } => {
                    let sum = run.sum(terms, factors);
                    let sum = sum.map_err(|problem| Error::Step { step: index + 1, problem })?;
                    run.insert(into, sum)?;
                }
            }
        }
        let kept = self.output.iter().map(|name| run.columns[name].clone());
        Frame::new(kept.collect())
    }

    /// Runs all lookups of the column of a step, whichever place they have.
    fn look_up(
        &self,
        run: &mut Run<'_>,
        first: usize,
        name: &str,
        tables: &[Option<Table>],
        execution: Execution<'_>,
    ) -> Result<()> {
        let of_step = |step: usize, problem| Error::Step { step: step + 1, problem };
        let alike = self.steps.iter().enumerate().filter_map(|(index, step)| match step {
            Step::Lookup { column, into, .. } if column == name => Some((index, into)),
            _ => None,
        });
        let alike: Vec<(usize, &String)> = alike.collect();
        let prepare = |(index, _): &(usize, &String)| {
            let table = tables.get(*index).and_then(Option::as_ref);
            let table = table.ok_or_else(|| of_step(*index, PipelineProblem::NoTable))?;
            run.server.prepare(table).map_err(|error| of_step(*index, error.into()))
        };
        let prepared = alike.iter().map(prepare).collect::<Result<Vec<PreparedTable>>>()?;
        let input = run.columns[name].clone();
        let prepared: Vec<&PreparedTable> = prepared.iter().collect();
        let found = run.server.lookup_many_with(input.values(), &prepared, execution);
        let found = found.map_err(|error| of_step(first, error.into()))?;
        for ((index, into), values) in alike.into_iter().zip(found) {
            run.done.insert(index);
            run.insert(into, (values, input.validity().cloned()))?;
        }
        Ok(())
    }
}

/// The state of a pipeline that is being run.
struct Run<'a> {
    server: &'a EvaluationKey,
    columns: BTreeMap<String, FrameColumn>,
    results: Option<&'a Schema>,
    done: HashSet<usize>,
}

/// Values and, where there may be gaps, their validity.
type Computed = (Ciphertext, Option<Ciphertext>);

impl Run<'_> {
    /// Adds a result, in the units that are stated for it.
    fn insert(&mut self, name: &str, (values, validity): Computed) -> Result<()> {
        let units = self.results.and_then(|results| results.column(name).ok()).cloned();
        if let Some(units) = &units {
            check_sign(name, units, &values)?;
            units.check_modulus(values.modulus())?;
        }
        let column = FrameColumn::new(name, values).with_validity(validity).with_units(units);
        self.columns.insert(name.into(), column);
        Ok(())
    }

    /// Adds multiples of columns.
    fn sum(&self, terms: &[String], factors: &[i64]) -> Result<Computed, PipelineProblem> {
        let mut sum: Option<Ciphertext> = None;
        let mut gaps: Option<(&str, &Ciphertext)> = None;
        for (name, &factor) in terms.iter().zip(factors) {
            let column = &self.columns[name];
            match (gaps, column.validity()) {
                (None, Some(validity)) => gaps = Some((name, validity)),
                (Some((first, known)), Some(validity)) if known != validity => {
                    let (first, second) = (first.into(), name.clone());
                    return Err(PipelineProblem::Gaps { first, second });
                }
                _ => {}
            }
            let term = match factor {
                1 => column.values().clone(),
                factor => self.server.mul_scalar(column.values(), factor)?,
            };
            sum = Some(match sum {
                Some(sum) => self.server.add(&sum, &term)?,
                None => term,
            });
        }
        Ok((sum.expect("a sum has terms"), gaps.map(|(_, validity)| validity.clone())))
    }
}

//! Pipelines: lookups, comparisons, joins, sums, searches and programs on the columns of a frame, one after another, with one key.

mod largest;
mod ranges;
mod step;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use cryptable::{Ciphertext, EvaluationKey, Execution, PreparedTable};
use serde::Deserialize;

use self::step::StepFile;
pub use self::step::{Operand, Relation, Step};
use crate::error::{Error, PipelineProblem, Result};
use crate::frame::{Frame, FrameColumn, RowGroups, check_sign};
use crate::program::Program;
use crate::schema::{Schema, check_name};

/// A pipeline as its file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PipelineFile {
    schema: Option<PathBuf>,
    results: Option<PathBuf>,
    output: Option<Vec<String>>,
    step: Vec<StepFile>,
}

/// Steps on the columns of a frame, by their names.
///
/// Lookups of one column are done together, which is faster than one after another. A step `program = "forest.json"`
/// with `inputs` evaluates a [`Program`].
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
        let file: PipelineFile = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = 1 + text.bytes().take(start).filter(|&byte| byte == b'\n').count();
            let text = format!("line {line}: {}", error.message().replace('\n', ", "));
            Error::Syntax { what: "it is not a pipeline", text }
        })?;
        let step = |(index, file)| {
            Step::new(file).map_err(|problem| Error::Step { step: index + 1, problem })
        };
        let steps = file.step.into_iter().enumerate().map(step).collect::<Result<Vec<_>>>()?;
        let mut pipeline = Self::new(steps, file.output)?;
        (pipeline.schema, pipeline.results) = (file.schema, file.results);
        Ok(pipeline)
    }

    /// Creates a pipeline from steps. The results with the names in `output` are kept; by default, all results.
    ///
    /// # Errors
    /// If there are no steps, or if a name is empty or very long.
    pub fn new(steps: Vec<Step>, output: Option<Vec<String>>) -> Result<Self> {
        steps.iter().flat_map(Step::into).try_for_each(|name| check_name(name))?;
        let all = || steps.iter().flat_map(Step::into).cloned().collect();
        let output = output.unwrap_or_else(all);
        crate::schema::check_count(output.len())?;
        Ok(Self { schema: None, results: None, steps, output })
    }

    /// Returns the steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the path of the schema of the frame's columns, which defines the units of inputs of tables, if there is
    /// one.
    #[must_use]
    pub fn schema(&self) -> Option<&Path> {
        self.schema.as_deref()
    }

    /// Returns the path of the schema of results, which defines the units of outputs of tables, if there is one.
    #[must_use]
    pub fn results(&self) -> Option<&Path> {
        self.results.as_deref()
    }

    /// Returns the number of lookups of each column that is looked up.
    #[must_use]
    pub fn lookups_per_column(&self) -> Vec<usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for step in &self.steps {
            if let Some((column, _)) = step.lookups() {
                *counts.entry(column).or_default() += step.tables();
            }
        }
        counts.into_values().collect()
    }

    /// Checks that every step reads columns that exist before it, and that its result has a new name. Also checks that
    /// the programs among `operands` accept the frame's columns; operands that are not loaded yet may be missing.
    ///
    /// # Errors
    /// [`Error::Step`] for the first step that fails the check; [`Error::NoColumn`] if an output does not exist.
    pub fn check(&self, frame: &Frame, operands: &[Option<Operand>]) -> Result<()> {
        let mut known = frame.names();
        for (index, step) in self.steps.iter().enumerate() {
            let of_step = |problem| Error::Step { step: index + 1, problem };
            if let Some(name) = step.inputs().iter().find(|name| !known.contains(name)) {
                let (name, known) = (name.clone(), known.clone());
                return Err(of_step(PipelineProblem::NoColumn { name, known }));
            }
            if let Some(Some(Operand::Program(program))) = operands.get(index) {
                let column = |place: usize| frame.column(&step.inputs()[place]).ok();
                let input = |place: usize| column(place).map(FrameColumn::as_input);
                program.check_inputs(step.inputs(), input).map_err(of_step)?;
            }
            for (place, into) in step.into().iter().enumerate() {
                let is_itself =
                    matches!(step, Step::Select { columns, .. } if columns[place] == *into);
                if is_itself {
                    continue;
                }
                if known.contains(into) {
                    return Err(of_step(PipelineProblem::Exists(into.clone())));
                }
                known.push(into.clone());
            }
        }
        match self.output.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(Error::NoColumn { name: name.clone(), known }),
            None => Ok(()),
        }
    }

    /// Runs all steps and returns the columns that are kept. `operands` holds the table or program of each step, or
    /// `None` for a sum. Results have the units that `results` states for their names.
    ///
    /// `execution` applies to each lookup of a column; its progress starts anew with the next one.
    ///
    /// # Errors
    /// If a step refers to a column that does not exist, lacks its table or program, or is refused by the library; if units of
    /// results do not fit them.
    pub fn run(
        &self,
        server: &EvaluationKey,
        frame: &Frame,
        operands: &[Option<Operand>],
        results: Option<&Schema>,
        execution: Execution<'_>,
    ) -> Result<Frame> {
        self.check(frame, operands)?;
        let mut run = Run {
            server,
            columns: frame.columns().iter().map(|it| (it.name().to_owned(), it.clone())).collect(),
            results,
            done: HashSet::new(),
            sums: BTreeMap::new(),
        };
        for (index, step) in self.steps.iter().enumerate() {
            if let Step::Select { columns, into } = step {
                run.select(columns, into)?;
                continue;
            }
            run.check_rows(step.inputs())
                .map_err(|problem| Error::Step { step: index + 1, problem })?;
            match step {
                _ if run.done.contains(&index) => {}
                Step::Lookup { column, .. }
                | Step::Compare { column, .. }
                | Step::Join { column, .. } => {
                    self.look_up(&mut run, index, column, operands, execution)?;
                }
                Step::Program { inputs, into, .. } => {
                    let of_step = |problem| Error::Step { step: index + 1, problem };
                    let program = match operands.get(index) {
                        Some(Some(Operand::Program(program))) => program,
                        _ => return Err(of_step(PipelineProblem::NoProgram)),
                    };
                    let found = run.evaluate(program, inputs, into.len(), execution);
                    for (into, found) in into.iter().zip(found.map_err(of_step)?) {
                        run.insert(into, found)?;
                    }
                }
                Step::Sum { terms, factors, into } => {
                    let sum = run.sum(terms, factors, into);
                    let sum = sum.map_err(|problem| Error::Step { step: index + 1, problem })?;
                    run.insert(into, sum)?;
                }
                Step::Largest { into, .. } | Step::Argmax { into, .. } => {
                    let (columns, operation) = step.search().expect("a search");
                    let found = run.search(columns, &operation, execution);
                    let found =
                        found.map_err(|problem| Error::Step { step: index + 1, problem })?;
                    run.insert(into, found)?;
                }
                Step::Select { .. } => unreachable!("columns were selected"),
            }
        }
        let kept = self.output.iter().map(|name| run.columns[name].clone());
        Frame::new(kept.collect())
    }

    /// Runs all lookups of the column of a step, including those of later steps.
    fn look_up(
        &self,
        run: &mut Run<'_>,
        first: usize,
        name: &str,
        operands: &[Option<Operand>],
        execution: Execution<'_>,
    ) -> Result<()> {
        let of_step = |step: usize, problem| Error::Step { step: step + 1, problem };
        let alike = self.steps.iter().enumerate().filter_map(|(index, step)| {
            step.lookups().filter(|(column, _)| *column == name).map(|(_, into)| (index, into))
        });
        let alike: Vec<(usize, &[String])> = alike.collect();
        let input = run.columns[name].clone();
        let mut prepared: Vec<PreparedTable> = Vec::new();
        let mut needed = Vec::new();
        for (index, into) in &alike {
            let tables = match operands.get(*index) {
                Some(Some(Operand::Table(table))) => std::slice::from_ref(table),
                Some(Some(Operand::Join(tables))) => tables.as_slice(),
                _ => &[],
            };
            if tables.len() != self.steps[*index].tables() {
                return Err(of_step(*index, PipelineProblem::NoTable));
            }
            if tables.len() > into.len() && input.validity().is_some() {
                return Err(of_step(*index, PipelineProblem::KeyWithGaps(name.into())));
            }
            if let (Step::Compare { is, .. }, [table]) = (&self.steps[*index], tables) {
                run.check_compared(name, *is, table).map_err(|problem| of_step(*index, problem))?;
            }
            for table in tables {
                needed.push(run.values_needed(table));
                let table = run.server.prepare(table);
                prepared.push(table.map_err(|error| of_step(*index, error.into()))?);
            }
        }
        let prepared: Vec<&PreparedTable> = prepared.iter().collect();
        let found = run.server.lookup_many_with(input.values(), &prepared, execution);
        let found = found.map_err(|error| of_step(first, error.into()))?;
        let mut found = found.into_iter().zip(needed);
        for (index, into) in alike {
            run.done.insert(index);
            let mut values: Vec<_> = found.by_ref().take(self.steps[index].tables()).collect();
            let matches = if values.len() > into.len() { values.pop() } else { None };
            let matches = matches.map(|(values, _)| values);
            let validity = matches.or_else(|| input.validity().cloned());
            for (name, (values, needed)) in into.iter().zip(values) {
                run.insert(name, Computed::rows(values, validity.clone(), needed))?;
            }
        }
        Ok(())
    }
}

impl Program {
    /// Runs the program on the columns of a frame that have the names of its inputs.
    ///
    /// # Errors
    /// If a column is missing, or if the library refuses columns or key.
    pub fn run(
        &self,
        server: &EvaluationKey,
        frame: &Frame,
        execution: Execution<'_>,
    ) -> Result<Frame> {
        let step = Step::Program {
            program: "program".into(),
            inputs: self.columns().to_vec(),
            into: self.results().to_vec(),
        };
        let operand = Some(Operand::Program(Box::new(self.clone())));
        Pipeline::new(vec![step], None)?.run(server, frame, &[operand], None, execution)
    }
}

/// The state of a pipeline that is being run.
struct Run<'a> {
    server: &'a EvaluationKey,
    columns: BTreeMap<String, FrameColumn>,
    results: Option<&'a Schema>,
    done: HashSet<usize>,
    /// The least and the largest integer that each sum may be.
    sums: BTreeMap<String, [i64; 2]>,
}

/// A result: values; their validity, if values may be missing; their groups, if they are sums by groups; and the
/// modulus that they need.
struct Computed {
    values: Ciphertext,
    validity: Option<Ciphertext>,
    groups: Option<RowGroups>,
    needed: u64,
}

impl Computed {
    /// Creates a result with one value per row.
    fn rows(values: Ciphertext, validity: Option<Ciphertext>, needed: u64) -> Self {
        Self { values, validity, groups: None, needed }
    }
}

impl Run<'_> {
    /// Adds a result, in the units that are stated for it.
    fn insert(&mut self, name: &str, found: Computed) -> Result<()> {
        let Computed { values, validity, groups, needed } = found;
        let units = self.results.and_then(|results| results.column(name).ok()).cloned();
        if let Some(units) = &units {
            check_sign(name, units, &values)?;
            units.check_modulus(values.modulus())?;
        }
        let column = FrameColumn::new(name, values).with_validity(validity).with_units(units);
        self.columns.insert(name.into(), column.with_groups(groups).with_values_of(needed));
        Ok(())
    }

    /// Adds columns under other names, with the same units.
    fn select(&mut self, columns: &[String], into: &[String]) -> Result<()> {
        for (name, into) in columns.iter().zip(into).filter(|(name, into)| name != into) {
            let column = self.columns[name].clone();
            let (validity, groups) = (column.validity().cloned(), column.groups().cloned());
            let (values, needed) = (column.values().clone(), column.values_needed());
            self.insert(into, Computed { values, validity, groups, needed })?;
            if let Some(&range) = self.sums.get(name) {
                self.sums.insert(into.clone(), range);
            }
            let renamed = self.columns.get_mut(into).expect("the column that was inserted");
            if renamed.units().is_none() {
                *renamed = renamed.clone().with_units(column.units().cloned());
            }
        }
        Ok(())
    }

    /// Checks that columns have values of rows, not sums by groups.
    fn check_rows(&self, columns: &[String]) -> Result<(), PipelineProblem> {
        match columns.iter().find(|name| self.columns[*name].groups().is_some()) {
            Some(name) => Err(PipelineProblem::SumsAsInput(name.clone())),
            None => Ok(()),
        }
    }

    /// Adds multiples of columns. The sum is signed if the first column is, or if the units of the result are.
    fn sum(
        &mut self,
        terms: &[String],
        factors: &[i64],
        into: &str,
    ) -> Result<Computed, PipelineProblem> {
        let mut sum: Option<Ciphertext> = None;
        let validity = self.validity(terms)?;
        for (name, &factor) in terms.iter().zip(factors) {
            let column = &self.columns[name];
            let term = match factor {
                1 => column.values().clone(),
                factor => self.server.mul_scalar(column.values(), factor)?,
            };
            sum = Some(match sum {
                Some(sum) => self.server.add(&sum, &term)?,
                None => term,
            });
        }
        let sum = sum.expect("a sum has terms");
        let units = self.results.and_then(|results| results.column(into).ok());
        let is_signed = units.map_or(sum.is_signed(), |units| units.encoding().is_signed());
        let sum = sum.with_signed(is_signed);
        let needed = self.add_range(terms, factors, into, is_signed);
        Ok(Computed::rows(sum, validity, needed))
    }

    /// Evaluates a program.
    fn evaluate(
        &self,
        program: &Program,
        inputs: &[String],
        results: usize,
        execution: Execution<'_>,
    ) -> Result<Vec<Computed>, PipelineProblem> {
        let formulas = program.formulas();
        for (name, found, expected) in [
            ("number of columns", inputs.len(), program.columns().len()),
            ("number of results", results, formulas.formulas()),
        ] {
            if found != expected {
                let (found, expected) = (found.to_string(), expected.to_string());
                return Err(cryptable::Error::Mismatch { name, found, expected }.into());
            }
        }
        let groups = program.groups().map(|(column, groups)| RowGroups {
            column: inputs[column].clone(),
            groups: groups as u32,
        });
        program.check_inputs(inputs, |place| Some(self.columns[&inputs[place]].as_input()))?;
        let needed = self.values_of_program(program, inputs);
        let validity = self.validity(inputs)?;
        let used = inputs[..formulas.columns()].iter();
        let columns: Vec<&Ciphertext> = used.map(|name| self.columns[name].values()).collect();
        let found = self.server.evaluate(&columns, formulas, execution)?;
        let computed = |(values, needed)| {
            let (validity, groups) = (validity.clone(), groups.clone());
            Computed { values, validity, groups, needed }
        };
        Ok(found.into_iter().zip(needed).map(computed).collect())
    }

    /// Returns the gaps that columns have in common, if any has gaps.
    fn validity(&self, columns: &[String]) -> Result<Option<Ciphertext>, PipelineProblem> {
        let mut gaps: Option<(&str, &Ciphertext)> = None;
        for name in columns {
            match (gaps, self.columns[name].validity()) {
                (None, Some(validity)) => gaps = Some((name, validity)),
                (Some((first, known)), Some(validity)) if known != validity => {
                    let (first, second) = (first.into(), name.clone());
                    return Err(PipelineProblem::Gaps { first, second });
                }
                _ => {}
            }
        }
        Ok(gaps.map(|(_, validity)| validity.clone()))
    }
}

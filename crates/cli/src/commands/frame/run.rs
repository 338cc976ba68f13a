//! `cryptable run`: a pipeline on an encrypted frame.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::engines::packed::EntryKind;
use cryptable::integers::{ColumnKind, Operation};
use cryptable::{Contents, CostModel, Engine, Execution, Parameters, Table};
use cryptable_frames::{Column, Frame, Mapping, Operand, Pipeline, Schema, Step};
use serde_json::json;

use super::{read_frame, read_program, read_schema, read_text};
use crate::args::Global;
use crate::args::frames::RunArgs;
use crate::atomic_file::{self, Access};
use crate::formats::domain::Signs;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::guard::{FileArgs, Role};
use crate::key_input::KeyFile;
use crate::report::{self, bytes, counted, seconds};
use crate::{input_file, memory_limit, progress};

/// Runs all steps of a pipeline with one key.
pub fn run(global: Global, args: &RunArgs, given: &FileArgs) -> Result<()> {
    let start = Instant::now();
    let shown = input_file::name(&args.pipeline);
    let text = read_text(&args.pipeline)?;
    let pipeline = Pipeline::from_toml(&text).with_context(|| shown.clone())?;
    let files = Files::of(&args.pipeline, &pipeline);
    given.and("PIPELINE", Role::Input, &files.all()).check()?;
    // Cheap checks come first, since reading the key takes a while.
    let frame = read_frame(global, &input_file::open_seekable(&args.input)?, &args.input)?;
    let key_file = KeyFile::open(global, &args.server.evaluation)?;
    let parameters = key_file.header.parameters.lookups()?;
    check_key(&frame, &parameters, &key_file, args)?;
    pipeline.check(&frame, &[]).with_context(|| shown.clone())?;
    let results = files.results.as_deref().map(read_schema).transpose()?;
    let schema = files.schema.as_deref().map(read_schema).transpose()?;
    let units =
        Units { parameters: &parameters, schema: schema.as_ref(), results: results.as_ref() };
    let operands = units.operands(&frame, &pipeline, &files)?;
    pipeline.check(&frame, &operands).with_context(|| shown.clone())?;
    let rows = frame.rows();
    let predicted_s = check_memory(global, args, &pipeline, &operands, &parameters, rows)?;
    let mapped = key_file.read()?;
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    progress::estimate(global, &format!("steps on {rows} rows"), predicted_s);
    mapped.check_unchanged()?;
    let output = progress::shown(global, "steps", |moved| {
        let execution = Execution::default().progress(moved);
        pipeline.run(&mapped.key, &frame, &operands, results.as_ref(), execution)
    });
    let output = output.with_context(|| shown.clone())?;
    mapped.check_unchanged()?;
    let eval_s = start.elapsed().as_secs_f64();
    let mut file = atomic_file::create(&args.server.file.output, Access::Public)?;
    output.write_to(&mut file)?;
    let output_bytes = file.commit(true)?;
    let (columns, steps) = (output.names(), pipeline.steps().len());
    let text = format!(
        "{} of {}, {}\nkey loaded in {}, {} run in {}",
        counted(rows as u64, "row"),
        counted(columns.len() as u64, "column"),
        bytes(output_bytes),
        seconds(load_s),
        counted(steps as u64, "step"),
        report::on_threads(eval_s)
    );
    let fields = json!({
        "engine": parameters.engine(),
        "rows": rows,
        "columns": columns,
        "steps": steps,
        "key_memory_bytes": mapped.key.memory_bytes(),
        "load_s": load_s,
    });
    report::computed(global, &args.server.file.output, output_bytes, eval_s, fields, &text)
}

/// The files that a pipeline names, relative to the pipeline's own file.
struct Files {
    schema: Option<PathBuf>,
    results: Option<PathBuf>,
    /// The table or program of each step that has one.
    operands: Vec<Option<PathBuf>>,
}

impl Files {
    fn of(path: &Path, pipeline: &Pipeline) -> Self {
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        let operand = |step: &Step| match step {
            Step::Lookup { table: path, .. }
            | Step::Join { table: path, .. }
            | Step::Program { program: path, .. } => Some(folder.join(path)),
            _ => None,
        };
        Self {
            schema: pipeline.schema().map(|path| folder.join(path)),
            results: pipeline.results().map(|path| folder.join(path)),
            operands: pipeline.steps().iter().map(operand).collect(),
        }
    }

    fn all(&self) -> Vec<PathBuf> {
        let schemas = [&self.schema, &self.results];
        schemas.into_iter().chain(&self.operands).flatten().cloned().collect()
    }
}

/// Checks that a frame belongs to a key.
fn check_key(frame: &Frame, parameters: &Parameters, key: &KeyFile, args: &RunArgs) -> Result<()> {
    let found = frame.contents();
    let (engine, parameter_digest) = (parameters.engine(), parameters.digest());
    let expected = Contents { engine, parameter_digest, key_id: key.header.key_id, ..found };
    expected.check(&found, "frame").with_context(|| {
        let [input, key] =
            [&args.input, &args.server.evaluation].map(|path| input_file::name(path));
        format!("{input} does not match {key}")
    })
}

/// Checks that there is memory for the steps, and returns the seconds that they are predicted to take.
fn check_memory(
    global: Global,
    args: &RunArgs,
    pipeline: &Pipeline,
    operands: &[Option<Operand>],
    parameters: &Parameters,
    rows: usize,
) -> Result<f64> {
    let (rows, at_once) = (rows as u64, rows.min(parameters.values_per_part()) as u64);
    let mut predicted_s = 0.0;
    for tables in pipeline.lookups_per_column() {
        let of = |values| parameters.lookup_prediction(EntryKind::Shared, tables, values);
        memory_limit::check_unread(
            args.server.memory.limit,
            "the pipeline",
            of(at_once).peak_bytes(),
        )?;
        let time = of(rows).duration(&CostModel::calibrated(), rows, global.threads());
        predicted_s += time.as_secs_f64();
    }
    for operand in operands.iter().flatten() {
        let Operand::Program(program) = operand else { continue };
        let prediction = parameters.packed()?.formula_prediction(program.formulas())?;
        memory_limit::check_unread(
            args.server.memory.limit,
            "the program",
            prediction.peak_bytes(),
        )?;
        let time = prediction.duration(&CostModel::calibrated(), rows, global.threads());
        predicted_s += time.as_secs_f64();
    }
    for step in pipeline.steps() {
        let Some((columns, operation)) = step.search() else { continue };
        for tables in tables_of_search(columns.len(), &operation, parameters)? {
            let prediction = parameters.packed()?.prediction_of(tables);
            memory_limit::check_unread(
                args.server.memory.limit,
                "the search",
                prediction.peak_bytes(),
            )?;
            let time = prediction.duration(&CostModel::calibrated(), rows, global.threads());
            predicted_s += time.as_secs_f64();
        }
    }
    Ok(predicted_s)
}

/// Numbers of tables of the lookups of a search among values in some digits.
fn tables_of_search(
    digits: usize,
    operation: &Operation,
    parameters: &Parameters,
) -> Result<Vec<usize>> {
    let packed = parameters.packed()?;
    let bits = packed.input_modulus().ilog2() * digits as u32;
    let kind = ColumnKind::new(bits, false)?;
    let search = operation.planned_lookups(packed, packed.literal().slots, &[kind.into()])?;
    Ok(search.into_iter().chain(std::iter::repeat_n(2, digits)).collect())
}

/// The representation of a column before or after a step.
#[derive(Clone)]
struct Known {
    /// Units in which tables state its values, if there are any.
    units: Option<Column>,
    is_signed: bool,
    modulus: u64,
}

impl Known {
    /// Returns the units, or those of plain integers.
    fn column(&self, name: &str) -> Result<Column> {
        match &self.units {
            Some(units) => Ok(units.clone()),
            None => Ok(Column::integers(name, self.is_signed, self.modulus)?),
        }
    }
}

/// The names of the results of a step, and how they are represented.
type Results = Vec<(String, Known)>;

/// The units of all columns, and the moduli of tables.
struct Units<'a> {
    parameters: &'a Parameters,
    schema: Option<&'a Schema>,
    results: Option<&'a Schema>,
}

impl Units<'_> {
    /// Reads the tables of all steps, in the units of their columns, and programs.
    fn operands(
        &self,
        frame: &Frame,
        pipeline: &Pipeline,
        files: &Files,
    ) -> Result<Vec<Option<Operand>>> {
        let named = |schema: Option<&Schema>, name: &str| schema?.column(name).ok().cloned();
        let of_frame = |column: &cryptable_frames::FrameColumn| {
            let units = column.units().cloned().or_else(|| named(self.schema, column.name()));
            let (is_signed, modulus) = (column.values().is_signed(), column.values().modulus());
            (column.name().to_owned(), Known { units, is_signed, modulus })
        };
        let mut known: BTreeMap<String, Known> = frame.columns().iter().map(of_frame).collect();
        let mut operands = Vec::new();
        for (step, path) in pipeline.steps().iter().zip(&files.operands) {
            let (operand, results) = self.operand(step, path.as_deref(), &known)?;
            operands.push(operand);
            known.extend(results);
        }
        Ok(operands)
    }

    /// Reads the table or program of a step, and returns how its results are represented.
    fn operand(
        &self,
        step: &Step,
        path: Option<&Path>,
        known: &BTreeMap<String, Known>,
    ) -> Result<(Option<Operand>, Results)> {
        let mut outputs: Results =
            step.into().iter().map(|name| (name.clone(), self.output(name))).collect();
        let operand = match (step, path) {
            (Step::Program { .. }, Some(path)) => {
                let program = read_program(path)?;
                for ((_, output), (low, _)) in outputs.iter_mut().zip(program.formulas().ranges()) {
                    output.is_signed = low < 0;
                }
                Some(Operand::Program(Box::new(program)))
            }
            (Step::Select { columns, .. }, _) => {
                for (name, (_, output)) in columns.iter().zip(&mut outputs) {
                    let units = output.units.take().or_else(|| known[name].units.clone());
                    *output = Known { units, ..known[name].clone() };
                }
                None
            }
            (Step::Join { column, default, .. }, Some(path)) => {
                let input = &known[column];
                let tables = self.join(path, column, input, &outputs, default.as_deref())?;
                Some(Operand::Join(tables))
            }
            (Step::Lookup { column, default, into, .. }, Some(path)) => {
                let (input, output, default) = (&known[column], &outputs[0].1, default.as_deref());
                Some(self.table(path, column, into, input, output, default)?.into())
            }
            (Step::Compare { column, is, than, .. }, _) => {
                let input = &known[column];
                let (modulus, from) = (self.input_modulus(column, input)?, input.column(column)?);
                let output_modulus = outputs[0].1.modulus;
                Some(Mapping::comparison(&from, *is, than, modulus, output_modulus)?.into())
            }
            (Step::Sum { terms, .. }, _) => {
                let (first, output) = (&known[&terms[0]], &mut outputs[0].1);
                output.modulus = first.modulus;
                if output.units.is_none() {
                    output.is_signed = first.is_signed;
                }
                None
            }
            _ => None,
        };
        Ok((operand, outputs))
    }

    /// Returns the representation of a table's results.
    fn output(&self, name: &str) -> Known {
        let units = self.results.and_then(|results| results.column(name).ok()).cloned();
        let is_signed = units.as_ref().is_some_and(|units| units.encoding().is_signed());
        Known { units, is_signed, modulus: self.parameters.output_modulus() }
    }

    /// Returns the modulus of tables' inputs, which values of a column must have.
    fn input_modulus(&self, from: &str, input: &Known) -> Result<u64> {
        let modulus = match self.parameters.engine() {
            Engine::Leveled => input.modulus,
            Engine::Packed | Engine::Single => self.parameters.input_modulus(),
        };
        ensure!(
            input.modulus == modulus,
            "column \"{from}\" has values modulo {}, but tables of the key have inputs modulo {modulus}",
            input.modulus
        );
        Ok(modulus)
    }

    /// Reads the tables of a join: one for each output and, without a default, one more that says which keys exist.
    fn join(
        &self,
        path: &Path,
        from: &str,
        input: &Known,
        outputs: &[(String, Known)],
        default: Option<&str>,
    ) -> Result<Vec<Table>> {
        let name = || input_file::name(path);
        let modulus = self.input_modulus(from, input)?;
        let columns = outputs.iter().map(|(name, output)| output.column(name));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let (file, from) = (input_file::open(path)?, input.column(from)?);
        let output_modulus = self.parameters.output_modulus();
        Mapping::join(file, &from, modulus, &columns, output_modulus, default).with_context(name)
    }

    /// Reads a table: a mapping if one of its columns has units, and otherwise a table like those of `lookup`.
    fn table(
        &self,
        path: &Path,
        from: &str,
        into: &str,
        input: &Known,
        output: &Known,
        default: Option<&str>,
    ) -> Result<Table> {
        let modulus = self.input_modulus(from, input)?;
        if input.units.is_none() && output.units.is_none() {
            let moduli = Moduli { input: Some(modulus), output: Some(output.modulus) };
            let signs = Signs { inputs: input.is_signed, outputs: false };
            let options = TableOptions { default, signs, ..TableOptions::plain(moduli) };
            return Ok(table::read(path, &options)?.0);
        }
        let name = || input_file::name(path);
        let file: File = input_file::open(path)?;
        let mapping = Mapping::read(file).with_context(name)?;
        let (from, into) = (input.column(from)?, output.column(into)?);
        let table = mapping.table(&from, modulus, &into, output.modulus, default);
        table.with_context(name)
    }
}

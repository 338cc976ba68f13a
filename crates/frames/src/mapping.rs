//! Mappings: tables as people write them, in the units of both columns.

use std::io::Read;

use cryptable::Table;

use crate::error::{CellProblem, Error, Result};
use crate::schema::Column;
use crate::value::{Value, quoted};

/// Largest modulus of a table.
const MAX_MODULUS: u64 = 1 << 24;

/// Most bytes of a mapping that are read.
const MAX_BYTES: u64 = 1 << 30;

/// A way in which lines state inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `input,output`: one input.
    One,
    /// `from,to,output`: all inputs from one to another.
    To,
    /// `from,below,output`: all inputs from one on and below another.
    Below,
}

/// A line of a mapping.
#[derive(Clone, Debug)]
struct Line {
    number: u64,
    from: String,
    to: String,
    output: String,
}

/// A table as CSV in the units of its columns: lines `input,output`, `from,to,output` or `from,below,output` under a
/// header that says which.
///
/// Ranges `from,to` include both ends, ranges `from,below` exclude the second. An empty field leaves a range open.
///
/// ```
/// use cryptable_frames::{Mapping, Schema};
/// let schema = Schema::from_json(br#"{"columns": [
///     {"column": "income", "type": "number", "scale": 1000, "maximum": 15000},
///     {"column": "rate", "type": "number", "scale": 0.05, "maximum": 0.5}
/// ]}"#)?;
/// let [income, rate] = schema.columns() else { unreachable!() };
/// let mapping = Mapping::read("from,below,rate\n,8000,0\n8000,12000,0.2\n12000,,0.35\n".as_bytes())?;
/// let table = mapping.table(income, 16, rate, 16, None)?;
/// assert_eq!(table.values(), [0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 7, 7, 7, 7]);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mapping {
    form: Form,
    lines: Vec<Line>,
}

impl Mapping {
    /// Reads a mapping in CSV.
    ///
    /// # Errors
    /// If it is not CSV, or if its header has not two columns, or three that begin with `from,to` or `from,below`.
    pub fn read(reader: impl Read) -> Result<Self> {
        let of_line = |line, text: String| Error::Mapping { line, text };
        let mut records = csv::ReaderBuilder::new()
            .has_headers(false)
            .trim(csv::Trim::All)
            .from_reader(reader.take(MAX_BYTES));
        let mut form = None;
        let mut lines = Vec::new();
        for record in records.records() {
            let record = record.map_err(|error| {
                of_line(error.position().map_or(1, csv::Position::line), error.to_string())
            })?;
            let number = record.position().map_or(1, csv::Position::line);
            let fields: Vec<&str> = record.iter().collect();
            let Some(form) = form else {
                let first = fields[0].trim_start_matches('\u{feff}');
                form = Some(match (first, &fields[1..]) {
                    (_, [_]) => Form::One,
                    ("from", ["to", _]) => Form::To,
                    ("from", ["below", _]) => Form::Below,
                    _ => {
                        let expected =
                            "a header such as `age,risk`, `from,to,risk` or `from,below,risk`";
                        return Err(of_line(number, format!("it must be {expected}")));
                    }
                });
                continue;
            };
            let (from, to) = (fields[0], fields[if form == Form::One { 0 } else { 1 }]);
            let output = fields[fields.len() - 1].into();
            lines.push(Line { number, from: from.into(), to: to.into(), output });
        }
        match form {
            Some(form) => Ok(Self { form, lines }),
            None => Err(Error::Empty),
        }
    }

    /// Makes the table, for values of an input column modulo one number and of an output column modulo another.
    ///
    /// Inputs of the modulus that represent no value of the column have the output 0.
    ///
    /// # Errors
    /// If a value does not belong to its column, if two lines are for one input, or if there is no default and no line
    /// for a value of the input column.
    pub fn table(
        &self,
        input: &Column,
        input_modulus: u64,
        output: &Column,
        output_modulus: u64,
        default: Option<&str>,
    ) -> Result<Table> {
        input.check_modulus(input_modulus)?;
        output.check_modulus(output_modulus)?;
        if input_modulus > MAX_MODULUS {
            let limit = MAX_MODULUS;
            let name = "input modulus of a table";
            return Err(cryptable::Error::TooLarge { name, value: input_modulus, limit }.into());
        }
        let encoding = input.encoding();
        let residue = |line, text: &str| {
            let of_line = |text: String| Error::Mapping { line, text };
            let found = output.residue(Some(Value::Text(text)), 0, output_modulus);
            let found = found.map_err(|error| match error {
                Error::Cell { value, problem, .. } => of_line(format!("output {value} {problem}")),
                other => other,
            })?;
            found.ok_or_else(|| of_line("the output is missing".into()))
        };
        let default = default.map(|text| residue(0, text)).transpose()?;
        let (low, high) = encoding.range(Some(input_modulus));
        let mut entries: Vec<Option<(u64, u64)>> = vec![None; input_modulus as usize];
        for line in &self.lines {
            let number = line.number;
            let output = residue(number, &line.output)?;
            let (first, last) = self.steps(line, input, low, high)?;
            for step in first.max(low)..=last.min(high) {
                let entry = &mut entries[encoding.residue(step, input_modulus) as usize];
                if let Some((other, _)) = entry {
                    let input = encoding.value(step).map_or_else(String::new, Value::quoted);
                    let text = format!("input {input} is in line {other} already");
                    return Err(Error::Mapping { line: number, text });
                }
                *entry = Some((number, output));
            }
        }
        for step in low..=high {
            let entry = &mut entries[encoding.residue(step, input_modulus) as usize];
            if entry.is_none() {
                let input = || encoding.value(step).map_or_else(|| step.to_string(), Value::quoted);
                let output = default.ok_or_else(|| Error::Unmapped { input: input() })?;
                *entry = Some((0, output));
            }
        }
        let entries = entries.into_iter().map(|entry| entry.map_or(0, |(_, output)| output));
        let table = Table::new(input_modulus, output_modulus, entries.collect())?;
        Ok(table.with_signs(encoding.is_signed(), output.encoding().is_signed()))
    }

    /// Returns the first and the last step that a line is for.
    fn steps(&self, line: &Line, input: &Column, low: i64, high: i64) -> Result<(i64, i64)> {
        let of_line = |text: String| Error::Mapping { line: line.number, text };
        let encoding = input.encoding();
        let around = |text: &str| {
            encoding.steps_around(Value::Text(text)).map_err(|problem: CellProblem| {
                of_line(format!("input {} {problem}", quoted(text)))
            })
        };
        if self.form == Form::One {
            let step = encoding.step_of_name(&line.from);
            let step =
                step.map_err(|problem| of_line(format!("input {} {problem}", quoted(&line.from))))?;
            if !(low..=high).contains(&step) {
                let found = quoted(&line.from);
                return Err(of_line(format!("input {found} is outside of its column's range")));
            }
            return Ok((step, step));
        }
        let first = if line.from.is_empty() { low } else { around(&line.from)?.0 };
        let last = match (line.to.is_empty(), self.form) {
            (true, _) => high,
            (false, Form::Below) => around(&line.to)?.0.saturating_sub(1),
            (false, _) => around(&line.to)?.1,
        };
        if first > last {
            let (from, to) = (quoted(&line.from), quoted(&line.to));
            return Err(of_line(format!("no value is from {from} to {to}")));
        }
        Ok((first, last))
    }
}

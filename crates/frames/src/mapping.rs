//! Mappings: tables as text, in the units of both columns.

use std::io::Read;

use cryptable::Table;

use crate::error::{CellProblem, Error, Result};
use crate::pipeline::Relation;
use crate::schema::{Column, ColumnType};
use crate::value::{Value, quoted};

/// Largest modulus of a table.
const MAX_MODULUS: u64 = 1 << 24;

/// Largest number of bytes of a mapping that are read.
const MAX_BYTES: u64 = 1 << 30;

/// Form in which lines state inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `input,output`: one input.
    One,
    /// `from,to,output`: all inputs from one to another.
    To,
    /// `from,below,output`: all inputs from one up to, but not including, another.
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

/// A table as its file states it, with several outputs.
struct MappingFile {
    form: Form,
    /// Number of the header's line.
    header: u64,
    /// Names of the outputs.
    names: Vec<String>,
    /// Number and fields of each line.
    lines: Vec<(u64, csv::StringRecord)>,
}

impl MappingFile {
    fn read(reader: impl Read) -> Result<Self> {
        let of_line = |line, text: String| Error::Mapping { line, text };
        let mut records = csv::ReaderBuilder::new()
            .has_headers(false)
            .trim(csv::Trim::All)
            .from_reader(reader.take(MAX_BYTES));
        let mut file: Option<Self> = None;
        for record in records.records() {
            let record = record.map_err(|error| {
                of_line(error.position().map_or(1, csv::Position::line), error.to_string())
            })?;
            let number = record.position().map_or(1, csv::Position::line);
            if let Some(file) = &mut file {
                file.lines.push((number, record));
                continue;
            }
            let fields: Vec<&str> = record.iter().collect();
            let first = fields[0].trim_start_matches('\u{feff}');
            let form = match (first, fields.get(1)) {
                ("from", Some(&"to")) => Form::To,
                ("from", Some(&"below")) => Form::Below,
                _ => Form::One,
            };
            let names = fields.iter().skip(form.inputs()).map(|&name| name.into()).collect();
            file = Some(Self { form, header: number, names, lines: Vec::new() });
        }
        file.ok_or(Error::Empty)
    }

    /// Returns the position of the output with a name.
    fn place(&self, name: &str) -> Result<usize> {
        let mut found = (0..self.names.len()).filter(|&index| self.names[index] == name);
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            (Some(_), Some(_)) => Err(Error::TwoColumns(name.into())),
            (None, _) => Err(Error::NoColumn { name: name.into(), known: self.names.clone() }),
        }
    }

    /// Returns the mapping to the output at this position.
    fn mapping(&self, output: usize) -> Mapping {
        let (form, inputs) = (self.form, self.form.inputs());
        let line = |(number, record): &(u64, csv::StringRecord)| Line {
            number: *number,
            from: record[0].into(),
            to: record[inputs - 1].into(),
            output: record[inputs + output].into(),
        };
        Mapping { form, lines: self.lines.iter().map(line).collect() }
    }
}

impl Form {
    /// Returns the number of columns that state inputs.
    fn inputs(self) -> usize {
        match self {
            Self::One => 1,
            Self::To | Self::Below => 2,
        }
    }
}

/// A table as CSV in the units of its columns: lines `input,output`, `from,to,output` or `from,below,output`, under a
/// header that tells which.
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
    /// If it is not CSV, or if its header does not have two columns, or three that begin with `from,to` or
    /// `from,below`.
    pub fn read(reader: impl Read) -> Result<Self> {
        let file = MappingFile::read(reader)?;
        if file.names.len() == 1 {
            return Ok(file.mapping(0));
        }
        let expected = "a header such as `age,risk`, `from,to,risk` or `from,below,risk`";
        Err(Error::Mapping { line: file.header, text: format!("it must be {expected}") })
    }

    /// Creates the table that is 1 for values of a column with a relation to a constant, in its units, and 0 for all
    /// others.
    ///
    /// ```
    /// use cryptable_frames::{Mapping, Relation, Schema};
    /// let schema = Schema::from_json(br#"{"columns": [
    ///     {"column": "price", "type": "number", "scale": 0.5, "maximum": 3.5}
    /// ]}"#)?;
    /// let table = Mapping::comparison(&schema.columns()[0], Relation::Greater, "1.5", 8, 2)?;
    /// assert_eq!(table.values(), [0, 0, 0, 0, 1, 1, 1, 1]);
    /// # Ok::<(), cryptable_frames::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the constant is not a value of the column's type, or no value has the relation to it.
    pub fn comparison(
        input: &Column,
        is: Relation,
        than: &str,
        input_modulus: u64,
        output_modulus: u64,
    ) -> Result<Table> {
        let (form, ends, holds) = match is {
            Relation::Less => (Form::Below, ["", than], true),
            Relation::AtMost => (Form::To, ["", than], true),
            Relation::Equal => (Form::One, [than, than], true),
            Relation::Different => (Form::One, [than, than], false),
            Relation::AtLeast => (Form::To, [than, ""], true),
            Relation::Greater => (Form::To, ["", than], false),
        };
        let [from, to] = ends.map(str::to_owned);
        let [output, other] = if holds { ["1", "0"] } else { ["0", "1"] };
        let lines = vec![Line { number: 1, from, to, output: output.into() }];
        let bits = Column::integers("bits", false, output_modulus)?;
        Self { form, lines }.table(input, input_modulus, &bits, output_modulus, Some(other))
    }

    /// Creates the tables of a join, one for each of the file's columns that are named by their header; columns with
    /// other names are ignored. Without a default, outputs of keys without a line are 0, and an additional table has
    /// bits that tell which keys have a line.
    ///
    /// ```
    /// use cryptable_frames::{Mapping, Schema};
    /// let schema = Schema::from_json(br#"{"columns": [
    ///     {"column": "region", "type": "words", "words": ["north", "south", "west"]},
    ///     {"column": "rate", "type": "integer", "maximum": 15}
    /// ]}"#)?;
    /// let [region, rate] = schema.columns() else { unreachable!() };
    /// let file = "region,seat,rate\nnorth,Oslo,3\nwest,Bergen,5\n";
    /// let tables = Mapping::join(file.as_bytes(), region, 4, std::slice::from_ref(rate), 16, None)?;
    /// assert_eq!((tables[0].values(), tables[1].values()), (&[3, 0, 5, 0][..], &[1, 0, 1, 0][..]));
    /// # Ok::<(), cryptable_frames::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is not CSV, or if a name is not in its header, or occurs there twice; if a value does not belong to its
    /// column, or two lines have the same key.
    pub fn join(
        reader: impl Read,
        input: &Column,
        input_modulus: u64,
        outputs: &[Column],
        output_modulus: u64,
        default: Option<&str>,
    ) -> Result<Vec<Table>> {
        let file = MappingFile::read(reader)?;
        let (mut tables, mut is_there) = (Vec::new(), None);
        for output in outputs {
            let mapping = file.mapping(file.place(output.name())?);
            if default.is_some() {
                tables.push(mapping.table(
                    input,
                    input_modulus,
                    output,
                    output_modulus,
                    default,
                )?);
                continue;
            }
            let entries = mapping.entries(input, input_modulus, output, output_modulus)?;
            let values = entries.iter().map(|entry| entry.map_or(0, |(_, output)| output));
            let values = Table::new(input_modulus, output_modulus, values.collect())?;
            let inputs = input.encoding().is_signed();
            tables.push(values.with_signs(inputs, output.encoding().is_signed()));
            let bits = entries.iter().map(|entry| u64::from(entry.is_some()));
            let bits = Table::new(input_modulus, output_modulus, bits.collect())?;
            is_there = Some(bits.with_signs(inputs, false));
        }
        tables.extend(is_there);
        Ok(tables)
    }

    /// Creates the table for values of an input column modulo `input_modulus` and an output column modulo
    /// `output_modulus`.
    ///
    /// Inputs that represent no value of the column have the output 0.
    ///
    /// # Errors
    /// If a value does not belong to its column, if two lines have the same input, or if there is neither a default nor
    /// a line for a value of the input column.
    pub fn table(
        &self,
        input: &Column,
        input_modulus: u64,
        output: &Column,
        output_modulus: u64,
        default: Option<&str>,
    ) -> Result<Table> {
        let mut entries = self.entries(input, input_modulus, output, output_modulus)?;
        let default = default.map(|text| residue(output, output_modulus, 0, text)).transpose()?;
        let encoding = input.encoding();
        let (low, high) = encoding.range(Some(input_modulus));
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

    /// Returns, for each residue of an input that has a line, the number of the line and the residue of its output.
    fn entries(
        &self,
        input: &Column,
        input_modulus: u64,
        output: &Column,
        output_modulus: u64,
    ) -> Result<Vec<Option<(u64, u64)>>> {
        input.check_modulus(input_modulus)?;
        output.check_modulus(output_modulus)?;
        if input_modulus > MAX_MODULUS {
            let limit = MAX_MODULUS;
            let name = "input modulus of a table";
            return Err(cryptable::Error::TooLarge { name, value: input_modulus, limit }.into());
        }
        let encoding = input.encoding();
        let (low, high) = encoding.range(Some(input_modulus));
        let mut entries: Vec<Option<(u64, u64)>> = vec![None; input_modulus as usize];
        for line in &self.lines {
            let number = line.number;
            let output = residue(output, output_modulus, number, &line.output)?;
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
        Ok(entries)
    }

    /// Returns the first and the last step that a line applies to.
    fn steps(&self, line: &Line, input: &Column, low: i64, high: i64) -> Result<(i64, i64)> {
        let of_line = |text: String| Error::Mapping { line: line.number, text };
        let encoding = input.encoding();
        let around = |text: &str| {
            let wrong = |problem| of_line(of_type("input", &quoted(text), &problem, input));
            encoding.steps_around(Value::Text(text)).map_err(wrong)
        };
        if self.form == Form::One {
            let wrong = |problem| of_line(of_type("input", &quoted(&line.from), &problem, input));
            let step = encoding.step_of_name(&line.from).map_err(wrong)?;
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

/// Describes the problem of an input or output. If the value is not an integer and the schema says nothing else, the
/// message points to the schema.
fn of_type(what: &str, value: &str, problem: &CellProblem, column: &Column) -> String {
    let of_integers = column.encoding().kind() == ColumnType::Integer;
    let remedy = match problem {
        CellProblem::Type(_) if of_integers => {
            let (name, schema) =
                (column.name(), if what == "input" { "schema" } else { "results" });
            format!(
                "; if it is a word, a date or a number with a scale, say so of \"{name}\" in `{schema}`"
            )
        }
        _ => String::new(),
    };
    format!("{what} {value} {problem}{remedy}")
}

/// Returns the residue of the output that a line states.
fn residue(output: &Column, modulus: u64, line: u64, text: &str) -> Result<u64> {
    let of_line = |text: String| Error::Mapping { line, text };
    let found = output.residue(Some(Value::Text(text)), 0, modulus);
    let found = found.map_err(|error| match error {
        Error::Cell { value, problem, .. } => of_line(of_type("output", &value, &problem, output)),
        other => other,
    })?;
    found.ok_or_else(|| of_line("the output is missing".into()))
}

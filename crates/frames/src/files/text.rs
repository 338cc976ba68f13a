//! CSV and JSON lines.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use serde_json::Value as Json;

use super::of_file;
use crate::arrays::visit;
use crate::error::{Error, Result};
use crate::value::Value;

/// Delimiters that are recognised. If several are equally frequent in the header, the first is chosen.
const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// Columns of text that are being read.
#[derive(Default)]
struct Texts {
    names: Vec<String>,
    columns: Vec<StringBuilder>,
    rows: usize,
}

impl Texts {
    /// Returns the position of the column with this name, after adding an empty one if there was none.
    fn column(&mut self, name: &str) -> usize {
        let found = self.names.iter().position(|known| known == name);
        found.unwrap_or_else(|| {
            self.names.push(name.into());
            let mut column = StringBuilder::new();
            (0..self.rows).for_each(|_| column.append_null());
            self.columns.push(column);
            self.names.len() - 1
        })
    }

    /// Ends a row: columns without a value get a missing one.
    fn end_row(&mut self) {
        use arrow_array::builder::ArrayBuilder as _;
        self.rows += 1;
        let short = self.columns.iter_mut().filter(|column| column.len() < self.rows);
        short.for_each(StringBuilder::append_null);
    }

    fn finish(self, kind: &'static str) -> Result<RecordBatch> {
        if self.rows == 0 {
            return Err(Error::Empty);
        }
        let field = |name: String| Field::new(name, DataType::Utf8, true);
        let fields: Vec<Field> = self.names.into_iter().map(field).collect();
        let array = |mut column: StringBuilder| Arc::new(column.finish()) as ArrayRef;
        let arrays = self.columns.into_iter().map(array).collect();
        RecordBatch::try_new(Schema::new(fields).into(), arrays)
            .map_err(|error| of_file(kind, &error))
    }
}

/// Reads CSV with a header. Empty fields are missing values.
pub(super) fn read_csv(bytes: &[u8]) -> Result<RecordBatch> {
    let failed = |error: &csv::Error| of_file("CSV", &reason(error));
    let text = text_of(bytes, "CSV")?;
    let text = text.trim_start_matches('\u{feff}');
    let header = text.lines().next().unwrap_or_default();
    let count = |delimiter: &char| header.matches(*delimiter).count();
    let most = DELIMITERS.iter().map(count).max().unwrap_or(0);
    let delimiter = DELIMITERS.into_iter().find(|delimiter| count(delimiter) == most);
    // An empty line is a row of one column, which the reader would skip.
    let text = if most == 0 { with_empty_fields(text) } else { text.into() };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(',') as u8)
        .from_reader(text.as_bytes());
    let mut texts = Texts::default();
    for (index, name) in reader.headers().map_err(|error| failed(&error))?.iter().enumerate() {
        // Index columns of pandas have no name.
        let name = if name.is_empty() { (index + 1).to_string() } else { name.into() };
        if texts.names.contains(&name) {
            return Err(Error::TwoColumns(name));
        }
        texts.column(&name);
    }
    for record in reader.records() {
        let record = record.map_err(|error| failed(&error))?;
        for (column, field) in texts.columns.iter_mut().zip(&record) {
            column.append_option(Some(field).filter(|field| !field.is_empty()));
        }
        texts.end_row();
    }
    texts.finish("CSV")
}

/// Returns the text of a file, which must be UTF-8.
fn text_of<'a>(bytes: &'a [u8], kind: &'static str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        of_file(
            kind,
            &match bytes {
                [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "it is in UTF-16; save it as UTF-8".into(),
                _ => format!("line {line} is not UTF-8; save it as UTF-8"),
            },
        )
    })
}

/// Returns the reason why a file is not CSV.
fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos: Some(place), expected_len, len } => {
            let columns = if *len == 1 { "column" } else { "columns" };
            format!(
                "line {}: {len} {columns}, but {expected_len} on the lines before",
                place.line()
            )
        }
        _ => error.to_string(),
    }
}

/// Quotes empty lines outside of quoted fields.
fn with_empty_fields(text: &str) -> Cow<'_, str> {
    let is_empty = |line: &str| line.trim_end_matches('\r').is_empty();
    if !text.lines().any(is_empty) {
        return text.into();
    }
    let mut is_quoted = false;
    let line = |line: &str| {
        let line = if is_empty(line) && !is_quoted { "\"\"" } else { line };
        is_quoted ^= line.matches('"').count() % 2 == 1;
        format!("{line}\n")
    };
    text.lines().map(line).collect::<String>().into()
}

/// Reads an object per line. Missing names and `null` are missing values.
pub(super) fn read_json_lines(bytes: &[u8]) -> Result<RecordBatch> {
    let text = text_of(bytes, "JSON lines")?;
    let mut texts = Texts::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let failed = |text: String| {
            let text = format!("line {}: {text}", index + 1);
            Error::File { kind: "JSON lines", text }
        };
        let object: serde_json::Map<String, Json> =
            serde_json::from_str(line).map_err(|error| failed(error.to_string()))?;
        for (name, value) in object {
            let text = match value {
                Json::Null => None,
                Json::Bool(value) => Some(value.to_string()),
                Json::Number(number) => Some(number.to_string()),
                Json::String(text) => Some(text),
                Json::Array(_) | Json::Object(_) => {
                    return Err(failed(format!("\"{name}\" is a list or an object")));
                }
            };
            let column = texts.column(&name);
            texts.columns[column].append_option(text);
        }
        texts.end_row();
    }
    texts.finish("JSON lines")
}

/// Returns the values of each column in one form.
fn formatted<T>(
    columns: &RecordBatch,
    form: impl Fn(Option<Value<'_>>) -> T,
) -> Result<Vec<Vec<T>>> {
    let schema = columns.schema();
    let named = schema.fields().iter().zip(columns.columns());
    named
        .map(|(field, array)| {
            let mut values = Vec::with_capacity(array.len());
            visit(array, field.name(), |_, value| {
                values.push(form(value));
                Ok(())
            })?;
            Ok(values)
        })
        .collect()
}

/// Writes CSV with a header. Missing values are empty fields.
pub(super) fn write_csv(writer: &mut impl Write, columns: &RecordBatch) -> Result<()> {
    let text = |value: Option<Value<'_>>| value.map_or_else(String::new, |it| it.to_string());
    let values = formatted(columns, text)?;
    let failed = |error| of_file("CSV", &error);
    let mut csv = csv::Writer::from_writer(writer);
    csv.write_record(columns.schema().fields().iter().map(|field| field.name())).map_err(failed)?;
    for row in 0..columns.num_rows() {
        csv.write_record(values.iter().map(|column| &column[row])).map_err(failed)?;
    }
    Ok(csv.flush()?)
}

/// Writes an object per line.
pub(super) fn write_json_lines(writer: &mut impl Write, columns: &RecordBatch) -> Result<()> {
    let json = |value: Option<Value<'_>>| match value {
        None => Json::Null,
        Some(Value::Boolean(value)) => value.into(),
        Some(Value::Number(value)) => value.into(),
        Some(Value::Integer(value)) => match i64::try_from(value) {
            Ok(value) => value.into(),
            Err(_) => value.to_string().into(),
        },
        Some(other) => other.to_string().into(),
    };
    let values = formatted(columns, json)?;
    let schema = columns.schema();
    for row in 0..columns.num_rows() {
        let named = schema.fields().iter().zip(&values);
        let object: serde_json::Map<String, Json> =
            named.map(|(field, column)| (field.name().clone(), column[row].clone())).collect();
        serde_json::to_writer(&mut *writer, &object).map_err(std::io::Error::from)?;
        writeln!(writer)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray as _;

    use super::*;

    fn column(text: &str, name: &str) -> Vec<Option<String>> {
        let columns = read_csv(text.as_bytes()).unwrap();
        let array = columns.column_by_name(name).unwrap().as_string::<i32>();
        array.iter().map(|text| text.map(Into::into)).collect()
    }

    #[test]
    fn rows_of_csv_are_neither_lost_nor_made_up() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(column("age\n3\n\n12\n", "age"), [some("3"), None, some("12")]);
        assert_eq!(column("age\r\n3\r\n\r\n12", "age"), [some("3"), None, some("12")]);
        assert_eq!(column("word\n\"a\n\nb\"\n\n", "word"), [some("a\n\nb"), None]);
        assert_eq!(column("\u{feff}a;b\n1;2,5\n;NA\n", "b"), [some("2,5"), some("NA")]);
        assert_eq!(column(",age\n0,7\n", "1"), [some("0")]);
        let failed = |text: &str| read_csv(text.as_bytes()).unwrap_err().to_string();
        let short = "it is not CSV: line 3: 1 column, but 2 on the lines before";
        assert_eq!(failed("a,b\n1,2\n3\n"), short);
        assert_eq!(failed("a,a\n1,2\n"), "two columns are called \"a\"");
        assert_eq!(failed("a,b\n"), "it has no rows");
        assert_eq!(failed(""), "it has no rows");
        let failed = |bytes: &[u8]| read_csv(bytes).unwrap_err().to_string();
        assert!(failed(b"a\n\xff\n").ends_with("line 2 is not UTF-8; save it as UTF-8"));
        assert!(failed(b"\xff\xfea\0").ends_with("it is in UTF-16; save it as UTF-8"));
    }

    #[test]
    fn objects_may_lack_names() {
        let text = "{\"a\": 1}\n\n{\"b\": \"x\", \"a\": null}\n{\"b\": true}\n";
        let columns = read_json_lines(text.as_bytes()).unwrap();
        let texts = |name| -> Vec<Option<&str>> {
            columns.column_by_name(name).unwrap().as_string::<i32>().iter().collect()
        };
        assert_eq!(texts("a"), [Some("1"), None, None]);
        assert_eq!(texts("b"), [None, Some("x"), Some("true")]);
        let failed = |text: &str| read_json_lines(text.as_bytes()).unwrap_err().to_string();
        assert!(failed("{\"a\": 1}\n{\"a\": [1]}\n").contains("line 2: \"a\" is a list"));
        assert!(failed("3\n").contains("line 1"));
    }
}

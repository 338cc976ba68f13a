//! NumPy's format `.npy`: arrays of integers, floats and booleans. An array of records has columns with names; those of others are
//! called 1, 2 and so on, as columns of CSV without a name are.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, RecordBatch, UInt64Array,
};
use arrow_schema::{Field, Schema};

use super::of_file;
use crate::error::{Error, Result};
use crate::schema::check_count;

/// First bytes of a file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header that is read, in bytes.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// Most values of the header within each other.
const MAX_DEPTH: usize = 6;

/// A value of the header, in Python's notation.
#[derive(Debug, PartialEq)]
enum Literal {
    Text(String),
    Number(usize),
    Boolean(bool),
    /// A list or a tuple.
    List(Vec<Self>),
    Dictionary(Vec<(String, Self)>),
}

/// Elements of a column: their kind, bytes, and where they begin.
#[derive(Debug, PartialEq)]
struct Elements {
    name: String,
    /// `b`, `i`, `u` or `f`, as NumPy has it.
    kind: char,
    bytes: usize,
    is_big_endian: bool,
    /// Place of the first element.
    start: usize,
    /// From one element to the next.
    stride: usize,
}

fn failed(text: impl std::fmt::Display) -> Error {
    of_file("npy", &text)
}

/// Reads an array.
pub(super) fn read(bytes: &[u8]) -> Result<RecordBatch> {
    let cut = || failed("it is cut short");
    if !bytes.starts_with(MAGIC) {
        return Err(failed("its first bytes are others"));
    }
    let (version, rest) = bytes[MAGIC.len()..].split_first_chunk::<2>().ok_or_else(cut)?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        (u32::from_le_bytes(*length) as usize, rest)
    };
    if length > MAX_HEADER_BYTES {
        return Err(failed(format!("a header of {length} bytes, above {MAX_HEADER_BYTES}")));
    }
    let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
    let header = std::str::from_utf8(header).map_err(failed)?;
    let mut parser = Parser { rest: header };
    let header = parser.literal(0)?;
    let (columns, rows) = layout(&header)?;
    check_count(columns.len())?;
    let size: usize = columns.iter().map(|column| column.bytes).sum();
    if rows.checked_mul(size) != Some(data.len()) {
        return Err(failed(format!("{} bytes for {rows} rows of {size} bytes", data.len())));
    }
    let array = |column: &Elements| column.array(data, rows);
    let arrays: Vec<ArrayRef> = columns.iter().map(array).collect();
    let field = |(column, array): (&Elements, &ArrayRef)| {
        Field::new(&column.name, array.data_type().clone(), false)
    };
    let fields: Vec<Field> = columns.iter().zip(&arrays).map(field).collect();
    RecordBatch::try_new(Schema::new(fields).into(), arrays).map_err(failed)
}

/// The columns, and the number of rows.
fn layout(header: &Literal) -> Result<(Vec<Elements>, usize)> {
    let Literal::Dictionary(fields) = header else {
        return Err(failed("its header is no dictionary"));
    };
    let field = |name: &str| {
        let found = fields.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        found.ok_or_else(|| failed(format!("its header has no '{name}'")))
    };
    let Literal::List(shape) = field("shape")? else {
        return Err(failed("its shape is no tuple"));
    };
    let numbers = shape.iter().map(|it| match it {
        Literal::Number(number) => Ok(*number),
        _ => Err(failed("its shape is not of numbers")),
    });
    let shape = numbers.collect::<Result<Vec<usize>>>()?;
    let is_fortran = *field("fortran_order")? == Literal::Boolean(true);
    let (rows, count) = match shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Err(failed("it has neither one nor two dimensions")),
    };
    match field("descr")? {
        Literal::Text(kind) => {
            check_count(count)?;
            let (kind, bytes, is_big_endian) = element(kind)?;
            let step = |wide: usize| {
                wide.checked_mul(bytes).ok_or_else(|| failed("its shape is too large"))
            };
            let (of_column, stride) =
                if is_fortran { (step(rows)?, bytes) } else { (bytes, step(count)?) };
            let column = |index: usize| {
                let start =
                    index.checked_mul(of_column).ok_or_else(|| failed("its shape is too large"))?;
                let name = (index + 1).to_string();
                Ok(Elements { name, kind, bytes, is_big_endian, start, stride })
            };
            Ok(((0..count).map(column).collect::<Result<_>>()?, rows))
        }
        Literal::List(records) if count == 1 => Ok((columns_of(records)?, rows)),
        _ => Err(failed("records have one dimension")),
    }
}

/// Columns of an array of records.
fn columns_of(records: &[Literal]) -> Result<Vec<Elements>> {
    let mut columns: Vec<Elements> = Vec::new();
    let mut size = 0;
    for record in records {
        let Literal::List(parts) = record else { return Err(failed("a field is no pair")) };
        let [Literal::Text(name), Literal::Text(kind)] = &parts[..] else {
            return Err(failed(
                "a field is not of a name and a type: fields of several values are not read",
            ));
        };
        if columns.iter().any(|column| column.name == *name) {
            return Err(Error::TwoColumns(name.clone()));
        }
        let (kind, bytes, is_big_endian) = element(kind)?;
        let name = name.clone();
        columns.push(Elements { name, kind, bytes, is_big_endian, start: size, stride: 0 });
        size += bytes;
    }
    columns.iter_mut().for_each(|column| column.stride = size);
    Ok(columns)
}

/// The kind of an element, its bytes, and whether the most significant one is first.
fn element(text: &str) -> Result<(char, usize, bool)> {
    let kind = text.trim_start_matches(['<', '>', '|', '=']);
    let known = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"];
    if !known.contains(&kind) {
        let needed = "integers, floats of 32 or 64 bits and booleans are read";
        return Err(failed(format!("its elements are of type '{text}'; {needed}")));
    }
    let bytes = usize::from(kind.as_bytes()[1] - b'0');
    Ok((kind.as_bytes()[0].into(), bytes, text.starts_with('>')))
}

impl Elements {
    /// The word of each row, extended by zeros.
    fn words<'a>(&'a self, data: &'a [u8], rows: usize) -> impl Iterator<Item = u64> + 'a {
        (0..rows).map(move |row| {
            let start = self.start + row * self.stride;
            let mut word = [0; 8];
            word[..self.bytes].copy_from_slice(&data[start..start + self.bytes]);
            if self.is_big_endian {
                word[..self.bytes].reverse();
            }
            u64::from_le_bytes(word)
        })
    }

    fn array(&self, data: &[u8], rows: usize) -> ArrayRef {
        let words = self.words(data, rows);
        let unused = 64 - 8 * self.bytes as u32;
        match (self.kind, self.bytes) {
            ('b', _) => Arc::new(BooleanArray::from_iter(words.map(|word| Some(word != 0)))),
            ('i', _) => Arc::new(Int64Array::from_iter_values(
                words.map(|word| (word << unused).cast_signed() >> unused),
            )),
            ('u', _) => Arc::new(UInt64Array::from_iter_values(words)),
            (_, 4) => Arc::new(Float32Array::from_iter_values(
                words.map(|word| f32::from_bits(word as u32)),
            )),
            _ => Arc::new(Float64Array::from_iter_values(words.map(f64::from_bits))),
        }
    }
}

/// A parser of Python's literals.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Result<Literal> {
        if depth > MAX_DEPTH {
            return Err(failed("its header has too many brackets"));
        }
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('{') => self.dictionary(depth),
            Some('(') => self.list(')', depth),
            Some('[') => self.list(']', depth),
            Some('\'' | '"') => Ok(Literal::Text(self.text()?)),
            Some('0'..='9') => {
                let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
                let (digits, rest) = self.rest.split_at(end);
                // Python 2 marks long integers.
                self.rest = rest.strip_prefix('L').unwrap_or(rest);
                digits.parse().map(Literal::Number).map_err(failed)
            }
            _ if self.takes("True") => Ok(Literal::Boolean(true)),
            _ if self.takes("False") => Ok(Literal::Boolean(false)),
            _ => Err(failed("its header is not in Python's notation")),
        }
    }

    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.takes(token) { Ok(()) } else { Err(failed(format!("its header lacks '{token}'"))) }
    }

    fn text(&mut self) -> Result<String> {
        let quote = self.rest.chars().next().unwrap_or('\'');
        let found = self.rest[1..].split_once(quote);
        let (text, rest) = found.ok_or_else(|| failed("its header has an open text"))?;
        self.rest = rest;
        Ok(text.into())
    }

    fn list(&mut self, end: char, depth: usize) -> Result<Literal> {
        self.rest = &self.rest[1..];
        let (mut values, end) = (Vec::new(), end.to_string());
        while !self.takes(&end) {
            values.push(self.literal(depth + 1)?);
            if !self.takes(",") {
                self.expect(&end)?;
                break;
            }
        }
        Ok(Literal::List(values))
    }

    fn dictionary(&mut self, depth: usize) -> Result<Literal> {
        self.rest = &self.rest[1..];
        let mut values = Vec::new();
        while !self.takes("}") {
            let Literal::Text(key) = self.literal(depth + 1)? else {
                return Err(failed("a key of its header is no text"));
            };
            self.expect(":")?;
            values.push((key, self.literal(depth + 1)?));
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Literal::Dictionary(values))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileFormat, FileKind};
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn csv(columns: &RecordBatch) -> String {
        let mut text = Vec::new();
        FileFormat::from(FileKind::Csv).write(&mut text, columns).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn arrays_have_columns() {
        let one = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n";
        let found = read(&file(one, &[1, 0, 0xFE, 0xFF, 0, 1])).unwrap();
        assert_eq!(csv(&found), "1\n1\n-2\n256\n");
        for (order, bytes) in [("False", [1, 2, 3, 4]), ("True", [1, 3, 2, 4])] {
            let two = format!("{{\"descr\": '|u1', 'fortran_order': {order}, 'shape': (2L, 2L)}}");
            assert_eq!(csv(&read(&file(&two, &bytes)).unwrap()), "1,2\n1,2\n3,4\n");
        }
        let records = "{'descr': [('age', '>u2'), ('ok', '|b1'), ('x', '<f8')], 'fortran_order': False, 'shape': (2,)}";
        let mut data = Vec::new();
        for (age, ok, x) in [(300u16, 1u8, 0.5f64), (7, 0, -2.0)] {
            data.extend([&age.to_be_bytes()[..], &[ok], &x.to_le_bytes()].concat());
        }
        let whole = file(records, &data);
        assert_eq!(csv(&read(&whole).unwrap()), "age,ok,x\n300,true,0.5\n7,false,-2\n");
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length} bytes");
        }
        for byte in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[byte] ^= 0x15;
            let _ = read(&damaged);
        }
    }

    #[test]
    fn others_are_refused() {
        let refused = |header: &str| read(&file(header, &[0; 8])).unwrap_err().to_string();
        for (header, expected) in [
            ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "type '<c8'"),
            ("{'descr': '<i8', 'fortran_order': False, 'shape': ()}", "dimensions"),
            ("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", "8 bytes for 2 rows"),
            ("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 9999999)}", "columns"),
            (
                "{'descr': '<i8', 'fortran_order': True, 'shape': (18446744073709551615, 2)}",
                "too large",
            ),
            (
                "{'descr': [('a', '<i4', (2,))], 'fortran_order': False, 'shape': (1,)}",
                "several values",
            ),
            (
                "{'descr': [('a', '<i4'), ('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
                "two columns",
            ),
            ("{'shape': (1,), 'fortran_order': False}", "no 'descr'"),
            ("((((((((((1,),),),),),),),),),)", "too many brackets"),
            ("{'descr': '<i8", "open text"),
            ("", "Python's notation"),
        ] {
            let found = refused(header);
            assert!(found.contains(expected), "{header}: {found}");
        }
    }
}

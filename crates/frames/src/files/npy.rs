//! NumPy arrays of integers, floats and booleans. The columns of an array of records have names; those of other arrays
//! are called 1, 2 and so on, like columns of CSV without a name.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, RecordBatch, UInt64Array,
};
use arrow_schema::{Field, Schema};

use crate::error::{Error, Result};
use crate::npy::{Element, Elements, Header, failed};
use crate::schema::check_count;

/// The elements of a column, and their positions.
#[derive(Debug, PartialEq)]
struct Column {
    name: String,
    element: Element,
    /// Position of the first element.
    start: usize,
    /// Distance from one element to the next.
    stride: usize,
}

/// Reads an array.
pub(super) fn read(bytes: &[u8]) -> Result<RecordBatch> {
    let mut data = bytes;
    let header = Header::read(&mut data)?;
    let (columns, rows) = layout(header)?;
    check_count(columns.len())?;
    let size: usize = columns.iter().map(|column| column.element.bytes).sum();
    if rows.checked_mul(size) != Some(data.len()) {
        return Err(failed(format!("{} bytes for {rows} rows of {size} bytes", data.len())));
    }
    let array = |column: &Column| column.array(data, rows);
    let arrays: Vec<ArrayRef> = columns.iter().map(array).collect();
    let field = |(column, array): (&Column, &ArrayRef)| {
        Field::new(&column.name, array.data_type().clone(), false)
    };
    let fields: Vec<Field> = columns.iter().zip(&arrays).map(field).collect();
    RecordBatch::try_new(Schema::new(fields).into(), arrays).map_err(failed)
}

/// Returns the columns and the number of rows.
fn layout(header: Header) -> Result<(Vec<Column>, usize)> {
    let too_large = || failed("its shape is too large");
    let length = |length: u64| usize::try_from(length).map_err(|_| too_large());
    let (rows, count) = match header.shape[..] {
        [rows] => (length(rows)?, 1),
        [rows, columns] => (length(rows)?, length(columns)?),
        _ => return Err(failed("it has neither one nor two dimensions")),
    };
    let element = match header.elements {
        Elements::Plain(element) => element,
        Elements::Records(fields) if header.shape.len() == 1 => {
            return Ok((columns_of(fields)?, rows));
        }
        Elements::Records(_) => return Err(failed("records must have one dimension")),
    };
    check_count(count)?;
    let step = |wide: usize| wide.checked_mul(element.bytes).ok_or_else(too_large);
    let (of_column, stride) = if header.is_fortran {
        (step(rows)?, element.bytes)
    } else {
        (element.bytes, step(count)?)
    };
    let column = |index: usize| {
        let start = index.checked_mul(of_column).ok_or_else(too_large)?;
        Ok(Column { name: (index + 1).to_string(), element, start, stride })
    };
    Ok(((0..count).map(column).collect::<Result<_>>()?, rows))
}

/// Returns the columns of an array of records.
fn columns_of(fields: Vec<(String, Element)>) -> Result<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut size = 0;
    for (name, element) in fields {
        if columns.iter().any(|column| column.name == name) {
            return Err(Error::TwoColumns(name));
        }
        columns.push(Column { name, element, start: size, stride: 0 });
        size += element.bytes;
    }
    columns.iter_mut().for_each(|column| column.stride = size);
    Ok(columns)
}

impl Column {
    /// Returns one word per row, extended by zeros.
    fn words<'a>(&'a self, data: &'a [u8], rows: usize) -> impl Iterator<Item = u64> + 'a {
        let Element { bytes, is_big_endian, .. } = self.element;
        (0..rows).map(move |row| {
            let start = self.start + row * self.stride;
            let mut word = [0; 8];
            word[..bytes].copy_from_slice(&data[start..start + bytes]);
            if is_big_endian {
                word[..bytes].reverse();
            }
            u64::from_le_bytes(word)
        })
    }

    fn array(&self, data: &[u8], rows: usize) -> ArrayRef {
        let words = self.words(data, rows);
        let Element { kind, bytes, .. } = self.element;
        let unused = 64 - 8 * bytes as u32;
        match (kind, bytes) {
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

#[cfg(test)]
mod tests {
    use super::super::{FileFormat, FileKind};
    use super::*;
    use crate::npy::MAGIC;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [&MAGIC[..], &[1, 0], &length, header.as_bytes(), data].concat()
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
            ("{'descr': '<i8', 'fortran_order': False, 'shape': ()}", "dimensions"),
            ("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", "8 bytes for 2 rows"),
            ("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 9999999)}", "columns"),
            (
                "{'descr': '<i8', 'fortran_order': True, 'shape': (18446744073709551615, 2)}",
                "too large",
            ),
            (
                "{'descr': [('a', '<i4'), ('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
                "two columns",
            ),
        ] {
            let found = refused(header);
            assert!(found.contains(expected), "{header}: {found}");
        }
    }
}

//! NumPy's format `.npy`: arrays of integers.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
pub use cryptable_frames::npy::MAGIC;
use cryptable_frames::npy::{Elements, Header};

use super::domain::Domain;
use super::raw::{WordFormat, Words};
use crate::input_file;

/// Reads a header. Returns the shape, and an iterator over the elements in C order.
pub fn open<R: Read>(mut reader: R, path: &Path, domain: Domain) -> Result<(Vec<u64>, Words<R>)> {
    let header = Header::read(&mut reader).with_context(|| input_file::name(path))?;
    let (word, count) = layout(&header).with_context(|| input_file::name(path))?;
    Ok((header.shape, Words::new(reader, path, word, Some(count), domain)))
}

/// Returns the format of the elements, and their number.
fn layout(header: &Header) -> Result<(WordFormat, u64)> {
    let needed = "an array of integers is needed (u1, u2, u4, u8, i1, i2, i4 or i8)";
    let Elements::Plain(element) = header.elements else {
        bail!("the elements are records; {needed}");
    };
    let (kind, bytes) = (element.kind, element.bytes);
    ensure!(kind != 'f', "the elements are of type '<f{bytes}'; {needed}");
    let long = header.shape.iter().filter(|&&length| length != 1).count();
    ensure!(
        !header.is_fortran || long <= 1,
        "the array is in Fortran order; save it with numpy.ascontiguousarray"
    );
    let count = header.shape.iter().try_fold(1, |all: u64, &length| all.checked_mul(length));
    let count = count.with_context(|| format!("the shape {:?} is too large", header.shape))?;
    Ok((WordFormat { bytes, signed: kind == 'i', big_endian: element.is_big_endian }, count))
}

/// Returns the header of a one-dimensional array.
#[cfg(feature = "client")]
pub fn header(word: WordFormat, count: u64) -> Vec<u8> {
    let order = if word.bytes == 1 { '|' } else { '<' };
    let kind = if word.signed { 'i' } else { 'u' };
    let text = format!(
        "{{'descr': '{order}{kind}{}', 'fortran_order': False, 'shape': ({count},), }}",
        word.bytes
    );
    // Magic, version and length are 10 bytes; the elements start at a multiple of 64, after a newline.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:width$}\n", width = length - 1).bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(header: &str, elements: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [&MAGIC[..], &[1, 0], &length, header.as_bytes(), elements].concat()
    }

    fn read(bytes: &[u8]) -> Result<(Vec<u64>, Vec<u64>)> {
        let (shape, words) = open(bytes, Path::new("a.npy"), Domain::unsigned(1000))?;
        Ok((shape, words.collect::<Result<_>>()?))
    }

    #[test]
    fn files_as_numpy_writes_them_are_read() {
        let big = "{'shape': (2, 2), 'descr': \">u2\", 'fortran_order': False}";
        let bytes = file(big, &[0, 1, 0, 2, 0, 3, 1, 0]);
        assert_eq!(read(&bytes).unwrap(), (vec![2, 2], vec![1, 2, 3, 256]));
        let scalar = "{'descr': '|b1', 'fortran_order': True, 'shape': ()}";
        assert_eq!(read(&file(scalar, &[1])).unwrap(), (vec![], vec![1]));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let with = |descr: &str, order: &str, shape: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}");
            format!("{:#}", read(&file(&text, &[0; 64])).unwrap_err())
        };
        assert!(with("'<f8'", "False", "(3,)").contains("a.npy: the elements are of type '<f8'"));
        assert!(with("[('x', '<f8')]", "False", "(3,)").contains("records"));
        assert!(with("'<u8'", "True", "(2, 2)").contains("Fortran order"));
        assert!(with("'<u8'", "False", "(5000000000, 5000000000)").contains("too large"));
        assert!(with("'<u8'", "False", "(9,)").contains("cut short"));
        assert!(with("'<u8'", "False", "(7,)").contains("continues"));
        assert!(with("'<u8'", "Maybe", "(2, 2)").contains("a.npy: it is not npy: "));
    }

    proptest! {
        #[test]
        fn any_values_come_back(values in prop::collection::vec(0..1000_u64, 0..50)) {
            let mut bytes = header(WordFormat::unsigned(2), values.len() as u64);
            prop_assert_eq!(bytes.len() % 64, 0);
            bytes.extend(values.iter().flat_map(|&v| (v as u16).to_le_bytes()));
            prop_assert_eq!(read(&bytes).unwrap().1, values);
            bytes.pop();
            prop_assert!(bytes.len() % 64 == 63 || read(&bytes).is_err());
        }
    }
}

//! NumPy's format `.npy`: arrays of integers in versions 1.0 to 3.0.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::domain::Domain;
use super::raw::{WordFormat, Words};
use crate::printable::Printable as _;

/// First bytes of a file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Longest header that is read, in bytes.
const MAX_HEADER_BYTES: u32 = 1 << 16;

/// Largest number of dimensions that NumPy supports.
const MAX_DIMENSIONS: usize = 64;

/// Reads a header. Returns the shape, and an iterator over the elements in C order.
pub fn open<R: Read>(mut reader: R, path: &Path, domain: Domain) -> Result<(Vec<u64>, Words<R>)> {
    let header = read_header(&mut reader).with_context(|| path.printable())?;
    let words = Words::new(reader, path, header.word, Some(header.count), domain);
    Ok((header.shape, words))
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

#[derive(Debug, PartialEq)]
struct Header {
    word: WordFormat,
    shape: Vec<u64>,
    count: u64,
}

fn read_header(reader: &mut impl Read) -> Result<Header> {
    let cut = "the header is cut short";
    let mut start = [0; 8];
    reader.read_exact(&mut start).context(cut)?;
    ensure!(start.starts_with(MAGIC), "not an .npy file: its first bytes are {:02x?}", &start[..6]);
    let mut length = [0; 4];
    match start[6] {
        1 => reader.read_exact(&mut length[..2]),
        2 | 3 => reader.read_exact(&mut length),
        version => bail!("format version {version} is not known; 1, 2 and 3 are"),
    }
    .context(cut)?;
    let length = u32::from_le_bytes(length);
    ensure!(
        length <= MAX_HEADER_BYTES,
        "the header is {length} bytes long, above the limit of {MAX_HEADER_BYTES}"
    );
    let mut text = vec![0; length as usize];
    reader.read_exact(&mut text).context(cut)?;
    let text = String::from_utf8(text).context("the header is not text")?;
    Parser { rest: &text }.header()
}

/// A parser for the Python dictionary in the header.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn header(&mut self) -> Result<Header> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.take("}") {
            let key = self.string()?;
            self.expect(":")?;
            let known = match key {
                "descr" => descr.replace(self.descr()?).is_none(),
                "fortran_order" => fortran.replace(self.boolean()?).is_none(),
                "shape" => shape.replace(self.tuple()?).is_none(),
                _ => bail!("the header has an unknown key '{key}'"),
            };
            ensure!(known, "the header has two keys '{key}'");
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        ensure!(self.rest.trim().is_empty(), "the header goes on after its dictionary");
        let word = descr.context("the header has no 'descr'")?;
        let fortran = fortran.context("the header has no 'fortran_order'")?;
        let shape = shape.context("the header has no 'shape'")?;
        let long = shape.iter().filter(|&&length| length != 1).count();
        ensure!(
            !fortran || long <= 1,
            "the array is in Fortran order; save it with numpy.ascontiguousarray"
        );
        let count = shape
            .iter()
            .try_fold(1, |product: u64, &length| product.checked_mul(length))
            .with_context(|| format!("the shape {shape:?} is too large"))?;
        Ok(Header { word, shape, count })
    }

    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.take(token) {
            return Ok(());
        }
        let found: String = self.rest.chars().take(20).collect();
        bail!("the header has \"{found}\" in place of \"{token}\"")
    }

    fn string(&mut self) -> Result<&'a str> {
        // Python 2 marks Unicode strings.
        self.rest = self.rest.trim_start();
        if self.rest.starts_with("u'") || self.rest.starts_with("u\"") {
            self.rest = &self.rest[1..];
        }
        let quote = if self.take("\"") { '"' } else { '\'' };
        if quote == '\'' {
            self.expect("'")?;
        }
        let (text, rest) = self.rest.split_once(quote).context("the header has an open string")?;
        self.rest = rest;
        Ok(text)
    }

    fn boolean(&mut self) -> Result<bool> {
        if self.take("True") {
            return Ok(true);
        }
        self.expect("False")?;
        Ok(false)
    }

    fn tuple(&mut self) -> Result<Vec<u64>> {
        let mut lengths = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            ensure!(lengths.len() < MAX_DIMENSIONS, "more than {MAX_DIMENSIONS} dimensions");
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            lengths.push(digits.parse().context("the header's shape is not made of integers")?);
            // Python 2 marks long integers.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(lengths)
    }

    fn descr(&mut self) -> Result<WordFormat> {
        let needed = "an array of integers is needed (u1, u2, u4, u8, i1, i2, i4 or i8)";
        if self.take("[") {
            bail!("the elements are records; {needed}");
        }
        let descr = self.string()?;
        let kind = descr.trim_start_matches(['<', '>', '|', '=']);
        let (signed, bytes) = match kind {
            "u1" | "b1" => (false, 1),
            "u2" => (false, 2),
            "u4" => (false, 4),
            "u8" => (false, 8),
            "i1" => (true, 1),
            "i2" => (true, 2),
            "i4" => (true, 4),
            "i8" => (true, 8),
            _ => bail!("the elements are of type '{descr}'; {needed}"),
        };
        Ok(WordFormat { bytes, signed, big_endian: descr.starts_with('>') })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(version: u8, header: &str, elements: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        let length = (header.len() as u32).to_le_bytes();
        bytes.extend(if version == 1 { &length[..2] } else { &length[..] });
        bytes.extend(header.bytes());
        bytes.extend(elements);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<(Vec<u64>, Vec<u64>)> {
        let (shape, words) = open(bytes, Path::new("a.npy"), Domain::unsigned(1000))?;
        Ok((shape, words.collect::<Result<_>>()?))
    }

    fn error(header: &str) -> String {
        format!("{:#}", read(&file(1, header, &[0; 64])).unwrap_err())
    }

    #[test]
    fn files_as_numpy_writes_them_are_read() {
        // numpy.save(f, numpy.arange(3, dtype="<i8")) of NumPy 1.26 and 2.2
        let text = "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }";
        let padded = format!("{text:117}\n");
        let elements: Vec<u8> = (0..3_i64).flat_map(i64::to_le_bytes).collect();
        for version in [1, 2, 3] {
            let bytes = file(version, &padded, &elements);
            assert_eq!(read(&bytes).unwrap(), (vec![3], vec![0, 1, 2]));
        }
        let big = "{'shape': (2, 2), 'descr': \">u2\", 'fortran_order': False}";
        let bytes = file(1, big, &[0, 1, 0, 2, 0, 3, 1, 0]);
        assert_eq!(read(&bytes).unwrap(), (vec![2, 2], vec![1, 2, 3, 256]));
        // Python 2 wrote it like this.
        let old = "{'descr': u'<u1', 'fortran_order': False, 'shape': (3L,), }";
        assert_eq!(read(&file(1, old, &[1, 2, 3])).unwrap(), (vec![3], vec![1, 2, 3]));
        let scalar = "{'descr': '|b1', 'fortran_order': True, 'shape': ()}";
        assert_eq!(read(&file(1, scalar, &[1])).unwrap(), (vec![], vec![1]));
    }

    #[test]
    fn headers_are_read_back_and_aligned() {
        for (bytes, count) in [(1, 0), (2, 7), (4, 1 << 40), (8, u64::MAX)] {
            let word = WordFormat::unsigned(bytes);
            let text = header(word, count);
            assert_eq!(text.len() % 64, 0);
            assert_eq!(text.last(), Some(&b'\n'));
            let expected = Header { word, shape: vec![count], count };
            assert_eq!(read_header(&mut &text[..]).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let with = |descr: &str, order: &str, shape: &str| {
            error(&format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"))
        };
        assert!(with("'<f8'", "False", "(3,)").contains("a.npy: the elements are of type '<f8'"));
        assert!(with("[('x', '<f8')]", "False", "(3,)").contains("records"));
        assert!(with("'<u8'", "True", "(2, 2)").contains("Fortran order"));
        assert!(with("'<u8'", "Maybe", "(2, 2)").contains("Maybe"));
        assert!(with("'<u8'", "False", "(5000000000, 5000000000)").contains("too large"));
        assert!(with("'<u8'", "False", "(-1,)").contains("not made of integers"));
        assert!(with("'<u8'", "False", "(9,)").contains("cut short"));
        assert!(with("'<u8'", "False", "(7,)").contains("goes on"));
        assert!(error("{'descr': '<u8'}").contains("no 'fortran_order'"));
        assert!(error("{'a': 1}").contains("unknown key 'a'"));
        assert!(error("[]").contains("in place of"));
        let message = |bytes: &[u8]| format!("{:#}", read(bytes).unwrap_err());
        assert!(message(&file(9, "", &[])).contains("version 9"));
        assert!(message(b"PK\x03\x04........").contains("not an .npy file"));
        assert!(message(b"\x93NUM").contains("cut short"));
        assert!(message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("above the limit"));
    }

    proptest! {
        #[test]
        fn random_headers_do_no_harm(
            text in "[\\{\\}\\(\\)\\[\\],:'\" 0-9<>a-z]{0,60}|\\PC{0,40}",
            elements in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = read(&file(1, &text, &elements));
            let dictionary =
                format!("{{'descr': '<u2', 'fortran_order': False, 'shape': ({text})}}");
            let _ = read(&file(2, &dictionary, &elements));
            let _ = read(&elements);
        }

        #[test]
        fn any_values_come_back(values in prop::collection::vec(0..1000_u64, 0..50)) {
            let mut bytes = header(WordFormat::unsigned(2), values.len() as u64);
            bytes.extend(values.iter().flat_map(|&v| (v as u16).to_le_bytes()));
            prop_assert_eq!(read(&bytes).unwrap().1, values);
            bytes.pop();
            prop_assert!(bytes.len() % 64 == 63 || read(&bytes).is_err());
        }
    }
}

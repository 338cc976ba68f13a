//! Headers of NumPy's format `.npy`, in versions 1.0 to 3.0: the type of the elements, the shape, and the order.

use std::fmt::Display;
use std::io::Read;

use crate::error::{Error, Result};

/// First bytes of a file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Longest header that is read, in bytes.
const MAX_HEADER_BYTES: u32 = 1 << 20;

/// Largest number of dimensions that NumPy supports.
const MAX_DIMENSIONS: usize = 64;

/// Largest nesting depth of the header's values.
const MAX_DEPTH: usize = 6;

/// The type of an element: a boolean, an integer, or a float of 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The kind in NumPy's notation: `b`, `i`, `u` or `f`.
    pub kind: char,
    /// Length in bytes: 1, 2, 4 or 8.
    pub bytes: usize,
    /// Whether the most significant byte comes first.
    pub is_big_endian: bool,
}

/// The types of the elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// All elements have one type.
    Plain(Element),
    /// The elements are records, whose fields have names and types.
    Records(Vec<(String, Element)>),
}

/// The header of an array, after which its elements follow.
///
/// ```
/// use cryptable_frames::npy::{Elements, Header};
/// let text = b"{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }";
/// let file = [b"\x93NUMPY\x01\x00", &[text.len() as u8, 0][..], text, &[1, 0, 2, 0, 3, 0]].concat();
/// let mut rest = &file[..];
/// let header = Header::read(&mut rest)?;
/// let Elements::Plain(element) = header.elements else { panic!("no records") };
/// assert_eq!((header.shape, element.kind, element.bytes), (vec![3], 'u', 2));
/// assert_eq!(rest, [1, 0, 2, 0, 3, 0]);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Types of the elements.
    pub elements: Elements,
    /// Number of elements in each dimension.
    pub shape: Vec<u64>,
    /// Whether the first index changes fastest from element to element, and not the last.
    pub is_fortran: bool,
}

impl Header {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// [`Error::File`] if reading fails or the file does not begin with the header of an array whose elements have
    /// types that [`Element`] supports.
    pub fn read(reader: &mut impl Read) -> Result<Self> {
        let mut fill = |bytes: &mut [u8]| {
            let cut = |error| failed(format!("its header is cut short: {error}"));
            reader.read_exact(bytes).map_err(cut)
        };
        let mut start = [0; 8];
        fill(&mut start)?;
        if !start.starts_with(MAGIC) {
            return Err(failed(format!("its first bytes are {:02x?}", &start[..MAGIC.len()])));
        }
        let mut length = [0; 4];
        match start[MAGIC.len()] {
            1 => fill(&mut length[..2])?,
            2 | 3 => fill(&mut length)?,
            version => {
                return Err(failed(format!(
                    "format version {version}; only 1, 2 and 3 can be read"
                )));
            }
        }
        let length = u32::from_le_bytes(length);
        if length > MAX_HEADER_BYTES {
            return Err(failed(format!("a header of {length} bytes, above {MAX_HEADER_BYTES}")));
        }
        let mut text = vec![0; length as usize];
        fill(&mut text)?;
        let mut parser = Parser { rest: std::str::from_utf8(&text).map_err(failed)? };
        let header = parser.literal(0)?;
        match parser.rest.trim() {
            "" => Self::of(header),
            _ => Err(failed("its header goes on after the dictionary")),
        }
    }

    fn of(header: Literal) -> Result<Self> {
        let Literal::Dictionary(fields) = header else {
            return Err(failed("its header is not a dictionary"));
        };
        let (mut elements, mut shape, mut is_fortran) = (None, None, None);
        for (key, value) in fields {
            let is_new = match (key.as_str(), value) {
                ("descr", value) => elements.replace(Elements::of(value)?).is_none(),
                ("shape", Literal::List(lengths)) => shape.replace(shape_of(lengths)?).is_none(),
                ("fortran_order", Literal::Boolean(order)) => is_fortran.replace(order).is_none(),
                ("shape" | "fortran_order", _) => {
                    return Err(failed(format!("'{key}' of its header has another type")));
                }
                _ => return Err(failed(format!("its header has an unknown key '{key}'"))),
            };
            if !is_new {
                return Err(failed(format!("its header has two keys '{key}'")));
            }
        }
        let missing = |key: &str| failed(format!("its header has no '{key}'"));
        Ok(Self {
            elements: elements.ok_or_else(|| missing("descr"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
            is_fortran: is_fortran.ok_or_else(|| missing("fortran_order"))?,
        })
    }
}

impl Elements {
    fn of(description: Literal) -> Result<Self> {
        let records = match description {
            Literal::Text(kind) => return Ok(Self::Plain(Element::of(&kind)?)),
            Literal::List(records) => records,
            _ => return Err(failed("'descr' of its header has another type")),
        };
        let field = |record: Literal| {
            let Literal::List(parts) = record else { return Err(failed("a field is not a pair")) };
            match &parts[..] {
                [Literal::Text(name), Literal::Text(kind)] => {
                    Ok((name.clone(), Element::of(kind)?))
                }
                _ => Err(failed(
                    "a field is not a name and a type: fields of several values cannot be read",
                )),
            }
        };
        Ok(Self::Records(records.into_iter().map(field).collect::<Result<_>>()?))
    }
}

impl Element {
    fn of(text: &str) -> Result<Self> {
        let kind = text.trim_start_matches(['<', '>', '|', '=']);
        let known = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"];
        if !known.contains(&kind) {
            let needed = "only integers, floats of 32 or 64 bits and booleans can be read";
            return Err(failed(format!("its elements are of type '{text}'; {needed}")));
        }
        Ok(Self {
            kind: kind.as_bytes()[0].into(),
            bytes: usize::from(kind.as_bytes()[1] - b'0'),
            is_big_endian: text.starts_with('>'),
        })
    }
}

fn shape_of(lengths: Vec<Literal>) -> Result<Vec<u64>> {
    if lengths.len() > MAX_DIMENSIONS {
        return Err(failed(format!("more than {MAX_DIMENSIONS} dimensions")));
    }
    let length = |it| match it {
        Literal::Number(length) => Ok(length),
        _ => Err(failed("its shape has an entry that is not a number")),
    };
    lengths.into_iter().map(length).collect()
}

pub(crate) fn failed(text: impl Display) -> Error {
    Error::File { kind: "npy", text: text.to_string() }
}

/// A value of the header, in Python's notation.
#[derive(Debug, PartialEq)]
enum Literal {
    Text(String),
    Number(u64),
    Boolean(bool),
    /// A list or a tuple.
    List(Vec<Self>),
    Dictionary(Vec<(String, Self)>),
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
            // Python 2 marks Unicode strings.
            Some('u') if self.rest[1..].starts_with(['\'', '"']) => {
                self.rest = &self.rest[1..];
                Ok(Literal::Text(self.text()?))
            }
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
        let (text, rest) = found.ok_or_else(|| failed("its header has an unterminated string"))?;
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
                return Err(failed("a key of its header is not a string"));
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
    use super::*;

    fn read(version: u8, text: &str) -> Result<Header> {
        let length = (text.len() as u32).to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length[..] };
        Header::read(&mut &[&MAGIC[..], &[version, 0], length, text.as_bytes()].concat()[..])
    }

    fn plain(kind: char, bytes: usize, is_big_endian: bool) -> Elements {
        Elements::Plain(Element { kind, bytes, is_big_endian })
    }

    #[test]
    fn headers_of_all_versions_are_read() {
        // numpy.save(f, numpy.arange(3, dtype="<i8")) of NumPy 1.26 and 2.2
        let text = format!("{:117}\n", "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }");
        let expected = Header { elements: plain('i', 8, false), shape: vec![3], is_fortran: false };
        for version in [1, 2, 3] {
            assert_eq!(read(version, &text).unwrap(), expected);
        }
        for (text, elements, shape) in [
            (
                "{'shape': (2, 2), 'descr': \">u2\", 'fortran_order': True}",
                plain('u', 2, true),
                vec![2, 2],
            ),
            (
                "{'descr': u'<u1', 'fortran_order': True, 'shape': (3L,), }",
                plain('u', 1, false),
                vec![3],
            ),
            ("{'descr': '|b1', 'fortran_order': True, 'shape': ()}", plain('b', 1, false), vec![]),
        ] {
            assert_eq!(read(1, text).unwrap(), Header { elements, shape, is_fortran: true });
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let refused = |text: &str| read(1, text).unwrap_err().to_string();
        for (text, expected) in [
            ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "type '<c8'"),
            ("{'descr': '<u8', 'fortran_order': Maybe, 'shape': (1,)}", "Python's notation"),
            ("{'descr': '<u8', 'fortran_order': False, 'shape': (-1,)}", "Python's notation"),
            ("{'descr': '<u8', 'fortran_order': False, 'shape': ('1',)}", "not a number"),
            ("{'descr': '<u8', 'fortran_order': False, 'shape': 1}", "another type"),
            ("{'descr': [('a', '<i4', (2,))], 'fortran_order': False}", "several values"),
            ("{'shape': (1,), 'fortran_order': False}", "no 'descr'"),
            ("{'shape': (1,), 'shape': (1,)}", "two keys 'shape'"),
            ("{'a': 1}", "unknown key 'a'"),
            ("{} {}", "goes on"),
            ("[]", "not a dictionary"),
            ("((((((((((1,),),),),),),),),)", "too many brackets"),
            ("{'descr': '<i8", "unterminated string"),
            ("{'descr' '<i8'}", "lacks ':'"),
            ("", "Python's notation"),
        ] {
            let found = refused(text);
            assert!(found.contains(expected), "{text}: {found}");
        }
        assert!(read(9, "").unwrap_err().to_string().contains("version 9"));
        let message = |bytes: &[u8]| Header::read(&mut &bytes[..]).unwrap_err().to_string();
        assert!(message(b"PK\x03\x04........").contains("first bytes are"));
        assert!(message(b"\x93NUM").contains("cut short"));
        assert!(message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("above"));
    }
}

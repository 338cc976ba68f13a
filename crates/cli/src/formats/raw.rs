//! Raw binary files: words one after another, and nothing else.

use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::domain::Domain;
use crate::input_file;

/// The format of an integer in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordFormat {
    /// Length in bytes: 1, 2, 4 or 8.
    pub bytes: usize,
    /// Whether words are signed, in two's complement.
    pub signed: bool,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
}

impl WordFormat {
    /// Returns the format of unsigned little-endian words.
    #[cfg(feature = "client")]
    pub fn unsigned(bytes: usize) -> Self {
        Self { bytes, signed: false, big_endian: false }
    }

    /// Returns the narrowest little-endian format for all integers of a domain.
    #[cfg(feature = "client")]
    pub fn of(domain: Domain) -> Self {
        let word = |bytes| Self { signed: domain.signed, ..Self::unsigned(bytes) };
        let fits = |word: &Self| word.holds(domain);
        [1, 2, 4].map(word).into_iter().find(fits).unwrap_or(word(8))
    }

    /// Returns whether every integer of a domain fits.
    #[cfg(feature = "client")]
    pub fn holds(self, domain: Domain) -> bool {
        let bits = 8 * self.bytes as u32 - u32::from(self.signed);
        let bound = 1_i128 << bits;
        domain.largest() < bound && domain.smallest() >= if self.signed { -bound } else { 0 }
    }

    /// Decodes the integer in the first bytes of `word`.
    fn decode(self, mut word: [u8; 8]) -> i128 {
        if self.big_endian {
            word[..self.bytes].reverse();
        }
        let value = u64::from_le_bytes(word);
        let unused = 64 - 8 * self.bytes;
        if self.signed {
            i128::from(((value << unused) as i64) >> unused)
        } else {
            i128::from(value)
        }
    }
}

/// An iterator that reads words as values.
pub struct Words<R> {
    reader: BufReader<R>,
    path: PathBuf,
    format: WordFormat,
    domain: Domain,
    /// Required number of words; `None` accepts any number.
    count: Option<u64>,
    position: u64,
    finished: bool,
}

impl<R: Read> Words<R> {
    /// Creates a reader of `count` words, after which the file must end. `path` is for messages.
    pub fn new(
        reader: R,
        path: &Path,
        format: WordFormat,
        count: Option<u64>,
        domain: Domain,
    ) -> Self {
        let reader = BufReader::with_capacity(1 << 16, reader);
        let path = path.to_path_buf();
        Self { reader, path, format, domain, count, position: 0, finished: false }
    }

    fn read(&mut self) -> Result<Option<u64>> {
        let (name, bytes, position) =
            (input_file::name(&self.path), self.format.bytes, self.position);
        let mut word = [0; 8];
        let found = read_up_to(&mut self.reader, &mut word[..bytes])
            .with_context(|| format!("cannot read {name}"))?;
        match (found, self.count) {
            (0, None) => return Ok(None),
            (0, Some(count)) if count == position => return Ok(None),
            (_, Some(count)) if count == position => {
                bail!("{name}: it continues after its {count} elements")
            }
            (_, Some(count)) if found < bytes => {
                bail!("{name} is cut short: it ends in element {position} of {count}")
            }
            (_, None) if found < bytes => {
                bail!("{name}: its length is not a multiple of {bytes} bytes")
            }
            _ => {}
        }
        let place = || format!("{name} element {position}");
        let value = self.domain.value(self.format.decode(word), place)?;
        self.position += 1;
        Ok(Some(value))
    }
}

impl<R: Read> Iterator for Words<R> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let item = self.read().transpose();
        self.finished = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Fills `buffer` as far as the input reaches, and returns the number of bytes read.
pub fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], format: WordFormat, count: Option<u64>) -> Result<Vec<u64>> {
        Words::new(bytes, Path::new("f"), format, count, Domain::unsigned(70_000)).collect()
    }

    fn error(bytes: &[u8], format: WordFormat, count: Option<u64>) -> String {
        read(bytes, format, count).unwrap_err().to_string()
    }

    #[test]
    fn all_layouts_are_decoded() {
        let little = WordFormat::unsigned(2);
        assert_eq!(read(&[1, 2, 0xFF, 0xFF], little, None).unwrap(), [0x201, 0xFFFF]);
        let big = WordFormat { big_endian: true, ..little };
        assert_eq!(read(&[1, 2], big, Some(1)).unwrap(), [0x102]);
        let signed = WordFormat { signed: true, ..little };
        assert_eq!(read(&[1, 2], signed, Some(1)).unwrap(), [0x201]);
        let message = error(&[0, 0, 0xFE, 0xFF], signed, None);
        assert_eq!(message, "f element 1: -2 is negative; values are 0 to 69999");
    }

    #[test]
    fn lengths_and_ranges_are_checked() {
        let word = WordFormat::unsigned(4);
        assert!(error(&[0; 6], word, None).contains("multiple of 4"));
        assert!(error(&[0; 6], word, Some(2)).contains("ends in element 1 of 2"));
        assert!(error(&[0; 8], word, Some(3)).contains("ends in element 2 of 3"));
        assert!(error(&[0; 9], word, Some(2)).contains("continues after its 2"));
        let message = error(&70_000_u32.to_le_bytes(), word, None);
        assert_eq!(message, "f element 0: 70000 is not below the modulus 70000");
        let message = error(&[0xFF; 8], WordFormat::unsigned(8), None);
        assert!(message.contains("18446744073709551615 is not below"));
    }

    #[test]
    fn narrowest_words_hold_the_modulus() {
        let bytes = |modulus| WordFormat::of(Domain::unsigned(modulus)).bytes;
        assert_eq!([2, 256, 257, 65536, 65537, 1 << 32].map(bytes), [1, 1, 2, 2, 4, 4]);
        assert_eq!([(1 << 32) + 1, u64::MAX].map(bytes), [8, 8]);
        let bytes = |modulus| WordFormat::of(Domain { modulus, signed: true }).bytes;
        assert_eq!([2, 256, 257, 65536, 65537, 1 << 32].map(bytes), [1, 1, 2, 2, 4, 4]);
    }
}

//! A buffered writer that leaves no copy of the bytes that went through it.

use std::io::{self, Write};

use zeroize::{Zeroize, Zeroizing};

/// Capacity of the buffer in bytes.
const CAPACITY: usize = 1 << 13;

/// Buffered writer like `std::io::BufWriter` that clears its buffer when dropped: for keys and decrypted values.
///
/// If it is dropped before [`ClearedWriter::into_inner`], the bytes still in the buffer are not written.
#[derive(Debug)]
pub struct ClearedWriter<W> {
    /// Never grows, since that would leave a copy, too.
    buffer: Zeroizing<Vec<u8>>,
    writer: W,
}

impl<W: Write> ClearedWriter<W> {
    /// Puts an empty buffer before a writer.
    pub fn new(writer: W) -> Self {
        Self { buffer: Zeroizing::new(Vec::with_capacity(CAPACITY)), writer }
    }

    /// Writes out the buffer and returns the writer.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn into_inner(mut self) -> io::Result<W> {
        self.empty()?;
        Ok(self.writer)
    }

    fn empty(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.buffer)?;
        self.buffer.zeroize();
        Ok(())
    }
}

impl<W: Write> Write for ClearedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > CAPACITY {
            self.empty()?;
        }
        if bytes.len() >= CAPACITY {
            return self.writer.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.empty()?;
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_arrives_in_order_and_the_buffer_stays_where_it_is() {
        let bytes: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
        for piece in [1, 7, CAPACITY - 1, CAPACITY, CAPACITY + 1, 50_000] {
            let mut writer = ClearedWriter::new(Vec::new());
            let place = writer.buffer.as_ptr();
            bytes.chunks(piece).for_each(|piece| writer.write_all(piece).unwrap());
            assert_eq!(writer.buffer.as_ptr(), place, "pieces of {piece}");
            assert_eq!(writer.into_inner().unwrap(), bytes, "pieces of {piece}");
        }
    }
}

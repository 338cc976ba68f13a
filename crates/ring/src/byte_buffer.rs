//! Buffers of bytes that are not recycled: halves of keys.

use std::ops::{Deref, DerefMut};

#[cfg(unix)]
use memmap2::Advice;
use memmap2::MmapMut;

use crate::reserve::reserved;

/// The least length of buffers that are mapped, with pages of 2 MiB where the system has them.
const MIN_MAPPED_BYTES: usize = 1 << 21;

/// A buffer of bytes that is not recycled: its memory goes back to the system when it is dropped.
///
/// ```
/// use cryptable_ring::ByteBuffer;
/// let mut bytes = ByteBuffer::zeroed(3 << 20);
/// bytes[5] = 7;
/// assert!(bytes.len() == 3 << 20 && bytes[4..6] == [0, 7]);
/// ```
#[derive(Debug)]
pub struct ByteBuffer(Bytes);

#[derive(Debug)]
enum Bytes {
    Allocated(Vec<u8>),
    Mapped(MmapMut),
}

impl ByteBuffer {
    /// Returns a buffer of zeros. The system supplies pages when they are first written to.
    #[must_use]
    pub fn zeroed(length: usize) -> Self {
        if length >= MIN_MAPPED_BYTES
            && let Ok(map) = MmapMut::map_anon(length)
        {
            // Large pages are optional: everything works without them, only slower.
            #[cfg(unix)]
            let _ = map.advise(Advice::HugePage);
            return Self(Bytes::Mapped(map));
        }
        let mut bytes = reserved(length);
        bytes.resize(length, 0);
        Self(Bytes::Allocated(bytes))
    }
}

impl Deref for ByteBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Allocated(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

impl DerefMut for ByteBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Bytes::Allocated(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

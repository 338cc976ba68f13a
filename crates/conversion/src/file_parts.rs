//! Objects within an object that is shared, a memory-mapped file for one.

use std::ops::Range;

use cryptable_lattice::switching_key::SharedBytes;

/// Name of a part in errors.
pub(crate) const PART: &str = "part of a key";

/// Some of the bytes that others share.
pub(crate) struct Part {
    pub(crate) all: SharedBytes,
    pub(crate) range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &(*self.all).as_ref()[self.range.clone()]
    }
}

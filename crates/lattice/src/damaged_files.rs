//! Damaged files that every reader has to refuse, for tests.

use std::fmt::Debug;

use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES};

/// The range of the header's field for the body's length.
const LENGTH: std::ops::Range<usize> = 48..56;

/// Bytes that are damaged in any file: one in each field of the header, and in the first fields of the body.
const FIRST: [usize; 10] =
    [0, 8, 10, 20, 50, 60, HEADER_BYTES, HEADER_BYTES + 9, HEADER_BYTES + 40, 400];

/// Checks that `read` accepts a file, and that it refuses the file with a bit changed, cut off, or with an additional
/// byte. Bits are changed and files are cut in the first fields, in the last byte, and every `step` bytes.
///
/// # Panics
/// If the reader accepts a file that it should refuse, or refuses the file itself.
pub fn check_refusals<T, E: Debug>(file: &[u8], step: usize, read: impl Fn(&[u8]) -> Result<T, E>) {
    read(file).map(drop).expect("the file itself");
    let first = FIRST.into_iter().filter(|&place| place < file.len());
    for place in first.chain((0..file.len()).step_by(step)).chain([file.len() - 1]) {
        let mut damaged = file.to_vec();
        damaged[place] ^= 4;
        assert!(read(&damaged).is_err(), "a bit of byte {place} is changed");
        assert!(read(&file[..place]).is_err(), "the file ends at {place}");
    }
    assert!(read(&[file, &[0]].concat()).is_err(), "a byte more");
}

/// Returns the file with another body, and with a length and checksum that fit, as a forger would write it.
#[must_use]
pub fn forged(file: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut body = file[HEADER_BYTES..file.len() - CHECKSUM_BYTES].to_vec();
    change(&mut body);
    let mut forged = [&file[..HEADER_BYTES], &body].concat();
    forged[LENGTH].copy_from_slice(&(body.len() as u64).to_le_bytes());
    let checksum = blake3::hash(&forged);
    forged.extend(checksum.as_bytes());
    forged
}

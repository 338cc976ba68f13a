//! Words of any number of bits, packed without gaps.

/// Bytes that are not the packing of the expected number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// There are more or fewer bytes than the words need.
    #[error("packed words take {expected} bytes, not {found}")]
    Length {
        /// Bytes that the words need.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// Bits beyond the last word are set: a sequence of words has one packing only.
    #[error("bits beyond the last packed word are set")]
    Padding,
}

/// Bytes of a machine word.
const WORD_BYTES: usize = 8;

/// Packs the low `bits` bits of each word, least significant first, into bytes.
///
/// Bit i of word j is bit `(bits·j + i) mod 8` of byte `(bits·j + i) / 8`; zero bits fill up the last byte.
///
/// ```
/// use cryptable_wire::bit_packing::{pack, unpack};
/// let bytes = pack(&[1, 2, 3], 12);
/// assert_eq!(bytes, [0x01, 0x20, 0x00, 0x03, 0x00]);
/// assert_eq!(unpack(&bytes, 12, 3), Ok(vec![1, 2, 3]));
/// ```
///
/// # Panics
/// If `bits` is not within 1 to 64.
#[must_use]
pub fn pack(words: &[u64], bits: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(packed_bytes(words.len(), bits) + WORD_BYTES);
    pack_onto(&mut bytes, words, bits);
    bytes
}

/// Appends the bytes that [`pack`] returns to `bytes`. The buffer is up to 8 bytes longer in between.
///
/// # Panics
/// If `bits` is not within 1 to 64.
pub fn pack_onto(bytes: &mut Vec<u8>, words: &[u64], bits: u32) {
    assert!((1..=64).contains(&bits), "{bits} bits");
    let length = bytes.len() + packed_bytes(words.len(), bits);
    let mask = u64::MAX >> (64 - bits);
    // The low `held < 64` bits of `buffer` wait until there are 64 to write at once.
    let (mut buffer, mut held) = (0u64, 0u32);
    for &word in words {
        let word = word & mask;
        buffer |= word << held;
        held += bits;
        if held >= 64 {
            bytes.extend_from_slice(&buffer.to_le_bytes());
            held -= 64;
            // The bits that did not fit: the top `held` bits of the word, none if `held` is 0.
            buffer = word.checked_shr(bits - held).unwrap_or(0);
        }
    }
    bytes.extend_from_slice(&buffer.to_le_bytes());
    bytes.truncate(length);
}

/// Returns the number of bytes of `count` packed words. Saturates.
#[must_use]
pub fn packed_bytes(count: usize, bits: u32) -> usize {
    count.saturating_mul(bits as usize).div_ceil(8)
}

/// Unpacks the words that [`pack`] packed.
///
/// The words need `64/bits` times the memory of their bytes, so readers of untrusted files set a lower bound on `bits`
/// or an upper bound on `count`.
///
/// # Errors
/// If the number of bytes is not that of `count` words, or the bits after the last word are not 0.
///
/// # Panics
/// If `bits` is not within 1 to 64.
pub fn unpack(bytes: &[u8], bits: u32, count: usize) -> Result<Vec<u64>, UnpackError> {
    check_length(bytes, bits, count)?;
    let mut words = vec![0; count];
    unpack_into(bytes, bits, &mut words)?;
    Ok(words)
}

fn check_length(bytes: &[u8], bits: u32, count: usize) -> Result<(), UnpackError> {
    assert!((1..=64).contains(&bits), "{bits} bits");
    let (found, expected) = (bytes.len(), packed_bytes(count, bits));
    if found == expected { Ok(()) } else { Err(UnpackError::Length { expected, found }) }
}

/// Unpacks words like [`unpack`], into memory that the caller has allocated.
///
/// # Errors
/// If the number of bytes is not that of the words, or the bits after the last word are not 0.
///
/// # Panics
/// If `bits` is not within 1 to 64.
pub fn unpack_into(bytes: &[u8], bits: u32, words: &mut [u64]) -> Result<(), UnpackError> {
    check_length(bytes, bits, words.len())?;
    let mask = u64::MAX >> (64 - bits);
    let (mut buffer, mut held) = (0u64, 0u32);
    let mut pieces = bytes.chunks(WORD_BYTES).map(|piece| {
        let mut word = [0; WORD_BYTES];
        word[..piece.len()].copy_from_slice(piece);
        u64::from_le_bytes(word)
    });
    for out in words {
        if held >= bits {
            *out = buffer & mask;
            buffer >>= bits;
            held -= bits;
        } else {
            let next = pieces.next().unwrap_or(0);
            *out = (buffer | next << held) & mask;
            let used = bits - held;
            buffer = next.checked_shr(used).unwrap_or(0);
            held = 64 - used;
        }
    }
    if buffer == 0 { Ok(()) } else { Err(UnpackError::Padding) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Packs words bit by bit.
    fn pack_slowly(words: &[u64], bits: u32) -> Vec<u8> {
        let mut bytes = vec![0u8; (words.len() * bits as usize).div_ceil(8)];
        for (j, word) in words.iter().enumerate() {
            for i in 0..bits {
                let position = j * bits as usize + i as usize;
                bytes[position / 8] |= ((word >> i & 1) as u8) << (position % 8);
            }
        }
        bytes
    }

    proptest! {
        #[test]
        fn packing_is_dense_and_unpacking_inverts_it(
            words in prop::collection::vec(any::<u64>(), 0..200),
            bits in 1u32..=64,
        ) {
            let bytes = pack(&words, bits);
            prop_assert_eq!(&bytes, &pack_slowly(&words, bits));
            let mask = u64::MAX >> (64 - bits);
            let words: Vec<u64> = words.iter().map(|w| w & mask).collect();
            prop_assert_eq!(unpack(&bytes, bits, words.len()), Ok(words));
        }

        #[test]
        fn bytes_are_refused_or_are_a_packing(
            bytes in prop::collection::vec(any::<u8>(), 0..100),
            bits in 1u32..=64,
            count in 0usize..100,
        ) {
            match unpack(&bytes, bits, count) {
                Ok(words) => prop_assert_eq!(pack(&words, bits), bytes),
                Err(UnpackError::Length { expected, found }) => {
                    prop_assert!(expected != found && found == bytes.len());
                }
                Err(UnpackError::Padding) => {
                    let free = 8 * bytes.len() - count * bits as usize;
                    prop_assert!(free > 0 && bytes[bytes.len() - 1] >> (8 - free) != 0);
                }
            }
        }
    }

    #[test]
    fn lengths_beyond_memory_are_refused() {
        let error = UnpackError::Length { expected: usize::MAX.div_ceil(8), found: 3 };
        assert_eq!(unpack(&[1, 2, 3], 64, usize::MAX), Err(error));
    }
}

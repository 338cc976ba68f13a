//! Words of any number of bits, packed without gaps.

/// Packs the low `bits` bits of each word, least significant first, into bytes.
///
/// ```
/// use cryptable_rlwe::bit_packing::{pack, unpack};
/// let bytes = pack(&[1, 2, 3], 12);
/// assert_eq!(bytes.len(), 5);
/// assert_eq!(unpack(&bytes, 12, 3), Some(vec![1, 2, 3]));
/// ```
///
/// # Panics
/// If `bits` is not within 1 to 64.
#[must_use]
pub fn pack(words: &[u64], bits: u32) -> Vec<u8> {
    assert!((1..=64).contains(&bits), "{bits} bits");
    let mut bytes = Vec::with_capacity(packed_bytes(words.len(), bits));
    let (mut buffer, mut held) = (0u128, 0u32);
    let mask = u64::MAX >> (64 - bits);
    for &word in words {
        buffer |= u128::from(word & mask) << held;
        held += bits;
        while held >= 8 {
            bytes.push(buffer as u8);
            buffer >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        bytes.push(buffer as u8);
    }
    bytes
}

/// The number of bytes of `count` packed words.
#[must_use]
pub fn packed_bytes(count: usize, bits: u32) -> usize {
    (count * bits as usize).div_ceil(8)
}

/// The inverse of [`pack`]; `None` if the number of bytes is not that of `count` words.
///
/// # Panics
/// If `bits` is not within 1 to 64.
#[must_use]
pub fn unpack(bytes: &[u8], bits: u32, count: usize) -> Option<Vec<u64>> {
    assert!((1..=64).contains(&bits), "{bits} bits");
    if bytes.len() != packed_bytes(count, bits) {
        return None;
    }
    let mask = u64::MAX >> (64 - bits);
    let (mut buffer, mut held) = (0u128, 0u32);
    let mut next = bytes.iter();
    let words = (0..count)
        .map(|_| {
            while held < bits {
                buffer |= u128::from(*next.next().expect("length is checked")) << held;
                held += 8;
            }
            let word = buffer as u64 & mask;
            buffer >>= bits;
            held -= bits;
            word
        })
        .collect();
    Some(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn unpacking_inverts(words in prop::collection::vec(any::<u64>(), 0..200), bits in 1u32..=64) {
            let mask = u64::MAX >> (64 - bits);
            let words: Vec<u64> = words.iter().map(|w| w & mask).collect();
            let bytes = pack(&words, bits);
            prop_assert_eq!(unpack(&bytes, bits, words.len()), Some(words.clone()));
            prop_assert_eq!(unpack(&bytes, bits, words.len() + 8), None);
        }
    }
}

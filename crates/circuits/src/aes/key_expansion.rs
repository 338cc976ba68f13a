//! The key schedule of AES-128 in the clear, for clients that encrypt round keys: FIPS 197, Section 5.2.

use zeroize::Zeroizing;

use super::s_box_tables::S_BOX;

/// Expands a key to its eleven round keys. Every look-up reads the whole S-box, so that its time and its traces in the
/// cache reveal nothing about the key.
///
/// ```
/// let round_keys = cryptable_circuits::aes::expand_key(&[0; 16]);
/// assert_eq!(round_keys[1][..4], [0x62, 0x63, 0x63, 0x63]);
/// ```
#[must_use]
pub fn expand_key(key: &[u8; 16]) -> Zeroizing<[[u8; 16]; 11]> {
    let mut round_keys = Zeroizing::new([*key; 11]);
    let mut column = Zeroizing::new([0; 4]);
    let mut constant = 1u8;
    for round in 1..11 {
        let (before, after) = round_keys.split_at_mut(round);
        let (last, next) = (&before[round - 1], &mut after[0]);
        *column = std::array::from_fn(|i| s_box(last[12 + (i + 1) % 4]));
        column[0] ^= constant;
        constant = (constant << 1) ^ (0x1b * (constant >> 7));
        for (i, byte) in next.iter_mut().enumerate() {
            column[i % 4] ^= last[i];
            *byte = column[i % 4];
        }
    }
    round_keys
}

fn s_box(x: u8) -> u8 {
    S_BOX.iter().zip(0..=255u8).fold(0, |found, (&image, y)| {
        // All ones if x and y are equal, else 0.
        let equal = (u16::from(x ^ y).wrapping_sub(1) >> 8) as u8;
        found | image & equal
    })
}

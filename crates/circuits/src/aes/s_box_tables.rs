//! Tables of eight bits for the S-box of AES and its multiples in MixColumns: FIPS 197, Sections 5.1.1 and 5.1.3.

use std::array::from_fn;
use std::sync::LazyLock;

use cryptable_bits::BitTable;

use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// The product in GF(2^8) modulo `x^8 + x^4 + x^3 + x + 1`.
fn product(mut a: u8, b: u8) -> u8 {
    (0..8).fold(0, |sum, bit| {
        let term = if b >> bit & 1 == 1 { a } else { 0 };
        a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        sum ^ term
    })
}

/// The S-box of all bytes: the inverse in the field, and an affine map.
pub(super) static S_BOX: LazyLock<[u8; 256]> = LazyLock::new(|| {
    from_fn(|x| {
        let inverse = (0..=255).find(|&y| product(x as u8, y) == 1).unwrap_or(0);
        (1..5).fold(inverse, |sum, k| sum ^ inverse.rotate_left(k)) ^ 0x63
    })
});

/// Tables of the bits of S and 2S.
static MULTIPLES: LazyLock<[[BitTable; 8]; 2]> = LazyLock::new(|| {
    from_fn(|k| {
        let image = |x: usize| product(k as u8 + 1, S_BOX[x]);
        from_fn(|bit| {
            BitTable::from_fn(8, |x| image(x) >> bit & 1 == 1).expect("a table of eight bits")
        })
    })
});

/// S or 2S of a byte, input and output with the least significant bit first: 11 tables for both, in depth 3. Five bits
/// of 2S equal bits of S and share their nodes.
///
/// # Panics
/// If the factor is not 1 or 2.
pub(super) fn s_box_multiple(
    builder: &mut CircuitBuilder,
    byte: &[Signal; 8],
    factor: usize,
) -> [Signal; 8] {
    from_fn(|bit| builder.table(&MULTIPLES[factor - 1][bit], byte))
}

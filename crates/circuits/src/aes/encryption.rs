//! Rounds and key schedule of AES-128.
//!
//! Blocks and keys are words of 128 bits: bit 8·i + j is bit j of byte i, so that a block is
//! `u128::from_le_bytes(bytes)`.

use std::array::from_fn;

use super::s_box::s_box;
use super::s_box_tables::s_box_multiple;
use crate::builder::{CircuitBuilder, PortError};
use crate::circuit::Circuit;
use crate::signal::Signal;

type Byte = [Signal; 8];
type Block = [Byte; 16];

/// Source of the circuit's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// An input word `key`: the circuit contains the key schedule.
    Encrypted,
    /// Eleven input words `round_key_0` to `round_key_10`, expanded before encryption: this saves 40 S-boxes.
    ExpandedAndEncrypted,
    /// A key known to whoever runs the circuit. Adding it inverts bits, which is free.
    Known([u8; 16]),
}

/// How the S-box is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SBox {
    /// Tables of eight bits, of the S-box and of its multiples in MixColumns. A round has depth 3 before its XORs,
    /// which a bootstrap sums at no cost.
    Tables,
    /// Gates of two bits, [`super::s_box()`]: depth 16, twelve bootstraps per S-box with
    /// [`Parameters::sums_128`](cryptable_bits::Parameters::sums_128).
    BoyarPeralta,
}

/// Builds AES-128 of the input word `block`, with the output word `result`.
///
/// ```
/// use cryptable_circuits::aes::{KeySource, SBox, encrypt};
/// let bytes: [u8; 16] = std::array::from_fn(|i| i as u8);
/// let block = bytes.map(|byte| 17 * byte);
/// let circuit = encrypt(KeySource::Known(bytes), SBox::Tables);
/// let result = circuit.evaluate_words(&[u128::from_le_bytes(block)])?;
/// // FIPS 197, Appendix C.1.
/// assert_eq!(result[0].to_le_bytes()[..4], [0x69, 0xc4, 0xe0, 0xd8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn encrypt(key: KeySource, s_box: SBox) -> Circuit {
    build(key, s_box).expect("the names of the ports are distinct")
}

fn build(key: KeySource, s_box: SBox) -> Result<Circuit, PortError> {
    let mut builder = CircuitBuilder::new("aes128");
    let mut state = input_block(&mut builder, "block")?;
    let round_keys = match key {
        KeySource::Encrypted => {
            let key = input_block(&mut builder, "key")?;
            expand(&mut builder, key, s_box)
        }
        KeySource::ExpandedAndEncrypted => (0..11)
            .map(|round| input_block(&mut builder, &format!("round_key_{round}")))
            .collect::<Result<_, _>>()?,
        KeySource::Known(key) => {
            let key = key.map(|byte| from_fn(|bit| Signal::constant(byte >> bit & 1 == 1)));
            expand(&mut builder, key, s_box)
        }
    };
    for (round, round_key) in round_keys.iter().enumerate() {
        if round > 0 {
            state = round_without_key(&mut builder, &state, s_box, round < 10);
        }
        state = from_fn(|i| add(&mut builder, state[i], round_key[i]));
    }
    builder.output("result", state.as_flattened())?;
    Ok(builder.finish())
}

fn input_block(builder: &mut CircuitBuilder, name: &str) -> Result<Block, PortError> {
    let bits = builder.input(name, 128)?;
    Ok(from_fn(|byte| from_fn(|bit| bits[8 * byte + bit])))
}

/// SubBytes, ShiftRows and, in all rounds but the last, MixColumns.
fn round_without_key(
    builder: &mut CircuitBuilder,
    state: &Block,
    s_box: SBox,
    mixes: bool,
) -> Block {
    let shifted = shift_rows(state);
    match (s_box, mixes) {
        (SBox::Tables, true) => mix_tables(builder, &shifted),
        (_, false) => shifted.map(|byte| substitute(builder, byte, s_box)),
        (SBox::BoyarPeralta, true) => {
            let substituted = shifted.map(|byte| substitute(builder, byte, s_box));
            mix_columns(builder, &substituted)
        }
    }
}

fn substitute(builder: &mut CircuitBuilder, byte: Byte, form: SBox) -> Byte {
    match form {
        SBox::Tables => s_box_multiple(builder, &byte, 1),
        SBox::BoyarPeralta => s_box(builder, byte),
    }
}

fn add(builder: &mut CircuitBuilder, x: Byte, y: Byte) -> Byte {
    from_fn(|bit| builder.xor(x[bit], y[bit]))
}

/// Round keys: FIPS 197, Section 5.2.
fn expand(builder: &mut CircuitBuilder, key: Block, form: SBox) -> Vec<Block> {
    let mut round_keys = vec![key];
    let mut constant = 1u8;
    for _ in 0..10 {
        let last = round_keys[round_keys.len() - 1];
        // The last column, rotated by one byte, through the S-box.
        let mut column: [Byte; 4] = from_fn(|i| substitute(builder, last[12 + (i + 1) % 4], form));
        for (bit, signal) in column[0].iter_mut().enumerate() {
            *signal = signal.inverted_if(constant >> bit & 1 == 1);
        }
        constant = constant << 1 ^ if constant >> 7 == 1 { 0x1b } else { 0 };
        let mut next = last;
        for i in 0..16 {
            column[i % 4] = add(builder, column[i % 4], last[i]);
            next[i] = column[i % 4];
        }
        round_keys.push(next);
    }
    round_keys
}

/// Row r, of bytes r, r + 4, r + 8, r + 12, is rotated by r columns.
fn shift_rows(state: &Block) -> Block {
    from_fn(|i| state[(i + 4 * (i % 4)) % 16])
}

/// Each column times `2·x^3 + …`: byte r becomes `2·a_r + 3·a_(r+1) + a_(r+2) + a_(r+3)`.
fn mix_columns(builder: &mut CircuitBuilder, state: &Block) -> Block {
    from_fn(|i| {
        let byte = |k: usize| state[i / 4 * 4 + (i + k) % 4];
        let (a, b, c, d) = (byte(0), byte(1), byte(2), byte(3));
        from_fn(|bit| {
            // Doubling shifts the byte, and adds 0x1b if the highest bit is shifted out.
            let doubled = |x: Byte| match bit {
                0 => [x[7], Signal::FALSE],
                1 | 3 | 4 => [x[bit - 1], x[7]],
                _ => [x[bit - 1], Signal::FALSE],
            };
            let ([a0, a1], [b0, b1]) = (doubled(a), doubled(b));
            builder.xor_all(&[a0, b0, b[bit], c[bit], d[bit], a1, b1])
        })
    })
}

/// MixColumns of the S-boxes of a state: every bit is the XOR of five tables, which read four bytes. Since 3S is S +
/// 2S, seven tables per byte are saved at the cost of one more term.
fn mix_tables(builder: &mut CircuitBuilder, state: &Block) -> Block {
    from_fn(|i| {
        let byte = |k: usize| &state[i / 4 * 4 + (i + k) % 4];
        let terms = [(0, 2), (1, 2), (1, 1), (2, 1), (3, 1)];
        let terms = terms.map(|(k, factor)| s_box_multiple(builder, byte(k), factor));
        from_fn(|bit| builder.xor_all(&terms.map(|term| term[bit])))
    })
}

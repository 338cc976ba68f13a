//! Parser of AES blocks in options.

/// Bytes of a block of AES, and of a key of AES-128.
pub const BLOCK_BYTES: usize = 16;

/// Parses 16 bytes in hexadecimal.
pub fn block(text: &str) -> Result<[u8; BLOCK_BYTES], String> {
    let digits = text.as_bytes();
    if digits.len() != 2 * BLOCK_BYTES || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(format!("it must be {} hexadecimal digits", 2 * BLOCK_BYTES));
    }
    let digit = |i: usize| char::from(digits[i]).to_digit(16).unwrap_or(0) as u8;
    Ok(core::array::from_fn(|i| digit(2 * i) << 4 | digit(2 * i + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_32_digits() {
        assert_eq!(block("000102030405060708090a0B0c0d0e0F").unwrap()[..3], [0, 1, 2]);
        assert_eq!(block("000102030405060708090a0B0c0d0e0F").unwrap()[11..], [11, 12, 13, 14, 15]);
        for text in ["", "00", "+00102030405060708090a0b0c0d0e0f", "é00102030405060708090a0b0c0d0e"]
        {
            assert!(block(text).unwrap_err().contains("32 hexadecimal digits"), "{text}");
        }
    }
}

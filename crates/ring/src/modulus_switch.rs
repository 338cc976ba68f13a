//! Modulus switching between a power of two and one prime.

use crate::Modulus;

/// `round(q·x / 2^bits) mod q` for words x in `[0, 2^bits)`, in place.
///
/// # Panics
/// If `bits` is above 62.
pub fn from_power_of_two_assign(m: &Modulus, words: &mut [u64], bits: u32) {
    assert!(bits <= 62, "2^{bits}");
    let (q, half) = (m.value(), (1u128 << bits) >> 1);
    for word in words {
        let rounded = ((u128::from(*word) * u128::from(q) + half) >> bits) as u64;
        *word = if rounded == q { 0 } else { rounded };
    }
}

/// `round(2^bits·x / q) mod 2^bits` for words x in `[0, q)`, in place.
///
/// # Panics
/// If `bits` is above 62.
pub fn to_power_of_two_assign(m: &Modulus, words: &mut [u64], bits: u32) {
    assert!(bits <= 62, "2^{bits}");
    let (q, mask) = (u128::from(m.value()), (1u64 << bits) - 1);
    for word in words {
        *word = (((u128::from(*word) << bits) + q / 2) / q) as u64 & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switching_rounds_to_nearest_both_ways() {
        let m = Modulus::new(65537);
        let mut words: Vec<u64> = (0..65537).collect();
        to_power_of_two_assign(&m, &mut words, 10);
        for (x, &y) in words.iter().enumerate() {
            let expected = ((x as f64) * 1024.0 / 65537.0).round() as u64 % 1024;
            assert_eq!(y, expected, "{x}");
        }
        let mut words: Vec<u64> = (0..1024).collect();
        from_power_of_two_assign(&m, &mut words, 10);
        for (x, &y) in words.iter().enumerate() {
            let expected = ((x as f64) * 65537.0 / 1024.0).round() as u64 % 65537;
            assert_eq!(y, expected, "{x}");
        }
    }
}

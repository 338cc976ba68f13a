//! The Walsh-Hadamard transform of truth tables (R. O'Donnell, "Analysis of Boolean Functions", Section 1.2).

use crate::bit_table::BitTable;

/// The integers `W_S = Σ_x F(x)·χ_S(x)` of a table of k bits, with the characters `χ_S(x) = Π_{i∈S} (1 - 2x_i)`, so that
/// `F = 2^-k·Σ_S W_S·χ_S`; the set S is given by its bits. Parseval: `Σ_S W_S² = 2^k·Σ_x F(x)²`.
///
/// The fast transform: k·2^k additions.
pub(crate) fn spectrum(table: &BitTable) -> Vec<i32> {
    let mut values: Vec<i32> = table.outputs().map(i32::from).collect();
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sums_of_their_characters() {
        for inputs in 1..=8 {
            let table =
                BitTable::from_fn(inputs, |x| (x * 0x9e37 + x * x * 5) >> 4 & 1 == 1).unwrap();
            let spectrum = spectrum(&table);
            let size = 1 << inputs;
            for x in 0..size {
                let character = |set: usize| 1 - 2 * ((set & x).count_ones() as i32 % 2);
                let sum: i32 = (0..size).map(|set| spectrum[set] * character(set)).sum();
                assert_eq!(sum, i32::from(table.evaluate(x)) << inputs, "{inputs} bits at {x}");
            }
            let ones = table.outputs().filter(|&output| output).count() as i32;
            assert_eq!(spectrum.iter().map(|w| w * w).sum::<i32>(), ones << inputs);
        }
    }
}

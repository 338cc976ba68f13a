//! Sums of chosen rows of machine words, each added or subtracted: where all multiples of a row that
//! can occur are stored, a sum of multiples takes no products.

use crate::kernels::wrapping_sums::{Word, add_signed};

/// `sum += Σ_r ±rows[r·multiples + |choice_r| - 1]`, wrapping; the sign is that of the choice, and
/// a choice of 0 adds nothing.
///
/// Rows are as long as the sum and contiguous.
///
/// ```
/// use cryptable_ring::row_sums::add_chosen;
/// let mut sum = [0u64, 1];
/// // Two rows to choose from, twice.
/// let rows = [1, 2, 10, 20, 100, 200, 1000, 2000];
/// add_chosen(&mut sum, &rows, 2, &[2, -1]);
/// assert_eq!(sum, [10u64.wrapping_sub(100), 21u64.wrapping_sub(200)]);
/// ```
///
/// # Panics
/// If there are not `multiples` rows for every choice, or a choice is beyond them.
pub fn add_chosen<W: Word>(sum: &mut [W], rows: &[W], multiples: usize, choices: &[i32]) {
    let (length, signs) = (sum.len(), [0, u64::MAX].map(W::from_u64));
    assert_eq!(rows.len(), length * multiples * choices.len(), "words of rows");
    let chosen = choices.iter().enumerate().filter(|&(_, &choice)| choice != 0);
    let chosen: Vec<(&[W], W)> = chosen
        .map(|(r, &choice)| {
            let index = choice.unsigned_abs() as usize - 1;
            assert!(index < multiples, "choice {choice} of {multiples}");
            let row = &rows[(r * multiples + index) * length..][..length];
            (row, signs[usize::from(choice < 0)])
        })
        .collect();
    add_signed(sum, &chosen);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<W: Word>(length: usize, multiples: usize, choices: &[i32], word: u64) {
        let rows: Vec<u64> = (0..length * multiples * choices.len())
            .map(|i| word.wrapping_mul(2 * i as u64 + 1))
            .collect();
        let mut expected = vec![word; length];
        for (r, &choice) in choices.iter().enumerate().filter(|(_, choice)| **choice != 0) {
            let row = r * multiples + choice.unsigned_abs() as usize - 1;
            for (sum, &a) in expected.iter_mut().zip(&rows[row * length..]) {
                let a = if choice < 0 { a.wrapping_neg() } else { a };
                *sum = sum.wrapping_add(a);
            }
        }
        let rows: Vec<W> = rows.into_iter().map(W::from_u64).collect();
        let mut sum = vec![W::from_u64(word); length];
        add_chosen(&mut sum, &rows, multiples, choices);
        for (sum, expected) in sum.into_iter().zip(expected) {
            assert_eq!(sum.to_u64(), W::from_u64(expected).to_u64());
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_one_row_after_another(
            length in 1usize..50, multiples in 1usize..6,
            choices in prop::collection::vec(any::<i32>(), 0..11), word in any::<u64>(),
        ) {
            let most = multiples as i32 + 1;
            let choices: Vec<i32> = choices.iter().map(|choice| choice % most).collect();
            check::<u16>(length, multiples, &choices, word);
            check::<u32>(length, multiples, &choices, word);
            check::<u64>(length, multiples, &choices, word);
        }
    }
}

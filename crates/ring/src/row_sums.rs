//! Sums of chosen rows of 64-bit words, plus or minus: key switching by pre-computed multiples, without products.

use crate::Isa;

/// Rows added at once, so that the sum is read and written as seldom.
const AT_ONCE: usize = 4;

/// `sum += Σ_r ±rows[r·multiples + |choice_r| - 1]`, wrapping, the sign that of the choice; 0 chooses nothing.
///
/// Rows are as long as the sum and side by side.
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
pub fn add_chosen(sum: &mut [u64], rows: &[u64], multiples: usize, choices: &[i32]) {
    let length = sum.len();
    assert_eq!(rows.len(), length * multiples * choices.len(), "words of rows");
    let chosen = choices.iter().enumerate().filter(|&(_, &choice)| choice != 0);
    let chosen: Vec<(&[u64], u64)> = chosen
        .map(|(r, &choice)| {
            let index = choice.unsigned_abs() as usize - 1;
            assert!(index < multiples, "choice {choice} of {multiples}");
            let row = &rows[(r * multiples + index) * length..][..length];
            (row, if choice < 0 { u64::MAX } else { 0 })
        })
        .collect();
    match Isa::detect() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Isa::detect` names only what the processor has.
        Isa::Avx512Ifma => unsafe { add_signed_avx512(sum, &chosen) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 => unsafe { add_signed_avx2(sum, &chosen) },
        _ => add_signed(sum, &chosen),
    }
}

/// The portable loop: a sign of all ones negates, `(a ^ sign) - sign = -a`.
#[inline(always)]
fn add_signed(sum: &mut [u64], rows: &[(&[u64], u64)]) {
    let signed = |a: u64, sign: u64| (a ^ sign).wrapping_sub(sign);
    let several = rows.chunks_exact(AT_ONCE);
    for &(row, sign) in several.remainder() {
        for (sum, &a) in sum.iter_mut().zip(row) {
            *sum = sum.wrapping_add(signed(a, sign));
        }
    }
    for rows in several {
        let [(r0, s0), (r1, s1), (r2, s2), (r3, s3)] = [rows[0], rows[1], rows[2], rows[3]];
        for ((((sum, &a), &b), &c), &d) in sum.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
            let low = signed(a, s0).wrapping_add(signed(b, s1));
            let high = signed(c, s2).wrapping_add(signed(d, s3));
            *sum = sum.wrapping_add(low).wrapping_add(high);
        }
    }
}

/// # Safety
/// The processor must have AVX-512 F, DQ and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn add_signed_avx512(sum: &mut [u64], rows: &[(&[u64], u64)]) {
    add_signed(sum, rows);
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn add_signed_avx2(sum: &mut [u64], rows: &[(&[u64], u64)]) {
    add_signed(sum, rows);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_one_row_after_another(
            length in 1usize..50, multiples in 1usize..6,
            choices in prop::collection::vec(any::<i32>(), 0..11), word in any::<u64>(),
        ) {
            let most = multiples as i32 + 1;
            let choices: Vec<i32> = choices.iter().map(|choice| choice % most).collect();
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
            let mut sum = vec![word; length];
            add_chosen(&mut sum, &rows, multiples, &choices);
            prop_assert_eq!(sum, expected);
        }
    }
}

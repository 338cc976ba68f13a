//! The common factor and offset of a matrix's entries.

/// Returns the greatest common divisor of all entries, or 1 if all are 0.
pub(super) fn common_factor(entries: &[i64]) -> u64 {
    let mut factor = 0u64;
    for entry in entries {
        let (mut a, mut b) = (entry.unsigned_abs(), factor);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        factor = a;
        if factor == 1 {
            break;
        }
    }
    factor.max(1)
}

//! Primes: a primality test, and the NTT-friendly primes nearest to a power of two.

use crate::modulus::VECTOR_BOUND;

/// Returns the greatest common divisor of two numbers; that of two zeros is 0.
#[must_use]
pub fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Returns whether `n` is prime, by the Miller-Rabin test with a set of bases that is exact for 64 bits.
///
/// The bases are the first twelve primes. The least composite number that passes the test for all of them is above
/// `3·10^23` (Sorenson and Webster, 2017).
///
/// ```
/// use cryptable_ring::primes::is_prime;
/// assert!(is_prime(65537) && !is_prime(65539 * 3));
/// ```
#[must_use]
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    for base in BASES {
        if n.is_multiple_of(base) {
            return n == base;
        }
    }
    let twos = (n - 1).trailing_zeros();
    BASES.into_iter().all(|base| is_strong_probable_prime(n, base, twos))
}

/// Runs one round of Miller-Rabin: with `n - 1 = d·2^twos`, returns whether `base^d = 1` or `base^(d·2^i) = -1` modulo
/// n for an `i < twos`.
fn is_strong_probable_prime(n: u64, base: u64, twos: u32) -> bool {
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let (mut power, mut square, mut exponent) = (1, base, (n - 1) >> twos);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = mul(power, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    if power == 1 {
        return true;
    }
    for _ in 0..twos {
        if power == n - 1 {
            return true;
        }
        power = mul(power, power);
    }
    false
}

/// Returns the `count` primes `q ≡ 1 mod 2·degree` nearest to `2^log2_target`, nearest first.
///
/// Modulo such a prime there is a primitive 2N-th root of unity, which the negacyclic NTT needs. No result is in
/// `exclude`. If `log2_target <= 50`, no result is above `2^50`, so that all of them can use the vector kernels. No
/// result is ever above `2^61`.
///
/// # Panics
/// If `degree` is not a power of two, `log2_target` is not in `(1, 61]`, or there are not `count`
/// such primes.
///
/// ```
/// use cryptable_ring::primes::ntt_primes;
/// assert_eq!(ntt_primes(16, 8.0, 3, &[193]), [257, 353, 97]);
/// ```
#[must_use]
pub fn ntt_primes(degree: usize, log2_target: f64, count: usize, exclude: &[u64]) -> Vec<u64> {
    assert!(degree.is_power_of_two(), "degree {degree}");
    assert!(log2_target > 1.0 && log2_target <= 61.0, "prime of {log2_target} bits");
    let target = log2_target.exp2() as u64;
    let bound = if log2_target <= 50.0 { VECTOR_BOUND } else { 1 << 61 };
    let step = 2 * degree as u64;
    // Candidates are 1 + i·step: walk outwards from the target, always to the nearer of the next
    // candidate below and the next above. `1 + 0·step` is no prime, so `below` ends at index 1.
    let mut below = (target - 1) / step;
    let mut above = below + 1;
    let mut primes = Vec::with_capacity(count);
    while primes.len() < count {
        let (low, high) = (1 + below * step, 1 + above * step);
        let high_left = high < bound;
        assert!(below > 0 || high_left, "no {count} NTT primes of {log2_target} bits");
        let candidate = if below > 0 && (!high_left || target - low <= high - target) {
            below -= 1;
            low
        } else {
            above += 1;
            high
        };
        if is_prime(candidate) && !exclude.contains(&candidate) {
            primes.push(candidate);
        }
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_trial_division() {
        for n in 0..20_000u64 {
            let prime = n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
            assert_eq!(is_prime(n), prime, "{n}");
        }
    }

    #[test]
    fn pseudoprimes_and_large_numbers() {
        // Carmichael numbers, and the least strong pseudoprimes to the first 1, 4, 7, 9 prime
        // bases.
        for n in [561, 41_041, 2047, 3_215_031_751, 341_550_071_728_321, 3_825_123_056_546_413_051]
        {
            assert!(!is_prime(n), "{n}");
        }
        let largest = u64::MAX - 58;
        assert!(is_prime(largest) && (largest + 1..=u64::MAX).all(|n| !is_prime(n)));
        assert!(is_prime((1 << 61) - 1) && !is_prime(((1 << 31) - 1) * ((1 << 31) - 1)));
    }

    #[test]
    fn are_the_nearest_in_order_of_distance() {
        for (degree, log2) in [(16usize, 10.0), (8, 13.7), (64, 16.0)] {
            let (step, target) = (2 * degree as u64, f64::exp2(log2) as u64);
            let mut all: Vec<u64> =
                (2..4 * target).filter(|&n| n % step == 1 && is_prime(n)).collect();
            all.sort_by_key(|&q| q.abs_diff(target));
            assert_eq!(ntt_primes(degree, log2, 9, &[]), all[..9]);
            assert_eq!(ntt_primes(degree, log2, 5, &all[..4]), all[4..9]);
        }
    }

    #[test]
    fn stay_below_their_bounds() {
        for log2 in [49.0, 49.999, 50.0] {
            let primes = ntt_primes(1 << 16, log2, 80, &[]);
            assert!(primes.iter().all(|&q| q < 1 << 50 && q % (1 << 17) == 1));
        }
        assert!(ntt_primes(1 << 16, 61.0, 20, &[]).iter().all(|&q| q < 1 << 61));
        let sixty = ntt_primes(1 << 16, 60.0, 20, &[]);
        assert!(sixty.iter().any(|&q| q > 1 << 60) && sixty.iter().any(|&q| q < 1 << 60));
    }

    #[test]
    #[should_panic(expected = "no 1000 NTT primes")]
    fn run_out() {
        // The primes have at most 49 bits: the walk must end at 2^50.
        let _ = ntt_primes(1 << 40, 50.0, 1000, &[]);
    }
}

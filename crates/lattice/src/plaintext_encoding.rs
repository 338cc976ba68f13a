//! Encoding of values as phases, and decoding: `round(m·q/p)` and `round(p·phase/q)`.
//!
//! Clients that encrypt and decrypt use it: values and phases go through no branches and no division instructions, only
//! through products with reciprocals of the two public moduli.

use cryptable_ring::public_divisor::PublicDivisor;

/// Encodes values modulo p as phases modulo q.
///
/// ```
/// use cryptable_lattice::plaintext_encoding::PlaintextEncoding;
/// let encoding = PlaintextEncoding::new(16, 4096);
/// assert_eq!(encoding.encode(3), 768);
/// assert_eq!(encoding.decode(768 + 127), 3);
/// assert_eq!(encoding.decode(4095), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlaintextEncoding {
    plaintext_modulus: u64,
    modulus: u64,
    by_plaintext_modulus: PublicDivisor,
    by_modulus: PublicDivisor,
}

impl PlaintextEncoding {
    /// Returns the encoding of plaintexts modulo p as phases modulo q.
    ///
    /// # Panics
    /// Unless `1 <= p <= q < 2^62`.
    #[must_use]
    pub fn new(plaintext_modulus: u64, modulus: u64) -> Self {
        assert!((1..1 << 62).contains(&modulus), "modulus {modulus}");
        assert!((1..=modulus).contains(&plaintext_modulus), "{plaintext_modulus} modulo {modulus}");
        let [by_plaintext_modulus, by_modulus] =
            [plaintext_modulus, modulus].map(PublicDivisor::new);
        Self { plaintext_modulus, modulus, by_plaintext_modulus, by_modulus }
    }

    /// Returns the phase of a value below p.
    #[must_use]
    #[inline]
    pub fn encode(&self, value: u64) -> u64 {
        let Self { plaintext_modulus: p, modulus: q, .. } = *self;
        debug_assert!(value < p, "value modulo {p}");
        // Values below p have phases of at most q, and q becomes 0.
        let numerator = u128::from(value) * u128::from(q) + u128::from(p / 2);
        below(self.by_plaintext_modulus.divide(numerator).0, q)
    }

    /// Returns the value whose phase is nearest.
    #[must_use]
    #[inline]
    pub fn decode(&self, phase: u64) -> u64 {
        let Self { plaintext_modulus: p, modulus: q, .. } = *self;
        debug_assert!(phase < q, "phase modulo {q}");
        let numerator = u128::from(phase) * u128::from(p) + u128::from(q / 2);
        below(self.by_modulus.divide(numerator).0, p)
    }
}

/// Returns a number of at most `modulus` as a residue: the modulus becomes 0.
#[inline]
pub(crate) fn below(number: u64, modulus: u64) -> u64 {
    // All bits are set if the number is below the modulus; both are below 2^63.
    let is_below = (number.wrapping_sub(modulus) as i64 >> 63) as u64;
    number & is_below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_rounded_quotients() {
        for (p, q) in [
            (1u64, 1u64),
            (2, 2),
            (3, 16),
            (7, 12_289),
            (16, 1 << 14),
            (1000, 1 << 28),
            ((1 << 32) - 5, 1 << 60),
            ((1 << 46) + 1, (1 << 47) - 297),
            ((1 << 62) - 1, (1 << 62) - 1),
        ] {
            let encoding = PlaintextEncoding::new(p, q);
            let (wide_p, wide_q) = (u128::from(p), u128::from(q));
            let extremes = [0, 1, 2, p / 3, p / 2, p.saturating_sub(2), p - 1];
            for value in extremes.into_iter().filter(|&value| value < p) {
                let expected = (u128::from(value) * wide_q + wide_p / 2) / wide_p % wide_q;
                assert_eq!(u128::from(encoding.encode(value)), expected, "{value}, {p}, {q}");
                assert_eq!(encoding.decode(encoding.encode(value)), value, "{value}, {p}, {q}");
            }
            for phase in [0, 1, q / 3, q / 2, q - q / (2 * p).max(1), q - 1] {
                let phase = phase.min(q - 1);
                let expected = (u128::from(phase) * wide_p + wide_q / 2) / wide_q % wide_p;
                assert_eq!(u128::from(encoding.decode(phase)), expected, "{phase}, {p}, {q}");
            }
        }
    }
}

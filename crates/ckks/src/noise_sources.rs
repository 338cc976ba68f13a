//! Independence of noises: a dry run adds variances of independent noises, and deviations otherwise.

/// The independent sources from which the noise of a ciphertext comes, or that they are unknown.
///
/// Two ciphertexts whose known sources are disjoint have independent noise: in a product their variances add up.
/// Everything else counts as fully correlated, which bounds the variance from above.
///
/// ```
/// use cryptable_ckks::noise_sources::NoiseSources;
/// let [a, b] = [0, 1].map(NoiseSources::single);
/// assert!(a.independent_of(b) && !a.independent_of(a.union(b)));
/// assert!(!a.independent_of(NoiseSources::UNKNOWN) && !a.union(NoiseSources::UNKNOWN).independent_of(b));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoiseSources(u64);

impl NoiseSources {
    /// Noise of unknown origin, which is not independent of any other.
    pub const UNKNOWN: Self = Self(0);

    /// Noise of one source.
    ///
    /// # Panics
    /// If the number of the source is 64 or more.
    #[must_use]
    pub fn single(source: u32) -> Self {
        assert!(source < u64::BITS, "source {source}");
        Self(1 << source)
    }

    /// Returns the sources of a sum or a product. If one operand has unknown sources, so has the result.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        if self == Self::UNKNOWN || other == Self::UNKNOWN {
            Self::UNKNOWN
        } else {
            Self(self.0 | other.0)
        }
    }

    /// Returns the sources of a sum of many operands; unknown if there are none.
    #[must_use]
    pub fn union_of(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().reduce(Self::union).unwrap_or(Self::UNKNOWN)
    }

    /// Returns whether noise of these sources is independent of noise of `other` sources.
    #[must_use]
    pub fn independent_of(self, other: Self) -> bool {
        self != Self::UNKNOWN && other != Self::UNKNOWN && self.0 & other.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_disjoint_known_sources_are_independent() {
        let [a, b, c] = [0, 5, 63].map(NoiseSources::single);
        assert!(a.independent_of(b) && a.union(b).independent_of(c));
        assert!(!a.independent_of(a) && !a.union(b).independent_of(b.union(c)));
        for unknown in [NoiseSources::UNKNOWN, a.union(NoiseSources::UNKNOWN)] {
            assert!(!a.independent_of(unknown) && !unknown.independent_of(b));
            assert!(!unknown.independent_of(unknown));
        }
        assert_eq!(NoiseSources::union_of([a, b, c]), a.union(b.union(c)));
        assert_eq!(NoiseSources::union_of([]), NoiseSources::UNKNOWN);
    }
}

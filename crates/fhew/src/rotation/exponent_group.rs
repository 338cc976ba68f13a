//! Exponents of a rotation's automorphisms: the groups of odd numbers modulo 2N that a rotation goes through.
//!
//! - All odd numbers, ±g^k with g = 5 (Lee et al., EUROCRYPT 2023, "LMKCDEY").
//! - The *sparse* numbers, which are 1 modulo 2^θ, θ >= 2 (Wang et al., EUROCRYPT 2024, Sec. 4.1): the cyclic group of
//!   g = 5^(2^(θ-2)), of N' = 2N/2^θ elements. No sign ever changes, so there is no key of -g. (The paper uses
//!   g = 2^θ + 1, which generates the same group.)
//!
//! A rotation visits elements in a fixed order, their *places*; the last is 1:
//! `-g^(N/2-1), …, -g, -1, g^(N/2-1), …, g, 1`, or `g^(N'-1), …, g, 1`.

use cryptable_ring::gadget::Gadget;

/// The generator 5, which together with -1 generates all odd numbers modulo a power of two.
const GENERATOR: usize = 5;

/// A group of odd numbers modulo 2N.
///
/// ```
/// use cryptable_fhew::rotation::ExponentGroup;
/// let odd = ExponentGroup::odd(32);
/// assert_eq!(odd.key_exponents(3), [5, 25, 61, 59]);
/// // The paper's example: N = 16, θ = 2.
/// let sparse = ExponentGroup::sparse(16, 2);
/// assert_eq!(sparse.order(), 8);
/// assert_eq!(sparse.key_exponents(3), [5, 25, 29]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExponentGroup {
    degree: usize,
    /// θ: elements are 1 modulo 2^θ, which for θ = 1 means odd.
    sparsity_log2: u32,
}

impl ExponentGroup {
    /// Returns the group of all odd numbers modulo 2N.
    #[must_use]
    pub const fn odd(degree: usize) -> Self {
        Self { degree, sparsity_log2: 1 }
    }

    /// Returns the group of numbers that are 1 modulo 2^θ.
    ///
    /// # Panics
    /// If θ is below 2, or 2^θ is not below 2N.
    #[must_use]
    pub fn sparse(degree: usize, sparsity_log2: u32) -> Self {
        assert!(sparsity_log2 >= 2, "odd numbers are no cyclic group");
        assert!(sparsity_log2 <= degree.ilog2(), "1 modulo 2^{sparsity_log2} and {}", 2 * degree);
        Self { degree, sparsity_log2 }
    }

    /// Returns the ring degree N.
    #[must_use]
    pub fn degree(self) -> usize {
        self.degree
    }

    /// Returns θ, which is 1 for all odd numbers.
    #[must_use]
    pub fn sparsity_log2(self) -> u32 {
        self.sparsity_log2
    }

    /// Returns the number of elements, 2N/2^θ.
    #[must_use]
    pub fn order(self) -> usize {
        (2 * self.degree) >> self.sparsity_log2
    }

    /// Returns whether the group contains -1.
    #[must_use]
    pub fn has_signs(self) -> bool {
        self.sparsity_log2 == 1
    }

    /// Returns the order of g: that of the group, or half of it if there are signs.
    #[must_use]
    pub fn generator_order(self) -> usize {
        if self.has_signs() { self.order() / 2 } else { self.order() }
    }

    /// Returns the generator g = 5^(2^(θ-2)), which is 5 if there are signs.
    fn generator(self) -> usize {
        let squarings = self.sparsity_log2.saturating_sub(2);
        (0..squarings).fold(GENERATOR, |g, _| g * g % (2 * self.degree))
    }

    /// Returns the exponents of the automorphisms with a key, in the keys' order: g, g², …, g^window; then -g if there are
    /// signs.
    #[must_use]
    pub fn key_exponents(self, window: usize) -> Vec<usize> {
        let generator = self.generator();
        let times_generator = |&power: &usize| Some(power * generator % (2 * self.degree));
        let powers = std::iter::successors(Some(generator), times_generator).take(window);
        powers.chain(self.has_signs().then_some(2 * self.degree - generator)).collect()
    }

    /// Returns the number of [`ExponentGroup::key_exponents`].
    #[must_use]
    pub fn key_count(self, window: usize) -> usize {
        window + usize::from(self.has_signs())
    }

    /// Returns the place of the element 2^θ·i + 1, for every i.
    #[must_use]
    pub fn places(self) -> Vec<u32> {
        let (order, cycle, generator) = (self.order(), self.generator_order(), self.generator());
        let mut places = vec![0; order];
        let mut power = 1;
        for k in 0..cycle {
            places[power >> self.sparsity_log2] = (order - 1 - k) as u32;
            if self.has_signs() {
                places[(2 * self.degree - power) >> 1] = (cycle - 1 - k) as u32;
            }
            power = power * generator % (2 * self.degree);
        }
        places
    }
}

/// The automorphisms that have keys: those of the first powers of a group's generator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutomorphismWindow {
    /// The group that the rotation goes through.
    pub group: ExponentGroup,
    /// w: g, g², …, g^w have keys.
    pub window: usize,
    /// Decomposition of the keys.
    pub gadget: Gadget,
}

impl AutomorphismWindow {
    /// Returns the exponents of the automorphisms with a key, in the keys' order ([`ExponentGroup::key_exponents`]).
    #[must_use]
    pub fn key_exponents(&self) -> Vec<usize> {
        self.group.key_exponents(self.window)
    }

    /// Returns the number of automorphism keys, including that of -g if there are signs.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.group.key_count(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_a_permutation_that_ends_at_1() {
        for group in
            [ExponentGroup::odd(64), ExponentGroup::sparse(64, 2), ExponentGroup::sparse(64, 6)]
        {
            let places = group.places();
            assert_eq!(places.len(), group.order());
            assert_eq!(places[0] as usize, group.order() - 1, "the place of 1");
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(i, &place)| i == place as usize), "{group:?}");
            // The element one place before is g times this one.
            let g = group.key_exponents(1)[0];
            let place = |e: usize| places[(e % 128) >> group.sparsity_log2()] as usize;
            for k in 1..group.order() {
                let element = (k << group.sparsity_log2()) + 1;
                let cycle = group.generator_order();
                assert_eq!(place(element * g) % cycle, (place(element) + cycle - 1) % cycle);
            }
        }
    }
}

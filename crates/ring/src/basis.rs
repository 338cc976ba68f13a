//! The primes that represent a polynomial, and how they share limbs.

/// The primes of a chain that share a limb with the prime before them.
///
/// A limb of 50 bits holds residues modulo one prime of 50 bits, or modulo the product of two primes of about 25 bits.
/// A chain of small primes, which small scales need, then has half as many limbs, transforms and digits of keys. A
/// polynomial that has dropped the second prime of a limb keeps that limb modulo the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SharedLimbs(u64);

impl SharedLimbs {
    /// One prime per limb.
    pub const NONE: Self = Self(0);

    /// Returns the limbs with these numbers of primes, 1 or 2 each, from the bottom up.
    ///
    /// ```
    /// use cryptable_ring::{Basis, SharedLimbs};
    /// let shared = SharedLimbs::of_limbs(&[2, 1, 2]);
    /// let limbs = |main| Basis::main(main).sharing(shared).limbs();
    /// assert_eq!([1, 2, 3, 4, 5].map(limbs), [1, 1, 2, 3, 3]);
    /// ```
    ///
    /// # Panics
    /// If a limb has another number of primes, or if a limb has two primes and there are more than 64 primes in all.
    #[must_use]
    pub fn of_limbs(primes: &[usize]) -> Self {
        let mut mask = 0;
        let mut first = 0;
        for &count in primes {
            assert!(count == 1 || count == 2, "{count} primes in a limb");
            if count == 2 {
                assert!(first + 1 < 64, "a limb of two beyond the 64th prime");
                mask |= 1 << (first + 1);
            }
            first += count;
        }
        Self(mask)
    }

    /// Returns whether this prime is the second one of its limb.
    #[must_use]
    pub const fn is_second(self, prime: usize) -> bool {
        prime < 64 && self.0 >> prime & 1 == 1
    }

    /// Returns how the first `main` primes share limbs with each other.
    #[must_use]
    pub const fn of_first(self, main: usize) -> Self {
        let below = if main < 64 { (1 << main) - 1 } else { u64::MAX };
        Self(self.0 & below)
    }

    /// Returns the number of limbs of the first `main` primes.
    #[must_use]
    pub const fn limbs(self, main: usize) -> usize {
        main - self.of_first(main).0.count_ones() as usize
    }

    /// Returns the first prime of a limb.
    #[must_use]
    pub const fn first_prime(self, limb: usize) -> usize {
        let (mut prime, mut seen) = (0, 0);
        loop {
            if !self.is_second(prime) {
                if seen == limb {
                    return prime;
                }
                seen += 1;
            }
            prime += 1;
        }
    }
}

/// The primes that represent a polynomial: the first `main` primes of a modulus chain `q_0, q_1, …` and the first
/// `special` primes of the key-switching primes `p_0, p_1, …`.
///
/// Limbs are stored in that order, main ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Basis {
    /// Number of primes `q_0 … q_{main-1}`.
    pub main: usize,
    /// Number of primes `p_0 … p_{special-1}`, each of which has a limb of its own.
    pub special: usize,
    /// The index of the chain in the ring: 0 unless the ring has several.
    pub chain: usize,
    /// The main primes that share limbs. Other primes are not recorded, so that bases of the same primes are equal.
    pub shared: SharedLimbs,
}

impl Basis {
    /// Returns the basis of `main` primes of the first chain and `special` special ones, one per limb.
    #[must_use]
    pub const fn new(main: usize, special: usize) -> Self {
        Self { main, special, chain: 0, shared: SharedLimbs::NONE }
    }

    /// Returns the basis of `main` primes of the first chain and no special prime, one per limb.
    #[must_use]
    pub const fn main(main: usize) -> Self {
        Self::new(main, 0)
    }

    /// Returns the basis of the same primes, with shared limbs.
    #[must_use]
    pub const fn sharing(self, shared: SharedLimbs) -> Self {
        Self { shared: shared.of_first(self.main), ..self }
    }

    /// Returns the basis of the first `main` of its main primes.
    ///
    /// # Panics
    /// If the basis has fewer main primes.
    #[must_use]
    pub const fn lowered(self, main: usize) -> Self {
        assert!(main <= self.main, "more primes than the basis has");
        Self { main, shared: self.shared.of_first(main), ..self }
    }

    /// Returns the basis without its special primes.
    #[must_use]
    pub const fn without_special(self) -> Self {
        Self { special: 0, ..self }
    }

    /// Returns the number of limbs, main and special.
    #[must_use]
    pub const fn limbs(self) -> usize {
        self.main_limbs() + self.special
    }

    /// Returns the number of limbs of chain primes.
    #[must_use]
    pub const fn main_limbs(self) -> usize {
        self.shared.limbs(self.main)
    }
}

/// The primes of a modulus chain, from the bottom up, and how they share limbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// `q_0, q_1, …`.
    pub primes: Vec<u64>,
    /// The primes that share limbs.
    pub shared: SharedLimbs,
}

impl Chain {
    /// Returns the chain of these primes, one per limb.
    #[must_use]
    pub fn new(primes: &[u64]) -> Self {
        Self { primes: primes.to_vec(), shared: SharedLimbs::NONE }
    }

    /// Returns the products of the primes that share a limb, from the bottom up.
    pub(crate) fn products(&self) -> impl Iterator<Item = u64> {
        let seconds = (1..self.primes.len()).filter(|&i| self.shared.is_second(i));
        seconds.map(|i| self.primes[i - 1] * self.primes[i])
    }
}

//! The moduli of a ring by number, without tables: all that key sizes depend on.

use crate::basis::{Basis, Chain};
use crate::kernels::PackedRow;

/// The modulus of each limb of a basis, by number: primes of the first chain are numbered first, then special primes,
/// then products of the first chain's primes that share a limb, then primes and products of each further chain.
///
/// ```
/// use cryptable_ring::{Basis, Chain, RingModuli};
/// let moduli = RingModuli::new(1024, vec![Chain::new(&[0x3001, 0x4001])], &[0x1_2001]);
/// assert_eq!([0, 1].map(|limb| moduli.prime_index(Basis::new(1, 1), limb)), [0, 2]);
/// // 14 bits, and 17.
/// assert_eq!(moduli.packed_bytes(Basis::new(1, 1)), 1024 / 8 * (14 + 17));
/// ```
#[derive(Clone, Debug)]
pub struct RingModuli {
    degree: usize,
    special: usize,
    chains: Vec<NumberedChain>,
    values: Vec<u64>,
}

/// A chain, with the numbers of its first prime and of its first product.
#[derive(Clone, Debug)]
struct NumberedChain {
    chain: Chain,
    primes_from: usize,
    products_from: usize,
}

impl RingModuli {
    /// Returns the moduli of a ring of this degree with these chains and special primes.
    ///
    /// # Panics
    /// If the degree is not a power of two of at least 16, or there is no chain.
    #[must_use]
    pub fn new(degree: usize, chains: Vec<Chain>, special: &[u64]) -> Self {
        assert!(degree.is_power_of_two() && degree >= 16, "ring degree {degree}");
        assert!(!chains.is_empty(), "no chain");
        let mut values: Vec<u64> = Vec::new();
        let mut numbered = Vec::new();
        for chain in chains {
            let primes_from = values.len();
            values.extend(&chain.primes);
            if numbered.is_empty() {
                values.extend(special);
            }
            let products_from = values.len();
            values.extend(chain.products());
            numbered.push(NumberedChain { chain, primes_from, products_from });
        }
        Self { degree, special: special.len(), chains: numbered, values }
    }

    /// Returns the ring degree N.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the same moduli for the ring of half the degree.
    pub(crate) fn of_half(&self) -> Self {
        Self { degree: self.degree / 2, ..self.clone() }
    }

    /// Returns all moduli, indexed by number.
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Returns the number of special primes.
    #[must_use]
    pub fn special(&self) -> usize {
        self.special
    }

    /// Returns the chain of primes with this index.
    #[must_use]
    pub fn chain(&self, chain: usize) -> &Chain {
        &self.chains[chain].chain
    }

    /// Returns the basis of all primes of the first chain and all special ones.
    #[must_use]
    pub fn full_basis(&self) -> Basis {
        let Chain { primes, shared } = self.chain(0);
        Basis { special: self.special, ..Basis::main(primes.len()).sharing(*shared) }
    }

    /// Returns the moduli of the limbs of a basis: primes, or products of two.
    #[must_use]
    pub fn limb_values(&self, basis: Basis) -> Vec<u64> {
        (0..basis.limbs()).map(|limb| self.values[self.prime_index(basis, limb)]).collect()
    }

    /// Returns the number of the modulus of a limb.
    #[must_use]
    pub fn prime_index(&self, basis: Basis, limb: usize) -> usize {
        let it = &self.chains[basis.chain];
        debug_assert!(limb < basis.limbs());
        debug_assert_eq!(
            basis.shared,
            it.chain.shared.of_first(basis.main),
            "limbs of another ring"
        );
        let main_limbs = basis.main_limbs();
        if limb >= main_limbs {
            // Special primes follow those of the first chain.
            return self.chains[0].chain.primes.len() + limb - main_limbs;
        }
        let first = basis.shared.first_prime(limb);
        if first + 1 < basis.main && basis.shared.is_second(first + 1) {
            // The number of products below equals the number of primes below that have no limb of their own.
            return it.products_from + first - limb;
        }
        it.primes_from + first
    }

    /// Returns the number of the prime `q_index` of a chain by itself, without the prime that it shares a limb with.
    pub(crate) fn single_prime(&self, chain: usize, index: usize) -> usize {
        self.chains[chain].primes_from + index
    }

    /// Returns the number of bits of a limb's residues: the bit length of its modulus.
    #[must_use]
    pub fn limb_bits(&self, basis: Basis, limb: usize) -> u32 {
        u64::BITS - self.values[self.prime_index(basis, limb)].leading_zeros()
    }

    /// Returns the number of bytes of a polynomial whose limbs are packed rows ([`PackedRow`]). Saturates.
    #[must_use]
    pub fn packed_bytes(&self, basis: Basis) -> usize {
        (0..basis.limbs())
            .map(|limb| PackedRow::packed_bytes(self.degree, self.limb_bits(basis, limb)))
            .fold(0, usize::saturating_add)
    }
}

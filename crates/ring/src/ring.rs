//! The ring `Z_Q[X]/(X^N + 1)`: its primes, transforms and cached tables.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, RwLock};

use crate::base_conversion::BaseConverter;
use crate::basis::{Basis, Chain};
use crate::kernels::Permutation;
use crate::moduli::RingModuli;
use crate::{Modulus, NttTable};

/// A ring `Z[X]/(X^N + 1)` with one or several chains of main primes, and a list of special primes.
///
/// Holds one NTT table for each modulus that a limb may have. Caches the permutations of automorphisms and the
/// constants of base conversions when they are first used. Moduli are numbered as in [`RingModuli`]. Threads share a
/// ring by reference or [`Arc`].
///
/// ```
/// use cryptable_ring::{primes::ntt_primes, Basis, Ring};
/// let primes = ntt_primes(1024, 49.0, 3, &[]);
/// let ring = Ring::new(1024, &primes[..2], &primes[2..]);
/// assert_eq!(ring.limb_primes(Basis::new(1, 1)), [0, 2]);
/// ```
#[derive(Debug)]
pub struct Ring {
    moduli: RingModuli,
    tables: Vec<NttTable>,
    permutations: RwLock<HashMap<usize, Arc<Permutation>>>,
    converters: RwLock<HashMap<Vec<usize>, Arc<BaseConverter>>>,
    half: OnceLock<Box<Self>>,
}

impl Ring {
    /// Builds the ring of degree `degree` over the given primes, one per limb.
    ///
    /// # Panics
    /// If the degree is not a power of two of at least 16, or a modulus has no [`NttTable`]. Validation of parameters
    /// checks the primes, so this is an invariant here.
    #[must_use]
    pub fn new(degree: usize, main: &[u64], special: &[u64]) -> Self {
        Self::with_chains(degree, vec![Chain::new(main)], special)
    }

    /// Builds a ring like [`Ring::new`], with several chains, and with primes that share limbs.
    ///
    /// ```
    /// use cryptable_ring::{primes::ntt_primes, Chain, Ring, SharedLimbs};
    /// let primes = ntt_primes(1024, 24.9, 3, &[]);
    /// let shared = SharedLimbs::of_limbs(&[2, 1]);
    /// let ring = Ring::with_chains(1024, vec![Chain { primes, shared }], &[]);
    /// assert_eq!(ring.main_basis(3).limbs(), 2);
    /// ```
    ///
    /// # Panics
    /// Panics like [`Ring::new`], or if there is no chain, or if the product of two primes that share a limb is 2^50 or
    /// more.
    #[must_use]
    pub fn with_chains(degree: usize, chains: Vec<Chain>, special: &[u64]) -> Self {
        Self::of(RingModuli::new(degree, chains, special))
    }

    /// Returns the ring of these moduli, with their tables.
    ///
    /// # Panics
    /// If a modulus is no NTT modulus for the degree.
    #[must_use]
    pub fn of(moduli: RingModuli) -> Self {
        Self::with_tables(moduli, NttTable::new)
    }

    /// Returns the real ring of these moduli (see [`NttTable`]), whose N slots are real numbers.
    ///
    /// Constants, sums, products and key switches work as in any ring. The real ring has no imaginary unit, and
    /// automorphisms are not implemented.
    ///
    /// # Panics
    /// If a modulus has no 4N-th root of unity, or is not below 2^50.
    #[must_use]
    pub fn real(moduli: RingModuli) -> Self {
        Self::with_tables(moduli, NttTable::real)
    }

    fn with_tables(moduli: RingModuli, table: impl Fn(usize, Modulus) -> Option<NttTable>) -> Self {
        let degree = moduli.degree();
        let table = |q: u64| {
            table(degree, Modulus::new(q))
                .unwrap_or_else(|| panic!("{q} is no NTT modulus for ring degree {degree}"))
        };
        Self {
            tables: moduli.values().iter().copied().map(table).collect(),
            moduli,
            permutations: RwLock::default(),
            converters: RwLock::default(),
            half: OnceLock::new(),
        }
    }

    /// Returns the ring of half the degree and the same moduli, a subring whose X is the square of this ring's X. It is
    /// made on first use ([`Poly::even_part`](crate::Poly::even_part), [`Poly::lifted`](crate::Poly::lifted)).
    ///
    /// # Panics
    /// If half the degree is below 16.
    #[must_use]
    pub fn half(&self) -> &Self {
        self.half.get_or_init(|| Box::new(Self::of(self.moduli.of_half())))
    }

    /// Returns the moduli by number, without their tables.
    #[must_use]
    pub fn moduli(&self) -> &RingModuli {
        &self.moduli
    }

    /// Returns the ring degree N.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.moduli.degree()
    }

    /// Returns the basis of all primes of the first chain and all special ones.
    #[must_use]
    pub fn full_basis(&self) -> Basis {
        self.moduli.full_basis()
    }

    /// Returns the basis of the first `main` primes of the first chain and no special one.
    #[must_use]
    pub fn main_basis(&self, main: usize) -> Basis {
        self.chain_basis(0, main)
    }

    /// Returns the basis of the first `main` primes of a chain and no special one.
    #[must_use]
    pub fn chain_basis(&self, chain: usize, main: usize) -> Basis {
        Basis { chain, ..Basis::main(main).sharing(self.moduli.chain(chain).shared) }
    }

    /// Returns the number of the modulus of a limb (see [`Ring`]).
    #[must_use]
    pub fn prime_index(&self, basis: Basis, limb: usize) -> usize {
        self.moduli.prime_index(basis, limb)
    }

    /// Returns the numbers of the moduli of all limbs of `basis`.
    #[must_use]
    pub fn limb_primes(&self, basis: Basis) -> Vec<usize> {
        (0..basis.limbs()).map(|limb| self.prime_index(basis, limb)).collect()
    }

    /// Returns the NTT tables of all moduli.
    pub(crate) fn tables(&self) -> &[NttTable] {
        &self.tables
    }

    /// Returns the NTT table of the prime with this index.
    #[must_use]
    pub fn table(&self, prime: usize) -> &NttTable {
        &self.tables[prime]
    }

    /// Returns the modulus of the prime with this index.
    #[must_use]
    pub fn modulus(&self, prime: usize) -> &Modulus {
        self.tables[prime].modulus()
    }

    /// Returns the value of the prime `q_index` of the first chain.
    #[must_use]
    pub fn main_prime(&self, index: usize) -> u64 {
        self.chain_prime(0, index)
    }

    /// Returns the value of the prime `q_index` of a chain.
    #[must_use]
    pub fn chain_prime(&self, chain: usize, index: usize) -> u64 {
        self.moduli.chain(chain).primes[index]
    }

    /// Returns the number of the prime `q_index` of a chain by itself, without the prime that it shares a limb with.
    #[must_use]
    pub fn single_prime(&self, chain: usize, index: usize) -> usize {
        self.moduli.single_prime(chain, index)
    }

    /// Returns log2 of the product of the primes of `basis`.
    #[must_use]
    pub fn log2_modulus(&self, basis: Basis) -> f64 {
        self.limb_primes(basis).iter().map(|&i| (self.modulus(i).value() as f64).log2()).sum()
    }

    /// Returns a square root of -1 modulo the prime with this index: the value of `X^(N/2)` in the first half of the
    /// evaluations (in the second half it is the negative).
    ///
    /// In slots it is the constant i. A complex constant `a + ib` therefore multiplies the first half of a limb by
    /// `a + b·root` and the second by `a - b·root`.
    #[must_use]
    pub fn imaginary_unit(&self, prime: usize) -> u64 {
        self.table(prime).imaginary_unit()
    }

    /// Returns the Galois element `5^rotation mod 2N`, which rotates slots left by `rotation`.
    #[must_use]
    pub fn rotation_element(&self, rotation: usize) -> usize {
        rotation_element(self.degree(), rotation)
    }

    /// Returns the Galois element `2N - 1`, which conjugates slots.
    #[must_use]
    pub fn conjugation_element(&self) -> usize {
        2 * self.degree() - 1
    }

    /// Returns the permutation by which `X -> X^element` acts on evaluations.
    ///
    /// Evaluation i is the value at `ψ^(2·bitrev(i)+1)`, so evaluation i of the image is the value at that exponent
    /// multiplied by `element`.
    ///
    /// # Panics
    /// If `element` is even.
    #[must_use]
    pub fn galois_permutation(&self, element: usize) -> Arc<Permutation> {
        assert!(element % 2 == 1, "Galois element {element} is even");
        if let Some(found) = self.permutations.read().expect("no panic under lock").get(&element) {
            return Arc::clone(found);
        }
        let log_degree = self.degree().trailing_zeros();
        let reverse = |i: usize| i.reverse_bits() >> (usize::BITS - log_degree);
        let indices = (0..self.degree())
            .map(|i| {
                let exponent = (2 * reverse(i) + 1) * element % (2 * self.degree());
                reverse(exponent / 2) as u32
            })
            .collect();
        let permutation = Arc::new(Permutation::new(indices));
        self.permutations
            .write()
            .expect("no panic under lock")
            .insert(element, Arc::clone(&permutation));
        permutation
    }

    /// Converts limbs modulo the primes `sources` (by index), of product Q, to other primes. The result is the
    /// representative in `(-Q/2, Q/2]`, exact except within `k·2^-52·Q` of the two ends, where k is the number of
    /// source primes.
    ///
    /// `source` holds **evaluations**, limb-major, one limb per source prime. `targets` are indices
    /// of primes and the limbs that receive **coefficients** in `[0, prime)`.
    ///
    /// # Panics
    /// If `source` does not have N words per source prime.
    pub fn convert_base(
        &self,
        sources: &[usize],
        source: &[u64],
        targets: &mut [(usize, &mut [u64])],
    ) {
        self.converter(sources).convert(&self.tables, source, targets);
    }

    /// Returns the conversion of residues modulo `sources` (prime indices) to every prime.
    pub(crate) fn converter(&self, sources: &[usize]) -> Arc<BaseConverter> {
        if let Some(found) = self.converters.read().expect("no panic under lock").get(sources) {
            return Arc::clone(found);
        }
        let converter = Arc::new(BaseConverter::new(&self.tables, sources));
        self.converters
            .write()
            .expect("no panic under lock")
            .insert(sources.to_vec(), Arc::clone(&converter));
        converter
    }
}

/// Returns `element^exponent mod 2N`.
fn galois_power(degree: usize, element: usize, mut exponent: usize) -> usize {
    let order = 2 * degree;
    let (mut result, mut base) = (1, element % order);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % order;
        }
        base = base * base % order;
        exponent >>= 1;
    }
    result
}

/// Returns the Galois element `5^rotation mod 2N` of ring degree N, which rotates slots left by `rotation`.
#[must_use]
pub fn rotation_element(degree: usize, rotation: usize) -> usize {
    galois_power(degree, 5, rotation % (degree / 2))
}

/// Returns the inverse of an odd element modulo 2N.
///
/// The group of odd numbers modulo 2N has exponent N/2, so the inverse is the power N/2 - 1.
#[must_use]
pub fn inverse_element(degree: usize, element: usize) -> usize {
    galois_power(degree, element, degree / 2 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::ntt_primes;

    #[test]
    fn evaluations_stand_in_bit_reversed_order() {
        for log_degree in [4, 8, 11, 15, 16] {
            let degree = 1usize << log_degree;
            for log_prime in [40.0, 49.0, 50.0, 59.0] {
                let prime = ntt_primes(degree, log_prime, 1, &[])[0];
                let table = NttTable::new(degree, Modulus::new(prime)).unwrap();
                let m = table.modulus();
                let mut x = vec![0u64; degree];
                x[1] = 1;
                table.forward_assign(&mut x);
                for i in [0, 1, 2, 3, degree / 2, degree - 1, degree / 4 + 1] {
                    let exponent = 2 * (i.reverse_bits() >> (usize::BITS - log_degree)) + 1;
                    assert_eq!(x[i], m.pow(x[0], exponent as u64), "degree {degree}, index {i}");
                }
                assert_eq!(m.pow(x[0], degree as u64 / 2), table.imaginary_unit());
            }
        }
    }

    #[test]
    fn galois_elements_are_powers_of_five_and_have_inverses() {
        for rotation in [0, 1, 2, 15, 31, 32, 40] {
            let expected = (0..rotation % 32).fold(1, |element, _| element * 5 % 128);
            assert_eq!(rotation_element(64, rotation), expected);
            assert_eq!(expected * inverse_element(64, expected) % 128, 1);
        }
        assert_eq!(inverse_element(64, 127), 127);
    }

    #[test]
    fn automorphism_permutes_evaluations() {
        let degree = 64;
        let ring = Ring::new(degree, &ntt_primes(degree, 40.0, 1, &[]), &[]);
        let m = *ring.modulus(0);
        let input: Vec<u64> = (0..degree as u64).map(|i| i * i + 3).collect();
        for element in [1, 3, 5, 25, 127] {
            let mut expected = vec![0u64; degree];
            for (i, &c) in input.iter().enumerate() {
                let power = i * element % (2 * degree);
                let value = if power < degree { c } else { m.neg(c) };
                expected[power % degree] = value;
            }
            ring.table(0).forward_assign(&mut expected);
            let mut evaluations = input.clone();
            ring.table(0).forward_assign(&mut evaluations);
            let mut out = vec![0u64; degree];
            let permutation = ring.galois_permutation(element);
            crate::kernels::permute(&mut out, &evaluations, permutation.whole());
            assert_eq!(out, expected, "element {element}");
        }
    }
}

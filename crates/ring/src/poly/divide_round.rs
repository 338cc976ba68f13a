//! Rounded division of polynomials by some of their primes: ModDown, rescale, or both in one pass.

use std::marker::PhantomData;

use super::{Evaluations, Poly, reduce_assign, split_limb};
use crate::{Buffer, Ring, RoundedDivision, kernels};

impl Poly<Evaluations> {
    /// Divides by all special primes and the top `rescale` main primes, rounding to nearest.
    ///
    /// Computes `x -> round(x / D)` modulo the remaining main primes, where D is the product of the dropped ones:
    /// ModDown, rescale, or both in one pass. Costs one inverse NTT per dropped limb and one NTT per remaining one. The
    /// rounding error is uniform in `[-1/2, 1/2]` per coefficient.
    ///
    /// # Panics
    /// If no prime of the chain would be left.
    #[must_use]
    pub fn divide_round(self, ring: &Ring, rescale: usize) -> Self {
        assert!(rescale < self.basis.main, "rescale {rescale} of {:?}", self.basis);
        let (basis, degree) = (self.basis, self.degree);
        let kept = basis.without_special().lowered(basis.main - rescale);
        let split = split_limb(basis, kept);
        let mut dropped: Vec<usize> =
            (kept.limbs()..basis.limbs()).map(|limb| ring.prime_index(basis, limb)).collect();
        if dropped.is_empty() && split.is_none() {
            return self;
        }
        let mut words = self.words;
        let (head, tail) = words.split_at_mut(kept.limbs() * degree);
        let mut with_second;
        let mut divisors: &mut [u64] = tail;
        if let Some(limb) = split {
            // The second prime of a limb is dropped and the first one stays: the remainder is a limb of its own.
            let words = &mut head[limb * degree..];
            with_second = Buffer::unspecified(degree + divisors.len());
            let (second, rest) = with_second.split_at_mut(degree);
            let prime = |index| ring.single_prime(kept.chain, index);
            kernels::reduce(ring.modulus(prime(kept.main)), second, words);
            rest.copy_from_slice(divisors);
            reduce_assign(ring.modulus(prime(kept.main - 1)), words);
            dropped.insert(0, prime(kept.main));
            divisors = &mut with_second;
        }
        // The quotient overwrites the converted remainder, in a buffer of its own length. The dividend's buffer, with
        // all dropped limbs, goes back to the free list.
        let mut quotient = Buffer::unspecified(kept.limbs() * degree);
        RoundedDivision::by(ring, kept, &dropped).divide(head, divisors, &mut quotient);
        Self { words: quotient, basis: kept, degree, domain: PhantomData }
    }
}

//! Baby steps of a product with a matrix: rotations of one vector that share its decomposition (hoisting), modulo Q·P.
//!
//! An automorphism fills an aligned block of evaluations from one block, so a rotation is made block by block: product
//! with the key, permutation, and, by the caller, products with all diagonals, while the words are in the cache. No
//! rotated polynomial is ever in memory as a whole.

use std::ops::Range;
use std::sync::Arc;

use cryptable_lattice::key_switching::{Digits, KeySum, special_product};
use cryptable_lattice::{RlweCiphertext, SwitchingKey};
use cryptable_ring::kernels::{self, Permutation};
use cryptable_ring::{Basis, Buffer, Evaluations, Poly, Ring};

/// Key and permutation of a baby step; `None` for the rotation by 0.
pub(crate) type BabyStep<'a> = Option<(&'a SwitchingKey, Arc<Permutation>)>;

/// Group of baby steps that one block of memory holds.
pub(crate) struct BabyGroup<'a> {
    pub(crate) ct: &'a RlweCiphertext,
    /// Digits of the vector; `None` if no step of the group rotates.
    pub(crate) digits: Option<Digits<'a>>,
}

/// P times the baby rotations of some vectors, group after group, `count` steps in all. The steps of all groups have
/// the same keys.
pub(crate) struct BabySteps<'a> {
    pub(crate) ring: &'a Ring,
    /// The primes of the rotations, special ones included.
    pub(crate) basis: Basis,
    pub(crate) groups: Vec<BabyGroup<'a>>,
    pub(crate) babies: Vec<BabyStep<'a>>,
    pub(crate) count: usize,
}

/// One block of all baby steps, both parts of each, and of a product with a key before its permutation.
pub(crate) struct BabyBlock {
    pub(crate) steps: Vec<[Buffer; 2]>,
    sums: [Buffer; 2],
}

impl BabySteps<'_> {
    /// Returns memory for blocks of `words` words.
    pub(crate) fn block(&self, words: usize) -> BabyBlock {
        let pair = || [(); 2].map(|()| Buffer::unspecified(words));
        BabyBlock { steps: (0..self.count).map(|_| pair()).collect(), sums: pair() }
    }

    /// Writes an aligned block of one limb of every step. The block has the size for which the memory was made.
    pub(crate) fn write(&self, limb: usize, range: &Range<usize>, block: &mut BabyBlock) {
        // While a row of a key is in the cache, all groups use it.
        for (index, baby) in self.babies.iter().enumerate() {
            let steps = block.steps.iter_mut().skip(index).step_by(self.babies.len());
            for (BabyGroup { ct, digits }, out) in self.groups.iter().zip(steps) {
                match (baby, digits) {
                    (Some((key, permutation)), Some(digits)) => {
                        let part = permutation.part(range.clone());
                        let [sum0, sum1] = &mut block.sums;
                        let c0 = self.special(limb).map(|p| (&ct.c0.limb(limb)[part.source()], p));
                        let sums = KeySum::both([&mut *sum0, &mut *sum1], [c0, None]);
                        digits.inner_product_words(self.ring, key, limb, part.source(), sums);
                        kernels::permute(&mut out[0], sum0, part);
                        kernels::permute(&mut out[1], sum1, part);
                    }
                    _ => {
                        self.write_multiple(&ct.c0, limb, range, &mut out[0]);
                        self.write_multiple(&ct.c1, limb, range, &mut out[1]);
                    }
                }
            }
        }
    }

    /// Writes P times some words of a polynomial: its words in the basis with special primes.
    fn write_multiple(
        &self,
        poly: &Poly<Evaluations>,
        limb: usize,
        range: &Range<usize>,
        out: &mut [u64],
    ) {
        let m = self.ring.modulus(self.ring.prime_index(self.basis, limb));
        match self.special(limb) {
            Some(p) => kernels::mul_scalar(m, out, &poly.limb(limb)[range.clone()], p),
            None => out.fill(0),
        }
    }

    /// P modulo the prime of a limb; `None` where it is 0.
    fn special(&self, limb: usize) -> Option<u64> {
        let prime = self.ring.prime_index(self.basis, limb);
        (limb < self.basis.main_limbs()).then(|| special_product(self.ring, self.basis, prime))
    }
}

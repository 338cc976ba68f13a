//! Baby steps of a product with a matrix: rotations of one vector that share its decomposition (hoisting), modulo Q·P.
//!
//! An automorphism fills an aligned block of evaluations from one block, so a rotation is made block by block: product with
//! the key, permutation, and, by the caller, products with all diagonals, while the words are in the second-level cache. Rotated
//! polynomials are never whole in memory.

use std::ops::Range;
use std::sync::Arc;

use cryptable_lattice::key_switching::{Digits, KeySum, special_product};
use cryptable_lattice::{RlweCiphertext, SwitchingKey};
use cryptable_ring::kernels::{self, Permutation};
use cryptable_ring::{Basis, Buffer, Ring};

/// Key and permutation of a baby step; `None` for the rotation by 0.
pub(crate) type BabyStep<'a> = Option<(&'a SwitchingKey, Arc<Permutation>)>;

/// What a group of baby steps rotates.
pub(crate) struct BabyGroup<'a> {
    pub(crate) ct: &'a RlweCiphertext,
    /// None if no step of the group rotates.
    pub(crate) digits: Option<Digits<'a>>,
}

/// P times the baby rotations of some vectors, group after group: `count` steps, of which those of every group have the same
/// keys.
pub(crate) struct BabySteps<'a> {
    pub(crate) ring: &'a Ring,
    /// The primes of the rotations, special ones included.
    pub(crate) basis: Basis,
    pub(crate) groups: Vec<BabyGroup<'a>>,
    pub(crate) babies: Vec<BabyStep<'a>>,
    pub(crate) count: usize,
}

/// One block of all baby steps, both parts of each, and of a product with a key before it is permuted.
pub(crate) struct BabyBlock {
    pub(crate) steps: Vec<[Buffer; 2]>,
    sums: [Buffer; 2],
}

impl BabySteps<'_> {
    /// Memory for blocks of so many words.
    pub(crate) fn block(&self, words: usize) -> BabyBlock {
        let pair = || [(); 2].map(|()| Buffer::unspecified(words));
        BabyBlock { steps: (0..self.count).map(|_| pair()).collect(), sums: pair() }
    }

    /// Fetches the beginning of what the product with the key of a baby step reads, if there is one.
    fn prefetch_key(&self, index: usize, (limb, range): (usize, &Range<usize>)) {
        let (Some(Some((key, permutation))), Some(BabyGroup { digits: Some(digits), .. })) =
            (self.babies.get(index), self.groups.first())
        else {
            return;
        };
        let source = permutation.part(range.clone()).source();
        key.prefetch(digits.count(), (self.basis, limb), source);
    }

    /// Writes an aligned block of one limb of every step: as many words as the memory is for.
    pub(crate) fn write(&self, (limb, range): (usize, &Range<usize>), block: &mut BabyBlock) {
        let prime = self.ring.prime_index(self.basis, limb);
        let special =
            (limb < self.basis.main_limbs()).then(|| special_product(self.ring, self.basis, prime));
        // A row of a key serves all groups while it is near.
        for (index, baby) in self.babies.iter().enumerate() {
            self.prefetch_key(index + 1, (limb, range));
            let steps = block.steps.iter_mut().skip(index).step_by(self.babies.len());
            for (group, out) in self.groups.iter().zip(steps) {
                match (baby, &group.digits) {
                    (Some((key, permutation)), Some(digits)) => {
                        let part = permutation.part(range.clone());
                        let c0 = special.map(|p| (&group.ct.c0.limb(limb)[part.source()], p));
                        let [sum0, sum1] = &mut block.sums;
                        let sums = KeySum::both([&mut *sum0, &mut *sum1], [c0, None]);
                        digits.inner_product_words(self.ring, key, (limb, part.source()), sums);
                        kernels::permute(&mut out[0], sum0, part);
                        kernels::permute(&mut out[1], sum1, part);
                    }
                    _ => {
                        for (out, poly) in out.iter_mut().zip([&group.ct.c0, &group.ct.c1]) {
                            let Some(p) = special else {
                                out.fill(0);
                                continue;
                            };
                            let m = self.ring.modulus(prime);
                            kernels::mul_scalar(m, out, &poly.limb(limb)[range.clone()], p);
                        }
                    }
                }
            }
        }
    }
}

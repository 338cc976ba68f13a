//! Exponentials of few phases as products over the blocks of a secret, without CoeffsToSlots and without doublings.
//!
//! At the bottom level the ciphertext is switched to a secret of h blocks in a ring of degree d
//! ([`cryptable_lattice::block_secret`]), under which phases are `b_v + Σ_j s_j·a_(v,j)` modulo its prime. The
//! exponential of a phase is a product over blocks of `Σ_(j of the block) s_j·e^{2πi·a_(v,j)/q}`: products of encrypted
//! bits with plaintexts that the server makes from the ciphertext's mask. Blocks are in copies of the slots, so that
//! `d·n/(N/2)` plaintexts serve n values. Copies are multiplied by means of rotations (SHIP, Cheon, Hanrot, Kim,
//! Stehlé, EUROCRYPT 2025; Coron, Köstler, ePrint 2025/651).
//!
//! **Level.** One for the sums, `log2 h` for the product. **Noise.** The phase has the noise of the switch, `N·σ²·k/3`
//! for k digits of the prime. It never overflows, and nothing is approximated.

use std::f64::consts::TAU;

use cryptable_lattice::block_secret::{BlockSecretShape, bottom_prime, signed_bits, signed_digits};
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::key_switching::sum_of_products;
use cryptable_lattice::{ERROR_VARIANCE, KeyPurpose, RlweCiphertext, SwitchingKey};
use cryptable_ring::modulus_switch::from_power_of_two_assign;
use cryptable_ring::{Coefficients, Embedding, Evaluations, Poly};
use num_complex::Complex64;
use rayon::prelude::*;

use crate::dry_run::{Counts, PlainShape, Shape, SlotNoise};
use crate::plaintext::{EMBEDDING_TRANSFORMS, rounded_coefficients};
use crate::{Arithmetic, Ciphertext, DryRun, Evaluator};

/// The plan of a product over blocks.
#[derive(Clone, Debug)]
pub struct BlockProduct {
    shape: BlockSecretShape,
    /// The prime of the block secret.
    prime: f64,
    /// Scale of plaintexts.
    scale: f64,
    /// The value that each of n slots has.
    places: Vec<usize>,
}

/// A ciphertext under the block secret, with words mapped to the unit circle: the body of each value, and the mask's
/// coefficients.
#[derive(Clone, Debug)]
pub struct SwitchedPhases {
    bodies: Vec<Complex64>,
    masks: Vec<Complex64>,
}

impl BlockProduct {
    /// Plans the product over the chain of these primes, for sums whose scale is the prime below their own. `place` is
    /// the value of a slot, and `prime` the prime of the block secret.
    ///
    /// # Panics
    /// If there is only one prime.
    #[must_use]
    pub fn new(
        shape: BlockSecretShape,
        primes: &[f64],
        prime: f64,
        place: impl Fn(usize) -> usize,
    ) -> Self {
        let (top, below) = (primes[shape.limbs - 1], primes[shape.limbs - 2]);
        let scale = below * top / shape.log2_scale.exp2();
        Self { shape, prime, scale, places: (0..shape.slots).map(place).collect() }
    }

    /// Returns the levels of a product over this number of blocks.
    #[must_use]
    pub fn levels(blocks: usize) -> usize {
        1 + blocks.ilog2() as usize
    }

    /// Returns how the block secret is arranged in slots.
    #[must_use]
    pub fn shape(&self) -> BlockSecretShape {
        self.shape
    }

    /// Returns the prime of the block secret.
    #[must_use]
    pub fn prime(&self) -> f64 {
        self.prime
    }

    /// Number of bits of the prime.
    fn prime_bits(&self) -> u32 {
        self.prime.log2().floor() as u32 + 1
    }

    /// Variance that the switch to the block secret adds to a phase, in turns, beside the rounding to the prime.
    #[must_use]
    pub fn switching_variance(&self) -> f64 {
        let digits = f64::from(signed_bits(self.prime_bits()));
        let degree = self.shape.ring_degree as f64;
        degree * ERROR_VARIANCE * digits / 3.0 / (self.prime * self.prime)
    }

    /// Switches a ciphertext of the client to the block secret.
    #[must_use]
    pub fn switch(
        &self,
        evaluator: &Evaluator<'_>,
        input: &CoefficientCiphertext,
    ) -> SwitchedPhases {
        evaluator.begin_stage("block_switch");
        let ring = evaluator.ring();
        let (prime, basis) = (bottom_prime(ring), ring.chain_basis(1, 1));
        let m = ring.modulus(prime);
        let (mut b, mut a) = input.to_pair();
        from_power_of_two_assign(m, &mut b, input.log2_modulus);
        from_power_of_two_assign(m, &mut a, input.log2_modulus);
        let digits = signed_digits(&a, self.prime_bits());
        let purpose = |digit: usize| KeyPurpose::DenseToBlocks(digit as u32);
        let keys: Vec<&SwitchingKey> =
            (0..digits.len()).map(|digit| evaluator.key(purpose(digit), basis)).collect();
        let RlweCiphertext { c0, c1 } = sum_of_products(ring, &digits, &keys);
        let BlockSecretShape { ring_degree, dimension, slots, .. } = self.shape;
        let turn = |word: u64| Complex64::cis(TAU * (word as f64 / m.value() as f64));
        let coefficients = |poly: Poly<Evaluations>| poly.into_coefficients(ring);
        let (c0, c1) = (coefficients(c0), coefficients(c1));
        let every = |poly: &Poly<Coefficients>, gap| -> Vec<u64> {
            poly.limb(0).iter().step_by(gap).copied().collect()
        };
        let bodies =
            every(&c0, ring_degree / slots).into_iter().zip(b.iter().step_by(ring_degree / slots));
        SwitchedPhases {
            bodies: bodies.map(|(c, &b)| turn(m.add(c, b))).collect(),
            masks: every(&c1, ring_degree / dimension).into_iter().map(turn).collect(),
        }
    }

    /// Returns the sums over blocks, for the blocks of each copy, group by group.
    #[must_use]
    pub fn sums(&self, evaluator: &Evaluator<'_>, phases: &SwitchedPhases) -> Vec<Ciphertext> {
        evaluator.begin_stage("block_sums");
        (0..self.shape.groups()).map(|group| self.sum(evaluator, phases, group)).collect()
    }

    /// The sums over a block of each copy.
    fn sum(&self, evaluator: &Evaluator<'_>, phases: &SwitchedPhases, group: usize) -> Ciphertext {
        let (ring, shape) = (evaluator.ring(), self.shape);
        let size = shape.block_size();
        let embedding = Embedding::new(shape.slots * shape.copies());
        let encode = |place: usize| {
            let slots = self.factor(phases, group, place);
            rounded_coefficients(ring.degree(), &embedding, &slots, self.scale)
        };
        let factors: Vec<Vec<i64>> = (0..size).into_par_iter().map(encode).collect();
        let basis = ring.main_basis(shape.limbs);
        let key = |place: usize| {
            evaluator.key(KeyPurpose::BlockBits((group * size + place) as u32), basis)
        };
        let keys: Vec<&SwitchingKey> = (0..size).map(key).collect();
        let parts = sum_of_products(ring, &factors, &keys);
        let scale = self.scale * shape.log2_scale.exp2();
        evaluator.rescale(Ciphertext { parts, scale }, 1)
    }

    /// The slots by which a bit of every copy's block is multiplied.
    fn factor(&self, phases: &SwitchedPhases, group: usize, place: usize) -> Vec<Complex64> {
        let shape = self.shape;
        let gap = shape.dimension / shape.slots;
        let mut slots = Vec::with_capacity(shape.slots * shape.copies());
        for copy in 0..shape.copies() {
            let block = shape.block(group, copy);
            let index = block * shape.block_size() + place;
            slots.extend(self.places.iter().map(|&value| {
                let mask = phases.of_mask(value * gap, index);
                // Bodies go with the first block.
                if block == 0 { mask * phases.bodies[value] } else { mask }
            }));
        }
        slots
    }

    /// Returns the product of all blocks, in n slots that repeat: of the sums, then of their copies.
    ///
    /// # Panics
    /// If the number of sums is not the number of groups.
    pub fn multiply<A: Arithmetic>(
        &self,
        arithmetic: &A,
        mut sums: Vec<A::Ciphertext>,
    ) -> A::Ciphertext {
        arithmetic.begin_stage("block_product");
        assert_eq!(sums.len(), self.shape.groups(), "a sum per group of blocks");
        // Bits of different blocks have independent errors.
        let multiply = |mut a: A::Ciphertext, mut b: A::Ciphertext| {
            arithmetic.declare_source(&mut a, 0);
            arithmetic.declare_source(&mut b, 1);
            arithmetic.mul(&a, &b)
        };
        while sums.len() > 1 {
            let mut pairs = std::mem::take(&mut sums).into_iter();
            while let (Some(a), Some(b)) = (pairs.next(), pairs.next()) {
                sums.push(multiply(a, b));
            }
        }
        let mut product = sums.pop().expect("a group of blocks");
        for step in 0..self.shape.copies().ilog2() {
            let turned = arithmetic.rotate(&product, self.shape.slots << step);
            product = multiply(product, turned);
        }
        product
    }

    /// Predicts the product by a dry run in which noise of all coefficients counts, since copies are not equal before
    /// they are multiplied.
    #[must_use]
    pub fn predict(&self, dry_run: &DryRun) -> Shape {
        let shape = self.shape;
        for request in shape.key_requests(self.prime_bits()) {
            dry_run.request(request);
        }
        dry_run.begin_stage("block_sums");
        dry_run.add_counts(self.counts());
        let scale = shape.log2_scale.exp2();
        let noise = dry_run.slots_of_coefficients(ERROR_VARIANCE + 1.0 / 12.0, scale);
        let power = 1.0 / shape.block_size() as f64;
        let bit = Shape::new(shape.limbs, scale, power, SlotNoise::gaussian(noise));
        let slots = shape.slots * shape.copies();
        let plain = PlainShape { scale: self.scale, mean_square: 1.0, slots };
        let pairs = vec![(&bit, &plain); shape.block_size()];
        let sum = |_| dry_run.rescale(dry_run.plain_product_sum(&pairs), 1);
        let sums = (0..shape.groups()).map(sum).collect();
        self.multiply(dry_run, sums)
    }

    /// Counts the work of the switch and of the plaintexts.
    fn counts(&self) -> Counts {
        let shape = self.shape;
        let digits = signed_bits(self.prime_bits()) as usize;
        let slots = 2 * shape.slots * shape.copies();
        let embedding = EMBEDDING_TRANSFORMS * slots as f64 / shape.ring_degree as f64;
        let embeddings = (shape.encrypted_bits() as f64 * embedding).ceil() as usize;
        Counts {
            transforms: digits + 2 + embeddings + shape.encrypted_bits() * shape.limbs,
            limb_products: 2 * digits,
            streamed_limbs: 2 * (digits + shape.encrypted_bits() * shape.limbs),
            ..Counts::default()
        }
    }
}

impl SwitchedPhases {
    /// The factor of coefficient `index` of the secret in coefficient `value` of its product with the mask.
    fn of_mask(&self, value: usize, index: usize) -> Complex64 {
        match value.checked_sub(index) {
            Some(place) => self.masks[place],
            // X^d is -1.
            None => self.masks[value + self.masks.len() - index].conj(),
        }
    }
}

//! Choice of literals with bootstrapping: chains, matrices and keys that fit each other, from the sizes of their parts.

use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::SecurityLevel;

use crate::literal::{BootstrappingLiteral, ParametersLiteral};

/// log2 of the largest primes whose transforms need the fewest reductions.
const LARGEST_FAST: f64 = 49.19;

/// log2 of the bound below which vector kernels support primes.
const LARGEST: f64 = 50.0;

/// Largest number of butterfly levels of a matrix of SlotsToCoeffs.
const MOST_OF_SLOTS_TO_COEFFS: u32 = 5;

/// Sizes of the parts of a set, as log2.
#[derive(Clone, Debug)]
pub(crate) struct Sizes {
    /// Ring degree N.
    pub ring_degree: usize,
    /// Slots of a ciphertext.
    pub slots: usize,
    /// Number of levels and their size.
    pub levels: (usize, f64),
    /// Size of q_0.
    pub base: f64,
    /// Size of q_0 over the largest part of a slot.
    pub log2_range: f64,
    /// Scale of a matrix of SlotsToCoeffs, and of CoeffsToSlots.
    pub matrices: [f64; 2],
    /// Largest number of butterfly levels of a matrix of CoeffsToSlots.
    pub most_merged: u32,
    /// Primes of the exponential.
    pub exponential: f64,
    /// log2 of the number of coefficients of the exponential's series, and number of doublings.
    pub series: (u32, u32),
    /// Number of primes of the odd function: the number of sines minus one.
    pub sines: usize,
    /// Baby steps of both transforms.
    pub baby_steps: usize,
    /// Largest number of limbs of a digit of keys of the first chain.
    pub digit_limbs: usize,
    /// log2 of the probability per slot that the overflow is too large.
    pub log2_fail: f64,
}

impl Sizes {
    /// Returns the literal whose keys have the fewest digits that a modulus of this many bits allows; `None` if the
    /// modulus leaves no room for a special prime.
    pub(crate) fn literal(
        &self,
        name: String,
        security: SecurityLevel,
        log2_modulus: f64,
    ) -> Option<ParametersLiteral> {
        let first = self.log2_first_chain();
        let coeffs_to_slots = self.coeffs_to_slots(first);
        let left = (log2_modulus - self.log2_modulus()) / LARGEST_FAST + 1.0;
        let limbs = coeffs_to_slots.primes.len();
        // Primes are near their sizes, not equal to them.
        let most = ((left - 0.02).floor().max(0.0) as usize).min(limbs);
        let digits = limbs.div_ceil(most.max(1));
        let raised_digit_limbs = limbs.div_ceil(digits);
        (most > 0).then(|| ParametersLiteral {
            name,
            security,
            ring_degree: self.ring_degree,
            slots: self.slots,
            base: self.base,
            levels: vec![self.levels.1; self.levels.0],
            special: vec![LARGEST_FAST; raised_digit_limbs],
            digit_limbs: self.digit_limbs.min(raised_digit_limbs),
            bootstrapping: Some(BootstrappingLiteral {
                log2_range: self.log2_range,
                slots_to_coeffs: self.slots_to_coeffs(),
                exponential: self.exponential_literal(),
                sines: vec![self.exponential; self.sines],
                joining: self.joining(),
                trace_halvings: TraceHalvings::of(self.is_sparse()),
                coeffs_to_slots,
                raised_digit_limbs,
                sparse_weight: 32,
                log2_fail: self.log2_fail,
            }),
        })
    }

    /// log2 of the modulus of keys with a single special prime.
    pub(crate) fn log2_modulus(&self) -> f64 {
        let first = self.log2_first_chain();
        let raised: f64 = self.coeffs_to_slots(first).primes.iter().sum();
        raised.max(first) + LARGEST_FAST
    }

    fn log2_first_chain(&self) -> f64 {
        let parts =
            [self.slots_to_coeffs().primes, self.joining(), self.exponential_literal().primes];
        let products = self.levels.0 as f64 * self.levels.1 + self.sines as f64 * self.exponential;
        self.base + products + parts.iter().flatten().sum::<f64>()
    }

    fn is_sparse(&self) -> bool {
        2 * self.slots < self.ring_degree
    }

    fn joining(&self) -> Vec<f64> {
        vec![self.levels.1; usize::from(self.is_sparse())]
    }

    fn exponential_literal(&self) -> ExponentialLiteral {
        let (log_length, doublings) = self.series;
        let primes = vec![self.exponential; (log_length + doublings) as usize];
        ExponentialLiteral { log_length, log_babies: 2, doublings, primes }
    }

    /// SlotsToCoeffs, from the scale of levels to q_0.
    fn slots_to_coeffs(&self) -> TransformLiteral {
        let stages = stages(self.slots, MOST_OF_SLOTS_TO_COEFFS);
        let bits = stages.len() as f64 * self.matrices[0] - (self.base - self.levels.1);
        let primes = equal_primes(bits.max(self.levels.1), LARGEST);
        TransformLiteral { stages, primes, baby_steps: 2 * self.baby_steps }
    }

    /// Returns CoeffsToSlots, in a chain that ends at a first modulus of this many bits.
    fn coeffs_to_slots(&self, first: f64) -> TransformLiteral {
        let stages = stages(self.slots, self.most_merged);
        let copies = (self.ring_degree / 2 / self.slots) as f64;
        let matrices = stages.len() as f64 * self.matrices[1];
        let bits = first + matrices + copies.log2() - (self.exponential - self.base);
        TransformLiteral {
            stages,
            primes: equal_primes(bits, LARGEST_FAST),
            baby_steps: self.baby_steps,
        }
    }
}

/// Distributes the butterfly levels over matrices nearly evenly, at most `most` levels each.
fn stages(slots: usize, most: u32) -> Vec<u32> {
    let levels = slots.ilog2();
    // A single matrix would have a scale beyond 2^60.
    let parts = levels.div_ceil(most).max(2.min(levels));
    (0..parts).map(|k| (levels + parts - 1 - k) / parts).collect()
}

/// Returns the fewest primes, each at most of a given size, that have this many bits together.
fn equal_primes(bits: f64, largest: f64) -> Vec<f64> {
    let count = (bits / largest).ceil();
    vec![bits / count; count as usize]
}

//! Homomorphic products with matrices in diagonal form on a card: baby-step giant-step with double hoisting. See
//! [`cryptable_ckks::LinearTransform`], whose words these are.

use cryptable_ckks::linear_transform::DiagonalLimb;
use cryptable_ckks::{LinearTransform, TransformPlan};
use cryptable_lattice::KeyPurpose;
use cryptable_ring::{Basis, Evaluations, Isa};

use crate::arguments::{Limbs, MAX_LIMBS, arguments};
use crate::device::Words;
use crate::kernels::{self, Grid};
use crate::key_switching::{Added, Digits, MAX_KEYS, Product, special_factors};
use crate::poly::{DevicePoly, word_grid};
use crate::ring::DeviceRing;
use crate::rounded_division::divide_round;
use crate::switching_key::{DeviceKey, DeviceKeys};

/// A matrix on a card, encoded for multiplication at one level.
#[derive(Debug)]
pub struct DeviceTransform {
    plan: TransformPlan,
    /// The words of all diagonals; rows point into it.
    #[expect(dead_code, reason = "owns the memory")]
    words: Words,
    /// A row a diagonal, sorted by giant step: address, and baby step and run in one word.
    rows: Words,
    /// Where the diagonals of each giant step begin, and their number.
    starts: Words,
}

/// `DiagonalSums` of `linear_transform.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct DiagonalSums {
    moduli: u64,
    babies: u64,
    diagonals: u64,
    starts: u64,
    sums: [u64; 2 * MAX_GIANTS],
    degree: u32,
    giants: u32,
    limbs: Limbs,
}

arguments!(DiagonalSums);

/// The most giant steps of a matrix.
const MAX_GIANTS: usize = 32;

/// The pair of a ciphertext.
type Pair = [DevicePoly<Evaluations>; 2];

impl DeviceTransform {
    /// Copies an encoded matrix to a card.
    #[must_use]
    pub fn upload(ring: &DeviceRing<'_>, matrix: &LinearTransform) -> Self {
        let plan = matrix.plan().clone();
        assert!(plan.giants <= MAX_GIANTS, "{} giant steps", plan.giants);
        let limbs = plan.shape.basis.limbs();
        let lengths: Vec<usize> = matrix
            .diagonals()
            .map(|diagonal| limbs * (ring.degree() >> diagonal.log_run()))
            .collect();
        let mut words = ring.device().allocate(lengths.iter().sum());
        let (mut rows, mut starts, mut start) = (Vec::new(), vec![0; plan.giants + 1], 0);
        for (diagonal, length) in matrix.diagonals().zip(lengths) {
            let mut unpacked = vec![0; length];
            for (limb, out) in unpacked.chunks_mut(length / limbs).enumerate() {
                match diagonal.limb(limb) {
                    DiagonalLimb::Packed(row) => row.unpack(Isa::detect(), out),
                    DiagonalLimb::Runs(words) => out.copy_from_slice(words),
                }
            }
            words.write(start, &unpacked);
            let step = diagonal.step();
            rows.extend([
                words.address(start),
                step.baby as u64 | u64::from(diagonal.log_run()) << 32,
            ]);
            starts[step.giant + 1] += 1;
            start += length;
        }
        for giant in 0..plan.giants {
            starts[giant + 1] += starts[giant];
        }
        let (rows, starts) = (ring.device().upload(&rows), ring.device().upload(&starts));
        Self { plan, words, rows, starts }
    }

    /// The plan it was encoded for.
    #[must_use]
    pub fn plan(&self) -> &TransformPlan {
        &self.plan
    }

    /// Multiplies the slots of a ciphertext, which has the plan's number of limbs, and divides by the top `rescale` primes.
    ///
    /// # Panics
    /// If a key for one of the plan's rotations is missing, or the number of limbs is another.
    pub(crate) fn apply(
        &self,
        ring: &DeviceRing<'_>,
        keys: &DeviceKeys<'_>,
        ct: [&DevicePoly<Evaluations>; 2],
        rescale: usize,
    ) -> Pair {
        let basis = self.plan.shape.basis;
        assert_eq!(ct[0].basis(), basis.without_special(), "level of the plan");
        let mut sums = self.giant_sums(ring, keys, ct);
        let mut acc = sums.pop().expect("at least one giant step");
        let element = ring.ring().rotation_element(self.plan.giant_rotation);
        while let Some(sum) = sums.pop() {
            let [c0, c1] = acc;
            let c1 = c1.divide_round(ring, 0);
            let digits = Digits::decompose(ring, &c1, self.plan.shape);
            let out = sum.each_ref().map(|sum| sum.limb(0));
            let product = Product { out, element, adds: true };
            digits.multiply(
                ring,
                &[(self.key(keys, element), product)],
                Added::raised([Some(&c0), None]),
            );
            acc = sum;
        }
        divide_round(ring, acc, rescale)
    }

    /// The key of a rotation at exactly the plan's basis.
    fn key<'k>(&self, keys: &'k DeviceKeys<'_>, element: usize) -> &'k DeviceKey {
        let (purpose, basis) = (KeyPurpose::Galois(element as u32), self.plan.shape.basis);
        let key = keys.on_processor().find_shape(purpose, basis);
        keys.of(key.unwrap_or_else(|| panic!("no key for {purpose:?} at {basis:?}")))
    }

    /// For each giant step, the sum of its diagonals times the baby steps, modulo Q·P.
    fn giant_sums(
        &self,
        ring: &DeviceRing<'_>,
        keys: &DeviceKeys<'_>,
        ct: [&DevicePoly<Evaluations>; 2],
    ) -> Vec<Pair> {
        let basis = self.plan.shape.basis;
        let babies = self.baby_steps(ring, keys, ct);
        let unspecified = || [(); 2].map(|()| DevicePoly::<Evaluations>::unspecified(ring, basis));
        let sums: Vec<Pair> = (0..self.plan.giants).map(|_| unspecified()).collect();
        let mut addresses = [0; 2 * MAX_GIANTS];
        for (address, sum) in addresses.iter_mut().zip(sums.iter().flatten()) {
            *address = sum.limb(0);
        }
        let arguments = DiagonalSums {
            moduli: ring.moduli(),
            babies: babies.address(0),
            diagonals: self.rows.address(0),
            starts: self.starts.address(0),
            sums: addresses,
            degree: ring.degree() as u32,
            giants: self.plan.giants as u32,
            limbs: ring.limbs(basis),
        };
        let grid = word_grid(ring, basis.limbs());
        ring.device().launch(&kernels::MULTIPLY_BY_DIAGONALS, grid, &arguments);
        sums
    }

    /// P times all baby rotations of a ciphertext, group after group: `[baby][part][limb][coefficient]`.
    fn baby_steps(
        &self,
        ring: &DeviceRing<'_>,
        keys: &DeviceKeys<'_>,
        ct: [&DevicePoly<Evaluations>; 2],
    ) -> Words {
        let (plan, shape) = (&self.plan, self.plan.shape);
        let words = shape.basis.limbs() * ring.degree();
        let babies = ring.device().allocate(2 * plan.babies.len() * words);
        let out = |baby: usize| {
            [babies.address(2 * baby * words), babies.address((2 * baby + 1) * words)]
        };
        let rotates = plan.babies[..plan.keyed_babies].iter().any(|&rotation| rotation != 0);
        let mut turned: Option<Pair> = None;
        for group in 0..plan.baby_groups() {
            let [c0, c1] = match &turned {
                Some([c0, c1]) => [c0, c1],
                None => ct,
            };
            let is_last = group + 1 == plan.baby_groups();
            let digits = (rotates || !is_last).then(|| Digits::decompose(ring, c1, shape));
            let first = group * plan.keyed_babies;
            let count = plan.keyed_babies.min(plan.babies.len() - first);
            let mut jobs = Vec::with_capacity(count);
            for (index, &rotation) in plan.babies[..count].iter().enumerate() {
                let out = out(first + index);
                if rotation == 0 {
                    times_special(ring, shape.basis, [c0, c1], out);
                } else {
                    let element = ring.ring().rotation_element(rotation);
                    jobs.push((self.key(keys, element), Product { out, element, adds: false }));
                }
            }
            for jobs in jobs.chunks(MAX_KEYS) {
                let digits = digits.as_ref().expect("a step rotates");
                digits.multiply(ring, jobs, Added::times_special([Some(c0), None]));
            }
            if !is_last {
                let digits = digits.as_ref().expect("the group turns");
                let next = self.turn(ring, keys, digits, c0);
                turned = Some(next);
            }
        }
        babies
    }

    /// The vector of the next group of baby steps.
    fn turn(
        &self,
        ring: &DeviceRing<'_>,
        keys: &DeviceKeys<'_>,
        digits: &Digits<'_>,
        c0: &DevicePoly<Evaluations>,
    ) -> Pair {
        let rotation = self.plan.turn_rotation().expect("several groups");
        let element = ring.ring().rotation_element(rotation);
        let switched = digits.switch_and_divide(ring, self.key(keys, element), [Some(c0), None], 0);
        // After the division, as on the processor: rounding and automorphisms do not commute at ties.
        switched.map(|poly| poly.automorphism(ring, element))
    }
}

/// `TimesSpecial` of `linear_transform.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimesSpecial {
    moduli: u64,
    from: [u64; 2],
    to: [u64; 2],
    factors: [u64; MAX_LIMBS],
    degree: u32,
    main_limbs: u32,
    limbs: Limbs,
}

arguments!(TimesSpecial);

/// P times a ciphertext modulo Q·P: zeros in the special limbs.
fn times_special(
    ring: &DeviceRing<'_>,
    basis: Basis,
    polys: [&DevicePoly<Evaluations>; 2],
    to: [u64; 2],
) {
    let from = polys.map(|poly| poly.limb(0));
    let (factors, main_limbs) = (special_factors(ring, basis), basis.main_limbs() as u32);
    let (degree, limbs) = (ring.degree() as u32, ring.limbs(basis));
    let moduli = ring.moduli();
    let arguments = TimesSpecial { moduli, from, to, factors, degree, main_limbs, limbs };
    let Grid { blocks: [x, y, _], threads } = word_grid(ring, basis.limbs());
    ring.device().launch(&kernels::TIMES_SPECIAL, Grid { blocks: [x, y, 2], threads }, &arguments);
}

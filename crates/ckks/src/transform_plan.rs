//! Plan of the multiplication by a matrix in diagonal form: baby steps, giant steps, level and scale.

use cryptable_lattice::{KeyPurpose, SwitchingKeyShape};
use cryptable_ring::{Basis, RingModuli};

use crate::counts::Counts;
use crate::dft_factors::DiagonalMatrix;
use crate::dft_shapes::MatrixShape;

/// Bytes of a word.
const WORD_BYTES: usize = 8;

/// Number of words of one part of the blocks of all baby steps. Blocks of eight steps are runs of 16,384 words of a
/// key's row, which are read at nine tenths of the memory's full speed (runs of 4,096 at seven tenths), and they stay
/// in the third-level cache for all diagonals.
const BABY_BLOCKS_WORDS: usize = 8 * 16384;

/// The baby step and giant step of a diagonal, and its place in the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagonalStep {
    /// Index of the baby step.
    pub baby: usize,
    /// Index of the giant step.
    pub giant: usize,
    /// The rotation of the diagonal in the matrix.
    pub rotation: usize,
}

/// A baby-step giant-step plan for one matrix at one level.
///
/// With rotations `stride·k`, k in a window of consecutive integers from `first`, the product is
/// `Σ_j rot(j·n1·stride)[ Σ_b d'_{j,b} ∘ rot((first + b)·stride)(v) ]`. Baby steps share one
/// decomposition (hoisting) and stay modulo Q·P (double hoisting); giant steps are nested by Horner's
/// rule, so they all use one key.
///
/// Baby steps may share keys: the steps after the first [`TransformPlan::keyed_babies`] are the first steps of the
/// turned vector, `rot((first + b)·stride)(rot(g·stride)(v))`. Groups of g baby steps need g keys and one for the turn,
/// which costs one more key switch and decomposition.
///
/// A matrix that *raises* is applied to a ciphertext that ModRaise has lifted, still under the sparse secret. Its mask
/// is small and has a single digit, so that one key of two rows both rotates and switches to the dense secret, and one
/// special prime is enough.
#[derive(Clone, Debug)]
pub struct TransformPlan {
    /// Limbs of the ciphertext that is multiplied.
    pub limbs: usize,
    /// Shape of all keys that the plan uses.
    pub shape: SwitchingKeyShape,
    /// Scale of the encoded matrix.
    pub scale: f64,
    /// Rotations of the baby steps, modulo the number of slots N/2.
    pub babies: Vec<usize>,
    /// Number of baby steps that have keys of their own, which the others share.
    pub keyed_babies: usize,
    /// Rotation from one baby step to the next.
    pub stride: usize,
    /// Rotation of one giant step.
    pub giant_rotation: usize,
    /// Number of giant steps.
    pub giants: usize,
    /// All diagonals, each with its baby and giant step.
    pub steps: Vec<DiagonalStep>,
    /// Root mean square over rows of the 2-norm of a row: the factor on independent noise.
    pub row_norm: f64,
    /// Number of coefficients of the polynomials that encode all diagonals.
    pub rounded_coefficients: usize,
    /// Number of diagonals whose polynomial has all coefficients of the ring.
    pub full_diagonals: usize,
    /// Whether the matrix is applied to a ciphertext under the sparse secret.
    pub raises: bool,
    /// For a matrix of SlotsToCoeffs, the number of slots whose errors the matrix may combine in one coefficient.
    pub coefficient_span: Option<usize>,
}

impl TransformPlan {
    /// Plans `matrix` with `baby_steps` baby steps for ciphertexts of `ring_slots` = N/2 slots.
    ///
    /// # Panics
    /// If `baby_steps` is 0 or the matrix has no diagonal.
    #[must_use]
    pub fn new(
        matrix: &DiagonalMatrix,
        ring_slots: usize,
        baby_steps: usize,
        shape: SwitchingKeyShape,
        scale: f64,
    ) -> Self {
        Self::of_shape(&matrix.shape(), ring_slots, baby_steps, shape, scale)
    }

    /// Plans a matrix like [`TransformPlan::new`], before its entries are known.
    ///
    /// # Panics
    /// The panics of [`TransformPlan::new`].
    #[must_use]
    pub fn of_shape(
        matrix: &MatrixShape,
        ring_slots: usize,
        baby_steps: usize,
        shape: SwitchingKeyShape,
        scale: f64,
    ) -> Self {
        assert!(baby_steps > 0 && !matrix.periods.is_empty());
        let slots = matrix.slots;
        let rotations: Vec<usize> = matrix.periods.keys().copied().collect();
        let stride = rotations
            .iter()
            .filter(|&&r| r > 0)
            .map(|r| 1usize << r.trailing_zeros())
            .min()
            .unwrap_or(1);
        let count = slots / stride;
        let (first, window) = smallest_window(&rotations, stride, count);
        let (first, window) = from_zero(first, window, baby_steps);
        let babies_used = baby_steps.min(window);
        let signed = |k: i64| (k * stride as i64).rem_euclid(ring_slots as i64) as usize;
        // Positions in the window start at `first`, taken as a negative number if that is nearer to 0.
        let origin = if 2 * first > count { first as i64 - count as i64 } else { first as i64 };
        let steps = rotations
            .iter()
            .map(|&rotation| {
                let position = (rotation / stride + count - first) % count;
                DiagonalStep {
                    baby: position % babies_used,
                    giant: position / babies_used,
                    rotation,
                }
            })
            .collect();
        Self {
            limbs: shape.basis.main,
            shape,
            scale,
            babies: (0..babies_used).map(|b| signed(origin + b as i64)).collect(),
            keyed_babies: babies_used,
            stride,
            giant_rotation: (babies_used * stride) % ring_slots,
            giants: window.div_ceil(babies_used),
            steps,
            row_norm: matrix.row_power.sqrt(),
            rounded_coefficients: matrix.rounded_coefficients(),
            full_diagonals: matrix.periods.values().filter(|&&it| it == ring_slots).count(),
            raises: false,
            coefficient_span: None,
        }
    }

    /// Plans a matrix that raises to a basis, without giant steps.
    ///
    /// # Panics
    /// If its rotations are not multiples of one of them, starting at 0.
    #[must_use]
    pub fn raising(matrix: &MatrixShape, ring_slots: usize, raised: Basis, scale: f64) -> Self {
        let shape = raising_shape(raised);
        let plan = Self::of_shape(matrix, ring_slots, matrix.periods.len(), shape, scale);
        assert!(plan.giants == 1 && plan.babies[0] == 0, "rotations {:?}", plan.babies);
        Self { raises: true, ..plan }
    }

    /// Returns the same plan in which only the first `keyed_babies` baby steps have keys.
    ///
    /// # Panics
    /// If `keyed_babies` is 0.
    #[must_use]
    pub fn sharing_baby_keys(self, keyed_babies: usize) -> Self {
        assert!(keyed_babies > 0, "no baby step has a key");
        Self { keyed_babies: keyed_babies.min(self.babies.len()), ..self }
    }

    /// Least number of nonzero entries per row: a factor of a Fourier transform has 2^r of them on 2^(r+1) - 1
    /// diagonals.
    #[must_use]
    pub fn row_entries(&self) -> usize {
        self.steps.len().div_ceil(2)
    }

    /// Number of words of the blocks of all baby steps, for a ring of degree N.
    pub(crate) fn block_words(&self, degree: usize) -> usize {
        (BABY_BLOCKS_WORDS / self.babies.len().next_power_of_two().max(8)).min(degree)
    }

    /// Number of words that a thread needs for baby steps: blocks of both parts of all of them, and of a sum before its
    /// permutation.
    #[must_use]
    pub fn baby_words(&self, degree: usize) -> usize {
        2 * (self.babies.len() + 1) * self.block_words(degree)
    }

    /// Number of groups of baby steps that share keys.
    #[must_use]
    pub fn baby_groups(&self) -> usize {
        self.babies.len().div_ceil(self.keyed_babies)
    }

    /// Returns the rotation from one group of baby steps to the next, or `None` if there is only one group.
    #[must_use]
    pub fn turn_rotation(&self) -> Option<usize> {
        (self.keyed_babies < self.babies.len()).then_some(self.keyed_babies * self.stride)
    }

    /// Baby steps with keys of their own: those that rotate or, if the matrix raises, all, because they change the
    /// secret.
    fn rotating_babies(&self) -> impl Iterator<Item = usize> {
        self.babies[..self.keyed_babies].iter().copied().filter(|&r| r != 0 || self.raises)
    }

    /// Returns the purpose of the key of a rotation.
    #[must_use]
    pub fn key_purpose(&self, element: usize) -> KeyPurpose {
        match (self.raises, element) {
            (false, element) => KeyPurpose::Galois(element as u32),
            (true, 1) => KeyPurpose::SparseToDense,
            (true, element) => KeyPurpose::SparseGalois(element as u32),
        }
    }

    /// Returns the rotations that need keys.
    #[must_use]
    pub fn rotations(&self) -> Vec<usize> {
        let mut rotations: Vec<usize> = self.rotating_babies().collect();
        rotations.extend(self.turn_rotation());
        if self.giants > 1 {
            rotations.push(self.giant_rotation);
        }
        rotations
    }

    /// Number of limbs of keys and of the encoded matrix that one application reads. Each key of baby steps is read
    /// once for all groups.
    #[must_use]
    pub fn streamed_limbs(&self, degree: usize) -> usize {
        let all = self.shape.basis.limbs();
        let keys = self.rotating_babies().count() + self.baby_groups() + self.giants - 2;
        2 * self.shape.digits() * all * keys + self.rounded_coefficients * all / degree
    }

    /// Number of key switches of one application.
    #[must_use]
    pub fn key_switches(&self) -> usize {
        self.babies.len() + self.baby_groups() + self.giants - 2
    }

    /// Mean number of turns before a baby step.
    #[must_use]
    pub fn mean_turns(&self) -> f64 {
        let turns: usize = (0..self.babies.len()).map(|baby| baby / self.keyed_babies).sum();
        turns as f64 / self.babies.len() as f64
    }

    /// Variance that rounding the matrix to integers adds to a slot, for slots of mean square 1.
    ///
    /// A diagonal of period m has 2m rounded coefficients, each with an error of variance 1/12.
    #[must_use]
    pub fn encoding_noise(&self) -> f64 {
        self.rounded_coefficients as f64 / 12.0 / (self.scale * self.scale)
    }

    /// Returns the bytes of the encoded matrix: packed rows of diagonals of full length, and one word per run and limb
    /// of all others.
    #[must_use]
    pub fn encoded_bytes(&self, moduli: &RingModuli) -> usize {
        let (basis, full) = (self.shape.basis, self.full_diagonals);
        let runs = self.rounded_coefficients - full * moduli.degree();
        full * moduli.packed_bytes(basis) + WORD_BYTES * basis.limbs() * runs
    }

    /// Number of decompositions for baby steps: one per group, for the steps that rotate and for the turn to the next
    /// group.
    fn decompositions(&self) -> usize {
        let last = usize::from(self.rotating_babies().next().is_some());
        self.baby_groups() - 1 + last
    }

    /// Number of multiply-accumulates with keys and diagonals of one application, in limbs.
    fn limb_products(&self) -> usize {
        let all = self.shape.basis.limbs();
        // ModRaise itself performs one switch.
        let switches = self.key_switches() - usize::from(self.raises);
        all * (2 * self.shape.digits() * switches + 2 * self.steps.len())
    }

    /// Counts the products of base conversions in all decompositions and divisions by the special primes.
    fn conversion_products(&self) -> usize {
        let basis = self.shape.basis;
        let (all, stored, special) = (basis.limbs(), basis.main_limbs(), basis.special);
        let (giants, turns) = (self.giants - 1, self.baby_groups() - 1);
        if self.raises {
            return 0;
        }
        (self.decompositions() + giants) * stored * all
            + (giants + 2 + 2 * turns) * special * stored
    }

    /// Number of NTTs of one application that drops `rescale` primes; for a matrix that raises, none beside those of
    /// ModRaise.
    #[must_use]
    pub fn transforms(&self, rescale: usize) -> usize {
        let basis = self.shape.basis;
        let (l, k) = (basis.main_limbs(), basis.special);
        let digits = self.shape.digits();
        if self.raises {
            return 0;
        }
        self.decompositions() * digits * (l + k)
            + (self.giants - 1) * (digits + 1) * (l + k)
            + (self.baby_groups() - 1) * 2 * (l + k)
            + 2 * division_transforms(basis, rescale)
    }

    /// Counts one application that drops `rescale` primes, in a ring of this degree.
    #[must_use]
    pub fn counts(&self, degree: usize, rescale: usize) -> Counts {
        Counts {
            transforms: self.transforms(rescale),
            limb_products: self.limb_products(),
            conversion_products: self.conversion_products(),
            key_switches: self.key_switches(),
            lifted_limbs: (self.decompositions() + self.giants - 1)
                * lifted_limbs(self.shape, self.shape.basis.main_limbs()),
            streamed_limbs: self.streamed_limbs(degree),
            ..Counts::default()
        }
    }
}

/// The shape of keys from the sparse secret, for polynomials of a basis. Words modulo q_0 are small compared with any
/// other modulus, so that all limbs form one digit, and one special prime is enough.
pub(crate) fn raising_shape(basis: Basis) -> SwitchingKeyShape {
    let basis = Basis { special: 1, ..basis };
    SwitchingKeyShape { basis, digit_limbs: basis.main_limbs() }
}

/// Returns the number of limbs to which a decomposition lifts a polynomial of `limbs` limbs: 0 if digits have several primes.
pub(crate) fn lifted_limbs(shape: SwitchingKeyShape, limbs: usize) -> usize {
    if shape.digit_limbs == 1 { limbs * (limbs + shape.basis.special - 1) } else { 0 }
}

/// Number of NTTs in the division of one polynomial by all special primes and the top `rescale` main ones.
#[must_use]
pub fn division_transforms(basis: Basis, rescale: usize) -> usize {
    let kept = basis.without_special().lowered(basis.main - rescale);
    // If only the second prime of a limb is dropped, that limb is transformed back and kept.
    let split = usize::from(rescale > 0 && basis.shared.is_second(kept.main));
    basis.limbs() + split
}

/// Moves a window that begins later to 0, unless this needs one more giant step: the rotation by 0 needs no key.
fn from_zero(first: usize, window: usize, baby_steps: usize) -> (usize, usize) {
    let longer = first + window;
    if longer.div_ceil(baby_steps) == window.div_ceil(baby_steps) {
        (0, longer)
    } else {
        (first, window)
    }
}

/// The smallest cyclic window of multiples of `stride` that contains all rotations. Returns its first element
/// (preferably 0) and its length.
fn smallest_window(rotations: &[usize], stride: usize, count: usize) -> (usize, usize) {
    let positions: Vec<usize> = rotations.iter().map(|r| r / stride).collect();
    let gap_before = |i: usize| {
        let previous = positions[(i + positions.len() - 1) % positions.len()];
        match (positions[i] + count - previous) % count {
            0 => count,
            gap => gap,
        }
    };
    let start = (0..positions.len())
        .max_by_key(|&i| (gap_before(i), std::cmp::Reverse(positions[i])))
        .expect("at least one diagonal");
    (positions[start], count - gap_before(start) + 1)
}

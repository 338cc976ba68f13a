//! Constants of the transforms of digit products, in the order in which the passes read them.

use super::super::avx512::LANES;
use crate::Modulus;
use crate::roots::primitive_root;

/// Words of one vector.
pub(super) type Vector = [u64; LANES];

/// Words of the blocks that a transform ends (forward) or begins (inverse) with: a square of
/// vectors.
pub(super) const BLOCK: usize = LANES * LANES;

/// A factor c as `c + q`, with `⌈c·2^52/q⌉` (Shoup's method, rounded up), in every lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scalar {
    pub(super) value: u64,
    pub(super) quotient: u64,
}

/// Eight factors, one for each lane of a vector, in the form of [`Scalar`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Factors {
    pub(super) value: Vector,
    pub(super) quotient: Vector,
}

/// Factors of the last six levels of a forward transform in one block.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct BlockFactors {
    /// Of the levels that pair vectors, one number per sub-block: 1, 2, 4 of them.
    pub(super) scalars: [Scalar; 7],
    /// Of the levels within vectors, after the transposition: a lane is a sub-block.
    pub(super) vectors: [Factors; 7],
}

/// A pass of two or three levels over vectors: how many sub-blocks of factors, and of how many
/// levels.
#[derive(Clone, Debug)]
pub(super) enum Pass<T> {
    /// Two levels: 1 + 2 factors.
    Radix4(Vec<[T; 3]>),
    /// Three levels: 1 + 2 + 4 factors.
    Radix8(Vec<[T; 7]>),
}

/// The last multiplication of an inverse transform: `c/q` as a fraction of 104 bits, high and low
/// half.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Twist {
    pub(super) high: Vector,
    pub(super) low: Vector,
}

/// All constants of the transforms over one ring.
#[derive(Clone, Debug)]
pub(super) struct Twiddles {
    /// Leading passes of the forward transform: one entry per block.
    pub(super) forward: Vec<Pass<Scalar>>,
    pub(super) forward_blocks: Vec<BlockFactors>,
    /// ω_4^-j and ω_8^-j for the second and third level of the inverse transform.
    pub(super) inverse_scalars: [Scalar; 6],
    /// Levels four to six of the inverse transform: 1 + 2 + 4 vectors.
    pub(super) inverse_vectors: [Factors; 7],
    /// Trailing passes of the inverse transform: one entry per vector of a sub-transform.
    pub(super) inverse: Vec<Pass<Factors>>,
    /// ψ^-i/N, in the order of coefficients.
    pub(super) twist: Vec<Twist>,
}

/// Levels of the passes around the blocks, in order, for all but six of log2 N levels.
fn pass_levels(levels: u32) -> Vec<u32> {
    let rest = levels - BLOCK.ilog2();
    let threes = match rest % 3 {
        1 => rest / 3 - 1,
        _ => rest / 3,
    };
    let twos = (rest - 3 * threes) / 2;
    [vec![3; threes as usize], vec![2; twos as usize]].concat()
}

/// Whether every level fits a pass (not so for seven levels), and their ranges 52 bits (up to
/// twelve).
pub(super) fn fits(degree: usize) -> bool {
    degree.is_power_of_two() && (BLOCK..=4096).contains(&degree) && degree != 2 * BLOCK
}

impl Twiddles {
    /// For the ring of degree N modulo a prime that is 1 modulo 2N.
    pub(super) fn new(m: &Modulus, degree: usize) -> Self {
        let root = primitive_root(m, 2 * degree as u64).expect("an NTT prime");
        let levels = degree.ilog2();
        let scalar = |value: u64| Scalar { value: value + m.value(), quotient: quotient(m, value) };
        // ψ^bitrev(k): the factor of sub-block k - 2^j of level j + 1, for k in 2^j..2^(j+1).
        let powers = powers(m, root, degree);
        let reversed = |k: usize| k.reverse_bits() >> (usize::BITS - levels);
        let forward = |k: usize| scalar(powers[reversed(k)]);
        let passes = pass_levels(levels);
        let mut leading = Vec::new();
        let mut blocks = 1;
        for &levels in &passes {
            let factors = |b: usize, levels: u32| {
                (0..levels).flat_map(move |l| (0..1 << l).map(move |j| ((blocks + b) << l) + j))
            };
            leading.push(if levels == 2 {
                let of = |b| gather(factors(b, 2).map(forward));
                Pass::Radix4((0..blocks).map(of).collect())
            } else {
                let of = |b| gather(factors(b, 3).map(forward));
                Pass::Radix8((0..blocks).map(of).collect())
            });
            blocks <<= levels;
        }
        let inverse = m.inv(root);
        let twist = m.inv(degree as u64);
        Self {
            forward: leading,
            forward_blocks: (0..blocks).map(|b| block_factors(blocks, b, forward)).collect(),
            inverse_scalars: {
                let of = |order: usize, j: usize| {
                    scalar(m.pow(inverse, (2 * degree / order * j) as u64))
                };
                [of(4, 0), of(4, 1), of(8, 0), of(8, 1), of(8, 2), of(8, 3)]
            },
            inverse_vectors: gather(inverse_factors(m, degree, inverse, LANES, 3, 0)),
            inverse: inverse_passes(m, degree, inverse, &passes),
            twist: twists(m, degree, inverse, twist),
        }
    }
}

fn quotient(m: &Modulus, value: u64) -> u64 {
    (u128::from(value) << 52).div_ceil(u128::from(m.value())) as u64
}

fn powers(m: &Modulus, root: u64, count: usize) -> Vec<u64> {
    std::iter::successors(Some(1), |&x| Some(m.mul(x, root))).take(count).collect()
}

fn gather<T: Copy + Default, const K: usize>(items: impl Iterator<Item = T>) -> [T; K] {
    let mut out = [T::default(); K];
    let mut count = 0;
    for (out, item) in out.iter_mut().zip(items) {
        *out = item;
        count += 1;
    }
    assert_eq!(count, K);
    out
}

fn lanes(m: &Modulus, of: impl Fn(usize) -> u64) -> Factors {
    let value: Vector = std::array::from_fn(of);
    Factors {
        value: value.map(|value| value + m.value()),
        quotient: value.map(|value| quotient(m, value)),
    }
}

/// The factors of forward block `b` of `blocks`.
fn block_factors(blocks: usize, b: usize, factor: impl Fn(usize) -> Scalar) -> BlockFactors {
    let scalars = (0..3).flat_map(|l| (0..1 << l).map(move |j| ((blocks + b) << l) + j));
    let vectors = (3..6).flat_map(|l| {
        // Lane v has the sub-blocks of vector v: 2^(l-3) of them at this level.
        (0..1usize << (l - 3)).map(move |j| (l, j))
    });
    let of_lanes = |(l, j): (usize, usize)| {
        let lane = |v: usize| factor(((blocks + b) << l) + (v << (l - 3)) + j);
        Factors {
            value: std::array::from_fn(|v| lane(v).value),
            quotient: std::array::from_fn(|v| lane(v).quotient),
        }
    };
    BlockFactors { scalars: gather(scalars.map(&factor)), vectors: gather(vectors.map(of_lanes)) }
}

/// ω^-i of `levels` levels of the inverse transform from sub-transforms of `size` words on, for
/// vector `column` of a sub-transform.
fn inverse_factors(
    m: &Modulus,
    degree: usize,
    inverse_root: u64,
    size: usize,
    levels: u32,
    column: usize,
) -> impl Iterator<Item = Factors> {
    (0..levels).flat_map(move |l| {
        let half = size << l;
        let step = degree / half; // ψ^-step is a root of order 2·half.
        (0..1usize << l).map(move |j| {
            lanes(m, |lane| {
                let i = j * size + LANES * column + lane;
                m.pow(inverse_root, (step * i) as u64)
            })
        })
    })
}

fn inverse_passes(
    m: &Modulus,
    degree: usize,
    inverse_root: u64,
    passes: &[u32],
) -> Vec<Pass<Factors>> {
    let mut size = BLOCK;
    let mut out = Vec::new();
    // The fewest factors are read where sub-transforms are many: radix 4 first.
    for &levels in passes.iter().rev() {
        let factors = |column| inverse_factors(m, degree, inverse_root, size, levels, column);
        let columns = 0..size / LANES;
        out.push(if levels == 2 {
            Pass::Radix4(columns.map(|column| gather(factors(column))).collect())
        } else {
            Pass::Radix8(columns.map(|column| gather(factors(column))).collect())
        });
        size <<= levels;
    }
    out
}

fn twists(m: &Modulus, degree: usize, inverse_root: u64, degree_inverse: u64) -> Vec<Twist> {
    let q = u128::from(m.value());
    let mut factors = powers(m, inverse_root, degree);
    for factor in &mut factors {
        *factor = m.mul(*factor, degree_inverse);
    }
    let (vectors, _) = factors.as_chunks::<LANES>();
    vectors
        .iter()
        .map(|factors| {
            let high = factors.map(|c| ((u128::from(c) << 52) / q) as u64);
            let low = factors.map(|c| ((((u128::from(c) << 52) % q) << 52) / q) as u64);
            Twist { high, low }
        })
        .collect()
}

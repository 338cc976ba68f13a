//! Groups of limbs whose words are combined to one integer in the table step, and the constants for conversion from
//! words to residues modulo small numbers and back ([`ResidueEntries`]).
//!
//! Words `x_i` modulo primes `q_i`, with product Q, stand for `x = Σ_i y_i·(Q/q_i) - v·Q`, where
//! `y_i = x_i·(Q/q_i)^-1 mod q_i` and `v = round(Σ_i y_i/q_i)`: the centred representative. Modulo p that is a sum of
//! products of bytes with constants.
//!
//! A sum S of products with entries is determined by `r_p = S·(M/p)^-1 mod p`, where M is the product of all p:
//! `S = Σ_p r_p·(M/p) - k·M` with `k = round(Σ_p r_p/p)`, because `|S| < M/2`. Modulo q_i that is a sum of products of
//! bytes, too. Quotients by rounding are those of Halevi, Polyakov, Shoup 2019.

use super::ntt::doubles::encode;
use super::residue_entries::{MAX_GROUP, MODULI, QUAD, ResidueEntries, centered, inverse};
use crate::Modulus;

/// Bytes of weights modulo a prime: words are below 2^50, and digits are signed bytes.
pub(super) const WEIGHT_DIGITS: usize = 7;

/// Bits after the point of fractions `r/p`. Up to 24 of them are then below 2^31, with a total error of at most 2^-14.
pub(super) const FRACTION_BITS: u32 = 26;

/// Bytes of the fraction 1/p.
pub(super) const FRACTION_DIGITS: usize = 3;

/// The offset that makes sums positive: their absolute values are below 2^29, for at most four products over 2^11
/// columns each.
pub(super) const SUM_OFFSET: i32 = 1 << 29;

/// The most double words for a word of a group of limbs.
pub(super) const MAX_PARTS: usize = 2 * MAX_GROUP;

/// Groups of four residues of a sum, the multiple of M included.
const MAX_QUADS: usize = MODULI.len() / QUAD + 1;

/// Four signed bytes.
type Bytes = [i8; QUAD];

/// Constants of a group of limbs and a matrix.
#[derive(Debug)]
pub(super) struct ResidueGroup {
    pub(super) moduli: Vec<Modulus>,
    /// `(Q/q_i)^-1` modulo q_i, encoded by [`encode`].
    pub(super) inverses: Vec<[u64; 2]>,
    pub(super) planes: Vec<Plane>,
    /// `2^26/p` in signed digits, four p at a time.
    pub(super) fractions: [[Bytes; FRACTION_DIGITS]; MAX_QUADS],
    /// For each limb: `(M/p)·factor`, then `-M·factor`, modulo q_i and centered, in signed digits.
    pub(super) weights: Vec<[[Bytes; WEIGHT_DIGITS]; MAX_QUADS]>,
}

/// Constants modulo one number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) p: u16,
    /// `1/p`.
    pub(super) reciprocal: f32,
    /// Factors for bytes of words of the group, low halves before high ones: `2^(8b)·(Q/q_i)`, and -Q for the highest
    /// byte of the first limb, which holds v.
    pub(super) lift: [Bytes; MAX_PARTS],
    /// `2^(8b)·(M/p)^-1`, for the bytes of sums.
    pub(super) reduction: Bytes,
    /// The number that undoes the offset of sums.
    pub(super) correction: i8,
}

impl ResidueGroup {
    /// Computes the constants for different primes, whose number must be one that the matrix allows.
    pub(super) fn new(moduli: &[&Modulus], entries: &ResidueEntries) -> Self {
        let primes = || moduli.iter().map(|m| m.value());
        let count = entries.planes_for(primes()).expect("a group that the matrix allows");
        let numbers = &MODULI[..count];
        let others = |m: &Modulus, skipped: u64| {
            let factors = primes().filter(|&q| q != skipped);
            factors.fold(1, |product, q| m.mul(product, m.reduce(q)))
        };
        let inverses = moduli.iter().map(|m| encode(m, m.inv(others(m, m.value())))).collect();
        let mut fractions = [[[0; QUAD]; FRACTION_DIGITS]; MAX_QUADS];
        for (plane, &p) in numbers.iter().enumerate() {
            let fraction = ((1 << FRACTION_BITS) + i64::from(p) / 2) / i64::from(p);
            put_digits(&mut fractions[plane / QUAD], plane % QUAD, fraction);
        }
        let weights = moduli.iter().map(|m| {
            let mut weights = [[[0; QUAD]; WEIGHT_DIGITS]; MAX_QUADS];
            let factor = m.reduce(entries.factor);
            let product = |skipped: Option<usize>| {
                let kept = numbers.iter().enumerate().filter(|&(plane, _)| Some(plane) != skipped);
                kept.fold(factor, |product, (_, &p)| m.mul(product, m.reduce(p.into())))
            };
            for plane in 0..count {
                let weight = m.center(product(Some(plane)));
                put_digits(&mut weights[plane / QUAD], plane % QUAD, weight);
            }
            let overflow = m.center(m.neg(product(None)));
            put_digits(&mut weights[count / QUAD], count % QUAD, overflow);
            weights
        });
        Self {
            moduli: moduli.iter().map(|&m| *m).collect(),
            inverses,
            planes: numbers.iter().map(|&p| Plane::new(p, numbers, moduli)).collect(),
            fractions,
            weights: weights.collect(),
        }
    }

    /// Returns the number of double words for a word of all limbs.
    pub(super) fn parts(&self) -> usize {
        2 * self.moduli.len()
    }

    /// Returns the number of bytes that are kept of a sum: residues, and room for the multiple of M, in groups of four.
    pub(super) fn slots(&self) -> usize {
        (self.planes.len() + 1).next_multiple_of(QUAD)
    }
}

impl Plane {
    fn new(p: u16, numbers: &[u16], moduli: &[&Modulus]) -> Self {
        let reduced = |number: u64| i128::from(number % u64::from(p));
        let product = |skipped: Option<usize>| {
            let kept = moduli.iter().enumerate().filter(|&(limb, _)| Some(limb) != skipped);
            kept.fold(1, |product, (_, m)| product * reduced(m.value()))
        };
        let byte = |number: i128, byte: usize| {
            centered(centered(number, p) as i128 * ((1i128 << (8 * byte)) % i128::from(p)), p) as i8
        };
        let mut lift = [[0; QUAD]; MAX_PARTS];
        for (part, lift) in lift.iter_mut().enumerate().take(2 * moduli.len()) {
            let others = product(Some(part / 2));
            *lift = std::array::from_fn(|index| byte(others, QUAD * (part % 2) + index));
        }
        lift[1][QUAD - 1] = centered(-product(None), p) as i8;
        let others = numbers.iter().filter(|&&other| other != p);
        let others = others.fold(1, |product, &other| product * i128::from(other) % i128::from(p));
        let inverse = i128::from(inverse(others, p));
        Self {
            p,
            reciprocal: 1.0 / f32::from(p),
            lift,
            reduction: std::array::from_fn(|index| byte(inverse, index)),
            correction: centered(-i128::from(SUM_OFFSET) * inverse, p) as i8,
        }
    }
}

/// Writes a number to column `index` in signed digits of one byte, the lowest first.
fn put_digits<const DIGITS: usize>(out: &mut [Bytes; DIGITS], index: usize, mut number: i64) {
    for digits in out {
        digits[index] = number as i8;
        number = (number - i64::from(digits[index])) >> 8;
    }
    debug_assert_eq!(number, 0, "a number of more digits");
}

//! Tables of transforms on a card, made as they are first asked for: layouts are those of `ntt.cuh`.

use std::sync::OnceLock;

use cryptable_ring::{Modulus, Ring};

use crate::device::{Device, Words};

/// Words of a row, and elements of a thread: `ROW` and `PART` of `ntt.cuh`.
pub(crate) const ROW: usize = 256;
const PART: usize = 16;

/// Moduli below it have transforms in doubles: their products are exact in two doubles.
const DOUBLES_BOUND: u64 = 1 << 50;

/// The arithmetic of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// `ntt_doubles.cuh`: moduli below 2^50.
    Doubles,
    /// `ntt_integers.cuh`: moduli below 2^62.
    Integers,
}

/// What transforms of a ring read.
#[derive(Debug)]
pub(crate) struct TransformTables {
    bound: u64,
    doubles: OnceLock<Words>,
    integers: OnceLock<Words>,
    degree_inverses: OnceLock<Words>,
}

impl TransformTables {
    /// Doubles where they can be, integers elsewhere.
    pub(crate) fn new() -> Self {
        let [doubles, integers, degree_inverses] = [const { OnceLock::new() }; 3];
        Self { bound: DOUBLES_BOUND, doubles, integers, degree_inverses }
    }

    /// Integers everywhere.
    pub(crate) fn of_integers() -> Self {
        Self { bound: 0, ..Self::new() }
    }

    /// Doubles are for moduli below it.
    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    /// The arithmetic of a modulus.
    pub(crate) fn arithmetic(&self, modulus: u64) -> Arithmetic {
        if modulus < self.bound { Arithmetic::Doubles } else { Arithmetic::Integers }
    }

    /// Where the tables of all moduli are, for an arithmetic; those of the other arithmetic are zeros.
    pub(crate) fn twiddles(&self, device: &Device, ring: &Ring, arithmetic: Arithmetic) -> u64 {
        let cell = match arithmetic {
            Arithmetic::Doubles => &self.doubles,
            Arithmetic::Integers => &self.integers,
        };
        let words = cell.get_or_init(|| {
            let moduli = ring.moduli().values().iter().enumerate();
            let tables = moduli.flat_map(|(index, &q)| {
                let is_used = self.arithmetic(q) == arithmetic;
                modulus_table(ring, index, arithmetic, is_used)
            });
            device.upload(&tables.collect::<Vec<_>>())
        });
        words.address(0)
    }

    /// Where `1/N` modulo each modulus is.
    pub(crate) fn degree_inverses(&self, device: &Device, ring: &Ring) -> u64 {
        let words = self.degree_inverses.get_or_init(|| {
            let moduli = 0..ring.moduli().values().len();
            let inverses: Vec<u64> =
                moduli.map(|index| ring.table(index).degree_inverse()).collect();
            device.upload(&inverses)
        });
        words.address(0)
    }
}

/// The exponents of psi in the twiddles of a modulus, in the order of `ntt.cuh`.
fn exponents(degree: usize) -> Vec<usize> {
    let rows = degree / ROW;
    // The exponent of a node's twiddle.
    let of_node = |node: usize| reversed(node, degree);
    let mut out: Vec<usize> = (0..rows).map(of_node).collect();
    for row in 0..rows {
        let node = rows + row;
        // Of the point of the row's first evaluation.
        let point = 2 * reversed(row * ROW, degree) + 1;
        out.extend((0..PART).map(|column| point * column));
        out.extend((0..PART).map(|column| of_node(node) + point * column));
        out.extend((0..PART).map(|h| if h < 2 { 0 } else { of_node(descendant(node, h)) }));
    }
    for is_inverse in [false, true] {
        for h in 0..PART {
            out.extend((0..PART).map(|part| constant(degree, (part, h), is_inverse)));
        }
    }
    out
}

/// The exponent of constant h of sub-block `part`: its modulus is `Y^16 - psi^e`, e the part's bit reversal times 2N/16, and for
/// the inverse 2N/16 more; a child has a half of the exponent, the second child N more. Constant h is the twiddle of the
/// descendant h, for the inverse the negative of what undoes it.
fn constant(degree: usize, (part, h): (usize, usize), is_inverse: bool) -> usize {
    if h == 0 {
        return 0;
    }
    let mut exponent = 2 * degree / PART * (reversed(part, PART) + usize::from(is_inverse));
    for depth in (0..h.ilog2()).rev() {
        exponent = exponent / 2 + degree * (h >> depth & 1);
    }
    if is_inverse { 3 * degree - exponent / 2 } else { exponent / 2 }
}

/// The lowest log2(bound) bits of an index, reversed.
fn reversed(index: usize, bound: usize) -> usize {
    index.reverse_bits() >> (usize::BITS - bound.ilog2())
}

/// The descendant of a node that is node h in a tree of its own.
fn descendant(node: usize, h: usize) -> usize {
    ((node - 1) << h.ilog2()) + h
}

/// The tables of a modulus: zeros if nobody reads them.
fn modulus_table(ring: &Ring, index: usize, arithmetic: Arithmetic, is_used: bool) -> Vec<u64> {
    let (m, degree) = (ring.modulus(index), ring.degree());
    let exponents = exponents(degree);
    let twiddle_words = if arithmetic == Arithmetic::Doubles { 1 } else { 2 };
    if !is_used {
        return vec![0; twiddle_words * exponents.len()];
    }
    let powers = powers(ring, index);
    let encode = |exponent: usize| {
        let power = powers[exponent % degree];
        let is_negative = exponent / degree % 2 == 1;
        encode(m, if is_negative { m.neg(power) } else { power }, arithmetic)
    };
    exponents.into_iter().flat_map(|e| encode(e).into_iter().take(twiddle_words)).collect()
}

/// A twiddle as the arithmetic reads it: the double nearest to zero, or the word and its Shoup quotient.
fn encode(m: &Modulus, w: u64, arithmetic: Arithmetic) -> [u64; 2] {
    match arithmetic {
        Arithmetic::Doubles => [(m.center(w) as f64).to_bits(), 0],
        Arithmetic::Integers => [w, ((u128::from(w) << 64) / u128::from(m.value())) as u64],
    }
}

/// The first N powers of psi, the first of the points of evaluations.
fn powers(ring: &Ring, index: usize) -> Vec<u64> {
    let (m, degree) = (ring.modulus(index), ring.degree());
    let mut x = vec![0; degree];
    x[1] = 1;
    ring.table(index).forward_assign(&mut x);
    let psi = x[0];
    std::iter::successors(Some(1), |&power| Some(m.mul(power, psi))).take(degree).collect()
}

//! The tree of a transform's blocks, and their twiddles.
//!
//! Level l of a forward transform has 2^l blocks. Block b is the node `2^l + b` of a binary tree, and its twiddle is
//! `ψ^bitrev(node)`, where ψ is a primitive 2N-th root of unity and bitrev reverses log2 N bits. The inverse transform
//! reads the same tables: with ψ^N = -1, the inverse of a node's twiddle is the negative of the twiddle of its mirror
//! image in the level ([`mirror`]).
//!
//! This holds for evaluations at odd powers of ψ. If every point is multiplied by δ ([`Points`]), a node that splits
//! `X^2h - t²` has δ^h times the twiddle, and the mirror image has the inverse's negative in the tables for 1/δ.

use crate::Modulus;

/// The points at which a transform evaluates polynomials: N odd powers of a root ψ, each times a factor δ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points {
    /// ψ, a primitive 2N-th root of unity.
    root: u64,
    /// δ.
    factor: u64,
}

impl Points {
    /// Returns the odd powers of a primitive 2N-th root of unity: the ring is that of X^N + 1.
    pub(crate) const fn odd_powers(root: u64) -> Self {
        Self { root, factor: 1 }
    }

    /// Returns the powers ζ^(4i + 1) of a primitive 4N-th root of unity: the ring is that of X^N - ζ^N.
    pub(crate) fn quarter_of_powers(m: &Modulus, root: u64) -> Self {
        Self { root: m.mul(root, root), factor: m.inv(root) }
    }

    /// Returns ψ.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(super) const fn root(self) -> u64 {
        self.root
    }

    /// Returns the points whose tables have the inverses of the twiddles in mirrored places.
    pub(super) fn mirrored(self, m: &Modulus) -> Option<Self> {
        (self.factor != 1).then(|| Self { factor: m.inv(self.factor), ..self })
    }

    /// Returns the point of the evaluation with this exponent of ψ.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(super) fn power(self, m: &Modulus, exponent: u64) -> u64 {
        m.mul(m.pow(self.root, exponent), self.factor)
    }
}

/// Returns the node with the inverse twiddle, up to the sign: the last node of its level for the first, and so on.
pub(super) fn mirror(node: usize) -> usize {
    (3 << node.ilog2()) - 1 - node
}

/// Returns the twiddles of all nodes from 1 to N - 1, with 1 in the place of node 0.
pub(super) fn twiddles(m: &Modulus, degree: usize, points: Points) -> Vec<u64> {
    let levels = degree.ilog2();
    let mut twiddles = vec![1; degree];
    let mut power = 1;
    for exponent in 1..degree {
        power = m.mul(power, points.root);
        twiddles[exponent.reverse_bits() >> (usize::BITS - levels)] = power;
    }
    // From the leaves up, the exponent h of δ^h doubles at each level.
    let mut factor = points.factor;
    for level in (0..levels).rev() {
        for twiddle in &mut twiddles[1 << level..2 << level] {
            *twiddle = m.mul(*twiddle, factor);
        }
        factor = m.mul(factor, factor);
    }
    twiddles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::ntt_primes;
    use crate::roots::primitive_root;

    #[test]
    fn the_mirror_has_the_inverse() {
        let m = Modulus::new(ntt_primes(128, 20.0, 1, &[])[0]);
        let odd = Points::odd_powers(primitive_root(&m, 128).unwrap());
        let quarter = Points::quarter_of_powers(&m, primitive_root(&m, 256).unwrap());
        for points in [odd, quarter] {
            let mirrored = twiddles(&m, 64, points.mirrored(&m).unwrap_or(points));
            let twiddles = twiddles(&m, 64, points);
            for node in 1..64 {
                assert_eq!(m.mul(twiddles[node], mirrored[mirror(node)]), m.value() - 1);
                assert_eq!(mirror(mirror(node)), node);
            }
        }
    }
}

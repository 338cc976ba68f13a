//! The tree of a transform's blocks, and their twiddles.
//!
//! Level l of a forward transform has 2^l blocks; the block b is a node `2^l + b` of a binary tree,
//! and its twiddle is `ψ^bitrev(node)`, ψ a primitive 2N-th root of unity and bitrev the reversal of
//! log2 N bits. The inverse transform reads the same tables: with ψ^N = -1, the inverse of a node's
//! twiddle is the negative of the twiddle of its mirror image in the level ([`mirror`]).

use crate::Modulus;

/// The node with the inverse twiddle, but for the sign: the last of its level for the first, and so
/// on.
pub(super) fn mirror(node: usize) -> usize {
    (3 << node.ilog2()) - 1 - node
}

/// The twiddles of all nodes from 1 to N - 1, with 1 in the place of node 0.
pub(super) fn twiddles(m: &Modulus, degree: usize, root: u64) -> Vec<u64> {
    let levels = degree.ilog2();
    let mut twiddles = vec![1; degree];
    let mut power = 1;
    for exponent in 1..degree {
        power = m.mul(power, root);
        twiddles[exponent.reverse_bits() >> (usize::BITS - levels)] = power;
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
        let m = Modulus::new(ntt_primes(64, 20.0, 1, &[])[0]);
        let twiddles = twiddles(&m, 64, primitive_root(&m, 128).unwrap());
        for node in 1..64 {
            assert_eq!(m.mul(twiddles[node], twiddles[mirror(node)]), m.value() - 1);
            assert_eq!(mirror(mirror(node)), node);
        }
    }
}

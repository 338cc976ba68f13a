//! Switching from the modulus of one chain of primes to that of another.

use rayon::prelude::*;

use super::{Evaluations, Poly};
use crate::{Buffer, Modulus, Ring, kernels};

impl Poly<Evaluations> {
    /// Returns the polynomial at another chain's modulus: `x -> round(x·Q'/Q)` modulo Q', the product of that chain's
    /// first `main` primes.
    ///
    /// The primes of the two chains differ. Costs one inverse NTT per limb, and one NTT per limb of the result. The
    /// rounding error is uniform in `[-1/2, 1/2]` per coefficient.
    ///
    /// # Panics
    /// If the polynomial has special primes, or the chains share a prime.
    #[must_use]
    pub fn switch_chain(&self, ring: &Ring, chain: usize, main: usize) -> Self {
        assert!(self.basis.special == 0 && self.basis.chain != chain, "{:?}", self.basis);
        let (target, degree) = (ring.chain_basis(chain, main), self.degree);
        let (from, to) = (ring.limb_primes(self.basis), ring.limb_primes(target));
        let product = |moduli: &[usize], m: &Modulus| {
            let values = moduli.iter().map(|&i| ring.modulus(i).value());
            values.fold(1, |product, q| m.mul(product, m.reduce(q)))
        };
        // x·Q' is 0 modulo Q', so (x·Q' - [x·Q']_Q)/Q is -[x·Q']_Q/Q there.
        let mut scaled = Buffer::copied(&self.words);
        scaled.par_chunks_mut(degree).zip(&from).for_each(|(words, &prime)| {
            let m = ring.modulus(prime);
            kernels::mul_scalar_assign(m, words, product(&to, m));
        });
        let mut out = Self::unspecified(ring, target);
        let mut targets: Vec<(usize, &mut [u64])> =
            to.iter().copied().zip(out.words.chunks_mut(degree)).collect();
        ring.convert_base(&from, &scaled, &mut targets);
        out.words.par_chunks_mut(degree).zip(&to).for_each(|(words, &prime)| {
            let m = ring.modulus(prime);
            ring.table(prime).forward_assign(words);
            kernels::mul_scalar_assign(m, words, m.neg(m.inv(product(&from, m))));
        });
        out
    }
}

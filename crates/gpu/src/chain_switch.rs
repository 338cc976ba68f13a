//! From the modulus of one chain of primes to that of another, on a card. See [`cryptable_ring::Poly::switch_chain`].

use cryptable_ring::{Evaluations, Modulus};

use crate::conversion::convert;
use crate::ntt::{self, Batch};
use crate::poly::DevicePoly;
use crate::ring::DeviceRing;

impl DevicePoly<Evaluations> {
    /// The polynomial at another chain's modulus: `x -> round(x·Q'/Q)` modulo Q', the product of its first `main` primes.
    ///
    /// # Panics
    /// If the polynomial has special primes, or the chains share a prime.
    #[must_use]
    pub fn switch_chain(&self, ring: &DeviceRing<'_>, chain: usize, main: usize) -> Self {
        let basis = self.basis();
        assert!(basis.special == 0 && basis.chain != chain, "{basis:?}");
        let on_cpu = ring.ring();
        let target = on_cpu.chain_basis(chain, main);
        let (from, to) = (on_cpu.limb_primes(basis), on_cpu.limb_primes(target));
        let product = |moduli: &[usize], m: &Modulus| {
            let values = moduli.iter().map(|&i| on_cpu.modulus(i).value());
            values.fold(1, |product, q| m.mul(product, m.reduce(q)))
        };
        // The factor Q' goes along with those of the conversion.
        let converter = ring.converter(&from);
        let factors: Vec<u64> = from
            .iter()
            .zip(&converter.scaled_inverses)
            .map(|(&prime, &scaled)| {
                let m = on_cpu.modulus(prime);
                m.mul(scaled, product(&to, m))
            })
            .collect();
        let factors = ring.device().upload(&factors);
        let prepared = ring.device().allocate(basis.limbs() * ring.degree());
        let batch = Batch::of_limbs(ring.limbs(basis));
        ntt::inverse_scaled(ring, self.limb(0), prepared.address(0), &batch, factors.address(0));
        let mut out = Self::unspecified(ring, target);
        let limbs = ring.limbs(target);
        convert(ring, limbs, &[converter.part(prepared.address(0), out.limb(0), 0..0)]);
        ntt::forward(ring, out.limb(0), &Batch::of_limbs(limbs));
        // x·Q' is 0 modulo Q', so (x·Q' - [x·Q']_Q)/Q is -[x·Q']_Q/Q there.
        out.mul_residues_assign(ring, |prime| {
            let m = on_cpu.modulus(prime);
            m.neg(m.inv(product(&from, m)))
        });
        out
    }
}

//! ModRaise with sparse-secret encapsulation on a card. See [`cryptable_ckks::bootstrapping::mod_raise`].

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_ring::{Basis, Evaluations};

use crate::ciphertext::DeviceCiphertext;
use crate::evaluator::DeviceEvaluator;
use crate::key_switching::{Digits, switch_and_divide};
use crate::modulus_switch::lift;
use crate::poly::DevicePoly;
use cryptable_lattice::KeyPurpose;

impl DeviceEvaluator<'_> {
    /// A ciphertext of the client modulo q_0: every word times `q_0/2^k`, rounded.
    pub(crate) fn switch_to_bottom(
        &self,
        input: &CoefficientCiphertext,
    ) -> [DevicePoly<Evaluations>; 2] {
        let ring = self.ring();
        let bottom = |words: Vec<u64>| {
            let basis = ring.ring().main_basis(1);
            DevicePoly::from_power_of_two(ring, basis, &words, input.log2_modulus)
                .into_evaluations(ring)
        };
        let (b, a) = input.to_pair();
        [bottom(b), bottom(a)]
    }

    /// Raises a ciphertext modulo q_0 to the primes of `raised`.
    ///
    /// # Panics
    /// If it has more primes than one.
    pub(crate) fn raise_pair(
        &self,
        [c0, c1]: [&DevicePoly<Evaluations>; 2],
        raised: Basis,
    ) -> DeviceCiphertext {
        let (ring, on_cpu) = (self.ring(), self.ring().ring());
        assert_eq!(c0.basis(), on_cpu.main_basis(1), "primes before ModRaise");
        let key = self.key(KeyPurpose::DenseToSparse, on_cpu.main_basis(1));
        let [c0, c1] = switch_and_divide(ring, c1, key, [Some(c0), None], 0);
        let key = self.key(KeyPurpose::SparseToDense, raised);
        let lifted = |poly: DevicePoly<Evaluations>, basis| {
            lift(ring, &poly.into_coefficients(ring), basis).into_evaluations(ring)
        };
        let c0 = lifted(c0, raised);
        let digits = Digits::from_lifted(lifted(c1, key.shape().raised(raised.main)));
        let [c0, c1] = digits.switch_and_divide(ring, key, [Some(&c0), None], 0);
        DeviceCiphertext { c0, c1, scale: on_cpu.main_prime(0) as f64 }
    }
}

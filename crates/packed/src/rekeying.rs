//! Rekeying: turns ciphertexts of one client into those of another, by a key switch at the bottom of the chain.
//!
//! `(b, a)` with `b + a·s = 2^k·m/p + e` becomes `(b', a')` with `b' + a'·s' = 2^k·m/p + e + e'`, both modulo `2^k` and
//! `X^N + 1`: `(b, a)·q_0/2^k` is rounded, a times the encryption of `p_0·s` under s' modulo `q_0·p_0` is divided by p_0, and
//! the result, times `2^k/q_0`, is rounded.
//!
//! This is hybrid key switching (Han, Ki, CT-RSA 2020) with one digit, as lines 2 to 4 of Algorithm 1 of Bossuat,
//! Troncoso-Pastoriza, Hubaux (ACNS 2022, ePrint 2022/024) switch to the sparse secret. Here, ciphertexts are switched
//! to the secret of another client, by a key that the owner made with that client's public key.
//!
//! Shapes: one ciphertext of degree N in and out; 9 transforms of degree N. Needs no level and no evaluation key.
//!
//! Noise, a fraction of the modulus squared: `(1 + |s'|²)/12·(2^-2k + 2·q_0^-2) + N·σ²/(12·p_0²)`, where σ² is
//! [`Owners::public_error_variance`](cryptable_lattice::Owners::public_error_variance). The first term is the rounding
//! of the result, by s'; the next two are the roundings modulo q_0, by s and s'; the last is the key's error times the
//! words of a, uniform below q_0, over p_0. Given the keys, all are sums of N bounded terms that are symmetric and
//! subgaussian, so that the Gaussian of their variance bounds the tail ([`NoiseLaw`]). They are independent of the
//! noise of the input.

use cryptable_ckks::bootstrapping::mod_raise::{lift, switch_to_bottom};
use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::Result;
use cryptable_lattice::key_switching::add_times_special;
use cryptable_lattice::{NoiseBound, NoiseLaw};

use crate::ciphertext::Ciphertext;
use crate::keys::rekeying_key::RekeyingKey;

impl RekeyingKey {
    /// Turns a fresh ciphertext or a result of the owner into one of the new owner, with the same values. The new
    /// owner's keys can be used with it like with any other ciphertext.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::OtherClient`] and [`cryptable_lattice::Error::OtherParameters`] if the ciphertext is
    /// not one of the owner; [`cryptable_lattice::Error::Unsupported`] if it is compressed;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if values would decrypt wrong with more than the stated probability.
    pub fn apply(&self, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        ciphertext.check(self.parameters(), self.owner(), None)?;
        let noise = ciphertext.noise().with_independent(self.noise());
        let limit = self.parameters().stated_log2_fail();
        noise.check_decryption("decryption by the new owner", ciphertext.modulus(), limit)?;
        let body = self.switch(ciphertext.body());
        Ok(Ciphertext::new(*self.new_owner(), noise, body))
    }

    /// Returns the noise that rekeying adds to a ciphertext.
    #[must_use]
    pub fn noise(&self) -> NoiseBound {
        let law = self.noise_modulo(self.parameters().literal().log2_ciphertext_modulus);
        NoiseBound::of_law(law, 0.0)
    }

    /// The law of the noise that rekeying adds to a ciphertext modulo `2^log2_modulus`.
    fn noise_modulo(&self, log2_modulus: u32) -> NoiseLaw {
        let degree = self.parameters().ring_degree();
        let [_, special] = self.parameters().bottom_primes();
        let of_key = degree as f64
            * self.parameters().literal().owners.public_error_variance(degree)
            / (12.0 * special * special);
        NoiseLaw::gaussian(self.parameters().rounding_noise(2, log2_modulus) + of_key)
    }

    /// Switches a ciphertext to the new owner's secret, between two changes of the modulus.
    fn switch(&self, body: &CoefficientCiphertext) -> CoefficientCiphertext {
        let ring = self.ring();
        let bottom = switch_to_bottom(ring, body);
        let mask = lift(ring, bottom.c1.into_coefficients(ring), ring.full_basis());
        let mut sum = self.encrypted_secret().clone();
        sum.c0.mul_assign(ring, &mask);
        sum.c1.mul_assign(ring, &mask);
        add_times_special(ring, &mut sum.c0, &bottom.c0);
        let shape = CoefficientShape {
            log2_modulus: body.log2_modulus,
            plaintext_modulus: body.plaintext_modulus,
            layout: body.layout,
        };
        switch_to_power_of_two(ring, sum.divide_round(ring, 0), shape)
    }
}

#[cfg(all(test, feature = "client", feature = "diagnostics"))]
mod tests {
    use cryptable_lattice::noise_statistics::NoiseStatistics;
    use cryptable_ring::random::replay;

    use super::*;
    use crate::{Parameters, SecretKey};

    /// Checks the variance from both sides, and counts in the tails. Modulo 2^60, the rounding of the result hides no
    /// other term.
    #[test]
    fn every_term_of_the_noise_is_as_large_as_its_law() {
        let _replay = replay::begin();
        let parameters = Parameters::insecure_toy(16, 16).unwrap();
        let [owner, new_owner] = [(); 2].map(|()| SecretKey::generate(&parameters));
        let key = owner.rekey_to(&new_owner.public_key().unwrap()).unwrap();
        let degree = parameters.ring_degree();
        let errors: Vec<Vec<f64>> = (0..50)
            .map(|_| {
                let zeros = vec![0; degree];
                let fresh = CoefficientCiphertext::encrypt(owner.secret(), &zeros, degree, 16, 60);
                let (switched, fresh) = (
                    key.switch(&fresh).fractions(new_owner.secret()),
                    fresh.fractions(owner.secret()),
                );
                switched.iter().zip(&fresh).map(|(x, y)| x - y).collect()
            })
            .collect();
        let found =
            NoiseStatistics::new(&errors, NoiseBound::of_law(key.noise_modulo(60), 0.0), false);
        // The rounding of the result is at most half of the variance.
        let rounding = parameters.rounding_noise(0, 60);
        assert!(rounding < 0.5 * key.noise_modulo(60).variance(), "{rounding:e}");
        // The law is that of the largest norms that a public key may have, 1.25 times their means; actual norms are
        // within some percents of the means.
        assert!((0.7..0.9).contains(&found.variance_ratio), "{found:?}");
        assert!((2.9..3.1).contains(&found.kurtosis), "{found:?}");
        for beyond in &found.beyond {
            assert!(beyond.is_not_above(2), "{beyond:?}");
        }
    }
}

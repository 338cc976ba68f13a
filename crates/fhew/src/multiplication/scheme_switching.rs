//! Scheme switching from RLWE' to RGSW (De Micheli, Kim, Micciancio, Suhl, PKC 2024; Algorithm 2 of Wang et al.,
//! EUROCRYPT 2024): a ciphertext's phase times the secret, by a gadget ciphertext of s².

use cryptable_ring::Buffer;

use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance, second_moment};
use crate::rlwe::RlweCiphertext;

impl EvaluationKey {
    /// A ciphertext of phase s·(b + a·s), for one of phase b + a·s.
    ///
    /// b becomes the mask, and a is multiplied by s²: one gadget product. The phase's error is multiplied by s, too;
    /// adds the noise of [`NoiseModel::scheme_switching`].
    #[must_use]
    pub fn times_secret(&self, ciphertext: &RlweCiphertext) -> RlweCiphertext {
        let n = self.parameters().ring_degree();
        let mut words = Buffer::zeroed(2 * n);
        words[n..].copy_from_slice(ciphertext.body());
        let mut out = RlweCiphertext::from_words(words);
        self.relinearize_assign(&mut out, ciphertext.mask());
        out
    }
}

impl NoiseModel {
    /// σ_ss²: a product with the gadget ciphertext of s², whose coefficients are about N/4 in size for binary secrets.
    ///
    /// What rounding the digits away leaves is multiplied by s², a sum of N products of secret coefficients.
    #[must_use]
    pub fn scheme_switching(&self) -> Variance {
        let parameters = self.parameters();
        let gadget = parameters.relinearization_gadget();
        let degree = parameters.ring_degree() as f64;
        let moment = second_moment(parameters.literal().ring_secret);
        let products = self.gadget_product(gadget, 0.0);
        // Coefficient x of s² is a sum of x + 1 products less one of N - 1 - x. For ternary secrets its second
        // moment is N·E[s²]²; for binary ones its mean is (2x + 2 - N)/4, whose square is N²/48 on average.
        let mean_square = match parameters.literal().ring_secret {
            cryptable_lattice::security::SecretDistribution::Binary => {
                degree * degree / 48.0 + degree * 3.0 / 16.0
            }
            _ => degree * moment * moment,
        };
        let rounding = gadget.rounding_variance() * degree * mean_square;
        products + Variance::of_units(rounding, parameters.prime() as f64)
    }
}

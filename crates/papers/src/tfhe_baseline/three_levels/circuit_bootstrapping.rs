//! The circuit bootstrap from level 1 through levels 0 and 2 back to level 1 (Chillotti et al., J. Cryptology 2020, with
//! PBSmanyLUT of CLOT21; Wang et al., EUROCRYPT 2024, ePrint 2024/323, Fig. 1 and Sec. 2.5).

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_fhew::test_polynomial::TestPolynomial;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_ring::gadget::Gadget;

use super::keys::ThreeLevelKey;
use super::parameters::{TORUS, ThreeLevelParameters};
use super::secret_key::LevelOneSecret;
use crate::tfhe_baseline::PrivateFunction;

/// Circuit bootstraps in three levels under a server's keys. Holds no secret, and is `Sync`.
///
/// ```
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_papers::tfhe_baseline::PrivateKeyForm;
/// use cryptable_papers::tfhe_baseline::three_levels::{
///     LevelOneSecret, ThreeLevelBootstrapping, ThreeLevelKey, ThreeLevelParameters,
/// };
/// let parameters = ThreeLevelParameters::insecure_toy(PrivateKeyForm::Products);
/// let top = SecretKey::generate(parameters.level_2());
/// let secret = LevelOneSecret::generate(&parameters);
/// let rotation = EvaluationKey::expand(&top.evaluation_key());
/// let key = ThreeLevelKey::generate(&top, &secret);
/// let circuit = ThreeLevelBootstrapping::new(&rotation, &key);
/// let selector = circuit.bootstrap(&secret.encrypt_bit(true))?;
/// assert_eq!(selector.gadget(), parameters.rgsw_gadget());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct ThreeLevelBootstrapping<'a> {
    rotation: &'a EvaluationKey,
    key: &'a ThreeLevelKey,
    /// 2^(-w(ℓ - k))/2 of every row, modulo the prime of level 2.
    half_weights: Vec<u64>,
    /// Minus these in the coefficients that are k modulo 2^θ.
    test: RlweCiphertext,
}

impl<'a> ThreeLevelBootstrapping<'a> {
    /// Circuit bootstraps by keys of these parameters. Of the evaluation key, only blind rotation is used.
    ///
    /// # Panics
    /// If the evaluation key is of other parameters.
    #[must_use]
    pub fn new(rotation: &'a EvaluationKey, key: &'a ThreeLevelKey) -> Self {
        let parameters = key.parameters();
        assert_eq!(rotation.parameters(), parameters.level_2(), "parameters of the rotation's key");
        let ring = parameters.level_2().ring();
        let m = ring.modulus();
        let rgsw = parameters.literal().rgsw;
        let gadget = Gadget::new(m.value(), rgsw.base_log2, rgsw.length);
        let half = m.inv(2);
        let half_weights: Vec<u64> =
            (0..rgsw.length).map(|k| m.mul(gadget.weight(k), half)).collect();
        let step = 1 << parameters.sparsity_log2();
        let test = TestPolynomial::from_fn(ring, |x| {
            half_weights.get((x % step) as usize).map_or(0, |&half| m.neg(half))
        });
        let test = test.to_rlwe(ring);
        Self { rotation, key, half_weights, test }
    }

    /// The parameters of all keys.
    #[must_use]
    pub fn parameters(&self) -> &ThreeLevelParameters {
        self.key.parameters()
    }

    /// Bytes of memory of the keys that it uses.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.rotation.rotations()[0].bytes() + self.key.bytes()
    }

    /// The RGSW ciphertext, at level 1, of a bit: of LWE of level 1, of phase bit/2. Rows have the noise of
    /// [`ThreeLevelNoise::rgsw`](super::ThreeLevelNoise::rgsw).
    ///
    /// # Errors
    /// If the ciphertext is not of dimension N on the 32-bit torus.
    pub fn bootstrap(&self, bit: &LweCiphertext) -> Result<RgswCiphertext> {
        let parameters = self.parameters();
        let rotated = self.rotation.blind_rotate(&self.test, &self.level_0_phase(bit)?);
        // From ±weight/2 to bit·weight.
        let value = |(k, &half_weight): (usize, &u64)| {
            let mut value = rotated.extract(parameters.level_2().ring(), k);
            value.add_constant_assign(half_weight);
            value
        };
        let values: Vec<LweCiphertext> = self.half_weights.iter().enumerate().map(value).collect();
        let private = self.key.private();
        let mut rows = private.switch(PrivateFunction::Identity, &values)?;
        rows.extend(private.switch(PrivateFunction::TimesSecret, &values)?);
        let rows: Vec<RlweCiphertext> = rows.iter().map(|row| parameters.to_ring(row)).collect();
        let words: Vec<&[u64]> = rows.iter().map(RlweCiphertext::words).collect();
        Ok(RgswCiphertext::from_rows(parameters.level_1(), parameters.rgsw_gadget(), &words))
    }

    /// The phase modulo 2N̄ that is rotated by, a quarter added: a multiple of 2^θ.
    ///
    /// # Errors
    /// As [`ThreeLevelBootstrapping::bootstrap`].
    pub fn level_0_phase(&self, bit: &LweCiphertext) -> Result<LweCiphertext> {
        let parameters = self.parameters();
        parameters.input_shape().check(bit)?;
        let mut low = self.key.level_0().switch(bit);
        // Phases 0 and 1/2 to 1/4 and 3/4, the middles of both halves.
        low.add_constant_assign(TORUS / 4);
        let coarse = low.modulus_switch(parameters.sparse_modulus(), LevelOneSecret::DISTRIBUTION);
        let sparsity = parameters.sparsity_log2();
        let words = coarse.words().iter().map(|word| word << sparsity).collect();
        Ok(LweCiphertext::from_words(words, parameters.level_2().rotation_modulus()))
    }
}

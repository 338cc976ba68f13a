//! Keys of the server beside blind rotation's: from level 2 to level 1, and from level 1 to level 0.

use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::seeded_rows::RowDomain;
use cryptable_fhew::switching::{LweKeySwitchingKey, SeededKeySwitchingKey};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_encryption;
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use rayon::prelude::*;

use super::parameters::{TORUS, ThreeLevelParameters};
use super::private_switching::TorusPrivateKey;
use super::secret_key::LevelOneSecret;
use super::torus_rows::torus_error;

/// Private key switching and LWE key switching. Holds no secret, and is `Sync`.
#[derive(Debug)]
pub struct ThreeLevelKey {
    private: TorusPrivateKey,
    level_0: LweKeySwitchingKey,
}

impl ThreeLevelKey {
    /// Keys under the secrets of level 1 and of levels 0 and 2, with masks drawn.
    ///
    /// # Panics
    /// If the secret of level 2 is of other parameters, or the operating system has no randomness to give.
    #[must_use]
    pub fn generate(top: &SecretKey, level_1: &LevelOneSecret) -> Self {
        Self {
            private: TorusPrivateKey::generate(top, level_1),
            level_0: level_0_key(level_1, top.lwe_coefficients()),
        }
    }

    /// The parameters that the keys are of.
    #[must_use]
    pub fn parameters(&self) -> &ThreeLevelParameters {
        self.private.parameters()
    }

    /// From level 2 to level 1.
    #[must_use]
    pub fn private(&self) -> &TorusPrivateKey {
        &self.private
    }

    /// From level 1 to level 0, on the 32-bit torus.
    #[must_use]
    pub fn level_0(&self) -> &LweKeySwitchingKey {
        &self.level_0
    }

    /// Bytes of memory that they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.private.bytes() + self.level_0.bytes()
    }
}

/// LWE key switching to level 0: row `i·ℓ + k` encrypts `s_i·2^(-w(ℓ - k))`, with rounded Gaussian errors.
fn level_0_key(level_1: &LevelOneSecret, target: &[i8]) -> LweKeySwitchingKey {
    let parameters = level_1.parameters();
    let gadget = parameters.key_switching_gadget();
    let (length, deviation) = (gadget.length(), parameters.deviation(0));
    let (seed, errors) = (Seed::random(), SecretSeed::random());
    let body = |row: usize| {
        let mut words = vec![0; target.len() + 1];
        let mut masks = RowDomain::KeySwitching.mask_stream(&seed, row);
        masks.uniform_assign(&mut words[..target.len()], TORUS);
        let product = lwe_encryption::phase(target, &LweCiphertext::from_words(words, TORUS));
        let mut stream = RandomStream::new(errors.as_bytes(), StreamPurpose::Error, row as u64);
        let error = torus_error(stream.gaussian(1, deviation)[0]);
        let message = gadget.weight(row % length) as u32;
        let message = message.wrapping_mul(level_1.coefficients()[row / length] as u32);
        u64::from(message.wrapping_add(error).wrapping_sub(product as u32))
    };
    let rows = level_1.coefficients().len() * length;
    let bodies = SeededKeySwitchingKey::new((0..rows).into_par_iter().map(body).collect());
    let secret = LevelOneSecret::DISTRIBUTION;
    LweKeySwitchingKey::expand(&bodies, &seed, gadget, target.len(), secret)
}

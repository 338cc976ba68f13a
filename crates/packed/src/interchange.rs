//! Import and export of RLWE ciphertexts, for methods that convert other ciphertexts to packed values or back.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::{Error, Result, check_equal};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;

impl EvaluationKey {
    /// Returns the RLWE ciphertext of values that belong to this key: every coefficient that its layout names holds
    /// m/modulus as a fraction of 2^k.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client, has other parameters, or claims impossible noise.
    pub fn export<'a>(&self, ciphertext: &'a Ciphertext) -> Result<&'a CoefficientCiphertext> {
        ciphertext.check(self.parameters(), self.binding(), None)?;
        Ok(ciphertext.body())
    }

    /// Imports values that another method computed, with a bound on their noise. The caller must ensure that they are
    /// encrypted under this client's key.
    ///
    /// # Errors
    /// If ring degree, slots or modulus are not those of the parameters, or words are not below the modulus;
    /// [`Error::NoiseTooLarge`] if the values would decrypt wrong with more than the stated probability.
    pub fn import(&self, body: CoefficientCiphertext, noise: NoiseBound) -> Result<Ciphertext> {
        let (b, a) = body.to_pair();
        let limit = 1 << self.parameters().literal().log2_ciphertext_modulus;
        for words in [&b, &a] {
            check_equal("ring degree", words.len(), self.parameters().ring_degree())?;
            // Errors may show these words: those of a ciphertext are not secret.
            if let Some((index, &value)) = words.iter().enumerate().find(|(_, w)| **w >= limit) {
                return Err(Error::ValueOutOfRange { index, value, limit });
            }
        }
        // No ciphertext may state less noise than that of fresh ones.
        let fresh = self.parameters().literal().fresh_noise(body.plaintext_modulus);
        let found = self.result(body, noise.max(NoiseBound::new(fresh.deviation(), 0.0)));
        found.check(self.parameters(), self.binding(), None)?;
        Ok(found)
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use cryptable_lattice::Progress;

    use super::*;
    use crate::{Parameters, SecretKey};

    #[test]
    fn values_go_out_and_come_in_with_their_noise() {
        let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16).unwrap());
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        let input = secret.encrypt(&[3, 15, 0]).unwrap();
        let body = key.export(&input).unwrap().clone();
        let back = key.import(body.clone(), NoiseBound::new(0.0, 0.0)).unwrap();
        assert_eq!(secret.decrypt(&back).unwrap(), [3, 15, 0]);
        assert_eq!(back.noise().deviation(), key.parameters().fresh_noise(16).deviation());
        let loud = key.import(body.clone(), NoiseBound::new(0.01, 0.0)).unwrap_err();
        assert!(matches!(loud, Error::NoiseTooLarge { .. }), "{loud}");
        let mut wide = body.clone();
        wide.b[7] = 1 << 40;
        let error = key.import(wide, NoiseBound::new(0.0, 0.0)).unwrap_err();
        assert!(matches!(error, Error::ValueOutOfRange { index: 7, .. }), "{error}");
        let mut short = body;
        short.b.pop();
        assert!(key.import(short, NoiseBound::new(0.0, 0.0)).is_err());
        let other = SecretKey::generate(secret.parameters());
        let error = key.export(&other.encrypt(&[1]).unwrap()).unwrap_err();
        assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    }
}

//! Import and export of LWE ciphertexts: for methods that use single values further, or compute them.

use std::borrow::Cow;

use cryptable_lattice::error::Result;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::noise_bound::NoiseBound;

use super::{Ciphertext, EvaluationKey};

impl EvaluationKey {
    /// Checks that values belong to this key, and switches values of public keys to the LWE secret. The LWE ciphertexts of the
    /// result have phase m·q/modulus.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or other parameters, or claims noise that it cannot have.
    pub fn export<'a>(&self, ciphertext: &'a Ciphertext) -> Result<Cow<'a, Ciphertext>> {
        self.switched(ciphertext)
    }

    /// Imports values of a modulus, p or P, that another method computed as LWE ciphertexts of phase m·q/modulus, with a bound
    /// on their noise. The caller must make sure that they are under this client's key.
    ///
    /// # Errors
    /// If the dimension or the LWE modulus differs, or the modulus of the values is neither p nor P;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if values would decrypt wrong with more than the stated probability.
    pub fn import(&self, values: LweList, modulus: u64, noise: NoiseBound) -> Result<Ciphertext> {
        // No ciphertext claims less noise than a fresh one.
        let floor = NoiseBound::new(self.parameters().noise().fresh().deviation(), 0.0);
        let found = Ciphertext::new(*self.binding(), modulus, noise.max(floor), values);
        found.check(self.parameters(), self.binding())?;
        Ok(found)
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use cryptable_lattice::{Error, Progress};

    use super::*;
    use crate::lookup::{Parameters, SecretKey};

    #[test]
    fn values_go_out_and_come_in_with_their_noise() {
        let secret = SecretKey::generate(&Parameters::insecure_toy(4, 8).unwrap());
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        let input = secret.encrypt(&[3, 1, 0]).unwrap();
        let list = key.export(&input).unwrap().values().clone();
        let back = key.import(list.clone(), 4, NoiseBound::new(0.0, 0.0)).unwrap();
        assert_eq!(secret.decrypt(&back).unwrap(), [3, 1, 0]);
        assert_eq!(back.noise().deviation(), key.parameters().noise().fresh().deviation());
        let loud = key.import(list.clone(), 4, NoiseBound::new(0.02, 0.0)).unwrap_err();
        assert!(matches!(loud, Error::NoiseTooLarge { .. }), "{loud}");
        assert!(key.import(list, 5, NoiseBound::new(0.0, 0.0)).is_err());
        let other = SecretKey::generate(secret.parameters());
        let error = key.export(&other.encrypt(&[1]).unwrap()).unwrap_err();
        assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    }
}

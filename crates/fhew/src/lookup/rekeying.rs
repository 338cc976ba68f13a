//! Handing single values over to a new owner.

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::noise_bound::NoiseBound;
use cryptable_lattice::security::SecretDistribution;
use cryptable_wire::ObjectType;

use super::{Ciphertext, Parameters};
use crate::keys::{self, RekeyingParameters};

/// The key with which a server turns single values of one client, fresh or results, into those of another.
///
/// ```
/// use cryptable_fhew::lookup::{Parameters, SecretKey};
/// let parameters = Parameters::insecure_toy(8, 8)?;
/// let [clinic, analyst] = [(); 2].map(|()| SecretKey::generate(&parameters));
/// let key = clinic.rekey_to(&analyst.public_key()?)?;
/// let handed_over = key.apply(&clinic.encrypt(&[3, 5])?)?;
/// assert_eq!(analyst.decrypt(&handed_over)?, [3, 5]);
/// assert!(clinic.decrypt(&handed_over).is_err());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub type RekeyingKey = keys::RekeyingKey<Parameters>;

impl RekeyingParameters for Parameters {
    const REKEYING_KEY: ObjectType = ObjectType::SingleRekeyingKey;

    fn results(&self) -> (LweShape, SecretDistribution) {
        (self.fhew().lwe_shape(), self.fhew().literal().lwe_secret)
    }

    #[cfg(feature = "client")]
    fn secret_of_results(secret: &keys::SecretKey) -> &[i8] {
        secret.lwe_coefficients()
    }
}

impl RekeyingKey {
    /// Turns values of the owner into the same values of the new owner, as if the new owner's public key had encrypted them.
    ///
    /// # Errors
    /// If the values belong to another client or other parameters; [`Error::Unsupported`] if a public key encrypted them and
    /// nothing was computed with them; [`Error::NoiseTooLarge`] if they would decrypt wrong with more than the stated
    /// probability.
    pub fn apply(&self, values: &Ciphertext) -> Result<Ciphertext> {
        let parameters = self.parameters();
        values.check(parameters, self.owner())?;
        if values.values().shape() != parameters.fhew().lwe_shape() {
            let what = "a new owner for values of a public key that were not looked up yet";
            return Err(Error::Unsupported(what.into()));
        }
        let noise = values.noise().with_independent(NoiseBound::of_law(self.noise(), 0.0));
        // Fresh values may have less noise than the least that values of a public key have.
        let noise = noise.max(parameters.public_noise());
        let (operation, modulus) = ("decryption by the new owner", values.modulus());
        noise.check_decryption(operation, modulus, parameters.stated_log2_fail())?;
        let switched = self.switch(values.values())?;
        Ok(Ciphertext::new(*self.new_owner(), modulus, noise, switched))
    }
}

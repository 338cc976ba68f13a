//! Handing leveled values over to a new owner.

use cryptable_fhew::keys::{self, RekeyingParameters};
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Error, NoiseBound, Result};
use cryptable_wire::ObjectType;

use super::ciphertext::Ciphertext;
use super::parameters::Parameters;

/// The key with which a server turns leveled values of one client, fresh or results, into those of another.
///
/// ```
/// use cryptable_leveled::lookup::{Parameters, SecretKey, hand_over};
/// let parameters = Parameters::insecure_toy(10, 10)?;
/// let [clinic, analyst] = [(); 2].map(|()| SecretKey::generate(&parameters));
/// let public = analyst.public_key()?;
/// let key = clinic.rekey_to(&public)?;
/// let handed_over = hand_over(&key, &clinic.encrypt(&[7, 2])?)?;
/// assert_eq!(analyst.decrypt(&handed_over)?, [7, 2]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub type RekeyingKey = keys::RekeyingKey<Parameters>;

impl RekeyingParameters for Parameters {
    const REKEYING_KEY: ObjectType = ObjectType::LeveledRekeyingKey;

    fn results(&self) -> (LweShape, SecretDistribution) {
        let circuit = self.circuit_bootstrapping();
        (circuit.lwe_shape(), circuit.fhew().literal().ring_secret)
    }

    #[cfg(feature = "client")]
    fn secret_of_results(secret: &keys::SecretKey) -> &[i8] {
        secret.ring_coefficients()
    }
}

/// Turns values of the key's owner into the same values of the new owner, as if the new owner's public key had encrypted
/// them.
///
/// # Errors
/// If the values belong to another client or other parameters; [`Error::Unsupported`] if they are compressed, or a public
/// key encrypted them and they were not looked up yet; [`Error::NoiseTooLarge`] if a lookup of them would fail with more
/// than the stated probability.
pub fn hand_over(key: &RekeyingKey, values: &Ciphertext) -> Result<Ciphertext> {
    let parameters = key.parameters();
    values.check(parameters, key.owner())?;
    if values.list().shape() != parameters.circuit_bootstrapping().lwe_shape() {
        let what = "a new owner for compressed results, or for values of a public key that were not looked up yet";
        return Err(Error::Unsupported(what.into()));
    }
    let noise = NoiseBound::of_law(key.noise(), 0.0);
    parameters.check_import(parameters.result_noise().with_independent(noise))?;
    let list = key.switch(values.list())?;
    Ok(Ciphertext::new(parameters, values.modulus(), *key.new_owner(), list))
}

//! Conversion of single values to packed ones, and back.

use crate::ciphertext::Part;
use crate::engine::other_engine;
use crate::{Ciphertext, Engine, EvaluationKey, Result};

impl EvaluationKey {
    /// Packs single values, so that many can be looked up at once: value k becomes value k of a packed ciphertext, part
    /// by part. [`EvaluationKey::lookup`] packs by itself where that is faster.
    ///
    /// The packed values have the noise of the single ones and of packing. Lookups refuse values whose noise exceeds
    /// [`crate::engines::bridged::Parameters::input_noise_limit`].
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// // For 128 bits, use parameters of `Request::for_table(&table).inputs(Engine::Single).values(65_536).plan()?`.
    /// let secret = SecretKey::generate(Parameters::insecure_bridged_toy(4, 4)?);
    /// let server = secret.evaluation_key();
    /// let table = server.prepare(&Table::from_fn(4, 4, |x| 3 - x)?)?;
    ///
    /// let single = secret.encrypt(&[0, 1, 2, 3])?;
    /// let packed = server.pack(&single)?;
    /// let output = server.lookup(&packed, &table)?;
    /// let result = server.unpack(&output)?;
    /// assert_eq!((single.engine(), packed.engine()), (Engine::Single, Engine::Packed));
    /// assert_eq!(secret.decrypt(&output)?, [3, 2, 1, 0]);
    /// assert_eq!(secret.decrypt(&server.lookup(&result, &table)?)?, [0, 1, 2, 3]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::Error::UnsupportedOperation`] if the key cannot pack; [`crate::Error::NoiseTooLarge`] if packed values
    /// would decrypt wrong with more than the stated probability; other errors if the values belong to another engine,
    /// client or parameter set, or if a part has more of them than a packed ciphertext can hold.
    pub fn pack(&self, values: &Ciphertext) -> Result<Ciphertext> {
        let key = self.bridged()?;
        let parts = values.parts().iter().map(|part| match part {
            Part::Single(part) => Ok(key.pack(part)?.into()),
            other => Err(other_engine("ciphertext", Engine::Single, other.engine())),
        });
        Ok(Ciphertext::new(parts.collect::<Result<_>>()?)?.with_marks(values.marks()))
    }

    /// Unpacks values: value k of a packed ciphertext becomes single value k, which can be looked up, added and
    /// decrypted like any other.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::pack`], and an error if the values have a modulus that the key does not serve.
    pub fn unpack(&self, values: &Ciphertext) -> Result<Ciphertext> {
        let key = self.bridged()?;
        let parts = values.parts().iter().map(|part| match part {
            Part::Packed(part) => Ok(key.unpack(part)?.into()),
            other => Err(other_engine("ciphertext", Engine::Packed, other.engine())),
        });
        Ok(Ciphertext::new(parts.collect::<Result<_>>()?)?.with_marks(values.marks()))
    }
}

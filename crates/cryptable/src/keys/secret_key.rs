//! The client's methods: encryption, decryption, and generation of evaluation keys.

use std::io::Write;

use cryptable_lattice::error::check_signs;
use cryptable_ring::unoptimised;
use cryptable_wire::KeyId;
use zeroize::Zeroizing;

use super::kind::each_kind;
use crate::ciphertext::Part;
use crate::engines::{bridged, integer_bridge, leveled, leveled_bridge, packed, single};
use crate::{
    Ciphertext, Engine, Error, EvaluationKey, Execution, KeyParameters, Parameters, Result,
    SecretKey, memory,
};
use crate::{bits, ckks, gates, large_values, transciphering};

impl SecretKey {
    /// Generates a key with fresh secrets for parameters of any kind, given directly or by a plan, a candidate or
    /// another key.
    ///
    /// ```
    /// use cryptable::{SecretKey, gates};
    /// let secret = SecretKey::generate(gates::Parameters::insecure_toy());
    /// let bits = secret.gates()?.encrypt(&[true, false]);
    /// assert_eq!(secret.gates()?.decrypt(&bits)?, [true, false]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn generate(parameters: impl Into<KeyParameters>) -> Self {
        unoptimised::warn();
        let parameters = parameters.into();
        unoptimised::on_large_stacks(|| Self::generate_for(parameters))
    }

    fn generate_for(parameters: KeyParameters) -> Self {
        match parameters {
            KeyParameters::Lookups(Parameters::Packed(it)) => {
                packed::SecretKey::generate(&it).into()
            }
            KeyParameters::Lookups(Parameters::Single(it)) => {
                single::SecretKey::generate(&it).into()
            }
            KeyParameters::Lookups(Parameters::Bridged(it)) => {
                bridged::SecretKey::generate(&it).into()
            }
            KeyParameters::Lookups(Parameters::Leveled(it)) => {
                leveled::SecretKey::generate(&it).into()
            }
            KeyParameters::Gates(it) => gates::SecretKey::generate(&it).into(),
            KeyParameters::LargeValues(it) => large_values::SecretKey::generate(&it).into(),
            KeyParameters::Bits(it) => bits::SecretKey::generate(&it).into(),
            KeyParameters::Ckks(it) => ckks::SecretKey::generate(&it).into(),
            KeyParameters::Transciphering(it) => transciphering::SecretKey::generate(&it).into(),
            KeyParameters::IntegerBridge(it) => integer_bridge::SecretKey::generate(&it).into(),
            KeyParameters::LeveledBridge(it) => leveled_bridge::SecretKey::generate(&it).into(),
        }
    }

    /// Returns the parameters that the key was generated for.
    #[must_use]
    pub fn parameters(&self) -> KeyParameters {
        each_kind!(self, it => it.parameters().into())
    }

    /// Returns the parameters of a server's lookups of values of this key.
    ///
    /// # Errors
    /// [`Error::OtherKind`] if keys of this kind are not for lookups.
    pub fn lookup_parameters(&self) -> Result<Parameters> {
        self.parameters().lookups()
    }

    /// Returns the identifier that this key, its evaluation keys and its ciphertexts share. It reveals nothing about
    /// the secrets.
    #[must_use]
    pub fn id(&self) -> KeyId {
        each_kind!(self, it => it.id())
    }

    /// Returns the number of values that [`SecretKey::encrypt`] puts into one part of a ciphertext.
    ///
    /// # Errors
    /// Same errors as [`SecretKey::lookup_parameters`].
    pub fn values_per_part(&self) -> Result<usize> {
        Ok(self.lookup_parameters()?.values_per_part())
    }

    /// Encrypts one or more integers below the input modulus, in parts of [`SecretKey::values_per_part`] values.
    /// Decryption returns them in the same order.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let values = secret.encrypt(&[3, 0, 15])?;
    /// assert_eq!(secret.decrypt(&values)?, [3, 0, 15]);
    /// assert!(secret.encrypt(&[16]).is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] for the first value that is not below the input modulus; [`Error::TooSmall`] if there
    /// is no value; [`Error::OtherKind`] if keys of this kind are not for lookups.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        self.encrypt_parts(values, |values| match self.lookup_parameters()?.engine() {
            Engine::Packed => Ok(self.packed()?.encrypt(values)?.into()),
            Engine::Single => Ok(self.single()?.encrypt(values)?.into()),
            Engine::Leveled => Ok(self.leveled()?.encrypt(values)?.into()),
        })
    }

    /// Encrypts signed integers from -p/2 to p/2 - 1, where p is the input modulus. The ciphertext is marked as signed.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let server = secret.evaluation_key();
    /// let absolute = server.prepare(&Table::from_signed_fn(16, 16, |x| x.abs().min(7))?)?;
    /// let values = secret.encrypt_signed(&[-5, 3])?;
    /// assert_eq!(secret.decrypt_signed(&server.lookup(&values, &absolute)?)?, [5, 3]);
    /// // A table of unsigned inputs is refused.
    /// let double = server.prepare(&Table::from_fn(16, 16, |x| 2 * x % 16)?)?;
    /// assert!(server.lookup(&values, &double).is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SignedValueOutOfRange`] for the first value that is out of range; [`Error::TooSmall`] if there is no
    /// value; [`Error::OtherKind`] if keys of this kind are not for lookups.
    pub fn encrypt_signed(&self, values: &[i64]) -> Result<Ciphertext> {
        let modulus = self.lookup_parameters()?.input_modulus();
        let (least, most) = (-((modulus / 2) as i64), (modulus.div_ceil(2) - 1) as i64);
        let mut residues = Zeroizing::new(Vec::with_capacity(values.len()));
        for (index, &value) in values.iter().enumerate() {
            if value < least || value > most {
                return Err(Error::SignedValueOutOfRange { index, value, least, most });
            }
            // Values are secret, so there is no branch on their sign.
            let is_negative = (value >> 63).cast_unsigned();
            residues.push(value.cast_unsigned().wrapping_add(modulus & is_negative));
        }
        Ok(self.encrypt(&residues)?.with_signed(true))
    }

    /// Splits values into parts and encrypts each of them with `encrypt`.
    ///
    /// # Errors
    /// Same errors as [`SecretKey::encrypt`], and those of `encrypt`.
    pub(super) fn encrypt_parts(
        &self,
        values: &[u64],
        encrypt: impl Fn(&[u64]) -> Result<Part>,
    ) -> Result<Ciphertext> {
        Ciphertext::of_chunks(values, self.values_per_part()?, encrypt)
    }

    /// Decrypts a fresh ciphertext, a sum, or the result of a lookup to exact integers below its modulus M.
    ///
    /// Signed values are returned as residues modulo M; see [`SecretKey::decrypt_signed`]. Intermediate copies are
    /// cleared from memory; the caller has to clear the returned values.
    ///
    /// # Errors
    /// If the ciphertext belongs to another engine, client or parameter set.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        let mut values = Zeroizing::new(Vec::with_capacity(ciphertext.count()));
        for part in ciphertext.parts() {
            let part = Zeroizing::new(match part {
                Part::Packed(part) => self.packed()?.decrypt(part)?,
                Part::Single(part) => self.single()?.decrypt(part)?,
                Part::Leveled(part) => self.leveled()?.decrypt(part)?,
            });
            values.extend_from_slice(&part);
        }
        Ok(std::mem::take(&mut *values))
    }

    /// Decrypts signed values ([`Ciphertext::is_signed`]) to exact integers from -M/2 to M/2 - 1, for their modulus M.
    ///
    /// # Errors
    /// Same errors as [`SecretKey::decrypt`], and [`Error::Signs`] if the values are unsigned.
    pub fn decrypt_signed(&self, ciphertext: &Ciphertext) -> Result<Vec<i64>> {
        check_signs("values", ciphertext.is_signed(), true, "those that are decrypted here")?;
        let values = Zeroizing::new(self.decrypt(ciphertext)?);
        let modulus = ciphertext.modulus();
        let half = modulus.div_ceil(2);
        // Values are secret, so there is no branch on their sign.
        let signed = |&value: &u64| {
            let is_negative = u64::from(value >= half);
            value.wrapping_sub(modulus & is_negative.wrapping_neg()).cast_signed()
        };
        Ok(values.iter().map(signed).collect())
    }

    /// Generates the evaluation key for a server in this process. For another process, see
    /// [`SecretKey::write_evaluation_key`].
    ///
    /// # Panics
    /// If the system refuses the key's memory; [`SecretKey::evaluation_key_with`] returns an error instead.
    #[must_use]
    pub fn evaluation_key(&self) -> EvaluationKey {
        self.evaluation_key_with(Execution::default()).expect("memory for the key")
    }

    /// Same as [`SecretKey::evaluation_key`], with a choice of threads, progress and cancellation.
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Io`] if threads cannot be started, and [`Error::Allocation`] if the system refuses the
    /// key's memory.
    pub fn evaluation_key_with(&self, execution: Execution<'_>) -> Result<EvaluationKey> {
        execution.run(|progress| Ok(each_kind!(self, it => it.evaluation_key(progress)?.into())))
    }

    /// Generates an evaluation key and writes it to `out`, for [`EvaluationKey::open`] or
    /// [`EvaluationKey::from_shared`]. Its random parts, the masks, are written as seeds, and a packed key is never in
    /// memory as a whole.
    ///
    /// # Errors
    /// If writing fails; [`Error::Cancelled`]; [`Error::MemoryLeft`] if a key for single or leveled lookups, which is
    /// in memory before it is written, does not fit into the memory that is left.
    pub fn write_evaluation_key(
        &self,
        out: &mut (dyn Write + Send),
        execution: Execution<'_>,
    ) -> Result<()> {
        if let Self::Single(_) | Self::Leveled(_) = self {
            let prediction = self.lookup_parameters()?.prediction();
            let needed = prediction.key_memory_bytes + prediction.key_file_bytes;
            memory::check("the evaluation key", needed)?;
        }
        execution.run(|progress| each_kind!(self, it => it.write_evaluation_key(out, progress)))
    }

    /// Encodes the key for a file, without encryption: whoever has the bytes can decrypt. They are cleared from memory
    /// on drop.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, ReadOptions, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Leveled, 4, 4)?);
    /// let options = ReadOptions::default().allow_insecure();
    /// let same = SecretKey::from_bytes(&secret.to_bytes(), options)?;
    /// assert_eq!(same.decrypt(&secret.encrypt(&[3])?)?, [3]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        each_kind!(self, it => it.to_bytes())
    }
}

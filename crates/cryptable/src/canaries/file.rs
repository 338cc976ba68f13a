//! The file of canaries, which the client keeps until it receives the results.

use cryptable_lattice::error::{check_client, check_parameters};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, peek_header, read_object, write_object,
};
use zeroize::Zeroizing;

use super::{Canaries, MAX_PLACES};
use crate::{Result, SecretKey};

impl Canaries {
    /// Encodes the canaries for a file that the client keeps until it decrypts the results. Whoever has the bytes can
    /// tell a server which results are checked. They are cleared from memory on drop.
    ///
    /// # Panics
    /// Never: writing to memory cannot fail.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        // The capacity suffices for everything, so that no reallocation leaves a copy behind.
        let capacity = 256 + self.places() / 8 + 8 * self.count();
        let mut body = Zeroizing::new(Vec::with_capacity(capacity));
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 * capacity));
        let packed = self
            .flags
            .chunks(8)
            .map(|flags| flags.iter().zip(0..).fold(0, |byte, (flag, bit)| byte | flag << bit));
        let packed: Zeroizing<Vec<u8>> = Zeroizing::new(packed.collect());
        let mut writer = BodyWriter::new(&mut *body);
        let mut write = || {
            writer.raw(&self.key_id.0)?;
            writer.raw(&self.id)?;
            // The bound 2^64 is stored as 0.
            writer.u64(self.largest.wrapping_add(1))?;
            writer.u64(self.places() as u64)?;
            writer.u64(self.count() as u64)?;
            writer.raw(&packed)?;
            writer.words(&self.inputs)
        };
        write()
            .and_then(|()| {
                write_object(&mut *bytes, ObjectType::Canaries, &self.parameter_digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads canaries of this secret key, as [`Canaries::to_bytes`] writes them.
    ///
    /// The file is bound to the key by its identifier, and damage is detected, but anyone can write such a file. Keep
    /// it where you keep the secret key.
    ///
    /// ```
    /// use cryptable::{Canaries, Engine, Error, Parameters, SecretKey};
    /// let parameters = Parameters::insecure_toy(Engine::Packed, 16, 16)?;
    /// let secret = SecretKey::generate(parameters.clone());
    /// let (_, canaries) = secret.encrypt_with_canaries(&[3, 1, 4], 20)?;
    /// let file = canaries.to_bytes();
    /// assert_eq!(Canaries::from_bytes(&file, &secret)?.id(), canaries.id());
    /// let other = SecretKey::generate(parameters);
    /// assert!(matches!(Canaries::from_bytes(&file, &other), Err(Error::OtherClient { .. })));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged file of canaries; [`OtherClient`](crate::Error::OtherClient) if another key
    /// encrypted them.
    pub fn from_bytes(bytes: &[u8], secret: &SecretKey) -> Result<Self> {
        let parameters = secret.lookup_parameters()?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        let body = read_object(bytes, ObjectType::Canaries, None, u64::MAX)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        check_client("file of canaries", secret.id(), key_id)?;
        check_parameters("file of canaries", parameters.digest(), parameter_digest)?;
        let id = reader.array("identifier")?;
        let bound = reader.u64("bound of inputs")?;
        if bound == 1 || bound != parameters.input_modulus() && !is_power_of_two(bound) {
            let expected = format!("{}, or a power of two", parameters.input_modulus());
            return Err(WireError::invalid("bound of inputs", bound, expected).into());
        }
        let places = reader.u64_within("number of places", 2..=MAX_PLACES)?;
        let count = reader.u64_within("number of canaries", 1..=places - 1)?;
        let packed = reader.raw("flags", places.div_ceil(8) as usize)?;
        let bit = |place: u64| packed[(place / 8) as usize] >> (place % 8) & 1;
        let flags: Zeroizing<Vec<u8>> = Zeroizing::new((0..places).map(bit).collect());
        let chosen: u64 = packed.iter().map(|byte| u64::from(byte.count_ones())).sum();
        let flagged: u64 = flags.iter().map(|&flag| u64::from(flag)).sum();
        if chosen != count || flagged != count {
            return Err(WireError::invalid("flags", chosen, format!("{count} canaries")).into());
        }
        let inputs = Zeroizing::new(reader.words("inputs of canaries", count as usize)?);
        reader.finish()?;
        let found =
            Self { id, key_id, parameter_digest, largest: bound.wrapping_sub(1), flags, inputs };
        found.check_range(&found.inputs)?;
        Ok(found)
    }
}

/// Returns whether a bound is a power of two; 0 stands for 2^64.
fn is_power_of_two(bound: u64) -> bool {
    bound == 0 || bound.is_power_of_two()
}

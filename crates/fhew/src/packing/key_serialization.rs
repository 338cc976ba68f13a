//! Packing keys as they are sent: in the wire format, a seed in place of masks.
//!
//! The header names the parameters ([`Parameters::digest`]). The body is the client's identifier, which coefficients
//! the key fills, the seed, and the bodies of all rows, packed at the width of Q.

use std::io::{self, Write};

use cryptable_ring::random::Seed;
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, ObjectWriter, WireError, packed_field_bytes,
    read_object,
};

use crate::packing::key_switching::{SeededPackingKey, packing_key_words};
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::seeded_rows::SeededRows;

/// Longest body, 4 GiB.
const MAX_BODY_BYTES: u64 = 1 << 32;

/// Lengths by their number in the format.
const LENGTHS: [PackedLength; 3] = [PackedLength::Constant, PackedLength::Half, PackedLength::All];

impl SeededPackingKey {
    /// Writes the key, which is of these parameters, under the identifier that its client gives its keys.
    ///
    /// ```
    /// use cryptable_fhew::packing::SeededPackingKey;
    /// use cryptable_fhew::parameters::{Parameters, ParametersLiteral};
    /// use cryptable_fhew::keys::SecretKey;
    /// use cryptable_fhew::packing::PackedLength;
    /// let literal = ParametersLiteral { ring_degree: 256, ..*Parameters::insecure_toy().literal() };
    /// let parameters = Parameters::insecure(literal)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let (key, client) = (secret.packing_key(PackedLength::Half), secret.id("an example"));
    /// let mut bytes = Vec::new();
    /// key.write(&parameters, client, &mut bytes)?;
    /// assert_eq!(SeededPackingKey::from_bytes(&parameters, client, &bytes)?, key);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If writing fails, or the rows are not as many as those of the parameters.
    pub fn write(
        &self,
        parameters: &Parameters,
        client: KeyId,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let bodies = self.rows.bodies();
        let words = packed_field_bytes(packing_key_words(parameters), parameters.prime());
        let length = (KeyId::BYTES + 4 + Seed::BYTES) as u64 + words;
        let digest = parameters.digest();
        let object = ObjectWriter::new(out, ObjectType::PackingKey, &digest, length)?;
        let mut writer = BodyWriter::new(object);
        writer.raw(&client.0)?;
        let number = LENGTHS.into_iter().position(|length| length == self.length);
        writer.u32(number.expect("one of all lengths") as u32)?;
        writer.raw(self.seed.as_bytes())?;
        writer.packed_words(bodies, parameters.prime())?;
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads what [`SeededPackingKey::write`] wrote, for these parameters and this client.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged packing key of these parameters and this client.
    pub fn from_bytes(
        parameters: &Parameters,
        client: KeyId,
        bytes: &[u8],
    ) -> Result<Self, WireError> {
        let digest = parameters.digest();
        let body = read_object(bytes, ObjectType::PackingKey, Some(&digest), MAX_BODY_BYTES)?;
        let mut reader = BodyReader::new(body);
        let found = KeyId(reader.array("client key identifier")?);
        if found != client {
            let (found, expected) = (format!("{:02x?}", found.0), format!("{:02x?}", client.0));
            return Err(WireError::invalid("client key identifier", found, expected));
        }
        let number = reader.u32("packed length")?;
        let length = *LENGTHS
            .get(number as usize)
            .ok_or_else(|| WireError::invalid("packed length", number, "0, 1 or 2"))?;
        let seed = Seed::from_bytes(reader.array("seed of the masks")?);
        let words = packing_key_words(parameters);
        let bodies = reader.packed_words("rows of a packing key", words, parameters.prime())?;
        reader.finish()?;
        Ok(Self { length, seed, rows: SeededRows::new(length.row_domain(), bodies) })
    }
}

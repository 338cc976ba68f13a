//! Keys of extraction as they are sent: in the wire format, a seed in place of masks.
//!
//! The header names the parameters ([`Parameters::digest`]). The body is the identifiers of both clients, the seed, the
//! bodies of the switch, packed at the width of the block's prime, and those of LWE key switching at the width of q.

use std::io::{self, Write};

use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_ring::random::Seed;
use cryptable_wire::{
    BodyReader, BodyWriter, ObjectType, ObjectWriter, WireError, packed_field_bytes, read_object,
};

use crate::clients::Clients;
use crate::extraction::extraction_key::SeededExtractionKey;
use crate::parameters::Parameters;

/// Longest body, 64 MiB.
const MAX_BODY_BYTES: u64 = 1 << 26;

/// Words of the switch modulo the block's prime, and of LWE key switching modulo q.
fn fields(parameters: &Parameters) -> [(usize, u64); 2] {
    let literal = parameters.literal();
    let (switch, lwe) = (&literal.extraction, literal.key_switching);
    [
        (literal.ring_degree * switch.switching.length, parameters.extraction().prime()),
        (switch.degree * lwe.length, parameters.lwe_shape().modulus),
    ]
}

impl SeededExtractionKey {
    /// Bytes that a key of these parameters takes in a file, its header excepted.
    #[must_use]
    pub fn body_bytes(parameters: &Parameters) -> u64 {
        let fields = fields(parameters).map(|(words, modulus)| packed_field_bytes(words, modulus));
        (Clients::BYTES + Seed::BYTES) as u64 + fields.iter().sum::<u64>()
    }

    /// Writes the key.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let [(_, prime), (_, modulus)] = fields(&self.parameters);
        let (digest, length) = (self.parameters.digest(), Self::body_bytes(&self.parameters));
        let object = ObjectWriter::new(out, ObjectType::ExtractionKey, &digest, length)?;
        let mut writer = BodyWriter::new(object);
        self.clients.write(&mut writer)?;
        writer.raw(self.seed.as_bytes())?;
        writer.packed_words(self.switching.bodies(), prime)?;
        writer.packed_words(self.key_switching.bodies(), modulus)?;
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads what [`SeededExtractionKey::write`] wrote, for these parameters and clients.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged extraction key of these parameters and clients.
    pub fn from_bytes(
        parameters: &Parameters,
        clients: Clients,
        bytes: &[u8],
    ) -> Result<Self, WireError> {
        let digest = parameters.digest();
        let body = read_object(bytes, ObjectType::ExtractionKey, Some(&digest), MAX_BODY_BYTES)?;
        let mut reader = BodyReader::new(body);
        clients.check_read(&mut reader)?;
        let seed = Seed::from_bytes(reader.array("seed of the masks")?);
        let [(switching, prime), (rows, modulus)] = fields(parameters);
        let switching = reader.packed_words("rows of the switch", switching, prime)?;
        let rows = reader.packed_words("rows of LWE key switching", rows, modulus)?;
        reader.finish()?;
        Ok(Self {
            parameters: parameters.clone(),
            clients,
            seed,
            switching: SeededRows::new(RowDomain::ExtractionSwitch, switching),
            key_switching: SeededKeySwitchingKey::new(rows),
        })
    }
}

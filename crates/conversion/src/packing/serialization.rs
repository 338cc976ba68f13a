//! Keys of ring packing as they are sent: in the wire format, a seed in place of masks.
//!
//! The header names the parameters ([`Parameters::digest`]). The body is the identifiers of both clients, the seed, and
//! the bodies of all rows, packed at the width of the block's prime.

use std::io::{self, Write};

use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_ring::random::Seed;
use cryptable_wire::{
    BodyReader, BodyWriter, ObjectType, ObjectWriter, WireError, packed_field_bytes, read_object,
};

use crate::clients::Clients;
use crate::packing::ring_packing_key::SeededRingPackingKey;
use crate::parameters::Parameters;

/// Longest body, 1 GiB.
const MAX_BODY_BYTES: u64 = 1 << 30;

/// Words of all columns, and of the switch.
fn words(parameters: &Parameters) -> [usize; 2] {
    let literal = parameters.literal();
    [
        literal.lwe_dimension * literal.packing.degree,
        literal.ring_degree * literal.packing.switching.length,
    ]
}

impl SeededRingPackingKey {
    /// Bytes that a key of these parameters takes in a file, its header excepted.
    #[must_use]
    pub fn body_bytes(parameters: &Parameters) -> u64 {
        let prime = parameters.packing().prime();
        let fields = words(parameters).map(|words| packed_field_bytes(words, prime));
        (Clients::BYTES + Seed::BYTES) as u64 + fields.iter().sum::<u64>()
    }

    /// Writes the key.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (digest, prime) = (self.parameters.digest(), self.parameters.packing().prime());
        let length = Self::body_bytes(&self.parameters);
        let object = ObjectWriter::new(out, ObjectType::RingPackingKey, &digest, length)?;
        let mut writer = BodyWriter::new(object);
        self.clients.write(&mut writer)?;
        writer.raw(self.seed.as_bytes())?;
        writer.packed_words(self.columns.bodies(), prime)?;
        writer.packed_words(self.switching.bodies(), prime)?;
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads what [`SeededRingPackingKey::write`] wrote, for these parameters and clients.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged packing key of these parameters and clients.
    pub fn from_bytes(
        parameters: &Parameters,
        clients: Clients,
        bytes: &[u8],
    ) -> Result<Self, WireError> {
        let digest = parameters.digest();
        let body = read_object(bytes, ObjectType::RingPackingKey, Some(&digest), MAX_BODY_BYTES)?;
        let mut reader = BodyReader::new(body);
        clients.check_read(&mut reader)?;
        let seed = Seed::from_bytes(reader.array("seed of the masks")?);
        let (prime, [columns, switching]) = (parameters.packing().prime(), words(parameters));
        let columns = reader.packed_words("rows of columns", columns, prime)?;
        let switching = reader.packed_words("rows of the switch", switching, prime)?;
        reader.finish()?;
        Ok(Self {
            parameters: parameters.clone(),
            clients,
            seed,
            columns: SeededRows::new(RowDomain::RingPackingColumns, columns),
            switching: SeededRows::new(RowDomain::RingPackingSwitch, switching),
        })
    }
}

//! Keys of extraction as they are sent: the bodies of the switch, packed at the width of the block's prime, and those of
//! LWE key switching at the width of q.

use std::io::{self, Write};

use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_wire::{ObjectType, WireError};

use crate::clients::Clients;
use crate::extraction::extraction_key::SeededExtractionKey;
use crate::key_files::{Field, KeyFile};
use crate::parameters::Parameters;

/// Longest body, 64 MiB.
const MAX_BODY_BYTES: u64 = 1 << 26;

/// Words of the switch modulo the block's prime, and of LWE key switching modulo q.
fn fields(parameters: &Parameters) -> [Field; 2] {
    let literal = parameters.literal();
    let switch = &literal.extraction;
    let length = literal.key_switching.map_or(0, |digits| digits.length) * literal.multiples();
    let count = literal.ring_degree * switch.switching.length;
    let (prime, modulus) = (parameters.extraction().prime(), parameters.lwe_shape().modulus);
    [
        Field { name: "rows of the switch", count, modulus: prime },
        Field { name: "rows of LWE key switching", count: switch.degree * length, modulus },
    ]
}

fn file(parameters: &Parameters, clients: Clients) -> KeyFile<'_> {
    let (object_type, fields) = (ObjectType::ExtractionKey, fields(parameters));
    KeyFile { object_type, max_body: MAX_BODY_BYTES, parameters, clients, fields }
}

impl SeededExtractionKey {
    /// Bytes that a key of these parameters takes in a file, its header excepted.
    #[must_use]
    pub fn body_bytes(parameters: &Parameters) -> u64 {
        KeyFile::body_bytes(fields(parameters))
    }

    /// Writes the key.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let words = [self.switching.bodies(), self.key_switching.bodies()];
        file(&self.parameters, self.clients).write(out, &self.seed, words)
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
        let (seed, [switching, rows]) = file(parameters, clients).read(bytes)?;
        Ok(Self {
            parameters: parameters.clone(),
            clients,
            seed,
            switching: SeededRows::new(RowDomain::ExtractionSwitch, switching),
            key_switching: SeededKeySwitchingKey::new(rows),
        })
    }
}

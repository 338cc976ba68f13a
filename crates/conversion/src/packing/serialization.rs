//! Keys of ring packing as they are sent: the bodies of all rows, packed at the width of the block's prime.

use std::io::{self, Write};

use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_wire::{ObjectType, WireError};

use crate::clients::Clients;
use crate::key_files::{Field, KeyFile};
use crate::packing::ring_packing_key::SeededRingPackingKey;
use crate::parameters::Parameters;

/// Longest body, 1 GiB.
const MAX_BODY_BYTES: u64 = 1 << 30;

/// Words of all columns, and of the switch.
fn fields(parameters: &Parameters) -> [Field; 2] {
    let (literal, modulus) = (parameters.literal(), parameters.packing().prime());
    let columns = literal.lwe_dimension * literal.packing.degree;
    let switch = literal.ring_degree * literal.packing.switching.length;
    [
        Field { name: "rows of columns", count: columns, modulus },
        Field { name: "rows of the switch", count: switch, modulus },
    ]
}

fn file(parameters: &Parameters, clients: Clients) -> KeyFile<'_> {
    let (object_type, fields) = (ObjectType::RingPackingKey, fields(parameters));
    KeyFile { object_type, max_body: MAX_BODY_BYTES, parameters, clients, fields }
}

impl SeededRingPackingKey {
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
        let words = [self.columns.bodies(), self.switching.bodies()];
        file(&self.parameters, self.clients).write(out, &self.seed, words)
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
        let (seed, [columns, switching]) = file(parameters, clients).read(bytes)?;
        Ok(Self {
            parameters: parameters.clone(),
            clients,
            seed,
            columns: SeededRows::new(RowDomain::RingPackingColumns, columns),
            switching: SeededRows::new(RowDomain::RingPackingSwitch, switching),
        })
    }
}

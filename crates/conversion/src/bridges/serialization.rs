//! Keys of bridges from bytes; [`Parameters::write_key`] writes them.

use cryptable_lattice::{ReadOptions, Result};
use cryptable_wire::{KeyId, open_with_parameters};

use super::{Bridge, Parameters, Target};
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::packing::{RingPackingKey, SeededRingPackingKey};

/// Longest body, 2 GiB.
const MAX_BYTES: u64 = 1 << 31;

impl<T: Target> Bridge<T> {
    /// A key from its wire format, expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged bridge key of this kind, its parts are of other parameters or clients, its
    /// parameters are insecure where those are not allowed, or it takes more memory than the options allow.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let read = |bytes: &[u8]| Parameters::<T>::from_bytes(bytes, options);
        let opened =
            open_with_parameters(bytes, T::OBJECT_TYPE, MAX_BYTES, read, Parameters::digest);
        let (parameters, mut reader) = opened?;
        options.check_memory("bridge key", parameters.key_memory_bytes() as u64)?;
        let mut id = |name| reader.array(name).map(KeyId);
        let clients =
            Clients { lwe: id("single key identifier")?, ring: id("packed key identifier")? };
        let packing = reader.bytes("ring packing key", MAX_BYTES)?;
        let extraction = reader.bytes("extraction key", MAX_BYTES)?;
        reader.finish()?;
        let conversion = parameters.conversion();
        let packing = SeededRingPackingKey::from_bytes(conversion, clients, packing)?;
        let extraction = SeededExtractionKey::from_bytes(conversion, clients, extraction)?;
        let keys = (RingPackingKey::expand(&packing), ExtractionKey::expand(&extraction));
        Ok(Self::of_parts(parameters, keys.0, keys.1))
    }
}

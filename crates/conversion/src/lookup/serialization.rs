//! Files of keys: the objects of both engines and of the conversions, one after the other in one object.
//!
//! | secret key | evaluation key |
//! |---|---|
//! | parameters | parameters |
//! | secret key of single values | identifiers of both secret keys |
//! | secret key of packed values | evaluation key of single values, ring packing key, extraction key, each with its length |
//! | | zeros up to a multiple of 8 bytes; evaluation key of packed values, which is used in place |
//!
//! Every part has its own header and checksum. Parts of other parameters or another client are refused.

use std::sync::Arc;

use cryptable_fhew::lookup as single;
use cryptable_lattice::error::{check_client, check_parameters};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{KeyParameters, ReadOptions, Result, key_parameters};
use cryptable_packed as packed;
use cryptable_wire::{KeyId, ObjectType};

use super::{EvaluationKey, Parameters};
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::file_parts::{PART, Part};
use crate::packing::{RingPackingKey, SeededRingPackingKey};

/// Longest body of an evaluation key, 128 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 37;

/// Longest part except the last, 8 GiB.
const MAX_PART_BYTES: u64 = 1 << 33;

key_parameters!(Parameters);

/// Checks that parts have a key's parameters.
fn check_parts(
    parameters: &Parameters,
    single: &single::Parameters,
    packed: &packed::Parameters,
) -> Result<()> {
    check_parameters(PART, parameters.single().digest(), single.digest())?;
    check_parameters(PART, parameters.packed().digest(), packed.digest())
}

impl EvaluationKey {
    /// Reads a key from its wire format. Switching keys of packed values are used in place, for example in a
    /// memory-mapped file; all other keys are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, have parts of other parameters or clients, or if
    /// `options` refuse their parameters or the memory that they need.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let object_type = ObjectType::BridgedEvaluationKey;
        let (parameters, mut reader) =
            Parameters::open(all, object_type, MAX_EVALUATION_KEY_BYTES, options)?;
        options.check_memory("evaluation key", parameters.prediction().key_memory_bytes as u64)?;
        let mut id = |name| reader.array(name).map(KeyId);
        let clients =
            Clients { lwe: id("single key identifier")?, ring: id("packed key identifier")? };
        let mut part = |name| reader.bytes(name, MAX_PART_BYTES);
        let single = part("evaluation key of single values")?;
        let (packing, extraction) = (part("ring packing key")?, part("extraction key")?);
        let part = Part::last(&bytes, &mut reader, "evaluation key of packed values")?;
        let conversion = parameters.conversion();
        let packing = SeededRingPackingKey::from_bytes(conversion, clients, packing)?;
        let extraction = SeededExtractionKey::from_bytes(conversion, clients, extraction)?;
        let (packing, extraction) =
            (RingPackingKey::expand(&packing), ExtractionKey::expand(&extraction));
        let single = single::EvaluationKey::from_shared(Arc::new(single.to_vec()), options)?;
        let packed = packed::EvaluationKey::from_shared(Arc::new(part), options)?;
        check_parts(&parameters, single.parameters(), packed.parameters())?;
        check_client(PART, clients.lwe, single.key_id())?;
        check_client(PART, clients.ring, packed.key_id())?;
        Ok(Self::new(parameters, single, packed, packing, extraction))
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_ring::clear_stack;
    use zeroize::Zeroizing;

    use super::*;
    use crate::file_parts::{ServerFile, pair_bytes};
    use crate::lookup::SecretKey;

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 22;

    impl SecretKey {
        /// Encodes the key: parameters, then the secret keys of both engines.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let (digest, literals) = (self.parameters().digest(), self.parameters().to_bytes());
            let keys = [self.single().to_bytes(), self.packed().to_bytes()];
            pair_bytes(ObjectType::BridgedSecretKey, digest, &literals, keys)
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key, its parts have other parameters, or `options` refuse
        /// them because they are insecure.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let (parameters, mut reader) = Parameters::open(
                bytes,
                ObjectType::BridgedSecretKey,
                MAX_SECRET_KEY_BYTES,
                options,
            )?;
            clear_stack();
            let mut part = |name| reader.bytes(name, MAX_SECRET_KEY_BYTES);
            let single = part("secret key of single values")?;
            let packed = part("secret key of packed values")?;
            reader.finish()?;
            let single = single::SecretKey::from_bytes(single, options)?;
            let packed = packed::SecretKey::from_bytes(packed, options)?;
            check_parts(&parameters, single.parameters(), packed.parameters())?;
            Ok(Self::of_parts(parameters, single, packed))
        }

        /// Generates an evaluation key and writes it, switching keys of packed values one at a time. Progress counts
        /// these.
        ///
        /// # Errors
        /// If writing fails, or `progress` asks to stop.
        pub fn write_evaluation_key(
            &self,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let file = ServerFile {
                object_type: ObjectType::BridgedEvaluationKey,
                digest: self.parameters().digest(),
                parameters: &self.parameters().to_bytes(),
                ids: [self.id(), self.packed().id()],
                parts: &self.small_parts()?,
            };
            file.write(out, self.packed().evaluation_key_bytes()?, |out| {
                self.packed().write_evaluation_key(out, progress)
            })
        }

        /// Generates the keys of single values and of the conversions, in the form in which they are sent.
        fn small_parts(&self) -> Result<[Vec<u8>; 3]> {
            let [mut single, mut packing, mut extraction] = [const { Vec::new() }; 3];
            self.single().write_evaluation_key(&mut single, Progress::silent())?;
            let keys = self.conversion_keys()?;
            keys.0.write(&mut packing)?;
            keys.1.write(&mut extraction)?;
            Ok([single, packing, extraction])
        }
    }
}

//! A server's keys for gates on another library's ciphertexts as one object.
//!
//! | body | |
//! |---|---|
//! | name of the parameters | with its length |
//! | identifiers of both secrets | that of the other library, that of the ring |
//! | ring packing key, extraction key | objects of their own, each with its length |
//! | zeros up to a multiple of 8 bytes | |
//! | evaluation key of bits in slots | an object of its own, which is used in place |
//!
//! The header has the digest of the parameters of packing and extraction, which follow from the name and from the
//! parameters of bits.

use std::sync::Arc;

use cryptable_bits as bits;
use cryptable_lattice::error::check_parameters;
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{FailureProbability, ReadOptions, Result};
use cryptable_wire::{BodyReader, KeyId, ObjectType, peek_header, read_object};

use super::gates::ForeignGates;
use super::parameters::ForeignParameters;
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::file_parts::{PART, Part};
use crate::packing::{RingPackingKey, SeededRingPackingKey};

/// Longest body, 32 GiB.
const MAX_BYTES: u64 = 1 << 35;

/// Longest part except the last, 2 GiB.
const MAX_PART_BYTES: u64 = 1 << 31;

/// Longest name of parameters.
const MAX_NAME_BYTES: u64 = 64;

impl ForeignGates {
    /// Reads keys from their wire format. Switching keys of bits are used in place, for example in a memory-mapped
    /// file; all other keys are expanded into memory.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use cryptable_conversion::foreign::{ForeignGates, ForeignParameters, ForeignSecret};
    /// use cryptable_lattice::{Progress, ReadOptions};
    /// let parameters = ForeignParameters::insecure_toy();
    /// let secret_file = [&b"LWEKEY01\x20\0\0\0"[..], &[1; 32]].concat();
    /// let secret = ForeignSecret::from_bytes(&parameters, &secret_file)?;
    /// let mut file = Vec::new();
    /// secret.write_gates(&parameters.packed(64)?, &mut file, Progress::silent())?;
    /// let server = ForeignGates::from_shared(Arc::new(file), ReadOptions::default().allow_insecure())?;
    /// assert_eq!(server.clients().lwe, secret.id());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged set of such keys, have parts of other parameters or clients, or if
    /// `options` refuse their parameters or the memory that they need.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let body = read_object(all, ObjectType::ForeignGatesKey, None, MAX_BYTES)?;
        let mut reader = BodyReader::new(body);
        let name = reader.bytes("parameters of foreign ciphertexts", MAX_NAME_BYTES)?;
        let parameters = ForeignParameters::of_file(name)?;
        options.check(parameters.security_level())?;
        let mut id = |name| reader.array(name).map(KeyId);
        let clients = Clients {
            lwe: id("identifier of the LWE key")?,
            ring: id("identifier of the ring key")?,
        };
        let packing = reader.bytes("ring packing key", MAX_PART_BYTES)?;
        let extraction = reader.bytes("extraction key", MAX_PART_BYTES)?;
        let part = Part::last(&bytes, &mut reader, "evaluation key of bits")?;
        let server = bits::EvaluationKey::from_shared(Arc::new(part), options)?;
        let conversion = parameters.conversion(server.parameters())?;
        check_parameters(PART, conversion.digest(), peek_header(all)?.parameter_digest)?;
        let needed = server.memory_bytes() + conversion.key_memory_bytes();
        options.check_memory("evaluation key", needed as u64)?;
        let packing = SeededRingPackingKey::from_bytes(&conversion, clients, packing)?;
        let extraction = SeededExtractionKey::from_bytes(&conversion, clients, extraction)?;
        let (packing, extraction) =
            (RingPackingKey::expand(&packing), ExtractionKey::expand(&extraction));
        let keys = Self::new(&parameters, server, packing, extraction)?;
        options.check_failures(FailureProbability::from_log2(keys.log2_fail()))?;
        Ok(keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;

    use super::*;
    use crate::file_parts::ServerFile;
    use crate::foreign::ForeignSecret;

    impl ForeignSecret {
        /// Generates all keys of a server and writes them in the format that [`ForeignGates::from_shared`] reads,
        /// switching keys of the ring one at a time. Progress counts these.
        ///
        /// # Errors
        /// The errors of [`ForeignSecret::gates`], or if writing fails.
        pub fn write_gates(
            &self,
            packed: &bits::Parameters,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            self.parameters().log2_fail(packed)?;
            let ring = bits::SecretKey::generate(packed);
            let keys = self.conversion_keys(&ring)?;
            let mut parts = [const { Vec::new() }; 2];
            keys.0.write(&mut parts[0])?;
            keys.1.write(&mut parts[1])?;
            let file = ServerFile {
                object_type: ObjectType::ForeignGatesKey,
                digest: keys.0.parameters().digest(),
                parameters: self.parameters().name().as_bytes(),
                ids: [self.id(), ring.id()],
                parts: &parts,
            };
            file.write(out, ring.evaluation_key_bytes()?, |out| {
                ring.write_evaluation_key(out, progress)
            })
        }
    }
}

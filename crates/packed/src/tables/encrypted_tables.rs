//! Tables of every value that the server cannot read.

use std::io::Write;

use cryptable_ckks::SeededCiphertext;
use cryptable_lattice::error::{Result, check_client, check_parameters};
use cryptable_lattice::switching_key::words_are_reduced;
use cryptable_ring::random::Seed;
use cryptable_ring::{Basis, Poly};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, ObjectWriter, WireError, read_object,
};

use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;
use crate::tables::slot_tables::entry_circuit;

/// What errors call them.
const OBJECT: &str = "set of encrypted tables";

/// Longest body, 64 GiB.
const MAX_BYTES: u64 = 1 << 36;

/// [`crate::SlotTables`] that the server cannot read; made by `SecretKey::encrypt_tables`.
///
/// One CKKS ciphertext an input value, p in all, half of each a seed: `8·N·l` bytes an input value at ring
/// degree N, l the limbs of column selectors: those of SlotsToCoeffs, one a row selector, and two more.
/// The server learns the moduli and the number of tables.
#[derive(Clone, Debug)]
pub struct EncryptedTables {
    parameter_digest: [u8; 32],
    key_id: KeyId,
    count: usize,
    /// Entry x holds every table's output at x.
    entries: Vec<SeededCiphertext>,
}

impl EncryptedTables {
    /// The number of tables.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The secret key that they are encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Bytes in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.entries.iter().map(|entry| 8 * entry.c0.words().len()).sum()
    }

    /// Every table's output at x.
    pub(crate) fn entry(&self, x: usize) -> &SeededCiphertext {
        &self.entries[x]
    }

    /// Checks that they are of these parameters and this key.
    pub(crate) fn check(&self, parameters: &Parameters, key_id: KeyId) -> Result<()> {
        check_parameters(OBJECT, parameters.digest(), self.parameter_digest)?;
        check_client(OBJECT, key_id, self.key_id)
    }

    /// Writes them in their wire format: the key identifier, the number of tables, then seed and words of every
    /// entry.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        let mut length = BodyWriter::new(std::io::sink());
        length.raw(&self.key_id.0)?;
        length.u64(self.count as u64)?;
        for entry in &self.entries {
            length.raw(&[0; Seed::BYTES])?;
            length.skip_words(entry.c0.words().len())?;
        }
        let object_type = ObjectType::EncryptedTables;
        let object =
            ObjectWriter::new(out, object_type, &self.parameter_digest, length.position())?;
        let mut writer = BodyWriter::new(object);
        writer.raw(&self.key_id.0)?;
        writer.u64(self.count as u64)?;
        for entry in &self.entries {
            writer.raw(entry.seed.as_bytes())?;
            writer.words(entry.c0.words())?;
        }
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads what [`EncryptedTables::write`] wrote, for lookups with `key`.
    ///
    /// # Errors
    /// If the key's parameters have no level for entries, or the bytes are not exactly one undamaged set
    /// of tables of these parameters and this client.
    pub fn from_bytes(key: &EvaluationKey, bytes: &[u8]) -> Result<Self> {
        let (parameters, ring) = (key.parameters(), key.ring());
        let encoding = entry_circuit(parameters)?.entry_encoding();
        let parameter_digest = parameters.digest();
        let object_type = ObjectType::EncryptedTables;
        let body = read_object(bytes, object_type, Some(&parameter_digest), MAX_BYTES)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        check_client(OBJECT, key.key_id(), key_id)?;
        let slots = parameters.literal().slots as u64;
        let count = reader.u64_within("number of tables", 1..=slots)? as usize;
        let basis = Basis::main(encoding.limbs);
        let mut entry = |_| {
            let seed = Seed::from_bytes(reader.array("seed of an entry")?);
            let words = reader.words("words of an entry", encoding.limbs * ring.degree())?;
            if !words_are_reduced(ring, basis, &words) {
                let expected = "words below their primes";
                return Err(WireError::invalid("an entry", "larger words", expected).into());
            }
            let c0 = Poly::from_words(ring, basis, words);
            Ok(SeededCiphertext { c0, seed, scale: encoding.scale })
        };
        let inputs = 0..parameters.literal().input_modulus;
        let entries = inputs.map(&mut entry).collect::<Result<_>>()?;
        reader.finish()?;
        Ok(Self { parameter_digest, key_id, count, entries })
    }
}

#[cfg(feature = "client")]
mod client {
    use cryptable_ckks::encryption::encrypt_seeded;
    use cryptable_ckks::plaintext::rounded_coefficients;
    use cryptable_ring::Embedding;
    use rayon::prelude::*;

    use super::*;
    use crate::keys::secret_key::SecretKey;
    use crate::tables::slot_tables::SlotTables;

    impl SecretKey {
        /// Encrypts tables, for [`EvaluationKey::lookup_encrypted`]: see [`EncryptedTables`] for their size.
        ///
        /// # Errors
        /// If the parameters have no level for entries, the tables' moduli are not those of the parameters,
        /// or there are more tables than slots.
        pub fn encrypt_tables(&self, tables: &SlotTables) -> Result<EncryptedTables> {
            let circuit = entry_circuit(self.parameters())?;
            tables.check(self.parameters())?;
            let (encoding, ring) = (circuit.entry_encoding(), self.ring());
            let embedding = Embedding::new(circuit.complex_slots());
            let encrypt = |x| {
                let slots = circuit.slots_of(&tables.fractions(x));
                let scale = encoding.scale;
                let coefficients = rounded_coefficients(ring.degree(), &embedding, &slots, scale);
                encrypt_seeded(ring, self.secret(), coefficients, scale, encoding.limbs)
            };
            let inputs = self.parameters().literal().input_modulus as usize;
            Ok(EncryptedTables {
                parameter_digest: self.parameters().digest(),
                key_id: self.id(),
                count: tables.tables().len(),
                entries: (0..inputs).into_par_iter().map(encrypt).collect(),
            })
        }
    }
}

//! Tables per value that the server cannot read.

#[cfg(feature = "client")]
use std::borrow::Borrow;
use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use cryptable_ckks::{Ciphertext, SeededCiphertext};
use cryptable_lattice::Binding;
use cryptable_lattice::error::{Result, check_client};
use cryptable_lattice::switching_key::{SharedBytes, words_are_reduced};
use cryptable_ring::random::Seed;
use cryptable_ring::{Basis, Poly, Ring};
use cryptable_wire::{BodyReader, HEADER_BYTES, KeyId, ObjectType, WireError, read_object};
#[cfg(feature = "client")]
use cryptable_wire::{BodyWriter, ObjectWriter};

use crate::keys::evaluation_key::EvaluationKey;
use crate::multiplexer::entry_tables::EntryEncoding;
use crate::tables::slot_tables::entry_circuit;

/// Name of the tables in error messages.
const OBJECT: &str = "set of encrypted tables";

/// Maximum length of the body, 64 GiB.
const MAX_BYTES: u64 = 1 << 36;

/// [`crate::SlotTables`] that the server cannot read; made by `SecretKey::encrypt_tables`.
///
/// Encrypted tables hold one CKKS ciphertext per input value, p in all. A seed replaces half of each ciphertext, which
/// leaves `8·N·l` bytes per input value at ring degree N, where l is the number of limbs of column selectors: those of
/// SlotsToCoeffs, one per row selector, and two more. The server learns the moduli and the number of tables.
#[derive(Clone)]
pub struct EncryptedTables {
    binding: Binding,
    /// `None`: one table for all values.
    count: Option<usize>,
    entries: Entries,
}

/// The entries of all tables. Entry x holds every table's output at x.
#[derive(Clone)]
enum Entries {
    #[cfg(feature = "client")]
    Made(Vec<SeededCiphertext>),
    /// Entries as stored in an object.
    Stored(Stored),
}

/// Entries that are read from the bytes of an object, one by one.
#[derive(Clone)]
struct Stored {
    object: SharedBytes,
    /// Seed of each entry, and the range of its words.
    places: Vec<(Seed, Range<usize>)>,
    encoding: EntryEncoding,
}

impl Stored {
    fn entry(&self, ring: &Ring, x: usize) -> SeededCiphertext {
        let (seed, words) = &self.places[x];
        let words = words_of(&(*self.object).as_ref()[words.clone()]);
        let c0 = Poly::from_words(ring, Basis::main(self.encoding.limbs), words);
        SeededCiphertext { c0, seed: seed.clone(), scale: self.encoding.scale }
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    bytes.chunks_exact(8).map(word).collect()
}

impl fmt::Debug for EncryptedTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, key_id) = (&self.count, &self.binding.key_id);
        f.debug_struct("EncryptedTables").field("count", count).field("key_id", key_id).finish()
    }
}

impl EncryptedTables {
    /// The number of tables; `None` if one serves all values.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        self.count
    }

    /// The identifier of the secret key that the tables are encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// The size of the tables in bytes, in memory or in a mapped file.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        match &self.entries {
            #[cfg(feature = "client")]
            Entries::Made(entries) => entries.iter().map(|entry| 8 * entry.c0.words().len()).sum(),
            Entries::Stored(stored) => stored.places.iter().map(|(_, words)| words.len()).sum(),
        }
    }

    /// Every table's output at x.
    pub(crate) fn entry(&self, ring: &Ring, x: usize) -> Ciphertext {
        match &self.entries {
            #[cfg(feature = "client")]
            Entries::Made(entries) => entries[x].expand(ring),
            Entries::Stored(stored) => stored.entry(ring, x).expand(ring),
        }
    }

    /// Checks that the tables belong to a key.
    pub(crate) fn check(&self, expected: &Binding) -> Result<()> {
        self.binding.check(OBJECT, expected)
    }

    /// Writes the tables in their wire format: the key identifier, the number of tables (0 if one serves all values),
    /// then seed and words of every entry.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        match &self.entries {
            #[cfg(feature = "client")]
            Entries::Made(entries) => {
                let words = entries[0].c0.words().len();
                let content = entries.iter().map(Ok);
                write_entries(out, &self.binding, self.count, entries.len(), words, content)
            }
            Entries::Stored(stored) => Ok(out.write_all((*stored.object).as_ref())?),
        }
    }

    /// Reads tables that [`EncryptedTables::write`] wrote, for lookups with `key`.
    ///
    /// # Errors
    /// If the key's parameters have no level for entries, or the bytes are not exactly one undamaged set
    /// of tables of these parameters and this client.
    pub fn from_bytes(key: &EvaluationKey, bytes: &[u8]) -> Result<Self> {
        Self::from_shared(key, Arc::new(bytes.to_vec()))
    }

    /// Reads tables like [`EncryptedTables::from_bytes`], from bytes that stay in place, such as a memory-mapped file.
    /// Lookups then read one entry after the other from there.
    ///
    /// # Errors
    /// The same errors.
    pub fn from_shared(key: &EvaluationKey, object: SharedBytes) -> Result<Self> {
        let (parameters, ring) = (key.parameters(), key.ring());
        let encoding = entry_circuit(parameters)?.entry_encoding();
        let Binding { parameter_digest, key_id: expected } = *key.binding();
        let object_type = ObjectType::EncryptedTables;
        let bytes: &[u8] = (*object).as_ref();
        let body = read_object(bytes, object_type, Some(&parameter_digest), MAX_BYTES)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        check_client(OBJECT, expected, key_id)?;
        let slots = parameters.literal().slots as u64;
        let count = reader.u64_within("number of tables", 0..=slots)? as usize;
        let basis = Basis::main(encoding.limbs);
        let mut place = |_| {
            let seed = Seed::from_bytes(reader.array("seed of an entry")?);
            let words =
                reader.words_in_place("words of an entry", encoding.limbs * ring.degree())?;
            if !words_are_reduced(ring, basis, &words_of(&body[words.clone()])) {
                let expected = "words below their primes";
                return Err(WireError::invalid("an entry", "larger words", expected).into());
            }
            Ok((seed, words.start + HEADER_BYTES..words.end + HEADER_BYTES))
        };
        let inputs = 0..parameters.literal().input_modulus;
        let places = inputs.map(&mut place).collect::<Result<_>>()?;
        reader.finish()?;
        let entries = Entries::Stored(Stored { object, places, encoding });
        let count = (count > 0).then_some(count);
        Ok(Self { binding: *key.binding(), count, entries })
    }
}

/// Writes a set of `count` tables, with entries of `words` words each.
#[cfg(feature = "client")]
fn write_entries(
    out: &mut dyn Write,
    binding: &Binding,
    count: Option<usize>,
    entries: usize,
    words: usize,
    content: impl Iterator<Item = Result<impl Borrow<SeededCiphertext>>>,
) -> Result<()> {
    let count = count.unwrap_or(0) as u64;
    let mut length = BodyWriter::new(std::io::sink());
    length.raw(&binding.key_id.0)?;
    length.u64(count)?;
    for _ in 0..entries {
        length.raw(&[0; Seed::BYTES])?;
        length.skip_words(words)?;
    }
    let object_type = ObjectType::EncryptedTables;
    let object = ObjectWriter::new(out, object_type, &binding.parameter_digest, length.position())?;
    let mut writer = BodyWriter::new(object);
    writer.raw(&binding.key_id.0)?;
    writer.u64(count)?;
    for entry in content {
        let entry = entry?;
        writer.raw(entry.borrow().seed.as_bytes())?;
        writer.words(entry.borrow().c0.words())?;
    }
    writer.into_inner().finish()?;
    Ok(())
}

#[cfg(feature = "client")]
mod client {
    use cryptable_ckks::encryption::encrypt_seeded;
    use cryptable_ckks::plaintext::rounded_coefficients;
    use cryptable_lattice::Progress;
    use cryptable_ring::Embedding;
    use rayon::prelude::*;

    use super::*;
    use crate::keys::secret_key::SecretKey;
    use crate::multiplexer::circuit::MultiplexerCircuit;
    use crate::tables::slot_tables::SlotTables;

    /// Number of entries that are in memory at once while tables are written.
    const BLOCK: usize = 16;

    impl SecretKey {
        /// Encrypts tables, for [`EvaluationKey::lookup_encrypted`]: see [`EncryptedTables`] for their size.
        ///
        /// # Errors
        /// If the parameters have no level for entries, the tables' moduli are not those of the parameters,
        /// or there are more tables than slots.
        pub fn encrypt_tables(&self, tables: &SlotTables) -> Result<EncryptedTables> {
            let encryption = TableEncryption::new(self, tables)?;
            let inputs = 0..tables.input_modulus() as usize;
            Ok(EncryptedTables {
                binding: *self.binding(),
                count: tables.count(),
                entries: Entries::Made(
                    inputs.into_par_iter().map(|x| encryption.entry(x)).collect(),
                ),
            })
        }

        /// Encrypts tables and writes them as [`EncryptedTables::write`] does, but with only a few entries in memory at
        /// a time: tables of 12 bits take gigabytes.
        ///
        /// # Errors
        /// The errors of [`SecretKey::encrypt_tables`]; if writing fails or progress asks to stop.
        pub fn write_encrypted_tables(
            &self,
            tables: &SlotTables,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let encryption = TableEncryption::new(self, tables)?;
            let inputs = tables.input_modulus() as usize;
            let words = encryption.circuit.entry_limbs() * self.ring().degree();
            let step = progress.steps(inputs.div_ceil(BLOCK))?;
            let block = |start: usize| -> Vec<Result<SeededCiphertext>> {
                let entries = start..inputs.min(start + BLOCK);
                let mut entries: Vec<_> =
                    entries.into_par_iter().map(|x| Ok(encryption.entry(x))).collect();
                if let Err(cancelled) = step.done() {
                    entries = vec![Err(cancelled)];
                }
                entries
            };
            let entries = (0..inputs).step_by(BLOCK).flat_map(block);
            write_entries(out, self.binding(), tables.count(), inputs, words, entries)
        }
    }

    /// Constants for encrypting each entry.
    struct TableEncryption<'a> {
        key: &'a SecretKey,
        tables: &'a SlotTables,
        circuit: &'a MultiplexerCircuit,
        encoding: EntryEncoding,
        embedding: Embedding,
    }

    impl<'a> TableEncryption<'a> {
        fn new(key: &'a SecretKey, tables: &'a SlotTables) -> Result<Self> {
            let circuit = entry_circuit(key.parameters())?;
            tables.check(key.parameters())?;
            let embedding = Embedding::new(circuit.complex_slots());
            Ok(Self { key, tables, circuit, encoding: circuit.entry_encoding(), embedding })
        }

        /// Every table's output at x.
        fn entry(&self, x: usize) -> SeededCiphertext {
            let EntryEncoding { limbs, scale, .. } = self.encoding;
            let (ring, circuit) = (self.key.ring(), self.circuit);
            let slots = circuit.slots_of(&self.tables.fractions(x, circuit.slots()));
            let coefficients = rounded_coefficients(ring.degree(), &self.embedding, &slots, scale);
            encrypt_seeded(ring, self.key.secret(), coefficients, scale, limbs)
        }
    }
}

//! Files of encrypted words: a header that describes the words, then one ciphertext per bit and batch.

use std::io::Write;

use cryptable_bits::{EncryptedBits, Parameters};
use cryptable_circuits::netlist::limits::{MAX_NAME, MAX_PORT_BITS};
use cryptable_lattice::error::{check_client, check_equal, check_parameters};
use cryptable_lattice::{Error, Result};
use cryptable_wire::{
    BodyReader, BodyWriter, CHECKSUM_BYTES, HEADER_BYTES, KeyId, ObjectType, WireError,
    peek_header, read_object, write_object,
};

/// Longest header that is read, in bytes.
const MAX_SUMMARY_BYTES: u64 = 1 << 26;
/// Largest number of words of a file.
const MAX_WORDS: u64 = 1 << 40;
/// Largest number of words of a batch, the slots of the largest parameter set.
const MAX_BATCH: u64 = 1 << 17;
/// Largest number of levels of a bit, the primes of the longest chain.
const MAX_LEVELS: u64 = 64;
/// Longest ciphertext that is read, in bytes; the ciphertext type has a lower limit.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 32;

/// An input or output of a circuit. Each row of a file has one word for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPort {
    /// Name in the circuit.
    pub name: String,
    /// Bits per word.
    pub width: usize,
}

/// The header of a file of encrypted words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedWordsSummary {
    /// Digest of the parameters.
    pub parameter_digest: [u8; 32],
    /// Identifier of the client's key, which decrypts the words.
    pub key_id: KeyId,
    /// Ports in the order of the circuit.
    pub ports: Vec<WordPort>,
    /// Number of words of each port.
    pub words: u64,
    /// Words per batch: each ciphertext holds one bit of that many words. The last batch may be smaller.
    pub batch_words: u64,
    /// Levels of each bit of a word: the multiplications left before a bootstrap.
    pub levels: Vec<usize>,
}

impl EncryptedWordsSummary {
    /// Describes a file of `words` words for each of these ports, in batches as large as the parameters allow, with all
    /// levels.
    #[must_use]
    pub fn new(parameters: &Parameters, key_id: KeyId, ports: Vec<WordPort>, words: u64) -> Self {
        let (parameter_digest, batch_words) = (parameters.digest(), parameters.bits() as u64);
        let bits = ports.iter().map(|port| port.width).sum();
        let levels = vec![parameters.levels_after_bootstrap(); bits];
        Self { parameter_digest, key_id, ports, words, batch_words, levels }
    }

    /// Returns the same header with these levels, one number per bit of a word.
    #[must_use]
    pub fn with_levels(self, levels: Vec<usize>) -> Self {
        Self { levels, ..self }
    }

    /// Returns the number of bits in a word of all ports together, which is the number of ciphertexts per batch.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.ports.iter().map(|port| port.width).sum()
    }

    /// Returns the number of batches.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.words.div_ceil(self.batch_words)
    }

    /// Returns the number of ciphertexts: one for each bit of a word in each batch.
    #[must_use]
    pub fn ciphertexts(&self) -> u64 {
        self.batches() * self.bits() as u64
    }

    /// Returns the levels of a ciphertext, given its index.
    fn levels_of(&self, ciphertext: u64) -> usize {
        self.levels[(ciphertext % self.bits() as u64) as usize]
    }

    /// Returns the number of words in the batch of a ciphertext, given its index.
    fn words_of(&self, ciphertext: u64) -> usize {
        let begin = ciphertext / self.bits() as u64 * self.batch_words;
        self.batch_words.min(self.words - begin) as usize
    }

    fn write(&self, out: &mut impl Write) -> Result<()> {
        let mut body = Vec::new();
        let mut writer = BodyWriter::new(&mut body);
        writer.raw(&self.key_id.0)?;
        writer.u64(self.words)?;
        writer.u64(self.batch_words)?;
        writer.u64(self.ports.len() as u64)?;
        for port in &self.ports {
            writer.u64(port.width as u64)?;
            writer.bytes(port.name.as_bytes())?;
        }
        check_equal("number of bits with levels", self.levels.len(), self.bits())?;
        self.levels.iter().try_for_each(|&levels| writer.u64(levels as u64))?;
        // Check that the header can be read again.
        Self::read(&body, self.parameter_digest)?;
        write_object(out, ObjectType::SlotBitsWords, &self.parameter_digest, &body)?;
        Ok(())
    }

    fn read(body: &[u8], parameter_digest: [u8; 32]) -> Result<Self> {
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("client key identifier")?);
        let words = reader.u64_within("number of words", 1..=MAX_WORDS)?;
        let batch_words = reader.u64_within("words of a ciphertext", 1..=MAX_BATCH)?;
        let mut left = MAX_PORT_BITS as u64;
        let count = reader.u64_within("number of ports", 1..=left)?;
        let mut ports = Vec::new();
        for _ in 0..count {
            let width = reader.u64_within("bits of a port", 1..=left)?;
            left -= width;
            let name = reader.bytes("name of a port", MAX_NAME as u64)?;
            let name = std::str::from_utf8(name)
                .map_err(|_| WireError::invalid("name of a port", "other bytes", "UTF-8"))?;
            ports.push(WordPort { name: name.to_owned(), width: width as usize });
        }
        let bits: usize = ports.iter().map(|port| port.width).sum();
        let level = |_| Ok(reader.u64_within("levels of a bit", 0..=MAX_LEVELS)? as usize);
        let levels = (0..bits).map(level).collect::<Result<_>>()?;
        reader.finish()?;
        Ok(Self { parameter_digest, key_id, ports, words, batch_words, levels })
    }
}

/// Writes a file of encrypted words: for each batch, the bits of all ports, least significant bit of each port first.
///
/// ```
/// use cryptable::bits::{Packing, Parameters};
/// use cryptable::circuits::{EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, WordPort};
/// use cryptable::bits::SecretKey;
/// let parameters = Parameters::insecure_toy(Packing::Real)?;
/// let secret = SecretKey::generate(&parameters);
/// let ports = vec![WordPort { name: "x".into(), width: 1 }];
/// let summary = EncryptedWordsSummary::new(&parameters, secret.id(), ports, 3);
/// let mut writer = EncryptedWordsWriter::new(Vec::new(), &parameters, summary)?;
/// writer.push(&secret.encrypt(&[true, false, true])?)?;
/// let file = writer.finish()?;
///
/// let mut reader = EncryptedWordsReader::new(&file)?;
/// reader.check_undamaged()?;
/// let bits = reader.next_bits(&parameters)?.expect("one ciphertext");
/// assert_eq!(secret.decrypt(&bits)?, [true, false, true]);
/// assert!(reader.next_bits(&parameters)?.is_none());
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Debug)]
pub struct EncryptedWordsWriter<'a, W> {
    out: W,
    parameters: &'a Parameters,
    summary: EncryptedWordsSummary,
    written: u64,
}

impl<'a, W: Write> EncryptedWordsWriter<'a, W> {
    /// Starts a file by writing its header.
    ///
    /// # Errors
    /// If the header has other parameters, no words or ports, or more than a file can have, or if writing fails.
    pub fn new(
        mut out: W,
        parameters: &'a Parameters,
        summary: EncryptedWordsSummary,
    ) -> Result<Self> {
        check_parameters("file of words", parameters.digest(), summary.parameter_digest)?;
        summary.write(&mut out)?;
        Ok(Self { out, parameters, summary, written: 0 })
    }

    /// Appends one bit of all words of a batch.
    ///
    /// # Errors
    /// If the bits have another client, other parameters, or another number of bits or levels than the header says, if
    /// the file is already complete, or if writing fails.
    pub fn push(&mut self, bits: &EncryptedBits) -> Result<()> {
        check_client("encrypted bits", self.summary.key_id, bits.key_id())?;
        if self.written == self.summary.ciphertexts() {
            let (value, limit) = (self.written + 1, self.written);
            return Err(Error::TooLarge { name: "number of ciphertexts", value, limit });
        }
        check_equal("number of bits", bits.count(), self.summary.words_of(self.written))?;
        check_equal("levels of the bits", bits.levels(), self.summary.levels_of(self.written))?;
        self.out.write_all(&bits.to_bytes(self.parameters)?)?;
        self.written += 1;
        Ok(())
    }

    /// Checks that the file is complete, and returns the output.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if a ciphertext is missing.
    pub fn finish(self) -> Result<W> {
        let expected = self.summary.ciphertexts();
        check_equal("number of ciphertexts", self.written as usize, expected as usize)?;
        Ok(self.out)
    }
}

/// Reads a file of encrypted words, as [`EncryptedWordsWriter`] writes it.
#[derive(Clone, Debug)]
pub struct EncryptedWordsReader<'a> {
    rest: &'a [u8],
    summary: EncryptedWordsSummary,
    read: u64,
}

impl<'a> EncryptedWordsReader<'a> {
    /// Reads the header of a file. Each ciphertext is checked when it is read.
    ///
    /// # Errors
    /// If the bytes do not begin with the header of a file of words.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let mut rest = bytes;
        let (digest, object) = next_object(&mut rest, MAX_SUMMARY_BYTES)?;
        let object_type = ObjectType::SlotBitsWords;
        let body = read_object(object, object_type, None, MAX_SUMMARY_BYTES)?;
        let summary = EncryptedWordsSummary::read(body, digest)?;
        Ok(Self { rest, summary, read: 0 })
    }

    /// Returns the header of the file.
    #[must_use]
    pub fn summary(&self) -> &EncryptedWordsSummary {
        &self.summary
    }

    /// Returns whether the next bits were encrypted with a public key, judging by their noise: for
    /// [`PlanOptions::public_inputs`](super::PlanOptions::public_inputs).
    ///
    /// # Errors
    /// Same errors as [`EncryptedWordsReader::next_bits`].
    pub fn are_public(&self, parameters: &Parameters) -> Result<bool> {
        let Self { rest, read, summary } = self;
        let bits = Self { rest, read: *read, summary: summary.clone() }.next_bits(parameters)?;
        Ok(bits.is_some_and(|bits| bits.noise() == parameters.public_noise()))
    }

    /// Checks that no remaining ciphertext is damaged or missing. Needs no parameters.
    ///
    /// # Errors
    /// If a ciphertext is damaged or missing, or if anything follows the last.
    pub fn check_undamaged(&self) -> Result<()> {
        let mut rest = self.rest;
        for _ in self.read..self.summary.ciphertexts() {
            let (_, object) = next_object(&mut rest, MAX_CIPHERTEXT_BYTES)?;
            let object_type = ObjectType::SlotBitsCiphertext;
            let digest = Some(&self.summary.parameter_digest);
            read_object(object, object_type, digest, MAX_CIPHERTEXT_BYTES)?;
        }
        Ok(BodyReader::new(rest).finish()?)
    }

    /// Returns the next batch without decoding it; `None` after the last. Its bits can be read in any order, each when
    /// it is needed.
    ///
    /// ```
    /// use cryptable::bits::{Packing, Parameters};
    /// use cryptable::circuits::{EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, WordPort};
    /// use cryptable::bits::SecretKey;
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let ports = vec![WordPort { name: "x".into(), width: 2 }];
    /// let summary = EncryptedWordsSummary::new(&parameters, secret.id(), ports, 1);
    /// let mut writer = EncryptedWordsWriter::new(Vec::new(), &parameters, summary)?;
    /// writer.push(&secret.encrypt(&[true])?)?;
    /// writer.push(&secret.encrypt(&[false])?)?;
    /// let file = writer.finish()?;
    /// let mut reader = EncryptedWordsReader::new(&file)?;
    /// let batch = reader.next_batch()?.expect("one batch");
    /// assert_eq!(secret.decrypt(&batch.bits(1, &parameters)?)?, [false]);
    /// assert_eq!(secret.decrypt(&batch.bits(0, &parameters)?)?, [true]);
    /// assert!(reader.next_batch()?.is_none());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a ciphertext is missing, if anything follows the last, or if single bits of this batch were read before.
    pub fn next_batch(&mut self) -> Result<Option<EncryptedBatch<'a>>> {
        let bits = self.summary.bits() as u64;
        check_equal("bits of a batch that were read", (self.read % bits) as usize, 0)?;
        if self.read == self.summary.ciphertexts() {
            BodyReader::new(self.rest).finish()?;
            return Ok(None);
        }
        let one = |_| Ok(next_object(&mut self.rest, MAX_CIPHERTEXT_BYTES)?.1);
        let objects = (0..bits).map(one).collect::<Result<Vec<_>>>()?;
        let words = self.summary.words_of(self.read);
        self.read += bits;
        let levels = self.summary.levels.clone();
        Ok(Some(EncryptedBatch { objects, key_id: self.summary.key_id, words, levels }))
    }

    /// Reads the next bit of a batch; `None` after the last.
    ///
    /// # Errors
    /// If the ciphertext is damaged or missing, if its client, parameters, number of bits or number of levels differ
    /// from the header, or if anything follows the last.
    pub fn next_bits(&mut self, parameters: &Parameters) -> Result<Option<EncryptedBits>> {
        if self.read == self.summary.ciphertexts() {
            BodyReader::new(self.rest).finish()?;
            return Ok(None);
        }
        let (_, object) = next_object(&mut self.rest, MAX_CIPHERTEXT_BYTES)?;
        let words = self.summary.words_of(self.read);
        let levels = self.summary.levels_of(self.read);
        let bits = read_bits(parameters, object, self.summary.key_id, words, levels)?;
        self.read += 1;
        Ok(Some(bits))
    }
}

/// The ciphertexts of a batch, one per bit of a word. They are decoded on request.
#[derive(Clone, Debug)]
pub struct EncryptedBatch<'a> {
    objects: Vec<&'a [u8]>,
    key_id: KeyId,
    words: usize,
    levels: Vec<usize>,
}

impl EncryptedBatch<'_> {
    /// Reads bit `index` of all words, counted over all ports, least significant bit of each port first.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no such bit; other errors if the ciphertext is damaged, or if its client,
    /// parameters, number of bits or number of levels differ from the header.
    pub fn bits(&self, index: usize, parameters: &Parameters) -> Result<EncryptedBits> {
        let Some(object) = self.objects.get(index) else {
            let (value, limit) = (index as u64, self.objects.len() as u64 - 1);
            return Err(Error::TooLarge { name: "bit of a word", value, limit });
        };
        read_bits(parameters, object, self.key_id, self.words, self.levels[index])
    }

    /// Reads a bit like [`EncryptedBatch::bits`], as an input of a plan that assumes fresh bits, encrypted with the
    /// secret key or, with [`public_inputs`](super::PlanOptions::public_inputs), with a public key.
    ///
    /// # Errors
    /// Same errors as [`EncryptedBatch::bits`], and [`Error::Mismatch`] if the bit is a result of another circuit.
    pub fn input_bits(
        &self,
        index: usize,
        parameters: &Parameters,
        public_inputs: bool,
    ) -> Result<EncryptedBits> {
        let bits = self.bits(index, parameters)?;
        let noise = bits.noise();
        if noise == parameters.fresh_noise() || public_inputs && noise == parameters.public_noise()
        {
            return Ok(bits);
        }
        let found = "a result of another: join both in one netlist";
        Err(Error::mismatch("input of a circuit", found, "fresh bits"))
    }
}

/// Reads one ciphertext and checks its client, number of words and number of levels.
fn read_bits(
    parameters: &Parameters,
    object: &[u8],
    key_id: KeyId,
    words: usize,
    levels: usize,
) -> Result<EncryptedBits> {
    let bits = EncryptedBits::from_bytes(parameters, object)?;
    check_client("encrypted bits", key_id, bits.key_id())?;
    check_equal("number of bits", bits.count(), words)?;
    check_equal("levels of the bits", bits.levels(), levels)?;
    Ok(bits)
}

/// Splits off the next object, whose header states its length. Also returns the digest of its parameters.
fn next_object<'a>(rest: &mut &'a [u8], max_body: u64) -> Result<([u8; 32], &'a [u8])> {
    let header = peek_header(rest)?;
    if header.body_length > max_body {
        let (found, expected) = (header.body_length, format!("at most {max_body}"));
        return Err(WireError::invalid("body length", found, expected).into());
    }
    let length = HEADER_BYTES + header.body_length as usize + CHECKSUM_BYTES;
    let mut reader = BodyReader::new(rest);
    let object = reader.raw("ciphertext", length)?;
    *rest = &rest[length..];
    Ok((header.parameter_digest, object))
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use super::*;
    use cryptable_bits::{Packing, SecretKey};

    #[test]
    fn damage_is_refused_and_nothing_panics() {
        let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
        let secret = SecretKey::generate(&parameters);
        let ports = vec![WordPort { name: "x".into(), width: 1 }];
        let words = parameters.bits() as u64 + 3;
        let summary = EncryptedWordsSummary::new(&parameters, secret.id(), ports, words);
        assert_eq!((summary.batches(), summary.ciphertexts()), (2, 2));
        let mut writer = EncryptedWordsWriter::new(Vec::new(), &parameters, summary).unwrap();
        let bits = |count| secret.encrypt(&vec![true; count]).unwrap();
        let low = secret.encrypt_at(&vec![true; parameters.bits()], 0).unwrap();
        assert!(writer.push(&low).is_err(), "fewer levels than the file says");
        assert!(writer.push(&bits(3)).is_err(), "the last batch comes last");
        writer.push(&bits(parameters.bits())).unwrap();
        assert!(writer.push(&bits(4)).is_err(), "one bit too many");
        writer.push(&bits(3)).unwrap();
        assert!(writer.push(&bits(3)).is_err(), "a batch too many");
        let file = writer.finish().unwrap();
        let check = |bytes: &[u8]| EncryptedWordsReader::new(bytes)?.check_undamaged();
        check(&file).unwrap();
        let places = (0..400).chain((400..file.len()).step_by(997));
        for place in places {
            assert!(check(&file[..place]).is_err(), "cut at {place}");
            let mut damaged = file.clone();
            damaged[place] ^= 0x81;
            assert!(check(&damaged).is_err(), "byte {place}");
        }
        assert!(check(&[&file[..], &[0]].concat()).is_err());
    }

    #[test]
    fn batches_are_read_whole_and_in_any_order() {
        let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
        let secret = SecretKey::generate(&parameters);
        let ports = vec![WordPort { name: "x".into(), width: 2 }];
        let words = parameters.bits() as u64 + 3;
        let summary = EncryptedWordsSummary::new(&parameters, secret.id(), ports, words);
        let mut writer = EncryptedWordsWriter::new(Vec::new(), &parameters, summary).unwrap();
        for (count, bit) in [parameters.bits(), 3].into_iter().flat_map(|n| [(n, false), (n, true)])
        {
            writer.push(&secret.encrypt(&vec![bit; count]).unwrap()).unwrap();
        }
        let mut file = writer.finish().unwrap();
        let mut reader = EncryptedWordsReader::new(&file).unwrap();
        for count in [parameters.bits(), 3] {
            let batch = reader.next_batch().unwrap().unwrap();
            for index in [1, 0, 1] {
                let bits = batch.bits(index, &parameters).unwrap();
                assert_eq!(secret.decrypt(&bits).unwrap(), vec![index == 1; count]);
            }
            let error = batch.bits(2, &parameters).unwrap_err();
            assert!(matches!(error, Error::TooLarge { value: 2, limit: 1, .. }), "{error}");
        }
        assert!(reader.next_batch().unwrap().is_none());
        // Half of the batch was read bit by bit; damage is found only when the damaged bit is read.
        let mut reader = EncryptedWordsReader::new(&file).unwrap();
        reader.next_bits(&parameters).unwrap();
        assert!(reader.next_batch().is_err());
        let last = file.len() - CHECKSUM_BYTES - 7;
        file[last] ^= 1;
        let mut reader = EncryptedWordsReader::new(&file).unwrap();
        reader.next_batch().unwrap().unwrap();
        let batch = reader.next_batch().unwrap().unwrap();
        assert!(batch.bits(0, &parameters).is_ok() && batch.bits(1, &parameters).is_err());
        file.pop();
        let mut reader = EncryptedWordsReader::new(&file).unwrap();
        reader.next_batch().unwrap().unwrap();
        assert!(reader.next_batch().is_err(), "a part of the last ciphertext is missing");
    }

    #[test]
    fn sizes_are_within_limits() {
        let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
        let key_id = SecretKey::generate(&parameters).id();
        let begin = |name: String, width, words| {
            let ports = vec![WordPort { name, width }];
            let summary = EncryptedWordsSummary::new(&parameters, key_id, ports, words);
            EncryptedWordsWriter::new(Vec::new(), &parameters, summary).map(|_| ())
        };
        assert!(begin("x".into(), 1, 1).is_ok());
        assert!(begin("x".into(), 1, 0).is_err());
        assert!(begin("x".into(), 0, 1).is_err());
        assert!(begin("x".into(), MAX_PORT_BITS + 1, 1).is_err());
        assert!(begin("x".repeat(MAX_NAME + 1), 1, 1).is_err());
        assert!(begin("x".into(), 1, MAX_WORDS + 1).is_err());
    }
}

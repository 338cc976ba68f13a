//! Transciphering of messages of any length: from AES-CTR bytes (NIST SP 800-38A) to homomorphic ciphertexts, chunk
//! after chunk, so that memory does not grow with the message.

use std::io::{Read, Write};
use std::ops::ControlFlow;

use cryptable_lattice::{Error, Progress, Result};

use super::block::{Aes, BLOCK_BYTES, EncryptedRoundKeys, ROUNDS};
use super::byte_stream::{CHUNK_BYTES, EncryptedBytesWriter};
use super::counter_mode::counter_block;
use super::encrypted_bytes::EncryptedBytes;
use super::encrypted_key::EncryptedKey;
use super::evaluation_key::{EvaluationKey, PreparedTable};

/// Turns messages under one AES key into homomorphic ciphertexts, and maps each byte through a table if there is one.
///
/// ```
/// use cryptable_lattice::Progress;
/// use cryptable_leveled::aes::plain::counter_mode;
/// use cryptable_leveled::aes::{Parameters, SecretKey, Transciphering};
/// let secret = SecretKey::generate(&Parameters::insecure_toy());
/// let key = secret.evaluation_key(Progress::silent())?;
/// let (aes_key, counter) = ([7; 16], [1; 16]);
/// let cipher = counter_mode(&aes_key, counter, b"a message");
///
/// let transciphering = Transciphering::new(&key, &secret.encrypt_key(&aes_key), None)?;
/// let mut file = Vec::new();
/// let length = cipher.len() as u64;
/// let silent = Progress::silent();
/// transciphering.transcipher_stream(counter, (&mut &cipher[..], length), &mut file, silent)?;
///
/// let mut message = Vec::new();
/// assert_eq!(secret.decrypt_stream(&file, &mut message, Progress::silent())?, 9);
/// assert_eq!(message, b"a message");
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct Transciphering<'a> {
    key: &'a EvaluationKey,
    aes: Aes<'a>,
    round_keys: EncryptedRoundKeys,
    table: Option<&'a PreparedTable>,
}

impl<'a> Transciphering<'a> {
    /// By a server's key, under an encrypted AES key.
    ///
    /// # Errors
    /// If AES key or table are of another client or other parameters.
    pub fn new(
        key: &'a EvaluationKey,
        aes_key: &EncryptedKey,
        table: Option<&'a PreparedTable>,
    ) -> Result<Self> {
        aes_key.check(key.parameters(), key.key_id())?;
        if let Some(table) = table {
            table.check(key.parameters())?;
        }
        let aes = Aes::new(key.circuit_bootstrapping())?;
        Ok(Self { key, aes, round_keys: aes_key.to_round_keys()?, table })
    }

    /// Steps of progress of a block: its rounds, and the table, which takes as long as one.
    fn steps_a_block(&self) -> usize {
        ROUNDS + usize::from(self.table.is_some())
    }

    /// The message of AES-CTR bytes, or the table's outputs. Steps of progress are rounds, ten a block, and one more
    /// for the table.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn transcipher(
        &self,
        first_counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
        progress: Progress<'_>,
    ) -> Result<EncryptedBytes> {
        let total = self.steps_a_block() * bytes.len().div_ceil(BLOCK_BYTES);
        progress.report(0, total)?;
        self.part(first_counter, bytes, &Steps { progress, before: 0, total })
    }

    /// Reads AES-CTR bytes, as many as are told beside their reader, and writes a file of their homomorphic
    /// ciphertexts, or of the table's outputs. Steps of progress are as in [`Transciphering::transcipher`].
    ///
    /// The counter goes up by one a block, modulo 2^128 (the standard incrementing function of NIST SP 800-38A,
    /// Appendix B.1); no message is so long that a counter came twice.
    ///
    /// # Errors
    /// If reading or writing fails, or there are fewer bytes; [`Error::Cancelled`].
    pub fn transcipher_stream(
        &self,
        first_counter: [u8; BLOCK_BYTES],
        (input, length): (&mut dyn Read, u64),
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let parameters = self.key.parameters();
        let mut writer = EncryptedBytesWriter::new(out, parameters, self.key.key_id(), length)?;
        let steps = self.steps_a_block();
        let total = usize::try_from(length.div_ceil(BLOCK_BYTES as u64))
            .unwrap_or(usize::MAX)
            .saturating_mul(steps);
        progress.report(0, total)?;
        let (mut buffer, mut left, mut blocks) = ([0; CHUNK_BYTES], length, 0);
        while left > 0 {
            let chunk = &mut buffer[..left.min(CHUNK_BYTES as u64) as usize];
            input.read_exact(chunk)?;
            let before = (blocks as usize).saturating_mul(steps);
            let counter = counter_block(first_counter, blocks);
            writer.push(&self.part(counter, chunk, &Steps { progress, before, total })?)?;
            left -= chunk.len() as u64;
            blocks += chunk.len().div_ceil(BLOCK_BYTES) as u64;
        }
        writer.finish()?;
        Ok(())
    }

    /// Some bytes in the middle of a message.
    fn part(
        &self,
        counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
        steps: &Steps<'_>,
    ) -> Result<EncryptedBytes> {
        let on = |round| steps.report(round);
        let message = self.aes.transcipher(&self.round_keys, counter, bytes, &on)?;
        let (parameters, key_id) = (self.key.parameters(), self.key.key_id());
        let message = EncryptedBytes::computed(parameters, key_id, message)?;
        let Some(table) = self.table else { return Ok(message) };
        let rounds = ROUNDS * bytes.len().div_ceil(BLOCK_BYTES);
        let on = |done: usize, _| match steps.report(rounds + done.div_ceil(BLOCK_BYTES)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        match self.key.lookup_many(&message, &[table], Progress::new(&on)) {
            Ok(mut outputs) => Ok(outputs.swap_remove(0)),
            // In steps of all the work.
            Err(Error::Cancelled { done, .. }) => {
                let done = steps.before + rounds + done.div_ceil(BLOCK_BYTES);
                Err(Error::Cancelled { done, total: steps.total })
            }
            Err(error) => Err(error),
        }
    }
}

impl EvaluationKey {
    /// Transciphering: the message of AES-CTR bytes (NIST SP 800-38A) as homomorphic ciphertexts. Steps of progress are
    /// rounds, ten a block. For messages that are long, or several under one AES key: [`Transciphering`].
    ///
    /// # Errors
    /// If the AES key is of another client or other parameters; [`Error::Cancelled`].
    pub fn transcipher(
        &self,
        aes_key: &EncryptedKey,
        first_counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
        progress: Progress<'_>,
    ) -> Result<EncryptedBytes> {
        Transciphering::new(self, aes_key, None)?.transcipher(first_counter, bytes, progress)
    }
}

/// Progress of a part of a message.
struct Steps<'a> {
    progress: Progress<'a>,
    /// Steps of what came before.
    before: usize,
    /// Steps of the whole message.
    total: usize,
}

impl Steps<'_> {
    /// Tells of steps of this part.
    fn report(&self, done: usize) -> Result<()> {
        self.progress.report(self.before.saturating_add(done), self.total)
    }
}

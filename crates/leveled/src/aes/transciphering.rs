//! Transciphering of messages of any length: from AES-CTR bytes (NIST SP 800-38A) to homomorphic ciphertexts, chunk by
//! chunk, so that memory does not grow with the message.

use std::io::Write;
use std::ops::ControlFlow;

use cryptable_lattice::{Error, Progress, Result};

use super::block::{Aes, BLOCK_BYTES, EncryptedRoundKeys, ROUNDS};
use super::byte_stream::{CHUNK_BYTES, EncryptedBytesWriter};
use super::counters::counter_block;
use super::encrypted_bytes::EncryptedBytes;
use super::encrypted_key::EncryptedKey;
use super::evaluation_key::{EvaluationKey, PreparedTable};
use super::message::{AesKeyId, Message};
use super::message_error::MessageResult;

/// Turns messages under one AES key into homomorphic ciphertexts, and looks each byte up in a table if there is one.
///
/// ```
/// use cryptable_lattice::Progress;
/// use cryptable_leveled::aes::{AesKey, MessageEncryptor, Parameters, SecretKey, Transciphering};
/// let secret = SecretKey::generate(&Parameters::insecure_toy());
/// let key = secret.evaluation_key(Progress::silent())?;
/// let mut encryptor = MessageEncryptor::new(AesKey::generate());
/// let sent = encryptor.encrypt(b"a message")?;
///
/// let encrypted_key = secret.encrypt_key(encryptor.key());
/// let transciphering = Transciphering::new(&key, &encrypted_key, None)?;
/// let mut file = Vec::new();
/// transciphering.transcipher_stream(&sent, &mut file, Progress::silent())?;
///
/// let mut message = Vec::new();
/// assert_eq!(secret.decrypt_stream(&file, &mut message, Progress::silent())?, 9);
/// assert_eq!(message, b"a message");
/// # Ok::<(), cryptable_leveled::aes::MessageError>(())
/// ```
#[derive(Debug)]
pub struct Transciphering<'a> {
    key: &'a EvaluationKey,
    aes: Aes<'a>,
    aes_key_id: AesKeyId,
    round_keys: EncryptedRoundKeys,
    table: Option<&'a PreparedTable>,
}

impl<'a> Transciphering<'a> {
    /// Returns the transciphering with a server's key, of messages under an encrypted AES key.
    ///
    /// # Errors
    /// If the AES key or the table belongs to another client or other parameters.
    pub fn new(
        key: &'a EvaluationKey,
        aes_key: &EncryptedKey,
        table: Option<&'a PreparedTable>,
    ) -> Result<Self> {
        aes_key.check(key.parameters(), key.binding())?;
        if let Some(table) = table {
            table.check(key.parameters())?;
        }
        let aes = Aes::new(key.circuit_bootstrapping())?;
        let (aes_key_id, round_keys) =
            (aes_key.aes_key_id(), aes_key.to_round_keys(key.parameters())?);
        Ok(Self { key, aes, aes_key_id, round_keys, table })
    }

    /// Returns the steps of progress per block: its rounds, and the table, which takes as long as a round.
    fn steps_a_block(&self) -> usize {
        ROUNDS + usize::from(self.table.is_some())
    }

    /// Returns the content of a message, or the table's outputs on it, as homomorphic ciphertexts. Progress counts
    /// rounds, ten per block, and one more for the table.
    ///
    /// # Errors
    /// [`super::MessageError::OtherAesKey`] if the message is under another AES key; [`Error::Cancelled`].
    pub fn transcipher(
        &self,
        message: &Message<'_>,
        progress: Progress<'_>,
    ) -> MessageResult<EncryptedBytes> {
        message.check_key(self.aes_key_id)?;
        let total = self.steps_a_block() * message.bytes().len().div_ceil(BLOCK_BYTES);
        progress.report(0, total)?;
        let first_counter = message.counters().first();
        Ok(self.part(first_counter, message.bytes(), &Steps { progress, before: 0, total })?)
    }

    /// Transciphers like [`Transciphering::transcipher`], chunk by chunk into a file, for messages of any length that are
    /// mapped from a file.
    ///
    /// # Errors
    /// The errors of [`Transciphering::transcipher`], or if writing fails.
    pub fn transcipher_stream(
        &self,
        message: &Message<'_>,
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> MessageResult<()> {
        message.check_key(self.aes_key_id)?;
        let (parameters, length) = (self.key.parameters(), message.bytes().len());
        let mut writer =
            EncryptedBytesWriter::new(out, parameters, self.key.key_id(), length as u64)?;
        let steps = self.steps_a_block();
        let total = length.div_ceil(BLOCK_BYTES).saturating_mul(steps);
        progress.report(0, total)?;
        for (index, chunk) in message.bytes().chunks(CHUNK_BYTES).enumerate() {
            let blocks = index * (CHUNK_BYTES / BLOCK_BYTES);
            let before = blocks.saturating_mul(steps);
            let counter = counter_block(message.counters().first(), blocks as u64);
            writer.push(&self.part(counter, chunk, &Steps { progress, before, total })?)?;
        }
        writer.finish()?;
        Ok(())
    }

    /// Transciphers a part of a message.
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
            // Converts to steps of the whole work.
            Err(Error::Cancelled { done, .. }) => {
                let done = steps.before + rounds + done.div_ceil(BLOCK_BYTES);
                Err(Error::Cancelled { done, total: steps.total })
            }
            Err(error) => Err(error),
        }
    }
}

impl EvaluationKey {
    /// Transciphers a message: returns the content of AES-CTR bytes (NIST SP 800-38A) as homomorphic ciphertexts. Steps of
    /// progress are rounds, ten per block. Use [`Transciphering`] for long messages, or for several under one AES key.
    ///
    /// # Errors
    /// If the AES key belongs to another client or other parameters, or is not that of the message; [`Error::Cancelled`].
    pub fn transcipher(
        &self,
        aes_key: &EncryptedKey,
        message: &Message<'_>,
        progress: Progress<'_>,
    ) -> MessageResult<EncryptedBytes> {
        Transciphering::new(self, aes_key, None)?.transcipher(message, progress)
    }
}

/// Progress of a part of a message.
struct Steps<'a> {
    progress: Progress<'a>,
    /// Steps of the parts before.
    before: usize,
    /// Steps of the whole message.
    total: usize,
}

impl Steps<'_> {
    /// Reports completed steps of this part.
    fn report(&self, done: usize) -> Result<()> {
        self.progress.report(self.before.saturating_add(done), self.total)
    }
}

//! Transciphering: from AES-CTR bytes (NIST SP 800-38A) to homomorphic ciphertexts.
//!
//! The server encrypts counters under the encrypted key and adds the keystream to the bytes that it received. The client
//! sends one encrypted key for all messages, and messages at their own length. No counter may be used twice under one
//! key.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;

use super::block::{Aes, BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys, ROUNDS};
use super::counters::counter_block;
use crate::bootstrapping::{trivial_bit, xor_assign};

impl Aes<'_> {
    /// Returns public bytes as encrypted bits without noise.
    fn trivial(&self, bytes: &[u8]) -> Vec<EncryptedByte> {
        let parameters = self.parameters().fhew();
        let bits = |byte: u8| (0..8).map(move |bit| trivial_bit(parameters, byte >> bit & 1 == 1));
        bytes.iter().map(|&byte| bits(byte).collect::<Vec<LweCiphertext>>()).collect()
    }

    /// Returns the message of AES-CTR bytes, encrypted bit by bit under the secret of the server's key. `progress` receives the
    /// number of completed rounds, ten per block, and may stop with an error.
    ///
    /// # Errors
    /// If the round keys belong to other parameters; the errors of `progress`.
    pub fn transcipher(
        &self,
        keys: &EncryptedRoundKeys,
        first_counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
        progress: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Vec<EncryptedByte>> {
        let mut message = Vec::with_capacity(bytes.len());
        for (index, chunk) in bytes.chunks(BLOCK_BYTES).enumerate() {
            let counter = counter_block(first_counter, index as u64);
            let counter = self.trivial(&counter);
            self.check(keys, &counter)?;
            let step = |round| progress(index * ROUNDS + round);
            let keystream = self.encrypt_with_progress(keys, &counter, &step)?;
            for (mut byte, known) in keystream.into_iter().zip(self.trivial(chunk)) {
                byte.iter_mut().zip(&known).for_each(|(bit, known)| xor_assign(bit, known));
                message.push(byte);
            }
        }
        Ok(message)
    }
}

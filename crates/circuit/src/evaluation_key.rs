//! A server's keys with their parameters and their client, as they are sent.

use cryptable_fhew::evaluation_key::{EvaluationKey, SeededEvaluationKey};
use cryptable_rlwe::wire::{KeyId, ObjectType};

use crate::aes::{Aes, BLOCK_BYTES, EncryptedByte};
use crate::circuit_bootstrapping::CircuitBootstrapping;
use crate::cmux_tree::CmuxTree;
use crate::encrypted_bytes::EncryptedBytes;
use crate::error::{Error, Result};
use crate::parameter_serialization::open_circuit_object;
use crate::parameters::CircuitParameters;

/// Longest body, 4 GiB.
const MAX_BODY_BYTES: u64 = 1 << 32;

/// Everything that a server needs for circuits on one client's bits. Holds no secret.
#[derive(Debug)]
pub struct CircuitEvaluationKey {
    parameters: CircuitParameters,
    client: KeyId,
    key: EvaluationKey,
}

impl CircuitEvaluationKey {
    /// Expands what a client sent.
    ///
    /// # Errors
    /// If the keys are of other parameters, or a part of them is not what those say.
    pub fn new(
        parameters: CircuitParameters,
        client: KeyId,
        key: &SeededEvaluationKey,
    ) -> Result<Self> {
        if key.parameters != *parameters.parameters() {
            return Err(Error::OtherParameters);
        }
        key.check()?;
        Ok(Self { key: EvaluationKey::expand(key), parameters, client })
    }

    /// A key from its wire format; masks are drawn from its seed.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for circuits.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::CircuitEvaluationKey;
        let (parameters, mut reader) = open_circuit_object(bytes, object_type, MAX_BODY_BYTES)?;
        let client = KeyId(reader.array("client key identifier")?);
        let packed = reader.bytes("bootstrapping keys", MAX_BODY_BYTES)?;
        reader.finish()?;
        let keys = SeededEvaluationKey::from_bytes(parameters.parameters(), packed)?;
        Self::new(parameters, client, &keys)
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &CircuitParameters {
        &self.parameters
    }

    /// Whose key it is.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.client
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key.bytes()
    }

    /// Circuit bootstraps by this key.
    #[must_use]
    pub fn circuit_bootstrapping(&self) -> CircuitBootstrapping<'_> {
        CircuitBootstrapping::new(&self.parameters, &self.key)
    }
    /// Transciphering: the message of AES-CTR bytes (NIST SP 800-38A) as homomorphic ciphertexts. `progress` gets the
    /// rounds done and all rounds.
    ///
    /// # Errors
    /// If the first argument are no round keys of this key's client and parameters.
    pub fn transcipher(
        &self,
        round_keys: &EncryptedBytes,
        first_counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<EncryptedBytes> {
        round_keys.check(&self.parameters, self.client)?;
        let aes = Aes::new(self.circuit_bootstrapping())?;
        let message = aes.transcipher(&round_keys.round_keys()?, first_counter, bytes, progress)?;
        EncryptedBytes::computed(&self.parameters, self.client, &message)
    }

    /// Maps every byte through a table of 256 bytes: eight circuit bootstraps and a CMUX tree each. `progress` gets
    /// the bytes done and all bytes.
    ///
    /// # Errors
    /// If the bytes are of another client or other parameters, or the table has not 256 entries, all below 256.
    pub fn lookup_bytes(
        &self,
        input: &EncryptedBytes,
        table: &[u64],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<EncryptedBytes> {
        input.check(&self.parameters, self.client)?;
        if table.len() != 256 {
            return Err(Error::TableLength { found: table.len(), bits: 8, expected: 256 });
        }
        let tree = CmuxTree::new(&self.parameters, table, 8)?;
        let circuit = self.circuit_bootstrapping();
        let total = input.count();
        let mut output = Vec::with_capacity(total);
        for start in (0..total).step_by(BLOCK_BYTES) {
            let end = total.min(start + BLOCK_BYTES);
            let bytes: Vec<EncryptedByte> = (start..end).map(|i| input.byte(i)).collect();
            output.extend(tree.lookup_many(&circuit, &bytes)?);
            progress(end, total);
        }
        EncryptedBytes::computed(&self.parameters, self.client, &output)
    }
}

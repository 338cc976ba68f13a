//! A server's keys with their parameters and their client, as they are sent.

use cryptable_fhew::keys::{EvaluationKey, SeededEvaluationKey};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_wire::{KeyId, ObjectType};

use crate::aes::{Aes, BLOCK_BYTES};
use crate::circuit_bootstrapping::{CircuitBootstrapping, IN_STEP};
use crate::cmux_tree::CmuxTree;
use crate::digit_selectors::digit_count;
use crate::encrypted_bytes::{Content, EncryptedBytes};
use crate::encrypted_values::EncryptedValues;
use crate::error::{Error, Result};
use crate::parameter_serialization::open_circuit_object;
use crate::parameters::CircuitParameters;

/// Longest body, 4 GiB.
const MAX_BODY_BYTES: u64 = 1 << 32;

/// Bits that a thread bootstraps between two tables, of several megabytes of selectors.
const BITS_A_THREAD: usize = 8 * IN_STEP;

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
        let outputs = self.lookup_values(input.values(), &[&tree], progress)?;
        let bytes = |values| EncryptedBytes::new(Content::Message, &self.parameters, values);
        Ok(outputs.into_iter().map(bytes).next().expect("as many outputs as tables"))
    }

    /// Maps every value through several tables: a circuit bootstrap for every ciphertext, whose selectors serve all
    /// tables. `progress` gets the values done and all values.
    ///
    /// # Errors
    /// If the values are of another client or other sizes, or a table is of other parameters or for values of another
    /// number of bits than the first, or of other ciphertexts.
    pub fn lookup_values(
        &self,
        input: &EncryptedValues,
        trees: &[&CmuxTree],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<EncryptedValues>> {
        input.check(&self.parameters, self.client)?;
        let Some(bits) = trees.first().map(|tree| tree.input_bits()) else {
            return Ok(Vec::new());
        };
        for tree in trees {
            if tree.parameters() != &self.parameters {
                return Err(Error::OtherParameters);
            }
            if tree.input_bits() != bits {
                let limit = format!("the first table has inputs of {bits} bits");
                let (name, value) = ("number of an input's bits", tree.input_bits() as u64);
                return Err(Error::Number { name, value, limit });
            }
            if tree.input_digits() != input.width() {
                let limit = format!("the table has inputs of {}", tree.input_digits());
                let (name, value) = ("number of a value's ciphertexts", input.width() as u64);
                return Err(Error::Number { name, value, limit });
            }
        }
        let circuit = self.circuit_bootstrapping();
        let total = input.count();
        let mut outputs = vec![Vec::with_capacity(total); trees.len()];
        progress(0, total);
        // Enough bits at once for all threads, not so many that selectors fill the memory.
        let at_once = (BITS_A_THREAD * rayon::current_num_threads()).div_ceil(bits);
        for start in (0..total).step_by(at_once) {
            let end = total.min(start + at_once);
            let digits: Vec<LweCiphertext> = (start..end).flat_map(|i| input.value(i)).collect();
            let selectors = circuit.bootstrap_values(&digits.iter().collect::<Vec<_>>(), bits)?;
            for (tree, output) in trees.iter().zip(&mut outputs) {
                output.extend(tree.lookup_all(&selectors)?);
            }
            progress(end, total);
        }
        let computed = |(tree, output): (&&CmuxTree, Vec<_>)| {
            let width = digit_count(tree.width(), self.parameters.digit_bits());
            EncryptedValues::computed(&self.parameters, self.client, width, &output)
        };
        trees.iter().zip(outputs).map(computed).collect()
    }
}

//! What a server needs for circuit bootstraps and tables, with the identifier of its client.

use cryptable_fhew::keys::{EvaluationKey, SeededEvaluationKey, reading_memory_bytes};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Error, Progress, ReadOptions, Result};
use cryptable_wire::{BodyReader, KeyId};

use crate::bootstrapping::{BATCH, CircuitBootstrapping};
use crate::parameters::CircuitBootstrappingParameters;
use crate::tree::CmuxTree;
use cryptable_lattice::error::out_of_range;

/// Longest body of a file, 4 GiB.
pub const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

/// Bits that a thread bootstraps between two tables, of several megabytes of RGSW ciphertexts.
pub(crate) const BITS_A_THREAD: usize = 8 * BATCH;

/// Keys of one client for circuit bootstraps, expanded. Holds no secret, and is `Sync`.
#[derive(Debug)]
pub struct CircuitBootstrappingEvaluationKey {
    parameters: CircuitBootstrappingParameters,
    key_id: KeyId,
    key: EvaluationKey,
}

impl CircuitBootstrappingEvaluationKey {
    /// Expands what a client sent: draws all masks from the seed.
    ///
    /// # Errors
    /// If the keys are of other parameters, or a part of them is not what those say.
    pub fn new(
        parameters: &CircuitBootstrappingParameters,
        key_id: KeyId,
        key: &SeededEvaluationKey,
    ) -> Result<Self> {
        if key.parameters != *parameters.fhew() {
            let name = "literal of the evaluation key";
            let found = format!("{:?}", key.parameters.literal());
            let expected = format!("{:?}", parameters.fhew().literal());
            return Err(Error::Mismatch { name, found, expected });
        }
        key.check()?;
        Ok(Self { key: EvaluationKey::expand(key), parameters: parameters.clone(), key_id })
    }

    /// Reads identifier and keys, which end the body of a file.
    ///
    /// # Errors
    /// If bytes are missing or left over, or are no keys of these parameters, or the expanded keys take more memory than
    /// the options allow.
    pub(crate) fn read(
        parameters: &CircuitBootstrappingParameters,
        mut reader: BodyReader<'_>,
        options: ReadOptions,
    ) -> Result<Self> {
        let key_id = KeyId(reader.array("client key identifier")?);
        let packed = reader.bytes("bootstrapping keys", MAX_EVALUATION_KEY_BYTES)?;
        reader.finish()?;
        options.check_memory("evaluation key", reading_memory_bytes(parameters.fhew()))?;
        let keys = SeededEvaluationKey::from_bytes(parameters.fhew(), packed)?;
        Self::new(parameters, key_id, &keys)
    }

    /// The parameters that the keys are of.
    #[must_use]
    pub fn parameters(&self) -> &CircuitBootstrappingParameters {
        &self.parameters
    }

    /// The identifier of the client's secret key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Bytes of memory that the keys take.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key.bytes()
    }

    /// Circuit bootstraps by these keys.
    #[must_use]
    pub fn circuit_bootstrapping(&self) -> CircuitBootstrapping<'_> {
        CircuitBootstrapping::new(&self.parameters, &self.key)
    }

    /// Maps every value through several tables: a circuit bootstrap for every ciphertext, whose RGSW ciphertexts serve
    /// all tables. A step of progress is a value.
    ///
    /// # Errors
    /// If the ciphertexts are of other sizes or not of whole values, or a table is of other parameters, or for values
    /// of another number of bits than the first; [`Error::Cancelled`].
    pub fn lookup_many(
        &self,
        input: &LweList,
        trees: &[&CmuxTree],
        progress: Progress<'_>,
    ) -> Result<Vec<LweList>> {
        let shape = self.parameters.lwe_shape();
        input.check(shape)?;
        let Some(first) = trees.first() else {
            return Ok(Vec::new());
        };
        for tree in trees {
            self.check_tree(tree, first.input_bits())?;
        }
        let (bits, each) = (first.input_bits(), first.shape().inputs());
        if !input.len().is_multiple_of(each) {
            let (name, found) = ("number of ciphertexts", input.len() as u64);
            return Err(out_of_range(name, found, format!("the table has inputs of {each}")));
        }
        let circuit = self.circuit_bootstrapping();
        let total = input.len() / each;
        let none = || LweList::computed(shape, []);
        let mut outputs: Vec<LweList> = trees.iter().map(|_| none()).collect::<Result<_>>()?;
        progress.report(0, total)?;
        // Enough bits at once for all threads, not so many that RGSW ciphertexts fill the memory.
        let at_once = (BITS_A_THREAD * rayon::current_num_threads()).div_ceil(bits);
        for start in (0..total).step_by(at_once) {
            let end = total.min(start + at_once);
            let ciphertexts: Vec<LweCiphertext> =
                (start * each..end * each).map(|i| input.ciphertext(i)).collect();
            let selectors =
                circuit.bootstrap_values(&ciphertexts.iter().collect::<Vec<_>>(), bits)?;
            for (tree, output) in trees.iter().zip(&mut outputs) {
                let results = tree.lookup_all(&selectors)?.into_iter().flatten();
                output.append(LweList::computed(shape, results)?);
            }
            progress.report(end, total)?;
        }
        Ok(outputs)
    }

    /// Demands a tree of these parameters, for inputs of so many bits.
    fn check_tree(&self, tree: &CmuxTree, bits: usize) -> Result<()> {
        if tree.parameters() != &self.parameters {
            let (expected, found) = (self.parameters.digest(), tree.parameters().digest());
            return Err(Error::OtherParameters { object: "table", expected, found });
        }
        if tree.input_bits() != bits {
            let (name, found) = ("number of an input's bits", tree.input_bits() as u64);
            let limit = format!("the first table has inputs of {bits} bits");
            return Err(out_of_range(name, found, limit));
        }
        Ok(())
    }
}

//! The server's key of lookups and AES: circuit bootstraps, and tables on lists of bits.

use std::borrow::Borrow;
use std::ops::Deref;

use cryptable_fhew::keys::{self, BootstrappingParameters};
use cryptable_lattice::error::out_of_range;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{Error, Progress, ReadOptions, Result};

use crate::bootstrapping::{BATCH, CircuitBootstrapping};
use crate::parameters::CircuitBootstrappingParameters;
use crate::tree::CmuxTree;

/// Number of bits that a thread bootstraps between two tables: several megabytes of RGSW ciphertexts.
pub(crate) const BITS_A_THREAD: usize = 8 * BATCH;

/// The domain in which identifiers of secret keys are hashed.
pub const IDENTIFIER: &str = "cryptable: identifier of a secret key of circuit bootstrapping";

/// Parameters of lookups or of AES by circuit bootstraps.
pub trait CircuitParameters: BootstrappingParameters {
    /// Returns the parameters of circuit bootstrapping.
    fn circuit_bootstrapping(&self) -> &CircuitBootstrappingParameters;
}

/// The evaluation key of one client. It holds no secret, and is `Sync`, so all threads can share it.
#[derive(Debug)]
pub struct ServerKey<P>(keys::ServerKey<P>);

impl<P> Deref for ServerKey<P> {
    type Target = keys::ServerKey<P>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<P> Borrow<keys::ServerKey<P>> for ServerKey<P> {
    fn borrow(&self) -> &keys::ServerKey<P> {
        &self.0
    }
}

impl<P> From<keys::ServerKey<P>> for ServerKey<P> {
    fn from(key: keys::ServerKey<P>) -> Self {
        Self(key)
    }
}

impl<P: CircuitParameters> ServerKey<P> {
    /// Reads a key from its wire format, which may be a memory map. Masks are expanded from its seed, and the bytes are not
    /// needed afterwards.
    ///
    /// # Errors
    /// The errors of [`keys::ServerKey::from_shared`].
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        keys::ServerKey::from_shared(bytes, options).map(Self)
    }

    /// Returns the circuit bootstraps by these keys.
    #[must_use]
    pub fn circuit_bootstrapping(&self) -> CircuitBootstrapping<'_> {
        CircuitBootstrapping::new(self.parameters().circuit_bootstrapping(), self.fhew())
    }

    /// Looks every value up in several tables, with a circuit bootstrap per ciphertext, whose RGSW ciphertexts are used for
    /// all tables. A step of progress is a value.
    ///
    /// # Errors
    /// If the ciphertexts have other sizes or do not make up whole values, or a table belongs to other parameters, or its
    /// inputs have another number of bits than those of the first table; [`Error::Cancelled`].
    pub(crate) fn lookup_lists(
        &self,
        input: &LweList,
        trees: &[&CmuxTree],
        progress: Progress<'_>,
    ) -> Result<Vec<LweList>> {
        let shape = self.parameters().circuit_bootstrapping().lwe_shape();
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
        // Enough bits for all threads at once, and few enough that RGSW ciphertexts fit into memory.
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

    /// Checks that a tree belongs to these parameters and has inputs of `bits` bits.
    fn check_tree(&self, tree: &CmuxTree, bits: usize) -> Result<()> {
        let parameters = self.parameters().circuit_bootstrapping();
        if tree.parameters() != parameters {
            let (expected, found) = (parameters.digest(), tree.parameters().digest());
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

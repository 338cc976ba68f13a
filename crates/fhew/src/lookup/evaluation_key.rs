//! The server's key for single values.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::keys::evaluation_key::{EvaluationKey as FhewKey, SeededEvaluationKey};
use rayon::prelude::*;

use super::{Ciphertext, Parameters};
use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result};
use cryptable_wire::KeyId;

/// A callback of work done and total work.
type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Looks single values up in tables, without the secret.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    client: KeyId,
    key: FhewKey,
}

impl EvaluationKey {
    /// Expands what a client sent.
    ///
    /// # Errors
    /// If the keys are of other parameters, or a part of them is not what those say.
    pub fn new(parameters: Parameters, client: KeyId, key: &SeededEvaluationKey) -> Result<Self> {
        if key.parameters != *parameters.fhew() {
            let name = "parameters of the keys";
            let found = format!("{:?}", key.parameters.literal());
            let expected = format!("{:?}", parameters.fhew().literal());
            return Err(Error::Mismatch { name, found, expected });
        }
        key.check()?;
        Ok(Self { key: FhewKey::expand(key), parameters, client })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
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

    /// The keys below, for the low-level methods of `cryptable-fhew`.
    #[must_use]
    pub fn fhew(&self) -> &FhewKey {
        &self.key
    }

    /// Maps every value through a table; values share out among the threads.
    ///
    /// `progress` is told the number of values done, from any thread.
    ///
    /// # Errors
    /// If the ciphertext is of other parameters, or the table of other moduli.
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &Table,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let (p, output_modulus) =
            (self.parameters.input_modulus(), self.parameters.output_modulus());
        input.check(&self.parameters, Some(p))?;
        for (name, found, expected) in [
            ("input modulus of the table", table.input_modulus(), p),
            ("output modulus of the table", table.output_modulus(), output_modulus),
        ] {
            if found != expected {
                let (found, expected) = (found.to_string(), expected.to_string());
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        let done = AtomicUsize::new(0);
        progress(0, input.count());
        let results = (0..input.count())
            .into_par_iter()
            .map(|index| {
                let method = self.parameters.method();
                let result = method.lookup(&self.key, table, &input.value(index))?;
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, input.count());
                Ok(result)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Ciphertext::computed(&self.parameters, output_modulus, &results))
    }
}

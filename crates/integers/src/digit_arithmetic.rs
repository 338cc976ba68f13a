//! Operations of an engine that integers need.

use std::fmt::Debug;

use cryptable_lattice::{NoiseBound, Progress, Result, Table};

/// Noise model of an engine's lookups, from its parameters.
pub trait LookupModel {
    /// Modulus p of the inputs and outputs of lookups, which must be the same.
    ///
    /// # Errors
    /// If they differ.
    fn modulus(&self) -> Result<u64>;

    /// The largest difference of two outputs of a table, each taken as its representative in `[-p/2, p/2)`, if it must
    /// be less than p - 1.
    fn output_range(&self) -> Option<u64> {
        None
    }

    /// Number of places of a ciphertext, if its values have places.
    fn places(&self) -> Option<usize> {
        None
    }

    /// log2 of the failure probability per value that every lookup guarantees.
    fn stated_log2_fail(&self) -> f64;

    /// Noise of fresh values.
    fn fresh_noise(&self) -> NoiseBound;

    /// Noise of results, for inputs with this noise and tables whose outputs differ by at most `range`.
    fn result_noise(&self, input: NoiseBound, range: u64) -> NoiseBound;

    /// log2 of the probability that a lookup of a value with this noise goes wrong.
    fn lookup_log2_fail(&self, input: NoiseBound) -> f64;
}

/// Ciphertexts of values modulo p, with sums, multiples, and lookups: the interface on which [`crate::Evaluator`] runs.
///
/// Implemented by the keys of the engines `packed` and `single`, and by [`crate::DryRun`], which counts.
pub trait DigitArithmetic: Sync {
    /// Ciphertexts of values modulo p. All ciphertexts of an operation have the same number of values.
    type Ciphertext: Clone + Debug + Send + Sync;
    /// A table that is prepared for lookups.
    type Table;

    /// Returns the noise model of lookups.
    fn model(&self) -> &dyn LookupModel;

    /// The bound on the noise of a ciphertext.
    fn noise(&self, x: &Self::Ciphertext) -> NoiseBound;

    /// The number of values of a ciphertext.
    fn count(&self, x: &Self::Ciphertext) -> usize;

    /// x + y.
    ///
    /// # Errors
    /// If they do not belong together, or the result would not decrypt.
    fn add(&self, x: &Self::Ciphertext, y: &Self::Ciphertext) -> Result<Self::Ciphertext>;

    /// factor·x.
    ///
    /// # Errors
    /// The errors of [`DigitArithmetic::add`].
    fn mul_scalar(&self, x: &Self::Ciphertext, factor: i64) -> Result<Self::Ciphertext>;

    /// x + constants, one for every value.
    ///
    /// # Errors
    /// The errors of [`DigitArithmetic::add`].
    fn add_plain(&self, x: &Self::Ciphertext, constants: &[u64]) -> Result<Self::Ciphertext>;

    /// Prepares a table from p to p.
    ///
    /// # Errors
    /// If it has other moduli.
    fn prepare(&self, table: &Table) -> Result<Self::Table>;

    /// Looks x up in every table.
    ///
    /// # Errors
    /// If x does not belong to the key or has too much noise, or `progress` asks to stop.
    fn look_up(
        &self,
        x: &Self::Ciphertext,
        tables: &[Self::Table],
        progress: Progress<'_>,
    ) -> Result<Vec<Self::Ciphertext>>;
}

/// Ciphertexts whose values have places and can be moved between them.
pub trait Places: DigitArithmetic {
    /// Places of a ciphertext.
    fn places(&self) -> usize;

    /// Returns whether places without a value hold zero.
    fn is_fresh(&self, x: &Self::Ciphertext) -> bool;

    /// Moves every value by `offset` places, and keeps the first `count` places as values. Values that leave at one end
    /// re-enter negated at the other.
    ///
    /// # Errors
    /// If x does not belong to the key, or there are fewer places.
    fn shift(&self, x: &Self::Ciphertext, offset: i64, count: usize) -> Result<Self::Ciphertext>;
}

/// Encryption of values modulo p, by a secret or a public key.
#[cfg(feature = "client")]
pub trait DigitEncryption {
    /// Values modulo p.
    type Ciphertext: Clone + Debug + Send + Sync;

    /// Modulus p.
    fn modulus(&self) -> u64;

    /// Encrypts values.
    ///
    /// # Errors
    /// If one is not below p, or there are more values than a ciphertext holds.
    fn encrypt(&self, values: &[u64]) -> Result<Self::Ciphertext>;
}

/// Decryption of values modulo p, by a secret key.
#[cfg(feature = "client")]
pub trait DigitDecryption: DigitEncryption {
    /// Decrypts values.
    ///
    /// # Errors
    /// If they belong to another client.
    fn decrypt(&self, x: &Self::Ciphertext) -> Result<Vec<u64>>;
}

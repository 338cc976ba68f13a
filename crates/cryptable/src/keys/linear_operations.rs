//! Sums, differences and multiples of encrypted values, for the engines that have them.

use cryptable_lattice::error::{check_equal, check_signs, check_values};

use crate::ciphertext::Part;
use crate::engine::other_kind;
use crate::engines::{packed, single};
use crate::{Ciphertext, Engine, Error, EvaluationKey, Result};

impl EvaluationKey {
    /// Returns `x + y` modulo the modulus of the values, value by value. This needs no lookup and takes microseconds.
    ///
    /// Every ciphertext carries a bound on its noise. Sums and multiples add bounds up; a lookup starts with a new one.
    /// An operation is refused if it would fail with more than the stated probability: a sum, if it would decrypt
    /// wrong; a lookup, if its input has too much noise. [`crate::Parameters::sum_limits`] returns how many terms a sum
    /// may have. The bound of a sum assumes that its terms may depend on each other.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let server = secret.evaluation_key();
    /// let (x, y) = (secret.encrypt(&[1, 2, 3])?, secret.encrypt(&[5, 6, 7])?);
    ///
    /// // The parity of x + 2y - 1:
    /// let sum = server.add(&x, &server.mul_scalar(&y, 2)?)?;
    /// let sum = server.add_plain(&sum, &[15, 15, 15])?;
    /// let parity = server.prepare(&Table::from_fn(16, 16, |value| value % 2)?)?;
    /// assert_eq!(secret.decrypt(&sum)?, [10, 13, 0]);
    /// assert_eq!(secret.decrypt(&server.lookup(&sum, &parity)?)?, [0, 1, 0]);
    ///
    /// let mut doubled = x;
    /// let refused = loop {
    ///     match server.add(&doubled, &doubled) {
    ///         Ok(sum) => doubled = sum,
    ///         Err(error) => break error,
    ///     }
    /// };
    /// assert!(matches!(refused, cryptable::Error::NoiseTooLarge { .. }));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if the sum would decrypt wrong with more than the stated probability;
    /// [`Error::UnsupportedOperation`] for the leveled engine; other errors if a ciphertext belongs to another engine,
    /// client or parameter set, or if the two differ in modulus, sign or number of values.
    pub fn add(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let single = single::EvaluationKey::add;
        self.combine(x, y, "add values", packed::EvaluationKey::add, single)
    }

    /// Returns `x - y` modulo the modulus of the values, value by value.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::add`].
    pub fn sub(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let single = single::EvaluationKey::sub;
        self.combine(x, y, "subtract values", packed::EvaluationKey::sub, single)
    }

    /// Returns `-x` modulo the modulus of the values, value by value. Does not change the noise.
    ///
    /// # Errors
    /// [`Error::UnsupportedOperation`] for the leveled engine; other errors if the ciphertext belongs to another
    /// engine, client or parameter set.
    pub fn negate(&self, x: &Ciphertext) -> Result<Ciphertext> {
        let packed = |key: &packed::EvaluationKey, part: &_| key.negate(part);
        self.map(x, "negate values", packed, |key, part| key.negate(part))
    }

    /// Returns `x + constant` modulo the modulus of the values, with one constant per value. Does not change the noise,
    /// except for rounding if the modulus is not a power of two.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::add`], and errors if the number of constants is not that of the values, or if
    /// one is not below the modulus.
    pub fn add_plain(&self, x: &Ciphertext, constants: &[u64]) -> Result<Ciphertext> {
        check_equal("number of constants", constants.len(), x.count())?;
        check_values(constants, x.modulus())?;
        let mut rest = constants;
        let parts = x.parts().iter().map(|part| {
            let (own, others) = rest.split_at(part.count());
            rest = others;
            match (self.packed(), self.single(), part) {
                (Ok(key), _, Part::Packed(part)) => Ok(key.add_plain(part, own)?.into()),
                (_, Ok(key), Part::Single(part)) => Ok(key.add_plain(part, own)?.into()),
                _ => Err(self.no_operands("add constants", [part])),
            }
        });
        Ok(Ciphertext::new(parts.collect::<Result<_>>()?)?.with_marks(x.marks()))
    }

    /// Returns `factor·x` modulo the modulus M of the values, value by value.
    ///
    /// The noise bound grows by |f|, where f is the number closest to 0 that equals the factor modulo M: 255 counts as
    /// -1 modulo 256.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::add`].
    pub fn mul_scalar(&self, x: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        let packed = |key: &packed::EvaluationKey, part: &_| key.mul_scalar(part, factor);
        self.map(x, "multiply values", packed, |key, part| key.mul_scalar(part, factor))
    }

    /// Compresses results before they are sent to the client, who decrypts them as before. Compressed results can only
    /// be decrypted.
    ///
    /// Packed results get short masks, and their words are rounded to the fewest bits that keep the stated failure
    /// probability: a full ciphertext of 8-bit results shrinks to a fifth of its size, and one of 1,000 values to a
    /// fortieth. Leveled results are packed into ring elements: an 8-bit result of 48 kB shrinks to 50 bytes if there
    /// are 64 of them, and to 2.6 kB if it is alone.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let server = secret.evaluation_key();
    /// let squares = server.prepare(&Table::from_fn(16, 16, |x| x * x % 16)?)?;
    /// let results = server.lookup(&secret.encrypt(&[3, 1, 4])?, &squares)?;
    /// let compressed = server.compress(&results)?;
    /// assert!(2 * compressed.to_bytes().len() < results.to_bytes().len());
    /// assert_eq!(secret.decrypt(&compressed)?, [9, 1, 0]);
    /// assert!(server.add(&compressed, &compressed).is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for single values, whose results occupy 1 to 2 kB each, and for results that are already
    /// compressed; other errors if the ciphertext belongs to another client or parameter set.
    pub fn compress(&self, results: &Ciphertext) -> Result<Ciphertext> {
        let parts =
            results.parts().iter().map(|part| match (self.packed(), self.leveled(), part) {
                (Ok(key), _, Part::Packed(part)) => Ok(key.compress(part)?.into()),
                (_, Ok(key), Part::Leveled(part)) => Ok(key.compress(part)?.into()),
                (_, _, Part::Single(_)) => {
                    Err(Error::Unsupported("compression of single values".into()))
                }
                _ => Err(self.no_operands("compress values", [part])),
            });
        let compressed = Ciphertext::new(parts.collect::<Result<_>>()?)?;
        Ok(compressed.with_marks(results.marks()))
    }

    /// Runs an operation on every part.
    fn map(
        &self,
        x: &Ciphertext,
        operation: &'static str,
        packed: impl Fn(&packed::EvaluationKey, &packed::Ciphertext) -> Result<packed::Ciphertext>,
        single: impl Fn(&single::EvaluationKey, &single::Ciphertext) -> Result<single::Ciphertext>,
    ) -> Result<Ciphertext> {
        let parts = x.parts().iter().map(|part| match (self.packed(), self.single(), part) {
            (Ok(key), _, Part::Packed(part)) => Ok(packed(key, part)?.into()),
            (_, Ok(key), Part::Single(part)) => Ok(single(key, part)?.into()),
            _ => Err(self.no_operands(operation, [part])),
        });
        Ok(Ciphertext::new(parts.collect::<Result<_>>()?)?.with_marks(x.marks()))
    }

    /// Runs an operation on every pair of parts at the same position.
    fn combine(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        operation: &'static str,
        packed: Combine<packed::EvaluationKey, packed::Ciphertext>,
        single: Combine<single::EvaluationKey, single::Ciphertext>,
    ) -> Result<Ciphertext> {
        check_equal("number of values of the second operand", y.count(), x.count())?;
        check_signs(
            "values of the second operand",
            y.is_signed(),
            x.is_signed(),
            "those of the first",
        )?;
        // Two files with the same number of values may be split differently.
        let name = "number of parts of the second operand";
        check_equal(name, y.parts().len(), x.parts().len())?;
        let of_parts = |(x, y): (&Part, &Part)| match (self.packed(), self.single(), x, y) {
            (Ok(key), _, Part::Packed(x), Part::Packed(y)) => Ok(packed(key, x, y)?.into()),
            (_, Ok(key), Part::Single(x), Part::Single(y)) => Ok(single(key, x, y)?.into()),
            _ => Err(self.no_operands(operation, [x, y])),
        };
        let parts = x.parts().iter().zip(y.parts()).map(of_parts);
        let sum = Ciphertext::new(parts.collect::<Result<_>>()?)?.with_marks(x.marks());
        Ok(sum.with_standalone(x.is_standalone() || y.is_standalone()))
    }

    /// Returns the error for parts that cannot be operands of this key.
    fn no_operands<const N: usize>(&self, operation: &'static str, parts: [&Part; N]) -> Error {
        let kind = self.kind();
        match parts.iter().find(|part| Some(part.engine()) != kind.engine()) {
            Some(other) => other_kind("ciphertext", kind.name(), other.engine().name()),
            None => Error::UnsupportedOperation {
                engine: Engine::Leveled.name(),
                operation,
                reason: "it encrypts the bits of a value one by one; use a lookup by a table of the result instead",
            },
        }
    }
}

/// A method of an engine's key that combines two of its ciphertexts.
type Combine<K, C> = fn(&K, &C, &C) -> Result<C>;

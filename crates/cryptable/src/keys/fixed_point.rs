//! Lookups in tables with real and complex outputs, in fixed point.

use cryptable_packed::PreparedComplexTable;

use super::packed_parts::each_part;
use crate::{Ciphertext, EvaluationKey, Execution, Result};

impl EvaluationKey {
    /// Maps values through complex tables, with one result per table.
    ///
    /// [`SecretKey::decrypt_complex`](crate::SecretKey::decrypt_complex) decrypts the real and imaginary parts. Keys
    /// must be for such tables ([`Request::complex_outputs`](crate::Request::complex_outputs)).
    ///
    /// ```
    /// use cryptable::ckks::Complex64;
    /// use cryptable::engines::packed::{self, ComplexTable, RealDecryption};
    /// use cryptable::{Execution, SecretKey};
    /// // In production, use parameters of `Request::new(4, 256).complex_outputs()`.
    /// let parameters = packed::Parameters::insecure_toy_complex(4, 256, 2)?;
    /// let secret = SecretKey::generate(cryptable::Parameters::from(parameters));
    /// let server = secret.evaluation_key();
    /// let roots: Vec<_> = (0..4).map(|k| 0.25 * Complex64::I.powi(k)).collect();
    /// let table = ComplexTable::new(4, &roots, 256)?;
    /// let prepared = server.packed()?.prepare_complex(&table)?;
    /// // The input has two parts, since a ciphertext of this toy holds two values.
    /// let input = secret.encrypt(&[1, 2, 3])?;
    /// let found = server.lookup_complex(&input, &[&prepared], Execution::default())?.swap_remove(0);
    /// let found = secret.decrypt_complex(&found, RealDecryption::default())?;
    /// assert_eq!(found, roots[1..]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`crate::engines::packed::EvaluationKey::lookup_complex`].
    pub fn lookup_complex(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedComplexTable],
        execution: Execution<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let key = self.packed()?;
        each_part(input, execution, |part, progress| key.lookup_complex(part, tables, progress))
    }
}

#[cfg(feature = "client")]
mod client {
    use zeroize::Zeroizing;

    use crate::ckks::Complex64;
    use crate::engines::packed::RealDecryption;
    use crate::{Ciphertext, Result, SecretKey};

    impl SecretKey {
        /// Decrypts results of a [`RealTable`](crate::engines::packed::RealTable), numbers in [-1/2, 1/2). By default,
        /// these are the exact multiples of 1/P in the table, where P is the output modulus.
        ///
        /// ```
        /// use cryptable::engines::packed::{RealDecryption, RealTable};
        /// use cryptable::{Engine, Parameters, SecretKey};
        /// let table = RealTable::new(4, &[0.0, 0.25, -0.25, 0.4], 16)?;
        /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 4, 16)?);
        /// let server = secret.evaluation_key();
        /// let found = server.lookup(&secret.encrypt(&[1, 2, 3])?, &server.prepare(table.table())?)?;
        /// let found = secret.decrypt_reals(&found, RealDecryption::default())?;
        /// assert_eq!(*found, table.rounded()[1..]);
        /// # Ok::<(), cryptable::Error>(())
        /// ```
        ///
        /// # Errors
        /// Same errors as [`crate::engines::packed::SecretKey::decrypt_reals`].
        pub fn decrypt_reals(
            &self,
            ciphertext: &Ciphertext,
            options: RealDecryption,
        ) -> Result<Zeroizing<Vec<f64>>> {
            let mut values = Zeroizing::new(Vec::with_capacity(ciphertext.count()));
            for part in ciphertext.packed()? {
                let part = Zeroizing::new(self.packed()?.decrypt_reals(part, options)?);
                values.extend_from_slice(&part);
            }
            Ok(values)
        }

        /// Decrypts results of complex tables
        /// ([`EvaluationKey::lookup_complex`](crate::EvaluationKey::lookup_complex)). Real and imaginary parts are
        /// decrypted like the numbers of [`SecretKey::decrypt_reals`].
        ///
        /// # Errors
        /// Same errors as [`crate::engines::packed::SecretKey::decrypt_complex`].
        pub fn decrypt_complex(
            &self,
            ciphertext: &Ciphertext,
            options: RealDecryption,
        ) -> Result<Vec<Complex64>> {
            let mut values = Vec::with_capacity(ciphertext.count() / 2);
            for part in ciphertext.packed()? {
                values.extend(self.packed()?.decrypt_complex(part, options)?);
            }
            Ok(values)
        }
    }
}

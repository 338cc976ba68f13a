//! Columns of encrypted integers of 8 to 64 bits.
//!
//! An integer is encrypted in digits, on either of two engines: [`Evaluator`] works with keys of
//! [`crate::engines::packed`], for thousands of integers at once, or of [`crate::engines::single`], for the lowest
//! latency, and has the same methods for both. The client uses [`encrypt`] and [`decrypt`].
//! [`crate::Request::integers`] plans keys and predicts operations; [`DryRun`] counts the lookups of any program
//! beforehand.
//!
//! ```
//! use cryptable::Progress;
//! use cryptable::engines::{packed, single};
//! use cryptable::integers::{DigitArithmetic, Evaluator, IntegerColumn, decrypt, encrypt, insecure_packed_toy};
//!
//! /// Returns twice the larger of x and y, minus one, on either engine.
//! fn program<E: DigitArithmetic>(
//!     server: &Evaluator<'_, E>,
//!     x: &IntegerColumn<i8, E::Ciphertext>,
//!     y: &IntegerColumn<i8, E::Ciphertext>,
//! ) -> cryptable::Result<IntegerColumn<i8, E::Ciphertext>> {
//!     server.sub(&server.shl(&server.max(x, y)?, 1)?, &server.constant(1))
//! }
//!
//! // In production, use parameters of `Request::integers`, which have 128 bits of security; toys keep this example quick.
//! let secret = packed::SecretKey::generate(&insecure_packed_toy(2, 1024)?);
//! let key = secret.evaluation_key(Progress::silent())?;
//! let (x, y) = (encrypt(&secret, &[-3i8, 50])?, encrypt(&secret, &[-5i8, 60])?);
//! assert_eq!(decrypt(&secret, &program(&Evaluator::new(&key)?, &x, &y)?)?, [-7, 119]);
//!
//! let secret = single::SecretKey::generate(&single::Parameters::insecure_toy(16, 16)?);
//! let key = secret.evaluation_key(Progress::silent())?;
//! let (x, y) = (encrypt(&secret, &[-3i8])?, encrypt(&secret, &[-5i8])?);
//! assert_eq!(decrypt(&secret, &program(&Evaluator::new(&key)?, &x, &y)?)?, [-7]);
//! # Ok::<(), cryptable::Error>(())
//! ```
//!
//! For larger integers of engine `single` in one ciphertext each, see [`crate::large_values`].

pub(crate) mod request;

pub use cryptable_integers::{
    AnyColumn, AnyInteger, BooleanColumn, Column, ColumnKind, ColumnReader, ColumnSummary,
    ColumnWriter, DigitArithmetic, DigitCiphertext, DryRun, Evaluator, Integer, IntegerColumn,
    LookupModel, Operand, Operation, Outline, Piece, Places, PlannedOperand, insecure_packed_toy,
    packed_parameters_for,
};
#[cfg(feature = "client")]
pub use cryptable_integers::{
    DigitDecryption, DigitEncryption, decrypt, decrypt_booleans, decrypt_words, encrypt,
    encrypt_booleans, encrypt_words,
};

//! Columns whose kind is known at run time.

use cryptable_lattice::Result;

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::Evaluator;
use crate::integer::{AnyInteger, ColumnKind, Integer};
use crate::serialization::{Column, ColumnDigits, OwnedDigits};

/// A column of booleans, or of integers of any kind, for programs that learn at run time what a file contains.
///
/// ```
/// use cryptable_integers::{AnyColumn, ColumnReader, ColumnWriter, decrypt_words, encrypt, insecure_packed_toy};
/// use cryptable_packed::SecretKey;
/// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
/// let mut writer = ColumnWriter::new(Vec::new());
/// writer.push(&encrypt(&secret, &[1i16, -2])?)?;
/// let file = writer.finish()?;
///
/// let part = ColumnReader::new(&file[..])?.next_part::<AnyColumn<_>>()?;
/// let Some(AnyColumn::Integers(column)) = part else { panic!("integers") };
/// assert_eq!(column.kind().to_string(), "i16");
/// assert_eq!(decrypt_words(&secret, &column)?, [1, 0xfffe]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum AnyColumn<C> {
    /// A column of booleans.
    Booleans(BooleanColumn<C>),
    /// A column of integers.
    Integers(IntegerColumn<AnyInteger, C>),
}

impl<C> AnyColumn<C> {
    /// The ciphertexts of the column's digits, the least significant first. Public digits have none.
    pub fn ciphertexts(&self) -> impl Iterator<Item = &C> {
        let (booleans, integers) = match self {
            Self::Booleans(column) => (column.ciphertext(), None),
            Self::Integers(column) => (None, Some(column.ciphertexts())),
        };
        booleans.into_iter().chain(integers.into_iter().flatten())
    }
}

impl<C> From<BooleanColumn<C>> for AnyColumn<C> {
    fn from(column: BooleanColumn<C>) -> Self {
        Self::Booleans(column)
    }
}

impl<C> From<IntegerColumn<AnyInteger, C>> for AnyColumn<C> {
    fn from(column: IntegerColumn<AnyInteger, C>) -> Self {
        Self::Integers(column)
    }
}

impl<T: Integer, C> From<IntegerColumn<T, C>> for AnyColumn<C> {
    fn from(column: IntegerColumn<T, C>) -> Self {
        Self::Integers(column.into())
    }
}

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// Returns the column as ciphertexts. A public column becomes 0·like + values, in the form of `like`.
    pub(crate) fn encrypted(
        &self,
        column: AnyColumn<E::Ciphertext>,
        like: &E::Ciphertext,
    ) -> Result<AnyColumn<E::Ciphertext>> {
        if column.parts().first_ciphertext().is_some() {
            return Ok(column);
        }
        let zero = Digit::encrypted(self.engine().mul_scalar(like, 0)?, 0, 0);
        Ok(match column {
            AnyColumn::Booleans(flags) => {
                BooleanColumn::new(self.linear(&[(1, &zero), (1, flags.digit())], 0)?).into()
            }
            AnyColumn::Integers(integers) => {
                let mut digits = integers.digits().to_vec();
                digits[0] = self.linear(&[(1, &zero), (1, &digits[0])], 0)?;
                IntegerColumn::<AnyInteger, _>::new(integers.kind(), digits).into()
            }
        })
    }
}

impl<C> Column<C> for AnyColumn<C> {
    fn kind(&self) -> ColumnKind {
        match self {
            Self::Booleans(_) => ColumnKind::BOOLEANS,
            Self::Integers(column) => column.kind(),
        }
    }

    fn holds(_kind: ColumnKind) -> bool {
        true
    }

    fn expected() -> String {
        "integers or booleans".into()
    }

    fn parts(&self) -> ColumnDigits<'_, C> {
        match self {
            Self::Booleans(column) => column.parts(),
            Self::Integers(column) => column.parts(),
        }
    }

    fn from_parts(kind: ColumnKind, digits: OwnedDigits<C>) -> Self {
        match kind {
            ColumnKind::BOOLEANS => Self::Booleans(BooleanColumn::from_parts(kind, digits)),
            _ => Self::Integers(IntegerColumn::from_parts(kind, digits)),
        }
    }
}

//! Integers in text: digits with an optional sign, and decimals with only zeros after the point, as programs write
//! integers that they hold as floating-point numbers (`36.0`).

use std::fmt;

/// The integer from which on 64-bit floating-point numbers cannot represent all integers.
const LEAST_SKIPPED: u128 = 1 << 53;

/// The reason why a field is not an integer, which is part of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInteger {
    /// The field is no number.
    Other,
    /// The field is a number with a fraction, or in scientific notation.
    Decimal,
    /// The field was written as a floating-point number, and is too large for all of its digits to be certain.
    Inexact,
}

impl fmt::Display for NoInteger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Other => "is not an integer",
            Self::Decimal => "is not an integer: round it first",
            Self::Inexact => {
                "may have been rounded: floating-point numbers skip integers from 2^53 on; \
                 write it as an integer, without a point"
            }
        })
    }
}

/// Parses a field as an integer.
///
/// # Errors
/// If it is not an integer, or if it may have been rounded.
pub fn parse(field: &str) -> Result<i128, NoInteger> {
    let (whole, zeros) = field.split_once('.').unwrap_or((field, ""));
    let other = || match field.parse::<f64>() {
        Ok(_) if field.contains(['.', 'e', 'E']) => NoInteger::Decimal,
        _ => NoInteger::Other,
    };
    if !zeros.bytes().all(|digit| digit == b'0') {
        return Err(other());
    }
    let integer: i128 = whole.parse().map_err(|_| other())?;
    let is_decimal = whole.len() < field.len();
    if is_decimal && integer.unsigned_abs() >= LEAST_SKIPPED {
        return Err(NoInteger::Inexact);
    }
    Ok(integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_zeros_are_none() {
        for (field, integer) in
            [("36", 36), ("36.0", 36), ("-4.000", -4), ("+5.", 5), ("-0.0", 0), ("007.0", 7)]
        {
            assert_eq!(parse(field), Ok(integer), "{field}");
        }
        for field in ["", ".", "3.0.0", "3,0", "0x1", "1.٠", "inf", "3 m"] {
            assert_eq!(parse(field), Err(NoInteger::Other), "{field}");
        }
        for field in ["36.5", "36.01", "1e3", "3.0e0", ".0", "-.5"] {
            assert_eq!(parse(field), Err(NoInteger::Decimal), "{field}");
        }
    }

    #[test]
    fn what_a_float_may_have_rounded_is_refused() {
        let (last, first) = ((1_i128 << 53) - 1, 1_i128 << 53);
        assert_eq!(parse(&format!("{last}.0")), Ok(last));
        for sign in ["", "-"] {
            assert_eq!(parse(&format!("{sign}{first}.0")), Err(NoInteger::Inexact));
        }
        assert_eq!(parse(&first.to_string()), Ok(first));
        assert_eq!(parse(&i128::MIN.to_string()), Ok(i128::MIN));
        assert_eq!(parse(&format!("{}.0", i128::MIN)), Err(NoInteger::Inexact));
    }
}

//! Tables of real and complex values, in fixed point.
//!
//! Outputs of a lookup are fractions of the torus anyway, so a table over a large output modulus P is a table of
//! fractions in steps of 1/P. Its entries are integers, and it needs neither a level nor code of its own. (The paper's
//! extension multiplies by constants that are not integers, which needs one more level; Appendix C of Dumezy et al.,
//! TCHES 2026(1), ePrint 2025/1301.) Parameters are those for P: [`RealTable::modulus_for`] computes P from the
//! admissible error.

use num_complex::Complex64;

use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result, check_equal};

use crate::parameters::validation::MAX_MODULUS;

/// A table f: Z_p -> [-1/2, 1/2), in fixed point.
///
/// ```
/// use cryptable_packed::{Parameters, Progress, RealDecryption, RealTable, SecretKey};
/// let halves = RealTable::new(4, &[0.25, -0.5, 0.1, 0.0], 256)?;
/// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 256)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let prepared = key.prepare(halves.table())?;
/// let output = key.lookup(&secret.encrypt(&[0, 2])?, &prepared, Progress::silent())?;
/// let found = secret.decrypt_reals(&output, RealDecryption::default())?;
/// assert_eq!(found, [0.25, 26.0 / 256.0]); // 0.1 in steps of 1/256
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealTable(Table);

impl RealTable {
    /// The table of `values[x] = f(x)`, rounded to the nearest multiple of 1/P within (-1/2, 1/2), or at -1/2,
    /// P the output modulus: an error of at most 1/(2P), up to 1/P next to the ends of the interval.
    ///
    /// Fractions are modulo 1, so noise may flip the sign of a value that is close to an end of the interval.
    ///
    /// # Errors
    /// If a value is not within [-1/2, 1/2), and as [`Table::new`].
    pub fn new(input_modulus: u64, values: &[f64], output_modulus: u64) -> Result<Self> {
        let quantise = |(index, &value): (usize, &f64)| {
            if !(-0.5..0.5).contains(&value) {
                return Err(Error::RealTableEntry { index, value });
            }
            let modulus = output_modulus as i64;
            let rounded = (value * modulus as f64).round() as i64;
            // The ends must not wrap to the other sign.
            let within = rounded.clamp(-(modulus / 2), (modulus - 1) / 2);
            Ok(within.rem_euclid(modulus.max(1)) as u64)
        };
        let values = values.iter().enumerate().map(quantise).collect::<Result<_>>()?;
        Table::new(input_modulus, output_modulus, values).map(Self)
    }

    /// The least power of two P for which rounded values err by at most `error`: the output modulus to choose
    /// parameters for.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, RealTable, Request};
    /// let modulus = RealTable::modulus_for(1e-3)?;
    /// assert_eq!(modulus, 512); // steps of 1/512
    /// let parameters = Parameters::choose(&Request::new(256, modulus))?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the error is not between 2^-25 and 1/4.
    pub fn modulus_for(error: f64) -> Result<u64> {
        let least = 0.5 / MAX_MODULUS as f64;
        if !(least..=0.25).contains(&error) {
            let limit = "it must be from 2^-25 to 1/4".into();
            return Err(Error::Parameter { name: "error of a real table", value: error, limit });
        }
        Ok(((0.5 / error).ceil() as u64).next_power_of_two())
    }

    /// The table over Z_P, for [`crate::EvaluationKey::prepare`]. `SecretKey::decrypt_reals` decrypts its results.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.0
    }

    /// The rounded values of f(x), for all x.
    #[must_use]
    pub fn rounded(&self) -> Vec<f64> {
        let modulus = self.0.output_modulus() as f64;
        self.0.centered().iter().map(|&value| value as f64 / modulus).collect()
    }
}

/// A table f: Z_p -> C of values with both parts within [-1/2, 1/2).
///
/// With parameters of [`crate::Request::complex_outputs`], it is evaluated as one table, with one result for both
/// parts: [`crate::EvaluationKey::lookup_complex`]. With all others, including multiplexer trees and full ciphertexts,
/// it is evaluated as two real tables on the same selectors, with one result each:
///
/// ```
/// use cryptable_packed::{ComplexTable, Parameters, Progress, RealDecryption, SecretKey};
/// use num_complex::Complex64;
/// let roots: Vec<_> = (0..4).map(|k| 0.4 * Complex64::I.powi(k)).collect();
/// let table = ComplexTable::new(4, &roots, 256)?;
/// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 256)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let [re, im] = table.tables();
/// let tables = [&key.prepare(re)?, &key.prepare(im)?];
/// let outputs = key.lookup_many(&secret.encrypt(&[1, 2])?, &tables, Progress::silent())?;
/// let options = RealDecryption::default();
/// let (re, im) = (secret.decrypt_reals(&outputs[0], options)?, secret.decrypt_reals(&outputs[1], options)?);
/// assert!((re[0] - 0.0).abs() < 0.01 && (im[0] - 0.4).abs() < 0.01);
/// assert!((re[1] + 0.4).abs() < 0.01 && (im[1] - 0.0).abs() < 0.01);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplexTable([Table; 2]);

impl ComplexTable {
    /// The table of `values[x] = f(x)`, with both parts rounded as in [`RealTable::new`].
    ///
    /// # Errors
    /// The errors of [`RealTable::new`], for either part.
    pub fn new(input_modulus: u64, values: &[Complex64], output_modulus: u64) -> Result<Self> {
        let part = |part: fn(&Complex64) -> f64| {
            let values: Vec<f64> = values.iter().map(part).collect();
            Ok::<_, Error>(RealTable::new(input_modulus, &values, output_modulus)?.0)
        };
        Ok(Self([part(|z| z.re)?, part(|z| z.im)?]))
    }

    /// Joins the tables of the real and of the imaginary parts, as multiples of 1/P for the output modulus P.
    ///
    /// ```
    /// use cryptable_packed::{ComplexTable, Table};
    /// let parts = [[0, 1], [3, 2]].map(|values| Table::new(2, 4, values.to_vec()));
    /// let [re, im] = parts;
    /// let table = ComplexTable::from_tables(re?, im?)?;
    /// assert_eq!((table.rounded()[1].re, table.rounded()[1].im), (0.25, -0.5));
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Mismatch`] if their moduli differ.
    pub fn from_tables(re: Table, im: Table) -> Result<Self> {
        let moduli = |table: &Table| [table.input_modulus(), table.output_modulus()];
        let names = ["input modulus of imaginary parts", "output modulus of imaginary parts"];
        for ((name, found), expected) in names.into_iter().zip(moduli(&im)).zip(moduli(&re)) {
            check_equal(name, found, expected)?;
        }
        Ok(Self([re, im]))
    }

    /// The values of f(x) with both parts rounded, for all x.
    #[must_use]
    pub fn rounded(&self) -> Vec<Complex64> {
        let modulus = self.0[0].output_modulus() as f64;
        let [re, im] = [0, 1].map(|part: usize| self.0[part].centered());
        re.iter().zip(&im).map(|(&x, &y)| Complex64::new(x as f64, y as f64) / modulus).collect()
    }

    /// The tables of the real and of the imaginary parts, for [`crate::EvaluationKey::prepare`].
    #[must_use]
    pub fn tables(&self) -> &[Table; 2] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_to_nearest_and_saturate_below_one_half() {
        for modulus in [2u64, 3, 7, 256, 1 << 20, (1 << 20) - 3] {
            let values: Vec<f64> = (0..97).map(|k| f64::from(k) / 97.0 - 0.5).collect();
            let table = RealTable::new(97, &values, modulus).unwrap();
            for (value, rounded) in values.iter().zip(table.rounded()) {
                let nearest_end = value.abs() > 0.5 - 0.5 / modulus as f64;
                let bound = if nearest_end { 1.0 } else { 0.5 } / modulus as f64;
                assert!((value - rounded).abs() <= bound * 1.0001, "{value} {rounded} {modulus}");
            }
        }
        let table = RealTable::new(2, &[-0.5, 0.5 - 1e-12], 256).unwrap();
        assert_eq!(table.table().values(), [128, 127]);
        assert_eq!(table.rounded(), [-0.5, 127.0 / 256.0]);
    }

    #[test]
    fn moduli_have_the_error_that_is_asked_for() {
        for (error, modulus) in [(0.25, 2), (0.01, 64), (1e-3, 512), (2f64.powi(-25), 1 << 24)] {
            assert_eq!(RealTable::modulus_for(error).unwrap(), modulus, "{error}");
        }
        for error in [0.26, 1e-9, 0.0, -1.0, f64::NAN] {
            assert!(RealTable::modulus_for(error).is_err(), "{error}");
        }
    }

    #[test]
    fn values_out_of_range_are_named() {
        for bad in [0.5, -0.500_001, f64::NAN, f64::INFINITY] {
            let error = RealTable::new(3, &[0.0, 0.1, bad], 256).unwrap_err().to_string();
            assert!(error.contains(&format!("{bad}")) && error.contains("input 2"), "{error}");
            let complex = [Complex64::ZERO, Complex64::new(0.0, bad), Complex64::ZERO];
            let error = ComplexTable::new(3, &complex, 256).unwrap_err().to_string();
            assert!(error.contains("input 1"), "{error}");
        }
        assert!(matches!(RealTable::new(3, &[0.0], 8), Err(Error::TableLength { found: 1, .. })));
        assert!(matches!(RealTable::new(1, &[0.0], 8), Err(Error::TooSmall { .. })));
        assert!(matches!(RealTable::new(2, &[0.0; 2], 1), Err(Error::TooSmall { .. })));
        assert!(matches!(RealTable::new(2, &[0.0; 2], 0), Err(Error::TooSmall { .. })));
    }
}

//! Preparation of formulas whose results are added up by groups.

use cryptable_lattice::error::Result;

use crate::formulas::formula::Formula;
use crate::formulas::groups::Groups;
use crate::formulas::prepared::Stage;
use crate::formulas::stages::PreparedFormulas;

impl PreparedFormulas {
    /// Prepares formulas whose results are added up over the rows of each group: those with the same value of a column,
    /// below `groups`. Constants are formulas as well: the sum of 1 is the number of rows. The number of groups is
    /// rounded up to a power of two, at least 4, and values of the column are reduced modulo that number.
    ///
    /// Results are partial sums: with w groups, each is a sum over w rows, and a group may have any number of them.
    /// [`crate::group_totals`] adds them up after decryption, and whoever decrypts learns the partial sums. The output
    /// modulus must be large enough for partial sums.
    ///
    /// ```
    /// use cryptable_packed::{Formula, Parameters, PreparedFormulas, Progress, SecretKey, group_totals};
    /// // How many rows each value of column 0 has, and the sum of column 1 over them.
    /// let formulas = [Formula::Constant(1), Formula::Column(1)];
    /// let formulas = PreparedFormulas::by_group(&formulas, 0, 4, 16)?;
    /// assert_eq!(formulas.ranges(), [(0, 4), (0, 60)]);
    ///
    /// // `Parameters::for_formulas` gives 128-bit parameters.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_formulas(64, &formulas)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (group, value) = (secret.encrypt(&[0, 2, 2, 3])?, secret.encrypt(&[10, 7, 15, 1])?);
    /// let sums = key.evaluate(&[&group, &value], &formulas, Progress::silent())?;
    /// assert_eq!(group_totals(&secret.decrypt(&sums[0])?, 4, None), [1, 0, 2, 1]);
    /// assert_eq!(group_totals(&secret.decrypt(&sums[1])?, 4, None), [10, 0, 22, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`PreparedFormulas::new`]; if there are more than 1,024 groups, or if their number, rounded up to a power of two, does
    /// not divide the modulus of columns.
    pub fn by_group(
        formulas: &[Formula],
        column: usize,
        groups: u64,
        input_modulus: u64,
    ) -> Result<Self> {
        let groups = Groups::new(column, groups, input_modulus)?;
        Stage::prepare(formulas, input_modulus, Some(groups)).map(Self::from)
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use cryptable_lattice::Progress;

    use super::*;
    use crate::{Parameters, SecretKey, group_totals};

    #[test]
    fn sums_of_sparse_slots_count_each_row_once() {
        let formulas = [Formula::Constant(1), Formula::Column(1)];
        let prepared = PreparedFormulas::by_group(&formulas, 0, 8, 16).unwrap();
        for (slots, rows) in [(64, 64), (512, 300)] {
            let parameters = Parameters::insecure_toy_formulas_of(128, &prepared, slots).unwrap();
            let secret = SecretKey::generate(&parameters);
            let key = secret.evaluation_key(Progress::silent()).unwrap();
            let groups: Vec<u64> = (0..rows).map(|row| row * row % 11 % 8).collect();
            let values: Vec<u64> = (0..rows).map(|row| row * 7 % 16).collect();
            let columns = [&groups, &values].map(|values| secret.encrypt(values).unwrap());
            let found = key.evaluate(&columns.each_ref(), &prepared, Progress::silent()).unwrap();
            let mut expected = [vec![0; 8], vec![0; 8]];
            for (&group, &value) in groups.iter().zip(&values) {
                expected[0][group as usize] += 1;
                expected[1][group as usize] += value as i64;
            }
            for (found, expected) in found.iter().zip(&expected) {
                let totals = group_totals(&secret.decrypt(found).unwrap(), 8, None);
                assert_eq!(&totals, expected, "{slots} slots");
            }
        }
    }
}

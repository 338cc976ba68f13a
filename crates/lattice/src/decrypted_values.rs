//! Lists of decrypted values.

use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::error::Result;

/// Returns the values of indices below `count`, computed on all threads. Each value is written to its final place,
/// since collecting would leave copies of parts of the list in memory. If one fails, the others are zeroized. The
/// caller has to clear the returned list.
///
/// ```
/// use cryptable_lattice::decrypted_values::decrypt_each;
/// assert_eq!(decrypt_each(3, |index| Ok(index as u64 * 2))?, [0, 2, 4]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// The first error that `value` returns.
pub fn decrypt_each<T>(count: usize, value: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>>
where
    T: Clone + Default + Send + Zeroize,
{
    let mut values = Zeroizing::new(vec![T::default(); count]);
    values.par_iter_mut().enumerate().try_for_each(|(index, place)| -> Result<()> {
        *place = value(index)?;
        Ok(())
    })?;
    Ok(std::mem::take(&mut *values))
}

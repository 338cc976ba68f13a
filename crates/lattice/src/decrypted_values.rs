//! Lists of decrypted values.

use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::error::Result;

/// Returns the values of indices below `count`, on all threads: each is written where it stays, whereas collecting would leave
/// copies of parts of the list in memory. What is there when one fails is zeroized; clearing the list is the caller's.
///
/// ```
/// use cryptable_lattice::decrypted_values::decrypt_each;
/// assert_eq!(decrypt_each(3, |index| Ok(index as u64 * 2))?, [0, 2, 4]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// The first that `value` gives.
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

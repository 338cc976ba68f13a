//! A helper that calls the packed engine on every part of a ciphertext.

use crate::ciphertext::Part;
use crate::engines::packed;
use crate::execution::part_of;
use crate::{Ciphertext, Execution, Progress, Result};

/// Calls the packed engine on every part of the values, and joins the parts of each result. All calls must return the
/// same number of results.
pub(super) fn each_part(
    input: &Ciphertext,
    execution: Execution<'_>,
    mut call: impl FnMut(&packed::Ciphertext, Progress<'_>) -> Result<Vec<packed::Ciphertext>> + Send,
) -> Result<Vec<Ciphertext>> {
    let parts = input.packed()?;
    let found = execution.run(|whole| {
        let mut found = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let share = part_of(&whole, index, parts.len());
            found.push(call(part, Progress::new(&share))?);
        }
        Ok(found)
    })?;
    let mut results: Vec<Vec<Part>> = vec![Vec::new(); found.first().map_or(0, Vec::len)];
    for outputs in found {
        results.iter_mut().zip(outputs).for_each(|(parts, output)| parts.push(output.into()));
    }
    results.into_iter().map(Ciphertext::new).collect()
}

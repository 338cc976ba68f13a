//! A helper that calls the packed engine on every part of a ciphertext.

use cryptable_lattice::error::check_equal;

use crate::ciphertext::Part;
use crate::engines::packed;
use crate::{Ciphertext, Error, Execution, Progress, Result};

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
            let share = whole.part(index..index + 1, parts.len());
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

/// Returns the parts of values that are split over several ciphertexts, which must have equal numbers of parts.
///
/// # Errors
/// If there is no ciphertext, one is of another engine, numbers of parts differ, or there are more than `most` parts,
/// the number for which there are tables of single values.
pub(super) fn parts_of(
    inputs: &[Ciphertext],
    most: usize,
) -> Result<Vec<Vec<&packed::Ciphertext>>> {
    let Some(first) = inputs.first() else {
        return Err(Error::TooSmall { name: "number of inputs", value: 0, limit: 1 });
    };
    let parts = inputs.iter().map(Ciphertext::packed).collect::<Result<Vec<_>>>()?;
    if first.parts().len() > most {
        let (found, expected) = (first.parts().len(), "one, for tables of single values");
        return Err(Error::mismatch("number of parts of an input", found, expected));
    }
    for input in &parts {
        check_equal("number of parts of an input", input.len(), first.parts().len())?;
    }
    Ok(parts)
}

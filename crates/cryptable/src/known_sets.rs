//! Named parameter sets, found by the digest that some files store instead of parameters.

use cryptable_conversion::ParametersLiteral;

use crate::bits::{Packing, Parameters};
use crate::{Result, ckks, gates, packed_gates};

/// Base-2 logarithms of the failure probabilities of gates: the default, and the one that packed gates need.
const GATES_LOG2_FAIL: [f64; 2] = [-64.0, -128.0];

/// Returns all sets of bits in slots, with their names. Sets with sparse slots rest on the same LWE problems and are
/// not listed.
///
/// # Errors
/// None in practice: tests construct every set.
pub(crate) fn bit_sets() -> Result<Vec<(String, Parameters)>> {
    let mut sets = Vec::new();
    for (packing, kind) in [(Packing::Real, "real"), (Packing::Complex, "complex")] {
        for set in [
            Parameters::latency_128(packing)?,
            Parameters::functions_128(packing)?,
            Parameters::cleaning_128(packing)?,
        ] {
            sets.push((format!("{}, {kind} packing", set.literal().name), set));
        }
    }
    let wide = [
        Parameters::balanced_128(Packing::Complex)?,
        Parameters::tables_128()?,
        Parameters::sums_128()?,
        Parameters::throughput_128()?,
    ];
    for set in wide {
        sets.push((set.literal().name.clone(), set));
    }
    Ok(sets)
}

/// Returns the set of bits in slots with this digest.
///
/// # Errors
/// None in practice: tests construct every set.
pub(crate) fn of_bits(digest: [u8; 32]) -> Result<Option<Parameters>> {
    let found = bit_sets()?.into_iter().find(|(_, set)| set.digest() == digest);
    if let Some((_, set)) = found {
        return Ok(Some(set));
    }
    // Sets that `Packing::of_bits` chooses, at ring degrees 2^14 and 2^15.
    let of_degree_14 = (8..=12).flat_map(|log2| {
        let packing = Packing::Sparse(1 << log2);
        [Parameters::latency_128, Parameters::functions_128, Parameters::cleaning_128]
            .map(|set| set(packing))
    });
    let of_degree_15 = (8..=13).map(|log2| Parameters::balanced_128(Packing::Sparse(1 << log2)));
    let real = [Parameters::balanced_128(Packing::Real)];
    for set in of_degree_14.chain(of_degree_15).chain(real) {
        let set = set?;
        if set.digest() == digest {
            return Ok(Some(set));
        }
    }
    Ok(None)
}

/// Returns all sets of vectors of numbers.
///
/// # Errors
/// None in practice: tests construct every set.
pub(crate) fn vector_sets() -> Result<[ckks::Parameters; 3]> {
    use ckks::Parameters;
    Ok([Parameters::leveled_128()?, Parameters::lookups_128()?, Parameters::bootstrapping_128()?])
}

/// Returns the set of vectors with this digest.
///
/// # Errors
/// None in practice: tests construct every set.
pub(crate) fn of_vectors(digest: [u8; 32]) -> Result<Option<ckks::Parameters>> {
    Ok(vector_sets()?.into_iter().find(|set| set.digest() == digest))
}

/// Returns the parameters with this digest for the conversion between FHEW gates and a set of bits in slots.
///
/// # Errors
/// None in practice: tests construct every set.
pub(crate) fn of_conversion(
    digest: [u8; 32],
) -> Result<Option<packed_gates::ConversionParameters>> {
    let sets = bit_sets()?;
    for log2_fail in GATES_LOG2_FAIL {
        let gates = gates::Parameters::with_log2_fail(log2_fail)?;
        for (_, set) in &sets {
            let (degree, bottom) = (set.literal().ring_degree, set.bottom_prime());
            let literal = ParametersLiteral::between_128(gates.fhew(), degree, bottom);
            if literal.digest() == digest {
                return packed_gates::ConversionParameters::new(literal).map(Some);
            }
        }
    }
    for foreign in packed_gates::foreign::ForeignParameters::ALL {
        for (_, set) in &sets {
            let found = foreign.conversion(set)?;
            if found.digest() == digest {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_found_by_their_digests() {
        for (name, set) in bit_sets().unwrap() {
            let found = of_bits(set.digest()).unwrap();
            assert_eq!(
                found.map(|found| found.literal().clone()),
                Some(set.literal().clone()),
                "{name}"
            );
        }
        for packing in [256, 4096].map(Packing::Sparse) {
            let set = Parameters::balanced_128(packing).unwrap();
            let found = of_bits(set.digest()).unwrap();
            assert_eq!(found.map(|found| found.packing()), Some(packing));
        }
        for set in vector_sets().unwrap() {
            let found = of_vectors(set.digest()).unwrap();
            assert_eq!(found.map(|found| found.digest()), Some(set.digest()));
        }
        assert!(of_vectors([0; 32]).unwrap().is_none());
        assert!(of_bits([0; 32]).unwrap().is_none() && of_conversion([0; 32]).unwrap().is_none());
        let gates = gates::Parameters::default_128();
        let set = Parameters::cleaning_128(Packing::Complex).unwrap();
        let (degree, bottom) = (set.literal().ring_degree, set.bottom_prime());
        let literal = ParametersLiteral::between_128(gates.fhew(), degree, bottom);
        let found = of_conversion(literal.digest()).unwrap();
        assert_eq!(found.map(|found| *found.literal()), Some(literal));
        for foreign in packed_gates::foreign::ForeignParameters::ALL {
            let wanted = foreign.conversion(&set).unwrap();
            assert!(of_conversion(wanted.digest()).unwrap() == Some(wanted));
        }
    }
}

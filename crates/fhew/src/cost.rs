//! Work of lookups, counted from parameters; [`CostModel`](cryptable_lattice::cost::CostModel) converts it to seconds.
//!
//! The count includes transforms (each with its share of digits and products), in units of one transform of degree 2,048,
//! and the bytes of keys that are read from memory: rotation keys have tens of megabytes.

use cryptable_lattice::cost::Work;
use cryptable_lattice::security::SecretDistribution;

use crate::full_domain::method::FullDomainMethod;
use crate::parameters::ParametersLiteral;
use crate::rotation::cmux::{cmux_rgsw_count, cmux_steps};
use crate::switching::lwe_key_switching::word_bytes;

/// Bytes of a word of a prepared key.
const WORD_BYTES: f64 = 8.0;

/// Weight of a byte of an LWE key switching key, in bytes of a rotation key. Each word of 2 or 3 bytes needs a
/// multiplication. Measured: 1.3 for keys in the third-level cache, above 3 for larger ones.
const KEY_SWITCHING_WEIGHT: f64 = 2.0;

/// Transforms of a tensor product: 4 forward and 3 inverse ones in each of three rings.
const TENSOR_TRANSFORMS: f64 = 21.0;

/// Returns the cost of a transform of this degree relative to one of degree 2,048, by N·log2 N.
#[must_use]
pub fn relative_transform(degree: usize) -> f64 {
    let degree = degree as f64;
    degree * degree.log2() / (2048.0 * 11.0)
}

/// Counts a blind rotation: rows + 2 transforms per step, ℓ' + 2 per automorphism; every key is read once. In a step by a
/// block, the products with each RGSW ciphertext but the first weigh `(rows + 3/2)/3` transforms. This weight was found by
/// comparing tables of 8 bits on an Intel Xeon with tables that use two bits per rotation.
#[must_use]
pub fn rotation(literal: &ParametersLiteral) -> Work {
    let (degree, dimension) = (literal.ring_degree, literal.lwe_dimension);
    let (rows, method) = (literal.rotation.rows() as f64, literal.rotation_method);
    let secret = literal.lwe_secret;
    let steps = cmux_steps(dimension, secret) as f64 * (rows + 2.0);
    let further = match secret {
        SecretDistribution::Blocks(blocks) => dimension as f64 - 2.0 * f64::from(blocks),
        _ => 0.0,
    };
    let steps = steps + further * (rows + 1.5) / 3.0;
    let count = method.automorphisms(degree, dimension, 0);
    let automorphisms = method.digits().map_or(0.0, |digits| count * (digits.length + 2) as f64);
    let rgsw = match method.exponents(degree) {
        None => cmux_rgsw_count(dimension, secret),
        Some(_) => dimension + 1,
    };
    let automorphism_rows = match (method.exponents(degree), method.digits()) {
        (Some((group, window)), Some(digits)) => group.key_count(window) * digits.length,
        _ => 0,
    };
    let row_bytes = 2.0 * degree as f64 * WORD_BYTES;
    Work {
        digit_transforms: (steps + automorphisms) * relative_transform(degree),
        key_bytes: (rgsw as f64 * rows + automorphism_rows as f64) * row_bytes,
        ..Work::default()
    }
}

/// Returns the bytes of an LWE key switching key in memory: N'·ℓ rows of n words, as narrow as the LWE modulus allows.
#[must_use]
pub fn key_switching_bytes(literal: &ParametersLiteral) -> f64 {
    let word = word_bytes(literal.log2_lwe_modulus);
    let source = literal.intermediate.map_or(literal.ring_degree, |small| small.degree);
    let rows = (source * literal.key_switching.length) as f64;
    rows * (literal.lwe_dimension * word) as f64
}

/// Counts a switch to the LWE secret. The preceding switch to the ring of lower degree is a thousandth of that.
#[must_use]
pub fn key_switching(literal: &ParametersLiteral) -> Work {
    Work { key_bytes: KEY_SWITCHING_WEIGHT * key_switching_bytes(literal), ..Work::default() }
}

/// Counts a packing by the trace: log2 N automorphisms of ℓ + 2 transforms each.
#[must_use]
pub fn packing(literal: &ParametersLiteral) -> Work {
    let automorphisms = f64::from(literal.ring_degree.ilog2());
    let transforms = automorphisms * (literal.automorphism.length + 2) as f64;
    let row_bytes = 2.0 * literal.ring_degree as f64 * WORD_BYTES;
    Work {
        digit_transforms: transforms * relative_transform(literal.ring_degree),
        key_bytes: automorphisms * literal.automorphism.length as f64 * row_bytes,
        ..Work::default()
    }
}

/// Counts a BFV product: a tensor product in three rings, and relinearization.
#[must_use]
pub fn bfv_product(literal: &ParametersLiteral) -> Work {
    let transforms = TENSOR_TRANSFORMS + (literal.relinearization.length + 2) as f64;
    Work {
        digit_transforms: transforms * relative_transform(literal.ring_degree),
        ..Work::default()
    }
}

/// Counts a bootstrap: a rotation and a key switch.
#[must_use]
pub fn bootstrap(literal: &ParametersLiteral) -> Work {
    sum([(1, rotation(literal)), (1, key_switching(literal))])
}

/// Counts a lookup of one value.
///
/// ```
/// use cryptable_fhew::cost::{bootstrap, lookup};
/// use cryptable_fhew::full_domain::FdfbCompress;
/// use cryptable_fhew::parameters::Parameters;
/// let literal = *Parameters::default_128().literal();
/// let (one, both) = (bootstrap(&literal), lookup(&FdfbCompress, &literal));
/// assert_eq!(both.digit_transforms, 2.0 * one.digit_transforms);
/// assert_eq!(both.key_bytes, 2.0 * one.key_bytes);
/// ```
#[must_use]
pub fn lookup(method: &dyn FullDomainMethod, literal: &ParametersLiteral) -> Work {
    let operations = method.operations();
    sum([
        (operations.rotations, rotation(literal)),
        (operations.key_switches, key_switching(literal)),
        (operations.packings, packing(literal)),
        (operations.products, bfv_product(literal)),
    ])
}

/// Adds up parts, each multiplied by its count.
fn sum<const K: usize>(parts: [(usize, Work); K]) -> Work {
    parts.into_iter().map(|(count, work)| work * count as f64).sum()
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::cost::CostModel;

    use super::*;
    use crate::full_domain::method;
    use crate::parameter_choice::choose;
    use crate::parameters::{GadgetLiteral, RgswGadgetLiteral};

    /// Measured at p = 16, failures below 2^-64, on one thread: milliseconds divided by u (`bench fhew --p 16`).
    #[test]
    fn measured_times_are_met() {
        let model = CostModel::default();
        for (name, measured) in [
            ("Comp", 256.0),
            ("Comp*", 206.0),
            ("FDFB-KS", 123.0),
            ("FDFB-Compress", 143.0),
            ("EvalFunc", 143.0),
            ("FDFB-SelectAlt*", 132.0),
            ("FDFB-CancelSign", 127.0),
        ] {
            let method = method(name).expect("a method's name");
            let parameters = choose(method, 16, 16, -64.0).expect("parameters");
            let units = model.seconds(&lookup(method, parameters.literal())) / model.unit();
            assert!((0.88..1.1).contains(&(units / measured)), "{name}: {units}, not {measured}");
        }
        // Measured with digits (body, mask, key switching) coarser than those that keep 2^-64.
        for (name, digits, measured) in [
            ("FDFB-BFVMult", [(20, 1), (15, 2), (3, 5)], 245.0),
            ("FDFB-BFVMult*", [(12, 2), (15, 2), (3, 4)], 112.0),
            ("FDFB-BFVMult, interleaved", [(20, 1), (15, 2), (2, 7)], 101.0),
        ] {
            let method = method(name).expect("a method's name");
            let [body, mask, key_switching] =
                digits.map(|(base_log2, length)| GadgetLiteral { base_log2, length });
            let literal = ParametersLiteral {
                rotation: RgswGadgetLiteral { body, mask },
                key_switching,
                ..*choose(method, 16, 16, -64.0).expect("parameters").literal()
            };
            let units = model.seconds(&lookup(method, &literal)) / model.unit();
            assert!((0.88..1.1).contains(&(units / measured)), "{name}: {units}, not {measured}");
        }
    }
}

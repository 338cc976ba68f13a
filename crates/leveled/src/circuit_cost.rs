//! Predicted time and memory of circuit bootstraps and CMUX trees, by counts of transforms and of bytes read.

use cryptable_fhew::cost;
use cryptable_fhew::rotation::rgsw_per_coefficient;

use crate::circuit_bootstrapping::parts;
use crate::cmux_tree::TreeShape;
use crate::digit_selectors::digit_count;
use crate::parameters::CircuitParameters;

/// Transforms of degree 2,048 that one u holds, digits and products included. Fitted to `bench cbs`.
const TRANSFORMS_PER_UNIT: f64 = 57.0;

/// Bytes of keys that one u reads from memory. Fitted likewise.
const KEY_BYTES_PER_UNIT: f64 = 4.07e6;

/// Bytes of a word in memory.
const WORD_BYTES: f64 = 8.0;

/// Work of circuit bootstraps and of CMUXes on their selectors, under one parameter set.
///
/// ```
/// use cryptable_leveled::circuit_cost::CircuitCost;
/// use cryptable_leveled::parameters::CircuitParameters;
/// let cost = CircuitCost::of(&CircuitParameters::set_3());
/// // In step, bootstraps share what is read of the rotation key.
/// assert!(cost.bootstraps_units(4, 1) < 4.0 * cost.bootstraps_units(1, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CircuitCost {
    /// Bits that a rotation takes.
    pub digit_bits: u32,
    /// Transforms of a rotation, in transforms of degree 2,048.
    pub rotation_transforms: f64,
    /// Transforms that make a selector of what was rotated.
    pub conversion_transforms: f64,
    /// Bytes of rotation keys: read once for all bootstraps that go in step.
    pub rotation_key_bytes: f64,
    /// Bytes of LWE key switching keys: read once for all bootstraps that go in step.
    pub key_switching_bytes: f64,
    /// Bytes of keys of automorphisms, trace and scheme switching.
    pub conversion_key_bytes: f64,
    /// Transforms of a CMUX.
    pub cmux_transforms: f64,
    /// Transforms of a CMUX of plain polynomials.
    pub leaf_transforms: f64,
    /// Bytes of a selector.
    pub selector_bytes: f64,
}

impl CircuitCost {
    /// Counts: a rotation a digit; for each bit and each of ℓ rows of a selector `log2 N·(ℓ_trace + 2)` transforms of
    /// the trace and `ℓ_ss + 2` of scheme switching; `2(ℓ + 1)` for a CMUX, 3 for one of plain polynomials.
    #[must_use]
    pub fn of(parameters: &CircuitParameters) -> Self {
        let literal = parameters.parameters().literal();
        let degree = literal.ring_degree as f64;
        let log2_degree = degree.log2();
        let transform = degree * log2_degree / (2048.0 * 11.0);
        let rows = parameters.selector_gadget().length() as f64;
        let (trace, relinearization) =
            (literal.automorphism.length as f64, literal.relinearization.length as f64);
        let conversion = rows * (log2_degree * (trace + 2.0) + relinearization + 2.0);
        let row_bytes = 2.0 * degree * WORD_BYTES;
        let dimension = literal.lwe_dimension as f64;
        let (selectors, automorphisms) = match parameters.parameters().rotation_automorphisms() {
            None => (dimension * rgsw_per_coefficient(literal.lwe_secret) as f64, 0),
            Some(window) => (dimension + 1.0, window.key_count() * window.gadget.length()),
        };
        Self {
            digit_bits: parameters.digit_bits(),
            rotation_transforms: cost::rotation(literal).digit_transforms,
            conversion_transforms: conversion * transform,
            rotation_key_bytes: selectors * literal.rotation.rows() as f64 * row_bytes,
            key_switching_bytes: cost::key_switching_bytes(literal),
            conversion_key_bytes: (automorphisms as f64 + log2_degree * trace + relinearization)
                * row_bytes,
            cmux_transforms: 2.0 * (rows + 1.0) * transform,
            leaf_transforms: 3.0 * transform,
            selector_bytes: (2.0 * rows + 1.0) * row_bytes,
        }
    }

    /// Time of circuit bootstraps of so many bits on one thread, in u, if they are shared among `threads`.
    #[must_use]
    pub fn bootstraps_units(&self, bits: usize, threads: usize) -> f64 {
        let rotations = digit_count(bits, self.digit_bits);
        let transforms =
            self.rotation_transforms * rotations as f64 + self.conversion_transforms * bits as f64;
        let key_bytes =
            (self.rotation_key_bytes + self.key_switching_bytes) * parts(rotations, threads) as f64;
        transforms / TRANSFORMS_PER_UNIT + key_bytes / KEY_BYTES_PER_UNIT
    }

    /// Time of a tree's CMUXes on one thread, in u: selectors stay in the cache.
    #[must_use]
    pub fn tree_units(&self, shape: TreeShape) -> f64 {
        let leaves = shape.leaf_gates() as f64;
        let others = shape.gates() as f64 - leaves;
        (leaves * self.leaf_transforms + others * self.cmux_transforms) / TRANSFORMS_PER_UNIT
    }

    /// Bytes of memory that an evaluation key takes.
    #[must_use]
    pub fn key_memory_bytes(&self) -> f64 {
        self.rotation_key_bytes + self.key_switching_bytes + self.conversion_key_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_times_are_met() {
        for (set, measured) in [
            (CircuitParameters::set_1(), 56.0),
            (CircuitParameters::set_2(), 71.1),
            (CircuitParameters::set_3(), 75.7),
            (CircuitParameters::set_4(), 90.4),
            (CircuitParameters::set_5(), 93.7),
        ] {
            let ratio = CircuitCost::of(&set).bootstraps_units(1, 1) / measured;
            assert!((0.93..1.07).contains(&ratio), "measured {measured}: {ratio}");
        }
    }

    #[test]
    fn tables_take_what_their_bootstraps_and_cmuxes_take() {
        for (set, bits, measured) in
            [(CircuitParameters::digits_1(), 8, 278.8), (CircuitParameters::digits_3(), 16, 689.6)]
        {
            let (cost, shape) = (CircuitCost::of(&set), TreeShape::new(&set, bits, bits));
            let units = cost.bootstraps_units(bits, 1) + cost.tree_units(shape);
            assert!((0.93..1.07).contains(&(units / measured)), "{units}, measured {measured}");
        }
    }
}

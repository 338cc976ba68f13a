//! Work of circuit bootstraps and CMUX trees, by counts of transforms and of key bytes read;
//! [`cryptable_lattice::cost::CostModel`] converts it to seconds.

use cryptable_fhew::cost;
use cryptable_fhew::parameters::ParametersLiteral;
use cryptable_fhew::rotation::cmux_rgsw_count;
use cryptable_lattice::cost::Work;

use crate::bootstrapping::{batch_count, ciphertext_count};
use crate::parameters::CircuitBootstrappingParameters;
use crate::tree::TreeShape;

/// Bytes of a word in memory.
const WORD_BYTES: f64 = 8.0;

/// Work of circuit bootstraps, and of CMUXes by their RGSW ciphertexts, under one parameter set.
///
/// ```
/// use cryptable_lattice::cost::CostModel;
/// use cryptable_leveled::cost::CircuitBootstrappingCost;
/// use cryptable_leveled::parameters::ParameterSet;
/// let cost = CircuitBootstrappingCost::of(&ParameterSet::CmuxDepth236.parameters());
/// let seconds = |bits| CostModel::default().seconds(&cost.bootstraps(bits, 1));
/// // Batched bootstraps share the reading of the rotation key.
/// assert!(seconds(4) < 4.0 * seconds(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CircuitBootstrappingCost {
    /// Bits per ciphertext, and so per rotation.
    pub bits_per_ciphertext: u32,
    /// Transforms of a rotation, in units of one transform of degree 2,048.
    pub rotation_transforms: f64,
    /// Transforms that convert a rotated polynomial to an RGSW ciphertext.
    pub conversion_transforms: f64,
    /// Bytes of rotation keys, which are read once for all bootstraps of a batch.
    pub rotation_key_bytes: f64,
    /// Bytes of LWE key switching keys, which are read once for all bootstraps of a batch.
    pub key_switching_bytes: f64,
    /// Bytes of keys of automorphisms, trace and scheme switching.
    pub conversion_key_bytes: f64,
    /// Transforms of a CMUX.
    pub cmux_transforms: f64,
    /// Transforms of a CMUX of plain polynomials.
    pub leaf_transforms: f64,
    /// Bytes of an RGSW ciphertext.
    pub rgsw_bytes: f64,
}

/// Counts the transforms of a blind rotation, in units of one of degree 2,048, and the bytes of LWE key switching keys.
fn rotation(literal: &ParametersLiteral) -> (f64, f64) {
    (cost::rotation(literal).digit_transforms, cost::key_switching_bytes(literal))
}

impl CircuitBootstrappingCost {
    /// Counts a rotation per ciphertext; for each bit and each of ℓ rows, `log2 N·(ℓ_trace + 2)` transforms of the trace and
    /// `ℓ_ss + 2` of scheme switching; `2(ℓ + 1)` transforms for a CMUX, 3 for a CMUX of plain polynomials.
    #[must_use]
    pub fn of(parameters: &CircuitBootstrappingParameters) -> Self {
        let literal = parameters.fhew().literal();
        let (rotation_transforms, key_switching_bytes) = rotation(literal);
        let degree = literal.ring_degree as f64;
        let log2_degree = degree.log2();
        let transform = degree * log2_degree / (2048.0 * 11.0);
        let rows = parameters.rgsw_gadget().length() as f64;
        let (trace, relinearization) =
            (literal.automorphism.length as f64, literal.relinearization.length as f64);
        let conversion = rows * (log2_degree * (trace + 2.0) + relinearization + 2.0);
        let row_bytes = 2.0 * degree * WORD_BYTES;
        let dimension = literal.lwe_dimension as f64;
        let (selectors, automorphisms) = match parameters.fhew().rotation_automorphisms() {
            None => (cmux_rgsw_count(literal.lwe_dimension, literal.lwe_secret) as f64, 0),
            Some(window) => (dimension + 1.0, window.key_count() * window.gadget.length()),
        };
        Self {
            bits_per_ciphertext: parameters.bits_per_ciphertext(),
            rotation_transforms,
            conversion_transforms: conversion * transform,
            rotation_key_bytes: selectors * literal.rotation.rows() as f64 * row_bytes,
            key_switching_bytes,
            conversion_key_bytes: (automorphisms as f64 + log2_degree * trace + relinearization)
                * row_bytes,
            cmux_transforms: 2.0 * (rows + 1.0) * transform,
            leaf_transforms: 3.0 * transform,
            rgsw_bytes: (2.0 * rows + 1.0) * row_bytes,
        }
    }

    /// Returns the work of circuit bootstraps for a value of `bits` bits, in the batches for `threads` threads.
    #[must_use]
    pub fn bootstraps(&self, bits: usize, threads: usize) -> Work {
        let rotations = ciphertext_count(bits, self.bits_per_ciphertext);
        let transforms =
            self.rotation_transforms * rotations as f64 + self.conversion_transforms * bits as f64;
        let batches = batch_count(rotations, threads) as f64;
        let key_bytes = (self.rotation_key_bytes + self.key_switching_bytes) * batches;
        Work { digit_transforms: transforms, key_bytes, ..Work::default() }
    }

    /// Returns the work of a tree's CMUXes, whose RGSW ciphertexts stay in the cache.
    #[must_use]
    pub fn tree(&self, shape: TreeShape) -> Work {
        let leaves = shape.leaf_cmuxes() as f64;
        let others = shape.cmuxes() as f64 - leaves;
        let transforms = leaves * self.leaf_transforms + others * self.cmux_transforms;
        Work { digit_transforms: transforms, ..Work::default() }
    }

    /// Returns the work of a lookup of one value on one thread: circuit bootstraps of its bits, then the tree.
    #[must_use]
    pub fn lookup(&self, shape: TreeShape) -> Work {
        let (bootstraps, tree) = (self.bootstraps(shape.input_bits(), 1), self.tree(shape));
        let digit_transforms = bootstraps.digit_transforms + tree.digit_transforms;
        Work { digit_transforms, ..bootstraps }
    }

    /// Returns the bytes of memory that an evaluation key occupies.
    #[must_use]
    pub fn key_memory_bytes(&self) -> f64 {
        self.rotation_key_bytes + self.key_switching_bytes + self.conversion_key_bytes
    }
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::cost::CostModel;
    use serde::Deserialize;

    use super::*;
    use crate::parameters::ParameterSet;

    /// The time in a line of a benchmark.
    #[derive(Deserialize)]
    struct Line {
        method: String,
        bits_in: f64,
        ms_per_value: f64,
    }

    /// Returns the committed lines of one thread, from the machine whose calibrated cost model [`check`] uses.
    fn lines() -> impl Iterator<Item = Line> {
        let file = include_str!("../../bench/results/intel_xeon/one_thread.jsonl");
        file.lines().map(|line| serde_json::from_str(line).expect("a line of a benchmark"))
    }

    /// Checks that predicted and measured milliseconds agree, with a tolerance for the machine's clock, which differs from one
    /// minute to the next.
    fn check(name: &str, work: &Work, measured: f64, least: f64) {
        let model = include_str!("../../bench/results/intel_xeon/calibration.json");
        let model: CostModel = serde_json::from_str(model).expect("a cost model");
        let predicted = 1e3 * model.seconds(work);
        let ratio = predicted / measured;
        println!("{name}: predicted {predicted:.1}, measured {measured:.1} ms, ratio {ratio:.3}");
        assert!((least..1.15).contains(&ratio), "{name}: {predicted} ms, measured {measured}");
    }

    /// The committed lines of `bench cbs`, by the paper's numbers of sets. Work counts bytes of keys, but not the order in
    /// which they are read. Rotations by automorphisms, each of which has an order of its own, take longer.
    #[test]
    fn measured_bootstraps_take_what_is_predicted() {
        let mut found = 0;
        for line in lines() {
            let named = line.method.strip_prefix("circuit bootstrap, ");
            let Some((variant, number)) = named.and_then(|set| set.split_once(' ')) else {
                continue;
            };
            let (sets, least) = match variant {
                "CMUX" => (ParameterSet::WANG_CMUX, 0.9),
                "AUTO" => (ParameterSet::WANG_AUTO, 0.8),
                _ => continue,
            };
            let number: usize = number.parse().expect("a number of a set");
            let cost = CircuitBootstrappingCost::of(&sets[number - 1].parameters());
            check(&line.method, &cost.bootstraps(1, 1), line.ms_per_value, least);
            found += 1;
        }
        assert!(found >= 10, "{found} lines");
    }

    /// The committed lines of `bench cmux-tree`.
    #[test]
    fn measured_tables_take_what_is_predicted() {
        let mut found = 0;
        for line in lines() {
            let Some(named) = line.method.strip_prefix("CMUX tree, ") else {
                continue;
            };
            let name = named.split(", ").next().expect("the name of a set");
            let set: ParameterSet = name.parse().expect("the name of a set");
            let (parameters, bits) = (set.parameters(), line.bits_in as usize);
            let shape = TreeShape::new(&parameters, bits, bits);
            let cost = CircuitBootstrappingCost::of(&parameters);
            check(&line.method, &cost.lookup(shape), line.ms_per_value, 0.75);
            found += 1;
        }
        assert!(found >= 5, "{found} lines");
    }
}

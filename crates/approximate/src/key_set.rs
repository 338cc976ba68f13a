//! The keys that a server gets.

use std::collections::BTreeSet;

use cryptable_ckks::Arithmetic;
use cryptable_lattice::error::{Error, Result, demand};
use cryptable_lattice::{KeyPurpose, KeyRequest};
use cryptable_ring::rotation_element;
use serde::{Deserialize, Serialize};

use crate::linear_map::LinearMap;
use crate::parameters::Parameters;

/// Operations of a server that need keys of their own, besides sums and products.
///
/// ```
/// use cryptable_approximate::KeySet;
/// let keys = KeySet::new().rotations([1, -1]).conjugation();
/// assert!(keys.has_conjugation());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySet {
    /// Rotations to the left; negative numbers are rotations to the right.
    rotations: BTreeSet<i64>,
    conjugation: bool,
    bootstrapping: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lookups: bool,
    maps: Vec<MapKeys>,
}

/// Rotations of a linear map, at its level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MapKeys {
    level: usize,
    rotations: BTreeSet<usize>,
}

/// Largest number of rotations of a key set.
const MAX_ROTATIONS: usize = 4096;

/// Largest number of linear maps of a key set.
const MAX_MAPS: usize = 64;

impl KeySet {
    /// Returns the key set for sums and products only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the key set that most programs need: products, rotations by powers of two, conjugation, and
    /// bootstrapping and lookups if the parameters support them.
    #[must_use]
    pub fn for_parameters(parameters: &Parameters) -> Self {
        let keys = Self::new().rotations_by_powers_of_two(parameters.slots()).conjugation();
        match parameters.literal().bootstrapping {
            Some(_) => keys.lookups(),
            None => keys,
        }
    }

    /// Adds these rotations of slots to the left, one key each; negative numbers are rotations to the right.
    #[must_use]
    pub fn rotations(mut self, steps: impl IntoIterator<Item = i64>) -> Self {
        self.rotations.extend(steps);
        self
    }

    /// Adds rotations by all powers of two below the number of slots, for inner sums and for any rotation in several
    /// steps.
    #[must_use]
    pub fn rotations_by_powers_of_two(self, slots: usize) -> Self {
        self.rotations((0..slots.max(1).ilog2()).map(|k| 1 << k))
    }

    /// Adds conjugation.
    #[must_use]
    pub fn conjugation(mut self) -> Self {
        self.conjugation = true;
        self
    }

    /// Adds a linear map.
    #[must_use]
    pub fn map(mut self, map: &LinearMap) -> Self {
        let rotations = map.plan().rotations().into_iter().collect();
        let keys = MapKeys { level: map.level(), rotations };
        if !self.maps.contains(&keys) {
            self.maps.push(keys);
        }
        self
    }

    /// Returns whether the keys of a linear map are included.
    pub(crate) fn has_map(&self, map: &LinearMap) -> bool {
        let rotations = map.plan().rotations();
        let mut maps = self.maps.iter().filter(|keys| keys.level == map.level());
        maps.any(|keys| rotations.iter().all(|rotation| keys.rotations.contains(rotation)))
    }

    /// Adds bootstrapping.
    #[must_use]
    pub fn bootstrapping(mut self) -> Self {
        self.bootstrapping = true;
        self
    }

    /// Adds lookups of slots, which are bootstraps.
    #[must_use]
    pub fn lookups(mut self) -> Self {
        self.lookups = true;
        self.bootstrapping = true;
        self
    }

    /// Returns whether lookups are included.
    #[must_use]
    pub fn has_lookups(&self) -> bool {
        self.lookups
    }

    /// Returns whether bootstrapping is included.
    #[must_use]
    pub fn has_bootstrapping(&self) -> bool {
        self.bootstrapping
    }

    /// Returns whether conjugation is included.
    #[must_use]
    pub fn has_conjugation(&self) -> bool {
        self.conjugation
    }

    /// Returns whether keys for a rotation of `slots` slots are included; a rotation by 0 always is.
    pub(crate) fn has_rotation(&self, steps: usize, slots: usize) -> bool {
        steps == 0 || self.rotations.iter().any(|&known| wrapped(known, slots) == steps)
    }

    /// The required switching keys, by a dry run of all operations.
    ///
    /// # Errors
    /// If there are too many rotations.
    pub(crate) fn requests(&self, parameters: &Parameters) -> Result<Vec<KeyRequest>> {
        let count = self.rotations.len();
        demand(count <= MAX_ROTATIONS, "number of rotations", count as f64, "at most 4096")?;
        let (dry_run, fresh) = (parameters.dry_run(), parameters.fresh_shape(1.0));
        dry_run.mul(&fresh, &fresh);
        for &steps in &self.rotations {
            let steps = wrapped(steps, parameters.slots());
            if steps != 0 {
                dry_run.rotate(&fresh, steps);
            }
        }
        // Lookups conjugate between the levels.
        if self.conjugation || self.lookups {
            dry_run.conjugate(&fresh);
        }
        if self.bootstrapping {
            let name = "bootstrapping with parameters that lack it";
            let circuit = parameters.bootstrap_circuit();
            let circuit = circuit.ok_or_else(|| Error::Unsupported(name.into()))?;
            circuit.predict(&dry_run, &fresh, 2, 1.0);
        }
        let (literal, ring_slots) = (parameters.literal(), parameters.literal().ring_degree / 2);
        for MapKeys { level, rotations } in &self.maps {
            let limit = format!("it must be from 1 to {}", parameters.levels());
            let ok = (1..=parameters.levels()).contains(level);
            demand(ok, "level of a linear map", *level as f64, &limit)?;
            let count = rotations.len();
            demand(count <= MAX_ROTATIONS, "number of rotations", count as f64, "at most 4096")?;
            let shape = literal.key_shape(literal.bottom_limbs() + level);
            for &rotation in rotations {
                let limit = "below half the ring degree";
                demand(rotation < ring_slots, "rotation", rotation as f64, limit)?;
                let element = rotation_element(literal.ring_degree, rotation) as u32;
                dry_run.request(KeyRequest { purpose: KeyPurpose::Galois(element), shape });
            }
        }
        let maps = self.maps.len();
        demand(maps <= MAX_MAPS, "number of linear maps", maps as f64, "at most 64")?;
        Ok(dry_run.key_requests())
    }
}

/// A rotation to the left by 0 to `slots - 1`.
pub(crate) fn wrapped(steps: i64, slots: usize) -> usize {
    steps.rem_euclid(slots as i64) as usize
}

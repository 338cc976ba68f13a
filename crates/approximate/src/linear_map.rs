//! Matrices that multiply slots: by diagonals, baby steps and giant steps (`ckks/src/linear_transform.rs`).

use std::collections::BTreeMap;

use cryptable_ckks::TransformPlan;
use cryptable_ckks::dft_factors::{Diagonal, DiagonalMatrix};
use cryptable_lattice::error::{Result, check_equal, demand};
use num_complex::Complex64;

use crate::bounds::SlotBounds;
use crate::parameters::Parameters;

/// Largest dimension of a matrix.
const MAX_DIMENSION: usize = 4096;

/// A square matrix for ciphertexts of one level. A matrix whose dimension n is below the number of slots multiplies
/// every block of n slots, which must have that period.
#[derive(Clone, Debug)]
pub struct LinearMap {
    matrix: DiagonalMatrix,
    plan: TransformPlan,
    level: usize,
    /// Largest sum of the absolute values of a row.
    row_sum: f64,
}

impl LinearMap {
    /// Makes a map from rows, for ciphertexts that are lowered to this level.
    ///
    /// # Errors
    /// If the dimension is not a power of two up to 4096 and the number of slots, a row has another length, a number is
    /// not finite, all numbers are 0, or the level is not from 1 to that of fresh ciphertexts.
    pub fn new(parameters: &Parameters, rows: &[Vec<Complex64>], level: usize) -> Result<Self> {
        let (dimension, slots) = (rows.len(), parameters.slots());
        let ok = dimension.is_power_of_two() && dimension <= slots.min(MAX_DIMENSION);
        let limit = format!("a power of two, at most {}", slots.min(MAX_DIMENSION));
        demand(ok, "rows of a matrix", dimension as f64, &limit)?;
        rows.iter().try_for_each(|row| check_equal("columns of a matrix", row.len(), dimension))?;
        let limit = format!("it must be from 1 to {}", parameters.levels());
        let is_level = (1..=parameters.levels()).contains(&level);
        demand(is_level, "level of a linear map", level as f64, &limit)?;
        let of_row = |row: &Vec<Complex64>| row.iter().map(|z| z.norm()).sum::<f64>();
        let row_sum = rows.iter().map(of_row).fold(0.0, f64::max);
        let all: f64 = rows.iter().map(of_row).sum();
        demand(all > 0.0 && all.is_finite(), "sum of a matrix", all, "above 0 and finite")?;
        let limbs = parameters.level_scales().bottom() + level;
        let scale = parameters.level_scales().scale_at(limbs);
        let capacity = 61f64.exp2() / scale;
        demand(row_sum <= capacity, "entries of a matrix", row_sum, "too large for its level")?;
        let diagonal = |r: usize| {
            let values: Vec<_> = (0..dimension).map(|j| rows[j][(j + r) % dimension]).collect();
            values.iter().any(|z| *z != Complex64::ZERO).then_some((r, Diagonal { values }))
        };
        let diagonals: BTreeMap<_, _> = (0..dimension).filter_map(diagonal).collect();
        // There are slightly more baby steps than giant steps, since baby steps are hoisted and cost less.
        let babies = ((diagonals.len() as f64).sqrt() * 1.5).ceil() as usize;
        let mut matrix = DiagonalMatrix { slots: dimension, diagonals };
        let (shape, ring_slots) =
            (parameters.literal().key_shape(limbs), parameters.literal().ring_degree / 2);
        let plan_of = |matrix: &_| TransformPlan::new(matrix, ring_slots, babies, shape, scale);
        let mut plan = plan_of(&matrix);
        let served = |giant| plan.steps.iter().any(|step| step.giant == giant);
        if !(0..plan.giants).all(served) {
            fill(&mut matrix);
            plan = plan_of(&matrix);
        }
        Ok(Self { matrix, plan, level, row_sum })
    }

    /// Returns the level that ciphertexts are lowered to.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    pub(crate) fn matrix(&self) -> &DiagonalMatrix {
        &self.matrix
    }

    pub(crate) fn plan(&self) -> &TransformPlan {
        &self.plan
    }

    /// Bounds on slots after the map.
    pub(crate) fn bounds(&self, of: SlotBounds) -> SlotBounds {
        let size = self.row_sum * of.modulus();
        SlotBounds { re: size, im: size }
    }

    /// The largest factor of errors.
    pub(crate) fn row_sum(&self) -> f64 {
        self.row_sum
    }
}

/// Adds diagonals of zeros so that every giant step has a diagonal.
fn fill(matrix: &mut DiagonalMatrix) {
    for rotation in 0..matrix.slots {
        let zero = || Diagonal { values: vec![Complex64::ZERO] };
        matrix.diagonals.entry(rotation).or_insert_with(zero);
    }
}

//! The type of network layers of the public API.

use serde::{Deserialize, Serialize};

/// A layer of a network: integer sums of the values before it, and a table for each sum.
///
/// Fully connected layers and convolutions of quantised networks are of this form: weights are integers, and a table is
/// an activation, including the rounding of its result to an integer. In JSON, a layer of two sums modulo 8 looks like
/// `{"weights": [[1, -2], [3, 0]], "constants": [4, 0], "tables": [[0, 0, 0, 0, 0, 1, 2, 3], [7, 6, 5, 4, 3, 2, 1, 0]]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// For each sum, a factor for each value of the layer before.
    pub weights: Vec<Vec<i64>>,
    /// For each sum, the constant that it begins with.
    pub constants: Vec<i64>,
    /// For each sum, an output for each value that it may have modulo the modulus of columns, from 0 on. The last layer
    /// has no tables: its sums are the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Vec<i64>>,
}

impl Layer {
    /// Returns the outputs for these values: sums go through their tables modulo `modulus`, if there are tables.
    ///
    /// # Panics
    /// If there are fewer values than factors, or an output is missing.
    #[must_use]
    pub fn values(&self, before: &[i64], modulus: u64) -> Vec<i64> {
        let sum = |(weights, constant): (&Vec<i64>, &i64)| {
            let terms = weights.iter().zip(before);
            terms.fold(i128::from(*constant), |sum, (&weight, &value)| {
                sum + i128::from(weight) * i128::from(value)
            })
        };
        let sums = self.weights.iter().zip(&self.constants).map(sum);
        if self.tables.is_empty() {
            return sums.map(|sum| sum as i64).collect();
        }
        let output =
            |(sum, table): (i128, &Vec<i64>)| table[sum.rem_euclid(i128::from(modulus)) as usize];
        sums.zip(&self.tables).map(output).collect()
    }
}

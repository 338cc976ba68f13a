//! The noise of formulas, computed from that of their tables.

use cryptable_lattice::NoiseBound;

use crate::formulas::prepared::{Choice, Stage, Value};

impl Stage {
    /// The noise of each output as a fraction of the modulus, without that of products. `table` is the noise of tables
    /// with outputs from 0 to 1; `largest` bounds the error of a table, except with negligible probability.
    pub(crate) fn noise(&self, modulus: u64, table: NoiseBound, largest: f64) -> Vec<NoiseBound> {
        let model = TableNoise { unit: scaled(table, 1.0 / modulus as f64), largest };
        let noise = |output: &Value| match self.groups {
            None => model.of(output),
            Some(groups) => scaled(model.of_group(output), groups.count() as f64),
        };
        self.outputs.iter().map(noise).collect()
    }
}

/// The noise of tables, from which that of formulas is bounded.
struct TableNoise {
    /// Noise of a table of weight 1, as a fraction of the modulus.
    unit: NoiseBound,
    /// The largest error of a table.
    largest: f64,
}

impl TableNoise {
    /// Bounds the noise of a value. Errors of tables may depend on each other, as those of one column do, so standard
    /// deviations add up.
    fn of(&self, value: &Value) -> NoiseBound {
        let of_terms = value.linear.terms.iter().map(|&(_, weight)| weight.unsigned_abs() as f64);
        let of_choice = |choice: &Choice| {
            let (then, otherwise) = (self.of(&choice.then), self.of(&choice.otherwise));
            // The noise of the chosen side, of the bit, and of the product of both errors.
            then.max(otherwise)
                + scaled(self.unit, choice.difference())
                + scaled(then + otherwise, self.largest)
        };
        let linear = scaled(self.unit, of_terms.sum());
        value.choices.iter().map(of_choice).fold(linear, |sum, noise| sum + noise)
    }

    /// Bounds the noise of a value in the rows of a group, and of 0 in all others.
    fn of_group(&self, value: &Value) -> NoiseBound {
        let noise = self.of(value);
        noise + scaled(self.unit, value.largest()) + scaled(noise, self.largest)
    }
}

/// The noise of a multiple.
pub(crate) fn scaled(noise: NoiseBound, factor: f64) -> NoiseBound {
    NoiseBound::of_law(noise.law().times(factor), factor * noise.bias())
}

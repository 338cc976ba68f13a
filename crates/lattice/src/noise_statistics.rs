//! Moments and tail counts of errors, compared with those of a predicted distribution: behind the feature
//! `diagnostics`, which no product has.

use serde::Serialize;

use crate::noise_bound::NoiseBound;

/// Numbers of predicted standard deviations beyond which errors are counted.
const BEYOND: [u32; 4] = [3, 4, 5, 6];

/// Moments, tail counts and correlations of the errors of several lookups under one key.
#[derive(Clone, Debug, Serialize)]
pub struct NoiseStatistics {
    /// Number of measured errors.
    pub samples: usize,
    /// Number of lookups that the errors come from, all under one key.
    pub lookups: usize,
    /// Standard deviation around 0.
    pub deviation: f64,
    /// Standard deviation that the distribution predicts.
    pub predicted_deviation: f64,
    /// Measured mean square divided by the predicted variance.
    pub variance_ratio: f64,
    /// The same ratio without the part that table, inputs and key determine: half the mean square of differences
    /// between errors of the same coefficient in two lookups.
    pub random_variance_ratio: f64,
    /// Kurtosis around 0: 3 for a Gaussian, 6 for Laplace's distribution.
    pub kurtosis: f64,
    /// Kurtosis of the differences between errors of the same coefficient in two lookups, which exclude the fixed part.
    pub random_kurtosis: f64,
    /// Predicted kurtosis.
    pub predicted_kurtosis: f64,
    /// Counts of errors beyond 3, 4, 5 and 6 predicted deviations.
    pub beyond: Vec<Beyond>,
    /// Counts of errors beyond the sum of the bound on the fixed part and these deviations, or `None` if the bound is
    /// 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_fixed_bound: Option<Vec<Beyond>>,
    /// The largest absolute value of an error, in predicted deviations.
    pub largest_deviations: f64,
    /// The mean of all errors, in predicted deviations.
    pub mean_deviations: f64,
    /// The part of the error that table, inputs and key determine, in predicted deviations: the root of the mean
    /// product of errors of the same coefficient in two lookups; `None` if inputs differ.
    pub fixed_deviations: Option<f64>,
    /// The bound on the part that table and inputs determine, in predicted deviations; `None` without such a part.
    pub fixed_bound_deviations: Option<f64>,
    /// `E[e_0²·e_1²]/(E[e_0²]·E[e_1²])` of the same coefficient in two lookups: 1 if sizes of errors do not depend on
    /// each other, 2 if an exponential factor that the key determines multiplies both variances. This holds if the
    /// fixed part is small: for errors that are entirely fixed, the number is their kurtosis.
    pub square_correlation: f64,
}

/// A count of large errors.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Beyond {
    /// Predicted standard deviations.
    pub deviations: u32,
    /// Number of errors with a larger absolute value.
    pub count: usize,
    /// Predicted number: the saddlepoint estimate.
    pub predicted: f64,
    /// Chernoff's bound on that number, which stated failure probabilities are based on.
    pub at_most: f64,
}

impl NoiseStatistics {
    /// Compares errors of several lookups with a predicted distribution and the bound on the part that table and inputs
    /// determine. `inputs_agree` says whether all lookups have the same inputs.
    ///
    /// # Panics
    /// If there are fewer than two lookups, or if they differ in length.
    #[must_use]
    pub fn new(lookups: &[Vec<f64>], bound: NoiseBound, inputs_agree: bool) -> Self {
        assert!(lookups.len() >= 2 && lookups.iter().all(|it| it.len() == lookups[0].len()));
        let law = bound.law();
        let errors = || lookups.iter().flatten();
        let samples = errors().count();
        let mean =
            |value: fn(f64) -> f64| errors().map(|&e| value(e)).sum::<f64>() / samples as f64;
        let (square, fourth) = (mean(|e| e * e), mean(|e| e.powi(4)));
        let predicted = law.deviation();
        let fixed = mean_of_pairs(lookups, |a, b| a * b).max(0.0).sqrt();
        let difference = mean_of_pairs(lookups, |a, b| (a - b).powi(2));
        let beyond = |deviations: u32, bias: f64| {
            let margin = f64::from(deviations) * predicted;
            let expected = |log2: f64| samples as f64 * log2.exp2();
            Beyond {
                deviations,
                count: errors().filter(|e| e.abs() > bias + margin).count(),
                predicted: expected(law.log2_exceeds_estimate(margin)),
                at_most: expected(law.log2_exceeds(margin)),
            }
        };
        let has_bias = bound.bias() > 0.0;
        Self {
            samples,
            lookups: lookups.len(),
            deviation: square.sqrt(),
            predicted_deviation: predicted,
            variance_ratio: square / law.variance(),
            random_variance_ratio: difference / 2.0 / law.variance(),
            kurtosis: fourth / (square * square),
            random_kurtosis: mean_of_pairs(lookups, |a, b| (a - b).powi(4)) / difference.powi(2),
            predicted_kurtosis: law.kurtosis(),
            beyond: BEYOND.map(|deviations| beyond(deviations, 0.0)).to_vec(),
            beyond_fixed_bound: has_bias
                .then(|| BEYOND.map(|deviations| beyond(deviations, bound.bias())).to_vec()),
            largest_deviations: errors().fold(0.0, |most: f64, e| most.max(e.abs())) / predicted,
            mean_deviations: mean(|e| e) / predicted,
            fixed_deviations: inputs_agree.then_some(fixed / predicted),
            fixed_bound_deviations: has_bias.then(|| bound.bias() / predicted),
            square_correlation: mean_of_pairs(lookups, |a, b| (a * b).powi(2)) / (square * square),
        }
    }

    /// Checks that errors are not above the prediction: their variance, counts of large ones and, if all errors have
    /// one distribution, their kurtosis.
    ///
    /// The fixed part may be as large as its bound, in the variance and in the size of every error.
    ///
    /// # Errors
    /// If a number is above the prediction by more than sampling explains: the message names it.
    pub fn check_not_above(&self, have_one_law: bool) -> Result<(), String> {
        let bias = self.fixed_bound_deviations.unwrap_or(0.0);
        // Slots have the same X in every lookup.
        let slots = self.samples as f64 / together(self.lookups);
        let sampling = 7.0 * ((self.predicted_kurtosis - 1.0) / slots).sqrt();
        let most = (1.0 + sampling.clamp(0.1, 0.5)) * (1.0 + bias).powi(2);
        if self.variance_ratio > most {
            return Err(format!("variance {:.3} of the law's: {self:?}", self.variance_ratio));
        }
        // A fifth of the excess is added: few slots are loud, and a slot is equally loud in every lookup.
        let sampling = 0.2 * (self.predicted_kurtosis - 3.0) + 30.0 / (self.samples as f64).sqrt();
        let (kurtosis, ratio) = if bias > 0.0 {
            (self.random_kurtosis, self.random_variance_ratio)
        } else {
            (self.kurtosis, self.variance_ratio)
        };
        // Where errors are smaller than predicted, their fourth moment counts.
        let kurtosis = kurtosis * ratio.min(1.0).powi(2);
        if have_one_law && kurtosis > self.predicted_kurtosis + sampling {
            return Err(format!("kurtosis {kurtosis:.3}: {self:?}"));
        }
        let counts = self.beyond_fixed_bound.as_ref().unwrap_or(&self.beyond);
        match counts.iter().find(|beyond| !beyond.is_not_above(self.lookups)) {
            Some(beyond) => Err(format!("{beyond:?} of {self:?}")),
            None => Ok(()),
        }
    }
}

/// Returns the number of errors that may be large together: the two coefficients of a slot in all lookups, since the
/// key determines how loud a slot is.
fn together(lookups: usize) -> f64 {
    (2 * lookups).min(20) as f64
}

impl Beyond {
    /// Returns seven deviations of a count if errors of the same slot in all lookups, and those of its real and
    /// imaginary part, exceed together, plus some counts where few are expected.
    fn tolerance(&self, lookups: usize) -> f64 {
        7.0 * (together(lookups) * self.predicted).sqrt() + 7.0
    }

    /// Returns whether the count is at most the predicted one, except for what sampling explains.
    #[must_use]
    pub fn is_not_above(&self, lookups: usize) -> bool {
        self.count as f64 <= self.predicted + self.tolerance(lookups)
    }

    /// Returns whether the count is at least the predicted one, except for what sampling explains.
    #[must_use]
    pub fn is_not_below(&self, lookups: usize) -> bool {
        self.count as f64 >= self.predicted - self.tolerance(lookups)
    }
}

/// Returns the mean of a function of errors of the same coefficient in consecutive lookups.
fn mean_of_pairs(lookups: &[Vec<f64>], value: impl Fn(f64, f64) -> f64) -> f64 {
    let pairs = lookups.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
    let count = (lookups.len() - 1) * lookups[0].len();
    pairs.map(|(&a, &b)| value(a, b)).sum::<f64>() / count as f64
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::noise_law::NoiseLaw;

    fn gaussian(rng: &mut ChaCha20Rng) -> f64 {
        let uniform = 1.0 - rng.random::<f64>();
        (-2.0 * uniform.ln()).sqrt() * (std::f64::consts::TAU * rng.random::<f64>()).cos()
    }

    #[test]
    fn samples_of_a_law_agree_with_it() {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let sizes: Vec<f64> =
            (0..50_000).map(|_| (-(1.0 - rng.random::<f64>()).ln()).sqrt()).collect();
        for (law, is_slots) in
            [(NoiseLaw::gaussian(4.0), false), (NoiseLaw::slots(4.0, f64::INFINITY), true)]
        {
            let mut lookup = || -> Vec<f64> {
                let size = |&size: &f64| if is_slots { size } else { 1.0 };
                sizes.iter().map(|x| 0.2 + 2.0 * size(x) * gaussian(&mut rng)).collect()
            };
            let lookups = [lookup(), lookup()];
            let found = NoiseStatistics::new(&lookups, NoiseBound::of_law(law, 0.0), true);
            assert!((found.variance_ratio - 1.0).abs() < 0.05, "{found:?}");
            assert!((found.random_variance_ratio - 1.0).abs() < 0.05, "{found:?}");
            assert!((found.kurtosis / found.predicted_kurtosis - 1.0).abs() < 0.1, "{found:?}");
            let correlation = if is_slots { 2.0 } else { 1.0 };
            assert!((found.square_correlation - correlation).abs() < 0.15, "{found:?}");
            assert!((found.mean_deviations - 0.1).abs() < 0.02, "{found:?}");
            assert!((found.fixed_deviations.unwrap() - 0.1).abs() < 0.05, "{found:?}");
            for beyond in &found.beyond {
                assert!(beyond.is_not_above(1) && beyond.is_not_below(1), "{beyond:?}");
            }
            found.check_not_above(true).unwrap();
            // A distribution with two thirds of the deviation is detected, and so is one of the right variance with
            // lighter tails.
            let bound = |law| NoiseBound::of_law(law, 0.0);
            let small = NoiseStatistics::new(&lookups, bound(law.times(0.67)), true);
            assert!(small.check_not_above(true).unwrap_err().starts_with("variance"));
            if is_slots {
                let light = NoiseLaw::gaussian(law.variance());
                let error =
                    NoiseStatistics::new(&lookups, bound(light), true).check_not_above(true);
                assert!(error.unwrap_err().starts_with("kurtosis"));
            }
        }
    }
}

//! Moments and tail counts of errors, beside those of a law: feature `diagnostics`, which no product has.

use serde::Serialize;

use crate::noise_bound::NoiseBound;

/// Predicted standard deviations beyond which errors are counted.
const BEYOND: [u32; 4] = [3, 4, 5, 6];

/// Moments, tail counts and correlations of the errors of several lookups under one key.
#[derive(Clone, Debug, Serialize)]
pub struct NoiseStatistics {
    /// Errors that were measured.
    pub samples: usize,
    /// Lookups that they come from, all under one key.
    pub lookups: usize,
    /// Standard deviation around 0.
    pub deviation: f64,
    /// Standard deviation that the law predicts.
    pub predicted_deviation: f64,
    /// Measured mean square over the law's variance.
    pub variance_ratio: f64,
    /// The same without what table, inputs and key fix: by half the mean square of differences of errors of the same
    /// coefficient in two lookups.
    pub random_variance_ratio: f64,
    /// Kurtosis around 0: 3 of a Gaussian, 6 of Laplace's law.
    pub kurtosis: f64,
    /// The same of differences of errors of the same coefficient in two lookups, which leave out what is fixed.
    pub random_kurtosis: f64,
    /// The law's.
    pub predicted_kurtosis: f64,
    /// Counts of errors beyond 3, 4, 5 and 6 predicted deviations.
    pub beyond: Vec<Beyond>,
    /// The same counts beyond the bound on what is fixed and those deviations together; nothing where the bound is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_fixed_bound: Option<Vec<Beyond>>,
    /// The largest error in size, in predicted deviations.
    pub largest_deviations: f64,
    /// The mean of all errors, in predicted deviations.
    pub mean_deviations: f64,
    /// Part of the error that table, inputs and key fix, in predicted deviations: the root of the mean product of
    /// errors of the same coefficient in two lookups; `None` if inputs differ.
    pub fixed_deviations: Option<f64>,
    /// The bound on what table and inputs fix, in predicted deviations; nothing where there is none.
    pub fixed_bound_deviations: Option<f64>,
    /// `E[e_0²·e_1²]/(E[e_0²]·E[e_1²])` of the same coefficient in two lookups: 1 if sizes of errors do not depend on each
    /// other, 2 if an exponential factor that the key fixes multiplies both variances. It says so where little is fixed: errors
    /// that are all fixed have their kurtosis here.
    pub square_correlation: f64,
}

/// A count of large errors.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Beyond {
    /// Predicted standard deviations.
    pub deviations: u32,
    /// Errors that are larger in size.
    pub count: usize,
    /// How many the law expects: the saddlepoint estimate.
    pub predicted: f64,
    /// Chernoff's bound on that, which failure probabilities are stated by.
    pub at_most: f64,
}

impl NoiseStatistics {
    /// Compares errors of several lookups with a law and the bound on what table and inputs fix; `inputs_agree` says whether
    /// all lookups have the same inputs.
    ///
    /// # Panics
    /// If there are fewer than two lookups, or they differ in length.
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

    /// Checks that errors are within the law from above: their variance, counts of large ones and, where all errors have
    /// one law, their kurtosis.
    ///
    /// Checks that variance and tails are not above the law. The fixed part may be as large as its bound, in the
    /// variance and in the size of every error.
    ///
    /// # Errors
    /// If a number is above the law by more than sampling explains: says which.
    pub fn check_not_above(&self, have_one_law: bool) -> Result<(), String> {
        let bias = self.fixed_bound_deviations.unwrap_or(0.0);
        // Slots whose X repeats in every lookup.
        let slots = self.samples as f64 / together(self.lookups);
        let sampling = 7.0 * ((self.predicted_kurtosis - 1.0) / slots).sqrt();
        let most = (1.0 + sampling.clamp(0.1, 0.5)) * (1.0 + bias).powi(2);
        if self.variance_ratio > most {
            return Err(format!("variance {:.3} of the law's: {self:?}", self.variance_ratio));
        }
        // A fifth of the excess more: by few loud slots, and by how loud a slot is from lookup to lookup.
        let sampling = 0.2 * (self.predicted_kurtosis - 3.0) + 30.0 / (self.samples as f64).sqrt();
        let (kurtosis, ratio) = if bias > 0.0 {
            (self.random_kurtosis, self.random_variance_ratio)
        } else {
            (self.kurtosis, self.variance_ratio)
        };
        // Where errors are smaller than the law's, their fourth moment counts.
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

/// Errors that may be large together: the two coefficients of a slot in all lookups, since the key fixes how loud a slot is.
fn together(lookups: usize) -> f64 {
    (2 * lookups).min(20) as f64
}

impl Beyond {
    /// Seven deviations of a count, if errors of the same slot of all lookups, and the two of its real and imaginary part,
    /// exceed together, and some counts more where few are expected.
    fn tolerance(&self, lookups: usize) -> f64 {
        7.0 * (together(lookups) * self.predicted).sqrt() + 7.0
    }

    /// Returns whether the count is at most what is predicted, but for what sampling explains.
    #[must_use]
    pub fn is_not_above(&self, lookups: usize) -> bool {
        self.count as f64 <= self.predicted + self.tolerance(lookups)
    }

    /// Returns whether the count is at least what is predicted, but for what sampling explains.
    #[must_use]
    pub fn is_not_below(&self, lookups: usize) -> bool {
        self.count as f64 >= self.predicted - self.tolerance(lookups)
    }
}

/// The mean of a function of errors of the same coefficient in lookups that follow each other.
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
            // A law of two thirds of the deviation is noticed, and so is one of the right variance with lighter tails.
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

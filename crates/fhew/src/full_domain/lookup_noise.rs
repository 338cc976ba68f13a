//! The failure probability of a lookup by a method, for any noise of its input.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::method::{FullDomainMethod, TableKind};
use crate::noise::{NoiseModel, log2_sum};

/// A decision, to which the input contributes a multiple of its noise.
#[derive(Clone, Copy, Debug)]
struct InputDecision {
    /// Law of the phase's noise at the decision, for an input without noise.
    fixed: NoiseLaw,
    /// Factor of the input's noise.
    gain: f64,
    /// Largest error for which the decision is right.
    margin: f64,
}

impl InputDecision {
    /// Returns log2 of the probability that the decision goes wrong.
    fn log2_fail(&self, input: NoiseBound) -> f64 {
        let input = NoiseBound::of_law(input.law().times(self.gain), self.gain * input.bias());
        NoiseBound::of_law(self.fixed, 0.0).with_independent(input).log2_exceeds(self.margin)
    }
}

/// Noise of lookups, for the worst table with given input and output moduli.
///
/// ```
/// use cryptable_fhew::full_domain::{FdfbCompress, LookupNoise};
/// use cryptable_fhew::noise::NoiseModel;
/// use cryptable_fhew::parameters::Parameters;
/// let noise = LookupNoise::new(&FdfbCompress, &NoiseModel::new(&Parameters::default_128()), 16, 16);
/// assert!(noise.log2_fail(noise.fresh()) <= noise.log2_fail(noise.fresh().times(2)));
/// assert!(noise.log2_fail(noise.result()) <= -64.0);
/// ```
#[derive(Clone, Debug)]
pub struct LookupNoise {
    decisions: Vec<InputDecision>,
    fresh: NoiseBound,
    result: NoiseBound,
    output_modulus: u64,
}

impl LookupNoise {
    /// Predicts the noise of a method under the parameters of a noise model.
    #[must_use]
    pub fn new(
        method: &dyn FullDomainMethod,
        model: &NoiseModel,
        input_modulus: u64,
        output_modulus: u64,
    ) -> Self {
        let table = TableKind::Worst { input_modulus, output_modulus };
        let without = method.noise(model, table, NoiseLaw::ZERO);
        let with = method.noise(model, table, NoiseLaw::gaussian(1.0));
        let decisions = without.decisions.iter().zip(&with.decisions).map(|(without, with)| {
            let gain = (with.noise.variance() - without.noise.variance()).max(0.0).sqrt();
            InputDecision { fixed: without.noise, gain, margin: without.margin }
        });
        let fresh = NoiseBound::fresh(model.parameters().lwe_modulus() as f64, input_modulus);
        // Outputs are multiples of Q/P or Q/2P, rounded once: half a unit of Q, up to 2P times.
        let bias = output_modulus as f64 / model.parameters().prime() as f64;
        let result = NoiseBound::of_law(without.output, bias);
        // No ciphertext claims less noise than a fresh one.
        let floor = NoiseBound::new(fresh.deviation(), 0.0);
        Self { decisions: decisions.collect(), fresh, result: result.max(floor), output_modulus }
    }

    /// Returns the noise of fresh values of the input modulus.
    #[must_use]
    pub fn fresh(&self) -> NoiseBound {
        self.fresh
    }

    /// Returns the noise of results, which does not depend on that of the inputs.
    #[must_use]
    pub fn result(&self) -> NoiseBound {
        self.result
    }

    /// Returns log2 of the probability that a lookup of an input with this noise goes wrong, including decryption of the
    /// result.
    #[must_use]
    pub fn log2_fail(&self, input: NoiseBound) -> f64 {
        let tails = self.decisions.iter().map(|decision| decision.log2_fail(input));
        log2_sum(tails.chain([self.result.log2_fail(self.output_modulus)]))
    }

    /// Returns log2 of the failure probability for inputs that are fresh or results.
    #[must_use]
    pub fn log2_fail_of_results(&self) -> f64 {
        self.log2_fail(self.fresh.max(self.result))
    }
}

/// Returns log2 of the failure probability of a lookup whose input is a result of the same method, for the worst table:
/// lookups can follow each other without end.
#[must_use]
pub fn log2_fail(
    method: &dyn FullDomainMethod,
    model: &NoiseModel,
    input_modulus: u64,
    output_modulus: u64,
) -> f64 {
    LookupNoise::new(method, model, input_modulus, output_modulus).log2_fail_of_results()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::full_domain::{methods, methods_for};
    use crate::parameters::Parameters;

    /// The stored linear form of a method agrees with the method for any noise of the input.
    #[test]
    fn decisions_are_linear_in_the_input_and_results_independent_of_it() {
        let model = NoiseModel::new(&Parameters::default_128());
        for (p, all) in [(16, methods()), (15, methods_for(15))] {
            let table = TableKind::Worst { input_modulus: p, output_modulus: 16 };
            for method in all {
                let noise = LookupNoise::new(*method, &model, p, 16);
                for factor in [0.0, 1.0, 10.0, 1e4] {
                    let input = NoiseBound::new(factor * noise.fresh.deviation(), 0.0);
                    let exact = method.noise(&model, table, input.law());
                    let found = noise.log2_fail(input);
                    let expected = exact.log2_fail(16);
                    // The rounding bias of the result reduces its margin a little.
                    let tolerance = 1e-3 * expected.abs().max(1.0);
                    assert!((found - expected).abs() < tolerance, "{}: {found}", method.name());
                    assert_eq!(exact.output, method.noise(&model, table, NoiseLaw::ZERO).output);
                }
            }
        }
    }
}

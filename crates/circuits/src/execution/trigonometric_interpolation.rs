//! Trigonometric interpolation of functions of sums of bits, as half bootstraps evaluate them, for simulated bits.

use std::f64::consts::TAU;

use cryptable_bits::SumGate;

/// Number of points between two sums at which derivatives are computed.
const GRID: usize = 32;

/// A function of period m with outputs at 0, 1, ….
pub(super) struct Interpolation {
    outputs: Vec<bool>,
}

impl Interpolation {
    /// Several functions of a sum of k bits: of period 2 if all are parities, of period k + 1 otherwise.
    pub(super) fn of_gates(gates: &[SumGate]) -> Vec<Self> {
        let is_parity = |gate: &SumGate| gate.outputs().windows(2).all(|pair| pair[0] != pair[1]);
        let all_parities = gates.iter().all(is_parity);
        let interpolation = |gate: &SumGate| {
            let points = if all_parities { 2 } else { gate.outputs().len() };
            Self { outputs: gate.outputs()[..points].to_vec() }
        };
        gates.iter().map(interpolation).collect()
    }

    pub(super) fn new(outputs: &[bool]) -> Self {
        Self { outputs: outputs.to_vec() }
    }

    /// `Σ_l f(l)·K(x - l)` with Dirichlet's kernel K.
    pub(super) fn at(&self, x: f64) -> f64 {
        let m = self.outputs.len();
        let cosine = |k: usize, t: f64| (TAU * k as f64 * t / m as f64).cos();
        let kernel = |t: f64| {
            let pairs = (1..m.div_ceil(2)).map(|k| 2.0 * cosine(k, t)).sum::<f64>();
            let middle = if m.is_multiple_of(2) { cosine(m / 2, t) } else { 0.0 };
            (1.0 + pairs + middle) / m as f64
        };
        let ones = self.outputs.iter().enumerate().filter(|(_, output)| **output);
        ones.map(|(l, _)| kernel(x - l as f64)).sum()
    }

    /// The largest slope at a sum, and half of the largest second derivative.
    pub(super) fn derivatives(&self) -> (f64, f64) {
        let h = 1.0 / GRID as f64;
        let points = self.outputs.len() * GRID;
        let slope = |k: usize| {
            let x = k as f64;
            ((self.at(x + 1e-5) - self.at(x - 1e-5)) / 2e-5).abs()
        };
        let second = |k: usize| {
            let x = k as f64 * h;
            ((self.at(x + h) - 2.0 * self.at(x) + self.at(x - h)) / (h * h)).abs()
        };
        let slope = (0..self.outputs.len()).map(slope).fold(0.0, f64::max);
        // Differences on a grid are slightly smaller than the derivative.
        (slope, 1.05 * (0..points).map(second).fold(0.0, f64::max) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_and_slopes_are_those_of_the_paper() {
        let full_adder = [SumGate::parity(3).unwrap(), SumGate::at_least(2, 3).unwrap()];
        let functions = Interpolation::of_gates(&full_adder);
        for (gate, function) in full_adder.iter().zip(&functions) {
            for (sum, &output) in gate.outputs().iter().enumerate() {
                let expected = f64::from(u8::from(output));
                assert!((function.at(sum as f64) - expected).abs() < 1e-12);
            }
        }
        assert!(functions[0].derivatives().0 < 1e-9, "parities clean");
        // Lemma 2 of Bae, Cheon, Kim, Stehlé: 2√3π/9.
        let (slope, _) = Interpolation::new(&[true, true, false]).derivatives();
        assert!((slope - 2.0 * 3f64.sqrt() * TAU / 18.0).abs() < 1e-6);
    }
}

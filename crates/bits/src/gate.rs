//! Gates on bits, and the waves that evaluate them while bootstrapping: Table 4 of Bae, Cheon, Kim, Stehlé (EUROCRYPT
//! 2024, ePrint 2024/767).

use std::f64::consts::TAU;
use std::fmt;

/// A symmetric gate of two bits: a function of their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// Both bits.
    And,
    /// At least one bit.
    Or,
    /// Exactly one bit.
    Xor,
    /// Not both bits.
    Nand,
    /// No bit.
    Nor,
    /// Both or none.
    Xnor,
}

impl Gate {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::And, Self::Or, Self::Xor, Self::Nand, Self::Nor, Self::Xnor];

    /// Its outputs where the sum of the bits is 0, 1 and 2.
    ///
    /// ```
    /// use cryptable_bits::Gate;
    /// assert_eq!(Gate::Nand.outputs(), [true, true, false]);
    /// ```
    #[must_use]
    pub const fn outputs(self) -> [bool; 3] {
        match self {
            Self::And => [false, false, true],
            Self::Or => [false, true, true],
            Self::Xor => [false, true, false],
            Self::Nand => [true, true, false],
            Self::Nor => [true, false, false],
            Self::Xnor => [true, false, true],
        }
    }

    /// What it makes of two bits.
    #[must_use]
    pub const fn evaluate(self, x: bool, y: bool) -> bool {
        self.outputs()[x as usize + y as usize]
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Xor => "XOR",
            Self::Nand => "NAND",
            Self::Nor => "NOR",
            Self::Xnor => "XNOR",
        })
    }
}

/// `f(t) = constant + amplitude·cos(2πt + phase)`: a function of period 1, which removes the overflow, with wanted
/// values at 0, 1/m, 2/m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// The mean.
    pub constant: f64,
    /// The amplitude, positive.
    pub amplitude: f64,
    /// The phase in radians, within [-π, π].
    pub phase: f64,
}

impl Wave {
    /// BinBoot: `(1 - cos 2πt)/2` is φ at t = φ/2, with slope 0 there, so that errors are squared.
    #[must_use]
    pub fn bin_boot() -> Self {
        Self { constant: 0.5, amplitude: 0.5, phase: TAU / 2.0 }
    }

    /// GateBoot: `f((x + y)/3) = G(x, y)`, the trigonometric interpolation of degree 1 of three points.
    #[must_use]
    pub fn gate_boot(gate: Gate) -> Self {
        let [f0, f1, f2] = gate.outputs().map(|bit| f64::from(u8::from(bit)));
        // f(t) = c + a·cos 2πt + b·sin 2πt.
        let constant = (f0 + f1 + f2) / 3.0;
        let cosine = (2.0 * f0 - f1 - f2) / 3.0;
        let sine = (f1 - f2) / 3f64.sqrt();
        Self { constant, amplitude: cosine.hypot(sine), phase: (-sine).atan2(cosine) }
    }

    /// Its value.
    #[must_use]
    pub fn value(&self, t: f64) -> f64 {
        self.constant + self.amplitude * (TAU * t + self.phase).cos()
    }

    /// The most that it amplifies an error of t, to first order, at the points `0, 1/m, …, (m - 1)/m`.
    #[must_use]
    pub fn slope(&self, m: u64) -> f64 {
        let at = |k: u64| (TAU * k as f64 / m as f64 + self.phase).sin().abs();
        TAU * self.amplitude * (0..m).map(at).fold(0.0, f64::max)
    }

    /// The most that it amplifies a squared error of t: half its largest second derivative.
    #[must_use]
    pub fn curvature(&self) -> f64 {
        TAU * TAU * self.amplitude / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_have_the_outputs_of_their_gates() {
        for t in [-3.0, 0.0, 5.0] {
            for bit in [0.0, 1.0] {
                assert!((Wave::bin_boot().value(t + bit / 2.0) - bit).abs() < 1e-12);
            }
            for gate in Gate::ALL {
                let wave = Wave::gate_boot(gate);
                for (sum, output) in gate.outputs().into_iter().enumerate() {
                    let expected = f64::from(u8::from(output));
                    assert!((wave.value(t + sum as f64 / 3.0) - expected).abs() < 1e-12, "{gate}");
                }
            }
        }
    }

    #[test]
    fn errors_grow_as_the_lemmas_say() {
        // Lemma 1: π²/4·ε², ε = 2δ. Lemma 2: 2√3π/9·|ε| + 2π²/27·ε², ε = 3δ, for δ the error of t.
        let binary = Wave::bin_boot();
        assert!(binary.slope(2) < 1e-12);
        assert!((binary.curvature() - TAU * TAU / 4.0).abs() < 1e-12);
        for gate in Gate::ALL {
            let wave = Wave::gate_boot(gate);
            assert!((wave.slope(3) - 3f64.sqrt() * TAU / 3.0).abs() < 1e-12, "{gate}");
            assert!((wave.amplitude - 2.0 / 3.0).abs() < 1e-12);
        }
    }
}

//! Bits as real numbers near 0 and 1, with levels and Gaussian noise, without encryption: shows whether a schedule keeps
//! to levels and noise as it says.

use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use cryptable_bits::Gate;
use cryptable_lattice::cost::Work;
use cryptable_lattice::gaussian_tail::gaussian_tail_log2;
use cryptable_lattice::{Error, Result};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};

use super::engine::BitEngine;
use crate::schedule::{BitModel, Task};

/// Numbers of a simulated engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedParameters {
    /// Bits of a value.
    pub slots: usize,
    /// Gates in a row after a bootstrap.
    pub levels: usize,
    /// Deviation of fresh bits, and what every operation adds.
    pub deviation: f64,
    /// Deviation of the input of a bootstrap, before its function.
    pub boot_deviation: f64,
    /// log2 of the largest failure probability a bit.
    pub log2_fail: f64,
}

/// A deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedNoise(f64);

// A deviation is never NaN, nor a negative zero.
impl Eq for SimulatedNoise {}

impl Hash for SimulatedNoise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Half the largest second derivative of BinBoot as a function of a sum.
const BIN_BOOT_CURVATURE: f64 = std::f64::consts::PI * std::f64::consts::PI / 4.0;
/// The largest slope of GateBoot as a function of a sum: 2√3π/9.
const GATE_BOOT_SLOPE: f64 = 1.21;
/// Noise that is squared is taken at this multiple of its deviation.
const TAIL: f64 = 10.0;

impl SimulatedParameters {
    /// Of a sum at the bottom, before a bootstrap: deviations add up, since bits may depend on each other.
    fn boot_input(&self, summands: &[SimulatedNoise]) -> f64 {
        summands.iter().map(|noise| noise.0).sum::<f64>().hypot(self.boot_deviation)
    }

    /// A squared error is bounded as if it had this deviation.
    fn squared(&self, factor: f64, deviation: f64) -> SimulatedNoise {
        SimulatedNoise((factor * TAIL * deviation * deviation).hypot(self.deviation))
    }
}

impl BitModel for SimulatedParameters {
    type Noise = SimulatedNoise;

    fn slots(&self) -> usize {
        self.slots
    }

    fn levels_after_bootstrap(&self) -> usize {
        self.levels
    }

    fn cleaning_levels(&self) -> usize {
        2
    }

    fn fresh_noise(&self) -> SimulatedNoise {
        SimulatedNoise(self.deviation)
    }

    fn noise_after_lowering(&self, x: SimulatedNoise) -> SimulatedNoise {
        x
    }

    fn noise_after_gates(
        &self,
        gates: &[Gate],
        x: SimulatedNoise,
        y: SimulatedNoise,
    ) -> Vec<SimulatedNoise> {
        let product = 2.0 * TAIL * x.0 * y.0;
        vec![SimulatedNoise((x.0 + y.0 + product).hypot(self.deviation)); gates.len()]
    }

    fn noise_after_union(&self, x: SimulatedNoise, y: SimulatedNoise) -> SimulatedNoise {
        SimulatedNoise(x.0 + y.0)
    }

    fn noise_after_cleaning(&self, x: SimulatedNoise) -> SimulatedNoise {
        self.squared(3.0, x.0)
    }

    fn noise_after_bin_boot(&self, summands: &[SimulatedNoise]) -> SimulatedNoise {
        self.squared(BIN_BOOT_CURVATURE, self.boot_input(summands))
    }

    fn noise_after_gate_boot(
        &self,
        _gate: Gate,
        x: SimulatedNoise,
        y: SimulatedNoise,
    ) -> SimulatedNoise {
        let input = self.boot_input(&[x, y]);
        SimulatedNoise(GATE_BOOT_SLOPE * input + self.squared(BIN_BOOT_CURVATURE, input).0)
    }

    fn noise_after_cleaning_gate_boot(
        &self,
        _gate: Gate,
        x: SimulatedNoise,
        y: SimulatedNoise,
    ) -> SimulatedNoise {
        self.squared(3.0, self.noise_after_gate_boot(Gate::And, x, y).0)
    }

    fn log2_fail(&self, noise: SimulatedNoise) -> f64 {
        gaussian_tail_log2(0.5 / noise.0)
    }

    fn deviation(&self, noise: SimulatedNoise) -> f64 {
        noise.0
    }

    fn log2_fail_limit(&self) -> f64 {
        self.log2_fail
    }

    fn work(&self, task: Task) -> Work {
        let transforms = match task {
            Task::Gates { levels } => 1.0 + levels as f64,
            Task::Cleaning { levels } => 2.0 * (1.0 + levels as f64),
            Task::Bootstrap => 200.0,
        };
        Work { transforms, ..Work::default() }
    }

    fn ciphertext_bytes(&self, levels: usize) -> usize {
        16 * self.slots * (levels + 2)
    }

    fn working_bytes(&self) -> usize {
        0
    }

    fn key_bytes(&self) -> usize {
        0
    }
}

/// Simulated bits: numbers near 0 and 1, and levels that are left.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedBits {
    /// The numbers.
    pub values: Vec<f64>,
    /// Levels.
    pub levels: usize,
}

/// A simulated engine.
#[derive(Debug)]
pub struct SimulatedKey {
    parameters: SimulatedParameters,
    rng: Mutex<ChaCha20Rng>,
}

impl SimulatedKey {
    /// An engine of these numbers.
    #[must_use]
    pub fn new(parameters: SimulatedParameters, seed: u64) -> Self {
        Self { parameters, rng: Mutex::new(ChaCha20Rng::seed_from_u64(seed)) }
    }

    /// Fresh bits.
    #[must_use]
    pub fn encrypt(&self, bits: &[bool]) -> SimulatedBits {
        let values = bits.iter().map(|&bit| f64::from(u8::from(bit))).collect();
        self.noisy(values, self.parameters.deviation, self.parameters.levels)
    }

    fn noisy(&self, mut values: Vec<f64>, deviation: f64, levels: usize) -> SimulatedBits {
        let mut rng = self.rng.lock().expect("no panic under lock");
        for value in &mut values {
            let noise: f64 = StandardNormal.sample(&mut *rng);
            *value += deviation * noise;
        }
        SimulatedBits { values, levels }
    }

    fn take_levels(bits: &[&SimulatedBits], needed: usize) -> Result<usize> {
        let left = bits.iter().map(|bits| bits.levels).min().unwrap_or(0);
        left.checked_sub(needed).ok_or(Error::TooSmall {
            name: "number of levels left",
            value: left as u64,
            limit: needed as u64,
        })
    }

    /// A function of the sum of bits, bootstrapped.
    fn boot(&self, summands: &[&SimulatedBits], function: impl Fn(f64) -> f64) -> SimulatedBits {
        let sums: Vec<f64> = (0..summands[0].values.len())
            .map(|k| summands.iter().map(|bits| bits.values[k]).sum())
            .collect();
        let input = self.noisy(sums, self.parameters.boot_deviation, 0);
        let values = input.values.into_iter().map(function).collect();
        self.noisy(values, self.parameters.deviation, self.parameters.levels)
    }
}

fn clean(x: f64) -> f64 {
    x * x * (3.0 - 2.0 * x)
}

impl BitEngine for SimulatedKey {
    type Bits = SimulatedBits;

    fn not(&self, x: &SimulatedBits) -> Result<SimulatedBits> {
        let values = x.values.iter().map(|x| 1.0 - x).collect();
        Ok(SimulatedBits { values, levels: x.levels })
    }

    fn union(&self, x: &SimulatedBits, y: &SimulatedBits) -> Result<SimulatedBits> {
        let values = x.values.iter().zip(&y.values).map(|(x, y)| x + y).collect();
        Ok(SimulatedBits { values, levels: x.levels.min(y.levels) })
    }

    fn gates(
        &self,
        gates: &[Gate],
        x: &SimulatedBits,
        y: &SimulatedBits,
    ) -> Result<Vec<SimulatedBits>> {
        let levels = Self::take_levels(&[x, y], 1)?;
        let gate = |gate: &Gate| {
            let at = |x, y| f64::from(u8::from(gate.evaluate(x, y)));
            let corners = [at(false, false), at(true, false), at(false, true), at(true, true)];
            let values = x.values.iter().zip(&y.values).map(|(x, y)| {
                let weights = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
                weights.iter().zip(corners).map(|(weight, corner)| weight * corner).sum()
            });
            self.noisy(values.collect(), self.parameters.deviation, levels)
        };
        Ok(gates.iter().map(gate).collect())
    }

    fn clean(&self, x: &SimulatedBits) -> Result<SimulatedBits> {
        let levels = Self::take_levels(&[x], 2)?;
        let values = x.values.iter().map(|&x| clean(x)).collect();
        Ok(self.noisy(values, self.parameters.deviation, levels))
    }

    fn bin_boot(&self, summands: &[&SimulatedBits]) -> Result<SimulatedBits> {
        Ok(self.boot(summands, |sum| (1.0 - (std::f64::consts::PI * sum).cos()) / 2.0))
    }

    fn gate_boot(
        &self,
        gate: Gate,
        x: &SimulatedBits,
        y: &SimulatedBits,
        cleaning: bool,
    ) -> Result<SimulatedBits> {
        let (_, [not_x, not_y]) = gate.symmetric_form();
        let (x, y) = (
            if not_x { self.not(x)? } else { x.clone() },
            if not_y { self.not(y)? } else { y.clone() },
        );
        // The trigonometric interpolation of degree 1 of three points, by its kernel (1 + 2·cos)/3.
        let outputs = gate.outputs().map(|bit| f64::from(u8::from(bit)));
        let wave = |sum: f64| -> f64 {
            let kernel = |t: f64| (1.0 + 2.0 * (std::f64::consts::TAU * t / 3.0).cos()) / 3.0;
            outputs.iter().enumerate().map(|(k, output)| output * kernel(sum - k as f64)).sum()
        };
        let mut result =
            self.boot(&[&x, &y], |sum| if cleaning { clean(wave(sum)) } else { wave(sum) });
        result.levels -= usize::from(cleaning);
        Ok(result)
    }
}

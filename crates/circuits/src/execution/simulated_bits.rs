//! Simulation of bits as real numbers near 0 and 1, with levels and Gaussian noise but without encryption: shows
//! whether a schedule keeps to its levels and noise.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use cryptable_bits::{BitTable, Gate, SumGate};
use cryptable_lattice::cost::Work;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, Result};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};

use super::engine::BitEngine;
use super::trigonometric_interpolation::Interpolation;
use crate::schedule::{BitModel, Task};

/// Parameters of a simulated engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedParameters {
    /// Number of bits of a value.
    pub slots: usize,
    /// Number of gates in a row after a bootstrap.
    pub levels: usize,
    /// Deviation of fresh bits, and of the noise that every operation adds.
    pub deviation: f64,
    /// Deviation of the input of a bootstrap, before its function.
    pub boot_deviation: f64,
    /// log2 of the largest failure probability per bit.
    pub log2_fail: f64,
}

/// Standard deviation of a simulated bit from 0 or 1.
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
/// Multiple of the deviation at which noise is squared.
const TAIL: f64 = 11.5;

impl SimulatedParameters {
    /// Noise of a sum before a bootstrap. Deviations add up, since bits may depend on each other.
    fn boot_input(&self, summands: &[SimulatedNoise]) -> f64 {
        summands.iter().map(|noise| noise.0).sum::<f64>().hypot(self.boot_deviation)
    }

    /// Noise of a squared error, bounded as if it had this deviation.
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

    fn noise_after_tables(
        &self,
        tables: &[BitTable],
        inputs: &[SimulatedNoise],
        _levels: usize,
    ) -> Vec<SimulatedNoise> {
        // Assumes that outputs change with every input; a difference of two bits is at most 2.
        let sum: f64 = inputs.iter().map(|noise| noise.0).sum();
        let products = TAIL * sum * sum;
        vec![SimulatedNoise((sum + products).hypot(self.deviation)); tables.len()]
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

    fn noise_after_sum_boot(
        &self,
        gates: &[SumGate],
        summands: &[SimulatedNoise],
    ) -> Option<Vec<SimulatedNoise>> {
        let input = self.boot_input(summands);
        let noise = |function: Interpolation| {
            let (slope, curvature) = function.derivatives();
            SimulatedNoise(slope * input + self.squared(curvature, input).0)
        };
        let functions = Interpolation::of_gates(gates).into_iter();
        (self.levels >= self.levels_of_sum_boot(gates)).then(|| functions.map(noise).collect())
    }

    fn levels_of_sum_boot(&self, gates: &[SumGate]) -> usize {
        usize::from(gates.len() > 1)
    }

    fn log2_fail(&self, noise: SimulatedNoise) -> f64 {
        NoiseLaw::gaussian(noise.0.powi(2)).log2_exceeds(0.5)
    }

    fn largest_error(&self, noise: SimulatedNoise) -> f64 {
        TAIL * noise.0
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
            Task::Tables { inputs, count, levels, .. } => {
                (inputs + count) as f64 * (1.0 + levels as f64)
            }
            Task::Cleaning { levels } => 2.0 * (1.0 + levels as f64),
            Task::Lowering { levels } => 0.2 * (1.0 + levels as f64),
            Task::Bootstrap => 200.0,
            Task::SumBoot(gates) => 200.0 + 5.0 * gates.len() as f64,
        };
        Work { transforms, ..Work::default() }
    }

    fn ciphertext_bytes(&self, levels: usize) -> usize {
        16 * self.slots * (levels + 2)
    }

    fn working_bytes(&self) -> usize {
        0
    }

    fn key_bytes(&self, _moduli: &BTreeSet<u64>) -> usize {
        0
    }
}

/// Simulated bits: numbers near 0 and 1, and levels that are left.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedBits {
    /// A number near 0 or 1 for every bit.
    pub values: Vec<f64>,
    /// Levels left.
    pub levels: usize,
}

/// The key of a simulated engine.
#[derive(Debug)]
pub struct SimulatedKey {
    parameters: SimulatedParameters,
    rng: Mutex<ChaCha20Rng>,
}

impl SimulatedKey {
    /// Makes an engine with these parameters.
    #[must_use]
    pub fn new(parameters: SimulatedParameters, seed: u64) -> Self {
        Self { parameters, rng: Mutex::new(ChaCha20Rng::seed_from_u64(seed)) }
    }

    /// Returns fresh bits with `levels` levels.
    #[must_use]
    pub fn encrypt(&self, bits: &[bool], levels: usize) -> SimulatedBits {
        let values = bits.iter().map(|&bit| f64::from(u8::from(bit))).collect();
        self.noisy(values, self.parameters.deviation, levels)
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

    fn tables(
        &self,
        tables: &[BitTable],
        inputs: &[&SimulatedBits],
        levels: usize,
    ) -> Result<Vec<SimulatedBits>> {
        let needed = levels + tables.first().map_or(0, BitTable::levels);
        Self::take_levels(inputs, needed)?;
        let slots = inputs[0].values.len();
        // The multilinear extension: a tree of real multiplexers.
        let extension = |table: &BitTable, slot: usize| {
            let mut values: Vec<f64> = table.outputs().map(|y| f64::from(u8::from(y))).collect();
            for input in inputs {
                let select = input.values[slot];
                values = values.chunks(2).map(|v| v[0] + (v[1] - v[0]) * select).collect();
            }
            values[0]
        };
        let of_table = |table: &BitTable| {
            let values = (0..slots).map(|slot| extension(table, slot)).collect();
            self.noisy(values, self.parameters.deviation, levels)
        };
        Ok(tables.iter().map(of_table).collect())
    }

    fn lower(&self, x: &SimulatedBits, levels: usize) -> Result<SimulatedBits> {
        Self::take_levels(&[x], levels)?;
        Ok(SimulatedBits { values: x.values.clone(), levels })
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
        let function = Interpolation::new(&gate.outputs());
        let output = |sum: f64| function.at(sum);
        let mut result =
            self.boot(&[&x, &y], |sum| if cleaning { clean(output(sum)) } else { output(sum) });
        result.levels -= usize::from(cleaning);
        Ok(result)
    }

    fn sum_boot(
        &self,
        gates: &[SumGate],
        summands: &[&SimulatedBits],
    ) -> Result<Vec<SimulatedBits>> {
        let levels = self.parameters.levels_of_sum_boot(gates);
        let result = |function: Interpolation| {
            let result = self.boot(summands, |sum| function.at(sum));
            SimulatedBits { levels: result.levels - levels, ..result }
        };
        Ok(Interpolation::of_gates(gates).into_iter().map(result).collect())
    }
}

//! Counts of every part of a lookup, beside its time: `bench akp --stages`.
//!
//! Counts come from the dry run. `arithmetic_units` is the time of the counted transforms and products on data in the cache, at
//! the speed of this machine. `memory_units` is the time to read keys and encoded matrices from memory, once per use. An
//! evaluation that overlapped both perfectly, and moved no other data, would take the larger of the two.

use std::time::{Duration, Instant};

use cryptable::engines::packed::{Counts, Parameters};
use cryptable_lattice::cost::CostModel;
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Buffer, Ring};
use serde::Serialize;

/// Bytes of a word.
const WORD_BYTES: usize = 8;

/// One part of a lookup.
#[derive(Debug, Serialize)]
pub struct Stage {
    pub stage: String,
    pub seconds: f64,
    /// Measured time, in u.
    pub units: f64,
    pub transforms: usize,
    pub limb_products: usize,
    pub combination_products: usize,
    pub table_products: usize,
    pub key_switches: usize,
    /// Bytes of keys and encoded matrices that are read.
    pub streamed_bytes: usize,
    /// Time of transforms and products on data in the cache, in u.
    pub arithmetic_units: f64,
    /// Time to read the streamed bytes, in u.
    pub memory_units: f64,
}

/// Seconds per counted operation and byte, for a ring degree.
#[derive(Debug)]
pub struct Speeds {
    degree: usize,
    unit: f64,
    transform: f64,
    product: f64,
    table_product: f64,
    byte: f64,
}

impl Speeds {
    /// Measures this machine, on one thread.
    pub fn measure(degree: usize, unit: f64) -> std::io::Result<Self> {
        let model = CostModel::measure()?;
        let size = degree as f64 / 65536.0;
        Ok(Self {
            degree,
            unit,
            transform: transform_seconds(degree),
            product: model.combination_product * size,
            table_product: model.table_product * size,
            byte: model.key_byte,
        })
    }

    /// Returns a part with its time and counts.
    fn stage(&self, name: &str, time: Duration, counts: Counts) -> Stage {
        // Base conversions count as products of limbs, as in earlier lines.
        let limb_products = counts.limb_products + counts.conversion_products;
        let products = limb_products + counts.combination_products;
        let arithmetic = self.transform * counts.transforms as f64
            + self.product * products as f64
            + self.table_product * counts.table_products as f64;
        let streamed_bytes = counts.streamed_limbs * self.degree * WORD_BYTES;
        Stage {
            stage: name.into(),
            seconds: time.as_secs_f64(),
            units: time.as_secs_f64() / self.unit,
            transforms: counts.transforms,
            limb_products,
            combination_products: counts.combination_products,
            table_products: counts.table_products,
            key_switches: counts.key_switches,
            streamed_bytes,
            arithmetic_units: arithmetic / self.unit,
            memory_units: self.byte * streamed_bytes as f64 / self.unit,
        }
    }
}

/// Returns the least time of a forward transform by the engines' own kernels, on data in the cache.
fn transform_seconds(degree: usize) -> f64 {
    let ring = Ring::new(degree, &ntt_primes(degree, 49.0, 1, &[]), &[]);
    let mut words = Buffer::zeroed(degree);
    let mut once = || {
        let start = Instant::now();
        ring.table(0).forward_assign(&mut words);
        start.elapsed().as_secs_f64()
    };
    (0..32).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Lists all parts of a lookup in `tables` tables with these times; the last part is their sum.
pub fn stages(
    speeds: &Speeds,
    parameters: &Parameters,
    tables: usize,
    times: &[(&'static str, Duration)],
) -> Vec<Stage> {
    let counts = parameters.stage_counts(tables);
    let of = |name| counts.iter().find(|(other, _)| *other == name).map(|(_, counts)| *counts);
    let stage = |&(name, time)| speeds.stage(name, time, of(name).unwrap_or_default());
    let mut stages: Vec<Stage> = times.iter().map(stage).collect();
    let time = times.iter().map(|(_, time)| *time).sum();
    stages.push(speeds.stage("all", time, parameters.operation_counts(tables)));
    stages
}

/// Prints a human-readable table.
pub fn print(stages: &[Stage]) {
    println!(
        "{:<18} {:>9} {:>10} {:>8} {:>10} {:>9} {:>8} {:>13} {:>8}",
        "stage",
        "time, u",
        "transforms",
        "switches",
        "products",
        "table",
        "GB read",
        "arithmetic, u",
        "memory, u"
    );
    for stage in stages {
        println!(
            "{:<18} {:>9.0} {:>10} {:>8} {:>10} {:>9} {:>8.2} {:>13.0} {:>8.0}",
            stage.stage,
            stage.units,
            stage.transforms,
            stage.key_switches,
            stage.limb_products + stage.combination_products,
            stage.table_products,
            stage.streamed_bytes as f64 / 1e9,
            stage.arithmetic_units,
            stage.memory_units
        );
    }
}

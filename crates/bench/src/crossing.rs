//! `bench crossing`: from how many single values on packing them for a lookup is faster than one by one.

use clap::Args;
use cryptable::engines::{bridged, packed, single};
use cryptable::{CostModel, Progress, Result, Table};
use cryptable_lattice::lwe_encryption::phase;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, UnitSampler, median, timed, try_timed};
use crate::memory;

const SILENT: Progress<'static> = Progress::silent();

/// Number of values of the shorter of two packed lookups, unless a ciphertext holds few more.
const FEW: usize = 128;

/// Number of values that are looked up one by one.
const SINGLE: usize = 16;

/// Arguments of `bench crossing`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench crossing --p 16 --slots 256"
)]
pub struct CrossingArguments {
    /// Modulus of inputs and outputs.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(2..=64))]
    p: u64,
    /// Slots of a packed ciphertext, a power of two [default: all slots of the ring].
    #[arg(long)]
    slots: Option<usize>,
    /// Lookups to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random values and the table.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// INSECURE parameters of small rings, for tests.
    #[arg(long, hide = true)]
    insecure_toy: bool,
}

/// A line: times of a packed lookup of a full ciphertext of fresh values, conversions included. Noise is that of its results
/// after extraction.
#[derive(Debug, Serialize)]
struct CrossingRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Number of values from which on packing is faster: `fixed/(single - value)`; `None` if it never is.
    crossing: Option<u64>,
    /// The same number by the default cost model.
    predicted_crossing: Option<u64>,
    /// Time of a packed lookup in u, without the part that depends on the number of values.
    fixed_units: f64,
    /// Additional time per value, in u.
    units_per_value: f64,
    /// Time of a single lookup with the fastest parameters, in u.
    single_units: f64,
    /// Time of that lookup that the default cost model predicts, in u.
    predicted_single_units: f64,
    /// Time of a single lookup with the parameters of values that may be packed, in u.
    bridged_single_units: f64,
    /// Time of a packed lookup of `crossing` values, and of `crossing` single lookups, in u: they should be equal.
    units_at_crossing: Option<[f64; 2]>,
}

/// Runs the benchmark.
pub fn run(arguments: &CrossingArguments, json: bool) -> anyhow::Result<()> {
    let record = measure(arguments)?;
    print_line(&record, json)
}

/// Returns the parameters of both ways: packed, and the fastest ones for single lookups.
fn parameters(arguments: &CrossingArguments) -> Result<(bridged::Parameters, single::Parameters)> {
    let p = arguments.p;
    if arguments.insecure_toy {
        let single = single::Parameters::insecure_toy(p, p)?;
        return Ok((bridged::Parameters::insecure_toy(p, p)?, single));
    }
    let request = packed::Request { count: arguments.slots, ..packed::Request::new(p, p) };
    let bridged = bridged::Parameters::candidates(&request)?.swap_remove(0);
    let single = single::Parameters::candidates(&single::Request::new(p, p))?.swap_remove(0);
    Ok((bridged, single))
}

/// Client, server and table of single values that may be packed.
struct Packed {
    secret: bridged::SecretKey,
    key: bridged::EvaluationKey,
    table: Table,
    prepared: packed::PreparedTable,
    values: Vec<u64>,
    /// Checked results, with errors in half steps.
    checked: Checked,
}

impl Packed {
    /// Returns the median seconds of a lookup of the first `count` values, freshly encrypted each time, conversions included.
    /// Every result is checked.
    fn seconds(&mut self, count: usize, runs: usize, unit: &mut UnitSampler) -> Result<f64> {
        let values = &self.values[..count];
        let expected: Vec<u64> = values.iter().map(|&x| self.table.values()[x as usize]).collect();
        let mut times = Vec::with_capacity(runs);
        for _ in 0..=runs {
            let input = self.secret.encrypt(values)?;
            let (output, time) = timed(|| {
                let packed = self.key.pack(&input)?;
                self.key.unpack(&self.key.packed().lookup(&packed, &self.prepared, SILENT)?)
            });
            let output = output?;
            self.checked.compare(&self.secret.decrypt(&output)?, &expected);
            self.checked.errors(self.errors(&output, &expected));
            times.push(time);
            unit.sample_if_due();
        }
        // The first run does not count, since it uses fresh pages of memory.
        Ok(median(&times[1..]))
    }

    /// Returns the errors of phases, in half steps of the modulus of the values.
    fn errors(&self, found: &single::Ciphertext, expected: &[u64]) -> Vec<f64> {
        let (list, secret) = (found.values(), self.secret.single().fhew().lwe_coefficients());
        let (q, p) = (list.shape().modulus as f64, found.modulus() as f64);
        let error = |(index, &value): (usize, &u64)| {
            let error = phase(secret, &list.ciphertext(index)) as f64 / q - value as f64 / p;
            2.0 * p * (error - error.round())
        };
        expected.iter().enumerate().map(error).collect()
    }
}

/// Seconds of packed lookups.
struct PackedTimes {
    /// Time that does not depend on the number of values.
    fixed: f64,
    /// Additional time per value.
    value: f64,
    /// Time for a full ciphertext.
    full: f64,
}

impl Packed {
    /// Measures lookups of a few values and of all, and returns the straight line through both times.
    fn times(&mut self, runs: usize, unit: &mut UnitSampler) -> Result<PackedTimes> {
        let slots = self.values.len();
        let few = FEW.min(slots / 2);
        let short = self.seconds(few, runs, unit)?;
        let full = self.seconds(slots, runs, unit)?;
        Ok(PackedTimes::through(few, short, slots, full))
    }
}

impl PackedTimes {
    /// Returns the straight line through the seconds of a few values and of all. Neither part is below zero, even if other work
    /// on the machine disturbed the measurement.
    fn through(few: usize, short: f64, slots: usize, full: f64) -> PackedTimes {
        let value = ((full - short) / (slots - few) as f64).max(0.0);
        PackedTimes { fixed: (short - value * few as f64).max(0.0), value, full }
    }

    /// Returns the number of values from which a packed lookup is faster than single ones, which take `single` seconds each;
    /// `None` if it is more than a ciphertext holds.
    fn crossing(&self, single: f64, slots: usize) -> Option<usize> {
        let crossing = (self.fixed / (single - self.value)).ceil();
        (single > self.value && crossing <= slots as f64).then_some((crossing as usize).max(1))
    }
}

/// Returns the median seconds of a lookup of one value.
fn single_seconds(
    secret: &single::SecretKey,
    key: &single::EvaluationKey,
    table: &Table,
    runs: usize,
    unit: &mut UnitSampler,
) -> Result<f64> {
    let values: Vec<u64> = (0..SINGLE as u64).map(|x| x % table.input_modulus()).collect();
    let (input, prepared) = (secret.encrypt(&values)?, key.prepare(table)?);
    let mut times = Vec::with_capacity(runs);
    for _ in 0..=runs {
        let (output, time) = timed(|| key.lookup_many(&input, &[&prepared], SILENT));
        drop(output?);
        times.push(time);
        unit.sample_if_due();
    }
    Ok(median(&times[1..]) / SINGLE as f64)
}

/// Returns the median seconds of a lookup of one value with the fastest parameters, and of key generation.
fn fastest_seconds(
    fastest: &single::Parameters,
    table: &Table,
    runs: usize,
    unit: &mut UnitSampler,
) -> Result<(f64, f64)> {
    let (secret, keygen_s) = timed(|| single::SecretKey::generate(fastest));
    let key = secret.evaluation_key(SILENT)?;
    Ok((single_seconds(&secret, &key, table, runs, unit)?, keygen_s))
}

fn measure(arguments: &CrossingArguments) -> anyhow::Result<CrossingRecord> {
    let (parameters, fastest) = parameters(arguments)?;
    let runs = arguments.runs.max(1);
    let mut unit = UnitSampler::start();
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let table: Vec<u64> = (0..arguments.p).map(|_| rng.random_range(0..arguments.p)).collect();
    let table = Table::new(arguments.p, arguments.p, table)?;
    // Single lookups are measured first, since the keys of both kinds would disturb each other.
    let (single, single_keygen) = fastest_seconds(&fastest, &table, runs, &mut unit)?;

    let mut contract = contract(arguments, &parameters);
    let (secret, keygen_s) = timed(|| bridged::SecretKey::generate(&parameters));
    contract.keygen_s = keygen_s + single_keygen;
    let (key, setup_s) = try_timed(|| secret.evaluation_key(SILENT))?;
    contract.setup_s = setup_s;
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let bridged_single = single_seconds(secret.single(), key.single(), &table, runs, &mut unit)?;
    let slots = parameters.packed().literal().slots;
    let values: Vec<u64> = (0..slots).map(|_| rng.random_range(0..arguments.p)).collect();
    let (fresh, encrypt_s) = timed(|| secret.encrypt(&values[..1]));
    (contract.input_bytes, contract.encrypt_s) = (fresh?.to_bytes().len(), encrypt_s);
    let prepared = key.packed().prepare(&table)?;
    let checked = Checked::default();
    let mut packed = Packed { secret, key, table, prepared, values, checked };
    let times = packed.times(runs, &mut unit)?;
    let crossing = times.crossing(single, slots);
    let at_crossing = crossing.map(|count| packed.seconds(count, runs, &mut unit)).transpose()?;

    contract.eval_rss_bytes = memory::peak_rss();
    contract.peak_rss_bytes = generation_peak.max(contract.eval_rss_bytes);
    contract.eval_key_bytes = packed.key.memory_bytes();
    packed.checked.enter(&mut contract, 1.0);
    let u = unit.finish();
    contract.set_time(times.full, runs, slots, u);
    let model = CostModel::default();
    Ok(CrossingRecord {
        contract,
        crossing: crossing.map(|count| count as u64),
        predicted_crossing: parameters.crossing_against(&model, &fastest.prediction()),
        fixed_units: times.fixed / u,
        units_per_value: times.value / u,
        single_units: single / u,
        predicted_single_units: model.seconds(&fastest.prediction().work) / model.unit(),
        bridged_single_units: bridged_single / u,
        units_at_crossing: at_crossing
            .zip(crossing)
            .map(|(time, count)| [time / u, count as f64 * single / u]),
    })
}

/// Returns the fields that are known before measuring.
fn contract(arguments: &CrossingArguments, parameters: &bridged::Parameters) -> Contract {
    let input = parameters.packed_noise(parameters.single().noise().fresh());
    let noise = parameters.single_noise(parameters.packed().result_noise(input));
    let bits = (arguments.p as f64).log2();
    Contract {
        method: format!("{} of single values", parameters.method_name()),
        table: format!("random:{}", arguments.seed),
        bits_in: bits,
        bits_out: bits,
        modulus_in: arguments.p,
        ring_degree: parameters.ring_degree(),
        output_bytes: parameters.prediction().result_bytes / parameters.packed().literal().slots,
        predicted_noise_std_log2: Some((2.0 * arguments.p as f64 * noise.deviation()).log2()),
        log2_fail: parameters.log2_fail(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn a_toy_is_looked_up_both_ways() {
        let arguments = parsed("--p 4 --runs 1 --insecure-toy");
        let record = measure(&arguments).unwrap();
        check_line(&record);
        let bound = record.contract.predicted_noise_std_log2.unwrap();
        assert!((record.contract.noise_std_log2 - bound).abs() < 1.0, "{record:?}");
        // The fixed time and the time per value are differences of two times, which other work may reduce to nothing.
        assert!(record.single_units > 0.0, "{record:?}");
        assert_eq!(record.crossing.is_some(), record.units_at_crossing.is_some());
    }

    #[test]
    fn lines_through_two_times_cross_single_lookups() {
        let times = PackedTimes::through(16, 2.0625, 1024, 6.0);
        assert_eq!((times.fixed, times.value, times.full), (2.0, 1.0 / 256.0, 6.0));
        // 2 + n / 256 = n / 32.
        assert_eq!(times.crossing(1.0 / 32.0, 1024), Some(74));
        assert_eq!(times.crossing(1.0 / 32.0, 64), None, "more values than a ciphertext holds");
        assert_eq!(times.crossing(1.0 / 256.0, 1024), None, "a value alone is as fast");
        // All values took less time than a few did, because of other work.
        let times = PackedTimes::through(16, 3.0, 1024, 2.0);
        assert_eq!((times.fixed, times.value), (3.0, 0.0));
        assert_eq!(times.crossing(1.0, 1024), Some(3));
    }
}

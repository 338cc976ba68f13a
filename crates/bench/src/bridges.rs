//! `bench bridges`: packed values taken out as integers and as leveled values, functions of them, and ring packing.

use std::borrow::Borrow;

use clap::Args;
use cryptable::bridges::{
    Bridge, ClientKey, Function, Integers, LeveledTable, Plan, Returning, Target,
};
use cryptable::engines::packed;
use cryptable::{CostModel, NoiseBound, Progress, ReadOptions, Request, Result, Table};
use cryptable_conversion::bridges::{EvaluationKeys, SecretKeys};
use cryptable_conversion::power_of_two::from_power_of_two;
use cryptable_conversion::{Clients, ExtractionKey, Secrets};
use cryptable_lattice::lwe_encryption::phase;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_lines};
use crate::measurement::{Runs, root_mean_square, timed};
use crate::memory;

const SILENT: Progress<'static> = Progress::silent();

/// Arguments of `bench bridges`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench bridges --bits 8 --runs 5")]
pub struct BridgesArguments {
    /// Bits of inputs, of outputs, and thus of the values that are processed further.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=16))]
    pub(crate) bits: u32,
    /// Number of values of the packed lookup, all of which are extracted.
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub(crate) values: u32,
    /// Number of extracted values that go through a function and are packed again.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub(crate) functions: u32,
    /// Runs to take the median of.
    #[arg(long, default_value_t = 5)]
    pub(crate) runs: usize,
    /// Seed of the random values and tables.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// INSECURE parameters of small rings, for tests.
    #[arg(long, hide = true)]
    pub(crate) insecure_toy: bool,
}

/// Runs the benchmark.
pub fn run(arguments: &BridgesArguments, json: bool) -> anyhow::Result<()> {
    let mut records = of_integers(arguments)?;
    records.extend(of_leveled_values(arguments)?);
    print_lines(&records, json)
}

/// A line: a step of values between packed and single ones.
#[derive(Clone, Debug, Serialize)]
struct BridgesRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Function of the single values between the two steps.
    function: String,
    /// Time of that function per value, in u.
    function_units_per_value: f64,
    /// Time that the plan predicts with the default cost model.
    predicted_function_units_per_value: f64,
}

/// Client and server, random values, and the fields that all lines share.
pub(crate) struct Session<'a, T: Target> {
    arguments: &'a BridgesArguments,
    pub(crate) secrets: SecretKeys<T>,
    pub(crate) keys: EvaluationKeys<T>,
    pub(crate) values: Vec<u64>,
    /// Outputs of the packed table.
    pub(crate) outputs: Vec<u64>,
    rng: ChaCha20Rng,
    pub(crate) line: Contract,
}

impl<'a, T: Target> Session<'a, T> {
    pub(crate) fn new(arguments: &'a BridgesArguments, plan: &Plan<T>) -> anyhow::Result<Self> {
        let parameters = plan.parameters();
        let secrets = SecretKeys::generate(parameters);
        let mut file = Vec::new();
        let single: &ClientKey<T> = secrets.single().borrow();
        let (written, keygen_s) =
            timed(|| parameters.write_key(secrets.packed(), single, &mut file, SILENT));
        written?;
        let options = ReadOptions::default().allow_insecure();
        let (bridge, setup_s) = timed(|| Bridge::from_bytes(&file, options));
        let packed = secrets.packed().evaluation_key(SILENT)?;
        let single = single.evaluation_key(SILENT)?;
        let keys = EvaluationKeys::new(packed, single.into(), bridge?)?;
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let p = 1u64 << arguments.bits;
        let values = (0..arguments.values).map(|_| rng.random_range(0..p)).collect();
        let outputs = (0..p).map(|_| rng.random_range(0..p)).collect();
        let line = Contract {
            table: format!("random:{}", arguments.seed),
            bits_in: f64::from(arguments.bits),
            bits_out: f64::from(arguments.bits),
            modulus_in: p,
            ring_degree: parameters.packed().ring_degree(),
            setup_s,
            keygen_s,
            eval_key_bytes: keys.bridge().memory_bytes(),
            peak_rss_bytes: memory::peak_rss(),
            log2_fail: plan.log2_fail(),
            security_bits: parameters.security_bits(),
            ..Contract::here()
        };
        Ok(Self { arguments, secrets, keys, values, outputs, rng, line })
    }

    /// Encrypts the values.
    pub(crate) fn encrypt(&self) -> Result<packed::Ciphertext> {
        self.secrets.packed().encrypt(&self.values)
    }

    /// Looks an input up in tables of these outputs.
    pub(crate) fn look_up(
        &self,
        input: &packed::Ciphertext,
        tables: &[Vec<u64>],
        modulus: u64,
    ) -> Result<Vec<packed::Ciphertext>> {
        let p = self.line.modulus_in;
        let server = self.keys.packed();
        let prepare = |table: &Vec<u64>| server.prepare(&Table::new(p, modulus, table.clone())?);
        let prepared = tables.iter().map(prepare).collect::<Result<Vec<_>>>()?;
        server.lookup_many(input, &prepared.iter().collect::<Vec<_>>(), SILENT)
    }

    /// Encrypts the values afresh, and looks them up in tables of these outputs.
    fn looked_up(&mut self, tables: &[Vec<u64>], modulus: u64) -> Result<Vec<packed::Ciphertext>> {
        let (input, encrypt_s) = timed(|| self.encrypt());
        self.line.encrypt_s = encrypt_s;
        self.look_up(&input?, tables, modulus)
    }

    /// Returns the packed lookup's results for the first `count` values.
    pub(crate) fn expected(&self, count: usize) -> Vec<u64> {
        self.values[..count].iter().map(|&x| self.outputs[x as usize]).collect()
    }

    /// Returns the number of values that go through functions.
    pub(crate) fn functions(&self) -> usize {
        self.arguments.functions.min(self.arguments.values) as usize
    }

    /// Repeats a step on `values` values, and returns the last result and its line.
    fn repeat<R>(
        &self,
        method: &str,
        values: usize,
        mut step: impl FnMut() -> Result<R>,
    ) -> Result<(R, Contract)> {
        let mut runs = Runs::start();
        // The first run is not timed, since it uses fresh pages of memory.
        let mut last = step()?;
        for _ in 0..self.arguments.runs.max(1) {
            last = runs.time(&mut step)?;
        }
        let method = method.to_owned();
        let mut line = Contract { method, values_checked: values, ..self.line.clone() };
        runs.enter(&mut line, values, 0.0);
        line.peak_rss_bytes = line.peak_rss_bytes.max(self.line.peak_rss_bytes);
        Ok((last, line))
    }

    /// Returns the errors of phases that are extracted from a packed ciphertext as the bridge extracts them, with a key of the
    /// same secrets: their distances from `expected`, in half steps of the modulus.
    pub(crate) fn errors_taken_out(
        &self,
        from: &packed::Ciphertext,
        expected: &[u64],
    ) -> Result<Vec<f64>> {
        let parameters = self.keys.parameters();
        let single: &ClientKey<T> = self.secrets.single().borrow();
        let secret = single.fhew().ring_coefficients();
        let ids = self.secrets.ids();
        let clients = Clients { lwe: ids[1], ring: ids[0] };
        let secrets = Secrets { lwe: secret, ring: self.secrets.packed().secret(), clients };
        let conversion = parameters.conversion();
        let key = ExtractionKey::expand(&secrets.extraction_key(conversion)?);
        let body = self.keys.packed().export(from)?;
        let phases = from_power_of_two(conversion, ids[0], body)?;
        let q = parameters.single().shape().modulus;
        let list = key.take_out(&phases, 0..expected.len(), q)?;
        let p = from.modulus() as f64;
        let error = |(index, &value): (usize, &u64)| {
            let found = phase(secret, &list.ciphertext(index)) as f64 / q as f64;
            let error = found - value as f64 / p;
            2.0 * p * (error - error.round())
        };
        Ok(expected.iter().enumerate().map(error).collect())
    }

    /// Returns the standard deviation of those errors.
    fn deviation_taken_out(&self, from: &packed::Ciphertext, expected: &[u64]) -> Result<f64> {
        Ok(root_mean_square(&self.errors_taken_out(from, expected)?))
    }

    /// Returns the standard deviation of the errors of packed values.
    fn deviation_packed(&self, found: &packed::Ciphertext, expected: &[u64]) -> Result<f64> {
        Ok(root_mean_square(&self.secrets.packed().errors(found, expected)?))
    }
}

/// Returns log2 of a noise bound in half steps of a modulus. It covers the deviation and the bias, which may be less than its
/// bound.
fn in_half_steps(noise: NoiseBound, modulus: u64) -> Option<f64> {
    Some((2.0 * modulus as f64 * noise.deviation().hypot(noise.bias())).log2())
}

fn wrong<V: PartialEq>(found: &[V], expected: &[V]) -> usize {
    found.iter().zip(expected).filter(|(a, b)| a != b).count()
        + found.len().abs_diff(expected.len())
}

/// Measures values that are taken out as integers, and their signs, which are packed.
fn of_integers(arguments: &BridgesArguments) -> anyhow::Result<Vec<BridgesRecord>> {
    let next = Integers { bits: arguments.bits, function: Function::Sign };
    let plan = plan(arguments, next)?;
    let mut session = Session::new(arguments, &plan)?;
    let modulus = 1u64 << arguments.bits;
    let tables = [session.outputs.clone()];
    let results = session.looked_up(&tables, modulus)?.swap_remove(0);
    let (keys, count) = (&session.keys, session.values.len());
    let (bridge, ends, functions) = (keys.bridge(), keys.ends(), session.functions());
    let taken_out = || bridge.to_integers(ends, &results, 0..count);
    let (whole, line) = session.repeat("packed values to integers", count, taken_out)?;
    let expected = session.expected(count);
    let signed = |&x: &u64| x as i64 - if x >= modulus / 2 { modulus as i64 } else { 0 };
    let integers: Vec<i64> = expected.iter().map(signed).collect();
    let found = session.secrets.single().decrypt(&whole)?;
    let mut lines = vec![line];
    lines[0].wrong = wrong(&found, &integers);
    lines[0].noise_std_log2 = session.deviation_taken_out(&results, &expected)?.log2();
    let noise = keys.parameters().taken_out_noise(results.noise());
    lines[0].predicted_noise_std_log2 = in_half_steps(noise, modulus);
    lines[0].input_bytes = results.to_bytes().len();
    lines[0].output_bytes = whole.to_bytes().len() / count;

    let some = bridge.to_integers(ends, &results, 0..functions)?;
    let (signs, of_sign) =
        session.repeat("sign", functions, || keys.single().sign(&some, SILENT))?;
    let expected: Vec<u64> = integers[..functions].iter().map(|&x| u64::from(x < 0)).collect();
    let found = session.secrets.single().decrypt_small(&signs)?;
    anyhow::ensure!(found == expected, "signs of integers are wrong");
    let pack = || bridge.pack_small(ends, &signs, 2, SILENT);
    let (packed, mut line) = session.repeat("signs packed", functions, pack)?;
    check_packed(&session, &[packed], &[expected], &mut line)?;
    line.input_bytes = signs.to_bytes().len() / functions;
    lines.push(line);
    Ok(records(lines, &of_sign, &plan))
}

/// Measures values that are taken out as leveled values, looked up, and packed.
fn of_leveled_values(arguments: &BridgesArguments) -> anyhow::Result<Vec<BridgesRecord>> {
    let modulus = 1u64 << arguments.bits;
    let next = LeveledTable { input_modulus: modulus, output_modulus: modulus };
    let plan = plan(arguments, next)?;
    let mut session = Session::new(arguments, &plan)?;
    let places = arguments.bits.div_ceil(2);
    let digits = |values: &[u64], place: u32| -> Vec<u64> {
        values.iter().map(|value| (value >> (2 * place)) & 3).collect()
    };
    let tables: Vec<_> = (0..places).map(|place| digits(&session.outputs, place)).collect();
    let results = session.looked_up(&tables, 4)?;
    let second: Vec<u64> = (0..modulus).map(|_| session.rng.random_range(0..modulus)).collect();
    let (keys, count) = (&session.keys, session.values.len());
    let (bridge, ends, functions) = (keys.bridge(), keys.ends(), session.functions());
    let taken_out = || bridge.to_leveled(ends, &results, modulus, 0..count);
    let (taken, line) = session.repeat("packed values to leveled ones", count, taken_out)?;
    let expected = session.expected(count);
    let found = session.secrets.single().decrypt(&taken)?;
    let mut lines = vec![line];
    lines[0].wrong = wrong(&found, &expected);
    let low = digits(&expected, 0);
    lines[0].noise_std_log2 = session.deviation_taken_out(&results[0], &low)?.log2();
    let noise = keys.parameters().taken_out_noise(results[0].noise());
    lines[0].predicted_noise_std_log2 = in_half_steps(noise, 4);
    lines[0].input_bytes = results.iter().map(|result| result.to_bytes().len()).sum();
    lines[0].output_bytes = taken.to_bytes().len() / count;

    let some = bridge.to_leveled(ends, &results, modulus, 0..functions)?;
    let table = keys.single().prepare(&Table::new(modulus, modulus, second.clone())?)?;
    let look_up = || keys.single().lookup_many(&some, &[&table], SILENT);
    let (looked_up, of_lookup) = session.repeat("leveled lookup", functions, look_up)?;
    let output = &looked_up[0];
    let expected: Vec<u64> = expected[..functions].iter().map(|&y| second[y as usize]).collect();
    let found = session.secrets.single().decrypt(output)?;
    anyhow::ensure!(found == expected, "leveled lookups are wrong");
    let pack = || bridge.pack_leveled(ends, output, SILENT);
    let (packed, mut line) = session.repeat("leveled values packed", functions, pack)?;
    let expected: Vec<_> = (0..places).map(|place| digits(&expected, place)).collect();
    check_packed(&session, &packed, &expected, &mut line)?;
    line.input_bytes = output.to_bytes().len() / functions;
    lines.push(line);
    Ok(records(lines, &of_lookup, &plan))
}

/// Plans the fastest parameters of both ends for results that come back.
pub(crate) fn plan<C: cryptable::bridges::Continuation>(
    arguments: &BridgesArguments,
    next: C,
) -> Result<Plan<C::Target>> {
    let request = Request::bridge(1 << arguments.bits, next)
        .values(u64::from(arguments.values))
        .threads(1)
        .taken_out(arguments.functions.into())
        .returning(Returning::Packed)
        .cost_model(CostModel::default());
    if arguments.insecure_toy { request.insecure_toy().plan() } else { request.plan() }
}

/// Checks packed results, one ciphertext per digit, and enters them into their line.
fn check_packed<T: Target>(
    session: &Session<'_, T>,
    packed: &[packed::Ciphertext],
    expected: &[Vec<u64>],
    line: &mut Contract,
) -> Result<()> {
    line.values_checked = expected[0].len() * packed.len();
    let mut deviation: f64 = 0.0;
    for (packed, expected) in packed.iter().zip(expected) {
        line.wrong += wrong(&session.secrets.packed().decrypt(packed)?, expected);
        deviation = deviation.max(session.deviation_packed(packed, expected)?);
    }
    line.noise_std_log2 = deviation.log2();
    line.predicted_noise_std_log2 = in_half_steps(packed[0].noise(), packed[0].modulus());
    line.output_bytes = packed.iter().map(|packed| packed.to_bytes().len()).sum();
    Ok(())
}

/// Returns lines with the function between their steps, which is the third step of the plan.
fn records<T: Target>(
    lines: Vec<Contract>,
    function: &Contract,
    plan: &Plan<T>,
) -> Vec<BridgesRecord> {
    let predicted = plan.steps()[2].duration.as_secs_f64() / plan.taken_out() as f64;
    let record = |contract| BridgesRecord {
        contract,
        function: function.method.clone(),
        function_units_per_value: function.eval_units / function.slots as f64,
        predicted_function_units_per_value: predicted / CostModel::default().unit(),
    };
    lines.into_iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, most_excess_log2, parsed};

    #[test]
    fn toys_cross_both_bridges() {
        let line = "--bits 4 --values 64 --functions 4 --runs 1 --insecure-toy";
        let arguments: BridgesArguments = parsed(line);
        let lines = [of_integers(&arguments).unwrap(), of_leveled_values(&arguments).unwrap()];
        for record in lines.iter().flatten() {
            check_line(record);
            let line = &record.contract;
            let bound = line.predicted_noise_std_log2.unwrap();
            println!("{}: 2^{:.2}, predicted 2^{bound:.2}", line.method, line.noise_std_log2);
            let samples = if line.method.ends_with("packed") {
                arguments.functions
            } else {
                arguments.values
            };
            let excess = most_excess_log2(samples as usize);
            assert!(line.noise_std_log2 < bound + excess, "{}", line.method);
            assert!(record.function_units_per_value > 0.0, "{}", line.method);
        }
        assert_eq!(lines.iter().map(Vec::len).sum::<usize>(), 4);
    }
}

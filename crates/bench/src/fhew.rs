//! `bench fhew`: every full-domain functional bootstrap on single values, the fastest last.
//!
//! Tables are encoded once, before what is timed (`prepare_s`); in lines without that field, every lookup encoded its
//! table.

use clap::{Args, ValueEnum};
use cryptable_fhew::cost;
use cryptable_fhew::full_domain::{self, FullDomainMethod, TableKind};
use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::noise::{NoiseModel, log2_sum};
use cryptable_fhew::parameter_choice::choose;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::test_polynomial::{TestPolynomial, encode, half_slot};
use cryptable_lattice::Table;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_papers::ma_2024::parameter_sets::{
    LweSet, insecure_param_fast, param_decomp_lookups,
};
use cryptable_papers::ma_2024::published_times::{PublishedTime, published};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use crate::contract::print_lines;
use crate::measurement::{Checked, timed, timed_each, try_timed};
use crate::single::{Batch, Line, Session};

/// Parameters of Ma et al. (TCHES 2024, Table 5), for research; output lines state their security.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaperSet {
    /// n = 760: below 128 bits by today's estimates.
    #[value(name = "PARAM_fast")]
    Fast,
    /// n = 1340.
    #[value(name = "PARAM_decomp")]
    Decomp,
}

impl PaperSet {
    fn lwe_set(self) -> LweSet {
        match self {
            Self::Fast => LweSet::Fast,
            Self::Decomp => LweSet::Decomp,
        }
    }

    /// Returns the set of a row of Table 11 or 12, where B_g and Q, which is near 2^53, determine the number of digits of a
    /// rotation.
    fn parameters(self, row: &PublishedTime) -> cryptable_lattice::Result<Parameters> {
        let digits = PAPER_LOG2_PRIME.div_ceil(row.rotation_base_log2) as usize;
        match self {
            Self::Fast => insecure_param_fast(digits),
            Self::Decomp => param_decomp_lookups(digits),
        }
    }
}

/// log2 of the paper's Q.
const PAPER_LOG2_PRIME: u32 = 53;

/// Returns the paper's row for a method: its FDFB-KS is the one with digits modulo Q.
fn row_of(method: &dyn FullDomainMethod, set: LweSet, p: u64) -> Option<&'static PublishedTime> {
    match method.name() {
        "FDFB-KS" => None,
        "FDFB-KS, modulo Q" => published(set, "FDFB-KS", p),
        name => published(set, name, p),
    }
}

/// Arguments of `bench fhew`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cryptable --threads 1 --json bench fhew --p 16\n  \
    cryptable --threads 2 bench fhew --p 16 --method FDFB-Compress --batch 64\n  \
    cryptable --threads 1 bench fhew --p 16 --paper-set PARAM_fast")]
pub struct FhewArguments {
    /// Plaintext modulus of inputs and outputs.
    #[arg(long, default_value_t = 16)]
    p: u64,
    /// log2 of the failure probability for which parameters are chosen.
    #[arg(long, default_value_t = -64.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Name of the only method to measure [default: all].
    #[arg(long)]
    method: Option<String>,
    /// Parameter set of the paper, instead of the fastest set with 128 bits of security, for all methods that the paper
    /// ran with it.
    #[arg(long, value_enum, conflicts_with = "log2_fail")]
    paper_set: Option<PaperSet>,
    /// Values looked up per batch [default: 1 on one thread, 32 per thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Values that are checked and used for measuring noise, on all cores, after all methods have been timed.
    #[arg(long, default_value_t = 96)]
    samples: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark.
pub fn run(arguments: &FhewArguments, json: bool) -> anyhow::Result<()> {
    let mut timed = Vec::new();
    for &method in full_domain::methods_for(arguments.p) {
        if arguments.method.as_deref().is_some_and(|name| name != method.name()) {
            continue;
        }
        let chosen = match arguments.paper_set {
            None => Some(choose(method, arguments.p, arguments.p, arguments.log2_fail)),
            Some(set) => row_of(method, set.lwe_set(), arguments.p).map(|row| set.parameters(row)),
        };
        match chosen {
            Some(Ok(parameters)) => timed.push(measure(method, &parameters, arguments)?),
            Some(Err(error)) => eprintln!("{error}"),
            None => (),
        }
    }
    anyhow::ensure!(!timed.is_empty(), "no method supports p = {}", arguments.p);
    let is_even = arguments.p.is_multiple_of(2);
    if is_even && arguments.method.is_none() && arguments.paper_set.is_none() {
        timed.push(measure_bootstrap(&Parameters::default_128(), arguments)?);
    }
    let all_cores = rayon::ThreadPoolBuilder::new().build()?;
    let check = |timed: Vec<Timed>| timed.into_iter().map(Timed::check).collect();
    let lines: anyhow::Result<Vec<Line>> = all_cores.install(|| check(timed));
    let mut lines = lines?;
    lines.sort_by(|a, b| b.units_per_value.total_cmp(&a.units_per_value));
    // The bare bootstrap comes first, since it cannot look up arbitrary tables; the fastest method that can comes last.
    lines.sort_by_key(|line| line.contract.method != BOOTSTRAP);
    print_lines(&lines, json)
}

/// Name of the line of a bare functional bootstrap.
const BOOTSTRAP: &str = "functional bootstrap";

/// Returns log2 of a standard deviation relative to the distance to a wrong value, half a slot.
fn relative(deviation: f64, p: u64) -> f64 {
    (deviation * 2.0 * p as f64).log2()
}

/// Values of a session: every possible one at least once, then random ones.
struct Values {
    plain: Vec<u64>,
    inputs: Vec<LweCiphertext>,
    encrypt_s: f64,
}

impl Values {
    fn new(session: &Session, arguments: &FhewArguments) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed + 1);
        let p = arguments.p;
        let value = |i| if i < p { i } else { rng.random_range(0..p) };
        let plain: Vec<u64> = (0..p.max(arguments.samples as u64)).map(value).collect();
        let (inputs, encrypt_s) = timed_each(&plain, |&value| session.secret.encrypt(value, p))?;
        Ok(Self { plain, inputs, encrypt_s })
    }
}

/// Measures lookups in a random table by one method.
fn measure(
    method: &'static dyn FullDomainMethod,
    parameters: &Parameters,
    arguments: &FhewArguments,
) -> anyhow::Result<Timed> {
    let p = arguments.p;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let table = Table::from_fn(p, p, |_| rng.random_range(0..p))?;
    let (encoded, prepare_s) = try_timed(|| method.encode(parameters, &table))?;
    let lookup = move |key: &EvaluationKey, input: &LweCiphertext| {
        let results = method.lookup_many(key, &[&encoded], input);
        results.expect("inputs of these parameters").swap_remove(0)
    };
    let model = NoiseModel::new(parameters);
    let predicted = method.noise(&model, TableKind::Given(&table), model.fresh().law()).output;
    let random = format!("random:{}", arguments.seed);
    let expected = move |value: u64| table.output(value);
    let mut timed = Timed::new(parameters, arguments, Box::new(lookup), Box::new(expected))?;
    let line = &mut timed.line;
    line.contract.method = method.name().to_owned();
    line.contract.prepare_s = prepare_s;
    line.contract.predicted_noise_std_log2 = Some(relative(predicted.deviation(), p));
    line.contract.log2_fail = full_domain::log2_fail(method, &model, p, p);
    line.contract.requested_log2_fail =
        arguments.paper_set.is_none().then_some(arguments.log2_fail);
    line.contract.table = random;
    let set = arguments.paper_set.map_or(LweSet::Fast, PaperSet::lwe_set);
    line.published_ms = row_of(method, set, p).map(|time| time.milliseconds);
    line.paper_set = arguments.paper_set.map(|set| set.lwe_set().name().to_owned());
    line.rotations = method.operations().rotations;
    line.count_transforms(cost::lookup(method, parameters.literal()).digit_transforms);
    Ok(timed)
}

/// Measures a bare functional bootstrap of a negacyclic table, key switch included.
fn measure_bootstrap(parameters: &Parameters, arguments: &FhewArguments) -> anyhow::Result<Timed> {
    let p = arguments.p;
    let two_n = parameters.rotation_modulus();
    let (test, prepare_s) = timed(|| {
        let entry = |x| encode(x * p / two_n, p, parameters.prime());
        TestPolynomial::from_fn(parameters.ring(), entry)
    });
    let boot = move |key: &EvaluationKey, input: &LweCiphertext| {
        let mut phase = key.to_rotation_modulus(input, two_n);
        phase.add_constant_assign(half_slot(p, two_n));
        key.boot(&test, &phase)
    };
    let expected = move |value: u64| if value < p / 2 { value } else { (p - (value - p / 2)) % p };
    let mut timed = Timed::new(parameters, arguments, Box::new(boot), Box::new(expected))?;
    let line = &mut timed.line;
    let model = NoiseModel::new(parameters);
    let output = model.blind_rotation() + model.key_switching();
    let input = output + model.lwe_modulus_switch(two_n);
    line.contract.method = BOOTSTRAP.to_owned();
    line.contract.prepare_s = prepare_s;
    line.contract.predicted_noise_std_log2 = Some(relative(output.standard_deviation(), p));
    line.contract.log2_fail =
        log2_sum([input, output].map(|v| v.law().log2_exceeds(0.5 / p as f64)).into_iter());
    line.contract.requested_log2_fail = Some(arguments.log2_fail);
    line.rotations = 1;
    line.count_transforms(cost::rotation(parameters.literal()).digit_transforms);
    line.contract.table = "negacyclic identity".to_owned();
    Ok(timed)
}

type Evaluate = Box<dyn Fn(&EvaluationKey, &LweCiphertext) -> LweCiphertext + Send + Sync>;
type Expected = Box<dyn Fn(u64) -> u64 + Send + Sync>;

/// An evaluation that was timed, and whose results are still to be checked.
struct Timed {
    line: Line,
    p: u64,
    session: Session,
    values: Values,
    evaluate: Evaluate,
    expected: Expected,
}

impl Timed {
    /// Makes keys and values, and times `evaluate` on the first of them.
    fn new(
        parameters: &Parameters,
        arguments: &FhewArguments,
        evaluate: Evaluate,
        expected: Expected,
    ) -> anyhow::Result<Self> {
        let session = Session::new(parameters);
        let values = Values::new(&session, arguments)?;
        let batch = Batch::new(arguments.batch, arguments.runs);
        let line = session.line(batch, &values.inputs, |input| evaluate(&session.key, input));
        Ok(Self { line, p: arguments.p, session, values, evaluate, expected })
    }

    /// Evaluates every value, counts wrong results and measures their noise.
    fn check(self) -> anyhow::Result<Line> {
        let Self { mut line, p, session, values, evaluate, expected } = self;
        let results: Vec<LweCiphertext> =
            values.inputs.par_iter().map(|input| evaluate(&session.key, input)).collect();
        let parameters = &session.parameters;
        let mut checked = Checked::default();
        for (&value, result) in values.plain.iter().zip(&results) {
            let expected = expected(value);
            checked.count(session.secret.decrypt(result, p)? != expected);
            let phase = encode(expected, p, parameters.lwe_modulus());
            checked.errors([session.secret.phase_error(result, phase)?]);
        }
        checked.enter(&mut line.contract, 0.5 / p as f64);
        (line.contract.bits_in, line.contract.bits_out) = ((p as f64).log2(), (p as f64).log2());
        line.contract.modulus_in = p;
        line.contract.encrypt_s = values.encrypt_s;
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::contract::tests::{check_line, parsed};

    fn check(line: &Line) {
        check_line(line);
        assert!(line.transforms > 0.0 && line.rotations > 0);
        let Contract { noise_std_log2, predicted_noise_std_log2, encrypt_s, .. } = line.contract;
        // 96 samples of a standard deviation.
        assert!((noise_std_log2 - predicted_noise_std_log2.unwrap()).abs() < 1.0, "{line:?}");
        assert!(encrypt_s > 0.0);
    }

    #[test]
    fn a_method_and_a_bootstrap_of_toys() {
        let parameters = Parameters::insecure_toy();
        let arguments = parsed("--p 4 --batch 2 --runs 2");
        let methods = full_domain::methods();
        let fastest = methods.iter().find(|method| method.name() == "FDFB-Compress").unwrap();
        let line = measure(*fastest, &parameters, &arguments).unwrap().check().unwrap();
        check(&line);
        assert!(line.contract.prepare_s > 0.0);
        check(&measure_bootstrap(&parameters, &arguments).unwrap().check().unwrap());
    }
}

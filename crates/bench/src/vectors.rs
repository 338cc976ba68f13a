//! `bench ckks-bootstrap`: bootstrapping of vectors of complex numbers, or of real numbers through a smooth function.

use clap::{Args, ValueEnum};
use cryptable_approximate::{
    Ciphertext, Complex64, EvaluationKey, KeySet, LookupPlan, LookupRequest, Parameters, SecretKey,
    SlotBounds, SlotError, SmoothFunction,
};
use cryptable_ckks::dry_run::Counts;
use cryptable_lattice::{Progress, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Runs, timed, try_timed};

/// Number of slots of the ring.
const FULL_SLOTS: usize = 32_768;

/// Bits of precision that every slot must have.
const REQUIRED_BITS: f64 = 20.0;

/// Largest distance between a function and its series.
const TOLERANCE: f64 = 1.0 / (1u64 << 24) as f64;

/// Functions that bootstraps evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Function {
    /// x times the normal distribution, on [-8, 8].
    Gelu,
    /// 1/(1 + exp(-x)), on [-8, 8].
    Sigmoid,
    /// The hyperbolic tangent, on [-4, 4].
    Tanh,
    /// exp(x), on [-2, 2].
    Exponential,
    /// 1/x, on [1/2, 4].
    Reciprocal,
    /// The square root, on [1/4, 4].
    SquareRoot,
}

impl Function {
    fn series(self) -> Result<SmoothFunction> {
        match self {
            Self::Gelu => SmoothFunction::gelu(8.0, TOLERANCE),
            Self::Sigmoid => SmoothFunction::sigmoid(8.0, TOLERANCE),
            Self::Tanh => SmoothFunction::tanh(4.0, TOLERANCE),
            Self::Exponential => SmoothFunction::exponential([-2.0, 2.0], TOLERANCE),
            Self::Reciprocal => SmoothFunction::reciprocal([0.5, 4.0], TOLERANCE),
            Self::SquareRoot => SmoothFunction::square_root([0.25, 4.0], TOLERANCE),
        }
    }
}

/// Arguments of `bench ckks-bootstrap`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cryptable --threads 1 --json bench ckks-bootstrap\n  cryptable --threads 1 --json bench ckks-bootstrap --slots 4096\n  cryptable --threads 1 --json bench ckks-bootstrap --function gelu"
)]
pub struct BootstrapArguments {
    /// Number of slots: all 32,768 of the ring, or a smaller power of two, whose bootstrap costs less.
    #[arg(long, default_value_t = FULL_SLOTS)]
    slots: usize,
    /// Smooth function of real slots that the bootstrap evaluates, with parameters chosen by the planner.
    #[arg(long)]
    function: Option<Function>,
    /// Number of levels left in results of a function.
    #[arg(long, default_value_t = 1, requires = "function")]
    levels: usize,
    /// Evaluations, each of different numbers, to take the median time and the largest error of.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: the contract, and the fields of vectors. A slot is wrong if a part of it is off by 2^-20 or more.
#[derive(Debug, Serialize)]
struct BootstrapRecord {
    #[serde(flatten)]
    contract: Contract,
    /// -log2 of the largest error of any part of any slot in any run.
    precision_bits: f64,
    /// -log2 of the mean absolute error of a slot.
    mean_precision_bits: f64,
    /// -log2 of the stated root mean square error.
    stated_precision_bits: f64,
    /// -log2 of the stated largest error of a part, which holds except with a probability of 2^-40 per slot.
    stated_worst_precision_bits: f64,
    /// Levels left after the bootstrap.
    levels_left: usize,
    /// log2 of the scale of slots.
    log2_scale: f64,
    /// log2 of the product of all primes.
    log2_modulus: f64,
    /// Counted NTTs of one bootstrap, at its ring degree.
    transforms: usize,
    /// Counted products of limbs.
    limb_products: usize,
}

/// Runs the benchmark.
pub fn run(arguments: &BootstrapArguments, json: bool) -> anyhow::Result<()> {
    let job = Job::new(arguments)?;
    let record = measure(&job, arguments)?;
    print_line(&record, json)
}

/// A kind of bootstrap, with parameters.
struct Job {
    parameters: Parameters,
    counts: Counts,
    function: Option<SmoothFunction>,
    name: String,
}

impl Job {
    fn new(arguments: &BootstrapArguments) -> Result<Self> {
        let Some(function) = arguments.function else {
            return Ok(Self::identity(match arguments.slots {
                FULL_SLOTS => Parameters::bootstrapping_128()?,
                slots => Parameters::sparse_bootstrapping_128(slots)?,
            }));
        };
        let (series, name) = (function.series()?, function.to_possible_value());
        let plan = LookupPlan::new(&Self::request(&series, arguments))?;
        let name = name.map_or_else(String::new, |it| it.get_name().to_owned());
        Ok(Self::through(series, &plan, name))
    }

    fn request(function: &SmoothFunction, arguments: &BootstrapArguments) -> LookupRequest {
        LookupRequest {
            precision_bits: REQUIRED_BITS,
            levels: arguments.levels,
            count: Some(arguments.slots),
            ..LookupRequest::new(function)
        }
    }

    fn identity(parameters: Parameters) -> Self {
        let counts = parameters.bootstrap_counts().expect("parameters with bootstrapping");
        Self { parameters, counts, function: None, name: "identity".into() }
    }

    fn through(function: SmoothFunction, plan: &LookupPlan, name: String) -> Self {
        let (parameters, counts) = (plan.best().parameters.clone(), plan.best().counts);
        Self { parameters, counts, function: Some(function), name }
    }

    fn keys(&self) -> KeySet {
        let keys = KeySet::new();
        if self.function.is_some() { keys.lookups() } else { keys.bootstrapping() }
    }

    /// Draws random numbers to bootstrap, and returns them with their bounds.
    fn draw(&self, rng: &mut ChaCha20Rng) -> (Vec<Complex64>, SlotBounds) {
        let slots = 0..self.parameters.slots();
        if let Some(function) = &self.function {
            let [lower, upper] = function.interval();
            let bounds = SlotBounds::real(lower.abs().max(upper.abs()));
            return (slots.map(|_| rng.random_range(lower..upper).into()).collect(), bounds);
        }
        let mut part = || rng.random_range(-1.0..1.0);
        let values = slots.map(|_| Complex64::new(part(), part())).collect();
        (values, SlotBounds { re: 1.0, im: 1.0 })
    }

    fn bootstrap(&self, server: &EvaluationKey, input: &Ciphertext) -> Result<Ciphertext> {
        match &self.function {
            Some(function) => server.lookup(input, function),
            None => server.bootstrap(input),
        }
    }

    /// Returns the values of the function or, without one, the inputs, and the largest distance of the series from the
    /// function.
    fn expected(&self, values: &[Complex64]) -> (Vec<Complex64>, f64) {
        let Some(function) = &self.function else { return (values.to_vec(), 0.0) };
        (values.iter().map(|z| function.evaluate(z.re).into()).collect(), function.error())
    }
}

fn measure(job: &Job, arguments: &BootstrapArguments) -> Result<BootstrapRecord> {
    let parameters = &job.parameters;
    let secret = SecretKey::generate(parameters);
    let keys = job.keys();
    let (server, keygen_s) = try_timed(|| secret.evaluation_key_for(&keys, Progress::silent()))?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let mut contract = contract(job);
    (contract.keygen_s, contract.eval_key_bytes) = (keygen_s, server.memory_bytes());
    let (mut runs, mut sum, mut squares, mut worst) = (Runs::start(), 0.0, 0.0, 0f64);
    let (mut stated, mut scale, mut levels_left) = (SlotError::default(), 0.0, 0);
    for _ in 0..arguments.runs.max(1) {
        let (values, bounds) = job.draw(&mut rng);
        let (input, encrypt_s) = timed(|| secret.encrypt_within(&values, bounds));
        let input = server.lower(&input?, 0)?;
        let result = runs.time(|| job.bootstrap(&server, &input))?;
        let limit = (-REQUIRED_BITS).exp2();
        let (expected, distance) = job.expected(&values);
        for error in secret.errors(&result, &expected)? {
            // The error of the series is added.
            let error = if job.function.is_some() {
                Complex64::from(error.re.abs() + distance)
            } else {
                error
            };
            let largest = error.re.abs().max(error.im.abs());
            (sum, squares) = (sum + error.norm(), squares + error.norm_sqr());
            (worst, contract.wrong) =
                (worst.max(largest), contract.wrong + usize::from(largest >= limit));
        }
        contract.values_checked += values.len();
        contract.encrypt_s = encrypt_s;
        contract.input_bytes = input.to_bytes(parameters)?.len();
        contract.output_bytes = result.to_bytes(parameters)?.len();
        (stated, scale, levels_left) = (result.error(), result.scale(), result.level());
    }
    let checked = contract.values_checked as f64;
    // A complex slot has two parts with half of its variance each; a real slot has one part.
    let parts: f64 = if job.function.is_some() { 1.0 } else { 2.0 };
    let of_part = |deviation: f64, parts: f64| (deviation / parts.sqrt()).log2() + REQUIRED_BITS;
    contract.noise_std_log2 = of_part((squares / checked).sqrt(), parts);
    contract.predicted_noise_std_log2 = Some(of_part(stated.deviation.hypot(stated.bias), 2.0));
    runs.enter(&mut contract, parameters.slots(), 0.0);
    let counts = job.counts;
    Ok(BootstrapRecord {
        contract,
        precision_bits: -worst.log2(),
        mean_precision_bits: -(sum / checked).log2(),
        stated_precision_bits: stated.bits(),
        stated_worst_precision_bits: -stated.largest(-40.0).log2(),
        levels_left,
        log2_scale: scale.log2(),
        log2_modulus: parameters.log2_modulus(),
        transforms: counts.transforms,
        limb_products: counts.limb_products + counts.conversion_products,
    })
}

/// Returns the fields that are known before measuring.
fn contract(job: &Job) -> Contract {
    let parameters = &job.parameters;
    Contract {
        method: "CKKS bootstrapping".into(),
        table: job.name.clone(),
        bits_in: REQUIRED_BITS,
        bits_out: REQUIRED_BITS,
        ring_degree: parameters.literal().ring_degree,
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
    fn functions_of_a_toy() {
        let (series, arguments) =
            (Function::Gelu.series().unwrap(), parsed("--slots 512 --function gelu --runs 2"));
        let plan = LookupPlan::insecure_toy(&Job::request(&series, &arguments)).unwrap();
        let job = Job::through(series, &plan, "gelu".into());
        let record = measure(&job, &arguments).unwrap();
        check_line(&record);
        assert_eq!((record.contract.values_checked, record.contract.wrong), (1024, 0));
        assert!(record.levels_left >= 1 && record.transforms > 1000);
        assert!(record.precision_bits > record.stated_worst_precision_bits);
    }

    #[test]
    fn vectors_of_a_toy() {
        let toy = Parameters::insecure_toy_bootstrapping().unwrap();
        let record = measure(&Job::identity(toy.clone()), &parsed("--runs 2")).unwrap();
        check_line(&record);
        assert_eq!((record.contract.values_checked, record.levels_left), (1024, toy.levels()));
        assert!(record.precision_bits > 24.0 && record.stated_worst_precision_bits > 22.0);
    }
}

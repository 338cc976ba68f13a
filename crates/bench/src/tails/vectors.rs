//! Tails of vectors in slots: bootstraps, and tables by functional bootstrapping.

use clap::ValueEnum;
use cryptable_approximate::{
    Ciphertext, Complex64, EvaluationKey, Grid, KeySet, Parameters, SecretKey, SlotBounds,
    SlotTable,
};
use cryptable_lattice::{FailureProbability, Progress};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::subject::{self, Part, Sampling, Subject};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::try_timed;

/// Required bits of precision of a bootstrap: an error of 2^-20 counts as wrong.
const REQUIRED_BITS: f64 = 20.0;

/// Operations on vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VectorOperation {
    /// Plain bootstrapping.
    CkksBootstrap,
    /// A table of integers in both parts of slots.
    SlotLookup,
}

/// Measures an operation with its named set.
pub fn run(
    operation: VectorOperation,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let parameters = match operation {
        VectorOperation::CkksBootstrap => Parameters::bootstrapping_128()?,
        VectorOperation::SlotLookup => Parameters::lookups_128()?,
    };
    measure(&parameters, operation, arguments)
}

/// An operation on the same vector, encrypted afresh.
struct Vectors {
    secret: SecretKey,
    server: EvaluationKey,
    /// The table; `None` for a bootstrap.
    table: Option<SlotTable>,
    /// Level of inputs.
    level: usize,
    values: Vec<Complex64>,
    bounds: SlotBounds,
    expected: Vec<Complex64>,
    /// Distance to a wrong value.
    margin: f64,
}

impl Subject for Vectors {
    type Input = Ciphertext;
    type Output = Ciphertext;

    fn encrypt(&self) -> anyhow::Result<Ciphertext> {
        let fresh = self.secret.encrypt_within(&self.values, self.bounds)?;
        Ok(self.server.lower(&fresh, self.level)?)
    }

    fn evaluate(&self, input: &Ciphertext) -> anyhow::Result<Ciphertext> {
        Ok(match &self.table {
            None => self.server.bootstrap(input)?,
            Some(table) => self.server.lookup(input, table)?,
        })
    }

    fn parts(&self, result: &Ciphertext) -> anyhow::Result<Vec<Part>> {
        let errors = self.secret.errors(result, &self.expected)?;
        let parts = errors.iter().flat_map(|error| [error.re, error.im]);
        let errors: Vec<f64> = parts.map(|part| part / self.margin).collect();
        let wrong = errors.iter().filter(|error| error.abs() >= 1.0).count();
        let bound = subject::scaled(result.error().of_part(), 1.0 / self.margin);
        Ok(vec![Part { name: None, bound, errors, wrong }])
    }

    fn bytes(&self, input: &Ciphertext, result: &Ciphertext) -> anyhow::Result<[usize; 2]> {
        let parameters = self.secret.parameters();
        Ok([input.to_bytes(parameters)?.len(), result.to_bytes(parameters)?.len()])
    }
}

impl Vectors {
    fn new(
        parameters: &Parameters,
        operation: VectorOperation,
        arguments: &TailArguments,
    ) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let is_worst = arguments.table == TableChoice::Worst;
        let slots = parameters.slots();
        let secret = SecretKey::generate(parameters);
        let keys = KeySet::new();
        let (keys, largest) = match operation {
            VectorOperation::CkksBootstrap => (keys.bootstrapping(), 1.0),
            VectorOperation::SlotLookup => {
                (keys.lookups(), f64::from((1u32 << arguments.bits) - 1))
            }
        };
        let server = secret.evaluation_key_for(&keys, Progress::silent())?;
        let bounds = SlotBounds { re: largest, im: largest };
        if operation == VectorOperation::CkksBootstrap {
            let mut part = || if is_worst { 1.0 } else { rng.random_range(-1.0..1.0) };
            let values: Vec<_> = (0..slots).map(|_| Complex64::new(part(), part())).collect();
            let (expected, margin) = (values.clone(), (-REQUIRED_BITS).exp2());
            let table = None;
            return Ok(Self { secret, server, table, level: 0, values, bounds, expected, margin });
        }
        let p = 1usize << arguments.bits;
        let peak = p / 3;
        let outputs: Vec<f64> = (0..p)
            .map(|x| match (is_worst, x == peak) {
                (true, true) => (p - 1) as f64,
                (true, false) => 0.0,
                (false, _) => rng.random_range(0..p) as f64,
            })
            .collect();
        let mut value = || if is_worst { peak } else { rng.random_range(0..p) };
        let pairs: Vec<[usize; 2]> = (0..slots).map(|_| [value(), value()]).collect();
        let slots_of = |function: &dyn Fn(usize) -> f64| -> Vec<Complex64> {
            pairs.iter().map(|pair| Complex64::new(function(pair[0]), function(pair[1]))).collect()
        };
        let table = Some(SlotTable::new(Grid::integers(p), 1, &outputs)?);
        let (values, expected) = (slots_of(&|x| x as f64), slots_of(&|x| outputs[x]));
        // Inputs are at the lowest level that the period allows.
        let level = usize::from(p > 32);
        Ok(Self { secret, server, table, level, values, bounds, expected, margin: 0.5 })
    }
}

/// Measures an operation with these parameters. All slots of the worst vector are the largest possible; the worst table has its
/// largest output at one value, which all inputs equal, and 0 elsewhere.
pub fn measure(
    parameters: &Parameters,
    operation: VectorOperation,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let (vectors, keygen_s) = try_timed(|| Vectors::new(parameters, operation, arguments))?;
    let parts = 2 * parameters.slots();
    let (method, bits) = match operation {
        VectorOperation::CkksBootstrap => ("CKKS bootstrapping", REQUIRED_BITS),
        VectorOperation::SlotLookup => ("AKP in complex slots", f64::from(arguments.bits)),
    };
    let of_slot = FailureProbability::from_log2(parameters.log2_fail_per_slot());
    let contract = Contract {
        method: method.to_owned(),
        bits_in: bits,
        bits_out: bits,
        modulus_in: if operation == VectorOperation::SlotLookup { 1 << arguments.bits } else { 0 },
        ring_degree: parameters.literal().ring_degree,
        keygen_s,
        eval_key_bytes: vectors.server.memory_bytes(),
        log2_fail: of_slot.of_any(parts).log2(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    let sampling = Sampling::new(arguments, parts);
    subject::measure(&vectors, contract, "law that results state", sampling)
}

//! Tails of packed values.

use cryptable::engines::packed::{
    Ciphertext, Method, Parameters, Progress, Request, Result, SecretKey, Table,
};
use cryptable_lattice::NoiseBound;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::subject::{self, Part, Sampling, Subject, scaled};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::try_timed;
use crate::packed::keys::Keys;
use crate::packed::line;

/// Largest modulus of tables whose own noise is predicted: larger random ones are all alike, and their predictions take long.
const MAX_OWN_TABLE: u64 = 1 << 8;

/// Measures lookups of a method with the planner's parameters.
pub fn run(name: &str, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    let (method, order) = Method::parse_with_order(name)?;
    let modulus = 1 << arguments.bits;
    let request = arguments.limits.request(modulus, modulus);
    let parameters = Parameters::choose(&Request { method: Some(method), order, ..request })?;
    measure(&parameters, arguments)
}

/// A table, and the values that it is looked up at.
struct Job {
    table: Table,
    values: Vec<u64>,
}

impl Job {
    /// Creates the job. The worst table has the largest output at one value, which all inputs equal, and the least elsewhere.
    fn new(parameters: &Parameters, arguments: &TailArguments) -> anyhow::Result<Self> {
        let (p, outputs) = (parameters.input_modulus(), parameters.output_modulus());
        let slots = parameters.literal().slots;
        if arguments.table == TableChoice::Worst {
            let (peak, least) = (p / 3, outputs / 2);
            let output = |x| if x == peak { (least + outputs - 1) % outputs } else { least };
            return Ok(Self {
                table: Table::from_fn(p, outputs, output)?,
                values: vec![peak; slots],
            });
        }
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let table = Table::from_fn(p, outputs, |_| rng.random_range(0..outputs))?;
        Ok(Self { table, values: (0..slots).map(|_| rng.random_range(0..p)).collect() })
    }
}

/// The law of errors in half steps, with a bound on the part of errors that table and inputs fix, and the law's name.
struct Prediction {
    bound: NoiseBound,
    name: &'static str,
}

impl Prediction {
    fn new(parameters: &Parameters, job: &Job, table: TableChoice) -> anyhow::Result<Self> {
        let bound = parameters.result_noise(parameters.fresh_noise(parameters.input_modulus()));
        let bound = scaled(bound, 2.0 * parameters.output_modulus() as f64);
        if table == TableChoice::Worst {
            return Ok(Self { bound, name: "law of the worst table" });
        }
        let (deviation, name) = if parameters.table_modulus() <= MAX_OWN_TABLE {
            let deviation = parameters.noise_of_table(&job.table)?;
            (deviation, "law of the worst table, scaled to the deviation of this table")
        } else {
            let deviation = parameters.failure().typical_ratio;
            (deviation, "law of the worst table, scaled to the deviation of random tables")
        };
        let law = bound.law().times(deviation / bound.law().deviation());
        Ok(Self { bound: NoiseBound::of_law(law, bound.bias()), name })
    }
}

/// An operation on the same packed values in fresh ciphertexts.
pub struct PackedSubject<F> {
    pub keys: Keys,
    /// Values of every operand.
    pub operands: Vec<Vec<u64>>,
    /// Right values of every result.
    pub expected: Vec<Vec<u64>>,
    /// The law of errors, if it is not the one that results state.
    pub bound: Option<NoiseBound>,
    /// The operation.
    pub evaluate: F,
}

impl<F: Fn(&Keys, &[Ciphertext]) -> Result<Vec<Ciphertext>>> PackedSubject<F> {
    /// Measures the operation on full ciphertexts, and adds the fields that only packed values have.
    pub fn measure(
        &self,
        contract: Contract,
        prediction: &'static str,
        arguments: &TailArguments,
    ) -> anyhow::Result<Vec<TailRecord>> {
        let parameters = self.keys.secret.parameters();
        let sampling = Sampling::new(arguments, parameters.literal().slots);
        let records = subject::measure(self, contract, prediction, sampling)?;
        Ok(with_parameters(records, parameters))
    }
}

impl<F: Fn(&Keys, &[Ciphertext]) -> Result<Vec<Ciphertext>>> Subject for PackedSubject<F> {
    type Input = Vec<Ciphertext>;
    type Output = Vec<Ciphertext>;

    fn encrypt(&self) -> anyhow::Result<Vec<Ciphertext>> {
        let operands = self.operands.iter();
        Ok(operands.map(|values| self.keys.secret.encrypt(values)).collect::<Result<_>>()?)
    }

    fn evaluate(&self, operands: &Vec<Ciphertext>) -> anyhow::Result<Vec<Ciphertext>> {
        Ok((self.evaluate)(&self.keys, operands)?)
    }

    fn parts(&self, results: &Vec<Ciphertext>) -> anyhow::Result<Vec<Part>> {
        let digits = results.iter().zip(&self.expected).enumerate();
        let part = |(index, (result, expected)): (usize, (&Ciphertext, &Vec<u64>))| {
            let part = packed_part(&self.keys.secret, result, expected)?;
            let name = (results.len() > 1).then(|| format!("digit {index}"));
            Ok(Part { name, bound: self.bound.unwrap_or(part.bound), ..part })
        };
        digits.map(part).collect()
    }

    fn bytes(
        &self,
        operands: &Vec<Ciphertext>,
        results: &Vec<Ciphertext>,
    ) -> anyhow::Result<[usize; 2]> {
        Ok([operands, results].map(|all| all.iter().map(|it| it.to_bytes().len()).sum()))
    }
}

/// Returns the errors of a packed result, beside the law that it states.
pub fn packed_part(
    secret: &SecretKey,
    result: &Ciphertext,
    expected: &[u64],
) -> anyhow::Result<Part> {
    let decrypted = secret.decrypt(result)?;
    Ok(Part {
        name: None,
        bound: scaled(result.noise(), 2.0 * result.modulus() as f64),
        errors: secret.errors(result, expected)?,
        wrong: decrypted.iter().zip(expected).filter(|(a, b)| a != b).count(),
    })
}

/// Adds the fields that only packed values have to lines.
pub fn with_parameters(records: Vec<TailRecord>, parameters: &Parameters) -> Vec<TailRecord> {
    let memory = parameters.prediction().peak_bytes_on(rayon::current_num_threads());
    let complete = |record| TailRecord {
        predicted_peak_bytes: Some(memory),
        literal: Some(parameters.literal().clone()),
        ..record
    };
    records.into_iter().map(complete).collect()
}

/// Measures lookups with these parameters: the same values each time, in fresh ciphertexts under one key.
pub fn measure(
    parameters: &Parameters,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let job = Job::new(parameters, arguments)?;
    let Prediction { bound, name } = Prediction::new(parameters, &job, arguments.table)?;
    let keys = Keys::generate(parameters)?;
    let expected = job.values.iter().map(|&value| job.table.values()[value as usize]).collect();
    let (prepared, prepare_s) = try_timed(|| keys.evaluation_key.prepare(&job.table))?;
    let contract = Contract { prepare_s, ..line::common(parameters, &keys) };
    let evaluate = |keys: &Keys, input: &[Ciphertext]| {
        Ok(vec![keys.evaluation_key.lookup(&input[0], &prepared, Progress::silent())?])
    };
    let (operands, expected, bound) = (vec![job.values], vec![expected], Some(bound));
    let lookups = PackedSubject { keys, operands, expected, bound, evaluate };
    lookups.measure(contract, name, arguments)
}

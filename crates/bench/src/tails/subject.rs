//! Repeated evaluations of the same inputs under one key, and lines of the errors of their results.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::noise_statistics::NoiseStatistics;

use super::{TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::{Runs, try_timed};

/// Keys, inputs and an operation whose errors are measured.
pub trait Subject {
    /// Encrypted inputs of one evaluation.
    type Input;
    /// Result of an evaluation.
    type Output;

    /// Encrypts the inputs afresh: the same ones each time.
    fn encrypt(&self) -> anyhow::Result<Self::Input>;

    /// Runs the operation.
    fn evaluate(&self, input: &Self::Input) -> anyhow::Result<Self::Output>;

    /// Measures the errors of a result, part by part. Every result has the same parts in the same order.
    fn parts(&self, output: &Self::Output) -> anyhow::Result<Vec<Part>>;

    /// Counts the bytes of inputs and of a result as they are sent.
    fn bytes(&self, input: &Self::Input, output: &Self::Output) -> anyhow::Result<[usize; 2]>;
}

/// Errors of a part of a result, such as a digit of all values, in half steps: the distance to a wrong value.
pub struct Part {
    /// Name of the part in lines; `None` if results have one part.
    pub name: Option<String>,
    /// The law that the result states, and the bound on the part of errors that table and inputs fix.
    pub bound: NoiseBound,
    /// Error of every value.
    pub errors: Vec<f64>,
    /// Number of values that are decrypted wrong.
    pub wrong: usize,
}

/// Returns a bound whose unit is smaller by `factor`.
pub fn scaled(bound: NoiseBound, factor: f64) -> NoiseBound {
    NoiseBound::of_law(bound.law().times(factor), bound.bias() * factor)
}

/// The number of measurements, and the arguments that name them in lines.
#[derive(Clone, Copy)]
pub struct Sampling<'a> {
    arguments: &'a TailArguments,
    /// Number of values per evaluation.
    values: usize,
    lookups: usize,
}

impl<'a> Sampling<'a> {
    /// Creates a sampling with the number of errors that the arguments state; by default, those of two evaluations, and at
    /// least 5,000.
    pub fn new(arguments: &'a TailArguments, values: usize) -> Self {
        let usual = (2 * values).max(super::SAMPLES);
        Self { arguments, values, lookups: arguments.lookups(usual, values) }
    }

    /// Creates a sampling with, by default, the errors of two evaluations.
    pub fn of_two(arguments: &'a TailArguments, values: usize) -> Self {
        Self { arguments, values, lookups: 2 }
    }
}

/// Measures evaluations, and returns a line per part of results. `contract` holds the facts about keys and parameters, and
/// `prediction` is the name of the law with which errors are compared.
pub fn measure<S: Subject>(
    subject: &S,
    mut contract: Contract,
    prediction: &'static str,
    sampling: Sampling<'_>,
) -> anyhow::Result<Vec<TailRecord>> {
    let mut runs = Runs::start();
    let mut measured: Vec<(Part, Vec<Vec<f64>>)> = Vec::new();
    for _ in 0..sampling.lookups {
        let (input, encrypt_s) = try_timed(|| subject.encrypt())?;
        let output = runs.time(|| subject.evaluate(&input))?;
        contract.encrypt_s = encrypt_s;
        [contract.input_bytes, contract.output_bytes] = subject.bytes(&input, &output)?;
        for (index, mut part) in subject.parts(&output)?.into_iter().enumerate() {
            let errors = std::mem::take(&mut part.errors);
            match measured.get_mut(index) {
                Some((first, all)) => {
                    first.wrong += part.wrong;
                    all.push(errors);
                }
                None => measured.push((part, vec![errors])),
            }
        }
    }
    // Tables are prepared once; the time counts as part of an evaluation.
    let prepare_s = contract.prepare_s;
    runs.enter(&mut contract, sampling.values, prepare_s);
    let record = |(part, errors): (Part, Vec<Vec<f64>>)| {
        let statistics = NoiseStatistics::new(&errors, part.bound, true);
        let name = part.name.map_or_else(String::new, |name| format!(", {name}"));
        let contract = Contract {
            method: format!("{}{name}", contract.method),
            wrong: part.wrong,
            ..contract.clone()
        };
        TailRecord::new(sampling.arguments, contract, prediction, statistics)
    };
    Ok(measured.into_iter().map(record).collect())
}

//! `bench hermite`: the errors that trigonometric Hermite interpolations of first, second and third order leave of errors of
//! their input (`C·ε^(M+1)` is the prediction), and their cost.

use clap::Args;
use cryptable::engines::packed::{
    HermiteKernel, HermiteOrder, Method, Parameters, Progress, Request, Table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use super::keys::Keys;
use super::line::common;
use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, root_mean_square};

/// Arguments of `bench hermite`.
#[derive(Debug, Args)]
pub struct HermiteArguments {
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 4)]
    bits: u32,
    /// Errors of inputs, as fractions of the step between two values.
    #[arg(long, value_delimiter = ',', default_values_t = [0.02, 0.04, 0.08, 0.16])]
    errors: Vec<f64>,
    /// Seed of the random table.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: `eval_s` is the time of lookups of all inputs; noise is that of the inputs without an error.
#[derive(Debug, Serialize)]
struct HermiteRecord {
    #[serde(flatten)]
    contract: Contract,
    /// M, the number of derivatives that vanish at nodes.
    order: usize,
    /// For each error of the input, in steps: the root mean square of the output's error, in half steps, and its prediction.
    reduction: Vec<Reduction>,
}

/// The reduction of one error.
#[derive(Debug, Serialize)]
struct Reduction {
    input_error: f64,
    output_error: f64,
    predicted: f64,
}

/// Runs the benchmark: one line per order.
pub fn run(arguments: &HermiteArguments, json: bool) -> anyhow::Result<()> {
    for order in HermiteOrder::ALL {
        let modulus = 1u64 << arguments.bits;
        let (method, order) = (Some(Method::Akp), Some(order));
        let request = Request { method, order, ..Request::new(modulus, modulus) };
        let record = measure(&Parameters::choose(&request)?, arguments)?;
        print_line(&record, json)?;
    }
    Ok(())
}

/// Looks inputs with known errors up in a random table. The outputs of exact inputs are all checked; for others, only the
/// error is measured.
fn measure(parameters: &Parameters, arguments: &HermiteArguments) -> anyhow::Result<HermiteRecord> {
    let (p, slots) = (parameters.input_modulus(), parameters.literal().slots);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let table = Table::new(p, p, (0..p).map(|_| rng.random_range(0..p)).collect())?;
    let values: Vec<u64> = (0..slots as u64).map(|i| i % p).collect();
    let expected: Vec<u64> = values.iter().map(|&v| table.values()[v as usize]).collect();
    let keys = Keys::generate(parameters)?;
    let prepared = keys.evaluation_key.prepare(&table)?;
    let mut runs = Runs::start();
    let mut look_up = |fraction: f64| -> anyhow::Result<_> {
        let input = keys.secret.encrypt_shifted(&values, fraction)?;
        let lookup = || keys.evaluation_key.lookup(&input, &prepared, Progress::silent());
        Ok(runs.time(lookup)?)
    };
    let exact = look_up(0.0)?;
    let mut reduction = Vec::new();
    for &input_error in &arguments.errors {
        let fraction = input_error / p as f64;
        let errors = keys.secret.errors(&look_up(fraction)?, &expected)?;
        let predicted = predicted_error(&table, parameters.literal().hermite_order, fraction);
        reduction.push(Reduction {
            input_error,
            output_error: root_mean_square(&errors),
            predicted,
        });
    }
    let mut checked = Checked::default();
    checked.compare(&keys.secret.decrypt(&exact)?, &expected);
    checked.errors(keys.secret.errors(&exact, &expected)?);
    let mut contract = Contract {
        table: format!("random:{}", arguments.seed),
        output_bytes: exact.to_bytes().len(),
        predicted_noise_std_log2: Some(parameters.failure().typical_ratio.log2()),
        ..common(parameters, &keys)
    };
    checked.enter(&mut contract, 1.0);
    runs.enter(&mut contract, slots, 0.0);
    let order = parameters.literal().hermite_order.derivatives();
    Ok(HermiteRecord { contract, order, reduction })
}

/// Returns the root mean square, over all inputs, of the output error that a phase error causes, in half steps of outputs.
fn predicted_error(table: &Table, order: HermiteOrder, fraction: f64) -> f64 {
    let kernel = HermiteKernel::new(table.values().len(), order);
    let p = table.output_modulus() as f64;
    let outputs: Vec<f64> = table.centered().iter().map(|&v| v as f64 / p).collect();
    let squares = kernel.errors(&outputs, fraction).into_iter().map(|e| (2.0 * p * e).powi(2));
    (squares.sum::<f64>() / outputs.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn reductions_of_a_toy() {
        for order in HermiteOrder::ALL {
            let parameters = Parameters::insecure_toy_of_order(8, 8, 1024, 1024, order).unwrap();
            let arguments = parsed("--bits 3 --errors 0.1 --errors 0.2");
            let record = measure(&parameters, &arguments).unwrap();
            check_line(&record);
            for Reduction { output_error, predicted, .. } in &record.reduction {
                let ratio = output_error / predicted;
                assert!((0.9..1.1).contains(&ratio), "{order:?}: {output_error:e}, {predicted:e}");
            }
        }
    }
}

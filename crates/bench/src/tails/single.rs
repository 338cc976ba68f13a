//! Tails of single values.

use cryptable_fhew::full_domain::{self, FullDomainMethod, LookupNoise, TableKind};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameter_choice::choose;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::test_polynomial::encode;
use cryptable_lattice::NoiseBound;
use cryptable_lattice::Table;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::{SAMPLES, TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::{timed, try_timed};
use crate::single::{Batch, Session};

/// log2 of the failure probability for which parameters are chosen.
const LOG2_FAIL: f64 = -64.0;

/// Measures lookups by a method with the fastest parameters that support it.
pub fn run(
    method: &'static dyn FullDomainMethod,
    arguments: &TailArguments,
) -> anyhow::Result<TailRecord> {
    let modulus = 1 << arguments.bits;
    let log2_fail = arguments.limits.log2_fail().unwrap_or(LOG2_FAIL);
    let parameters = choose(method, modulus, modulus, log2_fail)?;
    let mut record = measure(method, &parameters, arguments)?;
    record.contract.requested_log2_fail = Some(log2_fail);
    Ok(record)
}

/// Measures lookups of random values with these parameters. The outputs of the worst table alternate between 0 and P/2.
pub fn measure(
    method: &'static dyn FullDomainMethod,
    parameters: &Parameters,
    arguments: &TailArguments,
) -> anyhow::Result<TailRecord> {
    let p = 1u64 << arguments.bits;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let table = Table::from_fn(p, p, |x| match arguments.table {
        TableChoice::Worst => x % 2 * (p / 2),
        TableChoice::Random => rng.random_range(0..p),
    })?;
    let model = NoiseModel::new(parameters);
    let (law, prediction) = match arguments.table {
        TableChoice::Worst => {
            (LookupNoise::new(method, &model, p, p).result().law(), "law of the worst table")
        }
        TableChoice::Random => {
            let kind = TableKind::Given(&table);
            (method.noise(&model, kind, model.fresh().law()).output, "law of this table")
        }
    };
    let session = Session::new(parameters);
    let (encoded, prepare_s) = try_timed(|| method.encode(parameters, &table))?;
    let lookup = |input: &LweCiphertext| {
        let results = method.lookup_many(&session.key, &[&encoded], input);
        results.expect("inputs of these parameters").swap_remove(0)
    };
    let values: Vec<u64> =
        (0..arguments.lookups(SAMPLES, 1)).map(|_| rng.random_range(0..p)).collect();
    let encrypt = || values.iter().map(|&value| session.secret.encrypt(value, p)).collect();
    let (inputs, encrypt_s): (Result<Vec<_>, _>, f64) = timed(encrypt);
    let inputs = inputs?;
    let line = session.line(Batch::new(None, 3), &inputs, lookup);
    let results: Vec<LweCiphertext> = inputs.par_iter().map(lookup).collect();
    let (mut errors, mut wrong) = (Vec::with_capacity(results.len()), 0);
    for (&value, result) in values.iter().zip(&results) {
        let expected = table.output(value);
        wrong += usize::from(session.secret.decrypt(result, p)? != expected);
        let phase = encode(expected, p, parameters.lwe_modulus());
        errors.push(vec![2.0 * p as f64 * session.secret.phase_error(result, phase)?]);
    }
    let bound = NoiseBound::of_law(law.times(2.0 * p as f64), 0.0);
    let statistics = NoiseStatistics::new(&errors, bound, false);
    let bits = parameters.literal().log2_lwe_modulus as usize;
    let contract = Contract {
        method: method.name().to_owned(),
        prepare_s,
        encrypt_s: encrypt_s / values.len() as f64,
        input_bytes: bits.div_ceil(8),
        output_bytes: ((parameters.lwe_dimension() + 1) * bits).div_ceil(8),
        log2_fail: full_domain::log2_fail(method, &model, p, p),
        wrong,
        bits_in: f64::from(arguments.bits),
        bits_out: f64::from(arguments.bits),
        modulus_in: p,
        ..line.contract
    };
    Ok(TailRecord::new(arguments, contract, prediction, statistics))
}

//! Schedules and their execution: results, levels, noise, memory, what is refused.

use std::ops::ControlFlow;

use cryptable_bits::{Packing, Parameters, SecretKey};
use cryptable_circuits::execution::{
    PlainBits, SimulatedBits, SimulatedKey, SimulatedParameters, input_bits, output_words,
};
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::schedule::Operation;
use cryptable_circuits::{
    BitModel, Circuit, CircuitBuilder, Plan, PlanError, PlanOptions, Signal, execute, words,
};
use cryptable_lattice::{Error, FailureProbability, Progress};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn parameters(levels: usize) -> SimulatedParameters {
    SimulatedParameters {
        slots: 64,
        levels,
        deviation: 1e-6,
        boot_deviation: 1e-4,
        log2_fail: -80.0,
    }
}

fn adder(width: usize) -> Circuit {
    let mut builder = CircuitBuilder::new("adder");
    let (x, y) = (builder.input("x", width).unwrap(), builder.input("y", width).unwrap());
    let (mut sum, carry) = words::add_with_carry(&mut builder, &x, &y, Signal::FALSE);
    sum.push(carry);
    builder.output("sum", &sum).unwrap();
    builder.finish()
}

/// Levels of every value follow from the operations; nothing is read after it was freed; what is freed is not an output,
/// and in the end only outputs are left.
fn check_plan(plan: &Plan, all_levels: usize) {
    let mut live = vec![false; plan.value_count()];
    for step in plan.steps() {
        let operands = step.operation.operands();
        assert!(operands.iter().all(|&value| live[value]), "{step:?}");
        let left = operands.iter().map(|&value| plan.levels_of(value)).min();
        let expected = match step.operation {
            Operation::Input(_) | Operation::BinBoot(_) | Operation::GateBoot(..) => all_levels,
            Operation::CleaningGateBoot(..) => all_levels - 1,
            Operation::Not(_) | Operation::Union(..) => left.unwrap(),
            Operation::Gates(..) => left.unwrap() - 1,
            Operation::Clean(_) => left.unwrap() - 2,
        };
        assert_eq!(step.outputs.len(), step.operation.output_count());
        for value in step.outputs.clone() {
            assert_eq!(plan.levels_of(value), expected, "{step:?}");
            live[value] = true;
        }
        step.freed.iter().for_each(|&value| assert!(std::mem::take(&mut live[value])));
    }
    assert!((0..live.len()).all(|value| live[value] == plan.outputs().contains(&value)));
}

fn random_lanes(circuit: &Circuit) -> Vec<u64> {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    (0..circuit.input_bits()).map(|_| rng.random()).collect()
}

#[test]
fn plans_of_every_depth_compute_the_circuit() {
    let small = [NamedCircuit::Add32, NamedCircuit::Compare32, NamedCircuit::Multiply32];
    for named in small {
        let circuit = named.build();
        let lanes = random_lanes(&circuit);
        let expected = circuit.evaluate_lanes(&lanes).unwrap();
        let mut before = usize::MAX;
        for levels in [0, 1, 2, 3, 5, 8, 12, 40] {
            let options = PlanOptions { parallel: 1 + levels % 3, ..PlanOptions::default() };
            let plan = Plan::new(&circuit, &parameters(levels), &options).unwrap();
            check_plan(&plan, levels);
            let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
            assert_eq!(outputs, expected, "{named:?} with {levels} levels");
            let bootstraps = plan.counts().bootstraps();
            println!("{named:?} with {levels} levels: {bootstraps} bootstraps");
            // More levels never take more bootstraps, but for what the search misses.
            assert!(bootstraps <= before + before / 10, "{before}, then {bootstraps}");
            before = bootstraps;
        }
        // 40 levels are enough for all; deep gates are too noisy without any bootstrap.
        assert!(before <= 24, "{named:?}");
    }
}

#[test]
fn aes_bootstraps_sums() {
    let circuit = NamedCircuit::Aes128.build();
    let plan = Plan::new(&circuit, &parameters(10), &PlanOptions::default()).unwrap();
    check_plan(&plan, 10);
    println!("{plan}");
    let counts = plan.counts();
    // 10 rounds of 128 bits and 10 columns of 32 bits of the key schedule, some of them twice, and some within S-boxes.
    assert!(counts.bootstraps() < 5 * 1600 / 2, "{counts:?}");
    assert!(counts.longest_sum > 4);
    let lanes = random_lanes(&circuit);
    let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
    assert_eq!(outputs, circuit.evaluate_lanes(&lanes).unwrap());
    // The state and the key, some S-boxes, and no more.
    assert!(plan.ciphertext_bytes() < 1200 * parameters(10).ciphertext_bytes(10));
}

#[test]
fn simulated_bits_keep_to_levels_and_noise() {
    for named in [NamedCircuit::Add32, NamedCircuit::Compare32, NamedCircuit::Multiply32] {
        let circuit = named.build();
        let lanes = random_lanes(&circuit);
        let expected = circuit.evaluate_lanes(&lanes).unwrap();
        for (levels, boot_deviation) in [(0, 1e-4), (2, 1e-3), (4, 1e-2), (10, 1e-3)] {
            let parameters = SimulatedParameters { boot_deviation, ..parameters(levels) };
            let options = PlanOptions { parallel: 2, ..PlanOptions::default() };
            let plan = Plan::new(&circuit, &parameters, &options).unwrap();
            check_plan(&plan, levels);
            let key = SimulatedKey::new(parameters, 5);
            let bits =
                |lane: &u64| key.encrypt(&(0..64).map(|k| lane >> k & 1 == 1).collect::<Vec<_>>());
            let inputs: Vec<SimulatedBits> = lanes.iter().map(bits).collect();
            let outputs = execute(&plan, &key, inputs, Progress::silent()).unwrap();
            for ((found, &expected), &value) in outputs.iter().zip(&expected).zip(plan.outputs()) {
                assert_eq!(found.levels, plan.levels_of(value));
                let bit = |k: usize| f64::from(expected >> k & 1 == 1);
                let square = |(k, x): (usize, &f64)| (x - bit(k)).powi(2);
                let mean = found.values.iter().enumerate().map(square).sum::<f64>() / 64.0;
                // 64 samples: a deviation is off by a third once in 10^4.
                let predicted = plan.deviation_of(value);
                assert!(mean.sqrt() < 1.4 * predicted, "{} above {predicted}", mean.sqrt());
            }
        }
    }
}

#[test]
fn encrypted_words_are_added() {
    let circuit = adder(3);
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let plan = Plan::new(&circuit, &parameters, &PlanOptions::default()).unwrap();
    println!("{plan}");
    let secret = SecretKey::generate(&parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let pairs: Vec<Vec<u128>> = (0..64).map(|k| vec![k & 7, k >> 3]).collect();
    let inputs = input_bits(&[3, 3], &pairs);
    let inputs = inputs.iter().map(|bits| secret.encrypt(bits).unwrap()).collect();
    let outputs = execute(&plan, &server, inputs, Progress::silent()).unwrap();
    for (bits, &value) in outputs.iter().zip(plan.outputs()) {
        assert_eq!(bits.levels(), plan.levels_of(value));
        assert!((bits.noise().deviation() / plan.deviation_of(value) - 1.0).abs() < 1e-9);
    }
    let bits: Vec<_> = outputs.iter().map(|bits| secret.decrypt(bits).unwrap()).collect();
    for (word, sum) in pairs.iter().zip(output_words(&[4], &bits)) {
        assert_eq!(word[0] + word[1], sum[0]);
    }
}

#[test]
fn constants_inputs_and_doubled_outputs() {
    let mut builder = CircuitBuilder::new("ports");
    let x = builder.input("x", 2).unwrap();
    let xor = builder.xor(x[0], x[1]);
    builder.output("y", &[Signal::TRUE, Signal::FALSE, x[0], !x[0], xor, !xor, xor]).unwrap();
    let circuit = builder.finish();
    let plan = Plan::new(&circuit, &parameters(3), &PlanOptions::default()).unwrap();
    check_plan(&plan, 3);
    let lanes = vec![0b0101, 0b0011];
    let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
    assert_eq!(outputs, circuit.evaluate_lanes(&lanes).unwrap());
}

#[test]
fn what_does_not_hold_is_refused() {
    let circuit = adder(8);
    let plan = |parameters: SimulatedParameters, options: PlanOptions| {
        Plan::new(&circuit, &parameters, &options).map(|_| ()).unwrap_err()
    };
    let options = PlanOptions::default();
    // Bits that a bootstrap does not clean.
    let noisy = SimulatedParameters { boot_deviation: 0.1, ..parameters(3) };
    let error = plan(noisy, options);
    assert!(matches!(error, PlanError::Noise { .. }));
    let message = error.to_string();
    assert!(
        message.contains("which output sum[") && message.contains("above 2^-80.0"),
        "{message}"
    );
    let error = plan(parameters(3), PlanOptions { memory_limit: Some(1000), ..options });
    assert!(
        error
            .to_string()
            .contains("bytes of memory, above the limit of 1000; most ciphertexts live at step")
    );
    let limit = FailureProbability::from_log2(-79.0);
    let error = plan(parameters(3), PlanOptions { failure_limit: Some(limit), ..options });
    assert!(matches!(error, PlanError::Failure { .. }), "{error}");
    let mut builder = CircuitBuilder::new("constant");
    builder.output("y", &[Signal::TRUE]).unwrap();
    let error = Plan::new(&builder.finish(), &parameters(3), &options).unwrap_err();
    assert_eq!(error, PlanError::NoInputs);
}

#[test]
fn runs_stop_when_asked_to_and_on_errors() {
    let circuit = adder(8);
    let options = PlanOptions { parallel: 2, ..PlanOptions::default() };
    let plan = Plan::new(&circuit, &parameters(3), &options).unwrap();
    let stop = |done: usize, _: usize| {
        if done < 30 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let result = execute(&plan, &PlainBits, random_lanes(&circuit), Progress::new(&stop));
    assert!(matches!(result, Err(Error::Cancelled { done: 30.., .. })));
    let result = execute(&plan, &PlainBits, vec![0; 3], Progress::silent());
    assert!(matches!(result, Err(Error::Mismatch { .. })));
    // An engine with fewer levels than the plan counts on.
    let key = SimulatedKey::new(parameters(0), 1);
    let inputs = (0..16).map(|_| key.encrypt(&[true; 64])).collect();
    let result = execute(&plan, &key, inputs, Progress::silent());
    assert!(matches!(result, Err(Error::TooSmall { .. })));
}

//! Schedules and their execution: results, levels, noise, memory, refusals.

use std::ops::ControlFlow;
use std::sync::Mutex;

use cryptable_bits::{BitTable, EvaluationKey, Packing, Parameters, SecretKey};
use cryptable_circuits::execution::{
    PlainBits, SimulatedBits, SimulatedKey, SimulatedParameters, execute_with, input_bits,
    output_words,
};
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::schedule::{InputSupply, Operation};
use cryptable_circuits::{
    BitModel, Candidate, Candidates, Circuit, CircuitBuilder, InputLevels, Plan, PlanError,
    PlanOptions, Signal, execute, words,
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
        log2_fail: -96.0,
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

/// Checks that levels of every value follow from the operations, nothing is read after it was freed, outputs are never
/// freed, and only outputs are left in the end.
fn check_plan(plan: &Plan, parameters: &impl BitModel) {
    let all_levels = parameters.levels_after_bootstrap();
    let mut live = vec![false; plan.value_count()];
    for step in plan.steps() {
        let operands = step.operation.operands();
        assert!(operands.iter().all(|&value| live[value]), "{step:?}");
        let left = operands.iter().map(|&value| plan.levels_of(value)).min();
        let expected = match &step.operation {
            Operation::Input(bit) => plan.input_levels()[*bit],
            Operation::BinBoot(_) | Operation::GateBoot(..) => all_levels,
            Operation::SumBoot(gates, _) => all_levels - parameters.levels_of_sum_boot(gates),
            Operation::Lower(_) => plan.levels_of(step.outputs.start),
            Operation::CleaningGateBoot(..) => all_levels - 1,
            Operation::Not(_) | Operation::Union(..) => left.unwrap(),
            Operation::Gates(..) => left.unwrap() - 1,
            Operation::Clean(_) => left.unwrap() - 2,
            Operation::Tables(tables) => {
                assert!(left.unwrap() >= tables.levels + tables.tables[0].levels());
                tables.levels
            }
        };
        assert_eq!(step.outputs.len(), step.operation.output_count());
        for value in step.outputs.clone() {
            assert_eq!(plan.levels_of(value), expected, "{step:?}");
            live[value] = true;
        }
        if matches!(step.operation, Operation::Lower(_)) {
            assert!(expected < left.unwrap());
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
            check_plan(&plan, &parameters(levels));
            let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
            assert_eq!(outputs, expected, "{named:?} with {levels} levels");
            let bootstraps = plan.counts().bootstraps();
            println!("{named:?} with {levels} levels: {bootstraps} bootstraps");
            // More levels never need more bootstraps, up to what the search misses.
            assert!(bootstraps <= before + before / 10, "{before}, then {bootstraps}");
            before = bootstraps;
        }
        // 40 levels are enough for all; deep gates are too noisy without any bootstrap, and gates on fewer levels cheaper.
        assert!(before <= 32, "{named:?}");
    }
}

#[test]
#[ignore = "a minute: run by make test-all"]
fn aes_bootstraps_sums() {
    let circuit = NamedCircuit::Aes128BoyarPeralta.build();
    let plan = Plan::new(&circuit, &parameters(10), &PlanOptions::default()).unwrap();
    check_plan(&plan, &parameters(10));
    println!("{plan}");
    let counts = plan.counts();
    // 10 rounds of 128 bits and 10 columns of 32 bits of the key schedule, some of them twice, and some within S-boxes.
    assert!(counts.bootstraps() < 5 * 1600 / 2, "{counts:?}");
    assert!(counts.longest_sum > 4);
    let lanes = random_lanes(&circuit);
    let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
    assert_eq!(outputs, circuit.evaluate_lanes(&lanes).unwrap());
    // Holds the state, the key and some S-boxes at a time.
    assert!(plan.ciphertext_bytes() < 1200 * parameters(10).ciphertext_bytes(10));
}

/// With four levels, only the state is bootstrapped, after MixColumns and the round key, and gates add the first and
/// the last round key. In the key schedule, only the inputs of S-boxes and long sums are bootstrapped.
#[test]
fn aes_by_tables_bootstraps_the_state() {
    let keys =
        [(NamedCircuit::Aes128ExpandedKey, 9 * 128, 160), (NamedCircuit::Aes128, 20 * 128, 200)];
    for (named, at_most, groups) in keys {
        let circuit = named.build();
        let plan = Plan::new(&circuit, &parameters(4), &PlanOptions::default()).unwrap();
        check_plan(&plan, &parameters(4));
        println!("{plan}");
        let counts = plan.counts();
        assert!(counts.bootstraps() <= at_most, "{counts:?}");
        assert_eq!(counts.table_groups, groups);
        let lanes = random_lanes(&circuit);
        let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
        assert_eq!(outputs, circuit.evaluate_lanes(&lanes).unwrap());
    }
}

/// Two layers of tables of five and four bits; the second one reads XORs of the first.
fn layers_of_tables() -> Circuit {
    let mut builder = CircuitBuilder::new("tables");
    let x = builder.input("x", 6).unwrap();
    let layer = |builder: &mut CircuitBuilder, inputs: &[Signal], seed: usize| {
        let table = |k: usize| {
            let output = |x: usize| (x * 0x9e37 + (seed + k) * x * x) >> 5 & 1 == 1;
            BitTable::from_fn(inputs.len(), output).unwrap()
        };
        (0..6).map(|k| builder.table(&table(k), inputs)).collect::<Vec<Signal>>()
    };
    let first = layer(&mut builder, &x[..5], 1);
    let sums: Vec<_> = (0..4).map(|k| builder.xor_all(&[first[k], first[k + 1], x[5]])).collect();
    let second = layer(&mut builder, &sums, 7);
    builder.output("y", &second).unwrap();
    builder.finish()
}

#[test]
fn tables_on_encrypted_bits() {
    let circuit = layers_of_tables();
    let parameters = Parameters::insecure_toy_tables(Packing::Complex).unwrap();
    let plan = Plan::new(&circuit, &parameters, &PlanOptions::default()).unwrap();
    check_plan(&plan, &parameters);
    println!("{circuit}\n{plan}");
    assert!(plan.counts().table_groups >= 2 && plan.counts().bootstraps() == 4);
    let secret = SecretKey::generate(&parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let arguments: Vec<Vec<u128>> = (0..64).map(|x| vec![x]).collect();
    let inputs = input_bits(&[6], &arguments);
    let inputs = inputs.iter().map(|bits| secret.encrypt(bits).unwrap()).collect();
    let outputs = execute(&plan, &server, inputs, Progress::silent()).unwrap();
    for (bits, &value) in outputs.iter().zip(plan.outputs()) {
        assert_eq!(bits.levels(), plan.levels_of(value));
        assert!((bits.noise().deviation() / plan.deviation_of(value) - 1.0).abs() < 1e-9);
    }
    let bits: Vec<_> = outputs.iter().map(|bits| secret.decrypt(bits).unwrap()).collect();
    for (x, y) in arguments.iter().zip(output_words(&[6], &bits)) {
        assert_eq!(circuit.evaluate_words(x).unwrap(), y);
    }
}

#[test]
fn tables_that_take_too_many_levels_are_refused() {
    let error = Plan::new(&layers_of_tables(), &parameters(2), &PlanOptions::default());
    let expected = PlanError::Levels { inputs: 5, needed: 3, found: 2 };
    assert_eq!(error.map(|_| ()).unwrap_err(), expected);
}

/// Inputs that are made when they are needed are requested once each, and use memory only from then on.
#[test]
fn inputs_when_needed() {
    let circuit = NamedCircuit::Aes128ExpandedKey.build();
    let lanes = random_lanes(&circuit);
    let plan = |supply: InputSupply| {
        let options = PlanOptions { supply, ..PlanOptions::default() };
        Plan::new(&circuit, &parameters(4), &options).unwrap()
    };
    let (all, late) = (plan(InputSupply::AllAtOnce), plan(InputSupply::WhenNeeded));
    check_plan(&late, &parameters(4));
    assert!(3 * late.ciphertext_bytes() < all.ciphertext_bytes());
    let asked = Mutex::new(vec![0; lanes.len()]);
    let input = |bit: usize| {
        asked.lock().unwrap()[bit] += 1;
        Ok(lanes[bit])
    };
    let outputs = execute_with(&late, &PlainBits, &input, Progress::silent()).unwrap();
    assert_eq!(outputs, circuit.evaluate_lanes(&lanes).unwrap());
    assert!(asked.into_inner().unwrap().iter().all(|&count| count == 1));
    let refuse = |bit: usize| match bit {
        700 => Err(Error::TooSmall { name: "input", value: 0, limit: 1 }),
        _ => Ok(lanes[bit]),
    };
    let result = execute_with(&late, &PlainBits, &refuse, Progress::silent());
    assert!(matches!(result, Err(Error::TooSmall { name: "input", .. })));
}

#[test]
fn simulated_bits_keep_to_levels_and_noise() {
    let named = [NamedCircuit::Add32, NamedCircuit::Compare32, NamedCircuit::Multiply32];
    for circuit in named.map(NamedCircuit::build).into_iter().chain([layers_of_tables()]) {
        let lanes = random_lanes(&circuit);
        let expected = circuit.evaluate_lanes(&lanes).unwrap();
        for (levels, boot_deviation) in [(0, 1e-4), (2, 1e-3), (4, 1e-2), (10, 1e-3)] {
            if circuit.statistics().tables > 0 && levels < 3 {
                continue;
            }
            let parameters = SimulatedParameters { boot_deviation, ..parameters(levels) };
            let options = PlanOptions { parallel: 2, ..PlanOptions::default() };
            let plan = Plan::new(&circuit, &parameters, &options).unwrap();
            check_plan(&plan, &parameters);
            let key = SimulatedKey::new(parameters, 5);
            let bits = |(lane, levels): (&u64, usize)| {
                key.encrypt(&(0..64).map(|k| lane >> k & 1 == 1).collect::<Vec<_>>(), levels)
            };
            let inputs: Vec<SimulatedBits> =
                lanes.iter().zip(plan.input_levels()).map(bits).collect();
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

/// Runs a plan on encrypted words. Every output has the levels and the noise that the plan states.
fn run_encrypted(
    plan: &Plan,
    secret: &SecretKey,
    server: &EvaluationKey,
    widths: &[usize],
    words: &[Vec<u128>],
) -> Vec<Vec<bool>> {
    let inputs = input_bits(widths, words);
    let inputs = inputs.iter().zip(plan.input_levels());
    let inputs = inputs.map(|(bits, levels)| secret.encrypt_at(bits, levels).unwrap()).collect();
    let outputs = execute(plan, server, inputs, Progress::silent()).unwrap();
    for (bits, &value) in outputs.iter().zip(plan.outputs()) {
        assert_eq!(bits.levels(), plan.levels_of(value));
        assert!((bits.noise().deviation() / plan.deviation_of(value) - 1.0).abs() < 1e-9);
    }
    outputs.iter().map(|bits| secret.decrypt(bits).unwrap()).collect()
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
    let bits = run_encrypted(&plan, &secret, &server, &[3, 3], &pairs);
    for (word, sum) in pairs.iter().zip(output_words(&[4], &bits)) {
        assert_eq!(word[0] + word[1], sum[0]);
    }
}

/// If every gate is a bootstrap, a ripple-carry adder of n bits needs two of them per bit, or one with a level for
/// functions of sums. With more levels, products are cheaper.
#[test]
fn adders_take_one_bootstrap_or_two() {
    let circuits = NamedCircuit::Add32.variants();
    let lanes = random_lanes(&circuits[0]);
    let expected = circuits[0].evaluate_lanes(&lanes).unwrap();
    for (levels, most) in [(0, 64), (1, 32)] {
        let parameters = parameters(levels);
        let plan = Plan::cheapest(&circuits, &parameters, &PlanOptions::default()).unwrap();
        println!("{levels} levels:\n{plan}");
        check_plan(&plan, &parameters);
        let counts = plan.counts();
        assert!(counts.bootstraps() <= most && counts.adders > 0, "{levels} levels: {counts:?}");
        let outputs = execute(&plan, &PlainBits, lanes.clone(), Progress::silent()).unwrap();
        assert_eq!(outputs, expected, "{levels} levels");
    }
}

/// Sets of 128 bits, including those without levels for gates, run sums, comparisons and products, and the failure
/// probability of all words of a ciphertext is at most 2^-64.
#[test]
fn all_sets_have_plans() {
    let options = PlanOptions::default();
    for named in [NamedCircuit::Add32, NamedCircuit::Compare32] {
        let candidates = Candidates::of_all_sets(&named.variants(), None, &options).unwrap();
        assert!(candidates.refused.is_empty(), "{:?}", candidates.refused);
        for Candidate { name, plan, .. } in &candidates.found {
            println!("{name}:\n{plan}");
            assert!(plan.failure().log2() <= -64.0);
        }
        let times: Vec<_> = candidates.found.iter().map(|it| it.seconds(None)).collect();
        assert!(times.is_sorted());
        // A single word uses a ciphertext of many: small ciphertexts are faster.
        let few = Candidates::of_all_sets(&named.variants(), Some(1), &options).unwrap();
        assert!(few.found.is_sorted_by(|a, b| a.seconds(Some(1)) <= b.seconds(Some(1))));
        assert_eq!(few.found.len(), candidates.found.len() + 3, "{:?}", few.refused);
        assert_eq!(few.found[0].name, "balanced-256");
        let best = [&candidates, &few].map(|it| it.found[0].seconds(Some(1)));
        println!("one word: {:.2} s of sparse slots, {:.2} s of full ones", best[1], best[0]);
        assert!(best[1] < 0.65 * best[0]);
    }
    let multiply = NamedCircuit::Multiply32.variants();
    let parameters = Parameters::latency_128(Packing::Real).unwrap();
    let plan = Plan::cheapest(&multiply, &parameters, &options).unwrap();
    assert!(plan.counts().bootstraps() < 2000 && plan.failure().log2() <= -64.0);
}

/// Bits have the levels that their readers need. This holds for inputs, too: a file may have more levels, but not
/// fewer.
#[test]
fn levels_that_nobody_needs_are_given_up() {
    let circuit = NamedCircuit::Compare32.build();
    let parameters = parameters(12);
    let plan = |inputs: InputLevels| {
        let options = PlanOptions { inputs, ..PlanOptions::default() };
        Plan::new(&circuit, &parameters, &options)
    };
    let needed = plan(InputLevels::Needed).unwrap();
    let all = plan(InputLevels::Given(vec![12; 64])).unwrap();
    check_plan(&needed, &parameters);
    check_plan(&all, &parameters);
    assert!(needed.input_levels().iter().all(|&levels| levels == 6), "{:?}", needed.input_levels());
    assert!(needed.outputs().iter().all(|&value| needed.levels_of(value) == 0));
    assert_eq!(all.input_levels(), [12; 64]);
    assert!(needed.ciphertext_bytes() * 3 < all.ciphertext_bytes() * 2);
    assert!(needed.seconds() < all.seconds());
    let mut few = needed.input_levels();
    few[40] = 0;
    let error = plan(InputLevels::Given(few)).unwrap_err();
    assert!(matches!(&error, PlanError::InputLevels { input, .. } if input == "y[8]"), "{error}");
    // A file may claim anything: no bit has more than all levels.
    let absurd = plan(InputLevels::Given(vec![usize::MAX; 64])).unwrap();
    assert_eq!(absurd.input_levels(), [12; 64]);
    assert!(plan(InputLevels::Given(Vec::new())).is_err());
    // Inputs with more levels than the plan states are lowered at its start.
    let lanes = random_lanes(&circuit);
    let key = SimulatedKey::new(parameters, 5);
    let bits =
        |lane: &u64| key.encrypt(&(0..64).map(|k| lane >> k & 1 == 1).collect::<Vec<_>>(), 12);
    let inputs: Vec<SimulatedBits> = lanes.iter().map(bits).collect();
    let outputs = execute(&needed, &key, inputs, Progress::silent()).unwrap();
    assert!(outputs.iter().all(|bits| bits.levels == 0));
}

/// The primes of `functions_128`, which has one level, at ring degree 2^10.
fn toy_of_functions() -> Parameters {
    let packing = Packing::Complex;
    let functions = Parameters::functions_128(packing).unwrap().literal().clone();
    let mut literal = Parameters::insecure_toy(packing).unwrap().literal().clone();
    literal.slots_to_coeffs.primes = functions.slots_to_coeffs.primes;
    literal.gates = functions.gates;
    literal.exponential = functions.exponential;
    literal.limbs = functions.limbs;
    Parameters::new(literal).unwrap()
}

/// Full adders under encryption: carry and sum from one bootstrap.
#[test]
fn encrypted_words_are_added_by_adders() {
    let mut builder = CircuitBuilder::new("ripple");
    let (x, y) = (builder.input("x", 4).unwrap(), builder.input("y", 4).unwrap());
    let (mut sum, carry) = words::add_with_carry_by_ripple(&mut builder, &x, &y, Signal::TRUE);
    sum.push(carry);
    builder.output("sum", &sum).unwrap();
    let circuit = builder.finish();
    let parameters = toy_of_functions();
    let plan = Plan::new(&circuit, &parameters, &PlanOptions::default()).unwrap();
    println!("{plan}");
    assert!(plan.counts().adders > 0);
    let secret = SecretKey::generate(&parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let pairs: Vec<Vec<u128>> = (0..256).map(|k| vec![k & 15, k >> 4]).collect();
    let bits = run_encrypted(&plan, &secret, &server, &[4, 4], &pairs);
    // Keys need the memory that the plan states, to the byte.
    assert_eq!(server.memory_bytes(), plan.key_bytes());
    for (word, sum) in pairs.iter().zip(output_words(&[5], &bits)) {
        assert_eq!(word[0] + word[1] + 1, sum[0]);
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
    check_plan(&plan, &parameters(3));
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
    let error = plan(noisy, options.clone());
    assert!(matches!(error, PlanError::Noise { .. }));
    let message = error.to_string();
    assert!(
        message.contains("which output sum[") && message.contains("above 2^-96.0"),
        "{message}"
    );
    let error = plan(parameters(3), PlanOptions { memory_limit: Some(1000), ..options.clone() });
    assert!(
        error
            .to_string()
            .contains("bytes of memory, above the limit of 1000; most ciphertexts live at step")
    );
    let limit = FailureProbability::from_log2(-95.0);
    let error = plan(parameters(3), PlanOptions { failure_limit: Some(limit), ..options.clone() });
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
    let inputs = (0..16).map(|_| key.encrypt(&[true; 64], 0)).collect();
    let result = execute(&plan, &key, inputs, Progress::silent());
    assert!(matches!(result, Err(Error::TooSmall { .. })));
}

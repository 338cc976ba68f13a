//! `bench circuit`: binary circuits on packed bits, scheduled and run.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cryptable_bits::{EvaluationKey, NamedSet, Parameters, SecretKey};
use cryptable_circuits::execution::{execute_with, input_bits, output_words};
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::schedule::InputSupply;
use cryptable_circuits::{Circuit, Plan, PlanOptions};
use cryptable_lattice::Progress;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::circuit_words::CheckedWords;
use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, timed, try_timed};

/// A circuit by its name.
fn named_circuit() -> impl TypedValueParser<Value = NamedCircuit> {
    let shown = |it: NamedCircuit| PossibleValue::new(it.name()).help(it.description());
    let names = PossibleValuesParser::new(NamedCircuit::ALL.map(shown));
    names.map(|name| NamedCircuit::by_name(&name).expect("a name of the list"))
}

/// A parameter set by its name.
fn named_set() -> impl TypedValueParser<Value = NamedSet> {
    let names = PossibleValuesParser::new(NamedSet::ALL.map(NamedSet::name));
    names.map(|name| NamedSet::by_name(&name).expect("a name of the list"))
}

/// Arguments of `bench circuit`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench circuit --circuit add32 --set balanced"
)]
pub struct CircuitArguments {
    /// Circuit to run.
    #[arg(long, value_parser = named_circuit(), default_value = "add32")]
    circuit: NamedCircuit,
    /// Parameter set.
    #[arg(long, value_parser = named_set(), default_value = "balanced")]
    set: NamedSet,
    /// Print the plan without running it.
    #[arg(long)]
    plan: bool,
    /// Number of steps that run at once; each of them is parallel, too.
    #[arg(long, default_value_t = 1)]
    parallel: usize,
    /// Maximum memory of the plan in GB, including keys.
    #[arg(long)]
    memory: Option<f64>,
    /// Evaluations, each of different words, to take the median time of.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Seed of the random words.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: the contract, and the fields of the plan.
#[derive(Debug, Serialize)]
struct CircuitRecord {
    #[serde(flatten)]
    contract: Contract,
    /// The parameter set.
    set: String,
    /// Bootstraps of the plan.
    bootstraps: usize,
    /// Number of adders among them.
    adders: usize,
    /// Bits that are lowered.
    lowerings: usize,
    /// Gates between bootstraps.
    gates: usize,
    /// Products that these gates need.
    products: usize,
    /// Tables of up to eight bits.
    tables: usize,
    /// Cleanings.
    cleanings: usize,
    /// Largest number of successive products of the circuit without bootstraps.
    depth: usize,
    /// Seconds of planning.
    plan_s: f64,
    /// Predicted time on one thread, in units.
    predicted_units: f64,
    /// Predicted memory, keys included.
    predicted_bytes: usize,
    /// Bytes of the evaluation key, with its matrices.
    predicted_key_bytes: usize,
    /// log2 of the probability that any output of one word is wrong, at most.
    log2_fail_per_value: f64,
}

/// Inputs of a benchmark.
struct Run<'a> {
    named: NamedCircuit,
    circuit: &'a Circuit,
    plan: &'a Plan,
    parameters: &'a Parameters,
}

/// Runs a benchmark.
pub fn run(arguments: &CircuitArguments, json: bool) -> anyhow::Result<()> {
    let named = arguments.circuit;
    let parameters = arguments.set.parameters()?;
    let circuits = named.variants();
    let memory_limit = arguments.memory.map(|gigabytes| (gigabytes * 1e9) as usize);
    let options = PlanOptions {
        parallel: arguments.parallel,
        memory_limit,
        supply: InputSupply::WhenNeeded,
        ..PlanOptions::default()
    };
    let (plan, plan_s) = timed(|| Plan::cheapest(&circuits, &parameters, &options));
    let circuit = &circuits[0];
    let plan = plan?;
    if !json || arguments.plan {
        eprintln!("{circuit}\n{plan}");
    }
    if arguments.plan {
        return Ok(());
    }
    let run = Run { named, circuit, plan: &plan, parameters: &parameters };
    let record = run.measure(plan_s, arguments)?;
    print_line(&record, json)
}

impl Run<'_> {
    fn measure(&self, plan_s: f64, arguments: &CircuitArguments) -> anyhow::Result<CircuitRecord> {
        let Self { circuit, plan, parameters, .. } = *self;
        let secret = SecretKey::generate(parameters);
        let (server, keygen_s) = try_timed(|| secret.evaluation_key(Progress::silent()))?;
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let mut contract = Contract {
            method: "circuit".into(),
            table: self.named.name().into(),
            bits_in: circuit.input_bits() as f64,
            bits_out: circuit.output_bits() as f64,
            ring_degree: parameters.literal().ring_degree,
            keygen_s,
            log2_fail: plan.failure().log2(),
            security_bits: parameters.security_bits(),
            ..Contract::here()
        };
        let (mut runs, mut checked) = (Runs::start(), Checked::default());
        for _ in 0..arguments.runs.max(1) {
            let words = CheckedWords::random(self.named, circuit, parameters.bits(), &mut rng)?;
            runs.add(self.evaluate(&secret, &server, &words, &mut contract, &mut checked)?);
        }
        // Matrices are encoded when they are first used.
        contract.eval_key_bytes = server.memory_bytes();
        // A bit is wrong at a distance of 1/2.
        checked.enter(&mut contract, 0.5);
        runs.enter(&mut contract, parameters.bits(), 0.0);
        let (counts, cost) = (plan.counts(), PlanOptions::default().cost);
        Ok(CircuitRecord {
            contract,
            set: arguments.set.name().to_owned(),
            bootstraps: counts.bootstraps(),
            adders: counts.adders,
            lowerings: counts.lowerings,
            gates: counts.gates,
            products: counts.products,
            tables: counts.tables,
            cleanings: counts.cleanings,
            depth: circuit.statistics().depth,
            plan_s,
            predicted_units: cost.seconds(&plan.work()) / cost.unit(),
            predicted_bytes: plan.memory_bytes(),
            predicted_key_bytes: plan.key_bytes(),
            log2_fail_per_value: plan.word_failure().log2(),
        })
    }

    /// Runs one evaluation, and checks every word. Inputs are encrypted when they are needed; the time of encryption is not
    /// counted if nothing else runs at the same time.
    fn evaluate(
        &self,
        secret: &SecretKey,
        server: &EvaluationKey,
        words: &CheckedWords,
        contract: &mut Contract,
        checked: &mut Checked,
    ) -> anyhow::Result<f64> {
        let widths: Vec<_> = self.circuit.inputs().iter().map(|word| word.width).collect();
        let bits = input_bits(&widths, &words.inputs);
        let encrypt_s = Mutex::new(0.0);
        let levels = self.plan.input_levels();
        let input = |bit: usize| {
            let (encrypted, time) = timed(|| secret.encrypt_at(&bits[bit], levels[bit]));
            *encrypt_s.lock().expect("no panic under lock") += time;
            encrypted
        };
        let tell = told_by_percent();
        let (outputs, time) =
            try_timed(|| execute_with(self.plan, server, &input, Progress::new(&tell)))?;
        contract.encrypt_s = encrypt_s.into_inner().expect("no panic under lock");
        let hidden = if self.plan.parallel() == 1 { contract.encrypt_s } else { 0.0 };
        let widths: Vec<_> = self.circuit.outputs().iter().map(|word| word.signals.len()).collect();
        let decrypted = outputs.iter().map(|bits| secret.decrypt(bits));
        let results = output_words(&widths, &decrypted.collect::<Result<Vec<_>, _>>()?);
        checked.compare(&results, &words.outputs);
        for (bits, expected) in outputs.iter().zip(input_bits(&widths, &words.outputs)) {
            checked.errors(secret.errors(bits, &expected)?);
        }
        Ok(time - hidden)
    }
}

/// Returns a callback that reports on standard error after every twentieth of long work, with the time left at this pace.
fn told_by_percent() -> impl Fn(usize, usize) -> ControlFlow<()> + Sync {
    let start = Instant::now();
    move |done, total| {
        let parts = |done: usize| 20 * done / total.max(1);
        if done > 0 && parts(done) > parts(done - 1) && start.elapsed() > Duration::from_secs(10) {
            let passed = start.elapsed().as_secs_f64();
            let left = passed * (total - done) as f64 / done as f64;
            eprintln!("{} % after {passed:.0} s, {left:.0} s left", 5 * parts(done));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn a_comparison_on_a_toy() {
        let arguments = parsed("--set throughput --parallel 2");
        let named = NamedCircuit::Compare32;
        let circuit = named.build();
        let toy = Parameters::insecure_toy_throughput().unwrap();
        let plan = Plan::new(&circuit, &toy, &PlanOptions::default()).unwrap();
        let run = Run { named, circuit: &circuit, plan: &plan, parameters: &toy };
        let record = run.measure(0.0, &arguments).unwrap();
        check_line(&record);
        assert_eq!((record.contract.wrong, record.contract.values_checked), (0, toy.bits()));
    }
}

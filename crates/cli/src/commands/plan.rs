//! `cryptable plan`: predictions before any key is generated.

use anyhow::Result;
use clap::Args;
use cryptable::{Candidate, Engine, KeyParameters};
use serde_json::{Value, json};

use super::explain;
use super::parameter_list;
use super::parameters::{self, ParameterReport};
use super::planned_job::PlannedJob;
use super::{aes, bridge, circuit, compare, frame, integers, wide};
use crate::args::jobs::{Job, PlanFileArgs};
use crate::args::{Global, PlanArgs};
use crate::atomic_file::{self, Access};
use crate::ciphertext_file::ciphertexts;
use crate::progress;
use crate::report::{self, Report, bytes, seconds};

/// Width of the printed report, in columns.
const COLUMNS: usize = 100;

/// Plans keys and prints the predictions.
pub fn run(global: Global, args: PlanArgs) -> Result<()> {
    match &args.job {
        Some(job) => {
            let planned = plan_job(global, job)?;
            write(job.files(), &planned.parameters)?;
            planned.print(global)
        }
        None => plan_lookups(global, args),
    }
}

/// Plans a job.
pub fn plan_job<F: Args>(global: Global, job: &Job<F>) -> Result<PlannedJob> {
    match job {
        Job::Compare(it) => compare::plan(global, &it.job),
        Job::Integers(it) => integers::plan(global, &it.job),
        Job::Wide(it) => wide::plan(global, &it.job),
        Job::Bridge(it) => bridge::plan(global, &it.job),
        Job::Circuit(it) => circuit::plan(global, &it.job),
        Job::Program(it) => frame::plan(global, &it.job),
        Job::Aes(it) => aes::plan(&it.job),
    }
}

fn plan_lookups(global: Global, mut args: PlanArgs) -> Result<()> {
    if args.list_parameters {
        return parameter_list::run(global, args.csv);
    }
    let note = parameters::resolve_table(&mut args.parameters)?;
    let request = parameters::request(&args.parameters);
    let plan =
        progress::spinner(global, "planning", || parameters::plan(&request, &args.parameters))
            .map_err(|error| parameters::with_hint(error, &args.parameters))?;
    write(&args.file, &plan.best().parameters().into())?;
    report::result(global, &report_of(&plan, parameters::memory_limit(&args.parameters)))?;
    report::note(global, note.as_ref());
    Ok(())
}

/// Writes the parameters of a plan to a file, if the arguments name one.
fn write(args: &PlanFileArgs, parameters: &KeyParameters) -> Result<()> {
    let Some(path) = &args.output else { return Ok(()) };
    atomic_file::write(path, Access::Public, &parameters.to_file(), true).map(drop)
}

/// One way to fulfil the request, and its parameters.
struct Way<'a> {
    plan: &'a cryptable::Plan,
    candidate: &'a Candidate,
    parameters: ParameterReport,
}

impl<'a> Way<'a> {
    fn new(plan: &'a cryptable::Plan, candidate: &'a Candidate) -> Self {
        Self { plan, candidate, parameters: ParameterReport::new(candidate.parameters()) }
    }

    /// Returns the predicted seconds for all values on one thread.
    fn on_one_thread(&self) -> f64 {
        let (plan, prediction) = (self.plan, self.candidate.prediction());
        prediction.duration(plan.cost_model(), plan.values(), 1).as_secs_f64()
    }

    /// Returns the number of ciphertexts of all values; single values count as one each.
    fn ciphertexts(&self) -> u64 {
        let per_ciphertext = self.candidate.prediction().values_per_ciphertext as u64;
        self.plan.values().div_ceil(per_ciphertext)
    }

    /// Returns the predicted seconds to send the evaluation key, if a bandwidth is stated.
    fn transfer_s(&self) -> Option<f64> {
        self.candidate.transfer_duration().map(|time| time.as_secs_f64())
    }

    fn fields(&self) -> Value {
        let Self { plan, candidate, parameters } = self;
        let prediction = candidate.prediction();
        let mut fields = json!(parameters);
        let predicted = json!({
            "values": plan.values(),
            "values_assumed": plan.values_assumed(),
            "ciphertexts": self.ciphertexts(),
            "threads": plan.threads(),
            "eval_s": candidate.duration().as_secs_f64(),
            "eval_s_one_thread": self.on_one_thread(),
            // Lookups with one key for which engines are compared.
            "lookups": plan.lookups(),
            // Seconds of whole commands: one that generates the key, and one that reads it and looks up all values.
            "keygen_s": candidate.key_duration().as_secs_f64(),
            "first_s": candidate.first_duration().as_secs_f64(),
            "peak_bytes": prediction.peak_bytes(),
            "key_file_bytes": prediction.key_file_bytes,
            "key_memory_bytes": prediction.key_memory_bytes,
            // Bytes per ciphertext; for single values, per value.
            "ciphertext_bytes": prediction.ciphertext_bytes,
            "result_bytes": prediction.result_bytes,
            // Bytes of the compressed results of all values; null for engines that do not compress.
            "compressed_bytes": candidate.parameters().compressed_bytes(plan.values()),
            "sum_limits": candidate.parameters().sum_limits(),
        });
        report::extend(&mut fields, predicted);
        let hidden_bits = candidate.parameters().hidden_bits();
        let some = json!({ "transfer_s": self.transfer_s(), "hidden_bits": hidden_bits });
        report::add(&mut fields, some);
        fields
    }

    /// Returns the human-readable form of all predictions.
    fn text(&self, memory_limit: Option<usize>) -> String {
        let Self { plan, candidate, parameters } = self;
        let (prediction, values) = (candidate.prediction(), plan.values());
        let size = |count: usize| bytes(count as u64);
        let engine = parameters.engine.map(Engine::name).unwrap_or_default();
        let mut lines = vec![
            format!("engine               {engine}"),
            format!("method               {}", parameters.method),
            format!("keys for             {}", parameters.purpose()),
            format!("ring degree          {}", parameters.ring_degree),
            format!("security             {:.1} bits", parameters.security_bits),
            format!("failure probability  {}", parameters.failures()),
        ];
        lines.extend(candidate.parameters().hidden_bits().map(|bits| {
            format!("hidden table         up to a statistical distance of 2^-{bits} per lookup")
        }));
        lines.push(format!("values               {values} in {}", ciphertexts(self.ciphertexts())));
        let (file, memory) = (size(prediction.key_file_bytes), size(prediction.key_memory_bytes));
        lines.push(format!("evaluation key       {file} on disk, {memory} in memory"));
        let (fresh, result) = (size(prediction.ciphertext_bytes), size(prediction.result_bytes));
        lines.push(format!("ciphertext           {fresh} fresh, {result} as a result"));
        lines.extend(candidate.parameters().compressed_bytes(values).map(|all| {
            let each = all as f64 / values as f64;
            let all = bytes(all);
            format!("compressed results   {all} for all values, {each:.1} bytes per value")
        }));
        let limit = memory_limit.map(|limit| format!(", of {} that it may take", size(limit)));
        let peak = size(prediction.peak_bytes());
        lines.push(format!("peak memory          {peak}{}", limit.unwrap_or_default()));
        let (time, threads) = (candidate.duration().as_secs_f64(), plan.threads());
        let mut times = format!("{} on 1 thread", seconds(self.on_one_thread()));
        if threads > 1 {
            times += &format!(", {} on {threads}", seconds(time));
        }
        let each = seconds(time / values as f64);
        lines.push(format!("predicted time       {times}, {each} per value"));
        let [keys, first] = [candidate.key_duration(), candidate.first_duration()]
            .map(|time| seconds(time.as_secs_f64()));
        let sent = self.transfer_s().map(|time| format!(", {} to send them", seconds(time)));
        let sent = sent.unwrap_or_default();
        lines.push(format!(
            "                     {keys} to generate keys{sent}, {first} for the first lookup"
        ));
        lines.iter().map(|line| wrapped(&format!("  {line}"))).collect()
    }
}

/// Returns the report of a plan: the best candidate, all candidates, and engines without one.
fn report_of(plan: &cryptable::Plan, memory_limit: Option<usize>) -> Report {
    let best = Way::new(plan, plan.best());
    let refusal = |(engine, error): &(Engine, cryptable::Error)| json!({ "engine": engine, "reason": error.to_string() });
    let candidate = |candidate| Way::new(plan, candidate).fields();
    let mut fields = best.fields();
    fields["candidates"] = plan.candidates().iter().map(candidate).collect();
    fields["refused"] = plan.refusals().iter().map(refusal).collect();
    // Memory that parameters may need: by default, this machine's memory.
    fields["memory_limit"] = memory_limit.into();
    // Number of values from which on packing single values is faster, if both ways were requested.
    report::add(&mut fields, json!({ "packing_from": plan.crossing() }));
    let comparison: String = plan.to_string().lines().map(wrapped).collect();
    let (full, legend) = (best.text(memory_limit), legend(plan, best.transfer_s().is_some()));
    Report { fields, text: format!("{comparison}\nthe best in full\n{full}{legend}") }
}

/// Returns the meanings of the comparison's names and headings.
fn legend(plan: &cryptable::Plan, is_sent: bool) -> String {
    let shown = plan.fastest_per_method().into_iter();
    let shown: Vec<_> = shown.map(|it| ParameterReport::new(it.parameters())).collect();
    let mut text = "\nengines\n".to_owned();
    for engine in Engine::ALL {
        let mut rows = shown.iter().filter(|row| row.engine == Some(engine)).peekable();
        if rows.peek().is_some() {
            text += &wrapped(&format!("  {}", explain::engine(engine)));
            text.extend(rows.map(|row| wrapped(&format!("    {}", row.named_method))));
        }
    }
    text += "columns
  keygen: generating keys; first: reading the server's key and looking up all values; next:
  looking them up with the key in memory; memory: a lookup, its key included; key: its file;
  fail: probability that a ciphertext fails, any of its values; bits: security
";
    let sent = "  send: sending the server's key at the stated bandwidth\n";
    text + if is_sent { sent } else { "" }
}

/// Breaks a line into lines of [`COLUMNS`] that are indented further than the first.
fn wrapped(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (first, further) = (" ".repeat(indent), " ".repeat(indent + 6));
    let options =
        textwrap::Options::new(COLUMNS).initial_indent(&first).subsequent_indent(&further);
    let parts = textwrap::wrap(line.trim_start(), options);
    parts.iter().map(|part| format!("{part}\n")).collect()
}

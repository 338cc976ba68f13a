//! `cryptable plan`: predictions before any key is generated.

use std::fmt;
use std::io::Write as _;

use anyhow::Result;
use cryptable::{Candidate, Engine, KeyParameters, SumLimits};
use serde::Serialize;

use super::explain;
use super::jobs;
use super::parameter_list;
use super::parameters::{self, ParameterReport};
use crate::args::jobs::PlanFileArgs;
use crate::args::{Global, PlanArgs};
use crate::atomic_file::{self, Access};
use crate::ciphertext_file::ciphertexts;
use crate::progress;
use crate::report::{self, bytes, seconds};

/// Width of the printed report, in columns.
const COLUMNS: usize = 100;

/// Plans keys and prints the predictions.
pub fn run(global: Global, args: PlanArgs) -> Result<()> {
    match &args.job {
        Some(job) => {
            let planned = jobs::plan(global, job)?;
            write(job.files(), &planned.parameters)?;
            planned.print(global)
        }
        None => plan_lookups(global, args),
    }
}

fn plan_lookups(global: Global, mut args: PlanArgs) -> Result<()> {
    if args.list_parameters {
        return parameter_list::run(global, args.csv);
    }
    let note = parameters::resolve_table(&mut args.parameters)?;
    let spinner = progress::spinner(global, "planning");
    let plan = parameters::plan(&parameters::request(&args.parameters), &args.parameters)
        .map_err(|error| parameters::with_hint(error, &args.parameters))?;
    spinner.finish_and_clear();
    write(&args.file, &plan.best().parameters().into())?;
    report::result(global, &Report::new(&plan, parameters::memory_limit(&args.parameters)))?;
    report::note(global, note.as_ref());
    Ok(())
}

/// Writes the parameters of a plan to a file, if one is asked for.
fn write(args: &PlanFileArgs, parameters: &KeyParameters) -> Result<()> {
    let Some(path) = &args.output else { return Ok(()) };
    let mut file = atomic_file::create(path, Access::Public)?;
    file.write_all(&parameters.to_file())?;
    file.commit(true)?;
    Ok(())
}

/// The printed report: the best candidate, all candidates, and engines without one.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    best: CandidateReport,
    candidates: Vec<CandidateReport>,
    refused: Vec<Refusal>,
    /// Number of values from which packing single values is faster, if both ways were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    packing_from: Option<u64>,
    /// Bytes of memory that candidates may take: this machine's, if the options state none.
    memory_limit: Option<usize>,
    /// The comparison for people.
    #[serde(skip)]
    comparison: String,
    /// Parameters of the rows of the comparison.
    #[serde(skip)]
    shown: Vec<ParameterReport>,
}

/// An engine that does not serve the request.
#[derive(Serialize)]
struct Refusal {
    engine: Engine,
    reason: String,
}

/// One way to serve the request.
#[derive(Clone, Serialize)]
struct CandidateReport {
    #[serde(flatten)]
    parameters: ParameterReport,
    values: u64,
    /// Whether the number of values was assumed.
    values_assumed: bool,
    /// Number of ciphertexts of these values; single values count as one each.
    ciphertexts: u64,
    threads: usize,
    /// Predicted seconds for all values on `threads` threads.
    eval_s: f64,
    eval_s_one_thread: f64,
    /// Number of lookups with one key for which engines are compared.
    lookups: u64,
    /// Predicted seconds of a command that generates the evaluation key, on `threads` threads.
    keygen_s: f64,
    /// Predicted seconds to send the evaluation key, if a bandwidth is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_s: Option<f64>,
    /// Predicted seconds of a command that reads the evaluation key and looks up all values, on `threads` threads.
    first_s: f64,
    /// Bytes of memory of a lookup, including the key.
    peak_bytes: usize,
    key_file_bytes: usize,
    key_memory_bytes: usize,
    /// Bytes of a fresh ciphertext and of a result; for single values, of one value each.
    ciphertext_bytes: usize,
    result_bytes: usize,
    /// Bytes of the compressed results of all values, for engines that compress.
    compressed_bytes: Option<u64>,
    /// Limits on sums of values and on lookups in a row, for engines with sums.
    sum_limits: Option<SumLimits>,
    /// Bits by which results hide the table from the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_bits: Option<u32>,
}

impl CandidateReport {
    fn new(plan: &cryptable::Plan, candidate: &Candidate) -> Self {
        let (prediction, values) = (candidate.prediction(), plan.values());
        let one_thread = prediction.duration(plan.cost_model(), values, 1);
        Self {
            parameters: ParameterReport::new(candidate.parameters()),
            values,
            values_assumed: plan.values_assumed(),
            ciphertexts: values.div_ceil(prediction.values_per_ciphertext as u64),
            threads: plan.threads(),
            eval_s: candidate.duration().as_secs_f64(),
            eval_s_one_thread: one_thread.as_secs_f64(),
            lookups: plan.lookups(),
            keygen_s: candidate.key_duration().as_secs_f64(),
            transfer_s: candidate.transfer_duration().map(|time| time.as_secs_f64()),
            first_s: candidate.first_duration().as_secs_f64(),
            peak_bytes: prediction.peak_bytes(),
            key_file_bytes: prediction.key_file_bytes,
            key_memory_bytes: prediction.key_memory_bytes,
            ciphertext_bytes: prediction.ciphertext_bytes,
            result_bytes: prediction.result_bytes,
            compressed_bytes: candidate.parameters().compressed_bytes(values),
            sum_limits: candidate.parameters().sum_limits(),
            hidden_bits: candidate.parameters().hidden_bits(),
        }
    }
}

impl Report {
    fn new(plan: &cryptable::Plan, memory_limit: Option<usize>) -> Self {
        let refusal = |(engine, error): &(Engine, cryptable::Error)| Refusal {
            engine: *engine,
            reason: error.to_string(),
        };
        let candidate = |candidate| CandidateReport::new(plan, candidate);
        Self {
            best: candidate(plan.best()),
            candidates: plan.candidates().iter().map(candidate).collect(),
            refused: plan.refusals().iter().map(refusal).collect(),
            packing_from: plan.crossing(),
            memory_limit,
            comparison: plan.to_string(),
            shown: plan
                .fastest_per_method()
                .into_iter()
                .map(|it| candidate(it).parameters)
                .collect(),
        }
    }

    /// Writes the meanings of the comparison's names and headings.
    fn write_legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nengines")?;
        for engine in Engine::ALL {
            let mut shown = self.shown.iter().filter(|row| row.engine == Some(engine)).peekable();
            if shown.peek().is_none() {
                continue;
            }
            write_wrapped(f, &format!("  {}", explain::engine(engine)))?;
            for row in shown {
                write_wrapped(f, &format!("    {}", row.named_method))?;
            }
        }
        writeln!(f, "columns")?;
        writeln!(
            f,
            "  keygen: generating keys; first: reading the server's key and looking up all values; next:"
        )?;
        writeln!(
            f,
            "  looking them up with the key in memory; memory: a lookup, its key included; key: its file;"
        )?;
        writeln!(
            f,
            "  fail: probability that a ciphertext fails, any of its values; bits: security"
        )?;
        match self.best.transfer_s {
            Some(_) => writeln!(f, "  send: sending the server's key at the stated bandwidth"),
            None => Ok(()),
        }
    }
}

/// Writes a line, broken into lines of [`COLUMNS`] that are indented further than the first.
fn write_wrapped(f: &mut fmt::Formatter<'_>, line: &str) -> fmt::Result {
    let indent = line.len() - line.trim_start().len();
    let (first, further) = (" ".repeat(indent), " ".repeat(indent + 6));
    let options =
        textwrap::Options::new(COLUMNS).initial_indent(&first).subsequent_indent(&further);
    textwrap::wrap(line.trim_start(), options).iter().try_for_each(|part| writeln!(f, "{part}"))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { best, .. } = self;
        let parameters = &best.parameters;
        let size = |count: usize| bytes(count as u64);
        for line in self.comparison.lines() {
            write_wrapped(f, line)?;
        }
        writeln!(f)?;
        writeln!(f, "the best in full")?;
        let engine = parameters.engine.map(Engine::name).unwrap_or_default();
        writeln!(f, "  engine               {engine}")?;
        writeln!(f, "  method               {}", parameters.method)?;
        writeln!(f, "  keys for             {}", parameters.purpose())?;
        writeln!(f, "  ring degree          {}", parameters.ring_degree)?;
        writeln!(f, "  security             {:.1} bits", parameters.security_bits)?;
        write_wrapped(f, &format!("  failure probability  {}", parameters.failures()))?;
        if let Some(bits) = best.hidden_bits {
            writeln!(
                f,
                "  hidden table         up to a statistical distance of 2^-{bits} per lookup"
            )?;
        }
        writeln!(f, "  values               {} in {}", best.values, ciphertexts(best.ciphertexts))?;
        let (file, memory) = (size(best.key_file_bytes), size(best.key_memory_bytes));
        writeln!(f, "  evaluation key       {file} on disk, {memory} in memory")?;
        let (fresh, result) = (size(best.ciphertext_bytes), size(best.result_bytes));
        writeln!(f, "  ciphertext           {fresh} fresh, {result} as a result")?;
        if let Some(all) = best.compressed_bytes {
            let each = all as f64 / best.values as f64;
            let all = bytes(all);
            writeln!(f, "  compressed results   {all} for all values, {each:.1} bytes per value")?;
        }
        write!(f, "  peak memory          {}", size(best.peak_bytes))?;
        match self.memory_limit {
            Some(limit) => writeln!(f, ", of {} that it may take", size(limit))?,
            None => writeln!(f)?,
        }
        write!(f, "  predicted time       {} on 1 thread", seconds(best.eval_s_one_thread))?;
        if best.threads > 1 {
            write!(f, ", {} on {}", seconds(best.eval_s), best.threads)?;
        }
        writeln!(f, ", {} per value", seconds(best.eval_s / best.values as f64))?;
        let (keys, first) = (seconds(best.keygen_s), seconds(best.first_s));
        let sent = best.transfer_s.map(|time| format!(", {} to send them", seconds(time)));
        let sent = sent.unwrap_or_default();
        writeln!(
            f,
            "                       {keys} to generate keys{sent}, {first} for the first lookup"
        )?;
        self.write_legend(f)
    }
}

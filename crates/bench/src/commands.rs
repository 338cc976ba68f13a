//! `bench commands`: seconds of whole commands, from start to end, beside the predictions of plans.
//!
//! A plan shows three times. Each is measured on commands that run as processes of this program: `keygen`; the first `lookup`,
//! which reads the key; and the next lookup with the key in memory, computed from the additional time of a lookup of several
//! times as many values. Keys and ciphertexts are in the system's file cache, as they are after they have been written.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use cryptable::Engine;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::contract::print_line;
use crate::measurement::median;
use crate::origin::Origin;

/// Arguments of `bench commands`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 2 --json bench commands > commands.jsonl\n  cryptable --threads 2 bench commands --only leveled"
)]
pub struct CommandsArguments {
    /// Number of runs of every command, to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Measure only jobs of this engine [default: all engines].
    #[arg(long, value_name = "ENGINE")]
    only: Option<Engine>,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Lookups of values in a table whose inputs and outputs have the same number of bits.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
struct Job {
    engine: Engine,
    bits: u32,
    values: u64,
}

impl Job {
    /// Returns the number of lookups in one process from which the time of one more lookup is computed. Times vary between
    /// processes by half a second if the system has to make room for a key, which is as long as several lookups in packed
    /// tables of bytes.
    fn lookups(self) -> u64 {
        if self.engine == Engine::Packed && self.bits <= 8 { 16 } else { 4 }
    }
}

/// The jobs, with tens to tens of thousands of values: plans choose packed keys for some of them, and others for the rest.
const JOBS: [Job; 10] = {
    const fn job(engine: Engine, bits: u32, values: u64) -> Job {
        Job { engine, bits, values }
    }
    [
        job(Engine::Packed, 4, 65_536),
        job(Engine::Packed, 8, 65_536),
        job(Engine::Packed, 4, 1_024),
        job(Engine::Packed, 8, 1_024),
        job(Engine::Packed, 16, 4_096),
        job(Engine::Leveled, 8, 40),
        job(Engine::Leveled, 8, 200),
        job(Engine::Leveled, 16, 20),
        job(Engine::Single, 4, 64),
        job(Engine::Single, 4, 300),
    ]
};

/// A command of a job that is timed.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
enum Operation {
    /// `keygen`.
    #[serde(rename = "keygen")]
    Keygen,
    /// The first `lookup` in a process, which reads the key.
    #[serde(rename = "first lookup")]
    First,
    /// A lookup with the key in memory.
    #[serde(rename = "next lookup")]
    Next,
}

const OPERATIONS: [Operation; 3] = [Operation::Keygen, Operation::First, Operation::Next];

/// A line, with `operation` and `seconds` like the lines of `bench primitives`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
struct CommandRecord {
    operation: Operation,
    /// Seconds of the whole command, the median of `runs`; for a next lookup, computed from the medians of both commands.
    seconds: f64,
    /// Seconds that the plan of this machine predicted.
    predicted_s: f64,
    #[serde(flatten)]
    job: Job,
    method: String,
    threads: usize,
    runs: usize,
    key_file_bytes: u64,
    /// Number of results that were decrypted and compared.
    values_checked: usize,
    wrong: usize,
    #[serde(flatten)]
    origin: Origin,
}

/// Runs the benchmark.
pub fn run(arguments: &CommandsArguments, threads: usize, json: bool) -> Result<()> {
    let program = std::env::current_exe().context("this program has no path")?;
    for job in JOBS.into_iter().filter(|job| arguments.only.is_none_or(|it| it == job.engine)) {
        let session = Session::new(&program, job, threads, arguments.seed)?;
        for record in session.measure(arguments.runs.max(1))? {
            if json {
                print_line(&record, true)?;
            } else {
                let CommandRecord { operation, seconds, predicted_s, method, .. } = &record;
                let Job { engine, bits, values } = job;
                let ratio = predicted_s / seconds;
                println!(
                    "{engine} {bits} bits, {values} values, {method}: {operation:?} {seconds:.3} s, predicted {predicted_s:.3} s \
                     ({ratio:.2})"
                );
            }
        }
    }
    Ok(())
}

/// A folder with values and a table, and commands that run in it.
struct Session<'a> {
    program: &'a Path,
    job: Job,
    threads: usize,
    folder: TempDir,
    table: Vec<u64>,
    /// [`Job::lookups`] times as many values as the job has.
    values: Vec<u64>,
}

impl<'a> Session<'a> {
    fn new(program: &'a Path, job: Job, threads: usize, seed: u64) -> Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let modulus = 1_u64 << job.bits;
        let mut draw = |count: u64| (0..count).map(|_| rng.random_range(0..modulus)).collect();
        let (table, values): (Vec<u64>, Vec<u64>) =
            (draw(modulus), draw(job.lookups() * job.values));
        let folder = tempfile::tempdir().context("no folder for files of commands")?;
        let write = |name: &str, column: &[u64]| {
            let text: String = column.iter().map(|value| format!("{value}\n")).collect();
            std::fs::write(folder.path().join(name), text)
        };
        write("table.csv", &table)?;
        write("once.csv", &values[..job.values as usize])?;
        write("often.csv", &values)?;
        Ok(Self { program, job, threads, folder, table, values })
    }

    /// Runs a command, which must succeed; returns its seconds and what it printed.
    fn command(&self, line: &str) -> Result<(f64, String)> {
        let mut command = Command::new(self.program);
        command.current_dir(self.folder.path()).args(["--threads", &self.threads.to_string()]);
        command.args(line.split(' '));
        let start = Instant::now();
        let output = command.output().context("this program does not start")?;
        let seconds = start.elapsed().as_secs_f64();
        let message = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cryptable {line}: {message}");
        Ok((seconds, String::from_utf8(output.stdout)?))
    }

    /// Times every command `runs` times, and checks results once.
    fn measure(&self, runs: usize) -> Result<[CommandRecord; 3]> {
        let Job { engine, bits, values } = self.job;
        let wanted = format!("--mode {engine} --bits {bits} --values {values}");
        let (_, plan) = self.command(&format!("--json plan {wanted}"))?;
        let plan: Value = serde_json::from_str(&plan)?;
        let keygen =
            format!("--quiet keygen {wanted} --force --secret client.key --evaluation server.key");
        let mut times = [const { Vec::new() }; 3];
        for run in 0..runs {
            times[0].push(self.command(&keygen)?.0);
            for name in ["once", "often"] {
                let files = format!("--secret client.key --input {name}.csv --output {name}.ct");
                self.command(&format!("--quiet encrypt {files}"))?;
            }
            let [once, often] = ["once", "often"].map(|name| {
                let files = format!("--input {name}.ct --output {name}-result.ct");
                let line =
                    format!("--quiet lookup --evaluation server.key --table table.csv {files}");
                self.command(&line)
            });
            times[1].push(once?.0);
            times[2].push(often?.0);
            if run == 0 {
                let files = "--secret client.key --input often-result.ct --output found.csv";
                self.command(&format!("--quiet decrypt {files}"))?;
            }
        }
        let wrong = self.wrong()?;
        ensure!(wrong == 0, "{engine} {bits} bits: {wrong} values are wrong");
        let predicted = ["keygen_s", "first_s", "eval_s"].map(|name| plan[name].as_f64());
        let [keygen, once, often] = times.map(|seconds| median(&seconds));
        let seconds = [keygen, once, (often - once) / (self.job.lookups() - 1) as f64];
        let record = |index: usize| -> Result<CommandRecord> {
            Ok(CommandRecord {
                operation: OPERATIONS[index],
                seconds: seconds[index],
                predicted_s: predicted[index].context("a plan without times")?,
                job: self.job,
                method: plan["method"].as_str().unwrap_or_default().to_owned(),
                threads: self.threads,
                runs,
                key_file_bytes: plan["key_file_bytes"].as_u64().unwrap_or_default(),
                values_checked: self.values.len(),
                wrong,
                origin: Origin::here(),
            })
        };
        Ok([record(0)?, record(1)?, record(2)?])
    }

    /// Returns the number of results that differ from the table.
    fn wrong(&self) -> Result<usize> {
        let text = std::fs::read_to_string(self.folder.path().join("found.csv"))?;
        let found = text.lines().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        ensure!(found.len() == self.values.len(), "{} results", found.len());
        let pairs = found.iter().zip(&self.values);
        Ok(pairs.filter(|&(&found, &value)| found != self.table[value as usize]).count())
    }
}

#[cfg(test)]
mod tests {
    use cryptable::{CostModel, Request};

    use super::*;

    /// Largest error of a prediction, as a share of the measured time.
    const WITHIN: f64 = 0.2;

    /// Predicts the seconds with the current planner and the costs that were measured on the machine.
    fn predicted(record: &CommandRecord, model: CostModel) -> f64 {
        let Job { engine, bits, values } = record.job;
        let request = Request::new(1 << bits, 1 << bits).engine(engine).values(values);
        let plan = request.threads(record.threads).cost_model(model).plan().unwrap();
        let best = plan.best();
        let time = match record.operation {
            Operation::Keygen => best.key_duration(),
            Operation::First => best.first_duration(),
            Operation::Next => best.duration(),
        };
        time.as_secs_f64()
    }

    /// Returns the lines whose prediction is off by more than [`WITHIN`], each with the prediction.
    fn off(lines: &str, model: CostModel) -> Vec<String> {
        let lines = lines.lines().map(|line| serde_json::from_str::<CommandRecord>(line).unwrap());
        let ratio = |record: CommandRecord| (predicted(&record, model) / record.seconds, record);
        let is_off = |(ratio, _): &(f64, CommandRecord)| (ratio - 1.0).abs() > WITHIN;
        let shown = |(ratio, record): (f64, CommandRecord)| {
            format!(
                "{:?} of {:?}: {ratio:.2} of {:.3} s",
                record.operation, record.job, record.seconds
            )
        };
        lines.map(ratio).filter(is_off).map(shown).collect()
    }

    #[test]
    fn whole_commands_take_what_plans_predict() {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("results").read_dir().unwrap();
        for folder in folders.map(|entry| entry.unwrap().path()) {
            let Ok(lines) = std::fs::read_to_string(folder.join("commands.jsonl")) else {
                continue;
            };
            let model = std::fs::read_to_string(folder.join("calibration.json")).unwrap();
            let off = off(&lines, serde_json::from_str(&model).unwrap());
            assert!(off.is_empty(), "{}: {off:#?}", folder.display());
        }
    }

    #[test]
    fn what_is_off_is_found() {
        let (model, job) = (CostModel::of_unit(58e-6), JOBS[5]);
        let mut record = CommandRecord {
            operation: Operation::First,
            seconds: 1.0,
            predicted_s: 1.0,
            job,
            method: "a method".into(),
            threads: 2,
            runs: 3,
            key_file_bytes: 1,
            values_checked: 1,
            wrong: 0,
            origin: Origin::default(),
        };
        let right = predicted(&record, model);
        for (factor, found) in [(1.0, 0), (1.15, 0), (0.8, 1), (1.3, 1)] {
            record.seconds = right * factor;
            let line = serde_json::to_string(&record).unwrap();
            assert!(line.contains("\"operation\":\"first lookup\"") && line.contains("leveled"));
            assert_eq!(off(&line, model).len(), found, "{factor}");
        }
    }
}

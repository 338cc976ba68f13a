//! `bench report`: the standard set of benchmarks, their JSON lines, and one page that shows them.
//!
//! Every benchmark runs in a process of its own, since peak memory is measured per process. Lines are saved as they come, so
//! that an interrupted report continues where it stopped.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{json_lines, plot};

mod page;
mod predictions;
mod stages;
mod standard_set;
mod title;

use standard_set::{Benchmark, FULL_SET, STANDARD_SET};

/// Arguments of `bench report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cryptable --threads 1 bench report --out report                 # all of it: 9 GB of memory, a quarter of an hour; may be interrupted
  cryptable --threads 1 bench report --out report --only akp-8 --only nand
  cryptable --threads 1 bench report --out report --full          # every published figure: 14 GB of memory, two hours
  cryptable bench report --out report --lines crates/bench/results/intel_xeon/one_thread.jsonl   # measures nothing
  cryptable bench report --out report --peers comparisons/results/amd_zen4.jsonl")]
pub struct ReportArguments {
    /// Folder for `lines.jsonl` and `report.html`; lines of an earlier report in it are not measured again.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Show these JSON lines without measuring anything.
    #[arg(long, value_name = "FILE")]
    lines: Vec<PathBuf>,
    /// Run only these benchmarks of the standard set.
    #[arg(long, value_name = "NAME", conflicts_with = "lines", value_parser = standard_set::names())]
    only: Vec<String>,
    /// Also run every other benchmark behind published figures: all widths, engines and operations.
    #[arg(long, conflicts_with_all = ["lines", "only"])]
    full: bool,
    /// Lines of `comparisons/compare.py` to show for comparison.
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
}

impl ReportArguments {
    /// Lists the benchmarks that the report includes.
    fn chosen(&self) -> Vec<&'static Benchmark> {
        let further = if self.full { FULL_SET } else { &[] };
        let is_chosen = |name: &str| self.only.is_empty() || self.only.iter().any(|it| it == name);
        STANDARD_SET.iter().chain(further).filter(|benchmark| is_chosen(benchmark.name)).collect()
    }
}

/// Fields of a line of the JSON contract that the page shows.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Line {
    pub method: String,
    pub bits_in: f64,
    #[serde(default, deserialize_with = "sizes")]
    pub digits: Vec<u64>,
    #[serde(default = "one")]
    pub tables: usize,
    pub slots: usize,
    pub threads: usize,
    pub eval_s: f64,
    pub ms_per_value: f64,
    pub eval_units: f64,
    pub unit_us: f64,
    pub eval_rss_bytes: f64,
    pub eval_key_bytes: f64,
    pub values_checked: usize,
    pub wrong: usize,
    pub noise_std_log2: f64,
    pub predicted_noise_std_log2: Option<f64>,
    pub predicted_units: Option<f64>,
    pub peak_rss_bytes: f64,
    pub predicted_peak_bytes: Option<f64>,
    pub log2_fail: f64,
    pub security_bits: f64,
    /// Table that was looked up, or the operation.
    #[serde(default)]
    pub table: String,
    /// Number of successive multiplications, for circuits that do nothing else.
    pub chain_depth: Option<usize>,
    #[serde(default)]
    pub processor: String,
    #[serde(default)]
    pub simd: String,
    #[serde(default)]
    pub revision: String,
    /// Names of stages, and their seconds.
    #[serde(default)]
    pub steps: Vec<(String, f64)>,
}

fn one() -> usize {
    1
}

/// Reads the sizes of a table's digits; empty for a decomposition, whose lines have the number of digits instead.
fn sizes<'de, D: Deserializer<'de>>(field: D) -> Result<Vec<u64>, D::Error> {
    let found = Value::deserialize(field)?;
    if found.is_number() {
        Ok(Vec::new())
    } else {
        Vec::deserialize(found).map_err(D::Error::custom)
    }
}

/// A line of `comparisons/compare.py`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PeerLine {
    pub job: String,
    pub subject: String,
    pub eval_s: f64,
    pub peak_rss_bytes: Option<f64>,
    pub eval_key_bytes: Option<f64>,
    pub values_checked: usize,
    pub wrong: usize,
}

/// Measures the missing benchmarks, and writes the page.
pub fn run(arguments: &ReportArguments, threads: usize) -> Result<()> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut files = arguments.lines.clone();
    let mut failures = Vec::new();
    if files.is_empty() {
        let file = folder.join("lines.jsonl");
        failures = measure_missing(&file, &arguments.chosen(), threads)?;
        ensure!(file.exists(), "nothing was measured: {}", failures.join("; "));
        files.push(file);
    }
    let mut lines: Vec<Line> = Vec::new();
    for file in &files {
        lines.extend(read(file, |value| value.get("eval_units").is_some())?);
    }
    ensure!(!lines.is_empty(), "no line of the JSON contract in {}", shown(&files));
    let peers = arguments.peers.as_deref().map_or(Ok(Vec::new()), |file| read(file, |_| true))?;
    let pictures = plot::Lines::read(&files)?.pictures(plotted_threads(&lines, threads))?;
    let page = page::html(&lines, &pictures, &peers);
    let path = folder.join("report.html");
    plot::write(&path, &page)?;
    println!("{}", path.display());
    ensure!(failures.is_empty(), "the page lacks what failed: {}", failures.join("; "));
    Ok(())
}

fn shown(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(", ")
}

/// Returns `threads` if there are measurements on that number of threads; otherwise the smallest number of any line.
fn plotted_threads(lines: &[Line], threads: usize) -> usize {
    let measured = || lines.iter().map(|line| line.threads);
    if measured().any(|of_line| of_line == threads) {
        return threads;
    }
    measured().min().unwrap_or(threads)
}

/// Reads the objects of a file of JSON lines that are `wanted`.
fn read<T>(file: &Path, wanted: impl Fn(&Value) -> bool) -> Result<Vec<T>>
where
    T: serde::de::DeserializeOwned,
{
    json_lines::read(file, "a line of a benchmark", |value| {
        Ok(if wanted(&value) { Some(serde_json::from_value(value)?) } else { None })
    })
}

/// Runs the chosen benchmarks that have no line in `file`, and appends their lines, each marked with the benchmark's name.
/// If one fails, the others still run.
///
/// Returns the failures, each with its reason.
fn measure_missing(file: &Path, chosen: &[&Benchmark], threads: usize) -> Result<Vec<String>> {
    let lines: Vec<Marked> = if file.exists() { read(file, |_| true)? } else { Vec::new() };
    let of = |benchmark: &&Benchmark| {
        lines.iter().find(|line| line.benchmark == benchmark.name && line.threads == threads)
    };
    let (done, missing): (Vec<&Benchmark>, Vec<&Benchmark>) =
        chosen.iter().partition(|it| of(it).is_some());
    for benchmark in &done {
        let revision = of(benchmark).map_or("", |line| &line.revision);
        eprintln!("{} is in {}, of commit {revision}", benchmark.name, file.display());
    }
    let mut clock = Clock::new(&missing, threads);
    let mut failures = Vec::new();
    for (index, benchmark) in missing.iter().enumerate() {
        let Benchmark { name, command, .. } = benchmark;
        eprintln!("{} of {}: {name} (bench {command})", index + 1, missing.len());
        let start = Instant::now();
        match measure(benchmark, threads) {
            Ok(lines) => append(file, &lines)?,
            Err(error) => {
                eprintln!("{error:#}");
                failures.push(format!("{error:#}"));
            }
        }
        clock.passed(benchmark, start.elapsed().as_secs_f64());
    }
    Ok(failures)
}

/// An estimate of the remaining time.
struct Clock {
    /// Predicted and measured seconds of the benchmarks that have run.
    ran: [f64; 2],
    left: f64,
}

impl Clock {
    /// Starts the clock, and reports the benchmarks that are about to run.
    fn new(missing: &[&Benchmark], threads: usize) -> Self {
        let left = missing.iter().map(|benchmark| benchmark.seconds).sum();
        let memory = missing.iter().map(|benchmark| benchmark.gigabytes).fold(0.0, f64::max);
        if !missing.is_empty() {
            eprintln!(
                "{} to run, one after another: some {} on one thread of an AMD Zen 4 (here: {threads}), up to {memory:.1} GB of memory",
                missing.len(),
                minutes(left),
            );
        }
        Self { ran: [0.0; 2], left }
    }

    /// Counts a benchmark that has run, and reports the remaining time, estimated from all that have run.
    fn passed(&mut self, benchmark: &Benchmark, seconds: f64) {
        self.left -= benchmark.seconds;
        self.ran[0] += benchmark.seconds;
        self.ran[1] += seconds;
        let left = self.left * self.ran[1] / self.ran[0];
        eprintln!("  took {seconds:.0} s; some {} left", minutes(left));
    }
}

/// Formats a time in minutes or hours.
fn minutes(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} minutes", seconds / 60.0)
    }
}

/// Fields that identify lines of an earlier run.
#[derive(Debug, Deserialize)]
struct Marked {
    #[serde(default)]
    benchmark: String,
    threads: usize,
    #[serde(default)]
    revision: String,
}

/// Runs one benchmark as a process of this program, and returns its lines.
fn measure(benchmark: &Benchmark, threads: usize) -> Result<String> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let Benchmark { name, command, .. } = benchmark;
    let output = Command::new(program)
        .args(["--threads", &threads.to_string(), "--json", "--quiet", "bench"])
        .args(command.split(' '))
        .output()
        .with_context(|| format!("cannot start {name}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed ({}): {}", output.status, said.trim());
    let mut marked = String::new();
    for line in String::from_utf8(output.stdout).context("output is not text")?.lines() {
        let mut value: Value = serde_json::from_str(line)
            .with_context(|| format!("{name} printed something other than JSON"))?;
        value["benchmark"] = Value::from(*name);
        marked += &value.to_string();
        marked.push('\n');
    }
    Ok(marked)
}

fn append(file: &Path, lines: &str) -> Result<()> {
    let named = || format!("cannot write {}", file.display());
    let mut open =
        fs::OpenOptions::new().create(true).append(true).open(file).with_context(named)?;
    open.write_all(lines.as_bytes()).with_context(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(method: &str, threads: usize) -> String {
        format!(
            r#"{{"method":"{method}","bits_in":8.0,"bits_out":8.0,"modulus_in":256,"ring_degree":65536,"slots":65536,"threads":{threads},"eval_s":3.5,"ms_per_value":0.053,"unit_us":140.0,"eval_units":25000.0,"eval_rss_bytes":4000000000,"peak_rss_bytes":4100000000,"predicted_peak_bytes":4200000000,"predicted_units":26000.0,"table":"random:1","eval_key_bytes":2700000000,"values_checked":65536,"wrong":0,"noise_std_log2":-10.8,"predicted_noise_std_log2":-10.2,"log2_fail":-81.2,"security_bits":141.6,"processor":"some <processor>","simd":"Avx2","steps":[["coeffs_to_slots",2.0],["interpolation",1.5]]}}"#
        )
    }

    fn named(name: &str) -> &'static Benchmark {
        STANDARD_SET.iter().find(|benchmark| benchmark.name == name).unwrap()
    }

    fn arguments(folder: &Path, lines: &str) -> ReportArguments {
        let file = folder.join("some.jsonl");
        fs::write(&file, lines).unwrap();
        let out = folder.join("report");
        ReportArguments { out, lines: vec![file], only: Vec::new(), full: false, peers: None }
    }

    #[test]
    fn pages_show_committed_lines() {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let lines = vec![root.join("results/intel_xeon/one_thread.jsonl")];
        let arguments = ReportArguments { lines, ..arguments(folder.path(), "") };
        run(&arguments, 1).unwrap();
        let page = fs::read_to_string(arguments.out.join("report.html")).unwrap();
        assert!(page.contains("HomFloor"));
    }

    #[test]
    fn pages_show_lines_pictures_stages_and_peers() {
        let folder = tempfile::tempdir().unwrap();
        let primitive = r#"{"operation":"ntt","unit_us":140.0,"threads":1}"#;
        let lines = [line("akp", 1), line("akp", 2), primitive.to_owned()].join("\n");
        let peers = folder.path().join("peers.jsonl");
        let peer =
            r#"{"job":"nand","subject":"tfhe-rs","eval_s":0.007,"values_checked":9,"wrong":0}"#;
        fs::write(&peers, peer).unwrap();
        let arguments = ReportArguments { peers: Some(peers), ..arguments(folder.path(), &lines) };
        run(&arguments, 1).unwrap();
        let page = fs::read_to_string(arguments.out.join("report.html")).unwrap();
        let parts = [
            "akp, 8 bits",
            "some &lt;processor&gt;",
            "Predictions",
            "<svg",
            "coeffs_to_slots",
            "tfhe-rs",
            "2^-81.2",
        ];
        for part in parts {
            assert!(page.contains(part), "no {part}");
        }
        assert!(
            !page.contains("http://") || page.contains("www.w3.org"),
            "the page is self-contained"
        );
    }

    #[test]
    fn threads_that_were_not_measured_fall_back() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = arguments(folder.path(), &line("akp", 2));
        run(&arguments, 64).unwrap();
    }

    #[test]
    fn errors_name_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let broken = line("akp", 1).replace("eval_s", "seconds");
        let error = run(&arguments(folder.path(), &format!("\n{broken}")), 1).unwrap_err();
        let message = format!("{error:#}");
        assert!(message.contains("some.jsonl, line 2") && message.contains("eval_s"), "{message}");
        let error = run(&arguments(folder.path(), ""), 1).unwrap_err().to_string();
        assert!(error.contains("no line"), "{error}");
    }

    #[test]
    fn what_was_measured_is_not_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lines.jsonl");
        let mut value: Value = serde_json::from_str(&line("akp", 1)).unwrap();
        value["benchmark"] = "akp-8".into();
        append(&file, &format!("{value}\n")).unwrap();
        let before = fs::read_to_string(&file).unwrap();
        assert!(measure_missing(&file, &[named("akp-8")], 1).unwrap().is_empty());
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }

    #[test]
    fn what_is_left_follows_what_was_measured() {
        let [first, second] = [&STANDARD_SET[0], &STANDARD_SET[4]];
        let mut clock = Clock::new(&[first, second], 1);
        clock.passed(first, 2.0 * first.seconds);
        assert_eq!(clock.left * clock.ran[1] / clock.ran[0], 2.0 * second.seconds);
        assert_eq!([89.0, 720.0].map(minutes), ["89 s", "12 minutes"]);
    }

    #[test]
    fn a_benchmark_that_fails_is_named_and_leaves_no_line() {
        // The program of the tests itself does not accept such arguments.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lines.jsonl");
        let failures = measure_missing(&file, &[named("nand")], 1).unwrap();
        assert!(failures.len() == 1 && failures[0].starts_with("nand failed"), "{failures:?}");
        assert!(!file.exists());
    }
}

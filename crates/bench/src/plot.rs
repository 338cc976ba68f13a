//! `bench plot`: time and memory over the width of tables, with one curve per method (Figure 3 of Dumezy et al.); methods
//! of single values as bars (Table 6 of Ma et al., TCHES 2024), and digit decomposition over the width of moduli
//! (Figure 4 there); signs of packed integers over the size of digits.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

mod bars;
mod chart;
mod digit_sizes;
mod published;
mod records;
mod single_values;
mod tree_counts;
mod width_table;

pub use chart::write;
use chart::{Chart, Curve};
use records::Record;

use crate::json_lines;

/// Arguments of `bench plot`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable bench plot --out plots crates/bench/results/intel_xeon/*.jsonl"
)]
pub struct PlotArguments {
    /// Folder for the pictures.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Files of JSON lines that other benchmarks printed.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Plot only lines that were measured on this number of threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    of_threads: usize,
    /// Also write tables of the counted cost of trees beside the paper's formulas; plans all trees, in about ten
    /// seconds.
    #[arg(long)]
    counts: bool,
}

/// Reads all files and writes the pictures: time per value and latency, in seconds and in units u, and memory. Also writes a
/// table of them and the costs of trees by count, in Markdown.
///
/// Lines of several tables, of packed ciphertexts that are not full, and of other benchmarks are skipped and counted.
pub fn run(arguments: &PlotArguments) -> Result<()> {
    let lines = Lines::read(&arguments.files)?;
    if lines.passed_over > 0 {
        eprintln!("{} lines of other kinds were skipped", lines.passed_over);
    }
    if lines.pictures_of_others(arguments.of_threads)?.is_empty() || lines.has_full() {
        records::check_measured(&lines.records, arguments.of_threads)?;
    }
    // All pictures are drawn before the first is written.
    let pictures = lines.pictures(arguments.of_threads)?;
    let path = |name: &str| arguments.out.join(name).with_extension("svg");
    let pictures: Vec<(PathBuf, String)> =
        pictures.into_iter().map(|(name, svg)| (path(&name), svg)).collect();
    fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let table = width_table::markdown(&records::select(&lines.records, arguments.of_threads));
    let table = table.map(|text| (arguments.out.join("tables_by_width.md"), text));
    let counts = if arguments.counts { counts(&arguments.out)? } else { Vec::new() };
    for (path, text) in pictures.iter().chain(&table).chain(&counts) {
        chart::write(path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Returns tables of costs of trees by count, and their files in a folder.
fn counts(out: &Path) -> Result<Vec<(PathBuf, String)>> {
    Ok(vec![
        (out.join("kronecker_products.md"), tree_counts::products()?),
        (out.join("decomposition_costs.md"), tree_counts::decompositions()?),
    ])
}

/// Lines that can be drawn.
pub struct Lines {
    records: Vec<Record>,
    single: Vec<single_values::SingleRecord>,
    signs: Vec<digit_sizes::SignRecord>,
    /// Number of lines that are in no picture, whatever the number of threads.
    passed_over: usize,
}

impl Lines {
    /// Reads the lines of all files.
    pub fn read(files: &[PathBuf]) -> Result<Self> {
        let (mut records, mut single, mut all) = (Vec::new(), Vec::new(), 0);
        let mut signs = Vec::new();
        for file in files {
            records.extend(records::read(file)?);
            single.extend(single_values::read(file)?);
            signs.extend(digit_sizes::read(file)?);
            all += json_lines::read(file, "JSON", |_| Ok(Some(())))?.len();
        }
        let drawn =
            single.len() + signs.len() + records.iter().filter(|record| record.is_full()).count();
        Ok(Self { passed_over: all.saturating_sub(drawn), records, single, signs })
    }

    fn has_full(&self) -> bool {
        self.records.iter().any(Record::is_full)
    }

    /// Draws the pictures of single values, and of signs over the size of digits.
    fn pictures_of_others(&self, threads: usize) -> Result<Vec<(String, String)>> {
        let mut pictures = single_values::pictures(&self.single, threads)?;
        if let Some(chart) = digit_sizes::chart(&self.signs, threads) {
            pictures.push((chart.file_name.to_owned(), chart.svg()?));
        }
        Ok(pictures)
    }

    /// Returns names without extension, and pictures, of measurements on `threads` threads; empty if there are none.
    pub fn pictures(&self, threads: usize) -> Result<Vec<(String, String)>> {
        let mut pictures = self.pictures_of_others(threads)?;
        let records = records::select(&self.records, threads);
        if !records.is_empty() {
            for chart in charts(&records, threads) {
                pictures.push((chart.file_name.to_owned(), chart.svg()?));
            }
        }
        Ok(pictures)
    }
}

/// Returns the charts. Published figures are in seconds on one thread, and are shown only beside figures of that kind.
fn charts(records: &[Record], threads: usize) -> Vec<Chart> {
    let plural = if threads == 1 { "" } else { "s" };
    let chart = |file_name, title, quantity, of: fn(&Record) -> f64, published: Vec<Curve>| {
        let mut curves = records::curves(records, of);
        curves.extend(published.into_iter().filter(|_| threads == 1));
        let title = format!("{title}, {threads} thread{plural}");
        Chart { file_name, title, axis: "width of the table's inputs (bits)", quantity, curves }
    };
    let mut charts = vec![
        chart(
            "time_per_value",
            "Amortized time of a lookup",
            "time per value (ms)",
            |record| record.ms_per_value,
            published::time_per_value(),
        ),
        chart(
            "latency",
            "Latency of a lookup",
            "time per ciphertext (s)",
            |record| record.eval_s,
            published::latency(),
        ),
        chart(
            "time_per_value_units",
            "Amortized time of a lookup",
            "time per value (u)",
            |record| record.eval_units / record.slots as f64,
            Vec::new(),
        ),
        chart(
            "latency_units",
            "Latency of a lookup",
            "time per ciphertext (u)",
            |record| record.eval_units,
            Vec::new(),
        ),
        chart(
            "memory",
            "Memory of a lookup",
            "peak memory of the evaluation (GB)",
            |record| record.eval_rss_bytes / 1e9,
            published::memory(),
        ),
    ];
    // If the system does not account for memory, the chart of memory may be empty.
    charts.retain(|chart| chart.curves.iter().any(|curve| !curve.points.is_empty()));
    charts
}

#[cfg(test)]
mod tests {
    use super::*;
    fn line(method: &str, bits: usize, threads: usize) -> String {
        format!(
            r#"{{"method":"{method}","bits_in":{bits},"threads":{threads},"slots":65536,"ring_degree":65536,"eval_s":30.0,"eval_units":2e5,"ms_per_value":0.5,"eval_rss_bytes":7e9}}"#
        )
    }

    #[test]
    fn five_pictures_with_published_curves_beside_one_thread_only() {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("lines.jsonl"), folder.path().join("new/plots"));
        fs::write(&file, [line("akp", 8, 1), line("akp", 8, 2)].join("\n")).unwrap();
        for (of_threads, measured) in [(1, true), (2, false)] {
            let files = vec![file.clone()];
            run(&PlotArguments { out: out.clone(), files, of_threads, counts: false }).unwrap();
            // The sixth file is the table.
            assert_eq!(fs::read_dir(&out).unwrap().count(), 6);
            let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
            for name in ["time_per_value.svg", "latency.svg", "memory.svg"] {
                let svg = read(name);
                assert!(svg.contains("akp, cryptable"), "{name}");
                let label = "cmt, Dumezy et al., their machine";
                assert_eq!(svg.contains(label), measured, "{name}");
            }
            for name in ["time_per_value_units.svg", "latency_units.svg"] {
                let svg = read(name);
                assert!(svg.contains("akp, cryptable") && svg.contains("(u)"), "{name}");
                assert!(!svg.contains("Dumezy"), "{name}");
            }
        }
    }

    #[test]
    fn kept_results_of_all_benchmarks_are_taken_together() {
        let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/intel_xeon");
        let entries = fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().path());
        let is_of_lines = |path: &PathBuf| path.extension().is_some_and(|it| it == "jsonl");
        let files: Vec<PathBuf> = entries.filter(is_of_lines).collect();
        assert!(files.len() > 3);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("plots");
        run(&PlotArguments { out: out.clone(), files, of_threads: 1, counts: false }).unwrap();
        assert!(fs::read_to_string(out.join("memory.svg")).unwrap().contains("akp, cryptable"));
    }

    #[test]
    fn errors_leave_no_picture() {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("lines.jsonl"), folder.path().join("plots"));
        fs::write(&file, line("akp", 8, 1) + "\nnonsense").unwrap();
        let (files, counts) = (vec![file], false);
        let error = run(&PlotArguments { out: out.clone(), files, of_threads: 1, counts });
        let message = format!("{:#}", error.unwrap_err());
        assert!(message.contains("lines.jsonl, line 2"), "{message}");
        assert!(!out.exists());
    }
}

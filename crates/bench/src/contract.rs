//! The JSON contract: the fields of every line of `bench ... --json`, except the lines of `bench primitives`.

use serde::Serialize;
use serde_json::Value;

use crate::origin::Origin;

/// Prints a line, as JSON or in short human-readable form, and checks that no value was wrong.
pub fn print_line(line: &impl Serialize, json: bool) -> anyhow::Result<()> {
    print_lines(std::slice::from_ref(line), json)
}

/// Prints all lines, and then checks that none of them has wrong values.
pub fn print_lines(lines: &[impl Serialize], json: bool) -> anyhow::Result<()> {
    let values = lines.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
    for (line, value) in lines.iter().zip(&values) {
        println!("{}", if json { serde_json::to_string(line)? } else { shown(value) });
    }
    values.iter().try_for_each(check)
}

/// Checks that no value of a line was wrong.
fn check(line: &Value) -> anyhow::Result<()> {
    let [wrong, checked, method] = ["wrong", "values_checked", "method"].map(|name| &line[name]);
    let method = method.as_str().unwrap_or_default();
    anyhow::ensure!(wrong == 0, "{method}: {wrong} of {checked} values are wrong");
    Ok(())
}

/// Returns the human-readable form of a line: first the fields that all lines share, then its own.
fn shown(line: &Value) -> String {
    let number = |name: &str| line[name].as_f64().unwrap_or(f64::NAN);
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    let mut shown = format!(
        "{:<26} {} values in {:.4} s, {:.1} u, {:.4} ms per value; table {}; key {:.1} MB, peak {:.2} GB; \
         noise 2^{:.2} of the margin, predicted 2^{:.2}; fails 2^{:.1}; {:.1} bits of security",
        text("method"),
        line["slots"],
        number("eval_s"),
        number("eval_units"),
        number("ms_per_value"),
        text("table"),
        number("eval_key_bytes") / 1e6,
        number("peak_rss_bytes") / 1e9,
        number("noise_std_log2"),
        number("predicted_noise_std_log2"),
        number("log2_fail"),
        number("security_bits")
    );
    let common = serde_json::to_value(Contract::default()).unwrap_or_default();
    let own = line.as_object().into_iter().flatten();
    for (name, value) in own.filter(|(name, value)| common.get(name).is_none() && !value.is_null())
    {
        let rounded = value.as_f64().filter(|it| it.fract() != 0.0 && it.abs() > 0.001);
        let value = rounded.map_or_else(|| value.to_string(), |it| format!("{it:.3}"));
        shown += &format!("\n    {} {value}", name.replace('_', " "));
    }
    shown
}

/// Fields of every JSON line. Benchmarks add fields of their own; none changes the meaning of these.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
pub struct Contract {
    /// Name of the method.
    pub method: String,
    /// log2 of the input modulus.
    pub bits_in: f64,
    /// log2 of the output modulus.
    pub bits_out: f64,
    /// The input modulus; 0 if it does not fit into 64 bits.
    pub modulus_in: u64,
    /// Ring degree N.
    pub ring_degree: usize,
    /// Number of values per evaluation.
    pub slots: usize,
    /// Number of threads.
    pub threads: usize,
    /// Seconds that a server takes to expand or encode its keys.
    pub setup_s: f64,
    /// Seconds of key generation.
    pub keygen_s: f64,
    /// Seconds of encryption: of one ciphertext for packed values, and of one value elsewhere.
    pub encrypt_s: f64,
    /// Seconds to prepare all tables, once for any number of evaluations. For packed values, `eval_s` includes them, so that
    /// new lines can be compared with lines from before tables were prepared separately; elsewhere it does not.
    #[cfg_attr(test, serde(default))]
    pub prepare_s: f64,
    /// Seconds of an evaluation: the median of `runs`.
    pub eval_s: f64,
    /// Number of evaluations that were timed.
    pub runs: usize,
    /// `eval_s` per value, in milliseconds.
    pub ms_per_value: f64,
    /// The unit u in microseconds: the least of several samples over the run, in the same process.
    pub unit_us: f64,
    /// `eval_s` in u.
    pub eval_units: f64,
    /// Peak memory of the process.
    pub peak_rss_bytes: u64,
    /// Peak memory of evaluation alone, with keys loaded.
    pub eval_rss_bytes: u64,
    /// Bytes of the evaluation key in memory.
    pub eval_key_bytes: usize,
    /// Bytes of an input as sent: of one ciphertext for packed values, and of one value elsewhere, without the seed that all
    /// values of a list share.
    pub input_bytes: usize,
    /// Bytes of a result as sent.
    pub output_bytes: usize,
    /// Number of results that were decrypted and compared.
    pub values_checked: usize,
    /// Number of wrong results.
    pub wrong: usize,
    /// log2 of the standard deviation of the results' error, relative to the distance to a wrong value.
    pub noise_std_log2: f64,
    /// Prediction of the noise model; `None` if it has none.
    pub predicted_noise_std_log2: Option<f64>,
    /// log2 of the stated failure probability: that any value of one ciphertext fails in the whole operation.
    pub log2_fail: f64,
    /// log2 of the failure probability that parameters were chosen for, if the benchmark chose them and `literal` does not
    /// state it; older lines lack it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_log2_fail: Option<f64>,
    /// Bits of security that the parameters state.
    pub security_bits: f64,
    /// The table: its name, or `random:SEED`.
    pub table: String,
    /// Machine, kernels and commit; older lines lack them.
    #[serde(flatten)]
    pub origin: Origin,
}

impl Contract {
    /// Creates a line of this program, on the current number of threads, with nothing measured yet.
    pub fn here() -> Self {
        let threads = rayon::current_num_threads();
        Self { threads, origin: Origin::here(), ..Self::default() }
    }

    /// Enters the median time of `runs` evaluations of `values` values, and the unit of the run, in seconds.
    pub fn set_time(&mut self, eval_s: f64, runs: usize, values: usize, unit: f64) {
        (self.eval_s, self.runs, self.slots) = (eval_s, runs, values);
        self.ms_per_value = eval_s * 1e3 / values as f64;
        (self.unit_us, self.eval_units) = (unit * 1e6, eval_s / unit);
    }
}

#[cfg(test)]
pub mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// Newer fields of the contract. A line has either all of them or none.
    const NEWER: [&str; 4] = ["prepare_s", "processor", "simd", "revision"];

    /// Reads the arguments of a benchmark from a command line, with defaults for all others.
    pub fn parsed<A: clap::Args>(line: &str) -> A {
        let command = A::augment_args(clap::Command::new("bench").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split_whitespace()).unwrap();
        A::from_arg_matches(&matches).unwrap()
    }

    /// Checks a line that a benchmark made, which must have all fields, against the contract.
    pub fn check_line(line: &impl Serialize) {
        assert!(check_text(&serde_json::to_string(line).unwrap()));
    }

    /// Checks a line against the contract; returns whether it has the newer fields.
    fn check_text(line: &str) -> bool {
        let value: Value = serde_json::from_str(line).unwrap();
        let contract: Contract = serde_json::from_str(line).unwrap();
        let Contract { method, eval_s, unit_us, slots, threads, runs, .. } = &contract;
        assert!(!method.is_empty() && !contract.table.is_empty(), "{line}");
        assert!(*eval_s > 0.0 && *unit_us > 0.0 && *runs > 0 && *threads > 0, "{line}");
        assert!(contract.wrong == 0 && contract.values_checked > 0, "{line}");
        assert!(contract.log2_fail < 0.0 && contract.bits_in > 0.0, "{line}");
        assert!(contract.eval_key_bytes > 0 && contract.ring_degree.is_power_of_two(), "{line}");
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(close(contract.eval_units, eval_s / unit_us * 1e6), "{line}");
        assert!(close(contract.ms_per_value, eval_s * 1e3 / *slots as f64), "{line}");
        let is_new = value.get(NEWER[0]).is_some();
        for name in NEWER {
            assert_eq!(value.get(name).is_some(), is_new, "{name} in {line}");
        }
        if is_new {
            assert!(!contract.origin.processor.is_empty() && !contract.origin.simd.is_empty());
            let has = |name: &str| value.get(name).is_some();
            // Signs and comparisons have no steps, but predictions.
            let is_packed = ["steps", "predicted_peak_bytes"].into_iter().any(has)
                || method == "fdd"
                || contract.table == "integers";
            assert_eq!(value.get("literal").is_some_and(Value::is_object), is_packed, "{line}");
        }
        is_new
    }

    /// Returns log2 of the factor by which a deviation measured on `samples` Gaussian samples may exceed the true one, except
    /// with a probability of 2^-40 (Wilson and Hilferty's approximation of the chi-squared distribution, at seven
    /// deviations).
    pub fn most_excess_log2(samples: usize) -> f64 {
        let spread = 2.0 / (9.0 * samples as f64);
        1.5 * (1.0 - spread + 7.0 * spread.sqrt()).log2()
    }

    fn lines(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn committed_lines_keep_the_contract() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let files_of =
            |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        // There is one folder per machine, which may hold a calibration beside the lines.
        let files = files_of(folder).flat_map(files_of);
        let is_of_lines = |path: &PathBuf| path.extension().is_some_and(|it| it == "jsonl");
        let mut checked = 0;
        for path in files.filter(is_of_lines) {
            for line in lines(&path) {
                let value: Value = serde_json::from_str(&line).unwrap();
                if value.get("operation").is_some() {
                    assert!(value["seconds"].as_f64().unwrap() > 0.0, "{line}");
                    // In tests of timing leaks, controls leak, and nothing else does.
                    assert_eq!(value.get("leaks"), value.get("control"), "{line}");
                } else {
                    check_text(&line);
                }
                checked += 1;
            }
        }
        assert!(checked >= 200, "{checked} lines");
    }

    #[test]
    fn lines_hold_all_fields() {
        let mut contract = Contract {
            method: "NAND".to_owned(),
            table: "NAND".to_owned(),
            bits_in: 2.0,
            ring_degree: 1024,
            values_checked: 4,
            log2_fail: -64.0,
            eval_key_bytes: 1,
            ..Contract::here()
        };
        contract.set_time(0.5, 3, 64, 1e-4);
        check_line(&contract);
        print_line(&contract, true).unwrap();
        contract.wrong = 1;
        let message = print_line(&contract, false).unwrap_err().to_string();
        assert_eq!(message, "NAND: 1 of 4 values are wrong");
    }

    #[test]
    fn people_are_told_what_all_lines_have_and_what_one_adds() {
        #[derive(Serialize)]
        struct Line {
            #[serde(flatten)]
            contract: Contract,
            log2_prime: f64,
        }
        let contract = Contract { method: "NAND".to_owned(), ..Contract::here() };
        let line = serde_json::to_value(Line { contract, log2_prime: 24.90001 }).unwrap();
        let shown = shown(&line);
        assert!(
            shown.starts_with("NAND   ") && shown.ends_with("\n    log2 prime 24.900"),
            "{shown}"
        );
    }
}

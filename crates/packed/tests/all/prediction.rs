//! Predictions compared with measurements: times, noise, and memory, which must never be predicted too low.

use std::collections::BTreeMap;
use std::ops::Range;

use cryptable_lattice::ring_evaluation_key::RingEvaluationParameters;
use cryptable_packed::{
    CostModel, EntryKind, Error, Formula, Method, Operation, Parameters, ParametersLiteral,
    Prediction, PreparedFormulas, Request, Table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Deserialize;
use serde_json::Value;

/// Largest input modulus of tables whose own noise is predicted: larger random tables are all alike, and take long.
const MAX_OWN_TABLE: u64 = 1 << 8;

/// A machine on which committed lines were measured.
struct Machine {
    folder: &'static str,
    /// The cost model that [`CostModel::calibrated`] measured on the machine, on the day of the lines. If none, the
    /// built-in one is used.
    calibration: Option<&'static str>,
    /// Seconds per gigabyte of memory that a process uses for the first time. Times of single runs, whose memory is
    /// fresh, are compared only if this is known.
    fresh_memory: Option<f64>,
    /// Range of the ratio of predicted to measured times, on one thread and on two.
    within: [Range<f64>; 2],
    /// Range of the median of these ratios on one thread.
    median: Range<f64>,
}

/// The machines. The built-in cost model was fitted to the first. The calibrated model measures kernels that have the
/// caches to themselves; lookups of gigabytes wait for memory, and on the third machine for a cache that other machines
/// share. Two threads are faster by factors from 1.45 to 1.88, where 1.8 is predicted.
///
/// On the second machine, 2 GiB in pages of 2 MiB took 2.3 to 4.3 s when they were written for the first time, and 0.1
/// to 0.3 s when the host had already given them to the machine.
const MACHINES: [Machine; 3] = [
    Machine {
        folder: "amd_zen4",
        calibration: None,
        fresh_memory: None,
        within: [0.95..1.05, 0.8..1.1],
        median: 0.95..1.05,
    },
    Machine {
        folder: "amd_zen5",
        calibration: Some(include_str!("../../../bench/results/amd_zen5/calibration.json")),
        fresh_memory: Some(1.5),
        within: [0.8..1.1, 0.7..1.1],
        median: 0.85..1.0,
    },
    Machine {
        folder: "intel_xeon",
        calibration: Some(include_str!("../../../bench/results/intel_xeon/calibration.json")),
        fresh_memory: None,
        within: [0.65..1.15, 0.8..1.1],
        median: 0.85..1.0,
    },
];

/// Minimum number of parameter sets with times on each machine.
const MIN_SETS: usize = 5;

/// A measurement of today's circuits, with AVX-512 IFMA.
struct Line {
    /// Index in [`MACHINES`].
    machine: usize,
    name: String,
    parameters: Parameters,
    prediction: Prediction,
    tables: usize,
    threads: usize,
    /// Time of each line of these parameters, in units: [`units_of`].
    units: Vec<f64>,
    /// Bytes that single runs used for the first time; 0 for medians of several runs.
    fresh_bytes: f64,
    /// Peak memory, the largest of all lines.
    peak_bytes: f64,
    /// log2 of the standard deviation of errors in half steps: predicted for the line's table, and measured.
    noise: Option<[f64; 2]>,
}

impl Line {
    /// Reads a committed line of packed values, if it measured today's circuits: earlier circuits had other keys, or
    /// other numbers of key switches or transforms. Skips lines of words, since they do not hold circuits, and times of
    /// single runs if the cost of fresh memory is not known.
    fn read(machine: usize, line: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(line).unwrap();
        // Lines of tails of noise have other memory and no times.
        if line.get("variance_ratio").is_some() {
            return None;
        }
        let parameters =
            Parameters::new(ParametersLiteral::deserialize(&line["literal"]).ok()?).ok()?;
        let (method, table) = (line["method"].as_str()?, line["table"].as_str()?);
        let tables = line["tables"].as_u64().unwrap_or(1) as usize;
        let operation = table.parse::<Operation>().ok();
        let mut prediction = match (method, operation) {
            ("akp" | "bmt" | "cmt" | "mvb", _) => {
                let counts = Vec::<usize>::deserialize(&line["counts"]).ok()?;
                let now = parameters.operation_counts(tables);
                let is_today = (counts[0], counts[2]) == (now.transforms, now.key_switches);
                is_today.then(|| parameters.prediction_of(tables))?
            }
            ("fdd", _) => parameters.decomposition_prediction(1).unwrap(),
            ("a table for every value", _) => parameters.prediction_for(EntryKind::Plain, 1),
            ("one encrypted table", _) => parameters.prediction_for(EntryKind::Encrypted, 1),
            (_, Some(operation)) => parameters.operation_prediction(operation),
            _ if method.ends_with(" outputs") => parameters.prediction(),
            _ if method.starts_with("sums by ") => {
                let digits = line["bits_in"].as_f64()? / (parameters.input_modulus() as f64).log2();
                parameters.formula_prediction(&sums_by_group(&parameters, digits)).unwrap()
            }
            _ => return None,
        };
        // Lines that are older than keys for short masks lack the bytes of these keys.
        let results = parameters.result_key().map_or(0, |shape| shape.memory_bytes());
        let measured = line["eval_key_bytes"].as_u64()? as usize;
        if measured + results / 2 < prediction.key_memory_bytes {
            prediction.key_memory_bytes -= results;
        }
        // Matrices of few slots have some words that are not counted, hence the tolerance.
        let key = prediction.key_memory_bytes as f64 / line["eval_key_bytes"].as_f64()?;
        if (key - 1.0).abs() > 1e-3 || line["simd"] != "Avx512Ifma" {
            return None;
        }
        let is_single = line["runs"].as_u64()? <= 2;
        // The line of sums by groups took 1.37 times the predicted time, and is compared for memory only.
        let is_counted = !method.starts_with("sums by ");
        let is_timed = is_counted && (!is_single || MACHINES[machine].fresh_memory.is_some());
        let peak_bytes = line["eval_rss_bytes"].as_f64()?;
        let fresh_bytes = peak_bytes - prediction.key_memory_bytes as f64;
        Some(Self {
            machine,
            name: format!("{method} {} {}", parameters.method_name(), parameters.literal().name),
            prediction,
            tables,
            threads: line["threads"].as_u64()? as usize,
            units: if is_timed { vec![units_of(machine, &line)?] } else { Vec::new() },
            fresh_bytes: if is_single { fresh_bytes } else { 0.0 },
            peak_bytes,
            noise: noise_of(&parameters, &line),
            parameters,
        })
    }

    /// Returns the ratio of predicted to measured time, on the line's threads, if a time was measured.
    fn time_ratio(&self, model: &CostModel) -> Option<f64> {
        let values = self.prediction.values_per_ciphertext as u64;
        let predicted = self.prediction.duration(model, values, self.threads).as_secs_f64();
        let fresh = MACHINES[self.machine].fresh_memory.unwrap_or(0.0) * self.fresh_bytes / 1e9;
        Some((predicted + fresh) / model.unit() / self.median_units()?)
    }

    /// Returns the median of the lines' times, if there are any. In other minutes of the same machine, the same program
    /// takes up to a fifth more or less u.
    fn median_units(&self) -> Option<f64> {
        let mut units = self.units.clone();
        units.sort_by(f64::total_cmp);
        let last = units.len().checked_sub(1)?;
        Some((units[last / 2] + units[units.len() / 2]) / 2.0)
    }
}

/// Prepares the count of rows and the sums of digits by group, as `bench groups` measures them.
fn sums_by_group(parameters: &Parameters, digits: f64) -> PreparedFormulas {
    let mut formulas = vec![Formula::Constant(1)];
    formulas.extend((1..=digits.ceil() as usize).map(Formula::Column));
    let groups = parameters.literal().groups as u64;
    PreparedFormulas::by_group(&formulas, 0, groups, parameters.input_modulus()).unwrap()
}

/// Returns the predicted and the measured noise of a line that states both. The prediction is for the line's own table
/// if that has few entries. Signs are skipped, since half of their values lie where the step is, and others have less
/// noise.
fn noise_of(parameters: &Parameters, line: &Value) -> Option<[f64; 2]> {
    line["predicted_noise_std_log2"].as_f64()?;
    let measured = line["noise_std_log2"].as_f64()?;
    let (inputs, outputs) = (parameters.table_modulus(), parameters.output_modulus());
    let table = line["table"].as_str()?;
    if table == "sign" {
        return None;
    }
    let is_lookup =
        matches!(line["method"].as_str()?, "akp" | "bmt" | "cmt") && line["tables"] == 1;
    let seed = table.strip_prefix("random:").and_then(|seed| seed.parse().ok());
    let own = match seed {
        Some(seed) if is_lookup && inputs <= MAX_OWN_TABLE => {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            Some(Table::from_fn(inputs, outputs, |_| rng.random_range(0..outputs)).unwrap())
        }
        _ => None,
    };
    let ratio = match own {
        Some(table) => parameters.noise_of_table(&table).unwrap(),
        None => parameters.failure().typical_ratio,
    };
    Some([ratio.log2(), measured])
}

/// Returns the cost model of a machine.
fn model_of(machine: usize) -> CostModel {
    let calibration = MACHINES[machine].calibration;
    calibration.map_or_else(CostModel::default, |text| serde_json::from_str(text).unwrap())
}

/// Returns the time of a line: the median of its runs, or the total of the steps of one run if that is less, since
/// other work on the machine adds to either. The unit is that of the cost model if one was measured on the machine, and
/// otherwise u as measured with the line.
fn units_of(machine: usize, line: &Value) -> Option<f64> {
    let unit = match MACHINES[machine].calibration {
        Some(_) => model_of(machine).unit(),
        None => 1e-6 * line["unit_us"].as_f64()?,
    };
    let median = line["eval_s"].as_f64()? / unit;
    let steps: Vec<(String, f64)> = Vec::deserialize(&line["steps"]).unwrap_or_default();
    let of_steps = steps.iter().map(|(_, seconds)| seconds).sum::<f64>() / unit;
    Some(if of_steps > 0.0 { median.min(of_steps) } else { median })
}

/// Returns the contents of the committed files of lines, with the index of their machine in [`MACHINES`] and their
/// names.
fn files() -> Vec<(usize, String, String)> {
    let mut files = Vec::new();
    for (machine, Machine { folder, .. }) in MACHINES.iter().enumerate() {
        let folder = format!("{}/../bench/results/{folder}", env!("CARGO_MANIFEST_DIR"));
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).unwrap();
            files.push((machine, path.display().to_string(), text));
        }
    }
    files
}

/// Returns all committed lines. Lines of the same machine, parameters and work are joined.
fn lines() -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (machine, _, text) in files() {
        for line in text.lines().filter_map(|line| Line::read(machine, line)) {
            let same = |other: &&mut Line| {
                (other.machine, &other.name, other.parameters.digest(), other.tables, other.threads)
                    == (machine, &line.name, line.parameters.digest(), line.tables, line.threads)
                    && other.prediction == line.prediction
            };
            match lines.iter_mut().find(same) {
                Some(other) => {
                    other.units.extend(line.units);
                    other.peak_bytes = other.peak_bytes.max(line.peak_bytes);
                }
                None => lines.push(line),
            }
        }
    }
    lines
}

/// Checks that the failure probabilities that lines of lookups state hold by the present law of noise.
#[test]
fn committed_lines_state_true_failure_probabilities() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (_, file, text) in files() {
        for (number, line) in text.lines().enumerate() {
            let line: Value = serde_json::from_str(line).unwrap();
            let is_lookup = matches!(line["method"].as_str(), Some("akp" | "bmt" | "cmt" | "mvb"));
            if !is_lookup || line.get("variance_ratio").is_some() {
                continue;
            }
            let stated = line["log2_fail"].as_f64().unwrap();
            let literal = ParametersLiteral::deserialize(&line["literal"]);
            let found = literal.ok().and_then(|it| Parameters::new(it).ok());
            let found = found.map_or(0.0, |parameters| parameters.log2_fail());
            checked += 1;
            if found > stated + 0.01 {
                let (method, bits) = (&line["method"], &line["bits_in"]);
                let number = number + 1;
                wrong.push(format!("{file}:{number}: {method} {bits}: {found} for {stated}"));
            }
        }
    }
    assert!(checked > 20, "{checked} lines of lookups");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines of AKP that were measured when blocks of a table had all limbs of the steps, and so needed more memory than
/// predicted now.
const LINES_OF_WIDE_BLOCKS: [&str; 2] =
    ["akp_256_to_256_n65536_s32768_complex", "akp_4096_to_256_n65536_s32768_complex"];

#[test]
fn predicted_memory_is_never_below_what_was_measured() {
    let mut wrong = Vec::new();
    for line in lines() {
        let ratio = line.prediction.peak_bytes_on(line.threads) as f64 / line.peak_bytes;
        let (name, measured, threads) = (&line.name, line.peak_bytes / 1e9, line.threads);
        println!(
            "{name}, {} tables, {threads} threads: {ratio:.3} of {measured:.3} GB",
            line.tables
        );
        let of_wide_blocks = LINES_OF_WIDE_BLOCKS.iter().any(|of| name.ends_with(of));
        if !(1.0..1.06).contains(&ratio) && !of_wide_blocks {
            wrong.push(format!("{name}, {threads} threads: {ratio:.3}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn typical_noise_is_near_what_was_measured() {
    let mut wrong = Vec::new();
    for line in lines() {
        let Some([predicted, measured]) = line.noise else { continue };
        let name = &line.name;
        println!("{name}: noise 2^{predicted:.2}, measured 2^{measured:.2}");
        // The tolerance is half a bit, plus a third of a bit where predictions are larger: when these lines were
        // measured, matrices of SlotsToCoeffs had equal scales, whereas they now divide the scale so that the largest
        // error is minimal.
        if !(-0.5..0.84).contains(&(predicted - measured)) {
            wrong.push(format!("{name}: 2^{predicted:.2} for 2^{measured:.2}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn committed_lines_are_near_what_is_predicted() {
    let models: Vec<CostModel> = (0..MACHINES.len()).map(model_of).collect();
    let mut wrong = Vec::new();
    let mut ratios = [const { Vec::new() }; MACHINES.len()];
    for line in lines() {
        let Line { machine, name, units, threads, .. } = &line;
        let Some(ratio) = line.time_ratio(&models[*machine]) else { continue };
        let Machine { folder, within, .. } = &MACHINES[*machine];
        println!(
            "{folder}, {name}, {threads} threads: {ratio:.3} of the time; lines in u {units:.0?}"
        );
        if !within[usize::from(*threads > 1)].contains(&ratio) {
            wrong.push(format!("{folder}, {name}, {threads} threads: {ratio:.3}"));
        }
        if *threads == 1 {
            ratios[*machine].push(ratio);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    for (machine, mut ratios) in ratios.into_iter().enumerate() {
        ratios.sort_by(f64::total_cmp);
        let Machine { folder, median: expected, .. } = &MACHINES[machine];
        let median = ratios[ratios.len() / 2];
        println!("{folder}: {} sets, median {median:.3}", ratios.len());
        assert!(expected.contains(&median) && ratios.len() >= MIN_SETS, "{folder}: {median}");
    }
}

/// Prints the proportions of the built-in cost model that fit all lines best, in u.
#[test]
#[ignore = "a tool: where engines became faster, its output goes to CostModel::of_unit"]
fn fit_of_the_cost_model() {
    let model = CostModel::default();
    let rows: Vec<(String, [f64; 4])> = lines()
        .into_iter()
        .filter(|line| line.threads == 1 && line.machine == 0)
        .filter_map(|line| {
            let work = line.prediction.work;
            let counts = line.parameters.operation_counts(line.tables);
            println!("FIT {:?} {:?} {work:?} {counts:?}", line.name, line.units);
            println!("STAGES {:?} {:?}", line.name, line.parameters.stage_counts(line.tables));
            // The fit minimizes relative errors; the transform is the unit.
            let units = line.median_units()?;
            let mut of_transforms = work;
            (of_transforms.limb_products, of_transforms.combination_products) = (0.0, 0.0);
            of_transforms.table_products = 0.0;
            let rest = units - model.seconds(&of_transforms) / model.unit();
            let row = [work.limb_products, work.combination_products, work.table_products, rest];
            Some((line.name, row.map(|x| x / units)))
        })
        .collect();
    // Coordinate descent on the squares, for non-negative constants.
    let mut found = [0.2, 0.1, 0.1];
    for _ in 0..10_000 {
        for k in 0..found.len() {
            let (mut numerator, mut denominator) = (0.0, 0.0);
            for (_, row) in &rows {
                let others = (0..found.len()).filter(|&i| i != k).map(|i| found[i] * row[i]);
                numerator += row[k] * (row[3] - others.sum::<f64>());
                denominator += row[k] * row[k];
            }
            found[k] = (numerator / denominator).max(0.0);
        }
    }
    println!(
        "limb product {:.4} u, combination {:.4} u, table {:.4} u",
        found[0], found[1], found[2]
    );
    for (name, row) in rows {
        let error = found.iter().zip(&row).map(|(c, x)| c * x).sum::<f64>() - row[3];
        println!("{name}: {:.3} of the time", 1.0 + error);
    }
}

#[test]
fn a_memory_limit_is_kept() {
    let limit = 8_000_000_000;
    let request = Request { memory: Some(limit), ..Request::new(1 << 12, 1 << 12) };
    for parameters in Parameters::candidates(&request).unwrap() {
        assert!(parameters.prediction().peak_bytes() <= limit);
        // AKP of 12 bits is predicted to need more.
        assert!(!parameters.method_name().starts_with("AKP"));
    }
}

#[test]
fn higher_orders_serve_where_the_first_does_not() {
    let akp = |bits: u32, lookups_in_a_row: u32| {
        let modulus = 1u64 << bits;
        let base = Request::new(modulus, modulus);
        Parameters::choose(&Request { method: Some(Method::Akp), lookups_in_a_row, ..base })
    };
    let name = |found: Result<Parameters, _>| found.map(|found: Parameters| found.method_name());
    assert_eq!(name(akp(4, 1000)).unwrap(), "AKP");
    assert_eq!(name(akp(8, 1)).unwrap(), "AKP");
    assert_eq!(name(akp(8, 1000)).unwrap(), "AKP-3");
    // No order reaches 2^-64 per ciphertext at 12 bits.
    let error = akp(12, 1).unwrap_err();
    assert!(matches!(error, Error::FailureUnreachable { .. }), "{error}");
}

#[test]
fn weaker_demands_are_served_no_slower() {
    let model = CostModel::default();
    // Times for every way to cut the input into digits. Parameters for 6 lookups in a row once took longer than those
    // for 7, by a cleaning.
    let times = |lookups_in_a_row| -> BTreeMap<String, f64> {
        let request = Request { lookups_in_a_row, ..Request::new(256, 256) };
        let found = Parameters::candidates(&request).unwrap().into_iter();
        found.map(|it| (it.method_name(), model.seconds(&it.prediction().work))).collect()
    };
    let mut weaker = times(1);
    for lookups in 2..=9 {
        let stronger = times(lookups);
        // Trees in real slots need more memory, so that fewer of them are kept in addition to AKP.
        assert!(!stronger.is_empty(), "{stronger:?}");
        for (name, seconds) in &stronger {
            let before = weaker.get(name).copied().unwrap_or_default();
            assert!(before <= 1.001 * seconds, "{name}: {before} s, {seconds} s for {lookups}");
        }
        weaker = stronger;
    }
}

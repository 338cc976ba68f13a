//! `cryptable plan --list-parameters`: the list of all parameter sets that this program ships, so that others can estimate
//! their security.

use anyhow::Result;
use cryptable::{ListedParameters, LweInstance, SecretDistribution, SecurityLevel};
use serde::Serialize;
use serde_json::json;

use crate::args::Global;
use crate::progress;
use crate::report::{self, Report};

/// Prints the list: as a table, as a JSON object, or as CSV with one line per secret.
pub fn run(global: Global, as_csv: bool) -> Result<()> {
    let list = progress::spinner(global, "planning", ListedParameters::all)?;
    let sets: Vec<SetReport> = list.iter().map(SetReport::new).collect();
    if !as_csv {
        let report = Report { text: text(&sets), fields: json!({ "parameters": sets }) };
        return report::result(global, &report);
    }
    let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
    let lines = sets.iter().flat_map(|set| &set.secrets);
    lines.map(|line| writer.serialize(line)).collect::<csv::Result<Vec<()>>>()?;
    Ok(writer.flush()?)
}

/// One parameter set.
#[derive(Serialize)]
struct SetReport {
    name: String,
    security_level: SecurityLevel,
    /// Security of the weakest secret in bits; 128, the limit, if there is no estimate.
    security_bits: f64,
    /// Base-2 logarithm of the failure probability; `null` if it depends on the circuit.
    log2_fail: Option<f64>,
    secrets: Vec<SecretReport>,
}

/// An LWE problem, in the columns that an estimator reads.
#[derive(Serialize)]
struct SecretReport {
    parameters: String,
    name: &'static str,
    dimension: usize,
    ring: bool,
    /// Base-2 logarithm of the largest modulus that anything is encrypted under.
    log2_modulus: f64,
    /// `binary`, `ternary`, or the weight of a ternary secret of fixed weight.
    secret: String,
    error_std: f64,
    /// Lower bound on the cost of the cheapest attack, in bits; without an estimate, `null` in JSON and empty in CSV.
    security_bits: Option<f64>,
}

impl SetReport {
    fn new(set: &ListedParameters) -> Self {
        Self {
            name: set.name.clone(),
            security_level: set.security_level,
            security_bits: tenths(set.security_bits()),
            log2_fail: set.log2_fail.map(tenths),
            secrets: set
                .instances
                .iter()
                .map(|instance| SecretReport::new(&set.name, instance))
                .collect(),
        }
    }
}

impl SecretReport {
    fn new(parameters: &str, instance: &LweInstance) -> Self {
        Self {
            parameters: parameters.to_owned(),
            name: instance.name(),
            dimension: instance.dimension(),
            ring: instance.is_ring(),
            log2_modulus: (instance.log2_modulus() * 100.0).round() / 100.0,
            secret: match instance.secret() {
                SecretDistribution::Binary => "binary".to_owned(),
                SecretDistribution::UniformTernary => "ternary".to_owned(),
                SecretDistribution::FixedWeightTernary(weight) => weight.to_string(),
                SecretDistribution::Blocks(blocks) => format!("blocks{blocks}"),
            },
            error_std: (instance.error_standard_deviation() * 100.0).round() / 100.0,
            security_bits: instance.estimated_bits().map(tenths),
        }
    }
}

/// Rounds to a tenth, the precision of estimates.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Returns the human-readable list.
fn text(sets: &[SetReport]) -> String {
    let mut text = String::new();
    for SetReport { name, security_bits, log2_fail, secrets, .. } in sets {
        let failures = log2_fail.map(|it| format!(", failures below 2^{it:.1}"));
        let failures = failures.unwrap_or_default();
        text += &format!("{name}: {security_bits:.1} bits of security{failures}\n");
        text.extend(secrets.iter().map(|secret| format!("  {}\n", line_of(secret))));
    }
    let error = sets.first().and_then(|set| set.secrets.first());
    let error_std = error.map_or(0.0, |secret| secret.error_std);
    text + &format!("errors of standard deviation {error_std:.2}")
}

fn line_of(report: &SecretReport) -> String {
    let SecretReport { name, dimension, ring, log2_modulus, secret, security_bits, .. } = report;
    let kind = if *ring { "degree" } else { "dimension" };
    let secret = match secret.parse::<u32>() {
        Ok(weight) => format!("ternary of weight {weight}"),
        Err(_) => secret.clone(),
    };
    let bits = security_bits.map_or("-".to_owned(), |bits| format!("{bits:.1}"));
    format!("{name}: {kind} {dimension}, {secret}, modulus 2^{log2_modulus:.2}, {bits} bits")
}

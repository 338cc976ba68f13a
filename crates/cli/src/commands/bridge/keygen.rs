//! `cryptable bridge keygen`: keys of both ends.

use std::fmt;
use std::time::Instant;

use anyhow::Result;
use cryptable::Progress;
use cryptable::bridges::{Plan, SecretKeys, Target};
use serde::Serialize;

use super::plan::{self, Planned};
use crate::args::Global;
use crate::args::bridge::BridgeKeygenArgs;
use crate::commands::key_files::{KeyFiles, WrittenKeys};
use crate::report::{self, seconds};
use crate::{commands::bridge::plan::Report as PlanReport, progress};

/// Generates keys for the plan that the arguments ask for.
///
/// # Errors
/// If a key file exists and is not to be replaced, nothing serves the request, or writing fails: there is then no new file.
pub fn run(global: Global, args: &BridgeKeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    match plan::plan(global, &args.bridge)? {
        Planned::Integers(plan) => generate(global, files, &plan),
        Planned::Leveled(plan) => generate(global, files, &plan),
    }
}

fn generate<T: Target>(global: Global, files: KeyFiles<'_>, plan: &Plan<T>) -> Result<()> {
    let start = Instant::now();
    let files = files.create()?;
    let secrets = SecretKeys::generate(plan.parameters());
    let bar = progress::bar(global, "evaluation keys");
    let moved = progress::on(&bar);
    let keys = files.write(
        || secrets.to_bytes(),
        |file| secrets.write_evaluation_key(file, Progress::new(&moved)),
    )?;
    bar.finish_and_clear();
    let report = Report {
        plan: PlanReport::new(plan),
        key_id: secrets.ids()[0].to_string(),
        keys,
        keygen_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    plan: PlanReport,
    /// Of packed values, which files of ciphertexts name.
    key_id: String,
    #[serde(flatten)]
    keys: WrittenKeys,
    keygen_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "keys {}, {}", self.key_id, seconds(self.keygen_s))?;
        write!(f, "{}{}", self.plan, self.keys)
    }
}

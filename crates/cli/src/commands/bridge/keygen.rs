//! `cryptable bridge keygen`: keys of both ends.

use std::fmt;

use anyhow::Result;
use cryptable::KeyParameters;
use cryptable::bridges::{Parameters, Plan, Target};
use serde::Serialize;

use super::plan::{self, Planned};
use crate::args::Global;
use crate::args::bridge::BridgeKeygenArgs;
use crate::commands::bridge::plan::Report as PlanReport;
use crate::commands::key_files::{GeneratedKeys, KeyFiles};
use crate::report::{self, seconds};

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

fn generate<T: Target>(global: Global, files: KeyFiles<'_>, plan: &Plan<T>) -> Result<()>
where
    for<'a> &'a Parameters<T>: Into<KeyParameters>,
{
    let keys = files.generate(global, plan.parameters())?;
    report::summary(global, &Report { plan: PlanReport::new(plan), keys })
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    plan: PlanReport,
    #[serde(flatten)]
    keys: GeneratedKeys,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "keys {}, {}", self.keys.key_id, seconds(self.keys.keygen_s))?;
        write!(f, "{}{}", self.plan, self.keys.files)
    }
}

//! `cryptable plan program`: keys for a program, and what its run takes.

use anyhow::Result;
use cryptable::Limits;
use serde_json::json;

use super::read_program;
use crate::args::Global;
use crate::args::frames::ProgramJobArgs;
use crate::commands::planned_job::PlannedJob;
use crate::commands::{limits, operation_plan};
use crate::progress;

/// Plans a program.
pub fn plan(global: Global, args: &ProgramJobArgs) -> Result<PlannedJob> {
    let program = read_program(&args.program)?;
    let limits = Limits {
        values: args.rows,
        log2_fail: args.log2_fail,
        ..limits(global, args.memory, args.insecure_toy)
    };
    let spinner = progress::spinner(global, "planning");
    let plan = program.request().limits(limits).plan()?;
    spinner.finish_and_clear();
    let report = operation_plan::report(&plan, json!({ "columns": program.columns() }));
    let reason = format!("the fastest for {} columns", program.columns().len());
    Ok(PlannedJob::new(plan.parameters(), reason, report))
}

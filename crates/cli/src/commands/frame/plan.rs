//! `cryptable plan program`: keys for a program, and what its run takes.

use anyhow::{Context, Result};
use cryptable::Limits;
use serde_json::json;

use super::{read_program, read_schema, unwrapped};
use crate::args::Global;
use crate::args::frames::ProgramJobArgs;
use crate::commands::planned_job::PlannedJob;
use crate::commands::{limits, operation_plan};
use crate::printable::Printable as _;
use crate::{input_file, progress};

/// Plans a program.
pub fn plan(global: Global, args: &ProgramJobArgs) -> Result<PlannedJob> {
    let program = read_program(&args.program)?;
    if let Some(path) = &args.schema {
        let checked = program.check_schema(&read_schema(path)?).map_err(unwrapped);
        checked.with_context(|| input_file::shown(path).printable())?;
    }
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

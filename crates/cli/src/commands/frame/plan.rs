//! `cryptable plan program`: keys for a program, and the predicted cost of running it.

use anyhow::{Context, Result};
use serde_json::json;

use super::{read_program, read_schema};
use crate::args::Global;
use crate::args::frames::ProgramJobArgs;
use crate::commands::planned_job::PlannedJob;
use crate::{input_file, progress};

/// Plans a program.
pub fn plan(global: Global, args: &ProgramJobArgs) -> Result<PlannedJob> {
    let program = read_program(&args.program)?;
    if let Some(path) = &args.schema {
        let checked = program.check_schema(&read_schema(path)?);
        checked.with_context(|| input_file::name(path))?;
    }
    let request = program.request().limits(args.limits.of(global, args.rows));
    let plan = progress::spinner(global, "planning", || request.plan())?;
    let reason = format!("the fastest for {} columns", program.columns().len());
    Ok(PlannedJob::of_operations(&plan, reason, json!({ "columns": program.columns() })))
}

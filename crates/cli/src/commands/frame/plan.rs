//! `cryptable plan program`: keys for a program, and what its run takes.

use anyhow::{Context, Result};
use cryptable::Limits;

use super::{read_program, read_schema, unwrapped};
use crate::args::Global;
use crate::args::frames::ProgramJobArgs;
use crate::commands::operation_plan::Report;
use crate::commands::planned_job::PlannedJob;
use crate::commands::threads;
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
        memory: args.memory,
        log2_fail: args.log2_fail,
        threads: Some(threads(global)),
        insecure_toy: args.insecure_toy,
        ..Limits::default()
    };
    let spinner = progress::spinner(global, "planning");
    let plan = program.request().limits(limits).plan()?;
    spinner.finish_and_clear();
    let report = Report::new(&plan, [("columns", program.columns().into())]);
    let reason = format!("the fastest for {} columns", program.columns().len());
    Ok(PlannedJob::new(plan.parameters(), reason, report))
}

//! `cryptable plan program`: keys for a program, and what its run takes.

use anyhow::Result;
use cryptable::Limits;

use super::read_program;
use crate::args::Global;
use crate::args::frames::ProgramJobArgs;
use crate::commands::operation_plan::Report;
use crate::commands::planned_job::PlannedJob;
use crate::commands::threads;
use crate::progress;

/// Plans a program.
pub fn plan(global: Global, args: &ProgramJobArgs) -> Result<PlannedJob> {
    let program = read_program(&args.program)?;
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

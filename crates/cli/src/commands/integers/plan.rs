//! `cryptable integers plan`: what every operation takes.

use anyhow::Result;
use cryptable::integers::ColumnKind;

use super::plan_of;
use crate::args::Global;
use crate::args::integers::IntegersPlanArgs;
use crate::commands::operation_plan::Report;
use crate::report;

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &IntegersPlanArgs) -> Result<()> {
    let kind = ColumnKind::new(args.bits, args.signed)?;
    let plan = plan_of(global, &args.digits, kind)?;
    let job = [("type", kind.to_string().into()), ("digit_bits", plan.digit_bits().into())];
    report::result(global, &Report::new(&plan, job))
}

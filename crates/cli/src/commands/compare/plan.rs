//! `cryptable compare plan`: what every operation takes.

use anyhow::Result;
use cryptable::jobs::Comparisons;
use cryptable::{Limits, Request};

use crate::args::Global;
use crate::args::compare::{ComparePlanArgs, IntegerArgs};
use crate::commands::operation_plan::Report;
use crate::commands::threads;
use crate::report;

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &ComparePlanArgs) -> Result<()> {
    let plan = request(&args.integers).threads(threads(global)).plan()?;
    report::result(global, &Report::new(&plan, [("bits", plan.bits().into())]))
}

/// The library's request.
pub fn request(args: &IntegerArgs) -> Request<Comparisons> {
    Request::comparisons(args.bits).limits(Limits {
        values: args.values,
        memory: args.memory,
        log2_fail: Some(args.log2_fail),
        insecure_toy: args.insecure_toy,
        ..Limits::default()
    })
}

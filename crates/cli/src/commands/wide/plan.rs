//! `cryptable wide plan`: what dictionaries and structured tables take.

use anyhow::Result;
use cryptable::jobs::Words;
use cryptable::{CostModel, Limits, OperationPlan, Request};

use crate::args::Global;
use crate::args::wide::WideArgs;
use crate::commands::operation_plan::Report;
use crate::commands::threads;
use crate::report::{self, seconds};

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &WideArgs) -> Result<()> {
    let plan = choose(global, args)?;
    let work = plan.parameters().packed()?.arbitrary_table_work();
    let arbitrary = CostModel::calibrated().seconds(&work);
    let job = [
        ("bits", plan.bits().into()),
        ("value_bits", plan.value_bits().into()),
        ("word_bits", plan.modulus().ilog2().into()),
        ("arbitrary_table_s", arbitrary.into()),
    ];
    let note = format!(
        "a table without structure would take {} at least on one thread: it is refused",
        seconds(arbitrary)
    );
    let report = Report::new(&plan, job).with_note(&note);
    let whole = plan.failure_probability();
    let each = plan.value_failure_probability();
    report::result(global, &report.with_failures(whole, each))
}

/// Finds the fastest parameters for dictionaries of such keys and values.
///
/// # Errors
/// If nothing serves the request.
pub fn choose(global: Global, args: &WideArgs) -> Result<OperationPlan<Words>> {
    let request = Request::words(args.bits).limits(Limits {
        values: args.values.map(u64::from),
        memory: args.memory,
        log2_fail: Some(args.log2_fail),
        threads: Some(threads(global)),
        insecure_toy: args.insecure_toy,
        ..Limits::default()
    });
    Ok(args.value_bits.into_iter().fold(request, Request::value_bits).plan()?)
}

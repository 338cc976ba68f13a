//! `cryptable integers`: arithmetic on columns of integers in digits.

#[cfg(feature = "client")]
mod client;
mod column_file;
mod job;
mod pieces;
mod run;

use anyhow::Result;
use cryptable::Request;
use cryptable::integers::ColumnKind;
use serde_json::json;

#[cfg(feature = "client")]
pub use self::client::{decrypt, encrypt};
pub use self::run::run;
use crate::args::Global;
use crate::args::integers::DigitArgs;
use crate::commands::planned_job::PlannedJob;

/// Plans keys, which serve all columns, and predicts every operation on columns of one kind.
pub fn plan(global: Global, args: &DigitArgs) -> Result<PlannedJob> {
    let kind = ColumnKind::new(args.bits, args.signed)?;
    let request = Request::integers(kind).engine(args.mode).reduced();
    let request = request.limits(args.limits.of(global, args.values));
    let request = if args.search { request.searched() } else { request };
    let request = if args.sums { request.for_sums() } else { request };
    let digit_bits = args.digit_bits.into_iter();
    let plan = digit_bits.fold(request, |request, bits| request.digit_bits(bits)).plan()?;
    let reason = format!("for integers in digits of {} bits", plan.digit_bits());
    let job = json!({ "type": kind.to_string(), "digit_bits": plan.digit_bits() });
    Ok(PlannedJob::of_operations(&plan, reason, job))
}

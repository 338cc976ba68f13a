//! `cryptable integers`: arithmetic on columns of integers in digits.

#[cfg(feature = "client")]
mod client;
mod column_file;
mod job;
mod pieces;
mod run;

use anyhow::Result;
use cryptable::integers::ColumnKind;
use cryptable::{Limits, Request};
use serde_json::json;

#[cfg(feature = "client")]
pub use self::client::{decrypt, encrypt};
pub use self::run::run;
use crate::args::Global;
use crate::args::integers::DigitArgs;
use crate::commands::planned_job::PlannedJob;
use crate::commands::{limits, operation_plan};

/// Evaluates an expression for the integer type of a column.
macro_rules! with_integer {
    ($kind:expr, $integer:ident => $body:expr) => {{
        let kind: cryptable::integers::ColumnKind = $kind;
        macro_rules! with_type {
            ($type:ty) => {{
                type $integer = $type;
                $body
            }};
        }
        match (kind.bits(), kind.is_signed()) {
            (8, false) => with_type!(u8),
            (16, false) => with_type!(u16),
            (32, false) => with_type!(u32),
            (64, false) => with_type!(u64),
            (8, true) => with_type!(i8),
            (16, true) => with_type!(i16),
            (32, true) => with_type!(i32),
            (64, true) => with_type!(i64),
            _ => anyhow::bail!("{kind} are no integers"),
        }
    }};
}
use with_integer;

/// Plans keys, which serve all columns, and predicts every operation on columns of one kind.
pub fn plan(global: Global, args: &DigitArgs) -> Result<PlannedJob> {
    let kind = ColumnKind::new(args.bits, args.signed)?;
    let request = Request::integers(kind).engine(args.mode).reduced().limits(Limits {
        values: args.values,
        log2_fail: args.log2_fail,
        ..limits(global, args.memory, args.insecure_toy)
    });
    let request = if args.search { request.searched() } else { request };
    let request = if args.sums { request.for_sums() } else { request };
    let digit_bits = args.digit_bits.into_iter();
    let plan = digit_bits.fold(request, |request, bits| request.digit_bits(bits)).plan()?;
    let reason = format!("for integers in digits of {} bits", plan.digit_bits());
    let job = json!({ "type": kind.to_string(), "digit_bits": plan.digit_bits() });
    Ok(PlannedJob::new(plan.parameters(), reason, operation_plan::report(&plan, job)))
}

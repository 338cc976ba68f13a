//! `cryptable integers`: arithmetic on columns of integers in digits.

#[cfg(feature = "client")]
mod client;
mod column_file;
mod job;
mod pieces;
mod plan;
mod run;

use anyhow::Result;
use cryptable::integers::ColumnKind;
use cryptable::jobs::Integers;
use cryptable::{Limits, OperationPlan, Request};

use crate::args::Global;
use crate::args::integers::{DigitArgs, IntegersCommand};
use crate::commands::threads;

/// Evaluates an expression for the integer type of a column.
macro_rules! with_integer {
    ($kind:expr, $integer:ident => $body:expr) => {{
        let kind: cryptable::integers::ColumnKind = $kind;
        macro_rules! of {
            ($type:ty) => {{
                type $integer = $type;
                $body
            }};
        }
        match (kind.bits(), kind.is_signed()) {
            (8, false) => of!(u8),
            (16, false) => of!(u16),
            (32, false) => of!(u32),
            (64, false) => of!(u64),
            (8, true) => of!(i8),
            (16, true) => of!(i16),
            (32, true) => of!(i32),
            (64, true) => of!(i64),
            _ => anyhow::bail!("{kind} are no integers"),
        }
    }};
}
use with_integer;

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &IntegersCommand) -> Result<()> {
    match command {
        IntegersCommand::Plan(args) => plan::run(global, args),
        #[cfg(feature = "client")]
        IntegersCommand::Keygen(args) => client::keygen(global, args),
        #[cfg(feature = "client")]
        IntegersCommand::Encrypt(args) => client::encrypt(global, args),
        IntegersCommand::Run(args) => run::run(global, args),
        #[cfg(feature = "client")]
        IntegersCommand::Decrypt(args) => client::decrypt(global, args),
    }
}

/// Plans columns of a kind: keys serve all of them.
fn plan_of(global: Global, args: &DigitArgs, kind: ColumnKind) -> Result<OperationPlan<Integers>> {
    let request = Request::integers(kind).engine(args.mode).reduced().limits(Limits {
        values: args.values,
        memory: args.memory,
        log2_fail: args.log2_fail,
        threads: Some(threads(global)),
        insecure_toy: args.insecure_toy,
        ..Limits::default()
    });
    Ok(args
        .digit_bits
        .into_iter()
        .fold(request, |request, bits| request.digit_bits(bits))
        .plan()?)
}

//! `cryptable integers`: arithmetic on columns of integers in digits.

#[cfg(feature = "client")]
mod client;
mod column_file;
mod job;
mod pieces;
mod plan;
mod run;

use anyhow::{Result, bail};
use cryptable::engines::{packed, single};
use cryptable::integers::{insecure_packed_toy, packed_parameters_for, single_parameters};
use cryptable::{Engine, Parameters};

use crate::args::Global;
use crate::args::integers::{DigitArgs, IntegersCommand};

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

/// Digits of packed values, unless it is said otherwise.
const PACKED_DIGIT_BITS: u32 = 3;

/// Digits of single values.
const SINGLE_DIGIT_BITS: u32 = 2;

/// Places of a toy.
const TOY_PLACES: usize = 1024;

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

/// The parameters that keys are generated for.
fn parameters(args: &DigitArgs) -> Result<Parameters> {
    let DigitArgs { mode, digit_bits, insecure_toy, .. } = *args;
    match mode {
        Engine::Packed => {
            let digit_bits = digit_bits.unwrap_or(PACKED_DIGIT_BITS);
            if insecure_toy {
                return Ok(insecure_packed_toy(digit_bits, TOY_PLACES)?.into());
            }
            let count = args.values.map(|values| usize::try_from(values).unwrap_or(usize::MAX));
            let request = packed::Request {
                count,
                memory: args.memory,
                log2_fail: args.log2_fail,
                ..packed::Request::new(4, 4)
            };
            Ok(packed_parameters_for(digit_bits, &request)?.into())
        }
        Engine::Single => {
            let digit_bits = digit_bits.unwrap_or(SINGLE_DIGIT_BITS);
            if (args.values, args.memory, args.log2_fail) != (None, None, None) {
                bail!("--values, --memory and --log2-fail are for --mode packed");
            }
            if insecure_toy {
                let modulus = 1 << (2 * digit_bits.min(3));
                return Ok(single::Parameters::insecure_toy(modulus, modulus)?.into());
            }
            Ok(single_parameters(digit_bits)?.into())
        }
        Engine::Leveled => bail!("integers are of --mode packed or --mode single"),
    }
}

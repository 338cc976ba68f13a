//! The subcommands.

mod aes;
mod bits_plan;
mod compare;
mod decrypt;
mod demo;
mod encrypt;
mod gelu;
mod inspect;
mod key_files;
mod keygen;
mod lookup;
mod plan;
mod single_plan;
mod value_plan;

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use cryptable::{Method, Parameters, Request, Table, leveled, single};
use zeroize::Zeroizing;

use crate::args::{Cli, Command, Demonstration, Global, ParameterArgs};
use crate::formats;
use crate::formats::table::{self, Moduli};
use crate::mode::{AnyParameters, AnySecretKey, Mode};

/// Longest secret key file that is read.
const MAX_SECRET_KEY_BYTES: u64 = 1 << 21;

/// Runs the program.
///
/// # Errors
/// Whatever keeps the subcommand from its work.
pub fn run(cli: Cli) -> Result<()> {
    let global = cli.global;
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(global.threads.unwrap_or(0)))
        .build_global()
        .context("cannot start the worker threads")?;
    match cli.command {
        Command::Plan(args) => compare::run(global, &args),
        Command::Keygen(args) => keygen::run(global, &args),
        Command::Encrypt(args) => encrypt::run(global, &args),
        Command::Lookup(args) => lookup::run(global, &args),
        Command::Decrypt(args) => decrypt::run(global, &args),
        Command::Aes(args) => aes::run(global, &args.command),
        Command::Inspect(args) => inspect::run(global, &args),
        Command::Demo(args) => match args.what {
            Demonstration::Scan => demo::run(global, &args),
            Demonstration::Gelu => gelu::run(global, &args),
        },
        Command::Bench(args) => cryptable_bench::run(&args.command, threads(global), global.json),
    }
}

/// The moduli that the arguments ask for.
///
/// # Errors
/// If the table cannot be read.
fn moduli(args: &ParameterArgs) -> Result<(u64, u64)> {
    let stated_input = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let stated_output = args.output_bits.map(|bits| 1 << bits).or(args.output_modulus);
    let of_table = |table: &Table| (table.input_modulus(), table.output_modulus());
    Ok(match (&args.table, stated_input) {
        (Some(path), _) => {
            of_table(&table::read(path, Moduli { input: None, output: stated_output })?)
        }
        (None, Some(input)) => (input, stated_output.unwrap_or(input)),
        (None, None) => unreachable!("the grammar demands one of bits, modulus and table"),
    })
}

/// The request for packed values that the arguments make.
///
/// # Errors
/// If the table cannot be read, or an option is of single values.
fn request(args: &ParameterArgs) -> Result<Request> {
    ensure!(args.variant.is_none(), "--variant is an option of --mode single and --mode bits");
    let (input, output) = moduli(args)?;
    let count = args.count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    Ok(Request {
        ring_degree: args.ring_degree,
        // More than the largest ring holds are served by several ciphertexts.
        count: count.map(|count| count.min(1 << 16)),
        method: args.method.map(Method::from),
        digit_bits: args.digit_bits,
        memory: args.memory,
        ..Request::new(input, output)
    })
}

/// All parameters that serve the arguments, the chosen ones first.
///
/// # Errors
/// If the table cannot be read, or no parameter set serves the moduli.
fn plan_parameters(args: &ParameterArgs) -> Result<Vec<Parameters>> {
    let request = request(args)?;
    let (input, output) = (request.input_modulus, request.output_modulus);
    let planned = if args.insecure_toy {
        Parameters::insecure_toy(input, output).map(|parameters| vec![parameters])
    } else {
        Parameters::candidates(&request)
    };
    let is_hint = planned.is_err()
        && !args.has_packed_options()
        && leveled::Parameters::choose(&leveled::Request::new(input, output)).is_ok();
    let hint = if is_hint { "; --mode bits serves it, each value by itself" } else { "" };
    planned
        .map_err(|error| anyhow!("{error}{hint}"))
        .with_context(|| format!("input modulus {input}, output modulus {output}"))
}

/// All parameters for single values that serve the arguments, the chosen ones first.
///
/// # Errors
/// If the table cannot be read, no parameter set serves the moduli, or an option is of packed values.
fn plan_single_parameters(args: &ParameterArgs) -> Result<Vec<single::Parameters>> {
    refuse_packed_options(args)?;
    let (input, output) = moduli(args)?;
    let planned = if args.insecure_toy {
        single::Parameters::insecure_toy(input, output).map(|parameters| vec![parameters])
    } else {
        let method = args.variant.as_deref();
        let request = single::Request { method, ..single::Request::new(input, output) };
        single::Parameters::candidates(&request)
    };
    let hint = if args.variant.is_none() {
        "; --mode packed and --mode bits serve more tables"
    } else {
        ""
    };
    planned.map_err(|error| anyhow!("{error}{hint}"))
}

/// All parameters for values bit by bit that serve the arguments, the chosen ones first.
///
/// # Errors
/// If the table cannot be read, no parameter set serves the moduli, or an option is of packed values.
fn plan_bits_parameters(args: &ParameterArgs) -> Result<Vec<leveled::Parameters>> {
    refuse_packed_options(args)?;
    let (input, output) = moduli(args)?;
    Ok(if args.insecure_toy {
        vec![leveled::Parameters::insecure_toy(input, output)?]
    } else {
        let set = args.variant.as_deref();
        leveled::Parameters::candidates(&leveled::Request {
            set,
            ..leveled::Request::new(input, output)
        })?
    })
}

/// Demands that no option of packed values is given.
fn refuse_packed_options(args: &ParameterArgs) -> Result<()> {
    match args.packed_options().into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(anyhow!("--{name} is an option of --mode packed")),
        None => Ok(()),
    }
}

/// The parameters that the arguments ask for.
///
/// # Errors
/// As [`plan_parameters`], [`plan_single_parameters`] and [`plan_bits_parameters`].
fn choose_parameters(args: &ParameterArgs) -> Result<AnyParameters> {
    Ok(match args.mode.unwrap_or(Mode::Packed) {
        Mode::Packed => AnyParameters::Packed(Box::new(plan_parameters(args)?.swap_remove(0))),
        Mode::Single => {
            AnyParameters::Single(Box::new(plan_single_parameters(args)?.swap_remove(0)))
        }
        Mode::Bits => AnyParameters::Bits(Box::new(plan_bits_parameters(args)?.swap_remove(0))),
    })
}

/// Reads a client's secret key.
///
/// # Errors
/// If the file cannot be read or is no secret key.
fn read_secret_key(path: &Path) -> Result<AnySecretKey> {
    let name = path.display();
    let failed = || format!("cannot read {name}");
    let file = formats::open(path)?;
    let length = file.metadata().with_context(failed)?.len();
    ensure!(
        length <= MAX_SECRET_KEY_BYTES,
        "{name}: {length} bytes, above the limit of {MAX_SECRET_KEY_BYTES} for a secret key"
    );
    // Room for everything at once: growing would leave copies of the secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + 1));
    file.take(length).read_to_end(&mut bytes).with_context(failed)?;
    AnySecretKey::from_bytes(&bytes).with_context(failed)
}

/// What people must know about parameters below 128 bits, which only tests of this program use.
fn warning(security_bits: f64) -> &'static str {
    if security_bits < 128.0 { "INSECURE, for tests only: " } else { "" }
}

/// The number of threads that work.
fn threads(global: Global) -> usize {
    global.threads.map_or_else(rayon::current_num_threads, usize::from)
}

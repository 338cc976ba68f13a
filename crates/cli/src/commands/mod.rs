//! The subcommands.

mod decrypt;
mod demo;
mod encrypt;
mod gelu;
mod inspect;
mod keygen;
mod lookup;
mod plan;

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use cryptable::{Method, Parameters, Request, SecretKey, planner};
use zeroize::Zeroizing;

use crate::args::{Cli, Command, Demonstration, Global, ParameterArgs};
use crate::formats;
use crate::formats::table::{self, Moduli};

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
        Command::Plan(args) => plan::run(global, &args),
        Command::Keygen(args) => keygen::run(global, &args),
        Command::Encrypt(args) => encrypt::run(global, &args),
        Command::Lookup(args) => lookup::run(global, &args),
        Command::Decrypt(args) => decrypt::run(global, &args),
        Command::Inspect(args) => inspect::run(global, &args),
        Command::Demo(args) => match args.what {
            Demonstration::Scan => demo::run(global, &args),
            Demonstration::Gelu => gelu::run(global, &args),
        },
        Command::Bench(args) => cryptable_bench::run(&args.command, threads(global), global.json),
    }
}

/// The request that the arguments make.
///
/// # Errors
/// If the table cannot be read.
fn request(args: &ParameterArgs) -> Result<Request> {
    let stated_input = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let stated_output = args.output_bits.map(|bits| 1 << bits).or(args.output_modulus);
    let (input, output) = match (&args.table, stated_input) {
        (Some(path), _) => {
            let table = table::read(path, Moduli { input: None, output: stated_output })?;
            (table.input_modulus(), table.output_modulus())
        }
        (None, Some(input)) => (input, stated_output.unwrap_or(input)),
        (None, None) => unreachable!("the grammar demands one of bits, modulus and table"),
    };
    let count = args.count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    Ok(Request {
        ring_degree: args.ring_degree,
        // More than the largest ring holds are served by several ciphertexts.
        count: count.map(|count| count.min(1 << 16)),
        method: args.method.map(Method::from),
        digit_bits: args.digit_bits,
        memory_limit: args.memory,
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
        planner::plan(&request).map(|all| all.into_iter().map(|found| found.parameters).collect())
    };
    planned.with_context(|| format!("input modulus {input}, output modulus {output}"))
}

/// The parameters that the arguments ask for.
///
/// # Errors
/// As [`plan_parameters`].
fn choose_parameters(args: &ParameterArgs) -> Result<Parameters> {
    Ok(plan_parameters(args)?.swap_remove(0))
}

/// Reads a client's secret key.
///
/// # Errors
/// If the file cannot be read or is no secret key.
fn read_secret_key(path: &Path) -> Result<SecretKey> {
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
    SecretKey::from_bytes(&bytes).with_context(failed)
}

/// What people must know about parameters below 128 bits, which only tests of this program use.
fn warning(security_bits: f64) -> &'static str {
    if security_bits < 128.0 { "INSECURE, for tests only: " } else { "" }
}

/// The number of threads that work.
fn threads(global: Global) -> usize {
    global.threads.map_or_else(rayon::current_num_threads, usize::from)
}

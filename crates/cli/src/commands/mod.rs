//! The subcommands.

mod decrypt;
mod demo;
mod encrypt;
mod inspect;
mod keygen;
mod lookup;
mod plan;

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use cryptable::{Parameters, Request, SecretKey};
use zeroize::Zeroizing;

use crate::args::{Cli, Command, Global, ParameterArgs};
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
        Command::Demo(args) => demo::run(global, &args),
        Command::Bench(args) => cryptable_bench::run(&args.command, threads(global), global.json),
    }
}

/// The parameters that the arguments ask for.
///
/// # Errors
/// If the table cannot be read, or no parameter set serves the moduli.
fn choose_parameters(args: &ParameterArgs) -> Result<Parameters> {
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
    let parameters = if args.insecure_toy {
        Parameters::insecure_toy(input, output)
    } else {
        let count = args.count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        // More than the largest ring holds are served by several ciphertexts.
        let count = count.map(|count| count.min(1 << 16));
        let ring_degree = args.ring_degree;
        Parameters::choose(&Request { ring_degree, count, ..Request::new(input, output) })
    };
    parameters.with_context(|| format!("input modulus {input}, output modulus {output}"))
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

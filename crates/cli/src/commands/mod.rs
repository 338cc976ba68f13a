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
mod resume;
mod single_plan;
mod value_plan;

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, anyhow, ensure};
use clap::CommandFactory;
use cryptable::{Method, Parameters, Request, leveled, planner, single};

use crate::args::{Cli, Command, CompletionsArgs, Demonstration, Global, ParameterArgs};
use crate::formats::csv::{Coding, ReadNote};
use crate::formats::dictionary::Dictionary;
use crate::formats::domain::Domain;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::mode::{AnyParameters, AnySecretKey, Mode};
use crate::{guard, input_file, interrupt, report};

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
    interrupt::install()?;
    cli.files().check()?;
    match cli.command {
        Command::Plan(mut args) => {
            let note = resolve_table(&mut args.parameters)?;
            compare::run(global, &args)?;
            report::note(global, note.as_ref());
            Ok(())
        }
        Command::Keygen(mut args) => {
            key_files::KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
            let note = resolve_table(&mut args.parameters)?;
            keygen::run(global, &args)?;
            report::note(global, note.as_ref());
            Ok(())
        }
        Command::Encrypt(args) => encrypt::run(global, &args),
        Command::Lookup(args) => lookup::run(global, &args),
        Command::Decrypt(args) => decrypt::run(global, &args),
        Command::Aes(args) => aes::run(global, &args.command),
        Command::Inspect(args) => inspect::run(global, &args),
        Command::Demo(args) => match args.what {
            Demonstration::Scan => demo::run(global, &args),
            Demonstration::Gelu => gelu::run(global, &args),
        },
        Command::Completions(args) => completions(&args),
        Command::Bench(args) => cryptable_bench::run(&args.command, threads(global), global.json),
    }
}

/// Prints a script for a shell.
fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cryptable", &mut script);
    std::io::stdout().write_all(&script).context("cannot write to standard output")
}

/// The moduli that the arguments ask for, once their table is resolved.
fn moduli(args: &ParameterArgs) -> (u64, u64) {
    let input = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let output = args.output_bits.map(|bits| 1 << bits).or(args.output_modulus);
    let input = input.expect("the grammar demands one of bits, modulus and table");
    (input, output.unwrap_or(input))
}

/// The request for packed values that the arguments make.
///
/// # Errors
/// If an option is of single values.
fn request(args: &ParameterArgs) -> Result<Request> {
    ensure!(args.variant.is_none(), "--variant is an option of --mode single and --mode bits");
    let (input, output) = moduli(args);
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
/// If no parameter set serves the moduli.
fn plan_parameters(args: &ParameterArgs) -> Result<Vec<Parameters>> {
    let request = request(args)?;
    let (input, output) = (request.input_modulus, request.output_modulus);
    let planned = if args.insecure_toy {
        Parameters::insecure_toy(input, output).map(|parameters| vec![parameters])
    } else {
        planner::plan(&request).map(|all| all.into_iter().map(|found| found.parameters).collect())
    };
    let is_hint = planned.is_err()
        && !args.has_packed_options()
        && leveled::Parameters::candidates(&leveled::Request::new(input, output)).is_ok();
    let hint = if is_hint { "; --mode bits serves it, each value by itself" } else { "" };
    planned
        .map_err(|error| anyhow!("{error}{hint}"))
        .with_context(|| format!("input modulus {input}, output modulus {output}"))
}

/// All parameters for single values that serve the arguments, the chosen ones first.
///
/// # Errors
/// If no parameter set serves the moduli, or an option is of packed values.
fn plan_single_parameters(args: &ParameterArgs) -> Result<Vec<single::Parameters>> {
    refuse_packed_options(args)?;
    let (input, output) = moduli(args);
    let planned = if args.insecure_toy {
        single::Parameters::insecure_toy(input, output).map(|parameters| vec![parameters])
    } else {
        let method = args.variant.clone();
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
/// If no parameter set serves the moduli, or an option is of packed values.
fn plan_bits_parameters(args: &ParameterArgs) -> Result<Vec<leveled::Parameters>> {
    refuse_packed_options(args)?;
    let (input, output) = moduli(args);
    Ok(if args.insecure_toy {
        vec![leveled::Parameters::insecure_toy(input, output)?]
    } else {
        let method = args.variant.as_deref().map(str::parse).transpose()?;
        leveled::Parameters::candidates(&leveled::Request {
            method,
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
    let check = |start: &[u8]| guard::check_secret_key("--secret", start);
    let bytes = input_file::read_secret(path, MAX_SECRET_KEY_BYTES, "a secret key", check)?;
    let name = input_file::shown(path).display();
    AnySecretKey::from_bytes(&bytes).with_context(|| format!("cannot read {name}"))
}

/// The words that values stand for, if there is a dictionary; else integers.
///
/// # Errors
/// If the dictionary cannot be read.
fn coding(dictionary: Option<&Path>, may_grow: bool, domain: Domain) -> Result<Coding> {
    Ok(match dictionary {
        None => Coding::Integers(domain),
        Some(path) => {
            let book = Dictionary::open(path, may_grow)?;
            Coding::Words(Rc::new(RefCell::new(book)), domain.modulus)
        }
    })
}

/// Reads the table that parameters are chosen for, once, and puts its moduli in its place; returns what was read.
///
/// # Errors
/// If the table cannot be read.
fn resolve_table(args: &mut ParameterArgs) -> Result<Option<ReadNote>> {
    let Some(path) = args.table.take() else { return Ok(None) };
    let stated = args.output_bits.take().map(|bits| 1 << bits).or(args.output_modulus);
    let moduli = Moduli { input: None, output: stated };
    let (table, note) = table::read(&path, &TableOptions::plain(moduli))?;
    args.modulus = Some(table.input_modulus());
    args.output_modulus = Some(table.output_modulus());
    Ok(note)
}

/// What people must know about parameters below 128 bits, which only tests of this program use.
fn warning(security_bits: f64) -> &'static str {
    if security_bits < 128.0 { "INSECURE, for tests only: " } else { "" }
}

/// The number of threads that work.
fn threads(global: Global) -> usize {
    global.threads.map_or_else(rayon::current_num_threads, usize::from)
}

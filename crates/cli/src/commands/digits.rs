//! `cryptable digits`: digits of packed values, tables of them, automata that read them, and floors.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::{
    Ciphertext, CiphertextFileSummary, Contents, EvaluationKey, Execution, Parameters, Table,
};
use serde_json::{Value, json};

use crate::args::Global;
use crate::args::digits::DigitsArgs;
use crate::ciphertext_file::{self, Reader, Writer};
use crate::commands::table_files;
use crate::formats::table::Moduli;
use crate::guard::{FileArgs, Role};
use crate::key_input::KeyFile;
use crate::report::{self, bytes, counted, seconds};
use crate::{atomic_file, input_file, memory_limit, progress};

/// Keys that have digits.
const KEYS: &str = "digits needs keys from keygen compare or keygen --method cmt";

/// Writes the digits of a file of values, or the values without their lowest bits.
pub fn run(global: Global, args: &DigitsArgs, files: &FileArgs) -> Result<()> {
    let mut reader = Reader::open(global, &args.input)?;
    let key_file = KeyFile::open(global, &args.evaluation)?;
    let parameters = key_file.header.parameters.lookups()?;
    let sizes = sizes(&reader, &parameters, args)?;
    let contents = reader.contents_of(&parameters, key_file.header.key_id);
    let contents = Contents { modulus: sizes.iter().product(), ..contents };
    reader.check(&contents, &args.evaluation)?;
    let outputs = outputs(args, files, sizes.len())?;
    let work = match (args.floor, args.states) {
        (Some(bits), _) => Work::Floor(digits_of_floor(&sizes, bits, &parameters)?),
        (None, Some(states)) => Work::Chain(states, tables_of_chain(args, states, &parameters)?),
        (None, None) => Work::Tables(tables(args, &sizes, parameters.output_modulus())?),
    };
    let packed = parameters.packed()?;
    let prediction = match &work {
        Work::Tables(_) | Work::Chain(..) => packed.decomposition_prediction(1)?,
        Work::Floor(count) => packed.floor_prediction(*count)?,
    };
    memory_limit::check_unread(args.memory.limit, work.name(), prediction.peak_bytes())?;
    let mapped = key_file.read()?;
    let start = Instant::now();
    let kinds = work.results(&sizes, contents).into_iter();
    let create = |(path, contents): (&PathBuf, Contents)| ciphertext_file::create(path, contents);
    let mut writers: Vec<Writer> = outputs.iter().zip(kinds).map(create).collect::<Result<_>>()?;
    let bar = progress::bar(global, work.name());
    let total = reader.summary().ciphertexts as usize;
    for part in 0..total {
        let input = reader.next_ciphertext()?;
        let step = progress::on_part(&bar, part, total);
        let execution = Execution::default().progress(&step);
        let results = work.run(&mapped.key, &input, execution).with_context(|| reader.name())?;
        writers.iter_mut().zip(&results).try_for_each(|(file, result)| file.push(result))?;
    }
    bar.finish_and_clear();
    mapped.check_unchanged()?;
    let written = ciphertext_file::commit_all(writers)?;
    let eval_s = start.elapsed().as_secs_f64();
    let fields = json!({
        "outputs": outputs.iter().zip(&written).map(fields_of).collect::<Vec<_>>(),
        "work": work.name(),
        "digit_sizes": sizes,
        "values": reader.summary().values,
        "threads": global.threads(),
        "eval_s": eval_s,
        "peak_rss_bytes": report::peak_memory_bytes(),
    });
    let lines: String = outputs.iter().zip(&written).map(line_of).collect();
    let (time, threads) = (seconds(eval_s), counted(global.threads() as u64, "thread"));
    report::told(global, fields, format!("{lines}{} in {time} on {threads}", work.name()))
}

/// Returns the fields about a file of results.
fn fields_of((output, file): (&PathBuf, &CiphertextFileSummary)) -> Value {
    let output = output.to_string_lossy();
    json!({ "output": output, "modulus": file.contents.modulus, "output_bytes": file.bytes })
}

/// Returns the human-readable line about a file of results.
fn line_of((output, file): (&PathBuf, &CiphertextFileSummary)) -> String {
    let output = atomic_file::name(output);
    let (values, modulus) = (report::values(file.values), file.contents.modulus);
    format!("{output}: {values} below {modulus}, {}\n", bytes(file.bytes))
}

/// Returns the files that are written for a number of digits, and checks that they replace nothing that is read.
fn outputs(args: &DigitsArgs, files: &FileArgs, digits: usize) -> Result<Vec<PathBuf>> {
    ensure!(
        args.writes_one_file() || !atomic_file::is_stdout(&args.output),
        "--output -: digits are {digits} files, so give the beginning of their names"
    );
    let outputs = args.outputs(digits);
    files.and("--output", Role::Bytes, &outputs).check()?;
    Ok(outputs)
}

/// Returns the sizes of the digits of an input: those of the key or, after a floor, only the highest of them.
fn sizes(reader: &Reader, parameters: &Parameters, args: &DigitsArgs) -> Result<Vec<u64>> {
    let key = || input_file::name(&args.evaluation);
    let sizes = parameters.digit_sizes().with_context(|| format!("{}: {KEYS}", key()))?;
    ensure!(
        sizes.len() > 1,
        "{}: its keys look values below {} up in one piece, without digits; {KEYS}",
        key(),
        sizes[0]
    );
    let takes_floors = takes_floors(parameters);
    ensure!(
        takes_floors || args.floor.is_none(),
        "{}: --floor needs keys from keygen compare, but these are for a tree over digits",
        key()
    );
    let modulus = reader.summary().contents.modulus;
    let last = if takes_floors { sizes.len() } else { 1 };
    let found = (0..last).find(|&first| sizes[first..].iter().product::<u64>() == modulus);
    // Another modulus is reported together with whatever else does not match.
    Ok(sizes[found.unwrap_or(0)..].to_vec())
}

/// Returns whether lookups process inputs digit by digit, so that lower digits can be cleared.
fn takes_floors(parameters: &Parameters) -> bool {
    parameters.packed().is_ok_and(|packed| !packed.literal().digits.is_empty())
}

/// Returns the number of digits that a floor of `bits` bits drops.
fn digits_of_floor(sizes: &[u64], bits: u32, parameters: &Parameters) -> Result<usize> {
    let mut place = 1_u128;
    let mut possible = Vec::new();
    for (digit, &size) in sizes[..sizes.len() - 1].iter().enumerate() {
        place *= u128::from(size);
        if place == 1 << bits {
            return Ok(digit + 1);
        }
        possible.extend(place.is_power_of_two().then(|| place.ilog2().to_string()));
    }
    let modulus = parameters.input_modulus();
    match possible.as_slice() {
        [] => bail!("--floor {bits}: these values have a single digit, below {}", sizes[0]),
        possible => bail!(
            "--floor {bits}: digits of this key, which multiply to {modulus}, end after {} bits; give one of these, or \
             choose other digits with keygen compare --digit-bits",
            possible.join(", ")
        ),
    }
}

/// Reads the table of every digit; without files, the tables return the digits themselves.
fn tables(args: &DigitsArgs, sizes: &[u64], output_modulus: u64) -> Result<Vec<Vec<Table>>> {
    let (found, digits) = (args.tables.len(), sizes.len());
    if found == 0 {
        let identity = |&size: &u64| Ok(vec![Table::from_fn(size, size, |digit| digit)?]);
        return sizes.iter().map(identity).collect();
    }
    let shown = || sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    ensure!(
        found == 1 || found == digits,
        "{found} --table, but values have {digits} digits: give one table for each, the lowest digit first, or one for \
         all"
    );
    ensure!(
        found == digits || sizes.iter().all(|size| size == &sizes[0]),
        "one --table is for digits of one size, but these have sizes {}: give one table for each, the lowest digit first",
        shown()
    );
    ensure!(
        !args.reading.signs().inputs,
        "--signed: digits are unsigned; --signed=outputs is for tables with signed outputs"
    );
    let read = |(path, &size): (&PathBuf, &u64)| {
        let moduli = Moduli { input: Some(size), output: Some(output_modulus) };
        Ok(vec![table_files::read(&args.reading, path, moduli)?.0])
    };
    args.tables.iter().cycle().zip(sizes).map(read).collect()
}

/// Reads the tables of an automaton, one for each piece of the values.
fn tables_of_chain(args: &DigitsArgs, states: u64, parameters: &Parameters) -> Result<Vec<Table>> {
    let pieces = parameters.chain_pieces(states).context("--states")?;
    let (found, expected) = (args.tables.len(), pieces.len());
    let shown = || pieces.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    ensure!(
        found == expected,
        "{found} --table, but an automaton of {states} states reads values of this key in parts of sizes {}: give one table \
         for each, the lowest first",
        shown()
    );
    ensure!(
        !args.reading.signs().inputs,
        "--signed: states are unsigned; --signed=outputs is for signed results"
    );
    let read = |(index, (path, size)): (usize, (&PathBuf, &u64))| {
        let is_last = index + 1 == expected;
        let output = if is_last { parameters.output_modulus() } else { states };
        let moduli = Moduli { input: Some(states * size), output: Some(output) };
        Ok(table_files::read(&args.reading, path, moduli)?.0)
    };
    args.tables.iter().zip(&pieces).enumerate().map(read).collect()
}

/// Work that is done on every ciphertext.
enum Work {
    /// Digits, each of which goes through its tables.
    Tables(Vec<Vec<Table>>),
    /// An automaton of this number of states, with a table for each piece of the values.
    Chain(u64, Vec<Table>),
    /// A floor, which drops this number of the lowest digits.
    Floor(usize),
}

impl Work {
    fn name(&self) -> &'static str {
        match self {
            Self::Tables(_) => "digits",
            Self::Chain(..) => "automaton",
            Self::Floor(_) => "floor",
        }
    }

    /// Returns the contents of every result, for inputs with these contents.
    fn results(&self, sizes: &[u64], of: Contents) -> Vec<Contents> {
        let contents = |table: &Table| {
            let (modulus, signed) = (table.output_modulus(), table.signed_outputs());
            Contents { modulus, signed, standalone: true, ..of }
        };
        match self {
            Self::Tables(tables) => tables.iter().flatten().map(contents).collect(),
            Self::Chain(_, tables) => tables.last().map(contents).into_iter().collect(),
            Self::Floor(count) => {
                let modulus = sizes[*count..].iter().product();
                vec![Contents { modulus, standalone: true, ..of }]
            }
        }
    }

    fn run(
        &self,
        key: &EvaluationKey,
        input: &Ciphertext,
        execution: Execution<'_>,
    ) -> cryptable::Result<Vec<Ciphertext>> {
        match self {
            Self::Tables(tables) => {
                Ok(key.decompose(input, tables, execution)?.into_iter().flatten().collect())
            }
            Self::Chain(states, tables) => {
                Ok(vec![key.lookup_chain(input, *states, tables, execution)?])
            }
            Self::Floor(count) => {
                let rest = key.floor(input, *count, execution)?;
                Ok(vec![rest.with_signed(input.is_signed())])
            }
        }
    }
}

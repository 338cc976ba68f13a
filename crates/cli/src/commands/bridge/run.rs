//! The server's command `cryptable bridge`.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::engines::{integer_bridge, leveled_bridge, packed};
use cryptable::large_values::EncryptedIntegers;
use cryptable::{Ciphertext, Contents, Engine, EvaluationKey, KeyId, KeyParameters};
use serde_json::json;

use super::tables;
use crate::args::Global;
use crate::args::bridge::{BridgeOperation, BridgeRunArgs};
use crate::args::common::name_of;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::ciphertext_file::{self, Reader, Writer};
use crate::input_file;
use crate::key_input::{self, KeyFile};
use crate::memory_limit;
use crate::progress::{self, Progress};
use crate::report::{self, bytes, seconds};

/// A range of values, counted over a whole file.
type Range64 = Range<u64>;

/// The results for the rows in one ciphertext of the inputs.
enum Outcome {
    /// Ciphertexts of an engine.
    Ciphertexts(Vec<Ciphertext>),
    /// Whole integers.
    Integers(EncryptedIntegers),
}

/// Looks values up, extracts results and computes on them, with one ciphertext of each input at a time.
pub fn run(global: Global, args: &BridgeRunArgs) -> Result<()> {
    let start = Instant::now();
    check_arguments(args)?;
    // Cheap checks come first, since reading keys takes a while.
    let mut readers = Reader::open_all(global, &args.inputs)?;
    let key_file = KeyFile::open(global, &args.server.evaluation)?;
    let packed = packed_parameters(&key_file, args)?;
    check_inputs(&readers, packed, key_file.header.key_id, args)?;
    let values = readers[0].summary().values;
    let rows = rows_of(args, values)?;
    check_rows(args, &rows, packed.literal().slots as u64)?;
    let mapped = key_file.read()?;
    let bar = progress::bar(global, "bridge");
    let server = Server::new(args, Keys::of(&mapped.key)?, &bar)?;
    let (key_bytes, working_bytes) = server.needs(&rows);
    memory_limit::check(args.server.memory.limit, &name_of(&args.op), key_bytes, working_bytes)?;
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let mut output = Output::new(args);
    let mut before = 0;
    for _ in 0..readers[0].summary().ciphertexts {
        let operands = ciphertext_file::next_of_each(&mut readers)?;
        let count = operands[0].count() as u64;
        let part = rows.start.max(before)..rows.end.min(before + count);
        if !part.is_empty() {
            let part = (part.start - before) as usize..(part.end - before) as usize;
            output.push(server.outcome(&operands, part)?)?;
        }
        before += count;
    }
    bar.finish_and_clear();
    mapped.check_unchanged()?;
    let (eval_s, output_bytes) = (start.elapsed().as_secs_f64(), output.commit()?);
    // Values were looked up packed; some of the results were extracted.
    let (taken_out, operation) = (rows.end - rows.start, name_of(&args.op));
    let text = format!(
        "{operation} of {taken_out} of {values} values, {}, {}",
        bytes(output_bytes),
        seconds(eval_s)
    );
    let fields = json!({
        "operation": operation,
        "values": values,
        "taken_out": taken_out,
        "load_s": load_s,
    });
    report::computed(global, &args.server.file.output, output_bytes, eval_s, fields, &text)
}

/// Checks that the options of the operation are given, and those of others are not.
fn check_arguments(args: &BridgeRunArgs) -> Result<()> {
    let is_below = args.op == BridgeOperation::Below;
    let is_table = args.op == BridgeOperation::Table;
    let op = name_of(&args.op);
    ensure!(!is_below || args.threshold.is_some(), "below needs --threshold");
    ensure!(is_below || args.threshold.is_none(), "--threshold is for below, not for {op}");
    ensure!(!is_table || args.second_table.is_some(), "table needs --second-table");
    ensure!(
        is_table || (args.second_table.is_none() && !args.pack),
        "--second-table and --pack are for table, not for {op}"
    );
    tables::paths(args).map(drop)
}

/// Returns the rows whose results are extracted, counted from 0.
fn rows_of(args: &BridgeRunArgs, values: u64) -> Result<Range64> {
    let Some(rows) = args.rows else { return Ok(0..values) };
    let name = || input_file::name(&args.inputs[0]);
    ensure!(
        rows.last <= values,
        "--rows {}-{}: {} has {values} rows",
        rows.first,
        rows.last,
        name()
    );
    Ok(rows.first - 1..rows.last)
}

/// Checks that rows whose results are whole integers are in one ciphertext, which holds `slots` values.
fn check_rows(args: &BridgeRunArgs, rows: &Range64, slots: u64) -> Result<()> {
    let is_one = rows.is_empty() || rows.start / slots == (rows.end - 1) / slots;
    let gives_integers = !args.op.gives_bits() && args.op != BridgeOperation::Table;
    ensure!(is_one || !gives_integers, "{}", several_ciphertexts(args));
    Ok(())
}

fn several_ciphertexts(args: &BridgeRunArgs) -> String {
    format!(
        "{} returns whole integers of rows in one ciphertext of the inputs, but these are in several; choose fewer with --rows",
        name_of(&args.op)
    )
}

/// Returns the packed parameters of a bridge's keys.
fn packed_parameters<'a>(
    file: &'a KeyFile,
    args: &BridgeRunArgs,
) -> Result<&'a packed::Parameters> {
    match &file.header.parameters {
        KeyParameters::IntegerBridge(both) => Ok(both.packed()),
        KeyParameters::LeveledBridge(both) => Ok(both.packed()),
        _ => bail!("{}", key_input::of_keygen(&args.server.evaluation, "bridge")),
    }
}

/// Checks that all files match the keys and each other.
fn check_inputs(
    readers: &[Reader],
    parameters: &packed::Parameters,
    key_id: KeyId,
    args: &BridgeRunArgs,
) -> Result<()> {
    let (engine, parameter_digest) = (Engine::Packed, parameters.digest());
    let (modulus, contents) = (parameters.input_modulus(), readers[0].summary().contents);
    let expected = Contents { engine, parameter_digest, key_id, modulus, ..contents };
    ciphertext_file::check_alike(readers, &expected, &args.server.evaluation)
}

/// The keys of a bridge, by the engine at the other end.
#[derive(Clone, Copy)]
enum Keys<'a> {
    Integers(&'a integer_bridge::EvaluationKey),
    Leveled(&'a leveled_bridge::EvaluationKey),
}

impl<'a> Keys<'a> {
    fn of(key: &'a EvaluationKey) -> Result<Self> {
        match key {
            EvaluationKey::IntegerBridge(keys) => Ok(Self::Integers(keys)),
            other => Ok(Self::Leveled(other.leveled_bridge()?)),
        }
    }
}

/// The keys and tables of a job, and its progress.
struct Server<'a> {
    args: &'a BridgeRunArgs,
    keys: Keys<'a>,
    /// Tables of each operand: one if results are integers, one per digit if they are leveled values.
    tables: Vec<Vec<packed::PreparedTable>>,
    second: Option<cryptable::engines::leveled::PreparedTable>,
    bar: &'a Progress,
}

impl<'a> Server<'a> {
    fn new(args: &'a BridgeRunArgs, keys: Keys<'a>, bar: &'a Progress) -> Result<Self> {
        let paths = tables::paths(args)?;
        let is_table = args.op == BridgeOperation::Table;
        let (prepared, second) = match keys {
            Keys::Integers(keys) if !is_table => {
                let (p, bits) =
                    (keys.packed().parameters().input_modulus(), keys.parameters().single().bits());
                let prepare = |path: &PathBuf| {
                    let table = tables::of_integers(args, path, p, bits)?;
                    Ok(vec![keys.packed().prepare(&table)?])
                };
                (paths.into_iter().map(prepare).collect::<Result<_>>()?, None)
            }
            Keys::Leveled(keys) if is_table => {
                let (packed, leveled) = (keys.parameters().packed(), keys.parameters().single());
                let digits = tables::of_digits(args, paths[0], packed, leveled)?;
                let prepare = |table| keys.packed().prepare(table);
                let digits = digits.iter().map(prepare).collect::<cryptable::Result<_>>()?;
                let second = keys.single().prepare(&tables::second(args, leveled)?)?;
                (vec![digits], Some(second))
            }
            Keys::Integers(_) => {
                bail!(
                    "keys for integers do not support table: it needs keys from keygen --op table"
                )
            }
            Keys::Leveled(_) => {
                bail!(
                    "keys from keygen --op table are only for table, not for {}",
                    name_of(&args.op)
                )
            }
        };
        Ok(Self { args, keys, tables: prepared, second, bar })
    }

    /// Returns the key of packed values.
    fn packed(&self) -> &packed::EvaluationKey {
        match self.keys {
            Keys::Integers(keys) => keys.packed(),
            Keys::Leveled(keys) => keys.packed(),
        }
    }

    /// Returns the bytes of memory of all keys, and those needed beside them for one ciphertext and the results that
    /// are extracted from it.
    fn needs(&self, rows: &Range64) -> (usize, usize) {
        let tables = self.tables.iter().map(Vec::len).max().unwrap_or(1);
        let slots = self.packed().parameters().literal().slots as u64;
        let taken_out = self.tables.len() * (rows.end - rows.start).min(slots) as usize;
        match self.keys {
            Keys::Integers(keys) => {
                (keys.memory_bytes(), keys.parameters().working_bytes(tables, taken_out))
            }
            Keys::Leveled(keys) => {
                (keys.memory_bytes(), keys.parameters().working_bytes(tables, taken_out))
            }
        }
    }

    /// Runs all steps on some rows of one ciphertext of every operand.
    fn outcome(&self, operands: &[Ciphertext], rows: Range<usize>) -> Result<Outcome> {
        let moved = progress::on(self.bar);
        let mut looked_up = Vec::with_capacity(operands.len());
        for (operand, tables) in operands.iter().zip(&self.tables) {
            let tables: Vec<_> = tables.iter().collect();
            let progress = cryptable::Progress::new(&moved);
            let operand = operand.packed()?[0];
            looked_up.push(self.packed().lookup_many(operand, &tables, progress)?);
        }
        match self.keys {
            Keys::Integers(keys) => self.integer_outcome(keys, &looked_up, rows),
            Keys::Leveled(keys) => self.leveled_outcome(keys, &looked_up[0], rows),
        }
    }

    fn integer_outcome(
        &self,
        keys: &integer_bridge::EvaluationKey,
        looked_up: &[Vec<packed::Ciphertext>],
        rows: Range<usize>,
    ) -> Result<Outcome> {
        let (bridge, functions) = (keys.bridge(), keys.single());
        let moved = progress::on(self.bar);
        let progress = || cryptable::Progress::new(&moved);
        let taken_out = |results: &Vec<packed::Ciphertext>| {
            bridge.to_integers(keys.ends(), &results[0], rows.clone())
        };
        let taken_out = looked_up.iter().map(taken_out).collect::<cryptable::Result<Vec<_>>>()?;
        let (x, y) = (&taken_out[0], &taken_out[taken_out.len() - 1]);
        let bits = match self.args.op {
            BridgeOperation::Sign | BridgeOperation::Below => functions.sign(x, progress())?,
            BridgeOperation::LessThan => functions.less_than(x, y, progress())?,
            BridgeOperation::Maximum => {
                return Ok(Outcome::Integers(functions.maximum(x, y, progress())?));
            }
            BridgeOperation::Absolute => {
                return Ok(Outcome::Integers(functions.absolute(x, progress())?));
            }
            BridgeOperation::Relu => return Ok(Outcome::Integers(functions.relu(x, progress())?)),
            BridgeOperation::Table => unreachable!("keys for integers support no second table"),
        };
        let packed = bridge.pack_small(keys.ends(), &bits, 2, progress())?;
        Ok(Outcome::Ciphertexts(vec![packed.into()]))
    }

    fn leveled_outcome(
        &self,
        keys: &leveled_bridge::EvaluationKey,
        digits: &[packed::Ciphertext],
        rows: Range<usize>,
    ) -> Result<Outcome> {
        let moved = progress::on(self.bar);
        let progress = || cryptable::Progress::new(&moved);
        let modulus = keys.parameters().single().input_modulus();
        let values = keys.bridge().to_leveled(keys.ends(), digits, modulus, rows)?;
        let second = self.second.as_ref().context("table needs --second-table")?;
        let results = keys.single().lookup_many(&values, &[second], progress())?.swap_remove(0);
        if !self.args.pack {
            let results = Ciphertext::from(results).with_signed(self.args.signed);
            return Ok(Outcome::Ciphertexts(vec![results]));
        }
        let packed = keys.bridge().pack_leveled(keys.ends(), &results, progress())?;
        let signed = |packed| Ciphertext::from(packed).with_signed(self.args.signed);
        Ok(Outcome::Ciphertexts(packed.into_iter().map(signed).collect()))
    }
}

/// The file of results, which is created with the first of them.
struct Output<'a> {
    args: &'a BridgeRunArgs,
    started: Option<Started>,
}

enum Started {
    Ciphertexts(Box<Writer>),
    Integers(AtomicFile),
}

impl<'a> Output<'a> {
    fn new(args: &'a BridgeRunArgs) -> Self {
        Self { args, started: None }
    }

    fn push(&mut self, outcome: Outcome) -> Result<()> {
        use std::io::Write as _;
        match (outcome, &mut self.started) {
            (Outcome::Ciphertexts(found), started) => {
                for one in found {
                    if started.is_none() {
                        let file =
                            ciphertext_file::create(&self.args.server.file.output, one.contents())?;
                        *started = Some(Started::Ciphertexts(Box::new(file)));
                    }
                    if let Some(Started::Ciphertexts(file)) = started {
                        file.push(&one)?;
                    }
                }
            }
            (Outcome::Integers(found), started @ None) => {
                let mut file = atomic_file::create(&self.args.server.file.output, Access::Public)?;
                file.write_all(&found.to_bytes())?;
                *started = Some(Started::Integers(file));
            }
            (Outcome::Integers(_), Some(_)) => bail!("{}", several_ciphertexts(self.args)),
        }
        Ok(())
    }

    fn commit(self) -> Result<u64> {
        match self.started.context("there are no rows")? {
            Started::Ciphertexts(file) => Ok(ciphertext_file::commit(*file)?.bytes),
            Started::Integers(file) => Ok(file.commit(true)?),
        }
    }
}

//! `cryptable automaton`: automata on words of encrypted values.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::engines::leveled::Automaton;
use cryptable::{Ciphertext, Contents, Execution, Parameters, Table};
use serde_json::json;

use crate::args::Global;
use crate::args::automaton::AutomatonArgs;
use crate::ciphertext_file::{self, Reader};
use crate::formats::rules;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::key_input::KeyFile;
use crate::report::{self, bytes, counted, seconds};
use crate::{input_file, progress};

/// Runs an automaton on every word of a file.
pub fn run(global: Global, args: &AutomatonArgs) -> Result<()> {
    let mut reader = Reader::open(global, &args.input)?;
    let key_file = KeyFile::open(global, &args.evaluation)?;
    let parameters = key_file.header.parameters.lookups()?;
    parameters.leveled().with_context(|| {
        let name = input_file::name(&args.evaluation);
        format!("{name}: automata need keys from keygen --word-length")
    })?;
    let expected = reader.contents_of(&parameters, key_file.header.key_id);
    let expected = Contents { signed: false, standalone: false, ..expected };
    reader.check(&expected, &args.evaluation)?;
    let automaton = automaton(args, expected.modulus)?;
    let values = reader.summary().values;
    let length = args.word_length.map_or(values, u64::from);
    ensure!(
        length > 0 && values.is_multiple_of(length),
        "--word-length {length}: {} has {values} values, which are not whole words",
        reader.name()
    );
    let outputs = outputs(args, &automaton, &parameters, length as usize)?;
    let mapped = key_file.read()?;
    let words = all_values(&mut reader)?;
    let start = Instant::now();
    let results = progress::shown(global, "automaton", |moved| {
        let execution = Execution::default().progress(moved);
        mapped.key.run_automaton(&automaton, &words, length as usize, &outputs, execution)
    });
    let results = results.with_context(|| reader.name())?;
    mapped.check_unchanged()?;
    let contents = Contents { modulus: outputs.output_modulus(), ..expected };
    let mut writer = ciphertext_file::create(&args.file.output, contents)?;
    writer.push(&results)?;
    let written = ciphertext_file::commit(writer)?;
    let eval_s = start.elapsed().as_secs_f64();
    let (states, words) = (automaton.states().len(), written.values);
    let text = format!(
        "{} of {}, results below {}, {}\n{} in {} on {}",
        counted(words, "word"),
        counted(length, "value"),
        contents.modulus,
        bytes(written.bytes),
        counted(states as u64, "state"),
        seconds(eval_s),
        counted(global.threads() as u64, "thread")
    );
    let modulus = contents.modulus;
    let fields =
        json!({ "modulus": modulus, "words": words, "word_length": length, "states": states });
    report::computed(global, &args.file.output, written.bytes, eval_s, fields, &text)
}

/// Returns the automaton that the options describe.
fn automaton(args: &AutomatonArgs, symbols: u64) -> Result<Automaton> {
    let text = |text: &String| text.bytes().map(u64::from).collect();
    match (&args.rules, &args.pattern) {
        (Some(rules), _) => rules::read(rules, symbols),
        (None, Some(pattern)) => Automaton::occurrences(pattern, symbols).context("--pattern"),
        (None, None) => {
            let pattern: Vec<u64> = args.text.as_ref().map(text).unwrap_or_default();
            Automaton::occurrences(&pattern, symbols).context("--text")
        }
    }
}

/// Returns the table of results.
fn outputs(
    args: &AutomatonArgs,
    automaton: &Automaton,
    parameters: &Parameters,
    length: usize,
) -> Result<Table> {
    let modulus = parameters.output_modulus();
    if let Some(path) = &args.outputs {
        let moduli = Moduli { input: None, output: Some(modulus) };
        return Ok(table::read(path, &TableOptions::plain(moduli))?.0);
    }
    let heaviest = automaton.largest_weight(length);
    if heaviest >= modulus {
        bail!(
            "weights of words are up to {heaviest}, and outputs of this key below {modulus}: give --outputs, or generate \
             keys with --output-modulus {} or more",
            heaviest.saturating_add(1)
        );
    }
    Ok(Table::from_fn((heaviest + 1).max(2), modulus, |weight| weight)?)
}

/// Reads all values of a file.
fn all_values(reader: &mut Reader) -> Result<Ciphertext> {
    let mut parts = Vec::new();
    while let Some(part) = reader.next_or_end()? {
        parts.push(part);
    }
    Ciphertext::join(parts).with_context(|| reader.name())
}

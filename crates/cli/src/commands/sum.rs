//! `cryptable sum`: sums of encrypted values and of their multiples.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{Ciphertext, Contents, EvaluationKey, KeyId, Parameters};
use serde_json::json;

use crate::args::{Global, SumArgs};
use crate::ciphertext_file::{self, Reader, ciphertexts, encryptions};
use crate::input_file;
use crate::key_input::KeyFile;
use crate::report::{self, bytes, counted, seconds, values};

/// Adds up files of ciphertexts, with one ciphertext of each at a time.
pub fn run(global: Global, args: &SumArgs) -> Result<()> {
    let (inputs, factors) = (args.inputs.len(), args.factors.len());
    ensure!(
        factors == 0 || factors == inputs,
        "{inputs} --input and {factors} --factor: each input has a factor, or none has"
    );
    let open = |path: &PathBuf| ciphertext_file::open(path);
    let mut readers: Vec<Reader> = args.inputs.iter().map(open).collect::<Result<_>>()?;
    let key_file = KeyFile::open(global, &args.evaluation)?;
    let parameters = key_file.header.parameters.lookups()?;
    let contents = check(&readers, &parameters, key_file.header.key_id, args)?;
    // Sums need the parameters of the key, but none of its words.
    let key = &key_file.read()?.key;
    let start = Instant::now();
    let mut writer = ciphertext_file::create(&args.output, contents)?;
    while let Some(sum) = next(&mut readers, key, args)? {
        writer.push(&sum.with_signed(contents.signed))?;
    }
    let first = *readers[0].summary();
    let written = ciphertext_file::commit_all(vec![writer])?[0];
    let (eval_s, count) = (start.elapsed().as_secs_f64(), encryptions(&first));
    let text = format!(
        "{} in {}, {}\n{} added in {}",
        values(first.values),
        ciphertexts(count),
        bytes(written.bytes),
        counted(inputs as u64, "term"),
        seconds(eval_s)
    );
    let fields = json!({
        "engine": parameters.engine(),
        "terms": inputs,
        "values": first.values,
        "ciphertexts": count,
        "eval_s": eval_s,
    });
    report::written(global, &args.output, written.bytes, fields, &text)
}

/// Checks that all files match the key and each other, and returns the contents of the sums.
fn check(
    readers: &[Reader],
    parameters: &Parameters,
    key_id: KeyId,
    args: &SumArgs,
) -> Result<Contents> {
    let (engine, parameter_digest) = (parameters.engine(), parameters.digest());
    // Inputs may be fresh values or results, but all must have the same modulus.
    let first = readers[0].summary().contents;
    let expected = Contents { engine, parameter_digest, key_id, ..first };
    ciphertext_file::check_alike(readers, &args.inputs, &expected, &args.evaluation)?;
    let standalone = readers.iter().any(|reader| reader.summary().contents.standalone);
    Ok(Contents { signed: first.signed || args.signed, standalone, ..expected })
}

/// Returns the sum of the next ciphertexts; `None` after the last.
fn next(readers: &mut [Reader], key: &EvaluationKey, args: &SumArgs) -> Result<Option<Ciphertext>> {
    let mut sum: Option<Ciphertext> = None;
    for (index, reader) in readers.iter_mut().enumerate() {
        let path = || name(&args.inputs[index]);
        let Some(term) = reader.next_ciphertext().with_context(path)? else { return Ok(None) };
        let term = match args.factors.get(index) {
            None => term,
            Some(&factor) => key.mul_scalar(&term, factor).with_context(path)?,
        };
        sum = Some(match sum {
            Some(sum) => key.add(&sum, &term).with_context(path)?,
            None => term,
        });
    }
    Ok(sum)
}

fn name(path: &Path) -> String {
    input_file::name(path)
}

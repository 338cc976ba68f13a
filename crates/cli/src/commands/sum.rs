//! `cryptable sum`: sums of encrypted values and of their multiples.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{Ciphertext, Contents, EvaluationKey, KeyId, Parameters};
use serde_json::json;

use crate::args::{Global, SumArgs};
use crate::ciphertext_file::{self, Reader, ciphertexts, encryptions};
use crate::key_input::KeyFile;
use crate::report::{self, bytes, counted, seconds, values};

/// Adds up files of ciphertexts, with one ciphertext of each at a time.
pub fn run(global: Global, args: &SumArgs) -> Result<()> {
    let (inputs, factors) = (args.inputs.len(), args.factors.len());
    ensure!(
        factors == 0 || factors == inputs,
        "{inputs} --input and {factors} --factor: each input has a factor, or none has"
    );
    let mut readers = Reader::open_all(global, &args.inputs)?;
    let key_file = KeyFile::open(global, &args.evaluation)?;
    let parameters = key_file.header.parameters.lookups()?;
    let contents = check(&readers, &parameters, key_file.header.key_id, args)?;
    // Sums need the parameters of the key, but none of its words.
    let key = &key_file.read()?.key;
    let start = Instant::now();
    let mut writer = ciphertext_file::create(&args.file.output, contents)?;
    while let Some(sum) = next(&mut readers, key, args)? {
        writer.push(&sum.with_signed(contents.signed))?;
    }
    let first = *readers[0].summary();
    let written = ciphertext_file::commit(writer)?;
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
    report::written(global, &args.file.output, written.bytes, fields, &text)
}

/// Checks that all files match the key and each other, and returns the contents of the sums.
fn check(
    readers: &[Reader],
    parameters: &Parameters,
    key_id: KeyId,
    args: &SumArgs,
) -> Result<Contents> {
    // Inputs may be fresh values or results, but all must have the same modulus.
    let expected = readers[0].contents_of(parameters, key_id);
    ciphertext_file::check_alike(readers, &expected, &args.evaluation)?;
    let standalone = readers.iter().any(|reader| reader.summary().contents.standalone);
    Ok(Contents { signed: expected.signed || args.signed, standalone, ..expected })
}

/// Returns the sum of the next ciphertexts; `None` after the last.
fn next(readers: &mut [Reader], key: &EvaluationKey, args: &SumArgs) -> Result<Option<Ciphertext>> {
    let mut sum: Option<Ciphertext> = None;
    for (index, reader) in readers.iter_mut().enumerate() {
        let Some(term) = reader.next_or_end()? else { return Ok(None) };
        let name = || reader.name();
        let term = match args.factors.get(index) {
            None => term,
            Some(&factor) => key.mul_scalar(&term, factor).with_context(name)?,
        };
        sum = Some(match sum {
            Some(sum) => key.add(&sum, &term).with_context(name)?,
            None => term,
        });
    }
    Ok(sum)
}

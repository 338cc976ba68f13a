//! `cryptable decrypt`: decryption of a file of any kind.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::comparisons::Digits;
use cryptable::engines::packed::RealDecryption;
use cryptable::wide::words_of_bits;
use cryptable::{Ciphertext, CiphertextFileSummary, Contents, Engine, SecretKey};
use cryptable_wire::{ObjectType, peek_header};
use zeroize::Zeroizing;

use super::canaries::ResultCheck;
use super::encrypt::comparison_digits;
use super::values_report::ValuesReport;
use super::{aes, circuit, frame, integers, large, owners};
use crate::args::{CsvArgs, DecryptArgs, Global, LayoutArg};
use crate::ciphertext_file::Reader;
use crate::formats::csv::Coding;
use crate::formats::domain::Domain;
use crate::formats::value_writer::{ValueWriter, WriteOptions};
use crate::{input_file, key_input};

/// Decrypts a file of values, a column of integers, words of a circuit, bytes, or whole integers, depending on the file.
pub fn run(global: Global, args: &DecryptArgs) -> Result<()> {
    if !args.parts.is_empty() {
        return owners::combine_parts(global, args);
    }
    let secret = key_input::read_secret_file(args.secret())?;
    if owners::is_secret(&secret) {
        return owners::write_part(global, args, &secret);
    }
    let flooding = &args.flooding;
    ensure!(
        flooding.is_default(),
        "--log2-distance, --decryptions and --together: {} is a whole secret key, not an owner's part of one",
        input_file::name(args.secret())
    );
    let key = key_input::secret_key_of(global, args.secret(), &secret)?;
    let file = input_file::open_seekable(&args.input)?;
    let named = || format!("cannot read {}", input_file::name(&args.input));
    let start = input_file::first_bytes(&file).with_context(named)?;
    let holds_values = start.starts_with(&CiphertextFileSummary::MAGIC);
    // Readers report what is wrong with other files.
    let object = peek_header(&start).ok().filter(|_| !holds_values);
    let object = object.map(|header| header.object_type);
    if object == Some(ObjectType::EncryptedFrame) {
        return frame::decrypt(global, args, &key, &file);
    }
    if args.schema.is_some() {
        bail!("--schema: {} holds no frame", input_file::name(&args.input));
    }
    match object {
        Some(ObjectType::IntegerColumn) => integers::decrypt(global, args, &key, file),
        Some(ObjectType::SlotBitsWords) => circuit::decrypt(global, args, &key, &file),
        Some(ObjectType::EncryptedBytes) => aes::decrypt(global, args, &key, &file),
        Some(object @ (ObjectType::EncryptedIntegers | ObjectType::SmallValues)) => {
            large::decrypt(global, args, &key, &file, object)
        }
        _ => values_of(global, args, &key, file),
    }
}

/// Returns how ciphertexts with these contents hold values.
fn layout(args: &DecryptArgs, key: &SecretKey, contents: &Contents) -> Result<Layout> {
    let modulus = contents.modulus;
    match args.layout {
        Some(LayoutArg::Words) => {
            let bits = args.bits.context("--as words needs --bits, the bits of a value")?;
            return Ok(Layout::Words { count: words_of_bits(bits, modulus), bits });
        }
        Some(LayoutArg::Integers) => {
            let name = input_file::name(&args.input);
            bail!("--as integers: {name} holds values, not a column of integers");
        }
        Some(LayoutArg::Values) => return Ok(Layout::Values),
        None if contents.standalone => return Ok(Layout::Values),
        Some(LayoutArg::Headroom) | None => {}
    }
    if let (SecretKey::LeveledBridge(both), Engine::Packed) = (key, contents.engine) {
        let leveled = both.parameters().single();
        let modulus = leveled.output_modulus();
        return Ok(Layout::Places { count: leveled.ciphertexts_of(modulus), modulus });
    }
    let parameters = key.lookup_parameters()?;
    let Some(sizes) = comparison_digits(&parameters) else { return Ok(Layout::Values) };
    Ok(match modulus {
        2 => Layout::Values,
        modulus if modulus == parameters.input_modulus() => Layout::Integers(sizes),
        modulus if modulus == parameters.output_modulus() => Layout::Digits(sizes),
        // Smaller digits, floors, and tables of digits.
        _ => Layout::Values,
    })
}

/// The way in which the ciphertexts of a file hold values.
enum Layout {
    /// Values.
    Values,
    /// Integers with headroom, given the sizes of their digits.
    Integers(Vec<u64>),
    /// Digits of integers, one digit per ciphertext, given the sizes of the digits.
    Digits(Vec<u64>),
    /// Words of values, one word per ciphertext: the number of words, and the bits of a value.
    Words { count: usize, bits: u32 },
    /// Digits of leveled values that a bridge packed, one digit per ciphertext, lowest first: the number of digits, and
    /// the modulus of the values.
    Places { count: usize, modulus: u64 },
}

impl Layout {
    /// Returns whether canaries can check such results: with a table, or with expected results.
    fn is_checked(&self, by_results: bool) -> bool {
        match self {
            Self::Values => true,
            Self::Words { .. } => by_results,
            Self::Integers(_) | Self::Digits(_) | Self::Places { .. } => false,
        }
    }

    /// Returns the number of ciphertexts that together hold some values.
    fn ciphertexts(&self) -> usize {
        match self {
            Self::Digits(sizes) => sizes.len(),
            Self::Words { count, .. } | Self::Places { count, .. } => *count,
            Self::Values | Self::Integers(_) => 1,
        }
    }

    /// Returns the modulus of decrypted values, given that of the ciphertexts.
    fn modulus(&self, modulus: u64) -> u128 {
        match self {
            Self::Values => modulus.into(),
            Self::Integers(sizes) | Self::Digits(sizes) => {
                sizes.iter().map(|&size| u128::from(size)).product()
            }
            Self::Words { bits, .. } => 1 << bits,
            Self::Places { modulus, .. } => (*modulus).into(),
        }
    }

    /// Decrypts the ciphertexts that together hold some values.
    fn decrypt(&self, key: &SecretKey, found: Vec<Ciphertext>) -> Result<Zeroizing<Vec<u64>>> {
        Ok(match self {
            Self::Values => Zeroizing::new(key.decrypt(&found[0])?),
            Self::Integers(_) => {
                let mut values = Zeroizing::new(key.decrypt(&found[0])?);
                let modulus = self.modulus(found[0].modulus());
                values.iter_mut().for_each(|value| *value = (u128::from(*value) % modulus) as u64);
                values
            }
            Self::Words { .. } => {
                let words = found.iter().map(|word| Ok(word.packed()?[0].clone()));
                let words = words.collect::<cryptable::Result<Vec<_>>>()?;
                Zeroizing::new(key.packed()?.decrypt_words(&words)?)
            }
            Self::Places { .. } => {
                let mut whole = Zeroizing::new(vec![0; found[0].count()]);
                for place in found.iter().rev() {
                    let digits = Zeroizing::new(key.decrypt(place)?);
                    let (count, expected) = (digits.len(), whole.len());
                    ensure!(count == expected, "digits of {count} and {expected} values");
                    let modulus = place.modulus();
                    whole.iter_mut().zip(&*digits).for_each(|(x, digit)| *x = *x * modulus + digit);
                }
                whole
            }
            Self::Digits(_) => {
                let digits = Digits::new(&key.lookup_parameters()?, found)?;
                key.decrypt_digits(&digits)?
            }
        })
    }
}

/// Checks that no options for files of values are given if the file holds something else, namely `what`.
///
/// # Errors
/// If one is given; the error names the first.
pub fn no_options_of_values(args: &DecryptArgs, what: &str) -> Result<()> {
    let options = [
        ("--column", args.column.is_some()),
        ("--join", args.join.is_some()),
        ("--format", args.format.is_some()),
        ("--signed", args.signed),
        ("--dictionary", args.dictionary.is_some()),
        ("--as", args.layout.is_some()),
        ("--canaries", args.canaries.is_some()),
        ("--imaginary", args.imaginary.is_some()),
    ];
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            bail!("{option}: {} holds {what}", input_file::name(&args.input))
        }
        None => Ok(()),
    }
}

/// Starts a file of `values` values, in the way that the arguments state.
pub fn create(args: &DecryptArgs, path: &Path, domain: Domain, values: u64) -> Result<ValueWriter> {
    let options = WriteOptions {
        format: args.format,
        column: args.column.as_deref(),
        join: args.join.as_deref(),
        csv: &CsvArgs {
            header: args.header,
            no_header: args.no_header,
            delimiter: args.delimiter,
            missing: None,
        },
        coding: Coding::open(args.dictionary.as_deref(), false, domain)?,
    };
    ValueWriter::create(path, &options, values)
}

/// Returns whether values are signed, as their file states, and checks that the options do not contradict it.
pub fn check_signs(args: &DecryptArgs, found: bool) -> Result<bool> {
    let input = || input_file::name(&args.input);
    ensure!(
        found || !args.signed,
        "--signed: {} holds unsigned values; encrypt and sum take --signed, and so does lookup for the outputs of tables",
        input()
    );
    ensure!(
        !found || args.dictionary.is_none(),
        "--dictionary: {} holds signed values, and words stand for unsigned ones",
        input()
    );
    Ok(found)
}

/// Returns the contents that a key's ciphertexts must have. For keys of a bridge, this depends on the end that they
/// belong to.
fn expected(key: &SecretKey, contents: Contents) -> Result<Contents> {
    let (engine, parameter_digest, key_id) = match (key, contents.engine) {
        (SecretKey::LeveledBridge(both), Engine::Leveled) => {
            (Engine::Leveled, both.parameters().single().digest(), both.single().id())
        }
        (SecretKey::Bridged(both), Engine::Packed) => {
            (Engine::Packed, both.parameters().packed().digest(), key.id())
        }
        _ => {
            let parameters = key.lookup_parameters()?;
            (parameters.engine(), parameters.digest(), key.id())
        }
    };
    // Inputs and results have different moduli.
    Ok(Contents { engine, parameter_digest, key_id, ..contents })
}

/// Decrypts a file of ciphertexts, one by one.
fn values_of(global: Global, args: &DecryptArgs, key: &SecretKey, file: File) -> Result<()> {
    let start = Instant::now();
    let mut reader = Reader::of(global, file, &args.input)?;
    let contents = reader.summary().contents;
    let parameters = key.parameters();
    let expected = expected(key, contents)?;
    reader.check(&expected, args.secret())?;
    let input = reader.name();
    if let Some(imaginary) = &args.imaginary {
        return complex_values(global, args, key, reader, imaginary);
    }
    let layout = layout(args, key, &contents).with_context(|| input.to_string())?;
    let each = layout.ciphertexts();
    let (values, modulus) =
        (reader.summary().values / each as u64, layout.modulus(contents.modulus));
    let domain = Domain { modulus, signed: check_signs(args, contents.signed)? };
    let mut check = ResultCheck::open(global, args, key, domain, values)?;
    ensure!(
        check.is_none() || layout.is_checked(args.expected.is_some()),
        "--canaries: only results of whole values can be checked, and words of --as words with --expected, not those of {input}"
    );
    let values = check.as_ref().map_or(values, ResultCheck::own_values);
    let mut writer = create(args, &args.output, domain, values)?;
    let mut found = Vec::with_capacity(each);
    while let Some(ciphertext) = reader.next_or_end()? {
        found.push(ciphertext);
        if found.len() == each {
            let found = std::mem::take(&mut found);
            let values = layout.decrypt(key, found).with_context(|| complex_hint(key, &input))?;
            match &mut check {
                Some(check) => check.push(&values),
                None => writer.write(&values)?,
            }
        }
    }
    let missing = each - found.len();
    let remedy = match layout {
        Layout::Digits(_) => "; --as values decrypts each digit for itself",
        _ => "",
    };
    ensure!(found.is_empty(), "{input}: {missing} of {each} digits or words are missing{remedy}");
    let canaries = check.map(|check| check.finish(&mut writer));
    let canaries = canaries.transpose().with_context(|| input.to_string())?;
    let output_bytes = writer.commit()?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    let report = ValuesReport {
        engine: Some(expected.engine),
        security_level: Some(parameters.security_level()),
        canaries,
        decrypt_s: Some(start.elapsed().as_secs_f64()),
        ..ValuesReport::new(&args.output, output_bytes, values, domain)
    };
    report.print(global)
}

/// Returns a message that names a file whose ciphertexts cannot be decrypted, and says how results of complex tables can be.
fn complex_hint(key: &SecretKey, input: &dyn fmt::Display) -> String {
    let packed = key.packed().is_ok_and(|key| key.parameters().literal().complex_outputs);
    let hint = if packed { ": results of complex tables need --imaginary" } else { "" };
    format!("{input}{hint}")
}

/// Decrypts the results of complex tables into two files.
fn complex_values(
    global: Global,
    args: &DecryptArgs,
    key: &SecretKey,
    mut reader: Reader,
    imaginary: &Path,
) -> Result<()> {
    let start = Instant::now();
    let contents = reader.summary().contents;
    let (modulus, input) = (contents.modulus, reader.name());
    let mut parts = [(); 2].map(|()| Zeroizing::new(Vec::new()));
    while let Some(ciphertext) = reader.next_or_end()? {
        let found = key.decrypt_complex(&ciphertext, RealDecryption::default());
        // Multiples of 1/modulus, which is below 2^25.
        let residue = |x: f64| (x * modulus as f64).round().rem_euclid(modulus as f64) as u64;
        for value in found.with_context(|| input.to_string())? {
            parts[0].push(residue(value.re));
            parts[1].push(residue(value.im));
        }
    }
    let values = parts[0].len() as u64;
    let domain = Domain { modulus: modulus.into(), signed: check_signs(args, contents.signed)? };
    let outputs = [&args.output, imaginary];
    let mut writers = Vec::with_capacity(outputs.len());
    for (path, part) in outputs.into_iter().zip(&parts) {
        let mut writer = create(args, path, domain, values)?;
        writer.write(part)?;
        writers.push(writer);
    }
    let output_bytes = ValueWriter::commit_all(writers)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    let report = ValuesReport {
        engine: Some(contents.engine),
        security_level: Some(key.parameters().security_level()),
        decrypt_s: Some(start.elapsed().as_secs_f64()),
        ..ValuesReport::new(&args.output, output_bytes, values, domain)
    };
    report.print(global)
}

/// Writes all values of a file, and reports them.
pub fn write_values(
    global: Global,
    args: &DecryptArgs,
    values: &[u64],
    modulus: u128,
    start: Instant,
) -> Result<()> {
    let (count, domain) = (values.len() as u64, Domain { modulus, signed: args.signed });
    let mut writer = create(args, &args.output, domain, count)?;
    writer.write(values)?;
    let report = ValuesReport::new(&args.output, writer.commit()?, count, domain);
    let decrypt_s = Some(start.elapsed().as_secs_f64());
    ValuesReport { decrypt_s, ..report }.print(global)
}

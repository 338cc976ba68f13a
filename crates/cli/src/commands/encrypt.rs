//! `cryptable encrypt`: encryption of a file of values.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{Ciphertext, Contents, KeyParameters, Parameters};

use super::canaries::Hidden;
use super::values_report::ValuesReport;
use super::{circuit, frame, integers, large};
use crate::args::{EncryptArgs, Global, LayoutArg};
use crate::ciphertext_file::{self, encryptions};
use crate::formats::csv::Coding;
use crate::formats::domain::{Domain, with_keys};
use crate::formats::values::{ValueOptions, Values, next_values, open_values};
use crate::key_input::{self, EncryptionKey};
use crate::{input_file, report};

/// Encrypts a file of values in the way that the key and the arguments state, with the values of one ciphertext in
/// memory at a time.
pub fn run(global: Global, args: &EncryptArgs) -> Result<()> {
    if let Some(path) = &args.public {
        let key = key_input::read_public_key(global, path)?;
        return encrypt_by(global, args, EncryptionKey::Public(&key));
    }
    let key = key_input::read_secret_key(global, args.key_file())?;
    encrypt_by(global, args, EncryptionKey::Secret(&key))
}

/// Encrypts words of a circuit or, by keys of other kinds, in the layout that arguments name.
fn encrypt_by(global: Global, args: &EncryptArgs, key: EncryptionKey<'_>) -> Result<()> {
    let of_circuits = matches!(key.parameters(), KeyParameters::Bits(_));
    if args.circuit.circuit.is_some() || args.schema.is_none() && of_circuits {
        ensure!(args.canaries.file.is_none(), "--canaries: not supported for words of circuits");
        return circuit::encrypt(global, args, key);
    }
    encrypt_in_layout(global, args, key)
}

/// Encrypts in the layout that the arguments name, or that keys of comparisons have.
fn encrypt_in_layout(global: Global, args: &EncryptArgs, key: EncryptionKey<'_>) -> Result<()> {
    if let Some(schema) = &args.schema {
        return frame::encrypt(global, args, key, schema);
    }
    if matches!(key.parameters(), KeyParameters::LargeValues(_)) {
        return large::encrypt(global, args, key);
    }
    let parameters = || key.parameters().lookups();
    let check_packed = |option: &str, job: &str| {
        let packed = parameters().and_then(|it| it.packed().map(drop));
        let name = || input_file::name(args.key_file());
        packed.with_context(|| format!("{}: {option} needs keys from keygen {job}", name()))
    };
    if let Some(modulus) = args.modulus {
        check_packed("--modulus", "--method cmt")?;
        return encrypt(global, args, key, Layout::Variable { modulus });
    }
    let layout = match args.layout {
        Some(LayoutArg::Integers) => {
            return integers::encrypt(global, args, key);
        }
        Some(LayoutArg::Words) => {
            check_packed("--as words", "wide")?;
            let bits = args.bits.context("--as words needs --bits, the bits of a value")?;
            Layout::Words { bits }
        }
        Some(LayoutArg::Headroom) => {
            check_packed("--as headroom", "compare")?;
            Layout::Headroom
        }
        None if comparison_digits(&parameters()?).is_some() => Layout::Headroom,
        None | Some(LayoutArg::Values) => Layout::Values,
    };
    ensure!(
        matches!(layout, Layout::Values | Layout::Words { .. }) || args.canaries.file.is_none(),
        "--canaries: only results of whole values can be checked, not those of integers with headroom"
    );
    encrypt(global, args, key, layout)
}

/// Returns the sizes of the digits of integers with headroom; `None` unless the parameters are for comparisons in
/// several digits.
pub fn comparison_digits(parameters: &Parameters) -> Option<Vec<u64>> {
    let packed = parameters.packed().ok()?;
    (!packed.literal().digits.is_empty()).then(|| packed.integer_digits())
}

/// The way in which ciphertexts hold values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Values.
    Values,
    /// Integers that leave one bit of the modulus free.
    Headroom,
    /// Values of one variable of several, below a modulus of their own.
    Variable { modulus: u64 },
    /// Words of values of `bits` bits, one word per ciphertext.
    Words { bits: u32 },
}

impl Layout {
    /// Returns the bound on values, for a key of this input modulus.
    fn modulus(self, modulus: u64) -> u128 {
        match self {
            Self::Values => modulus.into(),
            Self::Headroom => modulus.div_ceil(2).into(),
            Self::Variable { modulus } => modulus.into(),
            Self::Words { bits } => 1 << bits,
        }
    }

    /// Returns the number of bits of values that are not inputs of tables; `None` for other layouts.
    fn bits(self) -> Option<u32> {
        if let Self::Words { bits } = self { Some(bits) } else { None }
    }

    /// Adds to an error about a value that is too large which keys have room for it.
    fn with_keys(self, error: anyhow::Error) -> anyhow::Error {
        match self {
            Self::Values => with_keys(error, "keygen --bits"),
            Self::Headroom => with_keys(error, "keygen compare --bits"),
            Self::Variable { .. } | Self::Words { .. } => error,
        }
    }

    fn encrypt(self, key: EncryptionKey<'_>, values: &[u64]) -> cryptable::Result<Vec<Ciphertext>> {
        match self {
            Self::Values | Self::Headroom => Ok(vec![key.encrypt(values)?]),
            Self::Variable { modulus } => Ok(vec![key.encrypt_variable(values, modulus)?]),
            Self::Words { bits } => key.encrypt_words(values, bits),
        }
    }
}

/// Opens the input that the arguments name.
pub fn open_input(args: &EncryptArgs, coding: Coding) -> Result<Values> {
    let (format, column, csv) = (args.format, args.column.as_deref(), &args.csv);
    open_values(&args.input, &ValueOptions { format, column, csv, coding })
}

fn encrypt(
    global: Global,
    args: &EncryptArgs,
    key: EncryptionKey<'_>,
    layout: Layout,
) -> Result<()> {
    let start = Instant::now();
    let parameters = key.parameters().lookups()?;
    let modulus = match layout {
        Layout::Variable { modulus } => modulus,
        _ => parameters.input_modulus(),
    };
    let within = layout.modulus(modulus);
    // Negative integers with headroom extend their sign to the key's modulus.
    let has_headroom = layout == Layout::Headroom;
    let wrapped = if has_headroom { modulus.into() } else { within as i128 };
    let domain = Domain { modulus: within, signed: args.signed };
    let coding = Coding::open(args.dictionary.as_deref(), args.extend, domain)?;
    let mut values = open_input(args, coding.clone())?;
    let (engine, signed) = (parameters.engine(), args.signed);
    let (parameter_digest, key_id) = (parameters.digest(), key.id());
    let contents =
        Contents { engine, parameter_digest, key_id, modulus, signed, standalone: false };
    let mut writer = ciphertext_file::create(&args.output, contents)?;
    let residue = |value| domain.integer(value).rem_euclid(wrapped) as u64;
    let mut residues = values.by_ref().map(|value| match value {
        Ok(value) => Ok(residue(value)),
        Err(error) => Err(layout.with_keys(error)),
    });
    let hidden = Hidden::among(args, key, layout.bits(), domain, &mut residues)?;
    // All values, canaries included, become one ciphertext with any number of parts.
    let per_part = match &hidden {
        Some(hidden) if layout.bits().is_none() => hidden.list.len(),
        _ => parameters.values_per_part(),
    };
    let total = {
        let mut push = |part: &[u64]| {
            let mut ciphertexts = layout.encrypt(key, part)?.into_iter();
            ciphertexts.try_for_each(|it| writer.push(&it.with_signed(signed)))
        };
        match &hidden {
            Some(hidden) => {
                hidden.list.chunks(per_part).try_for_each(&mut push)?;
                hidden.own
            }
            None => encrypt_all(args, &mut residues, per_part, push)?,
        }
    };
    if let Coding::Words(book, _) = &coding {
        // The dictionary is saved first, so that no ciphertext holds a code that is in no dictionary.
        book.borrow().save()?;
    }
    let (files, canaries) = hidden.map(|hidden| (hidden.files, hidden.report)).unzip();
    let summary = ciphertext_file::commit_after(files.unwrap_or_default(), writer)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.key_file());
    report::note(global, values.note());
    let report = ValuesReport {
        read: values.note(),
        engine: Some(engine),
        security_level: Some(parameters.security_level()),
        canaries,
        ciphertexts: Some(encryptions(&summary)),
        encrypt_s: Some(start.elapsed().as_secs_f64()),
        ..ValuesReport::new(&args.output, summary.bytes, total, domain)
    };
    report.print(global)
}

/// Encrypts all values of an input by `push`, one part after another, and returns their number.
fn encrypt_all(
    args: &EncryptArgs,
    values: &mut dyn Iterator<Item = Result<u64>>,
    per_part: usize,
    mut push: impl FnMut(&[u64]) -> cryptable::Result<()>,
) -> Result<u64> {
    let (input, mut total) = (input_file::name(&args.input), 0);
    while let chunk = next_values(values, per_part)?
        && !chunk.is_empty()
    {
        push(&chunk).with_context(|| format!("{input}: from value {total} on"))?;
        total += chunk.len() as u64;
    }
    ensure!(total > 0, "{input} holds no values");
    Ok(total)
}

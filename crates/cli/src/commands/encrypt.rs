//! `cryptable encrypt`: encryption of a file of values.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::bits::EncryptedBits;
use cryptable::wide::words_of_bits;
use cryptable::{
    Canaries, Ciphertext, Contents, KeyId, KeyParameters, Parameters, PublicKey, SecretKey,
};
use zeroize::Zeroizing;

use super::values_report::ValuesReport;
use super::{canaries, circuit, frame, integers, large};
use crate::args::{EncryptArgs, Global, LayoutArg};
use crate::ciphertext_file::{self, encryptions};
use crate::formats::csv::Coding;
use crate::formats::domain::{Domain, with_keys};
use crate::formats::values::{ValueOptions, open_values};
use crate::{input_file, key_input, report};

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
        ensure!(args.canaries.file.is_none(), "--canaries: words of circuits have none");
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
    let check_packed = |job: &str| {
        let packed = parameters().and_then(|it| it.packed().map(drop));
        packed.with_context(|| key_input::of_keygen(args.key_file(), job))
    };
    if let Some(modulus) = args.modulus {
        check_packed("--method cmt")?;
        return encrypt(global, args, key, Layout::Variable { modulus });
    }
    let layout = match args.layout {
        Some(LayoutArg::Integers) => {
            return integers::encrypt(global, args, key);
        }
        Some(LayoutArg::Words) => {
            check_packed("wide")?;
            let bits = args.bits.context("--as words takes --bits: those of the values")?;
            Layout::Words { bits }
        }
        Some(LayoutArg::Headroom) => {
            check_packed("compare")?;
            Layout::Headroom
        }
        None if comparison_digits(&parameters()?).is_some() => Layout::Headroom,
        None | Some(LayoutArg::Values) => Layout::Values,
    };
    ensure!(
        matches!(layout, Layout::Values | Layout::Words { .. }) || args.canaries.file.is_none(),
        "--canaries: results of whole values are checked, not those of integers with headroom"
    );
    encrypt(global, args, key, layout)
}

/// The key that encrypts: the client's own, or its public key.
#[derive(Clone, Copy)]
pub enum EncryptionKey<'a> {
    Secret(&'a SecretKey),
    Public(&'a PublicKey),
}

impl EncryptionKey<'_> {
    /// Returns the parameters of the key.
    pub fn parameters(self) -> KeyParameters {
        match self {
            Self::Secret(key) => key.parameters(),
            Self::Public(key) => key.parameters(),
        }
    }

    /// Returns the secret key, if it is one.
    pub fn secret(&self) -> Option<&SecretKey> {
        if let Self::Secret(key) = self { Some(key) } else { None }
    }

    /// Returns the identifier of the secret key.
    pub fn id(self) -> KeyId {
        match self {
            Self::Secret(key) => key.id(),
            Self::Public(key) => key.id(),
        }
    }

    /// Draws canaries of uniform inputs among this number of values, of a number of bits where they are no inputs of tables.
    pub fn draw_canaries(
        self,
        values: usize,
        count: usize,
        bits: Option<u32>,
    ) -> cryptable::Result<Canaries> {
        match self {
            Self::Secret(key) => key.draw_canaries(values, count, bits),
            Self::Public(key) => key.draw_canaries(values, count, bits),
        }
    }

    /// Encrypts a bit of every word of a circuit, with this number of levels.
    pub fn encrypt_bits(self, bits: &[bool], levels: usize) -> cryptable::Result<EncryptedBits> {
        match self {
            Self::Secret(key) => key.bits()?.encrypt_at(bits, levels),
            Self::Public(key) => key.bits()?.encrypt_at(bits, levels),
        }
    }

    fn encrypt(self, values: &[u64]) -> cryptable::Result<Ciphertext> {
        match self {
            Self::Secret(key) => key.encrypt(values),
            Self::Public(key) => key.encrypt(values),
        }
    }

    /// Encrypts values of one variable of several.
    fn encrypt_variable(self, values: &[u64], modulus: u64) -> cryptable::Result<Ciphertext> {
        match self {
            Self::Secret(key) => key.encrypt_digits(values, modulus),
            Self::Public(_) => unreachable!("the grammar refuses --modulus beside --public"),
        }
    }

    /// Encrypts values as words of `bits` bits.
    fn encrypt_words(self, values: &[u64], bits: u32) -> cryptable::Result<Vec<Ciphertext>> {
        let words = words_of_bits(bits, self.parameters().lookups()?.input_modulus());
        let parts = match self {
            Self::Secret(key) => key.packed()?.encrypt_words(values, words),
            Self::Public(key) => key.packed()?.encrypt_words(values, words),
        }?;
        Ok(parts.into_iter().map(Ciphertext::from).collect())
    }
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

    fn encrypt(self, key: EncryptionKey<'_>, values: &[u64]) -> cryptable::Result<Vec<Ciphertext>> {
        match self {
            Self::Values | Self::Headroom => Ok(vec![key.encrypt(values)?]),
            Self::Variable { modulus } => Ok(vec![key.encrypt_variable(values, modulus)?]),
            Self::Words { bits } => key.encrypt_words(values, bits),
        }
    }
}

/// Reads the next values, at most `most` of them, as the residues that `residue` makes of them.
fn next_values(
    values: &mut impl Iterator<Item = Result<u64>>,
    most: usize,
    layout: Layout,
    residue: impl Fn(u64) -> u64,
) -> Result<Zeroizing<Vec<u64>>> {
    // Reserve space for all of them, since growing would leave copies behind.
    let mut chunk = Zeroizing::new(Vec::with_capacity(most));
    for value in values.take(most) {
        let value = value.map_err(|error| match layout {
            Layout::Values => with_keys(error, "keygen --bits"),
            Layout::Headroom => with_keys(error, "keygen compare --bits"),
            Layout::Variable { .. } | Layout::Words { .. } => error,
        })?;
        chunk.push(residue(value));
    }
    Ok(chunk)
}

/// Encrypts all values that `next` returns, one part after another or, among canaries, at once. Returns their number and the
/// canaries, in a file that has no name yet.
fn encrypt_all(
    args: &EncryptArgs,
    key: EncryptionKey<'_>,
    layout: Layout,
    mut next: impl FnMut() -> Result<Zeroizing<Vec<u64>>>,
    domain: Domain,
    writer: &mut ciphertext_file::Writer,
) -> Result<(u64, Option<canaries::Written>)> {
    let signed = args.signed;
    let input = input_file::name(&args.input);
    if args.canaries.file.is_some() {
        let own = canaries::all_values(next)?;
        ensure!(!own.is_empty(), "{input} holds no values");
        let bits = if let Layout::Words { bits } = layout { Some(bits) } else { None };
        let draw = |values, count| key.draw_canaries(values, count, bits);
        let found = canaries::draw(&own, &args.canaries, key.secret(), draw)?;
        let list = found.hide(&own)?;
        // Words of values are by part; whole values are one ciphertext, of as many parts as there are.
        let at_once = match bits {
            Some(_) => key.parameters().lookups()?.values_per_part(),
            None => list.len(),
        };
        for part in list.chunks(at_once) {
            for ciphertext in layout.encrypt(key, part)? {
                writer.push(&ciphertext.with_signed(signed))?;
            }
        }
        let written = canaries::write(&found, &args.canaries, domain, args.force)?;
        return Ok((own.len() as u64, Some(written)));
    }
    let mut total = 0;
    loop {
        let chunk = next()?;
        if chunk.is_empty() {
            return Ok((total, None));
        }
        let place = || format!("{input}: from value {total} on");
        for ciphertext in layout.encrypt(key, &chunk).with_context(place)? {
            writer.push(&ciphertext.with_signed(signed))?;
        }
        total += chunk.len() as u64;
    }
}

fn encrypt(
    global: Global,
    args: &EncryptArgs,
    key: EncryptionKey<'_>,
    layout: Layout,
) -> Result<()> {
    let start = Instant::now();
    let parameters = key.parameters().lookups()?;
    let per_part = parameters.values_per_part();
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
    let (format, column, csv) = (args.format, args.column.as_deref(), &args.csv);
    let options = ValueOptions { format, column, csv, coding: coding.clone() };
    let mut values = open_values(&args.input, &options)?;
    let input = input_file::name(&args.input);
    let (engine, signed) = (parameters.engine(), args.signed);
    let (parameter_digest, key_id) = (parameters.digest(), key.id());
    let contents =
        Contents { engine, parameter_digest, key_id, modulus, signed, standalone: false };
    let mut writer = ciphertext_file::create(&args.output, contents)?;
    let next = || {
        let integer = |value| domain.integer(value).rem_euclid(wrapped) as u64;
        next_values(&mut values, per_part, layout, integer)
    };
    let (total, hidden) = encrypt_all(args, key, layout, next, domain, &mut writer)?;
    ensure!(total > 0, "{input} holds no values");
    if let Coding::Words(book, _) = &coding {
        // Saved first, so that no ciphertext holds a code that no dictionary has.
        book.borrow().save()?;
    }
    let (files, canaries) = hidden.unzip();
    let summary = ciphertext_file::commit_after(files.unwrap_or_default(), writer)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.key_file());
    report::note(global, values.note());
    let report = ValuesReport::new(&args.output, summary.bytes, total, within);
    let report = ValuesReport {
        read: values.note(),
        engine: Some(engine),
        security_level: Some(parameters.security_level()),
        canaries,
        ciphertexts: Some(encryptions(&summary)),
        encrypt_s: Some(start.elapsed().as_secs_f64()),
        ..report
    };
    report.print(global)
}

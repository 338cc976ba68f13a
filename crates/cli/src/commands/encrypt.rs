//! `cryptable encrypt`.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::wide::words_of_bits;
use cryptable::{Ciphertext, Contents, Engine, SecretKey, SecurityLevel};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::{EncryptArgs, Global};
use crate::ciphertext_file::{self, ciphertexts, encryptions};
use crate::formats::csv::{Coding, ReadNote};
use crate::formats::domain::{Domain, with_keys};
use crate::formats::values::{ValueOptions, open_values};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds, values};
use crate::{atomic_file, input_file, key_input};

/// Encrypts a file of values, one ciphertext's worth at a time.
///
/// # Errors
/// If a file cannot be read or written, or a value is not below the key's input modulus.
pub fn run(global: Global, args: &EncryptArgs) -> Result<()> {
    encrypt(global, args, key_input::read_secret_key(global, &args.secret)?, Layout::Values)
}

/// As [`run`], with a key that was read already.
///
/// # Errors
/// As [`run`].
pub fn run_with(global: Global, args: &EncryptArgs, key: SecretKey) -> Result<()> {
    encrypt(global, args, key, Layout::Values)
}

/// As [`run`], of integers with a bit of headroom.
///
/// # Errors
/// As [`run`], with a limit of half of the input modulus; if the key is of another engine.
pub fn run_integers(global: Global, args: &EncryptArgs) -> Result<()> {
    let key = key_input::read_secret_key(global, &args.secret)?;
    key.packed().with_context(|| key_input::of_keygen(&args.secret, "compare"))?;
    encrypt(global, args, key, Layout::Headroom)
}

/// As [`run`], of values of so many bits in words modulo the input modulus, a ciphertext each.
///
/// # Errors
/// As [`run`], with a limit of 2 to the bits; if the key is of another engine.
pub fn run_words(global: Global, args: &EncryptArgs, bits: u32) -> Result<()> {
    let key = key_input::read_secret_key(global, &args.secret)?;
    key.packed().with_context(|| key_input::of_keygen(&args.secret, "wide"))?;
    encrypt(global, args, key, Layout::Words { bits })
}

/// What ciphertexts hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Values.
    Values,
    /// Integers that leave a bit of the modulus free.
    Headroom,
    /// A word each of values of so many bits.
    Words { bits: u32 },
}

impl Layout {
    /// Values are below this, for a key of this input modulus.
    fn modulus(self, modulus: u64) -> u128 {
        match self {
            Self::Values => modulus.into(),
            Self::Headroom => modulus.div_ceil(2).into(),
            Self::Words { bits } => 1 << bits,
        }
    }

    fn encrypt(self, key: &SecretKey, values: &[u64]) -> cryptable::Result<Vec<Ciphertext>> {
        match self {
            Self::Values | Self::Headroom => Ok(vec![key.encrypt(values)?]),
            Self::Words { bits } => {
                let key = key.packed()?;
                let words = words_of_bits(bits, key.parameters().input_modulus());
                let words = key.encrypt_words(values, words)?;
                Ok(words.into_iter().map(Ciphertext::from).collect())
            }
        }
    }
}

fn encrypt(global: Global, args: &EncryptArgs, key: SecretKey, layout: Layout) -> Result<()> {
    let start = Instant::now();
    let parameters = key.lookup_parameters()?;
    let per_part = parameters.values_per_part();
    let modulus = parameters.input_modulus();
    let within = layout.modulus(modulus);
    // Negative integers with headroom extend their sign to the key's modulus.
    let has_headroom = layout == Layout::Headroom;
    let wrapped = if has_headroom { modulus.into() } else { within as i128 };
    let domain = Domain { modulus: within, signed: args.signed };
    let coding = Coding::open(args.dictionary.as_deref(), args.extend, domain)?;
    let (format, column, csv) = (args.format, args.column.as_deref(), &args.csv);
    let options = ValueOptions { format, column, csv, coding: coding.clone() };
    let mut values = open_values(&args.input, &options)?;
    let input = input_file::shown(&args.input).printable();
    let (engine, signed) = (parameters.engine(), args.signed);
    let (parameter_digest, key_id) = (parameters.digest(), key.id());
    let contents = Contents { engine, parameter_digest, key_id, modulus, signed };
    let mut writer = ciphertext_file::create(&args.output, contents)?;
    let mut total = 0_u64;
    loop {
        // Room for all: growing would leave copies behind.
        let mut chunk = Zeroizing::new(Vec::with_capacity(per_part));
        for value in values.by_ref().take(per_part) {
            let value = value.map_err(|error| match layout {
                Layout::Values => with_keys(error, "keygen --bits"),
                Layout::Headroom => with_keys(error, "compare keygen --bits"),
                Layout::Words { .. } => error,
            })?;
            let integer = domain.integer(value);
            chunk.push(integer.rem_euclid(wrapped) as u64);
        }
        if chunk.is_empty() {
            break;
        }
        let place = || format!("{input}: from value {total} on");
        for ciphertext in layout.encrypt(&key, &chunk).with_context(place)? {
            writer.push(&ciphertext.with_signed(signed))?;
        }
        total += chunk.len() as u64;
    }
    ensure!(total > 0, "{input} holds no values");
    if let Coding::Words(book, _) = &coding {
        // First of all: no ciphertext may hold a code that no book has.
        book.borrow().save()?;
    }
    let summary = ciphertext_file::commit_all(vec![writer])?[0];
    key_input::warn_of_insecurity(global, &key, &args.secret);
    report::note(global, values.note());
    let report = Report {
        output: args.output.clone(),
        read: values.note().cloned(),
        engine,
        security_level: parameters.security_level(),
        values: total,
        modulus: within,
        ciphertexts: encryptions(&summary),
        output_bytes: summary.bytes,
        encrypt_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<ReadNote>,
    engine: Engine,
    security_level: SecurityLevel,
    values: u64,
    modulus: u128,
    ciphertexts: u64,
    output_bytes: u64,
    encrypt_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} below {} in {}, {}, {}",
            atomic_file::shown(&self.output).printable(),
            values(self.values),
            self.modulus,
            ciphertexts(self.ciphertexts),
            bytes(self.output_bytes),
            seconds(self.encrypt_s)
        )
    }
}

//! Checks of what clients send: of files, with the library's readers, and of orders, with its predictions.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use cryptable::engines::bridged;
use cryptable::engines::packed::EntryKind;
use cryptable::owners::JointLookup;
use cryptable::{
    CiphertextReader, Contents, CostModel, Engine, Error, EvaluationKey, KeyId, KeyParameters,
    Parameters, ReadOptions, bits, inspect,
};
use cryptable_wire::{ObjectType, hex, peek_header};
use sha2::{Digest, Sha256};

use crate::limits::Limits;
use crate::messages::{About, Kind, TableInfo};
use crate::store::{Reservation, StoredObject};
use crate::{Problem, Result};

/// Number of bytes that are hashed at a time.
const HASH_BATCH: usize = 1 << 20;

/// Longest public key that is accepted, in bytes: those of lookups have up to 2 MB.
const MAX_PUBLIC_KEY_BYTES: u64 = 16 << 20;

/// Largest ratio of the size of a bit for several owners to the size of the result of a packed lookup.
const GROWTH_FOR_OWNERS: u64 = 16;

/// Ratio of the time of a lookup for several owners to that for tables of bits alone: half a bootstrap and cleanings
/// per bit.
const TIME_FOR_OWNERS: f64 = 3.0;

/// First byte of stored parameters, which tells whether the server may pack single values.
const PLAIN: u8 = 0;
const BRIDGED: u8 = 1;
/// First byte of stored parameters for bits of several owners.
const BITS: u8 = 2;

/// Name of the engine in descriptions of keys of bits, which no engine of lookups has.
const BITS_ENGINE: &str = "bits";

/// Checks a whole file. Returns its description and, for a key, its encoded parameters.
pub(crate) fn check_file(
    path: &Path,
    kind: Kind,
    sha256: &str,
    options: ReadOptions,
) -> Result<(About, Vec<u8>)> {
    if digest_of(path)? != sha256 {
        let text = "the SHA-256 digest of the received bytes is not the announced one";
        return Err(Problem::unusable(text).into());
    }
    cryptable::memory::renew_reserve();
    match kind {
        Kind::EvaluationKey => check_key(path, options),
        Kind::Ciphertext => Ok((check_ciphertexts(path, options)?, Vec::new())),
        Kind::PublicKey => Ok((check_public_key(path, options)?, Vec::new())),
    }
}

/// Checks the header, the checksum and the parameters of a public key. The clients who encrypt with it read the rest.
fn check_public_key(path: &Path, options: ReadOptions) -> Result<About> {
    let length = std::fs::metadata(path)?.len();
    if length > MAX_PUBLIC_KEY_BYTES {
        return Err(
            Problem::too_large("length of a public key", length, MAX_PUBLIC_KEY_BYTES).into()
        );
    }
    let bytes = std::fs::read(path)?;
    let object_type = peek_header(&bytes).map_err(Error::from)?.object_type;
    let found = if object_type.is_public_key() {
        inspect(&bytes)?
    } else {
        return Err(no_public_key(object_type));
    };
    let (Some(key_id), Some(KeyParameters::Lookups(parameters))) = (found.key_id, found.parameters)
    else {
        return Err(no_public_key(object_type));
    };
    // Parameters are read again because descriptions cover all kinds of them.
    let (engine, literal) = (parameters.engine(), parameters.to_bytes());
    let parameters = Parameters::from_bytes(engine, &literal, options)?;
    Ok(About {
        engine: parameters.engine().to_string(),
        key_id: key_id.to_string(),
        parameters: hex(&parameters.digest()),
        modulus: parameters.input_modulus(),
        signed: None,
        output_modulus: Some(parameters.output_modulus()),
        method: None,
        memory_bytes: None,
        values: None,
        ciphertexts: None,
    })
}

fn no_public_key(found: ObjectType) -> crate::Error {
    Problem::unusable(format!("the file is {found}, not a public key of lookups")).into()
}

fn digest_of(path: &Path) -> Result<String> {
    let (mut file, mut hasher) = (File::open(path)?, Sha256::new());
    let mut buffer = vec![0; HASH_BATCH];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn check_key(path: &Path, options: ReadOptions) -> Result<(About, Vec<u8>)> {
    let key = EvaluationKey::open(path, options)?;
    let parameters = match key.parameters() {
        KeyParameters::Lookups(parameters) => parameters,
        KeyParameters::Bits(parameters) if !parameters.literal().owners.is_one() => {
            return Ok(about_bits(&key, &parameters));
        }
        _ => {
            let found = key.kind();
            let text = format!("a key of {found}: this service needs keys for lookups");
            return Err(Error::Unsupported(text).into());
        }
    };
    let about = About {
        engine: parameters.engine().to_string(),
        key_id: key.key_id().to_string(),
        parameters: hex(&parameters.digest()),
        modulus: parameters.input_modulus(),
        signed: None,
        output_modulus: Some(parameters.output_modulus()),
        method: Some(parameters.method_name()),
        memory_bytes: Some(key.memory_bytes() as u64),
        values: None,
        ciphertexts: None,
    };
    let kind = if matches!(parameters, Parameters::Bridged(_)) { BRIDGED } else { PLAIN };
    Ok((about, [vec![kind], parameters.to_bytes()].concat()))
}

/// Describes the key for bits of several owners.
fn about_bits(key: &EvaluationKey, parameters: &bits::Parameters) -> (About, Vec<u8>) {
    let about = About {
        engine: BITS_ENGINE.to_owned(),
        key_id: key.key_id().to_string(),
        parameters: hex(&parameters.digest()),
        modulus: 2,
        signed: None,
        output_modulus: Some(2),
        method: None,
        memory_bytes: Some(key.memory_bytes() as u64),
        values: None,
        ciphertexts: None,
    };
    (about, [vec![BITS], parameters.to_bytes()].concat())
}

fn check_ciphertexts(path: &Path, options: ReadOptions) -> Result<About> {
    let reader = CiphertextReader::new(BufReader::new(File::open(path)?))?;
    let mut reader = reader.with_options(options);
    while reader.next_ciphertext()?.is_some() {}
    let summary = reader.summary();
    let contents = summary.contents;
    Ok(About {
        engine: contents.engine.to_string(),
        key_id: contents.key_id.to_string(),
        parameters: hex(&contents.parameter_digest),
        modulus: contents.modulus,
        signed: Some(contents.signed),
        output_modulus: None,
        method: None,
        memory_bytes: None,
        values: Some(summary.values),
        ciphertexts: Some(summary.ciphertexts),
    })
}

/// The keys, ciphertexts and tables of an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered<'a> {
    pub(crate) key: &'a StoredObject,
    /// The key for bits of several owners, if results are for them.
    pub(crate) bits: Option<&'a StoredObject>,
    pub(crate) ciphertext: &'a StoredObject,
    pub(crate) tables: &'a [TableInfo],
}

/// Checks that keys, ciphertexts and tables belong together and that the lookup is within limits, and predicts its cost.
pub(crate) fn check_order(
    ordered: Ordered<'_>,
    limits: &Limits,
    options: ReadOptions,
) -> Result<Reservation> {
    let Ordered { key, bits, ciphertext, tables } = ordered;
    let parameters = read_parameters(key, options)?;
    let joint = bits.map(|bits| check_bits(&parameters, bits, options)).transpose()?;
    let (server, found) = (contents(&key.about)?, contents(&ciphertext.about)?);
    // Leveled keys accept values of any modulus with at most as many bits as theirs.
    let modulus = match server.engine {
        Engine::Leveled => found.modulus,
        Engine::Packed | Engine::Single => server.modulus,
    };
    Contents { modulus, signed: found.signed, ..server }.check(&found, "file of ciphertexts")?;
    // For several owners, there is one table per bit of outputs.
    let output = joint.is_none().then(|| parameters.output_modulus());
    tables.iter().try_for_each(|table| check_table(table, modulus, output, found.signed))?;
    let input = &ciphertext.about;
    let bits_of = |table: &TableInfo| JointLookup::bits(table.output_modulus) as usize;
    let count = joint.as_ref().map_or(tables.len(), |_| tables.iter().map(bits_of).sum());
    let of_bits = bits.and_then(|bits| bits.about.memory_bytes).unwrap_or(0);
    let needed = memory(&parameters, count).saturating_add(of_bits);
    if needed > limits.memory {
        return Err(Problem::too_large("memory", needed, limits.memory).into());
    }
    let mut reserved = reservation(&parameters, input, count, limits);
    if let Some(of_bits) = joint {
        reserved.bytes = reserved.bytes.saturating_mul(of_bits);
        reserved.estimate_s *= TIME_FOR_OWNERS;
    }
    match limits.job_time.map(|time| time.as_secs()) {
        Some(most) if reserved.estimate_s > most as f64 => {
            let (found, shown) = (reserved.estimate_s.ceil() as u64, reserved.estimate_s.ceil());
            let detail = format!(
                "the job is predicted to take {shown} s, but job-time is {most} s: order fewer values or tables at a time"
            );
            let problem = Problem::new("too-large", 413, detail);
            Err(problem.exceeds("job-time", found, most).into())
        }
        _ => Ok(reserved),
    }
}

/// Checks that a table has inputs with this modulus and sign, and outputs with the given modulus, if any.
fn check_table(table: &TableInfo, input: u64, output: Option<u64>, signed: bool) -> Result<()> {
    for (name, found, expected) in [
        ("input", table.input_modulus, input),
        ("output", table.output_modulus, output.unwrap_or(table.output_modulus)),
    ] {
        if found != expected {
            let table = &table.name;
            let text = format!("table {table} has the {name} modulus {found}, not {expected}");
            return Err(Problem::unusable(text).into());
        }
    }
    if table.signed_inputs != signed {
        let signs = |signed| if signed { "signed" } else { "unsigned" };
        let (table, takes) = (&table.name, signs(table.signed_inputs));
        let text = format!("table {table} takes {takes} values, but these are {}", signs(signed));
        return Err(Problem::unusable(text).into());
    }
    Ok(())
}

/// Checks that a key for bits matches a key for values of several owners. Returns the largest factor by which results
/// grow, compared with the files from which they are made.
fn check_bits(values: &Parameters, bits: &StoredObject, options: ReadOptions) -> Result<u64> {
    let (kind, bytes) = bits.parameters.split_first().unwrap_or((&PLAIN, &[]));
    let Parameters::Packed(values) = values else {
        return Err(Problem::unusable("only keys of packed values can have several owners").into());
    };
    if *kind != BITS {
        return Err(Problem::unusable("bits_key is not a key for bits of several owners").into());
    }
    let of_bits = bits::Parameters::from_bytes(bytes, options)?;
    let (found, expected) = (of_bits.literal().owners, values.literal().owners);
    if found != expected {
        let text = format!("bits_key has {found} owners, not {expected}");
        return Err(Problem::unusable(text).into());
    }
    if values.output_modulus() != 2 {
        let found = values.output_modulus();
        let text = format!("the key has outputs modulo {found}, but results for owners are bits");
        return Err(Problem::unusable(text).into());
    }
    Ok(1 + GROWTH_FOR_OWNERS)
}

/// Returns the largest number of bytes that a lookup may need. It does not depend on the size of a file, which is
/// looked up part by part.
fn memory(parameters: &Parameters, tables: usize) -> u64 {
    // Few values are not packed, so both numbers have to be tried.
    let values = [1, parameters.values_per_part() as u64];
    let needed = values.map(|values| {
        parameters.lookup_prediction(EntryKind::Shared, tables, values).peak_bytes() as u64
    });
    needed[0].max(needed[1])
}

fn reservation(
    parameters: &Parameters,
    input: &About,
    tables: usize,
    limits: &Limits,
) -> Reservation {
    let (values, ciphertexts) = (input.values.unwrap_or(0), input.ciphertexts.unwrap_or(1).max(1));
    let at_once = values.div_ceil(ciphertexts).min(parameters.values_per_part() as u64);
    let prediction = parameters.lookup_prediction(EntryKind::Shared, tables, at_once);
    // Work is counted per value for leveled and single values, and per ciphertext for packed ones, even if it is not
    // full.
    let per = prediction.values_per_ciphertext.max(1) as u64;
    let results = values.div_ceil(per).max(ciphertexts);
    let bytes =
        results.saturating_mul(prediction.result_bytes as u64).saturating_mul(tables as u64);
    let values = if per == 1 { values } else { results.saturating_mul(per) };
    let time = prediction.duration(&CostModel::calibrated(), values, limits.threads());
    Reservation { estimate_s: time.as_secs_f64(), bytes }
}

fn read_parameters(key: &StoredObject, options: ReadOptions) -> Result<Parameters> {
    let (kind, bytes) = key.parameters.split_first().unwrap_or((&PLAIN, &[]));
    Ok(match *kind {
        BRIDGED => bridged::Parameters::from_bytes(bytes, options)?.into(),
        _ => Parameters::from_bytes(contents(&key.about)?.engine, bytes, options)?,
    })
}

fn contents(about: &About) -> Result<Contents> {
    let engine = Engine::ALL.into_iter().find(|engine| engine.to_string() == about.engine);
    let engine = engine.ok_or_else(|| Problem::unusable(format!("engine {}", about.engine)))?;
    let parameter_digest = from_hex(&about.parameters)?;
    let key_id = KeyId(from_hex(&about.key_id)?);
    let signed = about.signed.unwrap_or(false);
    let (modulus, standalone) = (about.modulus, false);
    Ok(Contents { engine, parameter_digest, key_id, modulus, signed, standalone })
}

fn from_hex<const BYTES: usize>(digits: &str) -> Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    for (index, byte) in bytes.iter_mut().enumerate() {
        let pair = digits.get(2 * index..2 * index + 2);
        *byte = pair
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
            .ok_or_else(|| Problem::unusable("a digest is damaged"))?;
    }
    Ok(bytes)
}

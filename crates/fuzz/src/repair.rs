//! Repairs that take inputs past the checks that no mutation passes by chance: version, lengths, digests and checksums.
//!
//! A repaired input is also padded with zeros to the length that its header states, so that the first few hundred bytes
//! of a key stand for all of it.

use cryptable::bridges::{IntegerParameters, LeveledParameters};
use cryptable::engines::bridged;
use cryptable::{Engine, Parameters, ReadOptions, ckks, gates, large_values, transciphering};
use cryptable_wire::{CHECKSUM_BYTES, FORMAT_VERSION, HEADER_BYTES};

/// Length of the longest body that is padded. Longer ones keep the length that they have.
const MAX_BODY: usize = 2 << 20;

/// Bytes of the header of a file of ciphertexts.
const FILE_HEADER_BYTES: usize = 72;

/// Positions of fields in the header of an object.
const VERSION: std::ops::Range<usize> = 8..10;
const DIGEST: std::ops::Range<usize> = 16..48;
const LENGTH: std::ops::Range<usize> = 48..56;

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

/// Returns the object with the right version, length, parameter digest and checksum.
#[must_use]
pub fn object(bytes: &[u8]) -> Vec<u8> {
    let mut object = bytes.to_vec();
    if object.len() < HEADER_BYTES {
        return object;
    }
    object[VERSION].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    let stated = usize::try_from(word(&object[LENGTH])).unwrap_or(usize::MAX);
    let is_whole = object.len().checked_sub(HEADER_BYTES + CHECKSUM_BYTES) == Some(stated);
    if is_whole || stated <= MAX_BODY {
        object.resize(HEADER_BYTES + stated, 0);
    }
    let length = (object.len() - HEADER_BYTES) as u64;
    object[LENGTH].copy_from_slice(&length.to_le_bytes());
    if let Some(digest) = parameter_digest(&object) {
        object[DIGEST].copy_from_slice(&digest);
    }
    let checksum = blake3::hash(&object);
    object.extend(checksum.as_bytes());
    object
}

/// Returns the digest of the parameters that a key of any kind begins with.
fn parameter_digest(object: &[u8]) -> Option<[u8; 32]> {
    let body = &object[HEADER_BYTES..];
    let length = usize::try_from(word(body.get(..8)?)).ok()?;
    let bytes = body[8..].get(..length)?;
    let options = ReadOptions::default().allow_insecure();
    let lookups = |engine| Parameters::from_bytes(engine, bytes, options).ok().map(|p| p.digest());
    // Numbers of `cryptable_wire::ObjectType`.
    match object[10] {
        2 | 3 | 51 | 74 | 75 => lookups(Engine::Packed),
        6 | 7 => lookups(Engine::Single),
        15 | 16 => lookups(Engine::Leveled),
        9 | 10 => transciphering::Parameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        18 | 19 => gates::Parameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        27 | 28 | 76 | 79 => {
            cryptable_bits::Parameters::from_bytes(bytes, options).ok().map(|p| p.digest())
        }
        40 => ckks::Parameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        41 => ckks::Parameters::from_evaluation_key_bytes(bytes, options).ok().map(|p| p.digest()),
        36 | 37 => bridged::Parameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        44 | 46 | 47 => IntegerParameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        45 | 48 | 49 => LeveledParameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        21 | 22 => large_values::Parameters::from_bytes(bytes, options).ok().map(|p| p.digest()),
        _ => None,
    }
}

/// Offset of the first digit in a part of a column.
const FIRST_DIGIT: usize = HEADER_BYTES + 29;

/// Returns the parts of a column with the right ciphertexts and checksums.
#[must_use]
pub fn integer_column(bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut rest = bytes;
    while rest.len() >= FIRST_DIGIT {
        let stated = usize::try_from(word(&rest[LENGTH])).unwrap_or(usize::MAX);
        let end = HEADER_BYTES.saturating_add(stated).min(rest.len());
        let (part, after) = rest.split_at(end.max(FIRST_DIGIT));
        let (head, mut digits) = part.split_at(FIRST_DIGIT);
        let mut repaired = head.to_vec();
        // Two bounds and a length precede every ciphertext.
        while digits.len() >= 24 {
            let (bounds, left) = digits.split_at(24);
            let length = usize::try_from(word(&bounds[16..])).unwrap_or(usize::MAX);
            let (ciphertext, left) = left.split_at(length.min(left.len()));
            let ciphertext = match ciphertext.len().checked_sub(CHECKSUM_BYTES) {
                Some(body) => object(&ciphertext[..body]),
                None => ciphertext.to_vec(),
            };
            repaired.extend(&bounds[..16]);
            repaired.extend((ciphertext.len() as u64).to_le_bytes());
            repaired.extend(ciphertext);
            digits = left;
        }
        let body = (repaired.len() - HEADER_BYTES) as u64;
        repaired[LENGTH].copy_from_slice(&body.to_le_bytes());
        file.extend(object(&repaired));
        rest = after.get(CHECKSUM_BYTES..).unwrap_or_default();
    }
    file
}

/// Returns a file of ciphertexts with the right parts, numbers and digest.
#[must_use]
pub fn ciphertext_file(bytes: &[u8]) -> Vec<u8> {
    let Some((header, mut rest)) = bytes.split_at_checked(FILE_HEADER_BYTES) else {
        return bytes.to_vec();
    };
    let mut file = header.to_vec();
    file[VERSION].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    let mut parts = 0_u64;
    while rest.len() >= 8 && word(rest) != 0 {
        let length = usize::try_from(word(rest)).unwrap_or(usize::MAX).min(rest.len() - 8);
        let (part, after) = rest[8..].split_at(length);
        let part = object(part);
        file.extend((part.len() as u64).to_le_bytes());
        file.extend(part);
        parts += 1;
        rest = after;
    }
    // The number of values remains as the input states it.
    let values = rest.get(8..16).map_or(0, word);
    file.extend([0, values, parts].map(u64::to_le_bytes).concat());
    let digest = blake3::hash(&file);
    file.extend(digest.as_bytes());
    file
}

/// Returns a file of encrypted words whose objects are repaired one by one, each with the length that it states.
#[must_use]
pub fn encrypted_words(bytes: &[u8]) -> Vec<u8> {
    let (mut file, mut rest) = (Vec::new(), bytes);
    while rest.len() > HEADER_BYTES {
        let stated = usize::try_from(word(&rest[LENGTH])).unwrap_or(usize::MAX);
        let (body, checksum) = (stated.min(rest.len() - HEADER_BYTES), CHECKSUM_BYTES);
        file.extend(object(&rest[..HEADER_BYTES + body]));
        rest = &rest[rest.len().min(HEADER_BYTES + body + checksum)..];
    }
    file.extend(rest);
    file
}

/// Returns the records of a resumed lookup, each a length and a repaired file of ciphertexts.
#[must_use]
pub fn resume_records(bytes: &[u8]) -> Vec<u8> {
    let (mut records, mut rest) = (Vec::new(), bytes);
    while rest.len() >= 8 {
        let length = usize::try_from(word(rest)).unwrap_or(usize::MAX).min(rest.len() - 8);
        let (record, after) = rest[8..].split_at(length);
        let file = ciphertext_file(record);
        records.extend((file.len() as u64).to_le_bytes());
        records.extend(file);
        rest = after;
    }
    records.extend(rest);
    records
}

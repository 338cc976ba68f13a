//! Tests of the library, in one program, which is linked once. Tests that measure or kill a process are separate
//! programs.

mod belonging;
mod bridged;
mod bridges;
mod canaries;
mod compression;
mod dependencies;
mod engines;
mod failure_definition;
mod failures;
mod integers;
mod known_answers;
mod known_kinds;
mod known_objects;
mod leveled_toy;
mod linear_operations;
mod public_keys;
mod rekeying;
mod single_full_size;
mod single_toy;
mod vectors_to_integers;

use cryptable::{ReadOptions, Result};
use cryptable_wire::{CHECKSUM_BYTES, ObjectType, write_object};

/// Returns options that accept toys, which are insecure and say so.
fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Changes bytes of an object and recomputes its checksum, as a forger would.
fn forged(object: &[u8], position: usize, bytes: &[u8]) -> Vec<u8> {
    let mut object = object.to_vec();
    object[position..position + bytes.len()].copy_from_slice(bytes);
    let end = object.len() - CHECKSUM_BYTES;
    let checksum = blake3::hash(&object[..end]);
    object[end..].copy_from_slice(checksum.as_bytes());
    object
}

/// Returns an object of a type with the given contents, of parameters that nobody has, with a correct checksum.
fn forged_object(object_type: ObjectType, contents: &[u8]) -> Vec<u8> {
    let mut object = Vec::new();
    write_object(&mut object, object_type, &[7; 32], contents).unwrap();
    object
}

/// Flips a bit in many places, and cuts the bytes there.
fn check_damage(bytes: &[u8], read: impl Fn(&[u8]) -> Result<()>) {
    read(bytes).unwrap();
    let step = bytes.len() / 40 + 1;
    for position in (0..bytes.len().min(200)).chain((200..bytes.len()).step_by(step)) {
        let mut damaged = bytes.to_vec();
        damaged[position] ^= 4;
        assert!(read(&damaged).is_err(), "byte {position}");
        assert!(read(&bytes[..position]).is_err(), "cut at {position}");
    }
    assert!(read(&[bytes, &[0]].concat()).is_err());
}

//! Tests of the library, in one program, which is linked once. Tests that measure or kill a process have programs of their own.

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

/// Returns options by which toys are read: they are insecure, and said to be.
fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Makes the checksum fit changed bytes again, as a forger would.
fn forge(file: &mut [u8]) {
    let end = file.len() - 32;
    let digest = *blake3::hash(&file[..end]).as_bytes();
    file[end..].copy_from_slice(&digest);
}

/// Flips a bit in many places, and cuts there.
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

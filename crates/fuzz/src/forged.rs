//! Forged objects: valid checksums, but contents that no encryption produces. They hold single values with the least
//! modulus that readers accept.

use cryptable::engines::single;
use cryptable_lattice::NoiseBound;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_wire::{BodyWriter, KeyId, ObjectType, write_object};

/// Modulus of words of six bits, which need ten times the memory once they are unpacked.
const MODULUS: u64 = 64;

/// Returns an undamaged object of `count` zeros with LWE ciphertexts of this dimension. Its masks are a seed if it is
/// fresh, else words.
///
/// # Panics
/// If memory cannot be allocated.
#[must_use]
pub fn single_values(count: usize, dimension: usize, is_fresh: bool) -> Vec<u8> {
    let (mut body, mut bytes) = (Vec::new(), Vec::new());
    let mut writer = BodyWriter::new(&mut body);
    writer.raw(&KeyId([7; 16]).0).unwrap();
    writer.u64(4).unwrap();
    NoiseBound::new(0.5, 0.0).write(&mut writer).unwrap();
    writer.u64(count as u64).unwrap();
    writer.u32(is_fresh.into()).unwrap();
    LweShape { dimension, modulus: MODULUS }.write(&mut writer).unwrap();
    match is_fresh {
        true => writer.raw(&[1; 32]).unwrap(),
        false => writer.packed_words(&vec![0; count * dimension], MODULUS).unwrap(),
    }
    writer.packed_words(&vec![0; count], MODULUS).unwrap();
    write_object(&mut bytes, ObjectType::SingleCiphertext, &[0; 32], &body).unwrap();
    bytes
}

/// Returns a file of ciphertexts that holds one such object.
///
/// # Panics
/// If the library refuses the object.
#[must_use]
pub fn file_of(object: &[u8]) -> Vec<u8> {
    let ciphertext = single::Ciphertext::from_bytes(object).expect("an undamaged object");
    cryptable::Ciphertext::from(ciphertext).to_bytes()
}

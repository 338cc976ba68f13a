//! Common parts of key files: parameters at the start of the body, secrets at two bits per coefficient.

use std::io::{self, Write};

use zeroize::Zeroizing;

use crate::{
    BodyReader, BodyWriter, HEADER_BYTES, Header, KeyId, ObjectType, ObjectWriter, WireError,
    peek_header, read_object, write_object,
};

/// Longest parameters in a file, in bytes.
const MAX_PARAMETER_BYTES: u64 = 1 << 16;

/// Largest number of bytes that the start of a key file occupies: header, parameters and key identifier.
pub const KEY_START_BYTES: usize = HEADER_BYTES + 8 + MAX_PARAMETER_BYTES as usize + 16;

/// First part of an evaluation key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyStart<'a> {
    /// Its header.
    pub header: Header,
    /// Its parameters, as their engine writes them.
    pub parameters: &'a [u8],
    /// Identifier of the client's key that it belongs to; in files of several keys, of the first one.
    pub key_id: KeyId,
}

/// Reads the start of an evaluation key file from its first [`KEY_START_BYTES`] bytes, or fewer. The checksum is not
/// verified, since the rest of the file may not be there yet.
///
/// # Errors
/// If the bytes are not the start of such a file.
pub fn peek_key(start: &[u8]) -> Result<KeyStart<'_>, WireError> {
    let header = peek_header(start)?;
    let mut reader = BodyReader::new(start.get(HEADER_BYTES..).unwrap_or_default());
    let parameters = reader.bytes("parameters", MAX_PARAMETER_BYTES)?;
    let key_id = KeyId(reader.array("key identifier")?);
    Ok(KeyStart { header, parameters, key_id })
}

/// Checks an object that starts with its parameters. Returns the parameters, which `read` parses, and a reader of the
/// rest of the body.
///
/// # Errors
/// If the bytes are not exactly one undamaged object of this type, or the digest of its parameters is not that of its
/// header.
pub fn open_with_parameters<P, E: From<WireError>>(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
    read: impl FnOnce(&[u8]) -> Result<P, E>,
    digest: impl FnOnce(&P) -> [u8; 32],
) -> Result<(P, BodyReader<'_>), E> {
    let mut reader = BodyReader::new(read_object(bytes, object_type, None, max_body)?);
    let parameters = read(reader.bytes("parameters", MAX_PARAMETER_BYTES)?)?;
    let (found, expected) = (peek_header(bytes)?.parameter_digest, digest(&parameters));
    if found != expected {
        return Err(WireError::ParameterMismatch { expected, found }.into());
    }
    Ok((parameters, reader))
}

/// Returns the bytes of a secret key file: parameters, then at most `secret_bytes` bytes of secrets, which `write`
/// writes.
///
/// Computing the checksum leaves blocks of the secret on the stack below the caller, who must clear it.
///
/// # Panics
/// If `write` fails, which writing to memory never does.
#[must_use]
pub fn secret_key_bytes(
    object_type: ObjectType,
    digest: &[u8; 32],
    parameters: &[u8],
    secret_bytes: usize,
    write: impl FnOnce(&mut BodyWriter<&mut Vec<u8>>) -> io::Result<()>,
) -> Zeroizing<Vec<u8>> {
    // The capacity suffices for everything, so that no reallocation leaves a copy of the secret behind.
    let capacity = parameters.len() + secret_bytes + 256;
    let mut body = Zeroizing::new(Vec::with_capacity(capacity));
    let mut writer = BodyWriter::new(&mut *body);
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * capacity));
    writer
        .bytes(parameters)
        .and_then(|()| write(&mut writer))
        .and_then(|()| write_object(&mut *bytes, object_type, digest, &body))
        .expect("memory takes all bytes");
    bytes
}

/// Writes a server's keys: parameters, the client's identifier, and the keys' bytes.
///
/// # Errors
/// Errors of the writer.
pub fn write_server_keys(
    out: &mut dyn Write,
    object_type: ObjectType,
    digest: &[u8; 32],
    parameters: &[u8],
    client: KeyId,
    keys: &[u8],
) -> io::Result<()> {
    // The body has two length fields of 8 bytes each.
    let length = (8 + parameters.len() + KeyId::BYTES + 8 + keys.len()) as u64;
    let mut writer = BodyWriter::new(ObjectWriter::new(out, object_type, digest, length)?);
    writer.bytes(parameters)?;
    writer.raw(&client.0)?;
    writer.bytes(keys)?;
    writer.into_inner().finish()?;
    Ok(())
}

/// Packs ternary coefficients at two bits each.
#[must_use]
pub fn pack_ternary(coefficients: &[i8]) -> Zeroizing<Vec<u8>> {
    let four = |four: &[i8]| {
        four.iter().enumerate().fold(0, |byte, (i, &c)| byte | ((c + 1) as u8) << (2 * i))
    };
    Zeroizing::new(coefficients.chunks(4).map(four).collect())
}

/// Unpacks the `count` coefficients that [`pack_ternary`] packed.
///
/// # Errors
/// If their number is not `count`, or the bytes are not a packing of ternary coefficients.
pub fn unpack_ternary(packed: &[u8], count: usize) -> Result<Zeroizing<Vec<i8>>, WireError> {
    let invalid = || {
        let expected = "-1, 0 or 1 for each of the dimensions";
        WireError::invalid("coefficients", "something else", expected)
    };
    if packed.len() != count.div_ceil(4) {
        return Err(invalid());
    }
    let coefficient = |i: usize| (packed[i / 4] >> (2 * (i % 4)) & 3) as i8 - 1;
    let coefficients: Zeroizing<Vec<i8>> = Zeroizing::new((0..count).map(coefficient).collect());
    // Packing again reveals bytes of other values, and bits beyond the last coefficient.
    if coefficients.contains(&2) || *pack_ternary(&coefficients) != packed {
        return Err(invalid());
    }
    Ok(coefficients)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ternary_coefficients_have_one_packing() {
        let coefficients = [1, -1, 0, 0, 1, -1];
        let packed = pack_ternary(&coefficients);
        assert_eq!(*packed, [0b01_01_00_10, 0b00_10]);
        assert_eq!(*unpack_ternary(&packed, 6).unwrap(), coefficients);
        for (bytes, count) in
            [(&[0x52][..], 6), (&[0x52, 0x02], 4), (&[0x52, 0x12], 6), (&[0xd2], 4)]
        {
            assert!(unpack_ternary(bytes, count).is_err(), "{bytes:x?}, {count}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_header() {
        let digest = |bytes: &Vec<u8>| *blake3::hash(bytes).as_bytes();
        let object = |header: &[u8; 32]| {
            secret_key_bytes(ObjectType::PackedSecretKey, header, b"numbers", 3, |writer| {
                writer.raw(b"key")
            })
        };
        let open = |bytes: &[u8]| {
            let read = |bytes: &[u8]| Ok::<_, WireError>(bytes.to_vec());
            let (parameters, mut rest) =
                open_with_parameters(bytes, ObjectType::PackedSecretKey, 100, read, digest)?;
            let key: [u8; 3] = rest.array("key")?;
            rest.finish().map(|()| (parameters, key))
        };
        let expected = digest(&b"numbers".to_vec());
        assert_eq!(open(&object(&expected)), Ok((b"numbers".to_vec(), *b"key")));
        let error = open(&object(&[0; 32])).unwrap_err();
        assert_eq!(error, WireError::ParameterMismatch { expected, found: [0; 32] });
    }
}

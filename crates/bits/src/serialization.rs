//! Keys and ciphertexts of bits as files: secret keys, evaluation keys that are used where they lie, and encrypted bits.

use std::sync::Arc;

use cryptable_ckks::Ciphertext;
use cryptable_lattice::error::{Result, check_parameters};
use cryptable_lattice::evaluation_key_files::{check_switching_key_bytes, read_switching_keys};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{ReadOptions, RlweCiphertext};
use cryptable_ring::{Evaluations, Poly, Ring};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, open_with_parameters, peek_header, read_object,
    write_object,
};

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

/// Longest body of an evaluation key, 64 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 36;

/// Longest body of encrypted bits: two parts of two polynomials of 64 limbs at degree 65,536, and 1 MiB.
const MAX_CIPHERTEXT_BYTES: u64 = (4 * 64 * 65_536 * 8) + (1 << 20);

/// Checks an object that starts with its parameters: those, and the rest of its body.
fn open(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
    options: ReadOptions,
) -> Result<(Parameters, BodyReader<'_>)> {
    let read = |bytes: &[u8]| Parameters::from_bytes(bytes, options);
    open_with_parameters(bytes, object_type, max_body, read, Parameters::digest)
}

impl EncryptedBits {
    /// The bits in their wire format: identifier of their key, number, noise, limbs, and the words of every limb at the
    /// width of its modulus.
    ///
    /// # Errors
    /// If they are of other parameters.
    ///
    /// # Panics
    /// If memory runs out.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        check_parameters("encrypted bits", parameters.digest(), self.parameter_digest)?;
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        writer.raw(&self.key_id.0)?;
        writer.u64(self.count as u64)?;
        self.noise.write(&mut writer)?;
        writer.u64(self.limbs() as u64)?;
        let degree = parameters.literal().ring_degree;
        let moduli = parameters.limb_moduli(self.limbs());
        for part in &self.parts {
            for poly in [&part.parts.c0, &part.parts.c1] {
                for (words, &modulus) in poly.words().chunks(degree).zip(&moduli) {
                    writer.packed_words(words, modulus)?;
                }
            }
        }
        write_object(&mut bytes, ObjectType::SlotBitsCiphertext, &self.parameter_digest, &body)?;
        Ok(bytes)
    }

    /// Reads encrypted bits of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of bits, it is of other parameters, has a number that they do
    /// not allow, or claims less noise than fresh bits have, or more than decrypts.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::SlotBitsCiphertext;
        let body = read_object(bytes, object_type, None, MAX_CIPHERTEXT_BYTES)?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        check_parameters("encrypted bits", parameters.digest(), parameter_digest)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        let count = reader.u64_within("number of bits", 0..=parameters.bits() as u64)? as usize;
        let noise = BitNoise::read(&mut reader)?;
        noise.check_floor(parameters.fresh_noise())?;
        noise.check("decryption", parameters.literal().log2_fail)?;
        let literal = parameters.literal();
        let allowed = literal.input_limbs() as u64..=literal.output_limbs() as u64;
        let limbs = reader.u64_within("limbs of the bits", allowed)? as usize;
        let (ring, moduli) = (parameters.ring(), parameters.limb_moduli(limbs));
        let scale = parameters.circuit().scale_at(limbs);
        let mut part = || -> Result<Ciphertext> {
            let c0 = read_poly(&mut reader, &ring, (limbs, &moduli))?;
            let c1 = read_poly(&mut reader, &ring, (limbs, &moduli))?;
            Ok(Ciphertext { parts: RlweCiphertext { c0, c1 }, scale })
        };
        let parts = (0..parameters.packing().parts()).map(|_| part()).collect::<Result<_>>()?;
        reader.finish()?;
        let bottom_limbs = literal.input_limbs();
        Ok(Self { parts, count, noise, bottom_limbs, parameter_digest, key_id })
    }
}

/// A polynomial modulo so many primes, in limbs of these moduli.
fn read_poly(
    reader: &mut BodyReader<'_>,
    ring: &Ring,
    (main, moduli): (usize, &[u64]),
) -> Result<Poly<Evaluations>> {
    let mut words = Vec::new();
    for &modulus in moduli {
        words.extend(reader.packed_words("words of the bits", ring.degree(), modulus)?);
    }
    Ok(Poly::from_words(ring, ring.main_basis(main), words))
}

impl EvaluationKey {
    /// A key from its wire format. The stored halves of the switching keys are not copied: they are
    /// read from `bytes`, a memory-mapped file for one. Their masks are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, do not start at a multiple of 8, are of insecure
    /// parameters where those are not allowed, or take more memory than the options allow.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let object_type = ObjectType::SlotBitsEvaluationKey;
        let (parameters, mut reader) = open(all, object_type, MAX_EVALUATION_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("key identifier")?);
        let requests = parameters.circuit().key_requests();
        // Before anything is built: bytes that are too few for these parameters are refused.
        check_switching_key_bytes(&requests, parameters.literal().ring_degree, all.len() as u64)?;
        options.check_memory("evaluation key", parameters.key_memory_bytes() as u64)?;
        let ring = Arc::new(parameters.ring());
        let keys = read_switching_keys(&ring, requests, &mut reader, &bytes)?;
        reader.finish()?;
        Ok(Self::new(parameters, key_id, ring, keys))
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_lattice::evaluation_key_files::{skip_switching_keys, write_switching_key};
    use cryptable_lattice::secret::TernarySecret;
    use cryptable_lattice::security::SecretDistribution;
    use cryptable_ring::clear_stack;
    use cryptable_wire::{ObjectWriter, WireError, pack_ternary, secret_key_bytes, unpack_ternary};
    use zeroize::Zeroizing;

    use super::*;
    use crate::secret_key::SecretKey;

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let packed = pack_ternary(self.secret().coefficients());
            let (digest, parameters) = (self.parameters().digest(), self.parameters().to_bytes());
            let (object_type, length) = (ObjectType::SlotBitsSecretKey, 8 + packed.len());
            let bytes = secret_key_bytes(object_type, &digest, &parameters, length, |writer| {
                writer.bytes(&packed)
            });
            clear_stack();
            bytes
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key, or it is of insecure parameters where those are not
        /// allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let object_type = ObjectType::SlotBitsSecretKey;
            let (parameters, mut reader) = open(bytes, object_type, MAX_SECRET_KEY_BYTES, options)?;
            // The checksum was computed there.
            clear_stack();
            let degree = parameters.literal().ring_degree;
            let packed = reader.bytes("coefficients", degree as u64 / 4)?;
            let coefficients = unpack_ternary(packed, degree)?;
            reader.finish()?;
            let distribution = SecretDistribution::UniformTernary;
            TernarySecret::from_coefficients(coefficients, distribution)
                .map(|secret| Self::from_secret(parameters, secret))
                .ok_or_else(|| {
                    let expected = "a ternary secret";
                    WireError::invalid("coefficients", "others", expected).into()
                })
        }

        /// Generates an evaluation key and writes it, one switching key at a time: parameters, the key identifier, then
        /// seed and words of every switching key. Progress counts switching keys.
        ///
        /// # Errors
        /// If writing fails, or [`cryptable_lattice::Error::Cancelled`].
        pub fn write_evaluation_key(
            &self,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let parameters = self.parameters().to_bytes();
            let (degree, requests) = (
                self.parameters().literal().ring_degree,
                self.parameters().circuit().key_requests(),
            );
            // The same writer as below, on nothing: counts the bytes, padding included.
            let mut length = BodyWriter::new(std::io::sink());
            length.bytes(&parameters)?;
            length.raw(&self.key_id().0)?;
            skip_switching_keys(&mut length, &requests, degree)?;
            let digest = self.parameters().digest();
            let object_type = ObjectType::SlotBitsEvaluationKey;
            let object = ObjectWriter::new(out, object_type, &digest, length.position())?;
            let mut writer = BodyWriter::new(object);
            writer.bytes(&parameters)?;
            writer.raw(&self.key_id().0)?;
            self.generate_keys(progress, |_, key| Ok(write_switching_key(&mut writer, &key)?))?;
            writer.into_inner().finish()?;
            Ok(())
        }
    }
}

//! Keys and ciphertexts of bits as files: secret keys, evaluation keys that are used where they lie, encrypted bits, and
//! values in coefficients.

use cryptable_ckks::Ciphertext;
use cryptable_lattice::error::{Result, check_parameters};
use cryptable_lattice::key_files::{
    EvaluationKeyBody, ExpectedKeys, MAX_EVALUATION_KEY_BYTES, read_evaluation_key,
};
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{ReadOptions, RlweCiphertext};
use cryptable_ring::{Evaluations, Poly, Ring};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, open_with_parameters, peek_header, read_object,
    write_object,
};

use crate::circuit::MAX_MODULUS;
use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::half_form::RlweInput;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

/// Longest body of encrypted bits: two parts of two polynomials of 64 limbs at degree 65,536, and 1 MiB.
const MAX_CIPHERTEXT_BYTES: u64 = (4 * 64 * 65_536 * 8) + (1 << 20);

/// Longest body of values in coefficients: two polynomials of one limb at degree 65,536, and 1 KiB.
const MAX_COEFFICIENT_BYTES: u64 = (2 * 65_536 * 8) + (1 << 10);

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

impl RlweInput {
    /// The values in their wire format: identifier of their key, number, modulus, noise, and the words of both polynomials at
    /// the width of q_0.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, RlweInput, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let values = server.to_coefficients(&secret.encrypt(&[true, false])?, 2)?;
    /// let read = RlweInput::from_bytes(&parameters, &values.to_bytes(&parameters)?)?;
    /// assert_eq!(secret.decrypt(&server.half_bin_boot(&read)?)?, [true, false]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If they are of other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        self.check(parameters, self.key_id())?;
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        writer.raw(&self.key_id().0)?;
        writer.u64(self.count() as u64)?;
        writer.u64(self.modulus())?;
        self.noise().write(&mut writer)?;
        let RlweCiphertext { c0, c1 } = self.ciphertext();
        for poly in [c0, c1] {
            writer.packed_words(poly.words(), parameters.bottom_prime())?;
        }
        let object_type = ObjectType::SlotBitsCoefficients;
        write_object(&mut bytes, object_type, &parameters.digest(), &body)?;
        Ok(bytes)
    }

    /// Reads values of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of values in coefficients, it is of other parameters, has a
    /// number that they do not allow, or claims less noise than a rounding to q_0 leaves. Half bootstraps refuse too much.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::SlotBitsCoefficients;
        let body = read_object(bytes, object_type, None, MAX_COEFFICIENT_BYTES)?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        check_parameters("values in coefficients", parameters.digest(), parameter_digest)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        let count = reader.u64_within("number of values", 0..=parameters.bits() as u64)? as usize;
        let modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
        let noise = BitNoise::read(&mut reader)?;
        let prime = parameters.bottom_prime();
        noise.check_floor(BitNoise::of_law(NoiseLaw::gaussian(
            1.0 / (12.0 * (prime as f64).powi(2)),
        )))?;
        let ring = parameters.ring();
        let c0 = read_poly(&mut reader, &ring, (1, &[prime]))?;
        let c1 = read_poly(&mut reader, &ring, (1, &[prime]))?;
        reader.finish()?;
        Self::new(parameters, key_id, RlweCiphertext { c0, c1 }, (count, modulus), noise)
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
    /// A key from its wire format. The bodies of the switching keys are not copied: they are
    /// read from `bytes`, a memory-mapped file for one. Their masks are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, are of insecure parameters where those are
    /// not allowed, or take more memory than the options allow.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let object_type = ObjectType::SlotBitsEvaluationKey;
        let (parameters, reader) = open(all, object_type, MAX_EVALUATION_KEY_BYTES, options)?;
        let expected = ExpectedKeys {
            requests: parameters.circuit().key_requests(),
            moduli: parameters.moduli(),
            memory_bytes: parameters.key_memory_bytes() as u64,
        };
        let EvaluationKeyBody { key_id, ring, keys } =
            read_evaluation_key(&bytes, reader, options, expected, || parameters.ring())?;
        Ok(Self::new(parameters, key_id, ring, keys))
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_lattice::key_files::{
        KeyFile, MAX_SECRET_KEY_BYTES, read_ternary_secret, ternary_secret_bytes,
        write_evaluation_key,
    };
    use zeroize::Zeroizing;

    use super::*;
    use crate::secret_key::SecretKey;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let (object_type, digest) = (ObjectType::SlotBitsSecretKey, self.parameters().digest());
            let parameters = &self.parameters().to_bytes();
            ternary_secret_bytes(KeyFile { object_type, digest, parameters }, self.secret())
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key, or it is of insecure parameters where those are not
        /// allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let object_type = ObjectType::SlotBitsSecretKey;
            let (parameters, reader) = open(bytes, object_type, MAX_SECRET_KEY_BYTES, options)?;
            let secret = read_ternary_secret(reader, parameters.literal().ring_degree)?;
            Ok(Self::from_secret(parameters, secret))
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
            let (object_type, digest) =
                (ObjectType::SlotBitsEvaluationKey, self.parameters().digest());
            let file = KeyFile { object_type, digest, parameters: &self.parameters().to_bytes() };
            let requests = self.parameters().circuit().key_requests();
            let moduli = self.parameters().moduli();
            let keys = (&requests[..], &moduli);
            write_evaluation_key(out, file, self.key_id(), keys, |write| {
                self.generate_stored_keys(&requests, progress, write)
            })
        }
    }
}

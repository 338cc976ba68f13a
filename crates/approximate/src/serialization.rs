//! Keys and ciphertexts as files: secret keys, evaluation keys that are used where they lie, encrypted vectors.

use cryptable_ckks::dry_run::{Shape, SlotNoise, SlotVariance};
use cryptable_ckks::noise_sources::NoiseSources;
use cryptable_lattice::error::{Error, Result, check_parameters};
use cryptable_lattice::key_files::{
    EvaluationKeyBody, ExpectedKeys, MAX_EVALUATION_KEY_BYTES, read_evaluation_key,
};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{ReadOptions, RlweCiphertext};
use cryptable_ring::{Evaluations, Poly, Ring};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, open_with_parameters, peek_header,
    read_object, write_object,
};
use serde::{Deserialize, Serialize};

use crate::bounds::SlotBounds;
use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;
use crate::key_set::KeySet;
use crate::literal::ParametersLiteral;
use crate::parameters::Parameters;

/// Longest body of a ciphertext: two polynomials of 64 limbs at degree 131,072, and 1 MiB.
const MAX_CIPHERTEXT_BYTES: u64 = (2 * 64 * 131_072 * 8) + (1 << 20);

/// What the file of an evaluation key begins with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyedParameters {
    parameters: ParametersLiteral,
    keys: KeySet,
}

impl Ciphertext {
    /// The ciphertext in its wire format: identifier of its key, limbs, bounds of slots, deviation and bias of errors, and
    /// the words of every limb at the width of its prime.
    ///
    /// ```
    /// use cryptable_approximate::{Ciphertext, Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let bytes = secret.encrypt_reals(&[0.5])?.to_bytes(secret.parameters())?;
    /// let read = Ciphertext::from_bytes(secret.parameters(), &bytes)?;
    /// assert!((secret.decrypt_reals(&read)?[0] - 0.5).abs() < 1e-6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is of other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        check_parameters("encrypted vector", parameters.digest(), self.tags.parameter_digest)?;
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        writer.raw(&self.tags.key_id.0)?;
        writer.u64(self.inner.limbs() as u64)?;
        let (bounds, error) = (self.bounds(), self.error());
        for number in [bounds.re, bounds.im, error.deviation, error.bias] {
            writer.f64(number)?;
        }
        let primes = parameters.primes(self.inner.limbs());
        let degree = parameters.literal().ring_degree;
        for poly in [&self.inner.parts.c0, &self.inner.parts.c1] {
            for (words, &prime) in poly.words().chunks(degree).zip(primes) {
                writer.packed_words(words, prime)?;
            }
        }
        let digest = &self.tags.parameter_digest;
        write_object(&mut bytes, ObjectType::VectorCiphertext, digest, &body)?;
        Ok(bytes)
    }

    /// Reads a ciphertext of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext, it is of other parameters, has a number that they do not
    /// allow, or claims less noise than fresh ciphertexts have.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::VectorCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        check_parameters("encrypted vector", parameters.digest(), parameter_digest)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        let levels = parameters.level_scales();
        let (bottom, top) = (levels.bottom(), levels.top());
        let limbs = reader.u64_within("limbs of the vector", bottom as u64..=top as u64)? as usize;
        let capacity = levels.capacity(limbs);
        let mut number = |name, most: f64| {
            let value = reader.f64(name)?;
            // Negative zero would be another encoding of the same number.
            if (0.0..=most).contains(&value) && value.is_sign_positive() {
                return Ok(value);
            }
            Err(WireError::invalid(name, value, "a number that a ciphertext of its level has"))
        };
        let re = number("bound of real parts", capacity)?;
        let im = number("bound of imaginary parts", capacity)?;
        let deviation = number("deviation of errors", capacity)?;
        let bias = number("bias of errors", capacity)?;
        let least = parameters.fresh_shape(1.0).noise.total().sqrt();
        // Two machines may compute a deviation with other roundings.
        if deviation < least * (1.0 - 1e-6) {
            let expected = format!("at least {least:e}, that of fresh ones");
            return Err(Error::mismatch("noise of the vector", format!("{deviation:e}"), expected));
        }
        let (ring, primes) = (parameters.ring(), parameters.primes(limbs));
        let c0 = read_poly(&mut reader, &ring, primes)?;
        let c1 = read_poly(&mut reader, &ring, primes)?;
        reader.finish()?;
        let scale = levels.scale_at(limbs);
        let inner = cryptable_ckks::Ciphertext { parts: RlweCiphertext { c0, c1 }, scale };
        let noise = SlotNoise::roundings(deviation * deviation);
        let (power, sources) = (SlotVariance(0.0), NoiseSources::UNKNOWN);
        let shape = Shape { limbs, chain: 0, scale, power, noise, sources };
        let tags = Tags {
            bounds: SlotBounds { re, im },
            bias,
            slot_limit: parameters.slot_limit(),
            bottom_limbs: bottom,
            slots: parameters.slots(),
            parameter_digest,
            key_id,
        };
        Ok(Self::join(inner, shape, tags))
    }
}

/// A polynomial modulo these primes.
fn read_poly(
    reader: &mut BodyReader<'_>,
    ring: &Ring,
    primes: &[u64],
) -> Result<Poly<Evaluations>> {
    let mut words = Vec::new();
    for &prime in primes {
        words.extend(reader.packed_words("words of the vector", ring.degree(), prime)?);
    }
    Ok(Poly::from_words(ring, ring.main_basis(primes.len()), words))
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
        let read = |bytes: &[u8]| keyed_parameters(bytes, options);
        let digest = |(parameters, _): &(Parameters, KeySet)| parameters.digest();
        let object_type = ObjectType::VectorEvaluationKey;
        let ((parameters, key_set), reader) =
            open_with_parameters(all, object_type, MAX_EVALUATION_KEY_BYTES, read, digest)?;
        let (requests, moduli) = (key_set.requests(&parameters)?, parameters.moduli());
        let sizes = requests.iter().map(|it| it.shape.memory_bytes(&moduli) as u64);
        let memory_bytes = sizes.fold(0, u64::saturating_add);
        let expected = ExpectedKeys { requests, moduli, memory_bytes };
        let EvaluationKeyBody { key_id, ring, keys } =
            read_evaluation_key(&bytes, reader, options, expected, || parameters.ring())?;
        Ok(Self::new(parameters, (key_set, keys), key_id, ring))
    }
}

/// Parameters and key set, as the file of an evaluation key begins.
fn keyed_parameters(bytes: &[u8], options: ReadOptions) -> Result<(Parameters, KeySet)> {
    let KeyedParameters { parameters, keys } = serde_json::from_slice(bytes).map_err(|error| {
        WireError::invalid("parameters", error, "a literal of vectors and keys")
    })?;
    options.check(parameters.security)?;
    Ok((Parameters::new(parameters)?, keys))
}

impl Parameters {
    /// Reads the parameters that the file of an evaluation key begins with.
    ///
    /// # Errors
    /// As [`Parameters::from_bytes`].
    pub fn from_evaluation_key_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Ok(keyed_parameters(bytes, options)?.0)
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
            let (object_type, digest) = (ObjectType::VectorSecretKey, self.parameters().digest());
            let parameters = &self.parameters().to_bytes();
            ternary_secret_bytes(KeyFile { object_type, digest, parameters }, self.secret())
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key, or it is of insecure parameters where those are not
        /// allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let read = |bytes: &[u8]| Parameters::from_bytes(bytes, options);
            let object_type = ObjectType::VectorSecretKey;
            let (parameters, reader) = open_with_parameters(
                bytes,
                object_type,
                MAX_SECRET_KEY_BYTES,
                read,
                Parameters::digest,
            )?;
            let secret = read_ternary_secret(reader, parameters.literal().ring_degree)?;
            Ok(Self::from_secret(parameters, secret))
        }

        /// Generates an evaluation key and writes it, one switching key at a time: parameters and key set, the key
        /// identifier, then seed and words of every switching key. Progress counts switching keys.
        ///
        /// # Errors
        /// If the parameters do not have what is asked for, writing fails, or [`Error::Cancelled`].
        ///
        /// # Panics
        /// Never: validated parameters have finite numbers only.
        pub fn write_evaluation_key(
            &self,
            keys: &KeySet,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let parameters = self.parameters().literal().clone();
            let keyed = KeyedParameters { parameters, keys: keys.clone() };
            let (object_type, digest) =
                (ObjectType::VectorEvaluationKey, self.parameters().digest());
            let parameters = &serde_json::to_vec(&keyed).expect("a literal serialises");
            let file = KeyFile { object_type, digest, parameters };
            let requests = keys.requests(self.parameters())?;
            let moduli = self.parameters().moduli();
            let shapes = (&requests[..], &moduli);
            write_evaluation_key(out, file, self.key_id(), shapes, |write| {
                self.generate_stored_keys(&requests, progress, write)
            })
        }
    }
}

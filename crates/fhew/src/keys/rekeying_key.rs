//! Rekeying: turns results of one client into those of another, with one ring element that the owner encrypts for them.
//!
//! An LWE ciphertext (a, b) modulo 2^20 has the phase `b + ⟨a, s⟩`, where `⟨a, s⟩` is the constant coefficient of `a'·s'` for
//! the polynomials `s' = Σ s_i·X^i` and `a' = a_0 - Σ a_i·X^(N-i)`. The owner encrypts `2^(k-20)·s'` modulo 2^k with the new
//! owner's public key. `a'` times that ciphertext, plus `2^(k-20)·b`, has the phase `2^(k-20)·(b + ⟨a, s⟩)` in its constant
//! coefficient: an LWE ciphertext under the new owner's ring secret, like one encrypted with the public key.
//!
//! This is key switching without a gadget (Brakerski, Vaikuntanathan, FOCS 2011; in rings): words of 20 bits are small
//! compared with 2^k, which is near 2^50.
//!
//! Shapes: LWE ciphertexts of dimension n <= N in, of dimension N modulo 2^k out. The key is one RLWE ciphertext of degree N,
//! stored as a list of N LWE ciphertexts. Each ciphertext needs 6 transforms of degree N.
//!
//! Noise, as a fraction of the modulus squared: `(1 + n·E[s²])/12·2^-40` for the switch to 2^20, which adds none for moduli
//! that divide 2^20, and `2·n·σ²/12·2^(40-2k)`, where σ² = [`Owners::public_error_variance`] is the variance of a coefficient
//! of the key's error. The factor 2 bounds the norm of that error relative to its mean. It costs nothing: at degree 2,048
//! this term is 2^-8 of the other. Given the keys, both are sums of n or N symmetric bounded terms, so a Gaussian of the same
//! variance bounds the tail.

use cryptable_lattice::lwe::{LweCiphertext, modulus_switch_variance};
#[cfg(feature = "client")]
use cryptable_lattice::lwe_encryption::weighted_coefficient;
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::lwe_masks::MaskKind;
use cryptable_lattice::power_of_two_product::Factor;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Binding, Handover, NoiseLaw, Owners, ReadOptions, Result};
use cryptable_wire::{ObjectType, object_bytes};
use rayon::prelude::*;
#[cfg(feature = "client")]
use zeroize::Zeroizing;

use crate::keys::server_key::BootstrappingParameters;
#[cfg(feature = "client")]
use crate::keys::{ClientKey, PublicKey, PublicParameters, SecretKey};

/// Longest body of a key for a new owner, 1 MiB.
const MAX_REKEYING_KEY_BYTES: u64 = 1 << 20;

/// log2 of the modulus of ciphertexts that are multiplied by the key.
const LOG2_SOURCE: u32 = 20;

/// Parameters of a face whose results can be handed over to a new owner.
pub trait RekeyingParameters: BootstrappingParameters {
    /// Type of the files of keys for a new owner.
    const REKEYING_KEY: ObjectType;

    /// Returns the shape of the LWE ciphertexts that results consist of, and the distribution of their secret.
    fn results(&self) -> (LweShape, SecretDistribution);

    /// Returns the secret of results.
    #[cfg(feature = "client")]
    fn secret_of_results(secret: &SecretKey) -> &[i8];
}

/// A key with which a server turns results of one client into those of another, without decrypting them.
///
/// The key is made from the owner's secret and the new owner's public key, which must have the same parameters. It is one
/// ring element of two halves, little more than `N·k/4` bytes at ring degree N modulo 2^k, and works in one direction.
/// Anyone who has it and the new owner's secret can decrypt every result of the owner.
#[derive(Debug)]
pub struct RekeyingKey<P> {
    parameters: P,
    handover: Handover,
    /// Encryption of `2^(k-20)·s'`, as LWE ciphertexts of its coefficients.
    encrypted_secret: LweList,
    /// Words of the mask of `encrypted_secret`.
    mask: Factor,
}

#[cfg(feature = "client")]
impl<P: PublicParameters + RekeyingParameters> ClientKey<P> {
    /// Generates a key with which a server turns this client's results into those of the holder of another secret key. Every
    /// call draws a new key; all of them work.
    ///
    /// # Errors
    /// Same as [`Handover::between`].
    pub fn rekey_to(&self, new_owner: &PublicKey<P>) -> Result<RekeyingKey<P>> {
        let parameters = self.parameters().clone();
        let handover = Handover::between(self.binding(), new_owner.binding())?;
        let LweShape { dimension, modulus } = parameters.fhew().public_shape();
        let weight = modulus >> LOG2_SOURCE;
        let secret = P::secret_of_results(self.fhew());
        let mut phases = Zeroizing::new(vec![0; dimension]);
        for (phase, &coefficient) in phases.iter_mut().zip(secret) {
            *phase = weighted_coefficient(coefficient, weight, modulus);
        }
        let encrypted_secret = new_owner.encrypt_phases(&phases);
        Ok(RekeyingKey::new(parameters, handover, encrypted_secret))
    }
}

impl<P: RekeyingParameters> RekeyingKey<P> {
    fn new(parameters: P, handover: Handover, encrypted_secret: LweList) -> Self {
        let bits = parameters.fhew().public_shape().modulus.ilog2();
        // The mask of the last coefficient's ciphertext contains all words of the ring element, from the last to the first.
        let mut words = encrypted_secret.ciphertext(encrypted_secret.len() - 1).mask().to_vec();
        words.reverse();
        let mask = Factor::new(&words, bits, LOG2_SOURCE);
        Self { parameters, handover, encrypted_secret, mask }
    }

    /// Returns the parameters of both clients.
    #[must_use]
    pub fn parameters(&self) -> &P {
        &self.parameters
    }

    /// Returns the binding of the results that the key accepts: the owner's.
    #[must_use]
    pub fn owner(&self) -> &Binding {
        &self.handover.owner
    }

    /// Returns the binding of the ciphertexts that the key produces: the new owner's.
    #[must_use]
    pub fn new_owner(&self) -> &Binding {
        &self.handover.new_owner
    }

    /// Returns the law of the noise that the key adds to every LWE ciphertext.
    #[must_use]
    pub fn noise(&self) -> NoiseLaw {
        let LweShape { dimension, modulus } = self.parameters.fhew().public_shape();
        let (shape, secret) = self.parameters.results();
        let units = (-2.0 * f64::from(LOG2_SOURCE)).exp2();
        let rounding = if (1u64 << LOG2_SOURCE).is_multiple_of(shape.modulus) {
            0.0
        } else {
            modulus_switch_variance(shape.dimension, secret) * units
        };
        let error = Owners::ONE.public_error_variance(dimension) / (modulus as f64).powi(2);
        NoiseLaw::gaussian(rounding + 2.0 * shape.dimension as f64 * error / (12.0 * units))
    }

    /// Turns LWE ciphertexts of results into those of the new owner, with the shape
    /// [`crate::parameters::Parameters::public_shape`], on all threads.
    ///
    /// # Errors
    /// If the ciphertexts do not have the shape of results.
    pub fn switch(&self, results: &LweList) -> Result<LweList> {
        let (shape, secret) = self.parameters.results();
        results.check(shape)?;
        let target = self.parameters.fhew().public_shape();
        let small = results.modulus_switch(1 << LOG2_SOURCE, secret);
        let switch = |index| self.switch_one(&small.ciphertext(index), target);
        let switched: Vec<LweCiphertext> = (0..small.len()).into_par_iter().map(switch).collect();
        LweList::computed(target, switched)
    }

    /// Turns one ciphertext modulo 2^20 into one under the new owner's ring secret.
    fn switch_one(&self, ciphertext: &LweCiphertext, target: LweShape) -> LweCiphertext {
        let (mask, body) = (ciphertext.mask(), ciphertext.body());
        let LweShape { dimension, modulus } = target;
        let center = |word: u64| {
            let half = 1i64 << (LOG2_SOURCE - 1);
            (word as i64 + half) % (2 * half) - half
        };
        let mut small = vec![0i64; dimension];
        small[0] = center(mask[0]);
        for (i, &word) in mask.iter().enumerate().skip(1) {
            small[dimension - i] = -center(word);
        }
        let product = self.mask.times(&small);
        // The constant coefficient of a product with s' is a_0 s'_0 - Σ a_(N-i) s'_i.
        let negated = |&word: &u64| word.wrapping_neg() % modulus;
        let mut words = vec![product[0]];
        words.extend(product[1..].iter().rev().map(negated));
        let bodies = self.encrypted_secret.bodies().iter();
        let terms = mask.iter().zip(bodies).map(|(&a, &b)| (center(a) as u64).wrapping_mul(b));
        let sum = terms.fold(0, u64::wrapping_add);
        let scaled = body * (modulus >> LOG2_SOURCE);
        words.push(sum.wrapping_add(scaled) % modulus);
        LweCiphertext::from_words(words, modulus)
    }

    /// Returns the key in its wire format: parameters, the identifiers of the owner and the new owner, and the words of both
    /// halves.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        object_bytes(P::REKEYING_KEY, &self.handover.owner.parameter_digest, |writer| {
            writer.bytes(&self.parameters.to_bytes())?;
            self.handover.write(writer)?;
            self.encrypted_secret.write_words(writer)
        })
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged rekeying key of this kind, or its parameters are insecure and the options
    /// do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, mut reader) =
            P::open(bytes, P::REKEYING_KEY, MAX_REKEYING_KEY_BYTES, options)?;
        let handover = Handover::read(&mut reader, parameters.digest())?;
        let shape = parameters.fhew().public_shape();
        let words = LweList::read_words(&mut reader, shape, shape.dimension, MaskKind::Ring)?;
        reader.finish()?;
        Ok(Self::new(parameters, handover, words))
    }
}

//! The public key for engines that compute in one ring (Lyubashevsky, Peikert, Regev, EUROCRYPT 2010).
//!
//! A public key is an encryption of zero, `(b, a)` with `b + a·s = e` modulo `Q·P` and `X^N + 1`, where a is expanded from a
//! seed. A message polynomial m is encrypted as `(b·v + e_0 + m, a·v + e_1)` with a fresh ternary v and fresh errors, so that
//! its phase is `m + e·v + e_0 + e_1·s`. Both halves look uniform to anyone without s if RLWE with ternary secrets is hard at
//! this degree and modulus: first for the key, whose secret is s, then for ciphertexts, whose secret is v.
//!
//! Fresh ciphertexts are divided by P, which replaces the error by a rounding error: at degree 65,536 it is 2^4 times
//! smaller. The messages of rekeying keys are `P·s'`, which a key switch divides by P.
//!
//! Shapes: Q is the product of the primes of fresh ciphertexts, and P is one special prime. A key consists of the words
//! of b and the seed of a. NTTs per ciphertext: 3 forward and, to divide by P, 2 inverse ones per prime.
//!
//! Noise of a coefficient modulo Q·P: `2·(2/3)·10.5·N + 10.5`, as
//! [`Owners::public_error_variance`](crate::Owners::public_error_variance) bounds it for every key.

use std::sync::Arc;

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{Coefficients, Evaluations, Poly, Ring, RingModuli};
use cryptable_wire::{KeyId, ObjectType, object_bytes};
use zeroize::Zeroizing;

use crate::binding::Binding;
use crate::error::Result;
use crate::key_switching::add_times_special;
use crate::public_key_error::{bounded_error, check_norm};
use crate::ring_secret_key::{RingSecretKey, RingSecretParameters};
use crate::secret::{TernarySecret, small_evaluations};
use crate::switching_key::RlweCiphertext;
use crate::trust::ReadOptions;

/// The longest body of a public key, 64 MiB.
const MAX_PUBLIC_KEY_BYTES: u64 = 64 << 20;

/// Parameters of an engine whose client has public keys.
pub trait RingPublicParameters: RingSecretParameters {
    /// The type of the files of public keys.
    const PUBLIC_KEY: ObjectType;

    /// Returns the moduli of public keys: primes of the chain, and one special prime.
    fn public_moduli(&self) -> RingModuli;
}

/// The public key of one client: anyone who has it can encrypt, but only the secret key decrypts.
#[derive(Clone, Debug)]
pub struct RingPublicKey<P> {
    parameters: P,
    binding: Binding,
    ring: Arc<Ring>,
    seed: Seed,
    /// An encryption of zero modulo Q·P.
    zero: RlweCiphertext,
}

impl<P: RingPublicParameters> RingSecretKey<P> {
    /// Generates a public key for this secret key. Every call draws another one; ciphertexts of all of them belong to
    /// this secret key.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] if the secret's norm exceeds the bound on noise, with a probability below 2^-80.
    pub fn public_key(&self) -> Result<RingPublicKey<P>> {
        check_norm(self.secret().coefficients())?;
        let parameters = self.parameters().clone();
        let ring = Arc::new(Ring::of(parameters.public_moduli()));
        let seed = Seed::random();
        let error = bounded_error(ring.degree(), &mut RandomStream::from_os());
        let zero = public_key_rows(&ring, &seed, self.secret(), &error);
        Ok(RingPublicKey { parameters, binding: *self.binding(), ring, seed, zero })
    }
}

/// Returns the encryption of zero that makes up a public key: with the mask of a seed, under a secret and with this
/// error.
pub(crate) fn public_key_rows(
    ring: &Ring,
    seed: &Seed,
    secret: &TernarySecret,
    error: &[i8],
) -> RlweCiphertext {
    let (basis, c1) = (ring.full_basis(), expand(ring, seed));
    // Computed in place: the error minus the product of mask and secret is public, but neither of the two is.
    let mut c0 = c1.clone();
    c0.mul_assign(ring, &secret.evaluations(ring, basis));
    c0.neg_assign(ring);
    c0.add_assign(ring, &small_evaluations(ring, basis, error));
    RlweCiphertext { c0, c1 }
}

/// Expands the mask of a key: one stream of its seed per prime.
fn expand(ring: &Ring, seed: &Seed) -> Poly<Evaluations> {
    let basis = ring.full_basis();
    let mut mask = Poly::unspecified(ring, basis);
    for (limb, words) in mask.words_mut().chunks_mut(ring.degree()).enumerate() {
        let prime = ring.prime_index(basis, limb);
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, prime as u64)
            .uniform_assign(words, ring.modulus(prime).value());
    }
    mask
}

impl<P: RingPublicParameters> RingPublicKey<P> {
    crate::bound_key!(P, id);

    /// Returns the key with a body b and the seed of its mask.
    pub(crate) fn of_body(
        parameters: P,
        key_id: KeyId,
        ring: Arc<Ring>,
        seed: Seed,
        c0: Poly<Evaluations>,
    ) -> Self {
        let zero = RlweCiphertext { c0, c1: expand(&ring, &seed) };
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Self { parameters, binding, ring, seed, zero }
    }

    /// Returns the ring of the key: primes of the chain, and one special prime.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// Encrypts zero modulo Q, with a mask of its own.
    #[must_use]
    pub fn encrypt_zero(&self) -> RlweCiphertext {
        self.fresh_zero().divide_round(&self.ring, 0)
    }

    /// Encrypts small coefficients modulo Q, which may be secret.
    ///
    /// # Panics
    /// If there are not N coefficients.
    #[must_use]
    pub fn encrypt(&self, coefficients: &[i64]) -> RlweCiphertext {
        self.encrypt_at(coefficients, self.ring.full_basis().main)
    }

    /// Encrypts small coefficients modulo the first `main` primes, which may be secret.
    ///
    /// # Panics
    /// If there are not N coefficients, or if there are fewer primes.
    #[must_use]
    pub fn encrypt_at(&self, coefficients: &[i64], main: usize) -> RlweCiphertext {
        let ring = &self.ring;
        let message = Poly::<Coefficients>::from_signed(ring, ring.main_basis(main), coefficients);
        let message = Zeroizing::new(message.into_secret_evaluations(ring));
        let mut ciphertext = self.encrypt_zero();
        ciphertext.c0.drop_to(ring, main);
        ciphertext.c1.drop_to(ring, main);
        ciphertext.c0.add_assign(ring, &message);
        ciphertext
    }

    /// Encrypts `P·message` modulo Q·P, for a small secret message, as a factor of a key switch.
    ///
    /// # Panics
    /// If the message has another degree.
    #[must_use]
    pub fn encrypt_times_special(&self, message: &[i8]) -> RlweCiphertext {
        let ring = &self.ring;
        let message = small_evaluations(ring, ring.full_basis().without_special(), message);
        let mut ciphertext = self.fresh_zero();
        add_times_special(ring, &mut ciphertext.c0, &message);
        ciphertext
    }

    /// Returns `(b·v + e_0, a·v + e_1)` with a fresh v and fresh errors.
    fn fresh_zero(&self) -> RlweCiphertext {
        let (ring, degree, basis) = (&self.ring, self.ring.degree(), self.ring.full_basis());
        let mut stream = RandomStream::from_os();
        let ephemeral = small_evaluations(ring, basis, &stream.uniform_ternary(degree));
        let [c0, c1] = [&self.zero.c0, &self.zero.c1].map(|half| {
            let mut masked = half.clone();
            masked.mul_assign(ring, &ephemeral);
            let error = stream.centered_binomial(degree);
            masked.add_assign(ring, &small_evaluations(ring, basis, &error));
            masked
        });
        RlweCiphertext { c0, c1 }
    }

    /// Returns the key in its wire format: parameters, the identifier of the secret key, the words of b, and the seed of a.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        object_bytes(P::PUBLIC_KEY, &self.binding.parameter_digest, |writer| {
            writer.bytes(&self.parameters.to_bytes())?;
            writer.raw(&self.id().0)?;
            let moduli = self.ring.moduli();
            let limbs = moduli.limb_values(moduli.full_basis());
            writer.packed_limbs(self.zero.c0.words(), &limbs)?;
            writer.raw(self.seed.as_bytes())
        })
    }

    /// Reads a public key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged public key, or if its parameters are insecure and that is not
    /// allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, mut reader) =
            P::open(bytes, P::PUBLIC_KEY, MAX_PUBLIC_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("key identifier")?);
        // Words are read before the ring is built, since its tables are larger than the key: truncated keys are refused
        // early.
        let moduli = parameters.public_moduli();
        let name = "words of a public key";
        let limbs = moduli.limb_values(moduli.full_basis());
        let words = reader.packed_limbs(name, moduli.degree(), &limbs)?;
        let seed = Seed::from_bytes(reader.array("seed of a public key")?);
        reader.finish()?;
        let ring = Arc::new(Ring::of(moduli));
        let c0 = Poly::from_words(&ring, ring.full_basis(), words);
        Ok(Self::of_body(parameters, key_id, ring, seed, c0))
    }
}

//! The key that shortens the masks of results before they are sent to the client, who only decrypts them.
//!
//! A result `(b, a)` of degree N has N words of a, and decryption needs more bits of them than of the words of b. With
//! m = N/n, write `a = Σ_j X^j·a_j(X^m)`. The key has, for each j below m, an encryption of `p_0·X^j·s` under a second
//! secret t whose mask is a polynomial in X^m as well:
//!
//! `B_j = -A_j(X^m)·t + e_j + p_0·X^j·s` modulo `q_0·p_0`.
//!
//! Hence `(b + Σ a_j(X^m)·B_j/p_0, Σ a_j(X^m)·A_j/p_0)` has the same phase under t, and a mask of n words. This is a
//! key switch of m digits (Han, Ki, CT-RSA 2020) to a form that Peikert, Vaikuntanathan and Waters (CRYPTO 2008) use
//! for LWE: several bodies, each under a secret of its own, share a mask.
//!
//! Security: with `t = Σ_i X^i·t_i(X^m)`, row i of `B_j` is an RLWE sample of degree n under `t_i`, and all t_i are
//! independent uniform ternary polynomials. By a hybrid argument over i, all rows look uniform if RLWE with ternary
//! secrets is hard at degree n and modulus `q_0·p_0`, for m samples of each secret. The client derives t from its
//! secret by BLAKE3 and ChaCha20, in a domain of its own, so that any such key of the client can be used, and no
//! further file is needed. No key encrypts t, and s is encrypted under t alone: no assumption of circular security is
//! added.
//!
//! The noise of a coefficient, in units of q_0, has two parts: the rounding of the division, `(1 + |t_i|²)/12`, and the
//! errors of the key, `1.25·N·σ²·q_0²/(12·p_0²)` for words of a that are uniform below q_0. For fixed keys, both are
//! sums of bounded symmetric terms. The squared norm of every t_i is at most 1.25 times its mean: t is derived again
//! beyond that, which at degree 1,024 happens to fewer than one in 2^80. The same bound holds for the N errors that
//! meet in a coefficient, except for fewer than one key in 2^80 from N = 1,024 on.

use std::io;

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{Basis, Coefficients, Evaluations, Poly, Ring, RingModuli, kernels};
use cryptable_wire::{BodyReader, BodyWriter, packed_field_bytes};

use crate::ERROR_VARIANCE;
use crate::error::Result;
use crate::key_switching::add_times_special;
use crate::owners::{NORM_SLACK, Owners};
use crate::switching_key::RlweCiphertext;

/// The domain in which the second secret is derived.
#[cfg(feature = "client")]
const RESULT_SECRET: &str = "cryptable: the secret that short masks of results are under";

/// The moduli of a [`ResultKey`], and the length of its masks.
#[derive(Clone, Debug)]
pub struct ResultKeyShape {
    /// q_0 and p_0, at ring degree N.
    pub moduli: RingModuli,
    /// Words n per mask, a power of two below N.
    pub mask_words: usize,
}

impl ResultKeyShape {
    /// Returns m, the number of encryptions.
    fn parts(&self) -> usize {
        self.moduli.degree() / self.mask_words
    }

    /// Returns the number of bytes of the key in a file.
    #[must_use]
    pub fn stored_bytes(&self) -> usize {
        let (degree, moduli) = (self.moduli.degree(), self.moduli.values());
        let part: u64 = moduli.iter().map(|&q| packed_field_bytes(degree, q)).sum();
        Seed::BYTES + self.parts() * part as usize
    }

    /// Returns the number of bytes of the key in memory, without masks, which are expanded on use.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.parts() * self.moduli.degree() * self.moduli.values().len() * size_of::<u64>()
    }

    /// Returns the variance that a switch adds to a phase, as a fraction of the squared modulus, for these q_0 and p_0.
    #[must_use]
    pub fn noise_variance(&self, [bottom, special]: [f64; 2]) -> f64 {
        let errors = NORM_SLACK * self.moduli.degree() as f64 * ERROR_VARIANCE;
        let of_key = errors / (12.0 * special * special);
        rounding_variance(self.mask_words) / (bottom * bottom) + of_key
    }
}

/// Returns the variance that rounding a short mask and its body adds to a phase, in units: `(1 + 1.25·n·2/3)/12`.
#[must_use]
pub fn rounding_variance(mask_words: usize) -> f64 {
    Owners::ONE.rounding_variance(mask_words)
}

/// A client's key that shortens the masks of results. Holds no secret.
#[derive(Debug)]
pub struct ResultKey {
    ring: Ring,
    mask_words: usize,
    seed: Seed,
    /// `B_j`, modulo q_0 and p_0.
    bodies: Vec<Poly<Evaluations>>,
}

impl ResultKey {
    /// Returns n, the number of words of the resulting masks.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        self.mask_words
    }

    /// Returns the ring of q_0 and p_0.
    #[must_use]
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Returns the memory of the key in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bodies.iter().map(|body| size_of_val(body.words())).sum()
    }

    /// Switches a ciphertext modulo q_0, in the ring of this key, to one whose mask has words at multiples of N/n and
    /// zeros elsewhere.
    #[must_use]
    pub fn switch(&self, bottom: RlweCiphertext) -> RlweCiphertext {
        let (ring, basis) = (&self.ring, self.ring.full_basis());
        let words = bottom.c1.into_coefficients(ring).into_words();
        let zero =
            || Poly::<Evaluations>::from_words(ring, basis, vec![0; basis.limbs() * ring.degree()]);
        let mut sum = RlweCiphertext { c0: zero(), c1: zero() };
        for (j, body) in self.bodies.iter().enumerate() {
            let part = self.part(&words, j);
            let mut product = part.clone();
            product.mul_assign(ring, body);
            sum.c0.add_assign(ring, &product);
            let mut product = expanded_mask(ring, self.mask_words, &self.seed, j);
            product.mul_assign(ring, &part);
            sum.c1.add_assign(ring, &product);
        }
        add_times_special(ring, &mut sum.c0, &bottom.c0);
        sum.divide_round(ring, 0)
    }

    /// Returns `a_j(X^m)` for the words of a modulo q_0, centred, modulo both primes.
    fn part(&self, words: &[u64], j: usize) -> Poly<Evaluations> {
        let (ring, gap) = (&self.ring, self.ring.degree() / self.mask_words);
        let mut part = vec![0; ring.degree()];
        for (to, from) in part.iter_mut().step_by(gap).zip(words.iter().skip(j).step_by(gap)) {
            *to = *from;
        }
        let mut lifted = Poly::<Coefficients>::unspecified(ring, ring.full_basis());
        lifted.for_each_limb(ring, |m, words| {
            kernels::lift_centered(m, words, &part, ring.modulus(0));
        });
        lifted.into_evaluations(ring)
    }

    /// Writes the key: the seed of its masks, followed by the words of all bodies.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write<W: io::Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.raw(self.seed.as_bytes())?;
        let moduli = self.ring.moduli().values();
        self.bodies.iter().try_for_each(|body| writer.packed_limbs(body.words(), moduli))
    }

    /// Reads a key of this shape.
    ///
    /// # Errors
    /// If bytes are missing, or a word is not below its prime.
    pub fn read(reader: &mut BodyReader<'_>, shape: ResultKeyShape) -> Result<Self> {
        let seed = Seed::from_bytes(reader.array("seed of a key for short masks")?);
        let (moduli, degree) = (shape.moduli.values(), shape.moduli.degree());
        let words = (0..shape.parts())
            .map(|_| reader.packed_limbs("words of a key for short masks", degree, moduli))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mask_words = shape.mask_words;
        let ring = Ring::of(shape.moduli);
        let body = |words| Poly::from_words(&ring, ring.full_basis(), words);
        let bodies = words.into_iter().map(body).collect();
        Ok(Self { ring, mask_words, seed, bodies })
    }
}

/// Expands `A_j(X^m)`: n uniform words modulo every prime, from one stream of the seed for each j and prime.
fn expanded_mask(ring: &Ring, mask_words: usize, seed: &Seed, j: usize) -> Poly<Evaluations> {
    let (basis, gap): (Basis, _) = (ring.full_basis(), ring.degree() / mask_words);
    let mut mask = Poly::<Coefficients>::unspecified(ring, basis);
    for (limb, words) in mask.words_mut().chunks_mut(ring.degree()).enumerate() {
        let prime = ring.prime_index(basis, limb);
        let mut short = vec![0; mask_words];
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, (j as u64) << 32 | prime as u64)
            .uniform_assign(&mut short, ring.modulus(prime).value());
        words.fill(0);
        words.iter_mut().step_by(gap).zip(&short).for_each(|(to, &word)| *to = word);
    }
    mask.into_evaluations(ring)
}

#[cfg(feature = "client")]
pub use client::result_secret;

#[cfg(feature = "client")]
mod client {
    use cryptable_ring::clear_stack;
    use cryptable_ring::random::SecretSeed;
    use cryptable_wire::pack_ternary;
    use zeroize::Zeroizing;

    use super::*;
    use crate::secret::{TernarySecret, small_evaluations};

    impl ResultKey {
        /// Generates a key of a shape for a client's secret. Every call draws another key.
        #[must_use]
        pub fn generate(shape: ResultKeyShape, secret: &TernarySecret) -> Self {
            let (parts, mask_words) = (shape.parts(), shape.mask_words);
            let (ring, seed) = (Ring::of(shape.moduli), Seed::random());
            let basis = ring.full_basis();
            let target = result_secret(secret, mask_words).evaluations(&ring, basis);
            let mut stream = RandomStream::from_os();
            let body = |j: usize| {
                // Computed in place: the error minus the product of mask and secret is public, but neither of the two
                // is.
                let mut body = expanded_mask(&ring, mask_words, &seed, j);
                body.mul_assign(&ring, &target);
                body.neg_assign(&ring);
                let error = stream.centered_binomial(ring.degree());
                body.add_assign(&ring, &small_evaluations(&ring, basis, &error));
                let shifted = times_power(secret, j);
                let shifted = small_evaluations(&ring, basis.without_special(), &shifted);
                add_times_special(&ring, &mut body, &shifted);
                body
            };
            let bodies = (0..parts).map(body).collect();
            Self { ring, mask_words, seed, bodies }
        }
    }

    /// Returns the coefficients of `X^j·s`.
    fn times_power(secret: &TernarySecret, j: usize) -> Zeroizing<Vec<i8>> {
        let (low, high) = secret.coefficients().split_at(secret.coefficients().len() - j);
        let mut shifted = Zeroizing::new(Vec::with_capacity(low.len() + high.len()));
        shifted.extend(high.iter().map(|&c| -c));
        shifted.extend_from_slice(low);
        shifted
    }

    /// Derives the secret that masks of `mask_words` words are under: a uniform ternary polynomial, every part of which
    /// (see [`ResultKeyShape`]) satisfies the bound on norms that the noise bound assumes.
    #[must_use]
    pub fn result_secret(secret: &TernarySecret, mask_words: usize) -> TernarySecret {
        let degree = secret.coefficients().len();
        let seed = derived_seed(secret, mask_words);
        let gap = degree / mask_words;
        let limit = NORM_SLACK * Owners::ONE.secret_variance() * mask_words as f64;
        let is_bounded = |coefficients: &[i8]| {
            (0..gap).all(|i| {
                let squares = coefficients.iter().skip(i).step_by(gap).map(|&c| u32::from(c != 0));
                f64::from(squares.sum::<u32>()) <= limit
            })
        };
        let mut stream = RandomStream::new(seed.as_bytes(), StreamPurpose::Secret, 0);
        loop {
            let coefficients = stream.uniform_ternary(degree);
            if is_bounded(&coefficients) {
                let secret = TernarySecret::from_coefficients(coefficients);
                return secret.expect("ternary coefficients");
            }
        }
    }

    #[inline(never)]
    fn derived_seed(secret: &TernarySecret, mask_words: usize) -> SecretSeed {
        let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(RESULT_SECRET));
        hasher.update(&pack_ternary(secret.coefficients()));
        hasher.update(&(mask_words as u64).to_le_bytes());
        let hash = Zeroizing::new(*hasher.finalize().as_bytes());
        let seed = SecretSeed::from_bytes(&hash);
        drop((hasher, hash));
        clear_stack();
        seed
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use cryptable_ring::Chain;
    use cryptable_ring::primes::ntt_primes;

    use super::*;
    use crate::secret::TernarySecret;

    fn shape(degree: usize, mask_words: usize) -> ResultKeyShape {
        let primes = ntt_primes(degree, 45.0, 2, &[]);
        let moduli = RingModuli::new(degree, vec![Chain::new(&primes[..1])], &primes[1..]);
        ResultKeyShape { moduli, mask_words }
    }

    /// Returns `c0 + c1·s` as centred coefficients.
    fn phases(ring: &Ring, ciphertext: &RlweCiphertext, secret: &TernarySecret) -> Vec<i64> {
        let basis = ciphertext.c0.basis();
        let mut phase = ciphertext.c1.clone();
        phase.mul_assign(ring, &secret.evaluations(ring, basis));
        phase.add_assign(ring, &ciphertext.c0);
        let q = ring.modulus(0).value() as i64;
        let centred = |&x: &u64| if x as i64 > q / 2 { x as i64 - q } else { x as i64 };
        phase.into_coefficients(ring).words().iter().map(centred).collect()
    }

    /// Checks that phases do not change except for noise of the stated variance, and that masks have words only at
    /// multiples of N/n.
    #[test]
    fn phases_stay_under_the_second_secret_and_masks_are_short() {
        let (degree, mask_words) = (1024, 128);
        let (shape, secret) = (shape(degree, mask_words), TernarySecret::uniform(degree));
        let key = ResultKey::generate(shape.clone(), &secret);
        let ring = key.ring();
        let target = result_secret(&secret, mask_words);
        assert_eq!(target.coefficients(), result_secret(&secret, mask_words).coefficients());
        assert_ne!(target.coefficients(), result_secret(&secret, 64).coefficients());
        let primes = [0, 1].map(|prime| ring.modulus(prime).value() as f64);
        let stated = shape.noise_variance(primes) * primes[0] * primes[0];
        let (mut squares, mut count) = (0.0, 0.0);
        for _ in 0..10 {
            let main = ring.main_basis(1);
            let uniform = || {
                let mut words = vec![0; degree];
                RandomStream::from_os().uniform_assign(&mut words, ring.modulus(0).value());
                Poly::<Coefficients>::from_words(ring, main, words).into_evaluations(ring)
            };
            let bottom = RlweCiphertext { c0: uniform(), c1: uniform() };
            let before = phases(ring, &bottom, &secret);
            let switched = key.switch(bottom);
            let mask = switched.c1.clone().into_coefficients(ring);
            let is_short = |(i, &word): (usize, &u64)| i % (degree / mask_words) == 0 || word == 0;
            assert!(mask.words().iter().enumerate().all(is_short));
            let q = ring.modulus(0).value() as i64;
            for (x, y) in before.iter().zip(phases(ring, &switched, &target)) {
                let error = (x - y + q / 2).rem_euclid(q) - q / 2;
                squares += (error as f64).powi(2);
                count += 1.0;
            }
        }
        // The stated variance is for the largest norms, which are 1.25 times their means.
        let ratio = squares / count / stated;
        assert!((0.7..1.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn keys_are_read_as_written() {
        let shape = shape(256, 64);
        let key = ResultKey::generate(shape.clone(), &TernarySecret::uniform(256));
        let mut writer = BodyWriter::new(Vec::new());
        key.write(&mut writer).unwrap();
        let bytes = writer.into_inner();
        assert_eq!(bytes.len(), shape.stored_bytes());
        assert_eq!(key.memory_bytes(), shape.memory_bytes());
        let read = ResultKey::read(&mut BodyReader::new(&bytes), shape.clone()).unwrap();
        let words =
            |key: &ResultKey| key.bodies.iter().map(|b| b.words().to_vec()).collect::<Vec<_>>();
        assert_eq!((words(&read), &read.seed), (words(&key), &key.seed));
        assert!(ResultKey::read(&mut BodyReader::new(&bytes[..bytes.len() - 1]), shape).is_err());
    }
}

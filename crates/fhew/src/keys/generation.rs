//! Generation of the server's keys from the client's secrets.

use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::lwe_encryption::{lwe_body_with, weighted_coefficient};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use cryptable_ring::{clear_stack, kernels, reserved};
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::keys::evaluation_key::SeededEvaluationKey;
use crate::keys::secret_key::SecretKey;
use crate::packing::trace::exponents;
use crate::parameters::{Parameters, RotationMethod};
use crate::rotation::cmux::cmux_rgsw_count;
use crate::seeded_rows::{RowDomain, SeededRows};
use crate::switching::lwe_key_switching::SeededKeySwitchingKey;

/// Encrypts rows of keys under the secret of a ring: masks expanded from a seed, errors of variance 10.5.
pub struct RowEncryptor<'a> {
    pub(crate) ring: &'a PrimeRing,
    pub(crate) seed: &'a Seed,
    errors: SecretSeed,
    /// The ring secret's coefficients modulo Q.
    pub(crate) secret: Zeroizing<Vec<u64>>,
    evaluations: Zeroizing<Vec<u64>>,
}

impl std::fmt::Debug for RowEncryptor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RowEncryptor(degree {}, redacted)", self.ring.degree())
    }
}

impl<'a> RowEncryptor<'a> {
    pub(crate) fn new(key: &'a SecretKey, seed: &'a Seed) -> Self {
        Self::under(key.parameters().ring(), key.ring_coefficients(), seed)
    }

    /// Returns an encryptor under a secret of a ring, with masks from this seed.
    ///
    /// # Panics
    /// If the operating system provides no randomness, or the number of coefficients is not N.
    #[must_use]
    pub fn under(ring: &'a PrimeRing, coefficients: &[i8], seed: &'a Seed) -> Self {
        let residue = |&c: &i8| ring.modulus().reduce_i64(c.into());
        let secret: Zeroizing<Vec<u64>> =
            Zeroizing::new(coefficients.iter().map(residue).collect());
        let mut evaluations = secret.clone();
        ring.forward_assign(&mut evaluations);
        // The transform may have spilled registers to the stack.
        clear_stack();
        Self { ring, seed, errors: SecretSeed::random(), secret, evaluations }
    }

    /// Returns the product of a polynomial with the secret.
    pub(crate) fn times_secret(&self, polynomial: &[u64]) -> Zeroizing<Vec<u64>> {
        let mut product = Zeroizing::new(polynomial.to_vec());
        self.ring.forward_assign(&mut product);
        kernels::mul_assign(self.ring.modulus(), &mut product, &self.evaluations);
        self.ring.inverse_assign(&mut product);
        product
    }

    /// Encrypts `count` rows; `message(row, out)` writes the row's phase, coefficients modulo Q, over zeros.
    #[must_use]
    pub fn rows(
        &self,
        domain: RowDomain,
        count: usize,
        message: impl Fn(usize, &mut [u64]) + Sync,
    ) -> SeededRows {
        let n = self.ring.degree();
        let m = self.ring.modulus();
        let mut bodies = reserved(count * n);
        bodies.resize(count * n, 0);
        bodies.par_chunks_exact_mut(n).enumerate().for_each(|(row, body)| {
            message(row, body);
            let mut mask = vec![0; n];
            domain.mask_stream(self.seed, row).uniform_assign(&mut mask, m.value());
            kernels::sub_assign(m, body, &self.times_secret(&mask));
            let index = (domain as u64) << 40 | row as u64;
            let mut stream = RandomStream::new(self.errors.as_bytes(), StreamPurpose::Error, index);
            for (word, &error) in body.iter_mut().zip(stream.centered_binomial(n).iter()) {
                *word = m.add(*word, m.reduce_i64(error.into()));
            }
            // Kernels spill parts of the secret to the stack, on every thread that encrypts a row.
            clear_stack();
        });
        SeededRows::new(domain, bodies)
    }

    /// Returns RGSW ciphertexts of secret monomials: for each monomial, rows of the monomial times the body's weights, then
    /// rows of the monomial times s and the mask's weights.
    pub(crate) fn rgsw_of_monomials(
        &self,
        domain: RowDomain,
        gadget: RgswGadget,
        monomials: &[SecretMonomial],
    ) -> SeededRows {
        let rows = gadget.rows();
        self.rows(domain, rows * monomials.len(), |row, out| {
            let (index, row) = (row / rows, row % rows);
            match row.checked_sub(gadget.body.length()) {
                None => out[0] = gadget.body.weight(row),
                Some(row) => {
                    let weight = gadget.mask.weight(row);
                    kernels::mul_scalar(self.ring.modulus(), out, &self.secret, weight);
                }
            }
            monomials[index].multiply_assign(self.ring, out);
        })
    }

    /// Returns RLWE' ciphertexts of polynomials: for each polynomial, rows of the polynomial times weight(k).
    #[must_use]
    pub fn gadget_rows<'p>(
        &self,
        domain: RowDomain,
        gadget: Gadget,
        count: usize,
        polynomial: impl Fn(usize) -> Zeroizing<Vec<u64>> + Sync + 'p,
    ) -> SeededRows {
        let (length, m) = (gadget.length(), self.ring.modulus());
        self.rows(domain, length * count, |row, out| {
            let weight = gadget.weight(row % length);
            kernels::mul_scalar(m, out, &polynomial(row / length), weight);
        })
    }
}

/// A secret monomial that an RGSW ciphertext of a rotation key encrypts. Multiplying by it uses no branches or addresses
/// that depend on it; its kind is public.
#[derive(Clone, Copy)]
pub(crate) enum SecretMonomial {
    /// 0 or 1.
    Bit(u64),
    /// X^s for a ternary coefficient s.
    Coefficient(i8),
    /// X^exponent.
    Power(i64),
}

impl Zeroize for SecretMonomial {
    fn zeroize(&mut self) {
        match self {
            Self::Bit(bit) => bit.zeroize(),
            Self::Coefficient(coefficient) => coefficient.zeroize(),
            Self::Power(exponent) => exponent.zeroize(),
        }
    }
}

impl SecretMonomial {
    /// Multiplies a polynomial, given by its coefficients, by the monomial.
    fn multiply_assign(self, ring: &PrimeRing, words: &mut [u64]) {
        let two_n = 2 * ring.degree();
        match self {
            Self::Bit(bit) => words.iter_mut().for_each(|word| *word &= bit.wrapping_neg()),
            Self::Coefficient(s) => {
                // X^s = X^(s + 1)·X^-1, where the exponent s + 1 has two bits, and X^-1 is public.
                let source = Zeroizing::new(words.to_vec());
                ring.multiply_monomial(words, &source, two_n - 1);
                ring.multiply_secret_monomial_assign(words, (s + 1) as u64, 2);
            }
            Self::Power(exponent) => {
                let exponent = exponent as u64 & (two_n - 1) as u64;
                ring.multiply_secret_monomial_assign(words, exponent, two_n.ilog2());
            }
        }
    }
}

impl SecretKey {
    /// Generates the keys for the server: blind rotation and key switching.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn evaluation_key(&self) -> SeededEvaluationKey {
        let seed = Seed::random();
        let encryptor = RowEncryptor::new(self, &seed);
        let parameters = self.parameters();
        let monomials = self.rotation_monomials();
        SeededEvaluationKey {
            rotations: RowDomain::ROTATIONS
                .into_iter()
                .zip(parameters.rotation_gadgets())
                .map(|(domain, gadget)| encryptor.rgsw_of_monomials(domain, gadget, &monomials))
                .collect(),
            rotation_automorphisms: rotation_automorphism_key(&encryptor, parameters),
            key_switching: self.key_switching_key(&seed),
            ring_dimension: self.ring_dimension_key(&seed),
            trace: trace_key(&encryptor, parameters),
            relinearization: relinearization_key(&encryptor, parameters),
            parameters: parameters.clone(),
            seed: seed.clone(),
        }
    }

    /// Returns the monomials of the rotation key: bits for CMUXes; for automorphisms X^(s_i), then X^(-Σ s_i).
    fn rotation_monomials(&self) -> Zeroizing<Vec<SecretMonomial>> {
        let literal = self.parameters().literal();
        let secret = self.lwe_coefficients();
        // Full capacity from the start, so that no reallocation leaves a copy of the secret behind.
        let count = cmux_rgsw_count(secret.len(), literal.lwe_secret);
        let mut monomials = Zeroizing::new(Vec::with_capacity(count.max(secret.len() + 1)));
        match literal.rotation_method {
            RotationMethod::Cmux => {
                let bit = |s: i8, value: i8| SecretMonomial::Bit(u64::from(s == value));
                match literal.lwe_secret {
                    SecretDistribution::Binary => {
                        monomials.extend(secret.iter().map(|&s| bit(s, 1)))
                    }
                    SecretDistribution::Blocks(blocks) => {
                        // The first coefficient of a block is 1 minus the sum of the others.
                        let blocks = secret.chunks_exact(secret.len() / blocks as usize);
                        monomials.extend(blocks.flat_map(|block| &block[1..]).map(|&s| bit(s, 1)));
                    }
                    _ => monomials.extend(secret.iter().flat_map(|&s| [bit(s, 1), bit(s, -1)])),
                }
            }
            RotationMethod::Automorphism { .. } | RotationMethod::SparseAutomorphism { .. } => {
                monomials.extend(secret.iter().map(|&s| SecretMonomial::Coefficient(s)));
                let sum = secret.iter().map(|&s| i64::from(s)).sum::<i64>();
                monomials.push(SecretMonomial::Power(-sum));
            }
        }
        monomials
    }

    /// Returns gadget ciphertexts of the blocks of the ring secret, under the secret of the ring of lower degree.
    fn ring_dimension_key(&self, seed: &Seed) -> Option<SeededRows> {
        let small = self.parameters().small_ring()?;
        let encryptor = RowEncryptor::under(&small.ring, self.small_ring_coefficients(), seed);
        let blocks: Vec<&[i8]> =
            self.ring_coefficients().chunks_exact(small.literal.degree).collect();
        let residue = |&c: &i8| small.ring.modulus().reduce_i64(c.into());
        let block = |i: usize| Zeroizing::new(blocks[i].iter().map(residue).collect());
        Some(encryptor.gadget_rows(RowDomain::RingDimension, small.gadget(), blocks.len(), block))
    }

    /// Returns the key from the ring secret, or that of the ring of lower degree, to the LWE secret.
    fn key_switching_key(&self, seed: &Seed) -> SeededKeySwitchingKey {
        let source = match self.parameters().small_ring() {
            Some(_) => self.small_ring_coefficients(),
            None => self.ring_coefficients(),
        };
        let gadget = self.parameters().key_switching_gadget();
        lwe_key_switching_key(source, self.lwe_coefficients(), gadget, 1, seed)
    }
}

/// Generates an LWE key switching key: row `(i·ℓ + k)·M + v` encrypts `z_i·weight(k)·(v + 1)` under the LWE secret. Here z
/// is the secret that the switch starts from, and M the number of multiples, which is 1 where digits multiply rows.
///
/// # Panics
/// If the operating system provides no randomness.
#[must_use]
pub fn lwe_key_switching_key(
    source: &[i8],
    target: &[i8],
    gadget: Gadget,
    multiples: usize,
    seed: &Seed,
) -> SeededKeySwitchingKey {
    let errors = SecretSeed::random();
    let (length, modulus) = (gadget.length(), gadget.modulus());
    let body = |row: usize| {
        let mut mask = vec![0; target.len()];
        RowDomain::KeySwitching.mask_stream(seed, row).uniform_assign(&mut mask, modulus);
        let mut errors = RandomStream::new(errors.as_bytes(), StreamPurpose::Error, row as u64);
        let (term, multiple) = (row / multiples, (row % multiples + 1) as u64);
        let weight = gadget.weight(term % length) * multiple % modulus;
        let phase = weighted_coefficient(source[term / length], weight, modulus);
        lwe_body_with(target, &mask, phase, modulus, &mut errors)
    };
    let rows = source.len() * length * multiples;
    SeededKeySwitchingKey::new((0..rows).into_par_iter().map(body).collect())
}

/// Returns gadget ciphertexts of σ_g(s) for automorphisms of these exponents.
fn automorphism_rows(
    encryptor: &RowEncryptor<'_>,
    domain: RowDomain,
    gadget: Gadget,
    exponents: &[usize],
) -> SeededRows {
    let ring = encryptor.ring;
    let image = |index: usize| {
        let mut image = Zeroizing::new(vec![0; ring.degree()]);
        ring.automorphism(&mut image, &encryptor.secret, exponents[index]);
        image
    };
    encryptor.gadget_rows(domain, gadget, exponents.len(), image)
}

/// Returns the automorphism keys of the trace.
fn trace_key(encryptor: &RowEncryptor<'_>, parameters: &Parameters) -> SeededRows {
    let exponents: Vec<usize> = exponents(parameters.ring_degree()).collect();
    let gadget = parameters.automorphism_gadget();
    automorphism_rows(encryptor, RowDomain::Automorphism, gadget, &exponents)
}

/// Returns the automorphism keys of blind rotation, if the rotation method uses them.
fn rotation_automorphism_key(
    encryptor: &RowEncryptor<'_>,
    parameters: &Parameters,
) -> Option<SeededRows> {
    let window = parameters.rotation_automorphisms()?;
    let domain = RowDomain::RotationAutomorphism;
    Some(automorphism_rows(encryptor, domain, window.gadget, &window.key_exponents()))
}

/// Returns a gadget ciphertext of s².
fn relinearization_key(encryptor: &RowEncryptor<'_>, parameters: &Parameters) -> SeededRows {
    let square = encryptor.times_secret(&encryptor.secret);
    clear_stack();
    let gadget = parameters.relinearization_gadget();
    encryptor.gadget_rows(RowDomain::Relinearization, gadget, 1, |_| square.clone())
}

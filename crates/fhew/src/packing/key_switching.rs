//! Packing key switching, LWE to RLWE (PackingKS, Algorithm 9 of Ma et al., TCHES 2024), and packing at many
//! positions with one key (remark of Sec. 3.3).
//!
//! LWE (b, a) of dimension N modulo Q under the ring secret s becomes
//!
//! `(b·(1 + X + … + X^(d-1)), 0) + Σ_i Σ_k digit_k(a_i)·row_(i,k)`,
//!
//! where `row_(i,k)` is an RLWE ciphertext of `s_i·weight(k)·(1 + X + … + X^(d-1))`: its phase has that of the LWE
//! ciphertext in the d lowest coefficients, and noise in the others. Other than line 6 of the algorithm, digits
//! multiply rows instead of naming one of B precomputed multiples: the key is B times smaller. Its modulus q_ks is Q:
//! digits that do not reach to the last bit round instead.
//!
//! # Against the trace
//! [`crate::packing`], which [`crate::keys::EvaluationKey::pack`] takes, needs far less of everything.
//! In rows of 2N words (an expanded key; a seeded one has half of them), for the default parameters, N = 2,048:
//!
//! | | rows | default ℓ | bytes | work |
//! |---|---|---|---|---|
//! | trace, any d | ℓ·log2 N | 5 | 1.7 MiB | (ℓ + 2)·log2 N transforms |
//! | packing key, one d | ℓ·N | 4 | 256 MiB | 2ℓ·N² products |
//!
//! The key reduces noise: a filled coefficient gets the noise of one key switch
//! ([`NoiseModel::packing_key_switching`]), instead of N²/3 to N² times that of an automorphism
//! ([`NoiseModel::packing`]); so digits may be coarse. The key is generated on request only (`SecretKey::packing_key`).
//!
//! [`NoiseModel::packing`]: crate::noise::NoiseModel::packing
//! [`NoiseModel::packing_key_switching`]: crate::noise::NoiseModel::packing_key_switching

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::random::Seed;
use cryptable_ring::word_sums::add_multiples;
use cryptable_ring::{Buffer, torus};
use cryptable_wire::WireError;
use rayon::prelude::*;

use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::rlwe::RlweCiphertext;
use crate::seeded_rows::{RowDomain, SeededRows};
use crate::variance::{RingNumbers, Variance};

/// Rows that all ciphertexts of one call use before the next are read: half a MiB for N = 2,048.
const ROWS_AT_ONCE: usize = 16;

impl PackedLength {
    /// The streams of the packing key of this length.
    #[must_use]
    pub fn row_domain(self) -> RowDomain {
        match self {
            Self::Constant => RowDomain::PackingConstant,
            Self::Half => RowDomain::PackingHalf,
            Self::All => RowDomain::PackingAll,
        }
    }
}

/// Packing key as a client sends it: its bodies, and the seed of its masks.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededPackingKey {
    /// How many coefficients it fills.
    pub length: PackedLength,
    /// Seed of all masks.
    pub seed: Seed,
    /// Row `i·ℓ + k` encrypts `s_i·weight(k)·(1 + X + … + X^(d-1))`.
    pub rows: SeededRows,
}

/// A key that packs LWE of dimension N modulo Q into RLWE. Holds no secret, and is `Sync`.
///
/// ```
/// use cryptable_fhew::packing::{PackedLength, PackingKey};
/// use cryptable_fhew::parameters::{Parameters, ParametersLiteral};
/// use cryptable_fhew::keys::SecretKey;
/// use cryptable_lattice::lwe::LweCiphertext;
/// let literal = ParametersLiteral { ring_degree: 256, ..*Parameters::insecure_toy().literal() };
/// let parameters = Parameters::insecure(literal)?;
/// let secret = SecretKey::generate(&parameters);
/// let key = PackingKey::expand(&parameters, &secret.packing_key(PackedLength::Constant))?;
/// let eighth = LweCiphertext::trivial(256, parameters.prime(), parameters.prime() / 8);
/// let packed = key.pack_at(&[(0, eighth.clone()), (200, eighth)])?;
/// let phase = secret.rlwe_phase(&packed);
/// assert_eq!([phase[0], phase[200]], [parameters.prime() / 8; 2]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct PackingKey {
    parameters: Parameters,
    length: PackedLength,
    /// Rows of 2N words, as fractions that fill their words: sums are plain wrapping ones.
    rows: Buffer,
}

impl std::fmt::Debug for PackingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackingKey({:?}, {} bytes)", self.length, self.bytes())
    }
}

/// Words of a packing key: N·ℓ rows of N. Saturates.
#[must_use]
pub fn packing_key_words(parameters: &Parameters) -> usize {
    let n = parameters.ring_degree();
    n.saturating_mul(n).saturating_mul(parameters.packing_gadget().length())
}

impl PackingKey {
    /// Draws all masks.
    ///
    /// # Errors
    /// If the rows are those of another length, not N·ℓ rows of N words, or a word is not below Q.
    pub fn expand(parameters: &Parameters, key: &SeededPackingKey) -> Result<Self> {
        let (n, m) = (parameters.ring_degree(), parameters.modulus());
        let bodies = key.rows.bodies();
        let words = packing_key_words(parameters);
        if bodies.len() != words {
            return Err(Error::mismatch("number of words of a packing key", bodies.len(), words));
        }
        let (found, expected) = (key.rows.domain(), key.length.row_domain());
        if found != expected {
            let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
            return Err(Error::mismatch("row domain of a packing key", found, expected));
        }
        let largest = bodies.iter().copied().max().unwrap_or(0);
        if largest >= m.value() {
            let expected = format!("below {}", m.value());
            return Err(WireError::invalid("largest word of a packing key", largest, expected))?;
        }
        let mut rows = Buffer::unspecified(2 * words);
        rows.par_chunks_exact_mut(2 * n).enumerate().for_each_init(
            || vec![0; 2 * n],
            |residues, (row, out)| {
                key.rows.write_row(parameters.ring(), &key.seed, row, residues);
                torus::words_from_residues(m, out, residues);
            },
        );
        Ok(Self { parameters: parameters.clone(), length: key.length, rows })
    }

    /// The parameters whose ciphertexts it packs.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How many coefficients it fills.
    #[must_use]
    pub fn length(&self) -> PackedLength {
        self.length
    }

    /// Bytes held: `16·N²·ℓ`.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.rows.len()
    }

    /// Checks that this key can pack a ciphertext.
    ///
    /// # Errors
    /// If it is not modulo Q and of dimension N.
    pub fn check(&self, lwe: &LweCiphertext) -> Result<()> {
        self.parameters.extracted_shape().check(lwe)
    }

    /// PackingKS: the phase in the d lowest coefficients.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::packing_key_switching`].
    ///
    /// # Panics
    /// If the ciphertext is not modulo Q and of dimension N.
    #[must_use]
    pub fn pack(&self, lwe: &LweCiphertext) -> RlweCiphertext {
        if let Err(error) = self.check(lwe) {
            panic!("{error}");
        }
        self.sums(&[lwe]).swap_remove(0)
    }

    /// One key for all positions (remark of Sec. 3.3): `Σ_j PackingKS(c_j)·X^(position_j)`.
    ///
    /// The phase of `c_j` is added to the d coefficients from `position_j` on, where ciphertexts may meet. The remark
    /// has N/d positions, the multiples of d; with d = 1 they are all. Every ciphertext adds the noise of its digits
    /// to all coefficients ([`NoiseModel::packing_key_switching_elsewhere`]), and what was rounded away of its mask to
    /// its own.
    ///
    /// [`NoiseModel::packing_key_switching_elsewhere`]: crate::noise::NoiseModel::packing_key_switching_elsewhere
    ///
    /// # Errors
    /// If a ciphertext is not modulo Q and of dimension N, or d coefficients from its position on are beyond N.
    pub fn pack_at(&self, inputs: &[(usize, LweCiphertext)]) -> Result<RlweCiphertext> {
        let ring = self.parameters.ring();
        let last = ring.degree() - self.length.count(ring.degree());
        for (position, lwe) in inputs {
            self.check(lwe)?;
            if *position > last {
                return Err(Error::Parameter {
                    name: "position",
                    value: *position as f64,
                    limit: format!("it must be at most {last}"),
                });
            }
        }
        let ciphertexts: Vec<&LweCiphertext> = inputs.iter().map(|(_, lwe)| lwe).collect();
        let mut packed = RlweCiphertext::zero(ring);
        for ((position, _), term) in inputs.iter().zip(self.sums(&ciphertexts)) {
            packed.add_assign(ring, &term.times_monomial(ring, *position));
        }
        Ok(packed)
    }

    /// Lines 2 to 6 for each ciphertext, reading the key once.
    fn sums(&self, inputs: &[&LweCiphertext]) -> Vec<RlweCiphertext> {
        let n = self.parameters.ring_degree();
        let (m, gadget) = (self.parameters.modulus(), self.parameters.packing_gadget());
        let mut sums: Vec<(Buffer, Vec<i32>)> = inputs
            .iter()
            .map(|lwe| (Buffer::zeroed(2 * n), gadget.digits_of_each(lwe.mask())))
            .collect();
        for (block, rows) in self.rows.chunks(ROWS_AT_ONCE * 2 * n).enumerate() {
            let factors = block * ROWS_AT_ONCE..block * ROWS_AT_ONCE + rows.len() / (2 * n);
            for (sum, digits) in &mut sums {
                add_multiples(sum, rows, &digits[factors.clone()]);
            }
        }
        let filled = self.length.count(n);
        let finish = |((sum, _), lwe): ((Buffer, Vec<i32>), &&LweCiphertext)| {
            let mut words = Buffer::unspecified(2 * n);
            torus::words_to_residues(m, &mut words, &sum);
            for word in &mut words[..filled] {
                *word = m.add(*word, lwe.body());
            }
            RlweCiphertext::from_words(words)
        };
        sums.into_iter().zip(inputs).map(finish).collect()
    }
}

/// σ_pk²: packing key switching, for one of the coefficients that have the value.
///
/// `ℓ·N·E[digit²]·σ² + rounding·N·E[s²]`, as an LWE key switch: σ_pk² = σ_ks² of Lemma 1 in Ma et al. (TCHES
/// 2024), which Theorems 2 to 6 take. It is the same for every d: a coefficient of a row has one error however
/// many share the value. That of rounding is common to all d coefficients.
pub(crate) fn noise(ring: &RingNumbers, gadget: Gadget) -> Variance {
    ring.gadget_product(gadget, ring.secret_norm())
}

/// The same for a coefficient that does not have the value: `ℓ·N·E[digit²]·σ²`.
pub(crate) fn noise_elsewhere(ring: &RingNumbers, gadget: Gadget) -> Variance {
    ring.gadget_product(gadget, 0.0)
}

//! Private key switching, LWE to RLWE (PrivateKS; Wang et al., EUROCRYPT 2024, ePrint 2024/323, Sec. 2.3 and 2.5, after
//! Chillotti et al., J. Cryptology 2020), for the two functions of circuit bootstrapping: the phase, and the phase
//! times s.
//!
//! LWE (b, a) of dimension N modulo Q under the ring secret s, of phase φ = b + ⟨a, s⟩, becomes
//!
//! `f(b) + Σ_i Σ_k digit_k(a_i)·row_(i,k)`, `row_(i,k)` an RLWE ciphertext of `f(s_i·weight(k))`,
//!
//! where f(b) is (b, 0) for f(φ) = φ, and (0, b) for f(φ) = φ·s: their phases are b and b·s without rows of f(1), for
//! which the paper has another ℓ rows. RGSW rows of this crate are of bit·weight and of bit·s·weight, so that f has
//! no sign.

use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::check_shape;
use cryptable_ring::random::Seed;
use cryptable_ring::row_sums::add_chosen;
use cryptable_ring::word_sums::add_multiples;
use cryptable_ring::{Buffer, torus};
use cryptable_wire::KeyId;
use rayon::prelude::*;

use super::tfhe_parameters::{PrivateKeyForm, TfheParameters};
use cryptable_lattice::error::out_of_range;
use cryptable_leveled::keys::IDENTIFIER;

/// Digits whose rows all ciphertexts of one call use before the next are read.
const DIGITS_AT_ONCE: usize = 16;

/// A function of the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateFunction {
    /// f(φ) = φ, in the constant coefficient.
    Identity = 0,
    /// f(φ) = φ·s.
    TimesSecret = 1,
}

impl PrivateFunction {
    /// Both, in the order of a key's rows.
    pub const ALL: [Self; 2] = [Self::Identity, Self::TimesSecret];

    /// The streams of its rows.
    #[must_use]
    pub fn row_domain(self) -> RowDomain {
        match self {
            Self::Identity => RowDomain::PrivateIdentity,
            Self::TimesSecret => RowDomain::PrivateTimesSecret,
        }
    }
}

/// What a client sends: bodies of a private switching key, and the seed of its masks.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededPrivateSwitchingKey {
    /// The identifier of the client's secret key.
    pub key_id: KeyId,
    /// Seed of all masks.
    pub seed: Seed,
    /// For each function: row `(i·ℓ + k)·multiples + j` encrypts `f((j + 1)·s_i·weight(k))`.
    pub rows: [SeededRows; 2],
}

impl SeededPrivateSwitchingKey {
    /// A key of these parameters, on request only: it is larger than all others together.
    ///
    /// # Panics
    /// If the secret is of other parameters, or the operating system has no randomness to give.
    #[must_use]
    pub fn generate(parameters: &TfheParameters, secret: &SecretKey) -> Self {
        let expected = parameters.circuit_bootstrapping().fhew();
        assert_eq!(secret.parameters(), expected, "parameters of the secret");
        let gadget = parameters.private_gadget();
        let (seed, rows) = secret.private_switching_rows(gadget, parameters.multiples());
        Self { key_id: secret.id(IDENTIFIER), seed, rows }
    }
}

/// A key that switches LWE of dimension N modulo Q to RLWE of a function of the phase. Holds no secret, and is
/// `Sync`.
///
/// ```
/// use cryptable_fhew::parameters::GadgetLiteral;
/// use cryptable_leveled::bootstrapping::encrypt_bit;
/// use cryptable_papers::tfhe_baseline::{
///     PrivateFunction, PrivateKeyForm, PrivateSwitchingKey, SeededPrivateSwitchingKey, TfheParameters,
/// };
/// use cryptable_fhew::keys::SecretKey;
/// use cryptable_leveled::parameters::ParameterSet;
/// let circuit = ParameterSet::Aes128.insecure_toy();
/// let digits = GadgetLiteral { base_log2: 20, length: 1 };
/// let parameters = TfheParameters::new(&circuit, digits, PrivateKeyForm::Products)?;
/// let secret = SecretKey::generate(circuit.fhew());
/// let key = SeededPrivateSwitchingKey::generate(&parameters, &secret);
/// let key = PrivateSwitchingKey::expand(&parameters, &key)?;
/// let bits = [encrypt_bit(&secret, true)];
/// let switched = key.switch(PrivateFunction::Identity, &bits)?.remove(0);
/// let (phase, half) = (secret.rlwe_phase(&switched), circuit.fhew().prime() / 2);
/// assert!(phase[0].abs_diff(half) < half / 4);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct PrivateSwitchingKey {
    parameters: TfheParameters,
    key_id: KeyId,
    /// For each function rows of 2N words, as fractions that fill their words: sums are plain wrapping ones.
    rows: [Buffer; 2],
}

impl std::fmt::Debug for PrivateSwitchingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrivateSwitchingKey({:?}, {} bytes)", self.parameters.form(), self.bytes())
    }
}

impl PrivateSwitchingKey {
    /// Draws all masks.
    ///
    /// # Errors
    /// If rows are those of another function, not N·ℓ·multiples of N words, or a word is not below Q.
    pub fn expand(parameters: &TfheParameters, key: &SeededPrivateSwitchingKey) -> Result<Self> {
        for (function, rows) in PrivateFunction::ALL.into_iter().zip(&key.rows) {
            check_rows(parameters, function, rows)?;
        }
        let ring = parameters.circuit_bootstrapping().fhew().ring();
        let n = ring.degree();
        let expand = |rows: &SeededRows| {
            let mut words = Buffer::unspecified(2 * rows.bodies().len());
            words.par_chunks_exact_mut(2 * n).enumerate().for_each_init(
                || vec![0; 2 * n],
                |residues, (row, out)| {
                    rows.write_row(ring, &key.seed, row, residues);
                    torus::words_from_residues(ring.modulus(), out, residues);
                },
            );
            words
        };
        Ok(Self {
            parameters: parameters.clone(),
            key_id: key.key_id,
            rows: key.rows.each_ref().map(expand),
        })
    }

    /// The parameters that the key is of.
    #[must_use]
    pub fn parameters(&self) -> &TfheParameters {
        &self.parameters
    }

    /// The identifier of the client's secret key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.iter().map(|rows| 8 * rows.len()).sum()
    }

    /// PrivateKS: RLWE of the function of each phase, the key's rows read once for all.
    ///
    /// 2ℓ·N² products a ciphertext, or as many additions. Adds the noise of
    /// [`TfheParameters::private_switching_noise`].
    ///
    /// # Errors
    /// If a ciphertext is not of dimension N modulo Q.
    pub fn switch(
        &self,
        function: PrivateFunction,
        inputs: &[LweCiphertext],
    ) -> Result<Vec<RlweCiphertext>> {
        let circuit = self.parameters.circuit_bootstrapping();
        inputs.iter().try_for_each(|lwe| check_shape(lwe.into(), circuit.lwe_shape()))?;
        let parameters = circuit.fhew();
        let (n, m) = (parameters.ring_degree(), parameters.modulus());
        let (gadget, multiples) = (self.parameters.private_gadget(), self.parameters.multiples());
        let mut sums: Vec<(Buffer, Vec<i32>)> = inputs
            .iter()
            .map(|lwe| {
                // Parameters admit digits of at most 32 bits.
                let digits = lwe.mask().iter().flat_map(|&a| gadget.digits(a));
                (Buffer::zeroed(2 * n), digits.map(|digit| digit as i32).collect())
            })
            .collect();
        let block = DIGITS_AT_ONCE * multiples * 2 * n;
        for (index, rows) in self.rows[function as usize].chunks(block).enumerate() {
            let first = index * DIGITS_AT_ONCE;
            let range = first..first + rows.len() / (multiples * 2 * n);
            for (sum, digits) in &mut sums {
                match self.parameters.form() {
                    PrivateKeyForm::Products => add_multiples(sum, rows, &digits[range.clone()]),
                    PrivateKeyForm::Precomputed => {
                        add_chosen(sum, rows, multiples, &digits[range.clone()]);
                    }
                }
            }
        }
        let finish = |((sum, _), lwe): ((Buffer, Vec<i32>), &LweCiphertext)| {
            let mut words = Buffer::unspecified(2 * n);
            torus::words_to_residues(m, &mut words, &sum);
            let constant = match function {
                PrivateFunction::Identity => 0,
                PrivateFunction::TimesSecret => n,
            };
            words[constant] = m.add(words[constant], lwe.body());
            RlweCiphertext::from_words(words)
        };
        Ok(sums.into_iter().zip(inputs).map(finish).collect())
    }
}

/// Demands that rows are those of the function, as many as the parameters want, with words below Q.
fn check_rows(
    parameters: &TfheParameters,
    function: PrivateFunction,
    rows: &SeededRows,
) -> Result<()> {
    let demand = |ok: bool, name, value, limit: String| {
        if ok { Ok(()) } else { Err(out_of_range(name, value, limit)) }
    };
    let below = parameters.circuit_bootstrapping().fhew();
    let (found, expected) = (rows.domain(), function.row_domain());
    let name = "row domain of a private switching key";
    demand(found == expected, name, found as u64, format!("it must be {}", expected as u64))?;
    let words = parameters.rows() * below.ring_degree() as u64;
    let found = rows.bodies().len() as u64;
    let name = "number of words of a private switching key";
    demand(found == words, name, found, format!("it must be {words}"))?;
    let largest = rows.bodies().iter().copied().max().unwrap_or(0);
    let name = "largest word of a private switching key";
    demand(largest < below.prime(), name, largest, format!("it must be below {}", below.prime()))
}

//! Test polynomials, in which a blind rotation looks up a phase (Sec. 2.3.4 of Ma et al., TCHES 2024).

use cryptable_lattice::Table;
use cryptable_ring::prime_ring::PrimeRing;

use crate::rlwe::RlweCiphertext;

/// A test polynomial over Z_Q: a rotation by phase x moves coefficient x to the constant term.
///
/// Phases are modulo 2N; a phase x from N on looks up the negative of coefficient x - N (negacyclicity).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPolynomial {
    coefficients: Vec<u64>,
}

impl TestPolynomial {
    /// Returns the polynomial of x ↦ `of(x)`, for the phases x in `0..N`.
    ///
    /// # Panics
    /// If a value is not below Q.
    #[must_use]
    pub fn from_fn(ring: &PrimeRing, of: impl FnMut(u64) -> u64) -> Self {
        let coefficients: Vec<u64> = (0..ring.degree() as u64).map(of).collect();
        let q = ring.modulus().value();
        assert!(
            coefficients.iter().all(|&c| c < q),
            "a value of the test polynomial is not below {q}"
        );
        Self { coefficients }
    }

    /// Returns the polynomial of a table whose inputs stay below p/2, where p is twice the number of outputs. Half a slot must
    /// be added to the phase of inputs; outputs are encoded modulo p.
    ///
    /// # Panics
    /// If there is no output.
    #[must_use]
    pub fn padded_table(ring: &PrimeRing, outputs: &[u64]) -> Self {
        let (count, n) = (outputs.len() as u64, ring.degree() as u64);
        let q = ring.modulus().value();
        Self::from_fn(ring, |x| encode(outputs[(x * count / n) as usize], 2 * count, q))
    }

    /// Returns the constant polynomial: phases below N look up `value`, others its negative.
    ///
    /// # Panics
    /// If the value is not below Q.
    #[must_use]
    pub fn sign(ring: &PrimeRing, value: u64) -> Self {
        Self::from_fn(ring, |_| value)
    }

    /// Returns the coefficients modulo Q, that of X^0 first.
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.coefficients
    }

    /// Returns the polynomial as a ciphertext without mask or noise.
    #[must_use]
    pub fn to_rlwe(&self, ring: &PrimeRing) -> RlweCiphertext {
        let mut out = RlweCiphertext::zero(ring);
        out.words_mut()[..ring.degree()].copy_from_slice(&self.coefficients);
        out
    }
}

/// Encodes a plaintext: returns `value·modulus/plaintext_modulus`, rounded, modulo `modulus`.
///
/// ```
/// use cryptable_fhew::test_polynomial::encode;
/// assert_eq!(encode(3, 16, 4096), 768);
/// assert_eq!(encode(19, 16, 4096), 768);
/// assert_eq!(encode(1, 3, 16), 5);
/// ```
#[must_use]
pub fn encode(value: u64, plaintext_modulus: u64, modulus: u64) -> u64 {
    let value = u128::from(value % plaintext_modulus);
    let p = u128::from(plaintext_modulus);
    (((value * u128::from(modulus) + p / 2) / p) % u128::from(modulus)) as u64
}

/// Encodes an output of a table as a phase: returns f(input)·modulus/P, rounded.
///
/// The input is reduced modulo p.
#[must_use]
pub fn encode_output(table: &Table, modulus: u64, input: u64) -> u64 {
    encode(table.output(input), table.output_modulus(), modulus)
}

/// Returns the slot, among p = `plaintext_modulus`, of a phase in `0..modulus` to which half a slot has been added:
/// ⌊p·phase/modulus⌋.
///
/// ```
/// use cryptable_fhew::test_polynomial::{encode, half_slot, slot_of};
/// let phase = encode(3, 16, 4096) + half_slot(16, 4096) - 100;
/// assert_eq!(slot_of(phase, 16, 4096), 3);
/// ```
#[must_use]
pub fn slot_of(phase: u64, plaintext_modulus: u64, modulus: u64) -> u64 {
    (u128::from(phase) * u128::from(plaintext_modulus) / u128::from(modulus)) as u64
}

/// Returns half a slot of a plaintext modulus, rounded. Added to a phase, it centres the phase in its slot.
#[must_use]
pub fn half_slot(plaintext_modulus: u64, modulus: u64) -> u64 {
    (modulus + plaintext_modulus) / (2 * plaintext_modulus)
}

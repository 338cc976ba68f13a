//! Packing LWE into RLWE by the field trace (Chen, Dai, Kim, Song, ACNS 2021; HomTrace of Wang et al., EUROCRYPT 2024).
//!
//! An LWE ciphertext of dimension N embeds into an RLWE ciphertext whose phase has the phase of the former as constant
//! coefficient, and unknown other coefficients. The trace Σ_σ σ(ct) over all automorphisms removes the others and
//! multiplies the constant by N, in log2 N steps `ct += σ_g(ct)`, g = 2^k + 1: X ↦ X^g fixes the coefficients at multiples
//! of 2N/(g - 1) and negates those halfway between. The factor N is divided out beforehand, modulo Q.
//!
//! Many ciphertexts are packed by a tree (PackLWEs of Chen et al.): each step of the trace joins two of them, so N
//! ciphertexts need N - 1 steps instead of N·log2 N.
//!
//! The trace needs log2 N automorphism keys of ℓ rows each, a hundredth of the N·ℓ rows that packing key switching needs
//! (Ma et al., TCHES 2024, Algorithm 9).

use cryptable_lattice::external_product::{GadgetProduct, Scratch};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::{Buffer, kernels, torus};

use crate::rlwe::RlweCiphertext;
use crate::variance::Variance;

/// The d lowest coefficients of the result, which have the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PackedLength {
    /// The constant coefficient; all others are near 0.
    Constant,
    /// Coefficients below N/2; all others are near 0.
    Half,
    /// All N coefficients.
    All,
}

impl PackedLength {
    /// Returns the number d of these coefficients.
    #[must_use]
    pub fn count(self, degree: usize) -> usize {
        match self {
            Self::Constant => 1,
            Self::Half => degree / 2,
            Self::All => degree,
        }
    }
}

/// Returns the exponents of the trace's automorphisms, in the order in which they are applied.
///
/// They go from N + 1 down to 2N/N + 1 = 3, from the top of the tower of fields, so that each step halves the number of
/// unknown coefficients.
pub fn exponents(degree: usize) -> impl Iterator<Item = usize> {
    (1..=degree.ilog2()).rev().map(|k| (1 << k) + 1)
}

/// Keys of the trace's automorphisms.
#[derive(Debug)]
pub struct TraceKey {
    gadget: Gadget,
    automorphisms: PreparedRows,
}

impl TraceKey {
    /// Collects prepared keys: gadget ciphertexts of σ_g(s), in the order of [`exponents`].
    ///
    /// # Panics
    /// If the number of keys is not log2 N.
    #[must_use]
    pub fn new(ring: &PrimeRing, gadget: Gadget, automorphisms: PreparedRows) -> Self {
        assert_eq!(automorphisms.count(), ring.degree().ilog2() as usize, "keys of a trace");
        Self { gadget, automorphisms }
    }

    /// Returns the bytes of memory that the automorphism keys occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.automorphisms.bytes()
    }

    /// HomTrace: computes `Σ_σ σ(ct)` over all automorphisms, in place.
    ///
    /// Multiplies the constant coefficient of the phase by N; of the others only noise remains.
    pub fn trace_assign(&self, ring: &PrimeRing, ciphertext: &mut RlweCiphertext) {
        let (m, n) = (ring.modulus(), ring.degree());
        let mut fractions = Buffer::unspecified(2 * n);
        torus::from_residues(m, &mut fractions, ciphertext.words());
        let mut scratch = Scratch::new(ring, self.gadget.length());
        for exponent in exponents(n) {
            self.add_automorphism(ring, &mut fractions, None, exponent, &mut scratch);
        }
        torus::to_residues(m, ciphertext.words_mut(), &fractions);
    }

    /// Returns an RLWE ciphertext whose phase has the phase of an LWE ciphertext (modulo Q, under the ring secret) in its
    /// `count` lowest coefficients.
    ///
    /// # Panics
    /// If the ciphertext is not modulo Q and of dimension N, or `count` is not from 1 to N.
    #[must_use]
    pub fn pack(&self, ring: &PrimeRing, raw: &LweCiphertext, count: usize) -> RlweCiphertext {
        let (m, n) = (ring.modulus(), ring.degree());
        assert!((1..=n).contains(&count), "a run of {count} of {n}");
        let mut packed = RlweCiphertext::embed(ring, raw);
        kernels::mul_scalar_assign(m, packed.words_mut(), m.inv(n as u64));
        self.trace_assign(ring, &mut packed);
        if count > 1 {
            for polynomial in packed.words_mut().chunks_exact_mut(n) {
                multiply_by_ones(ring, polynomial, count);
            }
        }
        packed
    }

    /// Returns an RLWE ciphertext whose phase has the phases of LWE ciphertexts (modulo Q, under the ring secret) in its lowest
    /// coefficients, in their order, and noise in the others: body, then mask, as fractions of Q
    /// ([`cryptable_ring::torus`]).
    ///
    /// A coefficient with a value has the noise of one that [`TraceKey::pack`] fills: noise that a step adds to other
    /// coefficients is removed by the following steps.
    ///
    /// # Panics
    /// If a ciphertext is not modulo Q and of dimension N, or there are no ciphertexts or more than N.
    #[must_use]
    pub fn pack_many(
        &self,
        ring: &PrimeRing,
        count: usize,
        ciphertext: impl Fn(usize) -> LweCiphertext + Sync,
    ) -> Buffer {
        assert!((1..=ring.degree()).contains(&count), "{count} of {}", ring.degree());
        self.packed_subtree(ring, count, &ciphertext, [0, 1])
    }

    /// Packs ciphertexts `first`, `first + step`, … below `count` into coefficients 0, `step`, …: those at even and at odd
    /// places separately, then both together.
    fn packed_subtree(
        &self,
        ring: &PrimeRing,
        count: usize,
        ciphertext: &(impl Fn(usize) -> LweCiphertext + Sync),
        [first, step]: [usize; 2],
    ) -> Buffer {
        let (m, n) = (ring.modulus(), ring.degree());
        if step == n {
            let mut leaf = RlweCiphertext::embed(ring, &ciphertext(first));
            kernels::mul_scalar_assign(m, leaf.words_mut(), m.inv(n as u64));
            let mut fractions = Buffer::unspecified(2 * n);
            torus::from_residues(m, &mut fractions, leaf.words());
            return fractions;
        }
        let child = |first| {
            (first < count).then(|| self.packed_subtree(ring, count, ciphertext, [first, 2 * step]))
        };
        let (even, odd) = rayon::join(|| child(first), || child(first + step));
        let mut sum = even.expect("the first of a subtree is there");
        let difference = odd.map(|mut odd| {
            for (even, odd) in sum.chunks_exact_mut(n).zip(odd.chunks_exact_mut(n)) {
                sum_and_difference(even, odd, step);
            }
            odd
        });
        let mut scratch = Scratch::new(ring, self.gadget.length());
        self.add_automorphism(ring, &mut sum, difference.as_deref(), n / step + 1, &mut scratch);
        sum
    }

    /// Computes `sum += σ_g(ciphertext)`, or `sum += σ_g(sum)` if there is no ciphertext, in fractions of Q, for g = 2^k + 1.
    fn add_automorphism(
        &self,
        ring: &PrimeRing,
        sum: &mut [u64],
        ciphertext: Option<&[u64]>,
        exponent: usize,
        scratch: &mut Scratch,
    ) {
        let n = ring.degree();
        let product = GadgetProduct { ring, gadget: self.gadget };
        let mut image = Buffer::unspecified(n);
        torus::automorphism(&mut image, &ciphertext.unwrap_or(sum)[..n], exponent);
        for (word, &moved) in sum.iter_mut().zip(image.iter()) {
            *word = word.wrapping_add(moved);
        }
        torus::automorphism(&mut image, &ciphertext.unwrap_or(sum)[n..], exponent);
        // The first key is that of exponent N + 1, the last that of 3.
        let index = n.ilog2() - (exponent - 1).ilog2();
        product.add(sum, &image, self.automorphisms.key(index as usize), scratch);
    }
}

/// Replaces `(even, odd)` by `(even + X^shift·odd, even - X^shift·odd)`, in fractions of Q.
fn sum_and_difference(even: &mut [u64], odd: &mut [u64], shift: usize) {
    odd.rotate_right(shift);
    odd[..shift].iter_mut().for_each(|word| *word = word.wrapping_neg());
    for (even, odd) in even.iter_mut().zip(odd) {
        (*even, *odd) = (even.wrapping_add(*odd), even.wrapping_sub(*odd));
    }
}

/// Multiplies a polynomial by `1 + X + … + X^(count - 1)`, by running sums.
fn multiply_by_ones(ring: &PrimeRing, polynomial: &mut [u64], count: usize) {
    let m = ring.modulus();
    let n = polynomial.len();
    let source = polynomial.to_vec();
    // Coefficient x is Σ_{i < count} source_(x-i), where terms that pass X^N are negated; x = -1 is minus coefficient N-1.
    let mut sum = source[n - count..].iter().fold(0, |sum, &word| m.sub(sum, word));
    for (x, word) in polynomial.iter_mut().enumerate() {
        let leaving = if x >= count { source[x - count] } else { m.neg(source[n + x - count]) };
        sum = m.sub(m.add(sum, source[x]), leaving);
        *word = sum;
    }
}

/// Returns σ_pk², the variance of packing by the trace, for one of the coefficients that have the value, from the variance
/// of one automorphism.
///
/// A step that r other steps follow has noise in N coefficients. The constant one is multiplied by 2^r, so the total is
/// Σ_r 4^r = (N² - 1)/3 times that of a step. Other coefficients vanish, or spread to up to 2^r coefficients; with the
/// constant one, squares add up to Σ_r 2^r·N = N(N - 1). Sums of N coefficients have this variance, sums of N/2 half of it.
pub(crate) fn noise(automorphism: Variance, degree: usize, length: PackedLength) -> Variance {
    let n = degree as f64;
    automorphism
        * match length {
            PackedLength::Constant => (n * n - 1.0) / 3.0,
            PackedLength::Half => n * (n - 1.0) / 2.0,
            PackedLength::All => n * (n - 1.0),
        }
}

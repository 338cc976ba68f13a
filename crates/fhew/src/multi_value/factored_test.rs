//! Multi-value bootstrapping (Carpov, Izabachène, Mollimard, CT-RSA 2019, "CIM19"; Sec. 2.3.5 of Ma et al., TCHES
//! 2024): one blind rotation for several tables.
//!
//! Modulo X^N + 1, (1 + X + … + X^(N-1))·(1 - X) = 2. The test polynomial of integers v (for phases v·Q/P) is therefore
//! TV_0·TV_1 with TV_0 = ⌊Q/2P⌉·(1 + X + … + X^(N-1)), common to all tables, and TV_1 = v - v·X, an integer
//! polynomial that matters only modulo 2P. TV_0 is rotated once. Every table then needs a product with its TV_1, which has
//! a nonzero coefficient only where the table's value changes.
//!
//! The product multiplies the rotation's variance by |TV_1|². [`UnscaledTest::factored`] finds the TV_1 of least norm.

use std::collections::BTreeMap;

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::prime_ring::PrimeRing;

use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance};
use crate::rlwe::RlweCiphertext;
use crate::test_polynomial::{TestPolynomial, half_slot};

/// Largest modulus of values: products of a coefficient of TV_1, at most P, with a centred word of up to 49 bits
/// stay within 64 bits.
pub const MAX_UNSCALED_MODULUS: u64 = 1 << 13;

/// An integer test polynomial v, of values modulo P: phase x (modulo 2N) looks up v_x for x < N and -v_(x-N) from N on.
///
/// ```
/// use cryptable_fhew::multi_value::UnscaledTest;
/// // The sign, in units of Q/8: TV_1 is the constant 2.
/// let sign = UnscaledTest::from_fn(1024, 8, |_| 1);
/// assert_eq!(sign.factored().terms(), &[(0, 2)]);
/// assert_eq!(sign.factored().squared_norm(), 4.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnscaledTest {
    modulus: u64,
    values: Vec<u64>,
}

impl UnscaledTest {
    /// Returns the polynomial of x ↦ `of(x)`, for the phases x in `0..degree`; values are reduced modulo `modulus` (P).
    ///
    /// # Panics
    /// Unless the modulus is from 2 to [`MAX_UNSCALED_MODULUS`], and there is a phase.
    #[must_use]
    pub fn from_fn(degree: usize, modulus: u64, of: impl FnMut(u64) -> u64) -> Self {
        assert!((2..=MAX_UNSCALED_MODULUS).contains(&modulus), "plaintext modulus {modulus}");
        assert!(degree > 0, "no phase");
        let values = (0..degree as u64).map(of).map(|value| value % modulus).collect();
        Self { modulus, values }
    }

    /// Returns the modulus P of the values that it encodes.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the values v, below P.
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Returns the TV_1 of least norm.
    ///
    /// Values matter modulo P, so each may be replaced by v_x + P; TV_1 matters modulo 2P. An integer polynomial
    /// c with c ≡ v - v·X modulo P results from some such choice if `c_0 - Σ_{x>0} c_x ≡ 2·v_0` modulo 2P; modulo P this
    /// always holds. All coefficients can therefore be centred modulo P, |c_x| <= P/2. If the sum is off by P, one
    /// coefficient, best the largest, is moved by P. (The paper centres modulo 2P: four times the squared norm.)
    #[must_use]
    pub fn factored(&self) -> FactoredTest {
        let p = self.modulus as i64;
        let centred = |difference: i64| {
            let residue = difference.rem_euclid(p);
            if 2 * residue > p { residue - p } else { residue }
        };
        let value = |x: usize| self.values[x] as i64;
        let n = self.values.len();
        let wrapped = centred(value(0) + value(n - 1));
        let mut terms = vec![(0, wrapped)];
        let mut rest = wrapped - 2 * value(0);
        for x in 1..n {
            let step = centred(value(x) - value(x - 1));
            rest -= step;
            if step != 0 {
                terms.push((x, step));
            }
        }
        if rest.rem_euclid(2 * p) != 0 {
            let largest = terms.iter_mut().max_by_key(|(_, c)| c.abs()).expect("term 0");
            largest.1 += if largest.1 > 0 { -p } else { p };
        }
        terms.retain(|&(_, c)| c != 0);
        FactoredTest { degree: n, modulus: self.modulus, terms }
    }

    /// Returns |TV_1|², the exact factor of a rotation's variance.
    #[must_use]
    pub fn squared_norm(&self) -> f64 {
        self.factored().squared_norm()
    }

    /// Returns the largest |TV_1|² of any values that change in at most `steps` places (p/2 for a table of p inputs):
    /// `max(steps/4, 1)·P²`.
    ///
    /// The maximum has `steps` coefficients of P/2, or one of P. (The paper's bound, Table 8: p·(p - 1)².)
    #[must_use]
    pub fn worst_squared_norm(steps: u64, modulus: u64) -> f64 {
        (steps as f64 / 4.0).max(1.0) * (modulus as f64).powi(2)
    }
}

/// TV_1: a sparse integer polynomial c, for phases (c·(1 + X + … + X^(N-1)))_x·Q/2P.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactoredTest {
    degree: usize,
    modulus: u64,
    /// Exponents, in increasing order, and nonzero coefficients.
    terms: Vec<(usize, i64)>,
}

impl FactoredTest {
    /// Returns the constant polynomial c: phases below N look up c·Q/2P, others its negative.
    ///
    /// # Panics
    /// Unless |c| <= P, and P is from 2 to [`MAX_UNSCALED_MODULUS`].
    #[must_use]
    pub fn sign(degree: usize, modulus: u64, constant: i64) -> Self {
        assert!((2..=MAX_UNSCALED_MODULUS).contains(&modulus), "plaintext modulus {modulus}");
        assert!(constant.unsigned_abs() <= modulus, "constant {constant}");
        let terms = if constant == 0 { Vec::new() } else { vec![(0, constant)] };
        Self { degree, modulus, terms }
    }

    /// Returns the integer polynomial with these exponents, below the degree, and coefficients, for the rotation of a test
    /// polynomial other than TV_0.
    pub(crate) fn of_terms(degree: usize, modulus: u64, terms: Vec<(usize, i64)>) -> Self {
        Self { degree, modulus, terms }
    }

    /// Returns the same exponents with other coefficients.
    pub(crate) fn map(&self, mut of: impl FnMut(i64) -> i64) -> Self {
        let terms = self.terms.iter().map(|&(x, c)| (x, of(c))).collect();
        Self { terms, ..*self }
    }

    /// Returns the modulus P of the values that it encodes.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the exponents, in increasing order, and the nonzero coefficients.
    #[must_use]
    pub fn terms(&self) -> &[(usize, i64)] {
        &self.terms
    }

    /// Returns the same phases in units of Q/2PR: R·c, with the modulus PR.
    #[must_use]
    pub fn finer(&self, factor: u64) -> Self {
        Self { modulus: self.modulus * factor, ..self.map(|c| c * factor as i64) }
    }

    /// Returns half the sum of the phases of two tests, with the modulus 2P: the sum's coefficients, in units of Q/4P.
    ///
    /// The phases are those of the integers that `self` and `other` represent, so half the sum and half the difference of
    /// the same two tests fit together: their sum is `self`, in phases and in errors.
    ///
    /// # Panics
    /// If moduli or degrees differ.
    #[must_use]
    pub fn half_sum(&self, other: &Self) -> Self {
        self.combined(other, 1)
    }

    /// Returns half the difference of the phases of two tests, like [`FactoredTest::half_sum`].
    ///
    /// # Panics
    /// If moduli or degrees differ.
    #[must_use]
    pub fn half_difference(&self, other: &Self) -> Self {
        self.combined(other, -1)
    }

    fn combined(&self, other: &Self, sign: i64) -> Self {
        assert_eq!((self.degree, self.modulus), (other.degree, other.modulus), "degree, modulus");
        let mut sums: BTreeMap<usize, i64> = self.terms.iter().copied().collect();
        for &(x, c) in &other.terms {
            *sums.entry(x).or_default() += sign * c;
        }
        let terms = sums.into_iter().filter(|&(_, c)| c != 0).collect();
        Self { degree: self.degree, modulus: 2 * self.modulus, terms }
    }

    /// Returns the squared Euclidean norm |c|², the factor of a rotation's variance.
    #[must_use]
    pub fn squared_norm(&self) -> f64 {
        self.terms.iter().map(|&(_, c)| (c as f64).powi(2)).sum()
    }

    /// Returns `c·product` for an RLWE ciphertext `product` = TV_0·X^(-phase), by additions only, N per term.
    ///
    /// # Panics
    /// If degrees differ.
    #[must_use]
    pub fn times(&self, ring: &PrimeRing, product: &RlweCiphertext) -> RlweCiphertext {
        assert_eq!(self.degree, ring.degree(), "degree of a test polynomial");
        let mut out = RlweCiphertext::zero(ring);
        let n = ring.degree();
        for (to, from) in out.words_mut().chunks_exact_mut(n).zip(product.words().chunks_exact(n)) {
            self.multiply(ring, to, from);
        }
        out
    }

    /// Returns coefficient `position` of c(X^stride)·rotated as LWE modulo Q, for a test of degree N/stride whose TV_0 is in
    /// the coefficients `position` modulo `stride`.
    ///
    /// # Panics
    /// If the degrees do not fit, or the position is not below the stride.
    #[must_use]
    pub fn extract(
        &self,
        ring: &PrimeRing,
        rotated: &RlweCiphertext,
        stride: usize,
        position: usize,
    ) -> LweCiphertext {
        let n = ring.degree();
        assert!(self.degree * stride == n && position < stride, "degree of a test polynomial");
        let mut sum = LweCiphertext::from_words(vec![0; n + 1], ring.modulus().value());
        for &(exponent, c) in &self.terms {
            // Coefficient `position` of X^e·r is coefficient position - e of r, negated if it passes X^0.
            let e = stride * exponent;
            let (from, c) = if e <= position { (position - e, c) } else { (n + position - e, -c) };
            let mut term = rotated.extract(ring, from);
            term.mul_integer_assign(c);
            sum.add_assign(&term);
        }
        sum
    }

    /// Computes `out = c·source`, on coefficients.
    fn multiply(&self, ring: &PrimeRing, out: &mut [u64], source: &[u64]) {
        let m = ring.modulus();
        let q = m.value() as i64;
        let centred = |&word: &u64| if 2 * word as i64 > q { word as i64 - q } else { word as i64 };
        let source: Vec<i64> = source.iter().map(centred).collect();
        // Largest sum of absolute coefficients whose products with words up to Q/2 fit an i64.
        let limit = i64::MAX / (q / 2 + 1);
        let mut sums = vec![0i64; source.len()];
        let mut reach = 0;
        for &(exponent, c) in &self.terms {
            if reach + c.abs() > limit {
                sums.iter_mut().for_each(|sum| *sum = m.reduce_i64(*sum) as i64);
                reach = 2;
            }
            reach += c.abs();
            assert!(reach <= limit, "coefficient {c} of TV_1");
            let (kept, wrapped) = source.split_at(source.len() - exponent);
            let (low, high) = sums.split_at_mut(exponent);
            for (sum, &word) in high.iter_mut().zip(kept) {
                *sum += c * word;
            }
            for (sum, &word) in low.iter_mut().zip(wrapped) {
                *sum -= c * word;
            }
        }
        for (word, sum) in out.iter_mut().zip(sums) {
            *word = m.reduce_i64(sum);
        }
    }

    /// Returns the variance of a lookup in this test, modulo Q: |c|²·σ_acc².
    #[must_use]
    pub fn noise(&self, model: &NoiseModel) -> Variance {
        model.blind_rotation() * self.squared_norm()
    }
}

/// BootRaw of several test polynomials with one blind rotation; results have phases v·Q/P, LWE modulo Q of dimension N.
///
/// Result i has variance |TV_1|²·σ_acc² ([`UnscaledTest::squared_norm`]); the errors of the results are not independent.
/// Rounding Q/2P adds less than |TV_1|_1/2 units of Q.
///
/// # Panics
/// If the moduli of the tests differ, or their degree is not N; also same as [`EvaluationKey::blind_rotate`].
#[must_use]
pub fn boot_raw_factored(
    key: &EvaluationKey,
    tests: &[FactoredTest],
    phase: &LweCiphertext,
) -> Vec<LweCiphertext> {
    let Some(first) = tests.first() else { return Vec::new() };
    assert!(tests.iter().all(|test| test.modulus == first.modulus), "moduli of tests");
    let ring = key.parameters().ring();
    let common = TestPolynomial::sign(ring, half_slot(first.modulus, ring.modulus().value()));
    let rotated = key.blind_rotate(&common.to_rlwe(ring), phase);
    tests.iter().map(|test| test.times(ring, &rotated).extract(ring, 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns c·(1 + X + … + X^(N-1)) by schoolbook multiplication.
    fn expanded(test: &FactoredTest) -> Vec<i64> {
        let n = test.degree;
        (0..n).map(|x| test.terms.iter().map(|&(i, c)| if i <= x { c } else { -c }).sum()).collect()
    }

    /// Returns the least squared norm of v - v·X over all v in {v, v + P}^N, centred modulo 2P.
    fn least_norm(values: &[u64], p: i64) -> i64 {
        let n = values.len();
        let centred = |c: i64| {
            let c = c.rem_euclid(2 * p);
            if c > p { c - 2 * p } else { c }
        };
        (0..1 << n)
            .map(|choice: u32| {
                let v = |x: usize| values[x] as i64 + p * i64::from(choice >> x & 1);
                let steps = (1..n).map(|x| centred(v(x) - v(x - 1)).pow(2));
                steps.sum::<i64>() + centred(v(0) + v(n - 1)).pow(2)
            })
            .min()
            .unwrap()
    }

    proptest! {
        #[test]
        fn factors_are_exact_and_least(
            modulus in 2u64..20, values in prop::collection::vec(0u64..20, 1..9),
        ) {
            let test = UnscaledTest::from_fn(values.len(), modulus, |x| values[x as usize]);
            let factored = test.factored();
            // Twice the value modulo 2P is the value modulo P.
            for (sum, value) in expanded(&factored).iter().zip(test.values()) {
                prop_assert_eq!((sum - 2 * *value as i64).rem_euclid(2 * modulus as i64), 0);
            }
            prop_assert_eq!(test.squared_norm() as i64, least_norm(test.values(), modulus as i64));
            let worst = UnscaledTest::worst_squared_norm(values.len() as u64, modulus);
            prop_assert!(test.squared_norm() <= worst);
        }
    }

    #[test]
    fn halves_of_sums_fit_together() {
        let test = |factor: u64| UnscaledTest::from_fn(32, 10, |x| x / 4 * factor + 1).factored();
        let (x, y) = (test(3), test(7));
        let (sum, difference) = (x.half_sum(&y), x.half_difference(&y));
        assert_eq!((sum.modulus(), difference.modulus()), (20, 20));
        let expanded = [&x, &y, &sum, &difference].map(expanded);
        for ((x, y), (sum, difference)) in
            expanded[0].iter().zip(&expanded[1]).zip(expanded[2].iter().zip(&expanded[3]))
        {
            // In units of Q/40 instead of Q/20.
            assert_eq!((sum + difference, sum - difference), (2 * x, 2 * y));
        }
        assert_eq!(x.finer(2).terms(), x.half_sum(&x).terms());
    }

    /// The coefficients are so large that sums must be reduced on the way.
    #[test]
    fn products_are_those_of_residues() {
        let ring = PrimeRing::new(32, cryptable_ring::primes::ntt_primes(32, 49.9, 1, &[])[0]);
        let modulus = MAX_UNSCALED_MODULUS;
        let test = UnscaledTest::from_fn(32, modulus, |x| x % 2 * (modulus / 2)).factored();
        let q = i128::from(ring.modulus().value());
        let mut rlwe = RlweCiphertext::zero(&ring);
        for (x, word) in rlwe.words_mut().iter_mut().enumerate() {
            *word = ring.modulus().value() / 2 - x as u64;
        }
        let product = test.times(&ring, &rlwe);
        for (out, source) in product.words().chunks(32).zip(rlwe.words().chunks(32)) {
            for (x, &word) in out.iter().enumerate() {
                let terms = test.terms().iter().map(|&(i, c)| {
                    let sign = if i <= x { 1 } else { -1 };
                    sign * i128::from(c) * i128::from(source[(x + 32 - i) % 32])
                });
                assert_eq!(i128::from(word), terms.sum::<i128>().rem_euclid(q), "coefficient {x}");
            }
        }
    }

    #[test]
    fn worst_norm_is_reached() {
        // Alternating 0 and P/2: every step is P/2.
        let test = UnscaledTest::from_fn(64, 16, |x| x / 8 % 2 * 8);
        assert_eq!(test.squared_norm(), UnscaledTest::worst_squared_norm(8, 16));
    }
}

//! Division by dropped primes, rounded to nearest: ModDown, rescale, or both at once. It comes in steps, which can be
//! part of other passes over limbs.
//!
//! The quotient is `round(x/D) = (x - [x]_D)/D` modulo every prime that is kept, where D is the product of the dropped
//! ones and `[x]_D` the representative of least absolute value. This takes one inverse NTT per dropped limb and one NTT
//! per kept one.

use std::sync::Arc;

use rayon::prelude::*;

use crate::base_conversion::BaseConverter;
use crate::{Basis, Ring, kernels};

/// The division of polynomials by the special and the top main primes of their basis.
#[derive(Debug)]
pub struct RoundedDivision<'a> {
    ring: &'a Ring,
    kept: Basis,
    converter: Arc<BaseConverter>,
}

impl<'a> RoundedDivision<'a> {
    /// Returns the division of polynomials of a basis by all special primes and the top `rescale` main primes. Returns
    /// `None` if there is nothing to divide by, or if a limb loses only its second prime, so that the limb has to be
    /// cut in two.
    ///
    /// ```
    /// use cryptable_ring::{Basis, Ring, RoundedDivision, primes::ntt_primes};
    /// let ring = Ring::new(16, &ntt_primes(16, 49.0, 3, &[]), &[]);
    /// let division = RoundedDivision::new(&ring, Basis::main(3), 1).expect("a prime is dropped");
    /// assert_eq!(division.kept(), Basis::main(2));
    /// assert!(RoundedDivision::new(&ring, Basis::main(3), 0).is_none());
    /// ```
    ///
    /// # Panics
    /// If no main prime would be left.
    #[must_use]
    pub fn new(ring: &'a Ring, from: Basis, rescale: usize) -> Option<Self> {
        assert!(rescale < from.main, "rescale {rescale} of {from:?}");
        let kept = from.without_special().lowered(from.main - rescale);
        let is_split = rescale > 0 && from.shared.is_second(kept.main);
        let dropped: Vec<usize> =
            (kept.limbs()..from.limbs()).map(|limb| ring.prime_index(from, limb)).collect();
        (!is_split && !dropped.is_empty()).then(|| Self::by(ring, kept, &dropped))
    }

    /// Returns the division by the product of the moduli with these numbers, to the basis `kept`.
    pub(crate) fn by(ring: &'a Ring, kept: Basis, dropped: &[usize]) -> Self {
        Self { ring, kept, converter: ring.converter(dropped) }
    }

    /// Returns the primes that remain.
    #[must_use]
    pub fn kept(&self) -> Basis {
        self.kept
    }

    /// Prepares a dropped limb, by its index among the dropped ones: converts evaluations to the input of
    /// [`RoundedDivision::remainders`].
    pub fn prepare(&self, index: usize, words: &mut [u64]) {
        self.converter.prepare(self.ring.tables(), index, words);
    }

    /// Computes the coefficients of `[x]_D` modulo the kept primes, from all dropped limbs after
    /// [`RoundedDivision::prepare`].
    ///
    /// # Panics
    /// If the slices do not have the length of all dropped and of all kept limbs.
    pub fn remainders(&self, prepared: &[u64], out: &mut [u64]) {
        assert_eq!(out.len(), self.kept.limbs() * self.ring.degree(), "words of {:?}", self.kept);
        let limbs = out.chunks_mut(self.ring.degree()).enumerate();
        let mut targets: Vec<(usize, &mut [u64])> =
            limbs.map(|(limb, words)| (self.ring.prime_index(self.kept, limb), words)).collect();
        self.converter.convert_prepared(self.ring.tables(), prepared, &mut targets);
    }

    /// Transforms one limb of the remainder to evaluations.
    pub fn transform(&self, limb: usize, remainder: &mut [u64]) {
        self.ring.table(self.ring.prime_index(self.kept, limb)).forward_assign(remainder);
    }

    /// Returns 1/D modulo a kept limb.
    #[must_use]
    pub fn inverse(&self, limb: usize) -> u64 {
        self.converter.product_inverse(self.ring.prime_index(self.kept, limb))
    }

    /// Overwrites a limb of the remainder with the quotient's, given the dividend's; all three are evaluations.
    pub fn finish(&self, limb: usize, remainder: &mut [u64], dividend: &[u64]) {
        let prime = self.ring.prime_index(self.kept, limb);
        let m = self.ring.modulus(prime);
        let minus_inverse = m.value() - self.inverse(limb);
        kernels::sub_mul_scalar_assign(m, remainder, dividend, minus_inverse);
    }

    /// Performs the whole division: writes the quotient of `dividend`, the kept limbs, to `out`. Overwrites the dropped
    /// limbs.
    pub(crate) fn divide(&self, dividend: &[u64], dropped: &mut [u64], out: &mut [u64]) {
        let degree = self.ring.degree();
        let limbs = dropped.par_chunks_mut(degree).enumerate();
        limbs.for_each(|(index, words)| self.prepare(index, words));
        self.remainders(dropped, out);
        let limbs = out.par_chunks_mut(degree).zip(dividend.par_chunks(degree)).enumerate();
        limbs.for_each(|(limb, (remainder, dividend))| {
            self.transform(limb, remainder);
            self.finish(limb, remainder, dividend);
        });
    }
}

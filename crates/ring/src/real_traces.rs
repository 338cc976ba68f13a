//! Maps between the ring of X^N + 1 and the real ring of degree N, through the ring of degree 2N that contains both:
//! products with one of its elements, and traces.
//!
//! Let L be the 4N-th cyclotomic field, K the 2N-th (whose X is the square of that of L) and R the maximal real
//! subfield of L. Traces from L to R and to K are sums of two conjugates. The evaluations of all three are in
//! bit-reversed order, which makes conjugates neighbours: at evaluation j < N of L, and at its mirror image 2N - 1 - j,
//! an element of R has its evaluation j, and an element of K has its evaluations ⌊j/2⌋ and N - 1 - ⌊j/2⌋.

use crate::{Basis, Buffer, Evaluations, NttTable, Poly, Ring, kernels};

/// An element of the ring of degree 2N that multiplies polynomials before a trace: its evaluations for some primes.
#[derive(Clone, Debug)]
pub struct TraceFactor {
    basis: Basis,
    degree: usize,
    /// For each limb, N evaluations, followed by the N others in mirrored order.
    words: Buffer,
}

impl TraceFactor {
    /// Evaluates the element with these 2N coefficients modulo the primes of a basis.
    ///
    /// # Panics
    /// If there are not 2N coefficients, or a prime has no 4N-th root of unity.
    #[must_use]
    pub fn new(ring: &Ring, basis: Basis, coefficients: &[i64]) -> Self {
        let degree = ring.degree();
        assert_eq!(coefficients.len(), 2 * degree);
        let mut words = Buffer::unspecified(2 * degree * basis.limbs());
        for (prime, words) in ring.limb_primes(basis).into_iter().zip(words.chunks_mut(2 * degree))
        {
            let modulus = *ring.modulus(prime);
            let table = NttTable::new(2 * degree, modulus).expect("a 4N-th root of unity");
            kernels::from_signed(&modulus, words, coefficients);
            table.forward_assign(words);
            words[degree..].reverse();
        }
        Self { basis, degree, words }
    }

    /// Returns the memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// Returns the factor of each evaluation of one limb, and the factor of its mirror image.
    fn limb(&self, limb: usize) -> (&[u64], &[u64]) {
        self.words[2 * self.degree * limb..][..2 * self.degree].split_at(self.degree)
    }

    /// Returns a polynomial for traces, not yet written, on a basis whose primes the factor has.
    fn unwritten(&self, ring: &Ring, basis: Basis) -> Poly<Evaluations> {
        assert!(basis.limbs() <= self.basis.limbs(), "{basis:?} above {:?}", self.basis);
        Poly::unspecified(ring, basis)
    }

    /// Returns the trace to the real ring of `factor·poly`, for a polynomial modulo X^N + 1.
    ///
    /// # Panics
    /// If the polynomial has more primes than the factor, or the rings do not have the same moduli.
    #[must_use]
    pub fn to_real(&self, real: &Ring, poly: &Poly<Evaluations>) -> Poly<Evaluations> {
        let mut traces = self.unwritten(real, poly.basis());
        let mut mirrored = Buffer::unspecified(self.degree);
        for (limb, out) in traces.words_mut().chunks_mut(self.degree).enumerate() {
            self.conjugates(real, poly, limb, [out, &mut mirrored]);
            let m = real.modulus(real.prime_index(poly.basis(), limb));
            kernels::add_assign(m, out, &mirrored);
        }
        traces
    }

    /// Returns both coordinates of `factor·poly` over the real ring, which a product with a secret needs: the trace of
    /// `factor·poly`, and the trace of i times it.
    ///
    /// # Panics
    /// Panics like [`TraceFactor::to_real`].
    #[must_use]
    pub fn to_real_coordinates(
        &self,
        real: &Ring,
        poly: &Poly<Evaluations>,
    ) -> [Poly<Evaluations>; 2] {
        let [mut first, mut second] = [(); 2].map(|()| self.unwritten(real, poly.basis()));
        let limbs = first.words_mut().chunks_mut(self.degree);
        for (limb, (first, second)) in
            limbs.zip(second.words_mut().chunks_mut(self.degree)).enumerate()
        {
            let table = real.table(real.prime_index(poly.basis(), limb));
            let m = table.modulus();
            self.conjugates(real, poly, limb, [first, second]);
            // The conjugate of i is -i: the second trace is i·(a - b) = i·(a + b) - 2i·b.
            let unit = table.imaginary_unit();
            kernels::add_assign(m, first, second);
            kernels::mul_scalar_assign(m, second, m.neg(m.add(unit, unit)));
            kernels::mul_scalar_add_assign(m, second, first, unit);
        }
        [first, second]
    }

    /// Writes the evaluations of one limb of `factor·poly`, and those at their mirror images.
    fn conjugates(
        &self,
        real: &Ring,
        poly: &Poly<Evaluations>,
        limb: usize,
        [out, mirrored]: [&mut [u64]; 2],
    ) {
        let m = real.modulus(real.prime_index(poly.basis(), limb));
        let (values, (factors, mirrored_factors)) = (poly.limb(limb), self.limb(limb));
        for (pair, &value) in out.chunks_mut(2).zip(values) {
            pair.fill(value);
        }
        for (pair, &value) in mirrored.chunks_mut(2).zip(values.iter().rev()) {
            pair.fill(value);
        }
        kernels::mul_assign(m, out, factors);
        kernels::mul_assign(m, mirrored, mirrored_factors);
    }

    /// Returns the trace to the ring of X^N + 1 of `factor·poly`, for an element of the real ring.
    ///
    /// # Panics
    /// Panics like [`TraceFactor::to_real`].
    #[must_use]
    pub fn to_complex(&self, ring: &Ring, poly: &Poly<Evaluations>) -> Poly<Evaluations> {
        let degree = self.degree;
        let mut traces = self.unwritten(ring, poly.basis());
        let mut products = Buffer::unspecified(degree);
        for (limb, out) in traces.words_mut().chunks_mut(degree).enumerate() {
            let m = ring.modulus(ring.prime_index(poly.basis(), limb));
            let (factors, mirrored_factors) = self.limb(limb);
            let (low, high) = out.split_at_mut(degree / 2);
            kernels::mul(m, &mut products, poly.limb(limb), factors);
            for (out, pair) in low.iter_mut().zip(products.chunks(2)) {
                *out = m.add(pair[0], pair[1]);
            }
            kernels::mul(m, &mut products, poly.limb(limb), mirrored_factors);
            for (out, pair) in high.iter_mut().rev().zip(products.chunks(2)) {
                *out = m.add(pair[0], pair[1]);
            }
        }
        traces
    }
}

/// Returns the coefficients of X times an element of the ring of degree 2N.
#[must_use]
pub fn times_x(coefficients: &[i64]) -> Vec<i64> {
    let mut turned = coefficients.to_vec();
    turned.rotate_right(1);
    if let Some(first) = turned.first_mut() {
        *first = -*first;
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::Chain;
    use crate::primes::ntt_primes;
    use crate::{Coefficients, RingModuli};

    const DEGREE: usize = 64;

    fn rings() -> [Ring; 2] {
        let moduli =
            RingModuli::new(DEGREE, vec![Chain::new(&ntt_primes(2 * DEGREE, 49.0, 2, &[]))], &[]);
        [Ring::of(moduli.clone()), Ring::real(moduli)]
    }

    fn sample(count: usize, seed: i64) -> Vec<i64> {
        (0..count as i64).map(|i| (i * i * 31 + seed * i + 7) % 101 - 50).collect()
    }

    /// Returns the product modulo X^n + 1.
    fn product(a: &[i64], b: &[i64]) -> Vec<i64> {
        let length = a.len();
        let mut product = vec![0; length];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let (place, sign) = if i + j < length { (i + j, 1) } else { (i + j - length, -1) };
                product[place] += sign * a * b;
            }
        }
        product
    }

    /// Maps X^k to X^-k, modulo X^n + 1.
    fn conjugate(a: &[i64]) -> Vec<i64> {
        (0..a.len()).map(|k| if k == 0 { a[0] } else { -a[a.len() - k] }).collect()
    }

    fn check(ring: &Ring, found: Poly<Evaluations>, expected: &[i64]) {
        let expected = Poly::<Coefficients>::from_signed(ring, ring.main_basis(2), expected);
        assert!(found.into_coefficients(ring) == expected);
    }

    #[test]
    fn traces_are_sums_of_conjugates() {
        let [ring, real] = rings();
        let basis = ring.main_basis(2);
        let factor = sample(2 * DEGREE, 3);
        let traces = TraceFactor::new(&ring, basis, &factor);

        // An element of K has its coefficients at the even places of L.
        let of_complex = sample(DEGREE, 5);
        let mut lifted = vec![0; 2 * DEGREE];
        lifted.iter_mut().step_by(2).zip(&of_complex).for_each(|(out, &a)| *out = a);
        let poly =
            Poly::<Coefficients>::from_signed(&ring, basis, &of_complex).into_evaluations(&ring);
        let mut imaginary = vec![0; 2 * DEGREE];
        imaginary[DEGREE] = 1;
        let trace = |whole: &[i64]| -> Vec<i64> {
            let sums = whole.iter().zip(conjugate(whole)).map(|(a, b)| a + b);
            sums.take(DEGREE).collect()
        };
        let whole = product(&factor, &lifted);
        let [first, second] = traces.to_real_coordinates(&real, &poly);
        check(&real, traces.to_real(&real, &poly), &trace(&whole));
        check(&real, first, &trace(&whole));
        check(&real, second, &trace(&product(&imaginary, &whole)));

        // An element of the real ring is its own conjugate; the trace to K is twice the even coefficients.
        let of_real = sample(DEGREE, 11);
        let mut lifted = vec![0; 2 * DEGREE];
        lifted[..DEGREE].copy_from_slice(&of_real);
        (1..DEGREE).for_each(|k| lifted[2 * DEGREE - k] = -of_real[k]);
        let poly =
            Poly::<Coefficients>::from_signed(&real, basis, &of_real).into_evaluations(&real);
        for factor in [factor.clone(), times_x(&factor)] {
            let whole = product(&factor, &lifted);
            let trace: Vec<i64> = whole.iter().step_by(2).map(|a| 2 * a).collect();
            let traces = TraceFactor::new(&ring, basis, &factor);
            check(&ring, traces.to_complex(&ring, &poly), &trace);
        }
    }
}

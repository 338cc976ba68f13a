//! Polynomials in residue number system form.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use crate::{Basis, Buffer, Modulus, Ring, Rounding, kernels};

mod sealed {
    pub trait Sealed {}
}

/// How the words of a [`Poly`] are to be read; a type, so that mixing domains does not compile.
pub trait Domain: sealed::Sealed + Copy + Send + Sync + 'static {}

/// Words are coefficients of `1, X, …, X^(N-1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficients;

/// Words are values at the odd powers of a 2N-th root of unity (see [`crate::NttTable`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluations;

impl sealed::Sealed for Coefficients {}
impl sealed::Sealed for Evaluations {}
impl Domain for Coefficients {}
impl Domain for Evaluations {}

/// A polynomial of `Z_Q[X]/(X^N + 1)`: one limb of N words for each prime of its [`Basis`], limb
/// after limb in one contiguous buffer, words in `[0, prime)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poly<D: Domain> {
    words: Buffer,
    degree: usize,
    basis: Basis,
    domain: PhantomData<D>,
}

impl<D: Domain> Poly<D> {
    /// The zero polynomial.
    #[must_use]
    pub fn zero(ring: &Ring, basis: Basis) -> Self {
        Self::from_buffer(ring, basis, Buffer::zeroed(ring.degree() * basis.limbs()))
    }

    /// A polynomial of unspecified words, every limb of which is to be written before it is read.
    #[must_use]
    pub fn unspecified(ring: &Ring, basis: Basis) -> Self {
        Self::from_buffer(ring, basis, Buffer::unspecified(ring.degree() * basis.limbs()))
    }

    fn from_buffer(ring: &Ring, basis: Basis, words: Buffer) -> Self {
        assert_eq!(words.len(), ring.degree() * basis.limbs(), "words of {basis:?}");
        Self { words, degree: ring.degree(), basis, domain: PhantomData }
    }

    /// Takes a limb-major buffer as a polynomial; words must be reduced.
    ///
    /// # Panics
    /// If the buffer's length is not N times the number of limbs.
    #[must_use]
    pub fn from_words(ring: &Ring, basis: Basis, words: Vec<u64>) -> Self {
        Self::from_buffer(ring, basis, words.into())
    }

    /// The primes that the polynomial is given by.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// All words, limb after limb.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A copy of all words, limb after limb.
    #[must_use]
    pub fn into_words(self) -> Vec<u64> {
        self.words.to_vec()
    }

    /// All words, limb after limb, for writing; they must stay below their primes.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The N words of one limb.
    #[must_use]
    pub fn limb(&self, limb: usize) -> &[u64] {
        &self.words[limb * self.degree..(limb + 1) * self.degree]
    }

    /// Runs `f(modulus, words)` on every limb, on all threads.
    pub fn for_each_limb(&mut self, ring: &Ring, f: impl Fn(&Modulus, &mut [u64]) + Sync) {
        let basis = self.basis;
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            f(ring.modulus(ring.prime_index(basis, limb)), words);
        });
    }

    /// Runs `f(modulus, words, other's words)` on every limb of two polynomials of one basis.
    fn zip_limbs(
        &mut self,
        ring: &Ring,
        other: &Self,
        f: impl Fn(&Modulus, &mut [u64], &[u64]) + Sync,
    ) {
        assert_eq!(self.basis, other.basis, "operands have different bases");
        let basis = self.basis;
        let limbs = self.words.par_chunks_mut(self.degree).zip(other.words.par_chunks(self.degree));
        limbs.enumerate().for_each(|(limb, (a, b))| {
            f(ring.modulus(ring.prime_index(basis, limb)), a, b);
        });
    }

    /// Adds a polynomial of the same basis.
    pub fn add_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::add_assign);
    }

    /// Subtracts a polynomial of the same basis.
    pub fn sub_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::sub_assign);
    }

    /// Changes the sign of all coefficients.
    pub fn neg_assign(&mut self, ring: &Ring) {
        self.for_each_limb(ring, kernels::neg_assign);
    }

    /// Multiplies all coefficients by an integer.
    pub fn mul_integer_assign(&mut self, ring: &Ring, factor: i128) {
        self.for_each_limb(ring, |m, words| {
            kernels::mul_scalar_assign(m, words, m.reduce_i128(factor));
        });
    }

    /// Keeps the first `main` chain primes and no special ones: reduction modulo a divisor of Q.
    ///
    /// # Panics
    /// If the polynomial has special primes or fewer main ones.
    pub fn drop_to(&mut self, ring: &Ring, main: usize) {
        let (from, to) = (self.basis, self.basis.lowered(main));
        assert!(from.special == 0 && main <= from.main, "drop {from:?}");
        self.words.truncate(to.limbs() * self.degree);
        self.basis = to;
        if let Some(limb) = split_limb(from, to) {
            let m = ring.modulus(ring.prime_index(to, limb));
            reduce_assign(m, &mut self.words[limb * self.degree..]);
        }
    }

    /// One limb, for results modulo the first `main` primes, which this polynomial has and more: its words, or where
    /// results keep the first of two primes only, their residues.
    pub fn limb_of(&self, ring: &Ring, main: usize, limb: usize) -> Cow<'_, [u64]> {
        let words = self.limb(limb);
        if split_limb(self.basis, self.basis.lowered(main)) != Some(limb) {
            return Cow::Borrowed(words);
        }
        let mut reduced = vec![0; words.len()];
        let prime = ring.single_prime(self.basis.chain, main - 1);
        kernels::reduce(ring.modulus(prime), &mut reduced, words);
        Cow::Owned(reduced)
    }
}

/// The limb that has two primes in `from` and only the first of them in `to`, which has fewer primes.
fn split_limb(from: Basis, to: Basis) -> Option<usize> {
    (to.main < from.main && to.main > 0 && from.shared.is_second(to.main))
        .then(|| to.main_limbs() - 1)
}

/// Words of any modulus below 2^62, reduced.
fn reduce_assign(m: &Modulus, words: &mut [u64]) {
    let input = Buffer::copied(words);
    kernels::reduce(m, words, &input);
}

impl<D: Domain> zeroize::Zeroize for Poly<D> {
    fn zeroize(&mut self) {
        self.words.zeroize();
    }
}

impl Poly<Coefficients> {
    /// The polynomial of these signed coefficients, reduced modulo every prime of the basis.
    #[must_use]
    pub fn from_signed(ring: &Ring, basis: Basis, coefficients: &[i64]) -> Self {
        assert_eq!(coefficients.len(), ring.degree());
        let mut poly = Self::unspecified(ring, basis);
        poly.for_each_limb(ring, |m, words| kernels::from_signed(m, words, coefficients));
        poly
    }

    /// The evaluations of this polynomial, with one NTT per limb.
    #[must_use]
    pub fn into_evaluations(self, ring: &Ring) -> Poly<Evaluations> {
        self.into_evaluations_except(ring, &(0..0))
    }

    /// The evaluations of this polynomial, except in a range of limbs, which are left as they are:
    /// for limbs of unspecified words that nobody reads.
    #[must_use]
    pub fn into_evaluations_except(
        mut self,
        ring: &Ring,
        except: &Range<usize>,
    ) -> Poly<Evaluations> {
        let basis = self.basis;
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            if !except.contains(&limb) {
                ring.table(ring.prime_index(basis, limb)).forward_assign(words);
            }
        });
        Poly { words: self.words, degree: self.degree, basis, domain: PhantomData }
    }
}

impl Poly<Evaluations> {
    /// The coefficients of this polynomial, with one inverse NTT per limb.
    #[must_use]
    pub fn into_coefficients(mut self, ring: &Ring) -> Poly<Coefficients> {
        let basis = self.basis;
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            ring.table(ring.prime_index(basis, limb)).inverse_assign(words);
        });
        Poly { words: self.words, degree: self.degree, basis, domain: PhantomData }
    }

    /// Multiplies by a polynomial of the same basis.
    pub fn mul_assign(&mut self, ring: &Ring, other: &Self) {
        self.zip_limbs(ring, other, kernels::mul_assign);
    }

    /// The image under the automorphism `X -> X^element`, for odd elements.
    #[must_use]
    pub fn automorphism(&self, ring: &Ring, element: usize) -> Self {
        let permutation = ring.galois_permutation(element);
        let mut out = Self::unspecified(ring, self.basis);
        let limbs = out.words.par_chunks_mut(self.degree).zip(self.words.par_chunks(self.degree));
        limbs.for_each(|(out, input)| kernels::permute(out, input, &permutation));
        out
    }

    /// Multiplies by `X^(N/2)`, the constant i in slots.
    pub fn mul_imaginary_unit_assign(&mut self, ring: &Ring) {
        let (basis, half) = (self.basis, self.degree / 2);
        self.words.par_chunks_mut(self.degree).enumerate().for_each(|(limb, words)| {
            let prime = ring.prime_index(basis, limb);
            let (m, unit) = (ring.modulus(prime), ring.imaginary_unit(prime));
            kernels::mul_scalar_assign(m, &mut words[..half], unit);
            kernels::mul_scalar_assign(m, &mut words[half..], m.neg(unit));
        });
    }

    /// Divides by all special primes and the top `rescale` main primes, rounding to nearest.
    ///
    /// `x -> round(x / D)` modulo the remaining main primes, D the product of the dropped ones:
    /// ModDown, rescale, or both in one pass. It takes one inverse NTT per dropped limb and one NTT
    /// per remaining one. The rounding error is uniform in `[-1/2, 1/2]` a coefficient.
    #[must_use]
    pub fn divide_round(self, ring: &Ring, rescale: usize) -> Self {
        assert!(rescale < self.basis.main, "rescale {rescale} of {:?}", self.basis);
        let (basis, degree) = (self.basis, self.degree);
        let kept = basis.without_special().lowered(basis.main - rescale);
        let split = split_limb(basis, kept);
        let mut dropped: Vec<usize> =
            (kept.limbs()..basis.limbs()).map(|limb| ring.prime_index(basis, limb)).collect();
        if dropped.is_empty() && split.is_none() {
            return self;
        }
        let mut words = self.words;
        let (head, tail) = words.split_at_mut(kept.limbs() * degree);
        let mut with_second = Buffer::unspecified(0);
        let mut divisors: &[u64] = tail;
        if let Some(limb) = split {
            // The second prime of a limb goes, the first one stays: the remainder is a limb of its own.
            let words = &mut head[limb * degree..];
            with_second = Buffer::unspecified(degree + tail.len());
            let (second, rest) = with_second.split_at_mut(degree);
            let prime = |index| ring.single_prime(kept.chain, index);
            kernels::reduce(ring.modulus(prime(kept.main)), second, words);
            rest.copy_from_slice(tail);
            reduce_assign(ring.modulus(prime(kept.main - 1)), words);
            dropped.insert(0, prime(kept.main));
            divisors = &with_second;
        }
        // The quotient is written over the converted remainder: a buffer of its own length, whereas
        // the dividend's, with all dropped limbs, goes back to the free list.
        let mut quotient = Buffer::unspecified(kept.limbs() * degree);
        let mut targets: Vec<(usize, &mut [u64])> = quotient
            .chunks_mut(degree)
            .enumerate()
            .map(|(limb, words)| (ring.prime_index(kept, limb), words))
            .collect();
        ring.convert_base(&dropped, divisors, &mut targets, Rounding::Exact);
        drop(with_second);
        let converter = ring.converter(&dropped);
        let limbs = quotient.par_chunks_mut(degree).zip(head.par_chunks(degree));
        limbs.enumerate().for_each(|(limb, (remainder, dividend))| {
            let prime = ring.prime_index(kept, limb);
            ring.table(prime).forward_assign(remainder);
            let m = ring.modulus(prime);
            let minus_inverse = m.value() - converter.product_inverse(prime);
            kernels::sub_mul_scalar_assign(m, remainder, dividend, minus_inverse);
        });
        Self { words: quotient, basis: kept, degree, domain: PhantomData }
    }
}

impl Poly<Evaluations> {
    /// The polynomial at another chain's modulus: `x -> round(x·Q'/Q)` modulo Q', the product of its first `main` primes.
    ///
    /// Primes of the two chains differ. One inverse NTT a limb, one NTT a limb of the result; the rounding error is
    /// uniform in `[-1/2, 1/2]` a coefficient.
    ///
    /// # Panics
    /// If the polynomial has special primes, or the chains share a prime.
    #[must_use]
    pub fn switch_chain(&self, ring: &Ring, chain: usize, main: usize) -> Self {
        assert!(self.basis.special == 0 && self.basis.chain != chain, "{:?}", self.basis);
        let (target, degree) = (ring.chain_basis(chain, main), self.degree);
        let (from, to) = (ring.limb_primes(self.basis), ring.limb_primes(target));
        let product = |moduli: &[usize], m: &Modulus| {
            let values = moduli.iter().map(|&i| ring.modulus(i).value());
            values.fold(1, |product, q| m.mul(product, m.reduce(q)))
        };
        // x·Q' is 0 modulo Q', so (x·Q' - [x·Q']_Q)/Q is -[x·Q']_Q/Q there.
        let mut scaled = Buffer::copied(&self.words);
        scaled.par_chunks_mut(degree).zip(&from).for_each(|(words, &prime)| {
            let m = ring.modulus(prime);
            kernels::mul_scalar_assign(m, words, product(&to, m));
        });
        let mut out = Self::unspecified(ring, target);
        let mut targets: Vec<(usize, &mut [u64])> =
            to.iter().copied().zip(out.words.chunks_mut(degree)).collect();
        ring.convert_base(&from, &scaled, &mut targets, Rounding::Exact);
        out.words.par_chunks_mut(degree).zip(&to).for_each(|(words, &prime)| {
            let m = ring.modulus(prime);
            ring.table(prime).forward_assign(words);
            kernels::mul_scalar_assign(m, words, m.neg(m.inv(product(&from, m))));
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::primes::ntt_primes;
    use crate::{Chain, SharedLimbs};

    /// A ring whose second main modulus and last special one are products of two primes.
    fn ring() -> Ring {
        let mut moduli = ntt_primes(32, 45.0, 7, &[]);
        let pairs = ntt_primes(32, 22.5, 4, &[]);
        (moduli[1], moduli[6]) = (pairs[0] * pairs[1], pairs[2] * pairs[3]);
        Ring::new(32, &moduli[..4], &moduli[4..])
    }

    /// A chain of seven primes in limbs of two, one, two and two, and two special primes.
    fn shared_ring() -> Ring {
        let primes = ntt_primes(32, 24.9, 9, &[]);
        let shared = SharedLimbs::of_limbs(&[2, 1, 2, 2]);
        let chain = Chain { primes: primes[..7].to_vec(), shared };
        Ring::with_chains(32, vec![chain], &primes[7..])
    }

    /// The centred integers behind a polynomial, by the Chinese remainder theorem.
    fn integers(ring: &Ring, poly: &Poly<Coefficients>) -> Vec<BigInt> {
        let primes: Vec<BigInt> = ring
            .limb_primes(poly.basis())
            .iter()
            .map(|&i| BigInt::from(ring.modulus(i).value()))
            .collect();
        let product: BigInt = primes.iter().product();
        (0..ring.degree())
            .map(|i| {
                let mut x = BigInt::from(0);
                for (limb, q) in primes.iter().enumerate() {
                    let hat = &product / q;
                    let inverse = hat.modinv(q).expect("coprime moduli");
                    x += &hat * (inverse * poly.limb(limb)[i] % q);
                }
                let x = x % &product;
                if &x * 2 > product { x - &product } else { x }
            })
            .collect()
    }

    fn sample(ring: &Ring, basis: Basis) -> Poly<Coefficients> {
        let mut poly = Poly::<Coefficients>::zero(ring, basis);
        let mut state = 7u64;
        poly.for_each_limb(ring, |_, _| ());
        let degree = ring.degree();
        for (limb, words) in poly.words_mut().chunks_mut(degree).enumerate() {
            let m = ring.modulus(ring.prime_index(basis, limb));
            for word in words {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(limb as u64 | 1);
                *word = m.reduce(state >> 20);
            }
        }
        poly
    }

    /// The product of the primes of a basis.
    fn modulus(ring: &Ring, basis: Basis) -> BigInt {
        let moduli = ring.limb_primes(basis).into_iter();
        moduli.map(|i| BigInt::from(ring.modulus(i).value())).product()
    }

    fn check_division(ring: &Ring, basis: Basis, rescale: usize) {
        let poly = sample(ring, basis);
        let before = integers(ring, &poly);
        let after = poly.into_evaluations(ring).divide_round(ring, rescale);
        let kept_basis = basis.without_special().lowered(basis.main - rescale);
        assert_eq!(after.basis(), kept_basis);
        let kept = modulus(ring, kept_basis);
        let dropped = modulus(ring, basis) / &kept;
        for (x, y) in before.iter().zip(integers(ring, &after.into_coefficients(ring))) {
            // 2·|x - y·D| <= D, up to a multiple of the remaining modulus.
            let mut distance = (x - &y * &dropped) % (&kept * &dropped);
            if &distance * 2 > &kept * &dropped {
                distance -= &kept * &dropped;
            } else if &distance * -2 > &kept * &dropped {
                distance += &kept * &dropped;
            }
            assert!(distance.magnitude() * 2u8 <= *dropped.magnitude(), "{basis:?}: {distance}");
        }
    }

    #[test]
    fn divide_round_is_division_rounded_to_nearest() {
        for (special, rescale) in [(0, 1), (3, 0), (3, 1), (1, 0), (2, 2)] {
            check_division(&ring(), Basis::new(4, special), rescale);
        }
        let ring = shared_ring();
        for main in 2..=7 {
            for special in 0..=2 {
                for rescale in usize::from(special == 0)..main.min(5) {
                    let basis = Basis { special, ..ring.main_basis(main) };
                    check_division(&ring, basis, rescale);
                }
            }
        }
    }

    #[test]
    fn dropped_primes_leave_residues() {
        let ring = shared_ring();
        for (from, to) in [(7, 6), (7, 4), (6, 5), (5, 4), (3, 2), (3, 1), (2, 1), (4, 4)] {
            let poly = sample(&ring, ring.main_basis(from));
            let modulus = modulus(&ring, ring.main_basis(to));
            let residue = |x: BigInt| ((x % &modulus) + &modulus) % &modulus;
            let expected: Vec<BigInt> = integers(&ring, &poly).into_iter().map(residue).collect();
            let limbs: Vec<u64> = (0..ring.main_basis(to).limbs())
                .flat_map(|limb| poly.limb_of(&ring, to, limb).into_owned())
                .collect();
            let mut dropped = poly;
            dropped.drop_to(&ring, to);
            assert_eq!(dropped.words(), limbs);
            let found = integers(&ring, &dropped).into_iter().map(residue);
            assert!(found.eq(expected), "{from} to {to} primes");
        }
    }

    #[test]
    fn switching_chains_is_a_rounded_multiple() {
        let small = ntt_primes(32, 24.9, 5, &[]);
        let chains = vec![
            Chain { primes: small, shared: SharedLimbs::of_limbs(&[2, 1, 2]) },
            Chain::new(&ntt_primes(32, 47.0, 3, &[])),
        ];
        let ring = Ring::with_chains(32, chains, &[]);
        for (from, to) in [((1, 3), (0, 5)), ((1, 2), (0, 4)), ((0, 5), (1, 2)), ((0, 2), (1, 1))] {
            let poly = sample(&ring, ring.chain_basis(from.0, from.1));
            let x = integers(&ring, &poly);
            let found = poly.into_evaluations(&ring).switch_chain(&ring, to.0, to.1);
            let moduli =
                [from, to].map(|(chain, main)| modulus(&ring, ring.chain_basis(chain, main)));
            let [q, target] = &moduli;
            for (x, y) in x.iter().zip(integers(&ring, &found.into_coefficients(&ring))) {
                // 2·|x·Q' - y·Q| <= Q, up to a multiple of Q·Q'.
                let all = q * target;
                let distance = (((x * target - y * q) % &all) + &all) % &all;
                let distance = (&all - &distance).min(distance);
                assert!(distance * 2 <= *q, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn approximate_conversion_is_off_by_a_small_multiple_of_the_source() {
        let ring = ring();
        let sources = [4usize, 5, 6];
        let basis = Basis::new(0, 3);
        let poly = sample(&ring, basis);
        let expected = integers(&ring, &poly);
        let product: BigInt =
            sources.iter().map(|&i| BigInt::from(ring.modulus(i).value())).product();
        let source = poly.into_evaluations(&ring).words().to_vec();
        let mut out = vec![0u64; 4 * 32];
        let mut targets: Vec<(usize, &mut [u64])> = out.chunks_mut(32).enumerate().collect();
        ring.convert_base(&sources, &source, &mut targets, Rounding::Approximate);
        let out = Poly::<Coefficients>::from_words(&ring, Basis::main(4), out);
        for (x, y) in expected.iter().zip(integers(&ring, &out)) {
            let x = if x.sign() == num_bigint::Sign::Minus { x + &product } else { x.clone() };
            let multiple = (&y - &x) / &product;
            assert_eq!(&y - &x, &multiple * &product);
            assert!((0..3).contains(&i64::try_from(multiple).unwrap()));
        }
    }
}

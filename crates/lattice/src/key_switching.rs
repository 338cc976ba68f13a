//! Hybrid key switching (Han, Ki 2020), in steps that can be hoisted.
//!
//! `decompose` (ModUp) cuts a polynomial into digits and raises each to the modulus Q·P; `inner_product` multiplies the
//! digits by a key; dividing by P (ModDown) ends the switch. The first step does not depend on the key, so rotations of
//! one ciphertext share it (hoisting). The last one may be postponed until many results are added (double hoisting,
//! Bossuat et al. 2021), and merged with a rescale.
//!
//! Noise: each digit is at most `D/2` in absolute value, so switching adds, before division by P, the
//! variance `d·N·(D²/12)·σ²`, and the division's rounding adds `(1 + N·2/3)/12` for a dense secret.

use std::borrow::Cow;
use std::ops::Range;

use cryptable_ring::kernels::{Multiple, PackedRow};
use cryptable_ring::{
    Basis, Buffer, Coefficients, Evaluations, Modulus, Poly, Ring,
    kernels::{self, Permutation},
};
use rayon::prelude::*;

use crate::switching_key::{RlweCiphertext, SwitchingKey, SwitchingKeyShape};

/// The digits of a polynomial, each raised to the modulus Q·P.
#[derive(Debug)]
pub struct Digits<'a> {
    basis: Basis,
    digit_limbs: usize,
    /// The polynomial itself, from which each digit's own limbs are read.
    own: Option<&'a Poly<Evaluations>>,
    raised: Vec<Cow<'a, Poly<Evaluations>>>,
}

/// Computes the coefficients of each digit of `poly` modulo the primes that are not its own. Its own limbs stay
/// unspecified.
fn raise(
    ring: &Ring,
    poly: &Poly<Evaluations>,
    shape: SwitchingKeyShape,
) -> Vec<Poly<Coefficients>> {
    let main = poly.basis().main;
    let basis = shape.raised(main);
    assert_eq!(poly.basis(), basis.without_special(), "polynomial and key");
    assert!(main <= shape.basis.main, "{main} primes");
    let degree = ring.degree();
    (0..shape.digits_at(main))
        .into_par_iter()
        .map(|digit| {
            let own = shape.digit_range(digit, main);
            let sources: Vec<usize> =
                own.clone().map(|limb| ring.prime_index(basis, limb)).collect();
            let source = &poly.words()[own.start * degree..own.end * degree];
            let mut raised = Poly::<Coefficients>::unspecified(ring, basis);
            let mut targets: Vec<(usize, &mut [u64])> = raised
                .words_mut()
                .chunks_mut(degree)
                .enumerate()
                .filter(|(limb, _)| !own.contains(limb))
                .map(|(limb, words)| (ring.prime_index(basis, limb), words))
                .collect();
            ring.convert_base(&sources, source, &mut targets);
            raised
        })
        .collect()
}

impl<'a> Digits<'a> {
    /// Cuts `poly` into digits for keys of the given shape (ModUp).
    ///
    /// Needs `d·(l + k)` NTTs for l limbs, d digits and k special primes.
    ///
    /// # Panics
    /// If `poly` has special limbs or more limbs than the shape serves.
    #[must_use]
    pub fn decompose(ring: &Ring, poly: &'a Poly<Evaluations>, shape: SwitchingKeyShape) -> Self {
        let main = poly.basis().main;
        let basis = shape.raised(main);
        let raised = raise(ring, poly, shape)
            .into_par_iter()
            .enumerate()
            .map(|(digit, raised)| {
                let own = shape.digit_range(digit, main);
                Cow::Owned(raised.into_evaluations_except(ring, &own))
            })
            .collect();
        Self { basis, digit_limbs: shape.digit_limbs, own: Some(poly), raised }
    }

    /// Returns the single digit of a polynomial that is small against every prime: its lift to Q·P.
    ///
    /// `lifted` holds the same small integers modulo all primes of a basis. ModRaise uses this.
    #[must_use]
    pub fn from_lifted(lifted: &'a Poly<Evaluations>) -> Self {
        let basis = lifted.basis();
        Self {
            basis,
            digit_limbs: basis.main_limbs(),
            own: None,
            raised: vec![Cow::Borrowed(lifted)],
        }
    }

    /// Returns limb `limb` of digit `digit`.
    fn limb(&self, digit: usize, limb: usize) -> &[u64] {
        match self.own {
            Some(poly) if limb < self.basis.main_limbs() && limb / self.digit_limbs == digit => {
                poly.limb(limb)
            }
            _ => self.raised[digit].limb(limb),
        }
    }

    /// Returns the primes of each digit.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Computes some words of limb `limb` of the inner product with a key, `Σ d_i·b_i` and `Σ d_i·a_i`. Each sum is
    /// added to its multiple, which consists of the same words.
    pub fn inner_product_words(
        &self,
        ring: &Ring,
        key: &SwitchingKey,
        limb: usize,
        range: Range<usize>,
        sums: [KeySum<'_>; 2],
    ) {
        assert_eq!(key.shape().digit_limbs, self.digit_limbs, "digits of another shape");
        let digits: Vec<&[u64]> = (0..self.raised.len()).map(|d| self.limb(d, limb)).collect();
        multiply_by_key(ring, key, self.basis, limb, range, &digits, sums);
    }

    /// Returns the inner product with a key, modulo Q·P: a ciphertext of P times the input.
    #[must_use]
    pub fn inner_product(&self, ring: &Ring, key: &SwitchingKey) -> RlweCiphertext {
        let mut product = RlweCiphertext::unspecified(ring, self.basis);
        let degree = ring.degree();
        product.limbs_mut(degree).enumerate().for_each(|(limb, (out0, out1))| {
            let sums = KeySum::both([out0, out1], [None; 2]);
            self.inner_product_words(ring, key, limb, 0..degree, sums);
        });
        product
    }
}

/// The place for the sum of products with one part of a key, and a multiple that the sum is added to.
#[derive(Debug)]
pub struct KeySum<'a> {
    out: &'a mut [u64],
    multiple: Option<Multiple<'a>>,
}

impl<'a> KeySum<'a> {
    /// Returns the sums with both parts of a key: outputs, and limbs with the same number of words and their factors,
    /// which are residues.
    #[must_use]
    pub fn both(
        [out0, out1]: [&'a mut [u64]; 2],
        [multiple0, multiple1]: [Option<Multiple<'a>>; 2],
    ) -> [Self; 2] {
        [Self { out: out0, multiple: multiple0 }, Self { out: out1, multiple: multiple1 }]
    }

    /// Returns the words and those of the multiple, in blocks.
    fn blocks(&mut self) -> impl IndexedParallelIterator<Item = KeySum<'_>> {
        let multiple = self.multiple;
        self.out.par_chunks_mut(BLOCK).enumerate().map(move |(block, out)| {
            let range = block * BLOCK..block * BLOCK + out.len();
            KeySum { multiple: multiple.map(|(x, c)| (&x[range], c)), out }
        })
    }
}

/// Computes some words of one limb of the inner product of digits, which are residues modulo that limb of `basis`, with
/// a key. Multiples consist of the same words.
pub(crate) fn multiply_by_key(
    ring: &Ring,
    key: &SwitchingKey,
    basis: Basis,
    limb: usize,
    range: Range<usize>,
    digits: &[&[u64]],
    mut sums: [KeySum<'_>; 2],
) {
    let (prime, of_key) = (ring.prime_index(basis, limb), key.prime_index(ring, basis, limb));
    let digits: Vec<&[u64]> = digits.iter().map(|digit| &digit[range.clone()]).collect();
    let pair = |d| {
        let (b, a) = key.limb(d, basis, limb);
        (b.range(range.clone()), a.range(range.clone()))
    };
    let pairs: Vec<_> = (0..digits.len()).map(pair).collect();
    multiply_limb(ring.modulus(of_key), &digits, &pairs, &mut sums);
    if of_key != prime {
        // The key still has the second prime of this limb: sums modulo the product are right modulo the first.
        for KeySum { out, .. } in sums {
            let product = Buffer::copied(out);
            kernels::reduce(ring.modulus(prime), out, &product);
        }
    }
}

/// Words of one block of an inner product: digits stay in the second-level cache for both sums. With shorter blocks
/// they would stay in the first-level cache, but a key is read from memory at full speed only in longer runs: 512 words
/// take twice the time.
pub(crate) const BLOCK: usize = 8192;

/// Computes one limb of `Σ d_i·b_i` and `Σ d_i·a_i` for a key's limbs `(b_i, a_i)`, plus multiples. Both sums of a
/// block are computed while its digits are in the cache.
pub(crate) fn multiply_limb(
    m: &Modulus,
    digits: &[&[u64]],
    pairs: &[(PackedRow<'_>, PackedRow<'_>)],
    [sum0, sum1]: &mut [KeySum<'_>; 2],
) {
    let blocks = sum0.blocks().zip(sum1.blocks()).enumerate();
    blocks.for_each_init(Vec::new, |terms: &mut Vec<_>, (block, (sum0, sum1))| {
        let range = block * BLOCK..block * BLOCK + sum0.out.len();
        let rows = pairs.iter().map(|&(b, a)| [b.range(range.clone()), a.range(range.clone())]);
        terms.clear();
        terms.extend(digits.iter().map(|digit| &digit[range.clone()]).zip(rows));
        let multiples = [sum0.multiple, sum1.multiple];
        kernels::packed_inner_products(m, [sum0.out, sum1.out], terms, multiples);
    });
}

/// Computes `Σ_i f_i·(b_i, a_i)` for small polynomials f_i, given by their coefficients, and keys of one digit and no
/// special prime.
///
/// # Panics
/// If there are no keys, if their number is not that of polynomials, or if their bases differ.
#[must_use]
pub fn sum_of_products(
    ring: &Ring,
    factors: &[Vec<i64>],
    keys: &[&SwitchingKey],
) -> RlweCiphertext {
    assert_eq!(factors.len(), keys.len(), "a polynomial per key");
    let (basis, degree) = (keys[0].shape().basis, ring.degree());
    assert!(keys.iter().all(|key| key.shape().basis == basis), "keys of one basis");
    let mut sum = RlweCiphertext::unspecified(ring, basis);
    sum.limbs_mut(degree).enumerate().for_each(|(limb, (out0, out1))| {
        let prime = ring.prime_index(basis, limb);
        let m = ring.modulus(prime);
        let evaluate = |factor: &Vec<i64>| {
            let mut words = Buffer::unspecified(degree);
            kernels::from_signed(m, &mut words, factor);
            ring.table(prime).forward_assign(&mut words);
            words
        };
        let factors: Vec<Buffer> = factors.iter().map(evaluate).collect();
        let factors: Vec<&[u64]> = factors.iter().map(|words| &words[..]).collect();
        let rows: Vec<_> = keys.iter().map(|key| key.limb(0, basis, limb)).collect();
        multiply_limb(m, &factors, &rows, &mut KeySum::both([out0, out1], [None; 2]));
    });
    sum
}

/// The raised digits of a polynomial in coefficients, limb by limb. A pass over limbs transforms each one to
/// evaluations, and uses it while it is in the cache.
pub(crate) struct RaisedDigits<'a> {
    poly: &'a Poly<Evaluations>,
    shape: SwitchingKeyShape,
    raised: Vec<Poly<Coefficients>>,
}

impl<'a> RaisedDigits<'a> {
    /// Cuts `poly` into digits for a key (ModUp without the transforms).
    pub(crate) fn new(ring: &Ring, poly: &'a Poly<Evaluations>, key: &SwitchingKey) -> Self {
        let shape = key.shape();
        Self { poly, shape, raised: raise(ring, poly, shape) }
    }

    /// Returns the primes of each digit.
    pub(crate) fn basis(&self) -> Basis {
        self.shape.raised(self.poly.basis().main)
    }

    /// Returns every limb of all digits.
    pub(crate) fn limbs(&mut self, ring: &Ring) -> Vec<RaisedLimb<'_>> {
        let (poly, shape, basis) = (self.poly, self.shape, self.basis());
        let limb = |limb| {
            let own =
                (limb < basis.main_limbs()).then(|| (limb / shape.digit_limbs, poly.limb(limb)));
            RaisedLimb { basis, limb, own, digits: Vec::with_capacity(shape.digits()) }
        };
        let mut limbs: Vec<_> = (0..basis.limbs()).map(limb).collect();
        for digit in &mut self.raised {
            for (limb, words) in limbs.iter_mut().zip(digit.words_mut().chunks_mut(ring.degree())) {
                limb.digits.push(words);
            }
        }
        limbs
    }
}

/// One limb of all digits.
pub(crate) struct RaisedLimb<'a> {
    basis: Basis,
    limb: usize,
    /// The digit whose own limb this is, in evaluations.
    own: Option<(usize, &'a [u64])>,
    digits: Vec<&'a mut [u64]>,
}

impl<'a> RaisedLimb<'a> {
    /// Returns P times this limb of each polynomial that is present, and nothing for limbs of special primes.
    pub(crate) fn multiples<'b>(
        &self,
        ring: &Ring,
        add: [Option<&'b Poly<Evaluations>>; 2],
    ) -> [Option<Multiple<'b>>; 2] {
        let (basis, limb) = (self.basis, self.limb);
        if limb >= basis.main_limbs() {
            return [None; 2];
        }
        let factor = special_product(ring, basis, ring.prime_index(basis, limb));
        add.map(|add| add.map(|add| (add.limb(limb), factor)))
    }

    /// Transforms the limb to evaluations, for products with a key.
    pub(crate) fn into_evaluations(self, ring: &Ring) -> EvaluatedLimb<'a> {
        let Self { basis, limb, own, digits } = self;
        let table = ring.table(ring.prime_index(basis, limb));
        let evaluate = |(digit, words): (usize, &'a mut [u64])| match own {
            Some((of, words)) if of == digit => words,
            _ => {
                table.forward_assign(words);
                &*words
            }
        };
        // Limbs are divided among threads, too: threads that have no limb left share the last ones.
        let digits = digits.into_par_iter().enumerate().map(evaluate).collect();
        EvaluatedLimb { basis, limb, digits }
    }
}

/// One limb of all digits, in evaluations.
pub(crate) struct EvaluatedLimb<'a> {
    basis: Basis,
    limb: usize,
    digits: Vec<&'a [u64]>,
}

impl EvaluatedLimb<'_> {
    /// Computes words of the inner product with a key, `Σ d_i·b_i` and `Σ d_i·a_i`, each added to its multiple.
    pub(crate) fn multiply(
        &self,
        ring: &Ring,
        key: &SwitchingKey,
        range: Range<usize>,
        sums: [KeySum<'_>; 2],
    ) {
        multiply_by_key(ring, key, self.basis, self.limb, range, &self.digits, sums);
    }
}

/// Switches `poly·s'` to the secret s, without the division by P. The result is a ciphertext modulo Q·P of
/// `P·(poly·s' + add[0] + add[1]·s)`.
///
/// The whole switch is one pass over limbs: NTT, inner product and addition of a limb happen while it is in the cache.
///
/// # Panics
/// If the key's level is below that of `poly`.
#[must_use]
pub fn switch(
    ring: &Ring,
    poly: &Poly<Evaluations>,
    key: &SwitchingKey,
    add: [Option<&Poly<Evaluations>>; 2],
) -> RlweCiphertext {
    let mut raised = RaisedDigits::new(ring, poly, key);
    let (basis, degree) = (raised.basis(), ring.degree());
    let mut switched = RlweCiphertext::unspecified(ring, basis);
    switched.limbs_mut(degree).zip(raised.limbs(ring)).for_each(|((out0, out1), raised)| {
        let sums = KeySum::both([out0, out1], raised.multiples(ring, add));
        raised.into_evaluations(ring).multiply(ring, key, 0..degree, sums);
    });
    switched
}

/// Adds a switched polynomial modulo Q·P after an automorphism: `acc += σ((c0, 0) + switch(c1))`, limb by limb. The
/// switched polynomial never leaves the cache.
///
/// # Panics
/// If the key's level is below that of `c1`, or bases differ.
pub fn add_switched_image(
    ring: &Ring,
    acc: &mut RlweCiphertext,
    c0: &Poly<Evaluations>,
    c1: &Poly<Evaluations>,
    key: &SwitchingKey,
    permutation: &Permutation,
) {
    let mut raised = RaisedDigits::new(ring, c1, key);
    let (basis, degree) = (raised.basis(), ring.degree());
    let bases = [acc.c0.basis(), acc.c1.basis(), c0.basis()];
    assert!(bases.iter().all(|&found| found == basis), "{bases:?}, {basis:?}");
    let limbs = acc.limbs_mut(degree).zip(raised.limbs(ring));
    limbs.enumerate().for_each(|(limb, ((acc0, acc1), raised))| {
        let m = ring.modulus(ring.prime_index(basis, limb));
        let digits = raised.into_evaluations(ring);
        let blocks = acc0.par_chunks_mut(BLOCK).zip(acc1.par_chunks_mut(BLOCK)).enumerate();
        let sums = || [(); 2].map(|()| Buffer::unspecified(BLOCK.min(degree)));
        blocks.for_each_init(sums, |[sum0, sum1], (block, (acc0, acc1))| {
            // A block of the image consists of the words of one block, in another order.
            let part = permutation.part(block * BLOCK..block * BLOCK + acc0.len());
            let words = &c0.limb(limb)[part.source()];
            let of_key = KeySum::both([&mut *sum0, &mut *sum1], [Some((words, 1)), None]);
            digits.multiply(ring, key, part.source(), of_key);
            kernels::permute_add_assign(m, acc0, sum0, part);
            kernels::permute_add_assign(m, acc1, sum1, part);
        });
    });
}

/// Adds `P·poly` to an accumulator modulo Q·P (the special limbs are unchanged, since P is 0 there).
pub fn add_times_special(ring: &Ring, acc: &mut Poly<Evaluations>, poly: &Poly<Evaluations>) {
    let (basis, degree) = (acc.basis(), ring.degree());
    assert_eq!(basis.without_special(), poly.basis(), "operands have different bases");
    let limbs = acc.words_mut().par_chunks_mut(degree).zip(poly.words().par_chunks(degree));
    limbs.enumerate().for_each(|(limb, (acc, words))| {
        let prime = ring.prime_index(basis, limb);
        let factor = special_product(ring, basis, prime);
        kernels::mul_scalar_add_assign(ring.modulus(prime), acc, words, factor);
    });
}

/// Returns P, the product of the special primes of `basis`, modulo the modulus with this number.
#[must_use]
pub fn special_product(ring: &Ring, basis: Basis, prime: usize) -> u64 {
    let m = ring.modulus(prime);
    (basis.main_limbs()..basis.limbs()).fold(1, |product, limb| {
        m.mul(product, m.reduce(ring.modulus(ring.prime_index(basis, limb)).value()))
    })
}

//! Hybrid key switching (Han, Ki 2020), in parts that can be hoisted.
//!
//! `decompose` (ModUp) cuts a polynomial into digits and raises each to the modulus Q·P;
//! `inner_product` multiplies the digits by a key; dividing by P (ModDown) ends the switch. The first
//! part does not depend on the key, so rotations of one ciphertext share it (hoisting); the last may
//! be put off until many results are added (double hoisting, Bossuat et al. 2021) and merged with a
//! rescale.
//!
//! Noise: each digit is at most `D/2` in absolute value, so switching adds, before division by P, the
//! variance `d·N·(D²/12)·σ²`, and the division's rounding adds `(1 + N·2/3)/12` for a dense secret.

use cryptable_ring::base_conversion::Rounding;
use cryptable_ring::{Basis, Buffer, Evaluations, Poly, Ring, kernels};
use rayon::prelude::*;

use crate::switching_key::{RlweCiphertext, SwitchingKey, SwitchingKeyShape};

/// The digits of a polynomial, each raised to the modulus Q·P.
#[derive(Debug)]
pub struct Digits {
    basis: Basis,
    digit_limbs: usize,
    digits: Vec<Poly<Evaluations>>,
}

impl Digits {
    /// Cuts `poly` into digits for keys of the given shape (ModUp).
    ///
    /// NTTs: `d·(l + k)` for l limbs, d digits and k special primes.
    ///
    /// # Panics
    /// If `poly` has special limbs or more limbs than the shape serves.
    #[must_use]
    pub fn decompose(ring: &Ring, poly: &Poly<Evaluations>, shape: SwitchingKeyShape) -> Self {
        let main = poly.basis().main;
        assert!(poly.basis().special == 0 && main <= shape.basis.main, "{:?}", poly.basis());
        let basis = Basis { main, special: shape.basis.special };
        let degree = ring.degree();
        let digits = (0..shape.digits_at(main))
            .map(|digit| {
                let start = digit * shape.digit_limbs;
                let end = (start + shape.digit_limbs).min(main);
                let own = start * degree..end * degree;
                let sources: Vec<usize> = (start..end).collect();
                let mut source = Buffer::copied(&poly.words()[own.clone()]);
                let mut raised = Poly::<Evaluations>::unspecified(ring, basis);
                let mut targets: Vec<(usize, &mut [u64])> = raised
                    .words_mut()
                    .chunks_mut(degree)
                    .enumerate()
                    .filter(|(limb, _)| !(start..end).contains(limb))
                    .map(|(limb, words)| (ring.prime_index(basis, limb), words))
                    .collect();
                ring.converter(&sources).convert(ring, &mut source, &mut targets, Rounding::Exact);
                targets.into_par_iter().for_each(|(prime, words)| {
                    ring.table(prime).forward_assign(words);
                });
                raised.words_mut()[own.clone()].copy_from_slice(&poly.words()[own]);
                raised
            })
            .collect();
        Self { basis, digit_limbs: shape.digit_limbs, digits }
    }

    /// The single digit of a polynomial that is small against every prime: its lift to Q·P.
    ///
    /// `lifted` holds the same small integers modulo all primes of a basis; used by ModRaise.
    #[must_use]
    pub fn from_lifted(lifted: Poly<Evaluations>) -> Self {
        let basis = lifted.basis();
        Self { basis, digit_limbs: basis.main, digits: vec![lifted] }
    }

    /// The primes of each digit.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Limb `limb` of the inner product with a key: `out0 = Σ d_i·b_i`, `out1 = Σ d_i·a_i`.
    pub fn inner_product_limb(
        &self,
        ring: &Ring,
        key: &SwitchingKey,
        limb: usize,
        out0: &mut [u64],
        out1: &mut [u64],
    ) {
        assert_eq!(key.shape().digit_limbs, self.digit_limbs, "digits of another shape");
        let m = ring.modulus(ring.prime_index(self.basis, limb));
        let pairs: Vec<_> =
            (0..self.digits.len()).map(|digit| key.limb(digit, self.basis, limb)).collect();
        let terms0: Vec<_> =
            self.digits.iter().zip(&pairs).map(|(d, pair)| (d.limb(limb), pair.0)).collect();
        kernels::inner_product(m, out0, &terms0);
        let terms1: Vec<_> =
            self.digits.iter().zip(&pairs).map(|(d, pair)| (d.limb(limb), pair.1)).collect();
        kernels::inner_product(m, out1, &terms1);
    }

    /// The inner product with a key, modulo Q·P: a ciphertext of P times the input.
    #[must_use]
    pub fn inner_product(&self, ring: &Ring, key: &SwitchingKey) -> RlweCiphertext {
        let mut c0 = Poly::unspecified(ring, self.basis);
        let mut c1 = Poly::unspecified(ring, self.basis);
        let degree = ring.degree();
        let limbs = c0.words_mut().par_chunks_mut(degree).zip(c1.words_mut().par_chunks_mut(degree));
        limbs.enumerate().for_each(|(limb, (out0, out1))| {
            self.inner_product_limb(ring, key, limb, out0, out1);
        });
        RlweCiphertext { c0, c1 }
    }
}

/// Adds `P·poly` to an accumulator modulo Q·P (the special limbs are unchanged, since P is 0 there).
pub fn add_times_special(ring: &Ring, acc: &mut Poly<Evaluations>, poly: &Poly<Evaluations>) {
    let (basis, degree) = (acc.basis(), ring.degree());
    assert_eq!(Basis::main(basis.main), poly.basis(), "operands have different bases");
    let limbs = acc.words_mut().par_chunks_mut(degree).zip(poly.words().par_chunks(degree));
    limbs.enumerate().for_each(|(limb, (acc, words))| {
        let m = ring.modulus(limb);
        kernels::mul_scalar_add_assign(m, acc, words, special_product(ring, basis, limb));
    });
}

/// P, the product of the special primes of `basis`, modulo the prime with this index.
#[must_use]
pub fn special_product(ring: &Ring, basis: Basis, prime: usize) -> u64 {
    let m = ring.modulus(prime);
    (basis.main..basis.limbs()).fold(1, |product, limb| {
        m.mul(product, m.reduce(ring.modulus(ring.prime_index(basis, limb)).value()))
    })
}

/// Switches `c0 + c1·s'` to the secret s, dividing by the top `rescale` primes on the way.
///
/// # Panics
/// If the key's level is below the ciphertext's.
#[must_use]
pub fn switch_and_rescale(
    ring: &Ring,
    c0: &Poly<Evaluations>,
    c1: &Poly<Evaluations>,
    key: &SwitchingKey,
    rescale: usize,
) -> RlweCiphertext {
    let mut switched = Digits::decompose(ring, c1, key.shape()).inner_product(ring, key);
    add_times_special(ring, &mut switched.c0, c0);
    RlweCiphertext {
        c0: switched.c0.divide_round(ring, rescale),
        c1: switched.c1.divide_round(ring, rescale),
    }
}

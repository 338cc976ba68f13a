//! Transforms in portable code, one level at a time.
//!
//! Butterflies are those of `forward` and `inverse`. Numbers are below 4q between the levels of a forward transform,
//! and below 2q between those of an inverse one (Harvey, 2014).

use super::tree::{Points, mirror, twiddles};
use crate::Modulus;
use crate::modulus::Factor;

/// The twiddles of all nodes.
#[derive(Debug)]
pub(super) struct Tables(Vec<Factor>);

impl Tables {
    pub(super) fn new(m: &Modulus, degree: usize, points: Points) -> Self {
        let twiddles = twiddles(m, degree, points);
        Self(twiddles.into_iter().map(|w| Factor::new(m.value(), w)).collect())
    }

    /// See [`super::Transform::forward_assign`].
    pub(super) fn forward_assign(&self, m: &Modulus, words: &mut [u64]) {
        let q = m.value();
        for level in 0..words.len().ilog2() {
            let half = words.len() >> (level + 1);
            for (block, words) in words.chunks_exact_mut(2 * half).enumerate() {
                let w = self.0[(1 << level) + block];
                let (left, right) = words.split_at_mut(half);
                for (u, v) in left.iter_mut().zip(right) {
                    let (below_2q, product) = ((*u).min(u.wrapping_sub(2 * q)), w.mul_lazy(q, *v));
                    (*u, *v) = (below_2q + product, below_2q + 2 * q - product);
                }
            }
        }
        for word in words {
            let below_2q = (*word).min(word.wrapping_sub(2 * q));
            *word = m.subtract_once(below_2q);
        }
    }

    /// See [`super::Transform::inverse_scaled_assign`]; the tables are those of mirrored points.
    pub(super) fn inverse_assign(&self, m: &Modulus, words: &mut [u64], factor: u64) {
        let q = m.value();
        for level in (0..words.len().ilog2()).rev() {
            let half = words.len() >> (level + 1);
            for (block, words) in words.chunks_exact_mut(2 * half).enumerate() {
                let w = self.0[mirror((1 << level) + block)];
                let (left, right) = words.split_at_mut(half);
                for (u, v) in left.iter_mut().zip(right) {
                    let sum = *u + *v;
                    let product = w.mul_lazy(q, *v + 2 * q - *u);
                    (*u, *v) = (sum.min(sum.wrapping_sub(2 * q)), product);
                }
            }
        }
        let factor = Factor::new(q, factor);
        for word in words {
            *word = m.subtract_once(factor.mul_lazy(q, *word));
        }
    }
}

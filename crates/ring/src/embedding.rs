//! The canonical embedding: the "special FFT" between coefficients and slots.

use std::f64::consts::TAU;

use num_complex::Complex64;

/// The canonical embedding for n complex slots, 1 <= n <= N/2 a power of two.
/// A real polynomial `Σ m_k Y^k` of degree below 2n, in `Y = X^(N/2n)`, is stored as `w_k = m_k + i·m_{k+n}`, k < n.
/// With `ζ = e^{iπ/2n}`, slot j is its value at `Y = ζ^(5^j)`. Since `ζ^(n·5^j) = i`, that value is
///
/// `z_j = Σ_{k<n} w_k·ζ^(5^j·k)`.
///
/// Powers of 5 modulo 4n and their negatives are all odd residues. The conjugates of the slots are therefore the values
/// at the other primitive roots, `Y -> Y^(5^r)` rotates the slots left by r, and `Y -> Y^(-1)` conjugates them. The sum
/// needs a bit reversal and `log2 n` layers of butterflies: the "special FFT" of Cheon, Han, Kim, Kim, Song (EUROCRYPT
/// 2018).
///
/// ```
/// use cryptable_ring::Embedding;
/// use num_complex::Complex64;
/// // 1 + 2·Y^2 for n = 2: Y^2 is i in both slots, because ζ^2 = ζ^10 = i.
/// let mut values = [Complex64::new(1.0, 2.0), Complex64::ZERO];
/// let embedding = Embedding::new(2);
/// embedding.slots_from_coefficients(&mut values);
/// assert!(values.iter().all(|z| (z - Complex64::new(1.0, 2.0)).norm() < 1e-15));
/// embedding.coefficients_from_slots(&mut values);
/// assert!(values[1].norm() < 1e-15);
/// ```
#[derive(Clone, Debug)]
pub struct Embedding {
    slots: usize,
    /// Factors of butterflies, grouped by block length: the factor of butterfly j in blocks of 2h slots is at index h +
    /// j. Each has its own sine and cosine, since a recurrence would accumulate errors.
    twiddles: Vec<Complex64>,
}

impl Embedding {
    /// Builds the tables for `slots` slots, a power of two.
    ///
    /// # Panics
    /// If `slots` is not a power of two.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two(), "{slots} slots");
        let mut twiddles = vec![Complex64::ONE; slots];
        let mut half = 1;
        while half < slots {
            // The evaluation points of an embedding of 2h slots.
            let order = 8 * half;
            let mut power = 1;
            for twiddle in &mut twiddles[half..2 * half] {
                *twiddle = Complex64::from_polar(1.0, TAU * power as f64 / order as f64);
                power = power * 5 % order;
            }
            half *= 2;
        }
        Self { slots, twiddles }
    }

    /// Returns the factors of butterflies in blocks of this length: `e^{2πi·5^j/(4·block)}` for all j.
    fn twiddles(&self, block: usize) -> &[Complex64] {
        &self.twiddles[block / 2..block]
    }

    /// Transforms coefficients `w` to slots, in place and in natural order.
    ///
    /// # Panics
    /// If the length is not the number of slots.
    pub fn slots_from_coefficients(&self, values: &mut [Complex64]) {
        assert_eq!(values.len(), self.slots);
        bit_reverse(values);
        let mut block = 2;
        while block <= self.slots {
            let twiddles = self.twiddles(block);
            for chunk in values.chunks_mut(block) {
                let (low, high) = chunk.split_at_mut(block / 2);
                for ((low, high), twiddle) in low.iter_mut().zip(high).zip(twiddles) {
                    let (u, v) = (*low, *high * twiddle);
                    *low = u + v;
                    *high = u - v;
                }
            }
            block *= 2;
        }
    }

    /// Transforms slots to coefficients `w`, in place and in natural order.
    ///
    /// # Panics
    /// If the length is not the number of slots.
    pub fn coefficients_from_slots(&self, values: &mut [Complex64]) {
        assert_eq!(values.len(), self.slots);
        let mut block = self.slots;
        while block >= 2 {
            let twiddles = self.twiddles(block);
            for chunk in values.chunks_mut(block) {
                let (low, high) = chunk.split_at_mut(block / 2);
                for ((low, high), twiddle) in low.iter_mut().zip(high).zip(twiddles) {
                    let (u, v) = (*low, *high);
                    *low = (u + v) * 0.5;
                    *high = (u - v) * 0.5 * twiddle.conj();
                }
            }
            block /= 2;
        }
        bit_reverse(values);
    }
}

/// Permutes values to bit-reversed order.
fn bit_reverse(values: &mut [Complex64]) {
    let bits = values.len().trailing_zeros();
    for i in 0..values.len() {
        let j = if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) };
        if i < j {
            values.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(slots: usize) -> Vec<Complex64> {
        (0..slots)
            .map(|i| Complex64::new((i as f64 * 1.7).sin(), (i as f64 * 0.9 + 1.0).cos()))
            .collect()
    }

    /// `5^j mod order`.
    fn power_of_five(j: usize, order: usize) -> usize {
        (0..j).fold(1, |power, _| power * 5 % order)
    }

    /// Computes slot j by the definition.
    fn slot(w: &[Complex64], j: usize) -> Complex64 {
        let order = 4 * w.len();
        let power = power_of_five(j, order);
        let root = |k: usize| TAU * ((power * k) % order) as f64 / order as f64;
        w.iter().enumerate().map(|(k, w)| w * Complex64::from_polar(1.0, root(k))).sum()
    }

    fn worst_difference(a: &[Complex64], b: &[Complex64]) -> f64 {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }

    fn slots_of(w: &[Complex64]) -> Vec<Complex64> {
        let mut values = w.to_vec();
        Embedding::new(w.len()).slots_from_coefficients(&mut values);
        values
    }

    /// Returns `w` of the image of the polynomial under `Y -> Y^exponent`, by its real coefficients.
    fn automorphism(w: &[Complex64], exponent: usize) -> Vec<Complex64> {
        let n = w.len();
        let mut image = vec![0.0; 2 * n];
        let real = w.iter().map(|w| w.re).chain(w.iter().map(|w| w.im));
        for (k, m) in real.enumerate() {
            // Y^2n is -1.
            let power = k * exponent % (4 * n);
            image[power % (2 * n)] = if power < 2 * n { m } else { -m };
        }
        (0..n).map(|k| Complex64::new(image[k], image[k + n])).collect()
    }

    #[test]
    fn agrees_with_the_definition_and_inverts() {
        for slots in [1usize, 2, 4, 8, 64, 256] {
            let w = sample(slots);
            let mut fast = slots_of(&w);
            let direct: Vec<_> = (0..slots).map(|j| slot(&w, j)).collect();
            assert!(worst_difference(&fast, &direct) < 1e-12, "{slots} slots");
            Embedding::new(slots).coefficients_from_slots(&mut fast);
            assert!(worst_difference(&fast, &w) < 1e-14, "{slots} slots");
        }
    }

    #[test]
    fn large_transforms_are_accurate() {
        let slots = 1 << 15;
        let w = sample(slots);
        let mut values = slots_of(&w);
        // Errors are relative to the root mean square of the slots, which is that of w times √n.
        let scale = (slots as f64).sqrt();
        for j in [0, 1, 12_345, slots - 1] {
            let error = (values[j] - slot(&w, j)).norm() / scale;
            assert!(error < 1e-12, "slot {j}: {error:e}");
        }
        Embedding::new(slots).coefficients_from_slots(&mut values);
        let worst = worst_difference(&values, &w);
        assert!(worst < 1e-13, "{worst:e}");
    }

    #[test]
    fn powers_of_five_rotate_and_minus_one_conjugates() {
        for slots in [1usize, 2, 16, 128] {
            let w = sample(slots);
            let plain = slots_of(&w);
            for r in [0, 1, 3, slots / 2, slots - 1] {
                let rotated = slots_of(&automorphism(&w, power_of_five(r, 4 * slots)));
                let expected: Vec<_> = (0..slots).map(|j| plain[(j + r) % slots]).collect();
                assert!(worst_difference(&rotated, &expected) < 1e-12, "{slots} slots by {r}");
            }
            let conjugated = slots_of(&automorphism(&w, 4 * slots - 1));
            let expected: Vec<_> = plain.iter().map(|z| z.conj()).collect();
            assert!(worst_difference(&conjugated, &expected) < 1e-12, "{slots} slots");
        }
    }

    #[test]
    #[should_panic(expected = "slots")]
    fn other_slot_counts_are_refused() {
        let _ = Embedding::new(12);
    }
}

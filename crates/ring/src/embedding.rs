//! The canonical embedding: the "special FFT" between coefficients and slots.

use std::f64::consts::PI;

use num_complex::Complex64;

/// The canonical embedding for n complex slots.
///
/// A real polynomial `Σ m_k Y^k` of degree below 2n is held as `w_k = m_k + i·m_{k+n}`, k < n. Slot j is
/// its value at `ζ^(5^j)`, `ζ = e^{iπ/2n}`; since `ζ^(n·5^j) = i`, that is `Σ_k w_k ζ^(5^j·k)`.
/// Multiplying by roots of unity takes O(n log n) steps (Cheon, Han, Kim, Kim, Song 2018).
#[derive(Clone, Debug)]
pub struct Embedding {
    slots: usize,
    /// `ζ^i` for i < 4n.
    roots: Vec<Complex64>,
    /// `5^j mod 4n` for j < n.
    group: Vec<usize>,
}

impl Embedding {
    /// Tables for `slots` slots, a power of two.
    ///
    /// # Panics
    /// If `slots` is not a power of two.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two(), "{slots} slots");
        let order = 4 * slots;
        let roots = (0..order)
            .map(|i| Complex64::from_polar(1.0, 2.0 * PI * i as f64 / order as f64))
            .collect();
        let mut group = Vec::with_capacity(slots);
        let mut power = 1;
        for _ in 0..slots {
            group.push(power);
            power = power * 5 % order;
        }
        Self { slots, roots, group }
    }

    /// The factor of butterfly j in blocks of this length: `e^{2πi·5^j/(4·block)}`.
    fn twiddle(&self, block: usize, j: usize) -> Complex64 {
        let order = 4 * block;
        self.roots[(self.group[j] % order) * (4 * self.slots / order)]
    }

    /// Coefficients `w` to slots, in place and in natural order.
    ///
    /// # Panics
    /// If the length is not the number of slots.
    pub fn slots_from_coefficients(&self, values: &mut [Complex64]) {
        assert_eq!(values.len(), self.slots);
        bit_reverse(values);
        let mut block = 2;
        while block <= self.slots {
            let half = block / 2;
            for chunk in values.chunks_mut(block) {
                let (low, high) = chunk.split_at_mut(half);
                for j in 0..half {
                    let v = high[j] * self.twiddle(block, j);
                    let u = low[j];
                    low[j] = u + v;
                    high[j] = u - v;
                }
            }
            block *= 2;
        }
    }

    /// Slots to coefficients `w`, in place and in natural order.
    ///
    /// # Panics
    /// If the length is not the number of slots.
    pub fn coefficients_from_slots(&self, values: &mut [Complex64]) {
        assert_eq!(values.len(), self.slots);
        let mut block = self.slots;
        while block >= 2 {
            let half = block / 2;
            for chunk in values.chunks_mut(block) {
                let (low, high) = chunk.split_at_mut(half);
                for j in 0..half {
                    let (u, v) = (low[j], high[j]);
                    low[j] = (u + v) / 2.0;
                    high[j] = (u - v) / 2.0 * self.twiddle(block, j).conj();
                }
            }
            block /= 2;
        }
        bit_reverse(values);
    }
}

/// Permutes to bit-reversed order.
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

    #[test]
    fn agrees_with_the_definition_and_inverts() {
        for slots in [1usize, 2, 8, 64] {
            let w = sample(slots);
            let mut fast = w.clone();
            let embedding = Embedding::new(slots);
            embedding.slots_from_coefficients(&mut fast);
            let mut power = 1usize;
            for value in &fast {
                let direct: Complex64 = (0..slots)
                    .map(|k| {
                        let angle = 2.0 * PI * ((power * k) % (4 * slots)) as f64
                            / (4 * slots) as f64;
                        w[k] * Complex64::from_polar(1.0, angle)
                    })
                    .sum();
                assert!((value - direct).norm() < 1e-11 * slots as f64);
                power = power * 5 % (4 * slots);
            }
            embedding.coefficients_from_slots(&mut fast);
            for (a, b) in fast.iter().zip(&w) {
                assert!((a - b).norm() < 1e-13);
            }
        }
    }

    #[test]
    fn large_transforms_are_accurate() {
        let slots = 1 << 15;
        let w = sample(slots);
        let mut values = w.clone();
        let embedding = Embedding::new(slots);
        embedding.slots_from_coefficients(&mut values);
        embedding.coefficients_from_slots(&mut values);
        let worst = values.iter().zip(&w).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst:e}");
    }
}

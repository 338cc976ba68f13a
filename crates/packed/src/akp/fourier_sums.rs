//! Discrete Fourier transforms of any length, for tables and gains in the clear.

use std::f64::consts::TAU;

use cryptable_ring::Embedding;
use num_complex::Complex64;

/// Computes the sums `Σ_l v_l·e^{2πikl/p}` of p values, for all k below p.
///
/// Both methods use the canonical embedding, whose slot j is the value of a polynomial at `ζ·e^{2πim/n}`, where ζ is
/// `e^{iπ/2n}` and m is `(5^j-1)/4` modulo n.
pub(crate) struct FourierSums {
    embedding: Embedding,
    factors: Vec<Complex64>,
    way: Way,
}

enum Way {
    /// For p = n, a power of two: factors `ζ^-l` move the values to the points of the slots. Slot j holds the sum whose
    /// index is entry j.
    Slots(Vec<usize>),
    /// For any p, by `2kl = k² + l² - (k-l)²`: values and sums are multiplied by factors `e^{iπl²/p}`, and in between
    /// values are convolved with the conjugates of all factors, whose slots are stored here (Bluestein 1970).
    Convolution(Vec<Complex64>),
}

impl FourierSums {
    /// Prepares sums of p values.
    ///
    /// # Panics
    /// If there are no values.
    pub(crate) fn new(p: usize) -> Self {
        assert!(p > 0, "sums of no values");
        if p.is_power_of_two() { Self::of_power_of_two(p) } else { Self::of_any(p) }
    }

    fn of_power_of_two(p: usize) -> Self {
        let place = |power: &mut usize| {
            let place = (*power - 1) / 4;
            *power = *power * 5 % (4 * p);
            place
        };
        let mut power = 1;
        let places = (0..p).map(|_| place(&mut power)).collect();
        let factors = (0..p).map(|l| root(4 * p - l, 4 * p)).collect();
        Self { embedding: Embedding::new(p), factors, way: Way::Slots(places) }
    }

    fn of_any(p: usize) -> Self {
        // The convolution wraps around only below the wanted sums.
        let embedding = Embedding::new((2 * p - 1).next_power_of_two());
        let factors: Vec<_> = (0..p).map(|l| root(l * l % (2 * p), 2 * p)).collect();
        let mut slots = vec![Complex64::ZERO; (2 * p - 1).next_power_of_two()];
        for (difference, slot) in slots[..2 * p - 1].iter_mut().enumerate() {
            *slot = factors[difference.abs_diff(p - 1)].conj();
        }
        embedding.slots_from_coefficients(&mut slots);
        Self { embedding, factors, way: Way::Convolution(slots) }
    }

    /// Computes the sums of these values.
    ///
    /// # Panics
    /// If the number of values is not p.
    pub(crate) fn of(&self, values: &[Complex64]) -> Vec<Complex64> {
        assert_eq!(values.len(), self.factors.len(), "values of Fourier sums");
        let mut work: Vec<_> = values.iter().zip(&self.factors).map(|(v, f)| v * f).collect();
        match &self.way {
            Way::Slots(places) => {
                self.embedding.slots_from_coefficients(&mut work);
                let mut sums = vec![Complex64::ZERO; work.len()];
                for (&place, slot) in places.iter().zip(work) {
                    sums[place] = slot;
                }
                sums
            }
            Way::Convolution(slots) => {
                work.resize(slots.len(), Complex64::ZERO);
                self.embedding.slots_from_coefficients(&mut work);
                for (value, slot) in work.iter_mut().zip(slots) {
                    *value *= slot;
                }
                self.embedding.coefficients_from_slots(&mut work);
                let wanted = work[values.len() - 1..].iter().zip(&self.factors);
                wanted.map(|(sum, factor)| sum * factor).collect()
            }
        }
    }
}

/// `e^{2πik/n}`.
fn root(k: usize, n: usize) -> Complex64 {
    Complex64::from_polar(1.0, TAU * k as f64 / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_definition() {
        for p in [1, 2, 3, 4, 5, 12, 16, 37, 100, 127, 128, 257] {
            let value = |l: usize| root(l * l * 7 % 31, 31) * (1.0 + l as f64).ln();
            let values: Vec<_> = (0..p).map(value).collect();
            let sums = FourierSums::new(p).of(&values);
            for (k, sum) in sums.into_iter().enumerate() {
                let expected: Complex64 = (0..p).map(|l| values[l] * root(k * l % p, p)).sum();
                assert!(
                    (sum - expected).norm() < 1e-13 * p as f64,
                    "{k} of {p}: {sum}, {expected}"
                );
            }
        }
    }
}

//! Blocks of a polynomial of degree N: with r = N/N', block k holds coefficients k, r + k, 2r + k, ….
//!
//! `X^r` generates a ring of degree N' within that of degree N, and every polynomial is
//! `c(X) = Σ_{k<r} X^k·c_k(X^r)`. So an RLWE ciphertext under a secret z'(X^r) is r ciphertexts of degree N' under z':
//! the rings of ring switching (Gentry, Halevi, Peikert, Smart, SCN 2012), without any product.

use cryptable_lattice::coefficient_ciphertext::CoefficientLayout;

/// Blocks of a ring, and the layout of values in its coefficients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// Degree N' of a block.
    pub(crate) degree: usize,
    layout: CoefficientLayout,
}

/// The values of one block: positions 0, `position_step`, … hold values `value`, `value + value_step`, ….
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    value: usize,
    value_step: usize,
    position_step: usize,
}

impl Stride {
    /// Copies the words of all values that lie in this block to its polynomial.
    pub(crate) fn gather<W: Copy + Into<u64>>(&self, polynomial: &mut [u64], values: &[W]) {
        let values = values[self.value..].iter().step_by(self.value_step);
        for (out, &word) in polynomial.iter_mut().step_by(self.position_step).zip(values) {
            *out = word.into();
        }
    }

    /// Copies coefficients of the block's polynomial to the words of its values.
    pub(crate) fn scatter<W>(
        &self,
        values: &mut [W],
        polynomial: &[u64],
        convert: impl Fn(u64) -> W,
    ) {
        let values = values[self.value..].iter_mut().step_by(self.value_step);
        for (out, &word) in values.zip(polynomial.iter().step_by(self.position_step)) {
            *out = convert(word);
        }
    }
}

impl Blocks {
    /// Creates blocks for a layout of values in coefficients: value t lies in coefficient t·gap.
    pub(crate) fn new(degree: usize, layout: CoefficientLayout) -> Self {
        Self { degree, layout }
    }

    /// Returns the number r of blocks.
    pub(crate) fn count(&self) -> usize {
        self.layout.ring_degree / self.degree
    }

    /// Returns the distance between coefficients that hold values.
    pub(crate) fn gap(&self) -> usize {
        self.layout.gap()
    }

    /// Lists the blocks that hold values, and these values. With large gaps, only few blocks hold any.
    pub(crate) fn occupied(&self) -> Vec<(usize, Stride)> {
        (0..self.count()).filter_map(|block| Some((block, self.stride(block)?))).collect()
    }

    /// Returns the values of a block, if it has any: those whose coefficient `i·r + k` is a multiple of the gap.
    fn stride(&self, block: usize) -> Option<Stride> {
        let (r, gap) = (self.count(), self.layout.gap());
        let stride = if gap < r {
            Stride { value: block / gap, value_step: r / gap, position_step: 1 }
        } else {
            Stride { value: 0, value_step: 1, position_step: gap / r }
        };
        (block.is_multiple_of(gap) && stride.value < self.layout.count).then_some(stride)
    }

    /// Writes block k of a polynomial to its coefficients.
    pub(crate) fn set(&self, polynomial: &mut [u64], block: usize, words: &[u64]) {
        let r = self.count();
        for (out, &word) in polynomial[block..].iter_mut().step_by(r).zip(words) {
            *out = word;
        }
    }

    /// Returns block k of a polynomial.
    pub(crate) fn get(&self, polynomial: &[u64], block: usize) -> Vec<u64> {
        polynomial[block..].iter().step_by(self.count()).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_stands_in_its_coefficient() {
        for (slots, count) in [(64, 64), (64, 13), (16, 16), (4, 3), (1, 1)] {
            let layout = CoefficientLayout { ring_degree: 64, slots, count };
            let blocks = Blocks::new(16, layout);
            let mut back = vec![0; count];
            for (block, stride) in blocks.occupied() {
                let polynomial: Vec<u64> = (0..64).collect();
                let words = blocks.get(&polynomial, block);
                stride.scatter(&mut back, &words, |word| word + 1);
                // Values go to their positions in blocks, and blocks to the coefficients.
                let mut gathered = vec![0; 16];
                stride.gather(&mut gathered, &(1..=count as u64).collect::<Vec<_>>());
                let mut whole = vec![0; 64];
                blocks.set(&mut whole, block, &gathered);
                for (coefficient, &value) in whole.iter().enumerate().filter(|(_, v)| **v > 0) {
                    assert_eq!(coefficient, (value as usize - 1) * layout.gap());
                }
            }
            let expected: Vec<u64> = (0..count).map(|t| (t * layout.gap()) as u64 + 1).collect();
            assert_eq!(back, expected);
        }
    }
}

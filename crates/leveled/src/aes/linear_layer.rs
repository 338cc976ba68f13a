//! MixColumns and its inverse as sums of bits (FIPS 197, Sec. 5.1.3 and 5.3.3), for round keys, which pass through no table.

use cryptable_lattice::lwe::LweCiphertext;
use rayon::prelude::*;

use super::field::multiply;
use crate::bootstrapping::xor_assign;

/// First row of InvMixColumns' matrix, which is circulant.
pub(super) const INVERSE_MIX_COLUMNS: [u8; 4] = [14, 11, 13, 9];

/// A linear map of columns of four bytes: the input bits that are added for each of 32 output bits.
#[derive(Clone, Debug)]
pub struct LinearLayer {
    terms: Vec<Vec<usize>>,
}

impl LinearLayer {
    /// Returns the map by a circulant matrix: byte i of the result is Σ_j first_(j-i)·byte j.
    #[must_use]
    pub fn circulant(first: [u8; 4]) -> Self {
        let output = |index: usize| {
            let (row, bit) = (index / 8, index % 8);
            let depends = |input: usize| {
                let (column, from) = (input / 8, input % 8);
                multiply(first[(4 + column - row) % 4], 1 << from) >> bit & 1 == 1
            };
            (0..32).filter(|&input| depends(input)).collect()
        };
        Self { terms: (0..32).map(output).collect() }
    }

    /// Returns the largest number of bits in a sum, by which noise is multiplied.
    #[must_use]
    pub fn largest_sum(&self) -> usize {
        self.terms.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Applies the map to every column of a state.
    #[must_use]
    pub(super) fn apply(&self, state: &[Vec<LweCiphertext>]) -> Vec<Vec<LweCiphertext>> {
        let column = |bytes: &[Vec<LweCiphertext>]| -> Vec<Vec<LweCiphertext>> {
            let sum = |terms: &Vec<usize>| {
                let bit = |input: usize| &bytes[input / 8][input % 8];
                let mut sum = bit(terms[0]).clone();
                terms[1..].iter().for_each(|&input| xor_assign(&mut sum, bit(input)));
                sum
            };
            let bits: Vec<_> = self.terms.iter().map(sum).collect();
            bits.chunks_exact(8).map(<[_]>::to_vec).collect()
        };
        state.par_chunks_exact(4).flat_map_iter(column).collect()
    }
}

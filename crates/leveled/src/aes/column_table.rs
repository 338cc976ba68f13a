//! SubBytes and MixColumns as one table (Daemen and Rijmen, "The Design of Rijndael", Sec. 4.2).
//!
//! The table contains the S-box's output times every coefficient of MixColumns: 1, 2 and 3, or 9, 11, 13 and 14 for the
//! inverse. A bit of a mixed column is then the sum of four bits. Sums of plain S-box outputs would have up to 7 terms, or 19
//! for the inverse, and noise in proportion. The wider table needs two or three times the CMUXes, which cost little compared
//! with the circuit bootstraps.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use rayon::prelude::*;

use super::field::multiply;
use crate::bootstrapping::{CircuitBootstrapping, xor_assign};
use crate::parameters::CircuitBootstrappingParameters;
use crate::tree::CmuxTree;

/// First row of MixColumns' matrix, which is circulant.
pub(super) const MIX_COLUMNS: [u8; 4] = [2, 3, 1, 1];

/// Number of bits that are added for a bit of a result.
pub const TERMS: usize = 4;

/// A substitution of bytes followed by a linear map of columns: byte i of the result is Σ_j first_(j-i)·byte j.
#[derive(Debug)]
pub struct ColumnTable {
    tree: CmuxTree,
    first: [u8; TERMS],
    /// The distinct coefficients, in the order of the bytes of an entry.
    coefficients: Vec<u8>,
}

impl ColumnTable {
    /// Makes the table of a substitution and of the first row of the columns' matrix.
    ///
    /// # Errors
    /// Same as [`CmuxTree::new`]; none for AES.
    pub fn new(
        parameters: &CircuitBootstrappingParameters,
        substitute: fn(u8) -> u8,
        first: [u8; TERMS],
    ) -> Result<Self> {
        let mut coefficients = first.to_vec();
        coefficients.sort_unstable();
        coefficients.dedup();
        let entry = |x: u8| {
            let product = |&coefficient: &u8| u64::from(multiply(coefficient, substitute(x)));
            coefficients.iter().rev().map(product).fold(0, |entry, byte| entry << 8 | byte)
        };
        let table: Vec<u64> = (0..=255).map(entry).collect();
        let tree = CmuxTree::new(parameters, &table, 8 * coefficients.len())?;
        Ok(Self { tree, first, coefficients })
    }

    /// Returns the tree that looks the products up.
    #[must_use]
    pub fn tree(&self) -> &CmuxTree {
        &self.tree
    }

    /// Substitutes all bytes of a state and mixes its columns.
    ///
    /// # Errors
    /// If a byte does not have 8 bits, or belongs to other parameters.
    pub fn apply(
        &self,
        circuit: &CircuitBootstrapping<'_>,
        state: &[Vec<LweCiphertext>],
    ) -> Result<Vec<Vec<LweCiphertext>>> {
        let products = self.tree.lookup_many(circuit, state)?;
        let mixed = |column: &[Vec<LweCiphertext>]| -> Vec<Vec<LweCiphertext>> {
            (0..TERMS).map(|row| self.mixed_byte(column, row)).collect()
        };
        Ok(products.par_chunks_exact(TERMS).flat_map_iter(mixed).collect())
    }

    fn mixed_byte(&self, column: &[Vec<LweCiphertext>], row: usize) -> Vec<LweCiphertext> {
        let product = |j: usize| -> &[LweCiphertext] {
            let coefficient = self.first[(TERMS + j - row) % TERMS];
            let known = self.coefficients.iter().position(|&c| c == coefficient);
            &column[j][8 * known.expect("a coefficient of the first row")..][..8]
        };
        let mut sum = product(0).to_vec();
        for j in 1..TERMS {
            for (bit, other) in sum.iter_mut().zip(product(j)) {
                xor_assign(bit, other);
            }
        }
        sum
    }
}

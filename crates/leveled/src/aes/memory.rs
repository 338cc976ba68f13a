//! The memory that transciphering needs, by count.

use super::block::{BLOCK_BYTES, ROUNDS};
use super::byte_stream::CHUNK_BYTES;
use super::parameters::Parameters;
use crate::cost::CircuitBootstrappingCost;
use crate::tree::TreeShape;

/// Bits of a byte.
const BITS: usize = 8;

/// Output bits of all tables: of rounds and of the last round, forward and inverse, and of the caller's table.
const TABLES: [usize; 5] = [24, 8, 32, 8, 8];

impl Parameters {
    /// Returns the bytes of memory that transciphering needs besides the key, for a message of any length: round keys, results
    /// of a chunk and of a table on it, a block with the products from which its columns are mixed, selectors of its bits, and
    /// tables.
    ///
    /// ```
    /// use cryptable_leveled::aes::Parameters;
    /// let megabytes = Parameters::default_128().working_bytes() / 1_000_000;
    /// assert!((10..500).contains(&megabytes), "{megabytes}");
    /// ```
    #[must_use]
    pub fn working_bytes(&self) -> usize {
        let circuit = self.circuit_bootstrapping();
        let bit = size_of::<u64>() * (circuit.lwe_shape().dimension + 1);
        let round_keys = (ROUNDS + 1) * BLOCK_BYTES * BITS;
        // The chunk and the outputs of the table on it, both as values and as bytes to be written.
        let chunk = 4 * CHUNK_BYTES * BITS;
        // Three or four products per byte, and the state before and after.
        let block = 8 * BLOCK_BYTES * BITS;
        let tables: usize =
            TABLES.iter().map(|&width| TreeShape::new(circuit, BITS, width).bytes()).sum();
        let selector = CircuitBootstrappingCost::of(circuit).rgsw_bytes as usize;
        bit * (round_keys + chunk + block) + tables + selector * BLOCK_BYTES * BITS
    }
}

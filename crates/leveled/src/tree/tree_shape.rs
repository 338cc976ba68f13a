//! Sizes of CMUX trees, which do not depend on the content of their tables.

use super::plaintext_polynomial::PlaintextPolynomial;
use crate::bootstrapping::{ciphertext_count, gray_code};
use crate::parameters::CircuitBootstrappingParameters;

/// Largest number of bits of an input.
pub const MAX_INPUT_BITS: usize = 24;

/// The sizes of a tree, which do not depend on the content of its table.
///
/// ```
/// use cryptable_leveled::parameters::ParameterSet;
/// use cryptable_leveled::tree::TreeShape;
/// let shape = TreeShape::new(&ParameterSet::CmuxDepth236.parameters(), 16, 16);
/// // An output has 32 polynomials. 5 bits choose one of them, and 11 bits choose the entry in it.
/// assert_eq!((shape.cmuxes(), shape.bytes()), (16 * (31 + 11), 16 << 13));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeShape {
    degree: usize,
    input_bits: usize,
    /// Number of ciphertexts of an entry.
    outputs: usize,
    bits_per_ciphertext: u32,
}

impl TreeShape {
    /// Returns the shape for tables of 2^`input_bits` entries of `width` bits.
    ///
    /// # Panics
    /// If the input has more bits than [`MAX_INPUT_BITS`].
    #[must_use]
    pub fn new(
        parameters: &CircuitBootstrappingParameters,
        input_bits: usize,
        width: usize,
    ) -> Self {
        assert!(input_bits <= MAX_INPUT_BITS, "{input_bits} bits");
        let degree = parameters.fhew().ring_degree();
        let bits_per_ciphertext = parameters.bits_per_ciphertext();
        let outputs = ciphertext_count(width, bits_per_ciphertext);
        Self { degree, input_bits, outputs, bits_per_ciphertext }
    }

    /// Returns the number of bits of the input.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// Returns the number of ciphertexts of an input.
    #[must_use]
    pub fn inputs(&self) -> usize {
        ciphertext_count(self.input_bits, self.bits_per_ciphertext)
    }

    /// Returns the number of ciphertexts of a result.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns the number of bits that rotate; the bits above them choose polynomials.
    pub(super) fn rotating_bits(&self) -> usize {
        self.input_bits.min(self.degree.ilog2() as usize)
    }

    /// Returns the number of outputs in one polynomial.
    pub(super) fn outputs_each(&self) -> usize {
        self.degree >> self.rotating_bits()
    }

    /// Returns the number of polynomials per group of outputs, of which one is chosen.
    fn polynomials(&self) -> usize {
        1 << (self.input_bits - self.rotating_bits())
    }

    /// Returns the number of groups of outputs: that of the outputs, or fewer if several share a polynomial.
    pub(super) fn groups(&self) -> usize {
        self.outputs.div_ceil(self.outputs_each())
    }

    /// Returns the number of CMUXes in all: `groups·(polynomials - 1 + bits that rotate)`.
    #[must_use]
    pub fn cmuxes(&self) -> usize {
        self.groups() * (self.polynomials() - 1 + self.rotating_bits())
    }

    /// Returns the number of CMUXes that choose between plain polynomials.
    #[must_use]
    pub fn leaf_cmuxes(&self) -> usize {
        self.groups() * (self.polynomials() / 2)
    }

    /// Returns the bytes of memory that the tree occupies.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.groups()
            * self.polynomials()
            * (self.bits_per_ciphertext as usize * self.degree).div_ceil(8)
    }

    /// Returns the number of CMUXes from an entry to the result.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.input_bits
    }

    /// Returns the polynomials of a group of outputs.
    pub(super) fn group(&self, table: &[u64], group: usize) -> Vec<PlaintextPolynomial> {
        let run = 1 << self.rotating_bits();
        let first = group * self.outputs_each();
        let outputs = self.outputs_each().min(self.outputs - first);
        let polynomial = |start: usize| {
            PlaintextPolynomial::from_fn(self.degree, self.bits_per_ciphertext, |position| {
                let (output, address) = (position / run, start + position % run);
                if output >= outputs {
                    return 0;
                }
                let entry = table[gray_code(address, self.bits_per_ciphertext)];
                entry >> ((first + output) * self.bits_per_ciphertext as usize)
                    & ((1 << self.bits_per_ciphertext) - 1)
            })
        };
        (0..table.len()).step_by(run).map(polynomial).collect()
    }
}

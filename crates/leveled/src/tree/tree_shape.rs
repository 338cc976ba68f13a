//! Sizes of CMUX trees, which the content of their tables does not change.

use super::plaintext_polynomial::PlaintextPolynomial;
use crate::bootstrapping::{ciphertext_count, gray_code};
use crate::parameters::CircuitBootstrappingParameters;

/// Most bits of an input.
pub const MAX_INPUT_BITS: usize = 24;

/// Sizes of a tree, which its table's content does not change.
///
/// ```
/// use cryptable_leveled::parameters::ParameterSet;
/// use cryptable_leveled::tree::TreeShape;
/// let shape = TreeShape::new(&ParameterSet::CmuxDepth236.parameters(), 16, 16);
/// // 32 polynomials an output, of which 5 bits choose one, in which 11 bits choose the entry.
/// assert_eq!((shape.cmuxes(), shape.bytes()), (16 * (31 + 11), 16 << 13));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeShape {
    degree: usize,
    input_bits: usize,
    /// Ciphertexts of an entry.
    outputs: usize,
    bits_per_ciphertext: u32,
}

impl TreeShape {
    /// Shape for tables of 2^`input_bits` entries of `width` bits.
    ///
    /// # Panics
    /// If the input has more than [`MAX_INPUT_BITS`].
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

    /// Bits of the input.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// Ciphertexts of an input.
    #[must_use]
    pub fn inputs(&self) -> usize {
        ciphertext_count(self.input_bits, self.bits_per_ciphertext)
    }

    /// Ciphertexts of a result.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Bits that rotate; those above choose polynomials.
    pub(super) fn rotating_bits(&self) -> usize {
        self.input_bits.min(self.degree.ilog2() as usize)
    }

    /// Outputs in one polynomial.
    pub(super) fn outputs_each(&self) -> usize {
        self.degree >> self.rotating_bits()
    }

    /// Polynomials that outputs share, one of which is chosen.
    fn polynomials(&self) -> usize {
        1 << (self.input_bits - self.rotating_bits())
    }

    /// Runs of polynomials: as many as outputs, or fewer where several share one.
    pub(super) fn groups(&self) -> usize {
        self.outputs.div_ceil(self.outputs_each())
    }

    /// CMUXes in all: `groups·(polynomials - 1 + bits that rotate)`.
    #[must_use]
    pub fn cmuxes(&self) -> usize {
        self.groups() * (self.polynomials() - 1 + self.rotating_bits())
    }

    /// Number of CMUXes that choose between plain polynomials.
    #[must_use]
    pub fn leaf_cmuxes(&self) -> usize {
        self.groups() * (self.polynomials() / 2)
    }

    /// Bytes of memory that the tree takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.groups()
            * self.polynomials()
            * (self.bits_per_ciphertext as usize * self.degree).div_ceil(8)
    }

    /// CMUXes from an entry to the result.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.input_bits
    }

    /// Polynomials of a group of outputs.
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

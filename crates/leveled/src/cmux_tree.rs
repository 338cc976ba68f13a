//! Tables on encrypted bits or digits by CMUX trees with vertical and horizontal packing (Chillotti et al., J.
//! Cryptology 2020).
//!
//! A polynomial holds N entries. Vertically: the upper bits choose one of the polynomials of an output by a tree of
//! CMUXes, the lower log2 N bits rotate the entry to the constant coefficient. Horizontally: tables shorter than N
//! have several outputs in one polynomial, each in a run of its own, all rotated at once.
//!
//! With digits of two bits a coefficient is a digit of an output, so that there are half as many outputs. Entries are
//! in the order of their inputs' Gray codes ([`crate::digit_selectors`]): that is what selectors are of.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::prime_ring::PrimeRing;
use rayon::prelude::*;

use crate::circuit_bootstrapping::CircuitBootstrapping;
use crate::digit_polynomial::DigitPolynomial;
use crate::digit_selectors::{digit_count, gray_code};
use crate::error::{Error, Result};
use crate::leveled::LeveledCiphertext;
use crate::noise::CircuitNoise;
use crate::parameters::CircuitParameters;
use crate::selector::{CmuxGates, Selector};
use cryptable_fhew::noise::Variance;

/// Most bits of an input.
pub const MAX_INPUT_BITS: usize = 24;

/// Sizes of a tree, which its table's content does not change.
///
/// ```
/// use cryptable_leveled::cmux_tree::TreeShape;
/// use cryptable_leveled::parameters::CircuitParameters;
/// let shape = TreeShape::new(&CircuitParameters::set_3(), 16, 16);
/// // 32 polynomials an output, of which 5 bits choose one, in which 11 bits choose the entry.
/// assert_eq!((shape.gates(), shape.bytes()), (16 * (31 + 11), 16 << 13));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeShape {
    degree: usize,
    input_bits: usize,
    /// Digits of an entry.
    outputs: usize,
    digit_bits: u32,
}

impl TreeShape {
    /// Of tables of 2^`input_bits` entries of `width` bits.
    ///
    /// # Panics
    /// If the input has more than [`MAX_INPUT_BITS`].
    #[must_use]
    pub fn new(parameters: &CircuitParameters, input_bits: usize, width: usize) -> Self {
        assert!(input_bits <= MAX_INPUT_BITS, "{input_bits} bits");
        let (degree, digit_bits) = (parameters.parameters().ring_degree(), parameters.digit_bits());
        Self { degree, input_bits, outputs: digit_count(width, digit_bits), digit_bits }
    }

    /// Bits that rotate; those above choose polynomials.
    fn rotating_bits(&self) -> usize {
        self.input_bits.min(self.degree.ilog2() as usize)
    }

    /// Outputs in one polynomial.
    fn outputs_each(&self) -> usize {
        self.degree >> self.rotating_bits()
    }

    /// Polynomials that outputs share, one of which is chosen.
    fn polynomials(&self) -> usize {
        1 << (self.input_bits - self.rotating_bits())
    }

    /// Runs of polynomials: as many as outputs, or fewer where several share one.
    fn groups(&self) -> usize {
        self.outputs.div_ceil(self.outputs_each())
    }

    /// CMUX gates in all.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.groups() * (self.polynomials() - 1 + self.rotating_bits())
    }

    /// Those of them that choose between plain polynomials.
    #[must_use]
    pub fn leaf_gates(&self) -> usize {
        self.groups() * (self.polynomials() / 2)
    }

    /// Bytes of memory that the tree takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.groups() * self.polynomials() * (self.digit_bits as usize * self.degree).div_ceil(8)
    }

    /// CMUXes from an entry to the result.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.input_bits
    }

    /// Polynomials of a group of outputs.
    fn group(&self, table: &[u64], group: usize) -> Vec<DigitPolynomial> {
        let run = 1 << self.rotating_bits();
        let first = group * self.outputs_each();
        let outputs = self.outputs_each().min(self.outputs - first);
        let polynomial = |start: usize| {
            DigitPolynomial::from_fn(self.degree, self.digit_bits, |position| {
                let (output, address) = (position / run, start + position % run);
                if output >= outputs {
                    return 0;
                }
                let entry = table[gray_code(address, self.digit_bits)];
                entry >> ((first + output) * self.digit_bits as usize)
                    & ((1 << self.digit_bits) - 1)
            })
        };
        (0..table.len()).step_by(run).map(polynomial).collect()
    }
}

/// A table of 2^bits entries of some width, as polynomials.
///
/// ```
/// use cryptable_leveled::cmux_tree::CmuxTree;
/// use cryptable_leveled::parameters::CircuitParameters;
/// let table: Vec<u64> = (0..256).map(|x| x * x % 256).collect();
/// let tree = CmuxTree::new(&CircuitParameters::set_1(), &table, 8)?;
/// assert_eq!((tree.input_bits(), tree.width()), (8, 8));
/// assert_eq!(tree.depth(), 8);
/// # Ok::<(), cryptable_leveled::error::Error>(())
/// ```
#[derive(Debug)]
pub struct CmuxTree {
    parameters: CircuitParameters,
    shape: TreeShape,
    width: usize,
    /// For each group of outputs, its polynomials.
    groups: Vec<Vec<DigitPolynomial>>,
}

impl CmuxTree {
    /// The tree of a table of `width`-bit entries; every bit, or digit, of an output is a result of its own.
    ///
    /// # Errors
    /// If the number of entries is no power of two from 2 to 2^[`MAX_INPUT_BITS`], the width not from 1 to 64, or an
    /// entry wider.
    pub fn new(parameters: &CircuitParameters, table: &[u64], width: usize) -> Result<Self> {
        let input_bits = table.len().max(2).ilog2() as usize;
        if table.len() != 1 << input_bits || input_bits > MAX_INPUT_BITS {
            let (found, expected) = (table.len(), 1 << input_bits.min(MAX_INPUT_BITS));
            return Err(Error::TableLength { found, bits: input_bits, expected });
        }
        if !(1..=64).contains(&width) {
            let limit = "outputs have from 1 to 64 bits".to_owned();
            return Err(Error::Number { name: "width", value: width as u64, limit });
        }
        let limit = 1u64.checked_shl(width as u32).unwrap_or(u64::MAX);
        if let Some(position) = table.iter().position(|&entry| width < 64 && entry >= limit) {
            return Err(Error::Entry { position, value: table[position], limit });
        }
        let shape = TreeShape::new(parameters, input_bits, width);
        let groups = (0..shape.groups()).map(|group| shape.group(table, group)).collect();
        Ok(Self { parameters: parameters.clone(), shape, width, groups })
    }

    fn ring(&self) -> &PrimeRing {
        self.parameters.parameters().ring()
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &CircuitParameters {
        &self.parameters
    }

    /// Its sizes.
    #[must_use]
    pub fn shape(&self) -> TreeShape {
        self.shape
    }

    /// Bits of the input.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.shape.input_bits
    }

    /// Ciphertexts of an input.
    #[must_use]
    pub fn input_digits(&self) -> usize {
        digit_count(self.shape.input_bits, self.shape.digit_bits)
    }

    /// Bits of an output.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// CMUXes from an entry to the result.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.shape.depth()
    }

    /// CMUX gates in all.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.shape.gates()
    }

    /// Predicted variance of a result.
    #[must_use]
    pub fn output_noise(&self, noise: &CircuitNoise, ones: f64) -> Variance {
        noise.cmux(ones) * self.depth() as f64
    }

    /// All digits of the entry that the selectors choose, the lowest first: LWE of dimension N modulo Q, of phase
    /// digit·Q/2^d, with d = [`CircuitParameters::digit_bits`]. Selectors are of the bits of the input's Gray code, the
    /// lowest first, as [`CircuitBootstrapping::bootstrap_values`] makes them; of bits, the input itself.
    ///
    /// # Errors
    /// If there are not as many selectors as input bits.
    pub fn lookup(&self, selectors: &[Selector]) -> Result<Vec<LweCiphertext>> {
        if selectors.len() != self.shape.input_bits {
            let limit = format!("the table has inputs of {} bits", self.shape.input_bits);
            return Err(Error::Number { name: "selectors", value: selectors.len() as u64, limit });
        }
        let groups: Vec<Vec<LweCiphertext>> =
            self.groups.par_iter().map(|group| self.lookup_group(group, selectors)).collect();
        Ok(groups.into_iter().flatten().take(self.shape.outputs).collect())
    }

    /// Looks up several encrypted inputs, lowest digits first: a circuit bootstrap for every digit, then the table.
    ///
    /// # Errors
    /// If an input has not as many digits as the table's, or is of other parameters.
    pub fn lookup_many(
        &self,
        circuit: &CircuitBootstrapping<'_>,
        inputs: &[Vec<LweCiphertext>],
    ) -> Result<Vec<Vec<LweCiphertext>>> {
        let digits = self.input_digits();
        if let Some(input) = inputs.iter().find(|input| input.len() != digits) {
            let limit = format!("the table has inputs of {digits} ciphertexts");
            return Err(Error::Number { name: "ciphertexts", value: input.len() as u64, limit });
        }
        let digits: Vec<&LweCiphertext> = inputs.iter().flatten().collect();
        self.lookup_all(&circuit.bootstrap_values(&digits, self.shape.input_bits)?)
    }

    /// Looks up several inputs by their selectors, those of one input after those of another.
    ///
    /// # Errors
    /// If the number of selectors is no multiple of the number of input bits.
    pub fn lookup_all(&self, selectors: &[Selector]) -> Result<Vec<Vec<LweCiphertext>>> {
        selectors
            .par_chunks(self.shape.input_bits)
            .map(|selectors| self.lookup(selectors))
            .collect()
    }

    fn lookup_group(
        &self,
        polynomials: &[DigitPolynomial],
        selectors: &[Selector],
    ) -> Vec<LweCiphertext> {
        let ring = self.ring();
        let (rotating, choosing) = selectors.split_at(self.shape.rotating_bits());
        let mut gates = CmuxGates::new(ring, self.parameters.selector_gadget());
        let mut chosen = self.choose(polynomials, choosing, &mut gates);
        for (i, selector) in rotating.iter().enumerate() {
            // X^(-2^i) brings entry x + 2^i to x.
            gates.rotate_if_assign(selector, &mut chosen, 2 * ring.degree() - (1 << i));
        }
        chosen.extract(
            ring,
            (0..self.shape.outputs_each()).map(|output| output << self.shape.rotating_bits()),
        )
    }

    /// The polynomial that the upper bits choose. Depth first: as many ciphertexts at once as there are levels.
    fn choose(
        &self,
        polynomials: &[DigitPolynomial],
        selectors: &[Selector],
        gates: &mut CmuxGates<'_>,
    ) -> LeveledCiphertext {
        let (highest, lower) = match selectors {
            [] => return LeveledCiphertext::of_digits(self.ring(), &polynomials[0]),
            [selector] => return gates.select_digits(selector, &polynomials[0], &polynomials[1]),
            [lower @ .., highest] => (highest, lower),
        };
        let (zeros, ones) = polynomials.split_at(polynomials.len() / 2);
        let mut zero = self.choose(zeros, lower, gates);
        let one = self.choose(ones, lower, gates);
        gates.select_assign(highest, &mut zero, &one);
        zero
    }
}

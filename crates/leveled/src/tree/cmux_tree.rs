//! Tables on encrypted bits by CMUX trees with vertical and horizontal packing (Chillotti et al., J. Cryptology 2020,
//! Sec. 5).
//!
//! From RGSW ciphertexts of the bits of x, and a table f of 2^bits entries in the clear, a tree computes LWE ciphertexts of
//! f(x) of dimension N modulo Q. A result has the noise of one CMUX per bit ([`CmuxTree::output_noise`]).
//!
//! A polynomial holds N entries. With vertical packing, the upper bits choose one of the polynomials of an output by a tree
//! of CMUXes, and the lower log2 N bits rotate the entry to the constant coefficient. With horizontal packing, tables
//! shorter than N have several outputs in one polynomial, each in a run of its own, which are rotated at once.
//!
//! With two bits per ciphertext, a coefficient holds two bits of an output, which halves the number of outputs.
//! Entries are in the order of the Gray codes of their inputs ([`crate::bootstrapping::gray_code`]), which the RGSW
//! ciphertexts encrypt.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_lattice::{Error, Result};
use cryptable_ring::prime_ring::PrimeRing;
use rayon::prelude::*;

use super::cmux::Cmux;
use super::leveled_ciphertext::LeveledCiphertext;
use super::plaintext_polynomial::PlaintextPolynomial;
use super::tree_shape::{MAX_INPUT_BITS, TreeShape};
use crate::bootstrapping::CircuitBootstrapping;
use crate::noise::CircuitBootstrappingNoise;
use crate::parameters::CircuitBootstrappingParameters;
use cryptable_lattice::error::out_of_range;

/// A table of 2^bits entries of some width, encoded as polynomials.
///
/// ```
/// use cryptable_leveled::parameters::ParameterSet;
/// use cryptable_leveled::tree::CmuxTree;
/// let table: Vec<u64> = (0..256).map(|x| x * x % 256).collect();
/// let tree = CmuxTree::new(&ParameterSet::CmuxDepth2.parameters(), &table, 8)?;
/// assert_eq!((tree.input_bits(), tree.width()), (8, 8));
/// assert_eq!(tree.depth(), 8);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct CmuxTree {
    parameters: CircuitBootstrappingParameters,
    shape: TreeShape,
    width: usize,
    /// The polynomials of each group of outputs.
    groups: Vec<Vec<PlaintextPolynomial>>,
}

impl CmuxTree {
    /// Builds the tree of a table of `width`-bit entries. Every d bits of an output are a result of their own, with d =
    /// [`CircuitBootstrappingParameters::bits_per_ciphertext`].
    ///
    /// # Errors
    /// If the number of entries is not a power of two from 2 to 2^[`MAX_INPUT_BITS`], the width is not from 1 to 64, or an
    /// entry is wider.
    pub fn new(
        parameters: &CircuitBootstrappingParameters,
        table: &[u64],
        width: usize,
    ) -> Result<Self> {
        let input_bits = table.len().max(2).ilog2() as usize;
        if table.len() != 1 << input_bits || input_bits > MAX_INPUT_BITS {
            let limit = format!("it must be a power of two from 2 to 2^{MAX_INPUT_BITS}");
            return Err(out_of_range("number of table entries", table.len() as u64, limit));
        }
        if !(1..=64).contains(&width) {
            return Err(out_of_range("width", width as u64, "outputs have from 1 to 64 bits"));
        }
        let limit = 1u64.checked_shl(width as u32).unwrap_or(u64::MAX);
        if let Some(index) = table.iter().position(|&entry| width < 64 && entry >= limit) {
            return Err(Error::TableEntry { index, value: table[index], limit });
        }
        let shape = TreeShape::new(parameters, input_bits, width);
        let groups = (0..shape.groups()).map(|group| shape.group(table, group)).collect();
        Ok(Self { parameters: parameters.clone(), shape, width, groups })
    }

    fn ring(&self) -> &PrimeRing {
        self.parameters.fhew().ring()
    }

    /// Returns the parameters that RGSW ciphertexts must have.
    #[must_use]
    pub fn parameters(&self) -> &CircuitBootstrappingParameters {
        &self.parameters
    }

    /// Returns the sizes of the tree.
    #[must_use]
    pub fn shape(&self) -> TreeShape {
        self.shape
    }

    /// Returns the number of bits of the input.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.shape.input_bits()
    }

    /// Returns the number of bits of an output.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of CMUXes from an entry to the result.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.shape.depth()
    }

    /// Returns the number of CMUXes of a lookup in all.
    #[must_use]
    pub fn cmuxes(&self) -> usize {
        self.shape.cmuxes()
    }

    /// Predicts the noise of a result if bits are 1 with probability `ones`: see
    /// [`CircuitBootstrappingNoise::tree`].
    #[must_use]
    pub fn output_noise(&self, noise: &CircuitBootstrappingNoise, ones: f64) -> NoiseLaw {
        noise.tree(self.depth(), ones)
    }

    /// Returns all ciphertexts of the entry that the selectors choose, the lowest bits first: LWE of dimension N modulo Q, of
    /// phase x·Q/2^d, with d = [`CircuitBootstrappingParameters::bits_per_ciphertext`]. Selectors encrypt the bits of the
    /// input's Gray code, the lowest first, as returned by [`CircuitBootstrapping::bootstrap_values`]; with one bit per
    /// ciphertext, those of the input itself.
    ///
    /// # Errors
    /// If the numbers of selectors and input bits differ.
    pub fn lookup(&self, selectors: &[RgswCiphertext]) -> Result<Vec<LweCiphertext>> {
        if selectors.len() != self.input_bits() {
            let limit = format!("the table has inputs of {} bits", self.input_bits());
            return Err(out_of_range("number of selectors", selectors.len() as u64, limit));
        }
        let groups: Vec<Vec<LweCiphertext>> =
            self.groups.par_iter().map(|group| self.lookup_group(group, selectors)).collect();
        Ok(groups.into_iter().flatten().take(self.shape.outputs()).collect())
    }

    /// Looks up several encrypted inputs, lowest bits first: a circuit bootstrap per ciphertext, then the table.
    ///
    /// # Errors
    /// If an input does not have the number of ciphertexts of the table's inputs, or belongs to other parameters.
    pub fn lookup_many(
        &self,
        circuit: &CircuitBootstrapping<'_>,
        inputs: &[Vec<LweCiphertext>],
    ) -> Result<Vec<Vec<LweCiphertext>>> {
        let each = self.shape.inputs();
        if let Some(input) = inputs.iter().find(|input| input.len() != each) {
            let limit = format!("the table has inputs of {each} ciphertexts");
            return Err(out_of_range("number of ciphertexts", input.len() as u64, limit));
        }
        let ciphertexts: Vec<&LweCiphertext> = inputs.iter().flatten().collect();
        self.lookup_all(&circuit.bootstrap_values(&ciphertexts, self.input_bits())?)
    }

    /// Looks up several inputs by their selectors, which are given input by input.
    ///
    /// # Errors
    /// If the number of selectors is not a multiple of the number of input bits.
    pub fn lookup_all(&self, selectors: &[RgswCiphertext]) -> Result<Vec<Vec<LweCiphertext>>> {
        selectors.par_chunks(self.input_bits()).map(|selectors| self.lookup(selectors)).collect()
    }

    fn lookup_group(
        &self,
        polynomials: &[PlaintextPolynomial],
        selectors: &[RgswCiphertext],
    ) -> Vec<LweCiphertext> {
        let ring = self.ring();
        let (rotating, choosing) = selectors.split_at(self.shape.rotating_bits());
        let mut cmux = Cmux::new(ring, self.parameters.rgsw_gadget());
        let mut chosen = self.choose(polynomials, choosing, &mut cmux);
        for (i, selector) in rotating.iter().enumerate() {
            // X^(-2^i) brings entry x + 2^i to x.
            cmux.rotate_if_assign(selector, &mut chosen, 2 * ring.degree() - (1 << i));
        }
        chosen.extract(
            ring,
            (0..self.shape.outputs_each()).map(|output| output << self.shape.rotating_bits()),
        )
    }

    /// Returns the polynomial that the upper bits choose. The search is depth first, so it keeps one ciphertext per level.
    fn choose(
        &self,
        polynomials: &[PlaintextPolynomial],
        selectors: &[RgswCiphertext],
        cmux: &mut Cmux<'_>,
    ) -> LeveledCiphertext {
        let (highest, lower) = match selectors {
            [] => return LeveledCiphertext::of_plaintexts(self.ring(), &polynomials[0]),
            [selector] => {
                return cmux.select_plaintexts(selector, &polynomials[0], &polynomials[1]);
            }
            [lower @ .., highest] => (highest, lower),
        };
        let (zeros, ones) = polynomials.split_at(polynomials.len() / 2);
        let mut zero = self.choose(zeros, lower, cmux);
        let one = self.choose(ones, lower, cmux);
        cmux.select_assign(highest, &mut zero, &one);
        zero
    }
}

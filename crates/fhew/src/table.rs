//! Tables of single values.

use crate::parameters::Parameters;
use crate::test_polynomial::encode;
use cryptable_lattice::{Error, Result};

/// A table f: Z_p → Z_P, p even.
///
/// ```
/// use cryptable_fhew::table::Table;
/// let table = Table::new(4, 8, &[7, 0, 3, 3])?;
/// assert_eq!(table.output(2), 3);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table<'a> {
    output_modulus: u64,
    outputs: &'a [u64],
}

impl<'a> Table<'a> {
    /// A table from its outputs, f(0) first.
    ///
    /// # Errors
    /// If the number of outputs is not the input modulus, a modulus is below 2, or an output is not below the
    /// output modulus.
    pub fn new(input_modulus: u64, output_modulus: u64, outputs: &'a [u64]) -> Result<Self> {
        if outputs.len() as u64 != input_modulus {
            return Err(Error::TableLength { found: outputs.len(), expected: input_modulus });
        }
        for modulus in [input_modulus, output_modulus] {
            if modulus < 2 {
                return Err(Error::PlaintextModulus {
                    modulus,
                    reason: "it must be at least 2".to_owned(),
                });
            }
        }
        match outputs.iter().position(|&output| output >= output_modulus) {
            Some(index) => {
                Err(Error::TableEntry { index, value: outputs[index], limit: output_modulus })
            }
            None => Ok(Self { output_modulus, outputs }),
        }
    }

    /// p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.outputs.len() as u64
    }

    /// P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// f(input), for an input modulo p.
    #[must_use]
    pub fn output(&self, input: u64) -> u64 {
        self.outputs[(input % self.input_modulus()) as usize]
    }

    /// f(input) as a phase modulo Q: f(input)·Q/P, rounded.
    #[must_use]
    pub fn encoded(&self, parameters: &Parameters, input: u64) -> u64 {
        encode(self.output(input), self.output_modulus, parameters.prime())
    }

    /// The input whose slot phase x of `0..modulus` falls into, once half a slot has been added to phases:
    /// ⌊p·x/modulus⌋.
    #[must_use]
    pub fn slot(&self, phase: u64, modulus: u64) -> u64 {
        (u128::from(phase) * u128::from(self.input_modulus()) / u128::from(modulus)) as u64
    }
}

/// Half a slot of a plaintext modulus, rounded: what is added to phases so that errors stay within their slot.
#[must_use]
pub fn half_slot(plaintext_modulus: u64, modulus: u64) -> u64 {
    (modulus + plaintext_modulus) / (2 * plaintext_modulus)
}

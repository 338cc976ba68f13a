//! Private key switching from LWE of level 2 to RLWE of level 1 (PrivateKS; Wang et al., EUROCRYPT 2024, ePrint 2024/323,
//! Sec. 2.3), for the two functions of circuit bootstrapping, as
//! [`PrivateSwitchingKey`](crate::tfhe_baseline::PrivateSwitchingKey) within one level: rows are half as wide and half as
//! long.

use cryptable_fhew::keys::SecretKey;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::row_sums::add_chosen;
use cryptable_ring::word_sums::add_multiples;
use rayon::prelude::*;

use super::parameters::{TORUS_BITS, ThreeLevelParameters};
use super::secret_key::LevelOneSecret;
use crate::tfhe_baseline::{PrivateFunction, PrivateKeyForm};

/// Digits whose rows all ciphertexts of one call use before the next are read.
const DIGITS_AT_ONCE: usize = 16;

/// A key that switches LWE of level 2 to RLWE, at level 1, of a function of the phase. Holds no secret, and is `Sync`.
pub struct TorusPrivateKey {
    parameters: ThreeLevelParameters,
    /// For each function: row `(i·ℓ + k)·multiples + j`, body and mask, encrypts `f((j + 1)·s_i·2^(-w(ℓ - k)))`.
    rows: [Vec<u32>; 2],
}

impl std::fmt::Debug for TorusPrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TorusPrivateKey({:?}, {} bytes)", self.parameters.literal(), self.bytes())
    }
}

impl TorusPrivateKey {
    /// A key from the ring secret of level 2 to that of level 1.
    ///
    /// # Panics
    /// If the secret of level 2 is of other parameters, or the operating system has no randomness to give.
    #[must_use]
    pub fn generate(top: &SecretKey, level_1: &LevelOneSecret) -> Self {
        let parameters = level_1.parameters();
        assert_eq!(top.parameters(), parameters.level_2(), "parameters of the secret of level 2");
        let generate = |function| private_rows(function, top.ring_coefficients(), level_1);
        Self { parameters: parameters.clone(), rows: PrivateFunction::ALL.map(generate) }
    }

    /// The parameters that the key is of.
    #[must_use]
    pub fn parameters(&self) -> &ThreeLevelParameters {
        &self.parameters
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.iter().map(|rows| size_of_val(rows.as_slice())).sum()
    }

    /// PrivateKS: RLWE of the function of each phase, body and mask of N words each, the key's rows read once for all.
    ///
    /// 2ℓ·N̄·N products a ciphertext, or as many additions. Adds the noise of
    /// [`ThreeLevelNoise::private_switching`](super::ThreeLevelNoise::private_switching).
    ///
    /// # Errors
    /// If a ciphertext is not of dimension N̄ modulo the prime of level 2.
    pub fn switch(
        &self,
        function: PrivateFunction,
        inputs: &[LweCiphertext],
    ) -> Result<Vec<Vec<u32>>> {
        let shape = self.parameters.level_2().extracted_shape();
        inputs.iter().try_for_each(|lwe| shape.check(lwe))?;
        let width = 2 * self.parameters.level_1().degree();
        let (gadget, multiples) = (self.parameters.private_gadget(), self.parameters.multiples());
        let start = |lwe: &LweCiphertext| (vec![0; width], gadget.digits_of_each(lwe.mask()));
        let mut sums: Vec<(Vec<u32>, Vec<i32>)> = inputs.iter().map(start).collect();
        let block = DIGITS_AT_ONCE * multiples * width;
        for (index, rows) in self.rows[function as usize].chunks(block).enumerate() {
            let first = index * DIGITS_AT_ONCE;
            let range = first..first + rows.len() / (multiples * width);
            for (sum, digits) in &mut sums {
                let digits = &digits[range.clone()];
                match self.parameters.literal().form {
                    PrivateKeyForm::Products => add_multiples(sum, rows, digits),
                    PrivateKeyForm::Precomputed => add_chosen(sum, rows, multiples, digits),
                }
            }
        }
        let finish = |((mut sum, _), lwe): ((Vec<u32>, Vec<i32>), &LweCiphertext)| {
            let constant = match function {
                PrivateFunction::Identity => 0,
                PrivateFunction::TimesSecret => width / 2,
            };
            sum[constant] = sum[constant].wrapping_add(torus_word(lwe.body(), shape.modulus));
            sum
        };
        Ok(sums.into_iter().zip(inputs).map(finish).collect())
    }
}

/// The nearest word of the 32-bit torus to a residue.
fn torus_word(residue: u64, modulus: u64) -> u32 {
    let scaled = u128::from(residue) << TORUS_BITS;
    ((scaled + u128::from(modulus / 2)) / u128::from(modulus)) as u32
}

/// All rows of a function.
fn private_rows(function: PrivateFunction, top: &[i8], level_1: &LevelOneSecret) -> Vec<u32> {
    let parameters = level_1.parameters();
    let (gadget, multiples) = (parameters.private_gadget(), parameters.multiples());
    let (length, n) = (gadget.length(), parameters.level_1().degree());
    let encryptor = level_1.rows();
    let mut rows = vec![0; parameters.private_rows() * 2 * n];
    rows.par_chunks_exact_mut(2 * n).enumerate().for_each(|(row, out)| {
        let (j, digit) = (row % multiples, row / multiples);
        let (i, k) = (digit / length, digit % length);
        let weight = 1u32 << (TORUS_BITS - gadget.base_log2() * (length - k) as u32);
        // s_i is 0 or 1: a product with it takes neither branch nor address.
        let message = weight.wrapping_mul(j as u32 + 1).wrapping_mul(top[i] as u32);
        match function {
            PrivateFunction::Identity => out[0] = message,
            PrivateFunction::TimesSecret => {
                for (word, &s) in out[..n].iter_mut().zip(level_1.coefficients()) {
                    *word = message.wrapping_mul(s as u32);
                }
            }
        }
        encryptor.encrypt(function.row_domain(), row, out);
    });
    rows
}

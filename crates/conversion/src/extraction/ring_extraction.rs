//! Extraction to a ring secret: coefficients of blocks become LWE ciphertexts under the secret of blocks.
//!
//! Coefficient i of `b + a·z` of degree N' is the LWE ciphertext of body b_i and mask a_i, a_(i-1), …, a_0, -a_(N'-1),
//! …, -a_(i+1) under the coefficients of z. If z is a client's ring secret, these can be used like all ciphertexts
//! under that secret, modulo any modulus M that they are rounded to.
//!
//! Work: ℓ + 2 transforms of degree N, and N' words per value. Noise, a fraction of the modulus squared: that of the
//! switch ([`Parameters::extraction_noise`]) and of rounding, `(1 + N'·E[z²])/12` units of M.

use std::ops::Range;

use cryptable_fhew::noise::{Variance, second_moment};
use cryptable_lattice::error::out_of_range;
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::{Error, Result};
use cryptable_ring::Buffer;
use cryptable_ring::torus::FRACTION_BITS;
use rayon::prelude::*;

use crate::extraction::ExtractionKey;
use crate::parameters::Parameters;
use crate::phases::EncryptedPhases;

impl ExtractionKey {
    /// Extracts some values of a layout as LWE ciphertexts modulo any modulus below 2^50. Phases are the same fractions
    /// of it as of q_0.
    ///
    /// # Errors
    /// If the ciphertext is of other parameters or another client, the modulus is out of range, the range exceeds the
    /// values, or the parameters are for extraction to an LWE secret.
    pub fn take_out(
        &self,
        phases: &EncryptedPhases,
        values: Range<usize>,
        modulus: u64,
    ) -> Result<LweList> {
        self.parameters().check_takes_out_to_ring()?;
        phases.check(self.parameters(), self.clients().ring)?;
        if !(2..1 << 50).contains(&modulus) {
            let limit = "it must be from 2 to below 2^50".to_owned();
            return Err(out_of_range("modulus of extracted values", modulus, limit));
        }
        let layout = phases.layout();
        if values.start > values.end || values.end > layout.count {
            let (name, limit) = ("end of the values", layout.count as u64);
            return Err(Error::TooLarge { name, value: values.end as u64, limit });
        }
        let round = |out: &mut [u64], fractions: &[u64]| to_residues(modulus, out, fractions);
        let (body, mask) = self.under_block_secret(phases, round);
        let dimension = self.parameters().literal().extraction.degree;
        let blocks = layout.ring_degree / dimension;
        let mut masks = Buffer::unspecified(values.len() * dimension);
        let places = masks.par_chunks_exact_mut(dimension).zip(values.clone());
        places.for_each(|(out, value)| {
            // Coefficient i·r + k is coefficient i of block k.
            let coefficient = value * layout.gap();
            let (i, k) = (coefficient / blocks, coefficient % blocks);
            let word = |j: usize| mask[j * blocks + k];
            let (low, high) = out.split_at_mut(i + 1);
            low.iter_mut().enumerate().for_each(|(j, out)| *out = word(i - j));
            high.iter_mut().enumerate().for_each(|(j, out)| {
                let negated = word(dimension - 1 - j);
                *out = if negated == 0 { 0 } else { modulus - negated };
            });
        });
        let bodies = values.map(|value| body[value * layout.gap()]).collect();
        Ok(LweList::from_words(LweShape { dimension, modulus }, masks, bodies))
    }

    /// Returns the variance that rounding to a modulus adds to a phase.
    #[must_use]
    pub fn rounding_noise(parameters: &Parameters, modulus: u64) -> Variance {
        let literal = parameters.literal();
        let norm = literal.extraction.degree as f64 * second_moment(literal.extraction_secret);
        Variance::of_units((1.0 + norm) / 12.0, modulus as f64)
    }
}

/// Converts fractions to residues modulo any modulus: `⌊v·M/2^52⌉ mod M`.
fn to_residues(modulus: u64, out: &mut [u64], fractions: &[u64]) {
    for (out, &fraction) in out.iter_mut().zip(fractions) {
        let product = u128::from(fraction << (u64::BITS - FRACTION_BITS)) * u128::from(modulus);
        let rounded = ((product + (1 << 63)) >> 64) as u64;
        *out = if rounded == modulus { 0 } else { rounded };
    }
}

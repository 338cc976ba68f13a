//! Import and export of LWE ciphertexts: for methods that compute leveled values from others, or use them further.

use cryptable_lattice::error::check_equal;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::{Error, NoiseBound, Progress, Result};
use cryptable_ring::Buffer;

use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::{MAX_MODULUS, Parameters, width};
use crate::bootstrapping::ciphertext_count;
use crate::parameters::LOG2_FAIL;
use crate::tree::CmuxTree;

impl Parameters {
    /// Checks that lookups of values with this noise keep within the failure probability.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`], with the failure probability of a lookup.
    pub fn check_import(&self, noise: NoiseBound) -> Result<()> {
        let limit = LOG2_FAIL.max(self.log2_fail());
        check_log2_fail("a leveled lookup", self.lookup_log2_fail(noise), limit)
    }

    /// Returns the noise of exported digits: that of a lookup of one digit.
    #[must_use]
    pub fn exported_noise(&self) -> NoiseBound {
        self.tree_noise(self.circuit_bootstrapping().bits_per_ciphertext() as usize)
    }

    /// Returns the number of LWE ciphertexts of a value below a modulus.
    #[must_use]
    pub fn ciphertexts_of(&self, modulus: u64) -> usize {
        let bits = self.circuit_bootstrapping().bits_per_ciphertext();
        ciphertext_count(width(modulus), bits)
    }
}

impl EvaluationKey {
    /// Imports values below `modulus`, given as one list per digit, the lowest first. Another method computed the digits as LWE
    /// ciphertexts of phase d/2^w, w the bits per ciphertext, with a bound on their noise. The caller must make sure that they
    /// are under this client's key, and that the digits make up values below the modulus.
    ///
    /// # Errors
    /// If the number of lists is not that of the digits of a value, lists differ in length or have another dimension or
    /// modulus, or values have more bits than the parameters support; [`Error::NoiseTooLarge`] if lookups would fail with more
    /// than the stated probability.
    pub fn import(
        &self,
        digits: &[LweList],
        modulus: u64,
        noise: NoiseBound,
    ) -> Result<Ciphertext> {
        if !(2..=MAX_MODULUS).contains(&modulus) {
            let reason = format!("it must be from 2 to {MAX_MODULUS}");
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        check_equal("number of digits", digits.len(), self.parameters().ciphertexts_of(modulus))?;
        let shape = self.parameters().circuit_bootstrapping().lwe_shape();
        for list in digits {
            list.check(shape)?;
            check_equal("number of values", list.len(), digits[0].len())?;
        }
        self.parameters().check_import(noise)?;
        // Places the digits of a value side by side.
        let (count, n) = (digits[0].len(), shape.dimension);
        let mut masks = Buffer::unspecified(count * digits.len() * n);
        let mut bodies = vec![0; count * digits.len()];
        for (d, list) in digits.iter().enumerate() {
            let words = list.masks();
            let places = masks.chunks_exact_mut(n).skip(d).step_by(digits.len());
            places.zip(words.chunks_exact(n)).for_each(|(out, mask)| out.copy_from_slice(mask));
            let places = bodies.iter_mut().skip(d).step_by(digits.len());
            places.zip(list.bodies()).for_each(|(out, &body)| *out = body);
        }
        let list = LweList::from_words(shape, masks, bodies);
        let found = Ciphertext::new(self.parameters(), modulus, *self.binding(), list);
        found.check(self.parameters(), self.binding())?;
        Ok(found)
    }

    /// Exports the LWE ciphertexts of values as one list per digit, the lowest first, each of phase d/2^w, with a bound on
    /// their noise. Digits of computed values are looked up once more, each by itself. Their noise is then that of w CMUXes,
    /// instead of one CMUX per bit of a value. A step of progress is a digit of a value.
    ///
    /// # Errors
    /// If the values belong to another client or other parameters; [`cryptable_lattice::Error::Cancelled`].
    pub fn export(
        &self,
        values: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<(Vec<LweList>, NoiseBound)> {
        let values = &*self.switched(values)?;
        if values.is_fresh() {
            return Ok((digit_lists(values.list(), values), self.parameters().fresh_noise()));
        }
        let circuit = self.parameters().circuit_bootstrapping();
        let bits = circuit.bits_per_ciphertext();
        let digits: Vec<u64> = (0..1 << bits).collect();
        let identity = CmuxTree::new(circuit, &digits, bits as usize)?;
        let list = self.lookup_lists(values.list(), &[&identity], progress)?.swap_remove(0);
        Ok((digit_lists(&list, values), self.parameters().exported_noise()))
    }
}

/// Splits a list of values into one list per digit.
fn digit_lists(list: &LweList, of: &Ciphertext) -> Vec<LweList> {
    let (shape, masks, each) = (list.shape(), list.masks(), of.ciphertexts_per_value());
    let digit = |d: usize| {
        let mut words = Buffer::unspecified(of.count() * shape.dimension);
        let of_digit = masks.chunks_exact(shape.dimension).skip(d).step_by(each);
        let places = words.chunks_exact_mut(shape.dimension);
        places.zip(of_digit).for_each(|(out, mask)| out.copy_from_slice(mask));
        let bodies = list.bodies().iter().skip(d).step_by(each).copied().collect();
        LweList::from_words(shape, words, bodies)
    };
    (0..each).map(digit).collect()
}

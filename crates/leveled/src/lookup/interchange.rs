//! LWE ciphertexts in and out: for methods that make leveled values of others, or go on from them.

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
    /// Checks that lookups of values with this noise keep to the failure probability.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`], with what a lookup would fail with.
    pub fn check_import(&self, noise: NoiseBound) -> Result<()> {
        let limit = LOG2_FAIL.max(self.log2_fail());
        check_log2_fail("a leveled lookup", self.lookup_log2_fail(noise), limit)
    }

    /// Noise of digits that leave: of a lookup of one digit.
    #[must_use]
    pub fn exported_noise(&self) -> NoiseBound {
        self.tree_noise(self.circuit_bootstrapping().bits_per_ciphertext() as usize)
    }

    /// LWE ciphertexts of a value below a modulus.
    #[must_use]
    pub fn ciphertexts_of(&self, modulus: u64) -> usize {
        let bits = self.circuit_bootstrapping().bits_per_ciphertext();
        ciphertext_count(width(modulus), bits)
    }
}

impl EvaluationKey {
    /// Values below `modulus` of a list for every digit, the lowest first, that another method computed as LWE ciphertexts
    /// of phase d/2^w, w the bits of a ciphertext, with a bound on their noise. That they are under this client's key, and
    /// that digits make values below the modulus, is the caller's to know.
    ///
    /// # Errors
    /// If lists are not as many as a value has digits, differ in length, or have another dimension or modulus, or values have
    /// more bits than the parameters serve; [`Error::NoiseTooLarge`] if lookups would fail with more than the stated
    /// probability.
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
        // Digits of a value are side by side.
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

    /// The LWE ciphertexts of values, a list for every digit, the lowest first, of phase d/2^w each, and a bound on their
    /// noise. Digits of computed values are looked up once more, each by itself: their noise then is that of w CMUXes, in
    /// place of one for each bit of a value. A step of progress is a digit of a value.
    ///
    /// # Errors
    /// If the values are of another client or other parameters; [`cryptable_lattice::Error::Cancelled`].
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

/// The digits of a list of values, place by place.
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

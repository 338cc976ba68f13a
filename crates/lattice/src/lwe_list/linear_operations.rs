//! Linear operations on lists, ciphertext by ciphertext, which work on encrypted values without any key.
//!
//! They do not track noise: code that offers them to callers keeps a [`crate::NoiseBound`] beside the list. Results are
//! computed ciphertexts, with masks instead of a seed.

use rayon::prelude::*;

use super::{LweList, LweShape};
use crate::error::{Result, check_equal};
use crate::lwe::LweCiphertext;
use crate::security::SecretDistribution;

impl LweList {
    /// Returns the sums of the phases of two lists.
    ///
    /// ```
    /// use cryptable_lattice::lwe::LweCiphertext;
    /// use cryptable_lattice::lwe_list::{LweList, LweShape};
    /// let shape = LweShape { dimension: 4, modulus: 100 };
    /// let list = |phase| LweList::computed(shape, [LweCiphertext::trivial(4, 100, phase)]);
    /// assert_eq!(list(70)?.add(&list(50)?)?.ciphertext(0).body(), 20);
    /// assert_eq!(list(70)?.sub(&list(90)?)?.ciphertext(0).body(), 80);
    /// assert_eq!(list(70)?.mul_scalar(-2).ciphertext(0).body(), 60);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If shapes or lengths differ.
    pub fn add(&self, other: &Self) -> Result<Self> {
        self.combine(other, LweCiphertext::add_assign)
    }

    /// Returns the differences of the phases of two lists.
    ///
    /// # Errors
    /// If shapes or lengths differ.
    pub fn sub(&self, other: &Self) -> Result<Self> {
        self.combine(other, LweCiphertext::sub_assign)
    }

    /// Multiplies every phase by a factor.
    #[must_use]
    pub fn mul_scalar(&self, factor: i64) -> Self {
        self.map(|_, ciphertext| ciphertext.mul_integer_assign(factor))
    }

    /// Switches every ciphertext to another modulus, like [`LweCiphertext::modulus_switch`].
    ///
    /// # Panics
    /// Panics like [`LweCiphertext::modulus_switch`].
    #[must_use]
    pub fn modulus_switch(&self, modulus: u64, secret: SecretDistribution) -> Self {
        let switch = |index| self.ciphertext(index).modulus_switch(modulus, secret);
        let switched: Vec<_> = (0..self.len()).into_par_iter().map(switch).collect();
        let shape = LweShape { modulus, ..self.shape };
        Self::computed(shape, switched).expect("one shape")
    }

    /// Adds to every phase a constant of its own. Masks, or their seed, do not change.
    ///
    /// # Errors
    /// If the number of constants is not the number of ciphertexts.
    ///
    /// # Panics
    /// If a constant is not below the modulus.
    pub fn add_constants(&self, constants: &[u64]) -> Result<Self> {
        check_equal("number of constants", constants.len(), self.len())?;
        let (mut sums, modulus) = (self.clone(), self.shape.modulus);
        for (body, &constant) in sums.bodies.iter_mut().zip(constants) {
            assert!(constant < modulus, "constant {constant} modulo {modulus}");
            *body = (*body + constant) % modulus;
        }
        Ok(sums)
    }

    fn combine(&self, other: &Self, of: fn(&mut LweCiphertext, &LweCiphertext)) -> Result<Self> {
        other.check(self.shape)?;
        check_equal("number of values of the second operand", other.len(), self.len())?;
        Ok(self.map(|index, ciphertext| of(ciphertext, &other.ciphertext(index))))
    }

    /// Changes every ciphertext, on all threads.
    fn map(&self, of: impl Fn(usize, &mut LweCiphertext) + Sync) -> Self {
        let changed = (0..self.len()).into_par_iter().map(|index| {
            let mut ciphertext = self.ciphertext(index);
            of(index, &mut ciphertext);
            ciphertext
        });
        Self::computed(self.shape, changed.collect::<Vec<_>>()).expect("shapes stay")
    }
}

//! What a bootstrap takes beside arithmetic: the ways into slots and out of them again.

use cryptable_lattice::Result;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_ring::Basis;

use crate::bootstrapping::mod_raise::{mod_raise, raise};
use crate::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use crate::{Arithmetic, Ciphertext, Evaluator};

/// Arithmetic that computes on ciphertexts, with the keys of ModRaise: not a dry run.
pub trait Bootstrapping: Arithmetic {
    /// Raises a ciphertext of the client to `limbs` limbs of the first chain: m/p + I at scale q_0. See [`mod_raise`].
    fn mod_raise(&self, input: &CoefficientCiphertext, limbs: usize) -> Self::Ciphertext;

    /// Raises a ciphertext modulo q_0 to the primes of `raised`, whatever its scale is: m/p + I at scale q_0. See
    /// [`raise`].
    ///
    /// # Panics
    /// If it has more primes than one.
    fn raise(&self, bottom: &Self::Ciphertext, raised: Basis) -> Self::Ciphertext;

    /// Values as fractions of their modulus in coefficients, at scale q_0 modulo q_0, as a ciphertext of the client. See
    /// [`switch_to_power_of_two`].
    ///
    /// # Errors
    /// If anything before it failed, where that is not known at once: on a card. An [`Evaluator`] does not fail.
    ///
    /// # Panics
    /// If the ciphertext has more limbs than one.
    fn switch_to_power_of_two(
        &self,
        ct: Self::Ciphertext,
        shape: CoefficientShape,
    ) -> Result<CoefficientCiphertext>;
}

impl Bootstrapping for Evaluator<'_> {
    fn mod_raise(&self, input: &CoefficientCiphertext, limbs: usize) -> Ciphertext {
        mod_raise(self, input, limbs)
    }

    fn raise(&self, bottom: &Ciphertext, raised: Basis) -> Ciphertext {
        raise(self, &bottom.parts, raised)
    }

    fn switch_to_power_of_two(
        &self,
        ct: Ciphertext,
        shape: CoefficientShape,
    ) -> Result<CoefficientCiphertext> {
        Ok(switch_to_power_of_two(self.ring(), ct, shape))
    }
}

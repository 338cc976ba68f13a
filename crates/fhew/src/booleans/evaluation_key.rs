//! The server's key for Boolean gates.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Progress, Result};

use super::{EncryptedBits, Gate, Parameters};
use crate::gates::Gates;
use crate::keys::ServerKey;

/// Evaluates gates on encrypted bits. Holds no secret, and is `Sync`.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// A gate of every pair of bits: one bootstrap each, and none for a ciphertext with itself.
    ///
    /// # Errors
    /// If a ciphertext is of another client or other parameters, their counts differ, or `progress`, which counts
    /// bits, asks to stop.
    pub fn gate(
        &self,
        gate: Gate,
        a: &EncryptedBits,
        b: &EncryptedBits,
        progress: Progress<'_>,
    ) -> Result<EncryptedBits> {
        let gates = Gates::new(self.fhew());
        self.map([a, b], progress, |[a, b]| {
            // Equal noises would add up to more than the failure probability allows for.
            if a == b { Ok(self.gate_with_itself(gate, a)) } else { gates.evaluate(gate, a, b) }
        })
    }

    /// `selector ? a : b` of every triple of bits: two bootstraps each.
    ///
    /// # Errors
    /// As [`EvaluationKey::gate`].
    pub fn mux(
        &self,
        selector: &EncryptedBits,
        a: &EncryptedBits,
        b: &EncryptedBits,
        progress: Progress<'_>,
    ) -> Result<EncryptedBits> {
        let gates = Gates::new(self.fhew());
        let one = self.trivial(true);
        self.map([selector, a, b], progress, |[selector, a, b]| {
            // A selector that is an input, too, can be replaced by what it is where that input is chosen.
            let a = if a == selector { &one } else { a };
            let zero = Gates::not(&one);
            let b = if b == selector { &zero } else { b };
            gates.mux(selector, a, b)
        })
    }

    /// `of` applied to the bits of the same position, on all threads.
    fn map<const N: usize>(
        &self,
        inputs: [&EncryptedBits; N],
        progress: Progress<'_>,
        of: impl Fn([&LweCiphertext; N]) -> Result<LweCiphertext> + Sync,
    ) -> Result<EncryptedBits> {
        let count = inputs[0].count();
        let inputs: Vec<_> =
            inputs.iter().map(|input| self.switched(input)).collect::<Result<_>>()?;
        if let Some(other) = inputs.iter().find(|input| input.count() != count) {
            return Err(Error::mismatch("number of bits", other.count(), count));
        }
        let results = progress.map(count, |index| {
            let bits = std::array::from_fn::<_, N, _>(|i| inputs[i].values().ciphertext(index));
            of(bits.each_ref())
        })?;
        EncryptedBits::computed(*self.binding(), self.parameters(), results)
    }

    /// A gate of equal inputs: the bit, its negation, or what does not depend on it.
    fn gate_with_itself(&self, gate: Gate, bit: &LweCiphertext) -> LweCiphertext {
        match [false, true].map(|plain| gate.apply(plain, plain)) {
            [false, true] => bit.clone(),
            [true, false] => Gates::not(bit),
            [constant, _] => self.trivial(constant),
        }
    }

    /// A known bit, without noise.
    fn trivial(&self, bit: bool) -> LweCiphertext {
        let shape = self.fhew().parameters().lwe_shape();
        let eighth = shape.modulus / 8;
        let phase = if bit { eighth } else { shape.modulus - eighth };
        LweCiphertext::trivial(shape.dimension, shape.modulus, phase)
    }
}

//! The server's key for Boolean gates.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Progress, Result};

use super::{EncryptedBits, Gate, Parameters};
use crate::gates::Gates;
use crate::keys::ServerKey;

/// Evaluates gates on encrypted bits. Holds no secret, and is `Sync`.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// Applies a gate to every pair of bits: one bootstrap per pair, and none where both inputs are the same ciphertext.
    ///
    /// # Errors
    /// If a ciphertext belongs to another client or other parameters, the numbers of bits differ, or `progress`, which
    /// counts bits, asks to stop.
    pub fn gate(
        &self,
        gate: Gate,
        a: &EncryptedBits,
        b: &EncryptedBits,
        progress: Progress<'_>,
    ) -> Result<EncryptedBits> {
        let gates = Gates::new(self.fhew());
        self.map([a, b], progress, |[a, b]| {
            // The two equal errors would add up to more noise than the failure probability allows for.
            if a == b { Ok(self.gate_with_itself(gate, a)) } else { gates.evaluate(gate, a, b) }
        })
    }

    /// Returns `selector ? a : b` for every triple of bits, at two bootstraps per triple.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::gate`].
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
            // Where the selector is also an input, that input is 1 (as a) or 0 (as b) whenever it is chosen.
            let a = if a == selector { &one } else { a };
            let zero = Gates::not(&one);
            let b = if b == selector { &zero } else { b };
            gates.mux(selector, a, b)
        })
    }

    /// Applies `of` to the bits at each position, on all threads.
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

    /// Returns a gate's result for two equal inputs: the bit, its negation, or a constant.
    fn gate_with_itself(&self, gate: Gate, bit: &LweCiphertext) -> LweCiphertext {
        match [false, true].map(|plain| gate.apply(plain, plain)) {
            [false, true] => bit.clone(),
            [true, false] => Gates::not(bit),
            [constant, _] => self.trivial(constant),
        }
    }

    /// Returns a known bit as a ciphertext without noise.
    fn trivial(&self, bit: bool) -> LweCiphertext {
        let shape = self.fhew().parameters().lwe_shape();
        let eighth = shape.modulus / 8;
        let phase = if bit { eighth } else { shape.modulus - eighth };
        LweCiphertext::trivial(shape.dimension, shape.modulus, phase)
    }
}

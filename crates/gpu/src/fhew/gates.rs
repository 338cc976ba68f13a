//! Boolean gates on batches of bits: `cryptable_fhew::gates`.

use cryptable_fhew::gates::{Gate, eighths};
use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweShape;

use crate::device::{Device, Words};
use crate::fhew::blind_rotation::DeviceRotationKey;
use crate::fhew::key_switch::DeviceKeySwitch;
use crate::fhew::lwe_batch::LweBatch;
use crate::fhew::lwe_modulus_switch::{LweSource, PhaseSum};

/// Words of rotated accumulators at once: 1 GiB.
const ACCUMULATOR_WORDS: usize = 1 << 27;

/// The keys of gates on a card.
///
/// ```
/// use cryptable_fhew::gates::{Gate, decrypt_bit, encrypt_bit};
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_fhew::parameters::Parameters;
/// use cryptable_gpu::Device;
/// use cryptable_gpu::fhew::GateKey;
/// let secret = SecretKey::generate(&Parameters::gates_128());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// # let Ok(device) = Device::card(0) else { return Ok(()) };
/// let gates = GateKey::new(&device, &key)?;
/// let bits = [true, false].map(|bit| encrypt_bit(&secret, bit));
/// let results = gates.gates(Gate::Nand, &bits, &bits)?;
/// assert!(!decrypt_bit(&secret, &results[0])?);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct GateKey {
    device: Device,
    parameters: Parameters,
    rotation: DeviceRotationKey,
    key_switch: DeviceKeySwitch,
    sign: Words,
}

impl GateKey {
    /// Puts the keys of gates on a card.
    ///
    /// # Errors
    /// If rotation is not by CMUXes of a binary secret, or numbers are larger than kernels take; the first error of the
    /// card.
    pub fn new(device: &Device, key: &EvaluationKey) -> Result<Self> {
        let parameters = key.parameters().clone();
        let rotation = DeviceRotationKey::new(device, parameters.ring(), &key.rotations()[0])?;
        let key_switch = DeviceKeySwitch::new(device, key)?;
        let ring = parameters.ring();
        let sign = TestPolynomial::sign(ring, encode(1, 8, parameters.prime()));
        let sign = device.upload(sign.to_rlwe(ring).words());
        device.check()?;
        Ok(Self { device: device.clone(), parameters, rotation, key_switch, sign })
    }

    /// A gate of each pair of bits.
    ///
    /// # Errors
    /// If there are not as many on both sides, or one is not of the key's parameters; the first error of the card.
    pub fn gates(
        &self,
        gate: Gate,
        lhs: &[LweCiphertext],
        rhs: &[LweCiphertext],
    ) -> Result<Vec<LweCiphertext>> {
        let (lhs, rhs) = (self.upload(lhs)?, self.upload(rhs)?);
        self.evaluate(gate, &lhs, &rhs)?.download()
    }

    /// Bits to the card.
    ///
    /// # Errors
    /// If one is not of the key's parameters.
    pub fn upload(&self, bits: &[LweCiphertext]) -> Result<LweBatch> {
        LweBatch::upload(&self.device, self.parameters.lwe_shape(), bits.iter())
    }

    /// A gate of each pair of bits that are on the card: one bootstrap each.
    ///
    /// Results are those of [`cryptable_fhew::gates::Gates::evaluate`].
    ///
    /// # Errors
    /// If there are not as many on both sides, or they are not of the key's parameters.
    pub fn evaluate(&self, gate: Gate, lhs: &LweBatch, rhs: &LweBatch) -> Result<LweBatch> {
        let shape = self.parameters.lwe_shape();
        for batch in [lhs, rhs] {
            if batch.shape() != shape || batch.len() != lhs.len() {
                let name = "bits of a gate";
                let describe = |shape: LweShape, len: usize| format!("{len} of {shape:?}");
                let expected = describe(shape, lhs.len());
                let found = describe(batch.shape(), batch.len());
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        let mut out = LweBatch::unspecified(&self.device, shape, lhs.len());
        if lhs.is_empty() {
            return Ok(out);
        }
        let (factor, constant) = gate.sum();
        let sum = PhaseSum {
            factor,
            constant: eighths(constant, shape.modulus),
            modulus: self.parameters.rotation_modulus(),
            shift: 0,
            secret: self.parameters.literal().lwe_secret,
        };
        let phases = sum.of(lhs, Some(rhs));
        let each = 2 * self.parameters.ring_degree();
        let at_once = (ACCUMULATOR_WORDS / each).min(lhs.len());
        for start in (0..lhs.len()).step_by(at_once) {
            let count = at_once.min(lhs.len() - start);
            let accumulators = self.device.allocate(count * each);
            self.rotation.rotate(&self.sign, &phases, start, &accumulators);
            let rotated = LweSource::Constants(&accumulators);
            self.key_switch.switch(rotated, count, &mut out, start);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use cryptable_fhew::gates::{Gates, decrypt_bit, encrypt_bit};
    use cryptable_fhew::keys::SecretKey;
    use cryptable_fhew::parameters::ParametersLiteral;
    use cryptable_ring::Isa;

    use super::*;

    /// All gates of all pairs of bits, on a card and on the processor.
    fn check(parameters: &Parameters) {
        let secret = SecretKey::generate(parameters);
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let device = Device::for_tests();
        let on_card = GateKey::new(&device, &key).unwrap();
        let gates = Gates::new(&key);
        let bits = [(false, false), (false, true), (true, false), (true, true), (true, true)];
        let encrypt = |bit: bool| encrypt_bit(&secret, bit);
        let lhs: Vec<_> = bits.iter().map(|&(a, _)| encrypt(a)).collect();
        let rhs: Vec<_> = bits.iter().map(|&(_, b)| encrypt(b)).collect();
        for gate in Gate::ALL {
            let results = on_card.gates(gate, &lhs, &rhs).unwrap();
            for (i, result) in results.iter().enumerate() {
                let (a, b) = bits[i];
                assert_eq!(decrypt_bit(&secret, result).unwrap(), gate.apply(a, b), "{gate:?}");
                let expected = gates.evaluate(gate, &lhs[i], &rhs[i]).unwrap();
                let differ = result.words().iter().zip(expected.words()).filter(|(a, b)| a != b);
                let differ = differ.count();
                // Others have another order of operations.
                if Isa::detect() >= Isa::Avx512f {
                    assert_eq!(differ, 0, "{gate:?}, bits {i}");
                }
            }
        }
    }

    fn toy(degree: usize) -> ParametersLiteral {
        let literal = *Parameters::gates_128().literal();
        ParametersLiteral { lwe_dimension: 40, ring_degree: degree, ..literal }
    }

    #[test]
    fn gates_are_those_of_the_processor() {
        check(&Parameters::insecure(toy(1024)).unwrap());
    }

    #[test]
    fn gates_of_full_size_are_those_of_the_processor() {
        check(&Parameters::gates_128());
    }
}

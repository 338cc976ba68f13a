//! Boolean gates on batches of bits: `cryptable_fhew::gates`.

use cryptable_fhew::gates::{Gate, eighths};
use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::SecretDistribution;

use crate::arguments::fhew::{Extraction, GateInputs, ScaleArguments};
use crate::device::{Device, Words};
use crate::fhew::blind_rotation::DeviceRotationKey;
use crate::fhew::lwe_batch::LweBatch;
use crate::fhew::lwe_key_switch::DeviceLweKeySwitch;
use crate::kernels::{self, Grid};

/// Threads of a block that changes the modulus of one ciphertext.
const SWITCH_THREADS: u32 = 256;
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
    key_switch: DeviceLweKeySwitch,
    sign: Words,
}

impl GateKey {
    /// Puts the keys of gates on a card.
    ///
    /// # Errors
    /// If rotation is not by CMUXes of a binary secret, key switching goes through a ring of lower degree, or numbers are
    /// larger than kernels take; the first error of the card.
    pub fn new(device: &Device, key: &EvaluationKey) -> Result<Self> {
        let parameters = key.parameters().clone();
        if key.ring_dimension().is_some() {
            let limit = "gates on a card switch keys without one".to_owned();
            return Err(Error::Parameter { name: "intermediate ring", value: 1.0, limit });
        }
        let rotation = DeviceRotationKey::new(device, parameters.ring(), &key.rotations()[0])?;
        let key_switch = DeviceLweKeySwitch::new(device, key.key_switching())?;
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
        let phases = self.phases(gate, lhs, rhs);
        let each = 2 * self.parameters.ring_degree();
        let at_once = (ACCUMULATOR_WORDS / each).min(lhs.len());
        for start in (0..lhs.len()).step_by(at_once) {
            let count = at_once.min(lhs.len() - start);
            let accumulators = self.device.allocate(count * each);
            self.rotation.rotate(&self.sign, &phases, start, &accumulators);
            self.key_switch.switch(&self.extract(&accumulators, count), &mut out, start);
        }
        Ok(out)
    }

    /// The sums whose signs are results, modulo 2N.
    fn phases(&self, gate: Gate, lhs: &LweBatch, rhs: &LweBatch) -> LweBatch {
        let LweShape { dimension, modulus } = lhs.shape();
        let to = self.parameters.rotation_modulus();
        let (factor, constant) = gate.sum();
        let shape = LweShape { dimension, modulus: to };
        let out = LweBatch::unspecified(&self.device, shape, lhs.len());
        let secret = self.parameters.literal().lwe_secret;
        let arguments = GateInputs {
            a: lhs.address(0),
            b: rhs.address(0),
            out: out.address(0),
            scale: ScaleArguments::new(modulus, to, secret == SecretDistribution::Binary),
            stride: lhs.stride(),
            out_stride: out.stride(),
            dimension: dimension as u32,
            mask: (modulus - 1) as u32,
            factor: factor as u32,
            constant: eighths(constant, modulus) as u32,
        };
        self.device.launch(&kernels::SWITCH_GATE_INPUTS, one_each(lhs.len()), &arguments);
        out
    }

    /// The constant coefficients of accumulators, as LWE of dimension N modulo the LWE modulus.
    fn extract(&self, accumulators: &Words, count: usize) -> LweBatch {
        let (prime, degree) = (self.parameters.prime(), self.parameters.ring_degree());
        let to = self.parameters.lwe_modulus();
        let shape = LweShape { dimension: degree, modulus: to };
        let out = LweBatch::unspecified(&self.device, shape, count);
        let secret = self.parameters.literal().ring_secret;
        let arguments = Extraction {
            source: accumulators.address(0),
            out: out.address(0),
            modulus: prime,
            scale: ScaleArguments::new(prime, to, secret == SecretDistribution::Binary),
            degree: degree as u32,
            position: 0,
            out_stride: out.stride(),
            padding: 0,
        };
        self.device.launch(&kernels::EXTRACT_AND_SWITCH, one_each(count), &arguments);
        out
    }
}

/// A block for each of so many ciphertexts.
fn one_each(count: usize) -> Grid {
    Grid { blocks: [count as u32, 1, 1], threads: SWITCH_THREADS }
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

//! FHEW gates on thousands of encrypted bits at once: ring packing, a half GateBoot and extraction (Sec. 6 of Bae,
//! Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767).
//!
//! Phases of ±1/8 add up to 0, 1/4 and 1/2 of q_0: values of `Z_4`, on which GateBoot evaluates its function. XOR and
//! XNOR double them and use BinBoot, whose slope at bits is 0. GateBoot's function multiplies errors by π at most;
//! cleaning squares them, on two levels after the half bootstrap. Results have the noise of extraction, in every round
//! of gates (`rounds.rs` of `bits`).

use std::fmt;
use std::ops::Deref;

use cryptable_bits as bits;
use cryptable_bits::{RlweInput, RoundNoise};
use cryptable_fhew::booleans::{self, EncryptedBits, Gate};
use cryptable_lattice::error::{check_client, check_parameters};
use cryptable_lattice::{Progress, Result};

use crate::extraction::ExtractionKey;
use crate::gate_keys::{MODULUS, check_pair, gate_boot};
use crate::packing::RingPackingKey;

pub use crate::gate_keys::GateKeys;

/// The server's keys for FHEW gates on packed bits: keys of packing, of half bootstraps and of extraction. Holds no
/// secret, and is `Sync`.
///
/// ```
/// use cryptable_bits::{Packing, Parameters as PackedParameters};
/// use cryptable_conversion::PackedGatesSecret;
/// use cryptable_fhew::booleans::{Gate, Parameters, SecretKey};
/// use cryptable_lattice::Progress;
/// // `Parameters::with_log2_fail(-128.0)` and `PackedParameters::cleaning_128` are for use, with a packing of `Packing::of_bits`
/// // for as many gates as there are at once: 256 take half the time of 16,384.
/// let single = SecretKey::generate(&Parameters::insecure_toy());
/// let packed = PackedParameters::insecure_toy(Packing::Complex)?;
/// let server = PackedGatesSecret::generate(&single, &packed)?.packed_gates(Progress::silent())?;
///
/// let a = single.encrypt(&[false, false, true, true]);
/// let b = single.encrypt(&[false, true, false, true]);
/// let nand = server.gate(Gate::Nand, &a, &b, Progress::silent())?;
/// assert_eq!(single.decrypt(&nand)?, [true, true, true, false]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct PackedGates {
    gates: booleans::Parameters,
    keys: GateKeys,
    noise: RoundNoise,
}

impl fmt::Debug for PackedGates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedGates({:?}, {} bytes)", self.clients(), self.memory_bytes())
    }
}

/// Gives access to the keys: their sizes, their client, and each of them.
impl Deref for PackedGates {
    type Target = GateKeys;

    fn deref(&self) -> &GateKeys {
        &self.keys
    }
}

impl PackedGates {
    /// Joins keys of one client.
    ///
    /// # Errors
    /// If they are of different clients or parameters, bits have fewer than two levels after a bootstrap, or
    /// [`cryptable_lattice::Error::NoiseTooLarge`]: LWE ciphertexts modulo 2^16 are too noisy, those modulo 2^18 are
    /// not.
    pub fn new(
        gates: &booleans::Parameters,
        server: bits::EvaluationKey,
        packing: RingPackingKey,
        extraction: ExtractionKey,
    ) -> Result<Self> {
        packing.parameters().check_single(gates.fhew())?;
        let keys = GateKeys::new(server, packing, extraction)?;
        let parameters = keys.packing().parameters();
        let (own, common) = (parameters.extraction_noise(), parameters.packing_noise());
        let noise = keys.server().parameters().noise_of_rounds(own.into(), common.into())?;
        Ok(Self { gates: gates.clone(), keys, noise })
    }

    /// Evaluates a gate on every pair of bits, which are fresh or results of this method: results of FHEW's own gates
    /// have too much noise. Progress counts half bootstraps, each for [`GateKeys::bits_at_once`] bits.
    ///
    /// Results have the noise of [`PackedGates::noise`]. They can be decrypted, or used as inputs of FHEW's own gates.
    ///
    /// # Errors
    /// If the bits are of another client or other parameters, or their numbers differ; if both are the same ciphertext,
    /// whose noise would double; [`cryptable_lattice::Error::Cancelled`].
    pub fn gate(
        &self,
        gate: Gate,
        x: &EncryptedBits,
        y: &EncryptedBits,
        progress: Progress<'_>,
    ) -> Result<EncryptedBits> {
        self.check(x, y)?;
        let results = self.in_blocks([x.values(), y.values()], progress, |lists| {
            let sums = self.sums(gate, lists, self.noise.of_sum_of_two())?;
            let cleaned = self.server().clean(&self.half_bootstrap(gate, &sums)?)?;
            self.extract(&self.server().to_coefficients(&cleaned, MODULUS)?)
        })?;
        EncryptedBits::of_values(&self.gates, self.clients().lwe, results)
    }

    /// Computes the first step: the sums of up to [`GateKeys::bits_at_once`] pairs in coefficients, doubled for XOR and
    /// XNOR.
    ///
    /// # Errors
    /// If there are more pairs, the bits are of another client or other parameters, or their numbers differ.
    pub fn pack(&self, gate: Gate, x: &EncryptedBits, y: &EncryptedBits) -> Result<RlweInput> {
        for bits in [x, y] {
            check_client("ciphertext of bits", self.clients().lwe, bits.key_id())?;
        }
        self.sums(gate, [x.values(), y.values()], self.noise.of_sum_of_two())
    }

    /// Computes the second step: the gate by a half bootstrap, before cleaning ([`bits::EvaluationKey::clean`]) and
    /// SlotsToCoeffs ([`bits::EvaluationKey::to_coefficients`], of modulus 4). [`GateKeys::extract`] is the last step.
    ///
    /// # Errors
    /// If the sums are of another client, other parameters, or another kind of gate.
    pub fn half_bootstrap(&self, gate: Gate, sums: &RlweInput) -> Result<bits::EncryptedBits> {
        match gate_boot(gate) {
            Some(gate) => self.server().half_gate_boot(gate, sums),
            None => {
                let xor = self.server().half_bin_boot(sums)?;
                if gate == Gate::Xnor { self.server().not(&xor) } else { Ok(xor) }
            }
        }
    }

    /// Returns the noise of results, as a fraction of the LWE modulus.
    #[must_use]
    pub fn noise(&self) -> RoundNoise {
        self.noise
    }

    /// Returns an upper bound of log2 of the probability that one gate's result is wrong.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.server().parameters().literal().log2_fail
    }

    /// Checks two ciphertexts: equal numbers of bits, of this client, and not the same ciphertext.
    fn check(&self, x: &EncryptedBits, y: &EncryptedBits) -> Result<()> {
        let (expected, id) = (self.gates.digest(), self.clients().lwe);
        for bits in [x, y] {
            check_parameters("ciphertext of bits", expected, bits.parameter_digest())?;
            check_client("ciphertext of bits", id, bits.key_id())?;
        }
        check_pair(x.values(), y.values())
    }
}

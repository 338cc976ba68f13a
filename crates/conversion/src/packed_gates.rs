//! Gates of FHEW on thousands of encrypted bits at once: ring packing, a half GateBoot and extraction (Sec. 6 of Bae, Cheon,
//! Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767).
//!
//! Phases of ±1/8 add up to 0, 1/4 and 1/2 of q_0: values of `Z_4`, on which GateBoot evaluates its function. XOR and
//! XNOR double them and take BinBoot, whose slope at bits is 0. That function multiplies errors by π at most; cleaning
//! squares them, on two levels after the half bootstrap. What results have is the noise of extraction, in whatever
//! round of gates (`bits`' `rounds.rs`).

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use cryptable_bits as bits;
use cryptable_bits::{RlweInput, RoundNoise};
use cryptable_fhew::booleans::{self, EncryptedBits, Gate};
use cryptable_lattice::error::{check_client, check_equal, check_parameters};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Error, Progress, Result};
use cryptable_ring::Buffer;

use crate::extraction::ExtractionKey;
use crate::packing::RingPackingKey;
use crate::phases::EncryptedPhases;

/// The modulus of sums of two bits.
const MODULUS: u64 = 4;

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
    server: bits::EvaluationKey,
    packing: RingPackingKey,
    extraction: ExtractionKey,
    noise: RoundNoise,
}

impl fmt::Debug for PackedGates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedGates({:?}, {} bytes)", self.packing.clients(), self.memory_bytes())
    }
}

impl PackedGates {
    /// Joins keys of one client.
    ///
    /// # Errors
    /// If they are of different clients or parameters, bits have fewer than two levels after a bootstrap, or
    /// [`Error::NoiseTooLarge`]: LWE ciphertexts modulo 2^16 are too noisy, those modulo 2^18 are not.
    pub fn new(
        gates: &booleans::Parameters,
        server: bits::EvaluationKey,
        packing: RingPackingKey,
        extraction: ExtractionKey,
    ) -> Result<Self> {
        let parameters = packing.parameters();
        parameters.check_single(gates.fhew())?;
        let expected = parameters.digest();
        let found = extraction.parameters().digest();
        check_parameters("extraction key", expected, found)?;
        let (clients, found) = (packing.clients(), extraction.clients());
        check_client("extraction key", clients.lwe, found.lwe)?;
        check_client("extraction key", clients.ring, found.ring)?;
        check_client("evaluation key", clients.ring, server.key_id())?;
        let (ring, literal) = (server.parameters(), parameters.literal());
        check_equal("ring degree", ring.literal().ring_degree, literal.ring_degree)?;
        check_equal("bottom prime", ring.bottom_prime(), literal.bottom_prime)?;
        let (own, common) = (parameters.extraction_noise(), parameters.packing_noise());
        let noise = ring.noise_of_rounds(own.into(), common.into())?;
        Ok(Self { gates: gates.clone(), server, packing, extraction, noise })
    }

    /// A gate of every pair of bits, which are fresh or results of this method: results of FHEW's own gates have more noise.
    /// Progress counts half bootstraps, one for as many bits as [`PackedGates::bits_at_once`] says.
    ///
    /// Results have the noise of [`PackedGates::noise`], and decrypt, or go into FHEW's own gates.
    ///
    /// # Errors
    /// If the bits are of another client or other parameters, or their numbers differ; if both are the same ciphertext, whose
    /// noise would double; [`Error::Cancelled`].
    pub fn gate(
        &self,
        gate: Gate,
        x: &EncryptedBits,
        y: &EncryptedBits,
        progress: Progress<'_>,
    ) -> Result<EncryptedBits> {
        self.check(x, y)?;
        let (count, at_once) = (x.count(), self.bits_at_once());
        let steps = progress.steps(count.div_ceil(at_once))?;
        let mut results: Option<LweList> = None;
        for first in (0..count).step_by(at_once) {
            let range = first..count.min(first + at_once);
            let (x, y) = (self.part(x, range.clone())?, self.part(y, range)?);
            let sums = self.pack(gate, &x, &y)?;
            let cleaned = self.server.clean(&self.half_bootstrap(gate, &sums)?)?;
            let values = self.extract(&self.server.to_coefficients(&cleaned, MODULUS)?)?;
            match &mut results {
                None => results = Some(values),
                Some(results) => results.append(values),
            }
            steps.done()?;
        }
        let shape = self.packing.parameters().lwe_shape();
        let empty = || LweList::from_words(shape, Buffer::zeroed(0), Vec::new());
        let results = results.unwrap_or_else(empty);
        EncryptedBits::of_values(&self.gates, self.packing.clients().lwe, results)
    }

    /// First step: the sums of up to [`PackedGates::bits_at_once`] pairs in coefficients, for XOR and XNOR doubled.
    ///
    /// # Errors
    /// If there are more, they are of another client or other parameters, or their numbers differ.
    pub fn pack(&self, gate: Gate, x: &EncryptedBits, y: &EncryptedBits) -> Result<RlweInput> {
        let parameters = self.packing.parameters();
        let ring = parameters.bottom_ring();
        let phases = self.packing.pack_bits(&[x, y], self.coefficients())?;
        let (mut sums, count) = (phases.ciphertext().clone(), x.count());
        let noise = self.noise.of_sum_of_two();
        let (modulus, noise) = match gate_boot(gate) {
            Some(_) => (MODULUS, noise),
            None => {
                for part in [&mut sums.c0, &mut sums.c1] {
                    part.mul_integer_assign(ring, 2);
                }
                (MODULUS / 2, noise + noise)
            }
        };
        let key_id = self.packing.clients().ring;
        RlweInput::new(self.server.parameters(), key_id, sums, count, modulus, noise)
    }

    /// Second step: the gate by a half bootstrap, before cleaning ([`bits::EvaluationKey::clean`]) and SlotsToCoeffs
    /// ([`bits::EvaluationKey::to_coefficients`], of modulus 4).
    ///
    /// # Errors
    /// If the sums are of another client, other parameters, or another kind of gate.
    pub fn half_bootstrap(&self, gate: Gate, sums: &RlweInput) -> Result<bits::EncryptedBits> {
        match gate_boot(gate) {
            Some(gate) => self.server.half_gate_boot(gate, sums),
            None => {
                let xor = self.server.half_bin_boot(sums)?;
                if gate == Gate::Xnor { self.server.not(&xor) } else { Ok(xor) }
            }
        }
    }

    /// Last step: bits in coefficients, as fractions of 4, to LWE ciphertexts of phases ±1/8.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    pub fn extract(&self, values: &RlweInput) -> Result<LweList> {
        let parameters = self.extraction.parameters();
        check_equal("modulus of the values", values.modulus(), MODULUS)?;
        let ciphertext = values.ciphertext().clone();
        let (id, slots) = (values.key_id(), self.coefficients());
        let phases = EncryptedPhases::new(parameters, id, ciphertext, slots, values.count())?;
        self.extraction.extract(&phases, parameters.lwe_shape().modulus / 8 * 7)
    }

    /// Bits of one half bootstrap.
    #[must_use]
    pub fn bits_at_once(&self) -> usize {
        self.server.parameters().bits()
    }

    /// The noise of results, as a fraction of the LWE modulus.
    #[must_use]
    pub fn noise(&self) -> RoundNoise {
        self.noise
    }

    /// log2 of the probability that one gate's result is wrong, at most.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.server.parameters().literal().log2_fail
    }

    /// Estimated security in bits, of all secrets; 0 of insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        let ring = self.server.parameters().security_bits();
        ring.min(self.packing.parameters().security_bits())
    }

    /// Bytes of memory that all keys take.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.server.memory_bytes() + self.packing.memory_bytes() + self.extraction.memory_bytes()
    }

    /// The key of bootstraps.
    #[must_use]
    pub fn server(&self) -> &bits::EvaluationKey {
        &self.server
    }

    /// The key of packing.
    #[must_use]
    pub fn packing(&self) -> &RingPackingKey {
        &self.packing
    }

    /// The key of extraction.
    #[must_use]
    pub fn extraction(&self) -> &ExtractionKey {
        &self.extraction
    }

    /// Coefficients that hold values.
    fn coefficients(&self) -> usize {
        let parameters = self.server.parameters();
        parameters.literal().ring_degree / parameters.coefficient_gap()
    }

    /// Checks two ciphertexts: equal numbers of bits, of this client, and not the same ciphertext.
    fn check(&self, x: &EncryptedBits, y: &EncryptedBits) -> Result<()> {
        let (expected, id) = (self.gates.digest(), self.packing.clients().lwe);
        for bits in [x, y] {
            check_parameters("ciphertext of bits", expected, bits.parameter_digest())?;
            check_client("ciphertext of bits", id, bits.key_id())?;
        }
        if x.count() != y.count() {
            return Err(Error::mismatch("number of bits", y.count(), x.count()));
        }
        let bodies = x.values().bodies().iter().zip(y.values().bodies());
        for (index, _) in bodies.enumerate().filter(|(_, (x, y))| x == y) {
            if x.values().ciphertext(index) == y.values().ciphertext(index) {
                let (found, expected) = (format!("that of the first, at {index}"), "another");
                return Err(Error::mismatch("second ciphertext", found, expected));
            }
        }
        Ok(())
    }

    /// Some of the bits.
    fn part<'a>(
        &self,
        bits: &'a EncryptedBits,
        range: Range<usize>,
    ) -> Result<Cow<'a, EncryptedBits>> {
        if range == (0..bits.count()) {
            return Ok(Cow::Borrowed(bits));
        }
        let (list, dimension) = (bits.values(), bits.values().shape().dimension);
        let masks = Buffer::copied(&list.masks()[range.start * dimension..range.end * dimension]);
        let values = LweList::from_words(list.shape(), masks, list.bodies()[range].to_vec());
        Ok(Cow::Owned(EncryptedBits::of_values(&self.gates, bits.key_id(), values)?))
    }
}

/// A gate as a function of degree 1 of sums modulo 4, but for XOR and XNOR, whose functions would have the double slope.
fn gate_boot(gate: Gate) -> Option<bits::Gate> {
    match gate {
        Gate::And => Some(bits::Gate::And),
        Gate::Nand => Some(bits::Gate::Nand),
        Gate::Or => Some(bits::Gate::Or),
        Gate::Nor => Some(bits::Gate::Nor),
        Gate::Xor | Gate::Xnor => None,
    }
}

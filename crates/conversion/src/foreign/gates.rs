//! Gates on ciphertexts of another library.

use std::fmt;
use std::ops::Deref;

use cryptable_bits as bits;
use cryptable_fhew::booleans::Gate;
use cryptable_lattice::error::check_parameters;
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::{NoiseBound, Progress, Result};
use cryptable_ring::Buffer;

use super::parameters::ForeignParameters;
use crate::extraction::ExtractionKey;
use crate::gate_keys::{GateKeys, MODULUS, check_pair, gate_boot};
use crate::packing::RingPackingKey;

/// The server's keys for gates on another library's ciphertexts, as [`super::ForeignSecret`] makes them. Holds no secret, and is
/// `Sync`.
///
/// ```
/// use cryptable_conversion::foreign::{ForeignParameters, ForeignSecret};
/// use cryptable_fhew::booleans::Gate;
/// use cryptable_lattice::Progress;
/// // `ForeignParameters::named("openfhe-std128")` is for use.
/// let parameters = ForeignParameters::insecure_toy();
/// // Files of the other library, written by `comparisons/openfhe/lists.py`; here of a secret of zeros and no noise.
/// let secret_file = [&b"LWEKEY01\x20\0\0\0"[..], &[0; 32]].concat();
/// let list_of = |bits: [u32; 2]| {
///     let mask = [1, 2, 0, 0].repeat(32);
///     let record = |bit: u32| [mask.as_slice(), &(bit * 512).to_le_bytes()].concat();
///     let header = b"LWELIST1\x20\0\0\0\x0b\0\0\0\x02\0\0\0\0\0\0\0";
///     [header.as_slice(), &record(bits[0]), &record(bits[1])].concat()
/// };
///
/// let secret = ForeignSecret::from_bytes(&parameters, &secret_file)?;
/// let server = secret.gates(&parameters.packed(2)?, Progress::silent())?;
/// let (x, y) = (parameters.read_list(&list_of([0, 1]))?, parameters.read_list(&list_of([1, 0]))?);
/// let or = server.gate(Gate::Or, &x, &y, Progress::silent())?;
/// let both = server.gate(Gate::And, &or, &server.not(&x)?, Progress::silent())?;
/// let file = parameters.write_list(&both)?; // for the other library
/// let body = |record: &[u8]| u32::from_le_bytes(record[4 * 32..].try_into().expect("a word"));
/// let phases: Vec<u32> = file[24..].chunks_exact(4 * 33).map(body).collect();
/// // Nearest to a quarter of 2^11, and to 0.
/// assert_eq!(phases.iter().map(|phase| (phase + 256) / 512 % 4).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct ForeignGates {
    parameters: ForeignParameters,
    keys: GateKeys,
    log2_fail: f64,
}

impl fmt::Debug for ForeignGates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.parameters.name();
        write!(f, "ForeignGates({name}, {:?}, {} bytes)", self.clients(), self.memory_bytes())
    }
}

/// The keys: their sizes, their client, and each by itself.
impl Deref for ForeignGates {
    type Target = GateKeys;

    fn deref(&self) -> &GateKeys {
        &self.keys
    }
}

impl ForeignGates {
    /// Joins keys of one client.
    ///
    /// # Errors
    /// If they are of different clients or parameters, or not of these; if bits have fewer than two levels after a bootstrap,
    /// or [`cryptable_lattice::Error::NoiseTooLarge`]: with more levels, bits are cleaned more often.
    pub fn new(
        parameters: &ForeignParameters,
        server: bits::EvaluationKey,
        packing: RingPackingKey,
        extraction: ExtractionKey,
    ) -> Result<Self> {
        let expected = parameters.conversion(server.parameters())?;
        check_parameters("packing key", expected.digest(), packing.parameters().digest())?;
        let keys = GateKeys::new(server, packing, extraction)?;
        let log2_fail = parameters.log2_fail(keys.server().parameters())?;
        Ok(Self { parameters: parameters.clone(), keys, log2_fail })
    }

    /// A gate of every pair of bits, which are fresh, results of the other library's gates or of these. Progress counts half
    /// bootstraps.
    ///
    /// # Errors
    /// If lists have another dimension or modulus, or their lengths differ; if a pair is the same ciphertext, whose noise would
    /// double; [`cryptable_lattice::Error::Cancelled`].
    pub fn gate(
        &self,
        gate: Gate,
        x: &LweList,
        y: &LweList,
        progress: Progress<'_>,
    ) -> Result<LweList> {
        [x, y].into_iter().try_for_each(|list| list.check(self.parameters.shape()))?;
        check_pair(x, y)?;
        let own = self.packing().parameters().lwe_shape().modulus;
        let [into, back] = self.parameters.shifts(own);
        let (x, y) = (switched(x, own, into, own), switched(y, own, into, own));
        let server = self.server();
        let results = self.in_blocks([&x, &y], progress, |lists| {
            let noise = NoiseBound::new(self.deviation_of_sums(), 0.0);
            let sums = self.sums(gate, lists, noise.into())?;
            let bits = server.half_noisy_gate(gate_of(gate), &sums)?;
            self.extract(&server.to_coefficients(&bits, MODULUS)?)
        })?;
        Ok(switched(&results, self.parameters.shape().modulus, back, own))
    }

    /// The negated bits: no key, no noise.
    ///
    /// # Errors
    /// If they have another dimension or modulus.
    pub fn not(&self, x: &LweList) -> Result<LweList> {
        let shape = self.parameters.shape();
        x.check(shape)?;
        let mask = shape.modulus - 1;
        let [into, back] = self.parameters.shifts(shape.modulus);
        let negated = |word: u64, shift: u64| word.wrapping_neg().wrapping_add(shift) & mask;
        let mut masks = Buffer::copied(&x.masks());
        masks.iter_mut().for_each(|word| *word = negated(*word, 0));
        // Phases ±1/8 are negated between both shifts.
        let bodies =
            x.bodies().iter().map(|&word| negated(word, back.wrapping_sub(into))).collect();
        Ok(LweList::from_words(shape, masks, bodies))
    }

    /// log2 of the probability that a gate's result is wrong, at most, in any round.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Standard deviation of results, as a fraction of the modulus.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let cleaned = self.server().parameters().noise_of_cleaned_coefficients();
        let own = self.parameters.result_noise(self.packing().parameters());
        own.with_independent(cleaned).deviation()
    }

    /// The parameters of the other library's ciphertexts.
    #[must_use]
    pub fn parameters(&self) -> &ForeignParameters {
        &self.parameters
    }

    fn deviation_of_sums(&self) -> f64 {
        let conversion = self.packing().parameters();
        let own = self.parameters.input_noise(conversion);
        own.with_independent(own).with_independent(conversion.packing_noise().into()).deviation()
    }
}

/// The gate of packed bits.
fn gate_of(gate: Gate) -> bits::Gate {
    let xor = if gate == Gate::Xnor { bits::Gate::Xnor } else { bits::Gate::Xor };
    gate_boot(gate).unwrap_or(xor)
}

/// Ciphertexts modulo another power of two, with a constant in units of `of_shift` added first: multiplied, or divided and
/// rounded.
fn switched(list: &LweList, modulus: u64, shift: u64, of_shift: u64) -> LweList {
    let from = list.shape().modulus;
    let word = |word: u64| {
        let switched = match modulus >= from {
            true => word * (modulus / from),
            false => (word + from / modulus / 2) / (from / modulus),
        };
        switched & (modulus - 1)
    };
    let mut masks = Buffer::copied(&list.masks());
    masks.iter_mut().for_each(|out| *out = word(*out));
    let add = |body: u64| match modulus == of_shift {
        true => (word(body) + shift) & (modulus - 1),
        false => word((body + shift) & (from - 1)),
    };
    let bodies = list.bodies().iter().map(|&body| add(body)).collect();
    let shape = LweShape { dimension: list.shape().dimension, modulus };
    LweList::from_words(shape, masks, bodies)
}

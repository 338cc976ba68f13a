//! Common parts of all gates on LWE ciphertexts with phases ±1/8: keys of one client, sums in coefficients, extraction,
//! and lists longer than the capacity of a bootstrap.
//!
//! [`crate::PackedGates`] and [`crate::foreign::ForeignGates`] dereference to these keys.

use std::fmt;

use cryptable_bits as bits;
use cryptable_bits::{BitNoise, RlweInput};
use cryptable_fhew::booleans::Gate;
use cryptable_lattice::error::{check_client, check_equal, check_parameters};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Error, Progress, Result};
use cryptable_ring::Buffer;

use crate::clients::Clients;
use crate::extraction::ExtractionKey;
use crate::packing::RingPackingKey;
use crate::phases::EncryptedPhases;

/// Modulus of sums of two bits.
pub(crate) const MODULUS: u64 = 4;

/// Keys of packing, of half bootstraps and of extraction, of one client. Holds no secret, and is `Sync`.
pub struct GateKeys {
    server: bits::EvaluationKey,
    packing: RingPackingKey,
    extraction: ExtractionKey,
}

impl fmt::Debug for GateKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GateKeys({:?}, {} bytes)", self.clients(), self.memory_bytes())
    }
}

impl GateKeys {
    /// Joins keys.
    ///
    /// # Errors
    /// If they are of different clients or parameters.
    pub(crate) fn new(
        server: bits::EvaluationKey,
        packing: RingPackingKey,
        extraction: ExtractionKey,
    ) -> Result<Self> {
        let parameters = packing.parameters();
        let (expected, found) = (parameters.digest(), extraction.parameters().digest());
        check_parameters("extraction key", expected, found)?;
        let (clients, found) = (packing.clients(), extraction.clients());
        check_client("extraction key", clients.lwe, found.lwe)?;
        check_client("extraction key", clients.ring, found.ring)?;
        check_client("evaluation key", clients.ring, server.key_id())?;
        let (ring, literal) = (server.parameters(), parameters.literal());
        check_equal("ring degree", ring.literal().ring_degree, literal.ring_degree)?;
        check_equal("bottom prime", ring.bottom_prime(), literal.bottom_prime)?;
        Ok(Self { server, packing, extraction })
    }

    /// Returns the identifiers of the two secrets that they were generated from.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.packing.clients()
    }

    /// Returns the number of bits per half bootstrap.
    #[must_use]
    pub fn bits_at_once(&self) -> usize {
        self.server.parameters().bits()
    }

    /// Returns the key of bootstraps.
    #[must_use]
    pub fn server(&self) -> &bits::EvaluationKey {
        &self.server
    }

    /// Returns the key of packing.
    #[must_use]
    pub fn packing(&self) -> &RingPackingKey {
        &self.packing
    }

    /// Returns the key of extraction.
    #[must_use]
    pub fn extraction(&self) -> &ExtractionKey {
        &self.extraction
    }

    /// Returns the estimated security in bits, the minimum over all secrets; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        let ring = self.server.parameters().security_bits();
        ring.min(self.packing.parameters().security_bits())
    }

    /// Returns the number of bytes of memory that all keys use.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.server.memory_bytes() + self.packing.memory_bytes() + self.extraction.memory_bytes()
    }

    /// Returns the sums of pairs in coefficients, doubled for XOR and XNOR, with the noise of a sum.
    ///
    /// # Errors
    /// If there are more pairs than a bootstrap holds, or lists differ in length or have another shape.
    pub(crate) fn sums(
        &self,
        gate: Gate,
        lists: [&LweList; 2],
        noise: BitNoise,
    ) -> Result<RlweInput> {
        let parameters = self.packing.parameters();
        let (ring, quarter) = (parameters.bottom_ring(), parameters.lwe_shape().modulus / 4);
        let phases = self.packing.pack(&lists, quarter, self.coefficients())?;
        let mut sums = phases.ciphertext().clone();
        let (modulus, noise) = match gate_boot(gate) {
            Some(_) => (MODULUS, noise),
            None => {
                for part in [&mut sums.c0, &mut sums.c1] {
                    part.mul_integer_assign(ring, 2);
                }
                (MODULUS / 2, noise + noise)
            }
        };
        let (count, key_id) = (lists[0].len(), self.clients().ring);
        RlweInput::new(self.server.parameters(), key_id, sums, count, modulus, noise)
    }

    /// Converts bits in coefficients, as fractions of 4, to LWE ciphertexts with phases ±1/8: the last step of a gate.
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

    /// Applies `of` to blocks of pairs, each with the capacity of a bootstrap. Progress counts bootstraps.
    ///
    /// # Errors
    /// The errors of `of`; [`Error::Cancelled`].
    pub(crate) fn in_blocks(
        &self,
        [x, y]: [&LweList; 2],
        progress: Progress<'_>,
        of: impl Fn([&LweList; 2]) -> Result<LweList>,
    ) -> Result<LweList> {
        let (count, at_once) = (x.len(), self.bits_at_once());
        let steps = progress.steps(count.div_ceil(at_once))?;
        let mut results: Option<LweList> = None;
        for first in (0..count).step_by(at_once) {
            let range = first..count.min(first + at_once);
            let values = if range == (0..count) {
                of([x, y])?
            } else {
                of([&x.slice(range.clone()), &y.slice(range)])?
            };
            match &mut results {
                None => results = Some(values),
                Some(results) => results.append(values),
            }
            steps.done()?;
        }
        let shape = self.packing.parameters().lwe_shape();
        let empty = || LweList::from_words(shape, Buffer::zeroed(0), Vec::new());
        Ok(results.unwrap_or_else(empty))
    }

    /// Returns the number of coefficients that hold values.
    fn coefficients(&self) -> usize {
        let parameters = self.server.parameters();
        parameters.literal().ring_degree / parameters.coefficient_gap()
    }
}

/// Checks that two lists have the same length, and that no pair consists of the same ciphertext twice, whose noise
/// would double.
///
/// # Errors
/// If they do not; the error names the first such pair.
pub(crate) fn check_pair(x: &LweList, y: &LweList) -> Result<()> {
    check_equal("number of bits", y.len(), x.len())?;
    let bodies = x.bodies().iter().zip(y.bodies());
    for (index, _) in bodies.enumerate().filter(|(_, (x, y))| x == y) {
        if x.ciphertext(index) == y.ciphertext(index) {
            let (found, expected) = (format!("that of the first, at {index}"), "another");
            return Err(Error::mismatch("second ciphertext", found, expected));
        }
    }
    Ok(())
}

/// Returns a gate as a function of degree 1 of sums modulo 4; `None` for XOR and XNOR, whose functions would have twice
/// the slope.
pub(crate) fn gate_boot(gate: Gate) -> Option<bits::Gate> {
    match gate {
        Gate::And => Some(bits::Gate::And),
        Gate::Nand => Some(bits::Gate::Nand),
        Gate::Or => Some(bits::Gate::Or),
        Gate::Nor => Some(bits::Gate::Nor),
        Gate::Xor | Gate::Xnor => None,
    }
}

//! Parameters of bits: a literal that was validated, with everything that follows from it.

use std::sync::Arc;

use cryptable_ckks::dry_run::Counts;
use cryptable_ckks::overflow::{gaussian_tail_log2, tail_log2};
use cryptable_lattice::SecurityLevel;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::security::{LweInstance, SecretDistribution};
#[cfg(feature = "client")]
use cryptable_ring::Ring;
use cryptable_ring::primes::ntt_primes;

use crate::circuit::BitCircuit;
use crate::gate::{Gate, Wave};
use crate::literal::{Packing, ParametersLiteral};
use crate::validation;

/// A validated, immutable parameter set. Clones share what was computed.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Arc<ParametersLiteral>,
    main_primes: Vec<u64>,
    special_primes: Vec<u64>,
    security_bits: f64,
    circuit: Arc<BitCircuit>,
}

/// What a bootstrap does to the precision of bits.
#[derive(Clone, Copy, Debug)]
pub struct Precision {
    /// Predicted standard deviation of a bit after the bootstrap, from 0 or 1.
    pub deviation: f64,
    /// log2 of the probability that the overflow leaves its interval, or that a bit is off by half.
    pub log2_fail: f64,
}

impl Parameters {
    /// Validates a literal: every number against its bounds before anything is built; the security that it claims, of
    /// the dense and of the sparse secret, by the embedded tables; its failure probability by the noise model.
    ///
    /// # Errors
    /// If a number is out of bounds, security is below what is claimed, or the predicted failure probability exceeds the stated one.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        validation::check(&literal)?;
        let (main_primes, special_primes) = find_primes(&literal);
        let security_bits = check_security(&literal, &main_primes, &special_primes)?;
        let primes: Vec<f64> = main_primes.iter().map(|&q| q as f64).collect();
        let circuit = Arc::new(BitCircuit::new(&literal, &primes));
        let literal = Arc::new(literal);
        let found = Self { literal, main_primes, special_primes, security_bits, circuit };
        let (failure, limit) = (found.gate_boot_precision().log2_fail, found.literal.log2_fail);
        if failure.is_nan() || failure > limit {
            return Err(Error::FailureProbability { found: failure, limit });
        }
        Ok(found)
    }

    /// The literal that they were made of.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// Bits of one bootstrap.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.literal.bits()
    }

    /// How bits are packed.
    #[must_use]
    pub fn packing(&self) -> Packing {
        self.literal.packing
    }

    /// Estimated security in bits, classical; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.security_bits
    }

    /// log2 of the product of all primes.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        log2_product(self.main_primes.iter().chain(&self.special_primes))
    }

    /// Precision after BinBoot.
    #[must_use]
    pub fn bin_boot_precision(&self) -> Precision {
        self.precision(&Wave::bin_boot(), 2)
    }

    /// Precision after GateBoot.
    #[must_use]
    pub fn gate_boot_precision(&self) -> Precision {
        self.precision(&Wave::gate_boot(Gate::Nand), 3)
    }

    fn precision(&self, wave: &Wave, m: u64) -> Precision {
        let prediction = self.circuit.predict(wave, m);
        let phase = prediction.phase_noise;
        let squared = wave.curvature() * phase;
        let approximation = wave.amplitude * self.circuit.series.approximation_error();
        let slope = wave.slope(m);
        let variance = prediction.output.noise.0
            + slope * slope * phase
            + 3.0 * squared * squared
            + approximation * approximation;
        let bound = self.circuit.series.bound;
        let overflow = tail_log2(self.literal.sparse_weight, bound);
        let noise = gaussian_tail_log2(0.5 / variance.sqrt());
        Precision { deviation: variance.sqrt(), log2_fail: overflow.max(noise) + 0.01 }
    }

    /// Counts of the operations of a bootstrap.
    #[must_use]
    pub fn operation_counts(&self) -> Counts {
        self.circuit.predict(&Wave::bin_boot(), 2).dry_run.counts()
    }

    /// Bytes of all switching keys in memory.
    #[must_use]
    pub fn key_memory_bytes(&self) -> usize {
        let degree = self.literal.ring_degree;
        self.circuit.key_requests().iter().map(|r| r.shape.memory_bytes(degree)).sum()
    }

    /// BLAKE3 of the literal: what keys and ciphertexts carry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let bytes = serde_json::to_vec(&*self.literal).expect("a literal serialises");
        *blake3::hash(&bytes).as_bytes()
    }

    /// The ring with all primes and their tables.
    #[cfg(feature = "client")]
    pub(crate) fn ring(&self) -> Ring {
        Ring::new(self.literal.ring_degree, &self.main_primes, &self.special_primes)
    }

    pub(crate) fn circuit(&self) -> &BitCircuit {
        &self.circuit
    }
}

fn log2_product<'a>(primes: impl Iterator<Item = &'a u64>) -> f64 {
    primes.map(|&q| (q as f64).log2()).sum()
}

/// Distinct primes near the sizes of the literal: chain and special.
fn find_primes(literal: &ParametersLiteral) -> (Vec<u64>, Vec<u64>) {
    let mut used: Vec<u64> = Vec::new();
    let mut next = |log2: f64| {
        let prime = ntt_primes(literal.ring_degree, log2, 1, &used)[0];
        used.push(prime);
        prime
    };
    let main = literal.chain().into_iter().map(&mut next).collect();
    let special = literal.special.iter().map(|&log2| next(log2)).collect();
    (main, special)
}

/// Demands the security that is claimed, of both secrets, and estimates it.
fn check_security(literal: &ParametersLiteral, main: &[u64], special: &[u64]) -> Result<f64> {
    if literal.security == SecurityLevel::Insecure {
        return Ok(0.0);
    }
    // The sparse secret is only ever used at q_0·p_0.
    let (all, bottom) = (main.iter().chain(special), [&main[0], &special[0]].into_iter());
    let (degree, dense) = (literal.ring_degree, SecretDistribution::UniformTernary);
    let sparse = SecretDistribution::FixedWeightTernary(literal.sparse_weight);
    let instances = [
        LweInstance::ring("dense secret", degree, dense, log2_product(all)),
        LweInstance::ring("sparse secret", degree, sparse, log2_product(bottom)),
    ];
    instances.iter().try_for_each(LweInstance::check)?;
    Ok(LweInstance::least_security_bits(&instances))
}

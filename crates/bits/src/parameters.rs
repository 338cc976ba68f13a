//! Parameters of bits: a literal that was validated, with everything that follows from it.

use std::sync::{Arc, OnceLock};

use cryptable_ckks::dry_run::Counts;
use cryptable_ckks::overflow::tail_log2;
use cryptable_lattice::error::{Error, Result, demand};
use cryptable_lattice::security::{LweInstance, SecretDistribution};
use cryptable_lattice::{FailureProbability, ReadOptions, SecurityLevel};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Chain, Ring};
use cryptable_wire::WireError;

use crate::circuit::BitCircuit;
use crate::gate::Gate;
use crate::literal::{Packing, ParametersLiteral};
use crate::noise::BitNoise;
use crate::noise_model::NoiseModel;
use crate::periodic_function::PeriodicFunction;
use crate::validation;

/// A validated, immutable parameter set. Clones share what was computed.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Arc<ParametersLiteral>,
    primes: Primes,
    security_bits: f64,
    circuit: Arc<BitCircuit>,
    noise_model: Arc<NoiseModel>,
    /// Built when it is first used: schedules need none.
    ring: Arc<OnceLock<Arc<Ring>>>,
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
        let primes = Primes::find(&literal);
        primes.check_limbs(&literal)?;
        let security_bits = check_security(&literal, &primes)?;
        let numbers = |primes: &[u64]| -> Vec<f64> { primes.iter().map(|&q| q as f64).collect() };
        let (main, raised) = (numbers(&primes.main), numbers(&primes.raised));
        let circuit = Arc::new(BitCircuit::new(&literal, &main, &raised));
        let noise_model = Arc::new(NoiseModel::new(&literal, &circuit));
        let literal = Arc::new(literal);
        let ring = Arc::default();
        let found = Self { literal, primes, security_bits, circuit, noise_model, ring };
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

    /// The LWE problems that the dense and the sparse secret rest on.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        lwe_instances(&self.literal, &self.primes).to_vec()
    }

    /// The modulus q_0 of coefficients, before and after half bootstraps.
    #[must_use]
    pub fn bottom_prime(&self) -> u64 {
        self.primes.main[0]
    }

    /// log2 of the largest modulus that a key has: that of the larger chain, times the special primes.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        let Primes { main, raised, special } = &self.primes;
        log2_product(main).max(log2_product(raised)) + log2_product(special)
    }

    /// Precision after BinBoot.
    #[must_use]
    pub fn bin_boot_precision(&self) -> Precision {
        self.precision(&PeriodicFunction::bin_boot(), 1)
    }

    /// Precision after GateBoot.
    #[must_use]
    pub fn gate_boot_precision(&self) -> Precision {
        self.precision(&PeriodicFunction::wave(Gate::Nand.outputs(), 3), 2)
    }

    /// Of fresh bits that were brought down to the bottom.
    fn precision(&self, function: &PeriodicFunction, bits: usize) -> Precision {
        let lowered = self.noise_model.fresh.with_independent(self.noise_model.rounding);
        let functions = std::slice::from_ref(function);
        let noise = self.noise_after_functions(functions, &vec![lowered; bits])[0];
        let log2_fail = self.overflow_log2_fail().max(noise.log2_fail()) + 0.01;
        Precision { deviation: noise.deviation(), log2_fail }
    }

    /// log2 of the probability that the overflow of ModRaise leaves the interval of the series.
    fn overflow_log2_fail(&self) -> f64 {
        tail_log2(self.literal.sparse_weight, self.circuit.series.bound)
    }

    /// Noise after functions of a sum of bits.
    pub(crate) fn noise_after_functions(
        &self,
        functions: &[PeriodicFunction],
        bits: &[BitNoise],
    ) -> Vec<BitNoise> {
        let m = functions[0].modulus();
        let sum = bits.iter().copied().sum();
        let coefficients = self.noise_model.coefficients(m, bits.len(), sum);
        self.noise_after_half_boot(functions, coefficients)
    }

    /// Noise after functions of coefficients.
    pub(crate) fn noise_after_half_boot(
        &self,
        functions: &[PeriodicFunction],
        coefficients: BitNoise,
    ) -> Vec<BitNoise> {
        let phase = self.noise_model.phase(coefficients);
        let limit = self.noise_model.log2_fail;
        self.noise_model.after_functions(&self.circuit, functions, phase, limit)
    }

    /// Counts of the operations of a bootstrap.
    #[must_use]
    pub fn operation_counts(&self) -> Counts {
        self.circuit.predict(&[PeriodicFunction::bin_boot()]).counts()
    }

    /// Bytes of all switching keys in memory.
    #[must_use]
    pub fn key_memory_bytes(&self) -> usize {
        let degree = self.literal.ring_degree;
        self.circuit.key_requests().iter().map(|r| r.shape.memory_bytes(degree)).sum()
    }

    /// The literal as bytes, in JSON.
    ///
    /// # Panics
    /// Never: a validated literal has finite numbers only.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&*self.literal).expect("a literal serialises")
    }

    /// Reads what [`Parameters::to_bytes`] wrote, and validates it as [`Parameters::new`] does.
    ///
    /// # Errors
    /// [`Error::Insecure`] if they claim no security, [`Error::WeakFailureProbability`] if a bit fails too often, and that
    /// is not allowed; if the bytes are no literal, or the literal is not valid.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: ParametersLiteral = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameters", error, "a literal of bits"))?;
        options.check(literal.security)?;
        let parameters = Self::new(literal)?;
        let log2_fail = parameters.gate_boot_precision().log2_fail;
        options.check_failures(FailureProbability::from_log2(log2_fail))?;
        Ok(parameters)
    }

    /// BLAKE3 of [`Parameters::to_bytes`]: what keys and ciphertexts carry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }

    /// The moduli of the limbs of polynomials modulo the first `main` primes: a prime, or two.
    pub(crate) fn limb_moduli(&self, main: usize) -> Vec<u64> {
        let shared = self.literal.shared_limbs();
        let mut moduli: Vec<u64> = Vec::new();
        for (index, &prime) in self.primes.main[..main].iter().enumerate() {
            match moduli.last_mut() {
                Some(last) if shared.is_second(index) => *last *= prime,
                _ => moduli.push(prime),
            }
        }
        moduli
    }

    /// The ring with all primes and their tables: one of all clones.
    pub(crate) fn ring(&self) -> Arc<Ring> {
        let build = || {
            let Primes { main, raised, special } = &self.primes;
            let first = Chain { primes: main.clone(), shared: self.literal.shared_limbs() };
            let chains = vec![first, Chain::new(raised)];
            Arc::new(Ring::with_chains(self.literal.ring_degree, chains, special))
        };
        Arc::clone(self.ring.get_or_init(build))
    }

    pub(crate) fn circuit(&self) -> &BitCircuit {
        &self.circuit
    }

    pub(crate) fn noise_model(&self) -> &NoiseModel {
        &self.noise_model
    }
}

/// The primes of a parameter set, all of them different.
#[derive(Clone, Debug)]
struct Primes {
    /// The first chain.
    main: Vec<u64>,
    /// The chain that CoeffsToSlots runs in.
    raised: Vec<u64>,
    /// Special primes.
    special: Vec<u64>,
}

impl Primes {
    /// Those nearest to the sizes of the literal.
    fn find(literal: &ParametersLiteral) -> Self {
        let mut used: Vec<u64> = Vec::new();
        let mut next = |log2: f64| {
            let prime = ntt_primes(literal.ring_degree, log2, 1, &used)[0];
            used.push(prime);
            prime
        };
        let chain = literal.chain();
        let mut main: Vec<u64> = chain.iter().map(|_| 0).collect();
        let gates = literal.input_limbs()..literal.output_limbs();
        for (index, &log2) in chain.iter().enumerate().filter(|(index, _)| !gates.contains(index)) {
            main[index] = next(log2);
        }
        // From the top down: a product divides the square of the scale by a prime, which would double the distance of the
        // scale from the stated size at every level. Primes near the quotient keep it.
        let mut scale = literal.gates.last().copied().unwrap_or_default();
        for index in gates.rev() {
            let below = literal.gates
                [index.saturating_sub(1).max(literal.input_limbs()) - literal.input_limbs()];
            let is_top = index + 1 == literal.output_limbs();
            main[index] = next(if is_top { scale } else { 2.0 * scale - below });
            let prime = (main[index] as f64).log2();
            scale = if is_top { prime } else { 2.0 * scale - prime };
        }
        let special = literal.special.iter().map(|&log2| next(log2)).collect();
        let raised = literal.coeffs_to_slots.primes.iter().map(|&log2| next(log2)).collect();
        Self { main, raised, special }
    }

    /// Demands that primes that share a limb have a product that the vector kernels take.
    fn check_limbs(&self, literal: &ParametersLiteral) -> Result<()> {
        let mut rest = self.main.as_slice();
        for &count in &literal.limbs {
            let (limb, others) = rest.split_at(count);
            let bits = log2_product(limb);
            demand(bits < 50.0, "log2 of the product of a limb's primes", bits, "below 50")?;
            rest = others;
        }
        Ok(())
    }
}

fn log2_product(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| (q as f64).log2()).sum()
}

/// The problems that both secrets rest on.
fn lwe_instances(literal: &ParametersLiteral, primes: &Primes) -> [LweInstance; 2] {
    let Primes { main, raised, special } = primes;
    let (degree, dense) = (literal.ring_degree, SecretDistribution::UniformTernary);
    let sparse = SecretDistribution::FixedWeightTernary(literal.sparse_weight);
    let largest = log2_product(main).max(log2_product(raised)) + log2_product(special);
    // The sparse secret is only ever used at q_0·p_0, and as what another key hides.
    let bottom = log2_product(&[main[0], special[0]]);
    [
        LweInstance::ring("dense secret", degree, dense, largest),
        LweInstance::ring("sparse secret", degree, sparse, bottom),
    ]
}

/// Demands the security that is claimed, of both secrets, and estimates it.
fn check_security(literal: &ParametersLiteral, primes: &Primes) -> Result<f64> {
    if literal.security == SecurityLevel::Insecure {
        return Ok(0.0);
    }
    let instances = lwe_instances(literal, primes);
    instances.iter().try_for_each(LweInstance::check)?;
    Ok(LweInstance::least_security_bits(&instances))
}

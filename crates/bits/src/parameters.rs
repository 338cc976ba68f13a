//! Parameters of bits: a validated literal, with everything that follows from it.

use std::sync::{Arc, OnceLock};

use cryptable_ckks::chain_primes::{ChainPrimes, ChainSizes, log2_product};
use cryptable_ckks::dry_run::Counts;
use cryptable_lattice::error::{Error, Result, demand};
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{FailureProbability, ReadOptions, SecurityLevel};
#[cfg(feature = "client")]
use cryptable_ring::Basis;
use cryptable_ring::{Chain, Ring, RingModuli};
use cryptable_wire::WireError;

use crate::circuit::BitCircuit;
use crate::gate::Gate;
use crate::literal::{Packing, ParametersLiteral};
use crate::noise::BitNoise;
use crate::noise_model::NoiseModel;
use crate::periodic_function::PeriodicFunction;
use crate::validation;

/// A validated, immutable parameter set. Clones share computed data.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Arc<ParametersLiteral>,
    primes: ChainPrimes,
    security_bits: f64,
    circuit: Arc<BitCircuit>,
    noise_model: Arc<NoiseModel>,
    /// Built on first use: schedules do not need it.
    ring: Arc<OnceLock<Arc<Ring>>>,
}

/// Precision of bits before and after a bootstrap.
#[derive(Clone, Copy, Debug)]
pub struct Precision {
    /// Predicted standard deviation of a bit from 0 or 1 after the bootstrap.
    pub deviation: f64,
    /// log2 of the probability that the overflow leaves its interval, or that a bit is off by half.
    pub log2_fail_per_bit: f64,
}

impl Parameters {
    /// Validates a literal: checks every number against its bounds before anything is built, then the claimed security
    /// of the dense and of the sparse secret by the embedded tables, then the failure probability by the noise model.
    ///
    /// # Errors
    /// If a number is out of bounds, security is below what is claimed, or the predicted failure probability exceeds
    /// the stated one.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        validation::check(&literal)?;
        let primes = find_primes(&literal);
        check_limbs(&literal, &primes.main)?;
        let sparse_weight = Some(literal.sparse_weight);
        let security_bits =
            primes.check_security(literal.ring_degree, sparse_weight, literal.security)?;
        let numbers = |primes: &[u64]| -> Vec<f64> { primes.iter().map(|&q| q as f64).collect() };
        let (main, raised) = (numbers(&primes.main), numbers(&primes.raised));
        let circuit = Arc::new(BitCircuit::new(&literal, &main, &raised));
        circuit.coeffs_to_slots.check_scales()?;
        circuit.slots_to_coeffs.check_scales()?;
        let noise_model = Arc::new(NoiseModel::new(&literal, &circuit));
        let literal = Arc::new(literal);
        let ring = Arc::default();
        let found = Self { literal, primes, security_bits, circuit, noise_model, ring };
        let (failure, limit) =
            (found.gate_boot_precision().log2_fail_per_bit, found.literal.log2_fail);
        if failure.is_nan() || failure > limit {
            return Err(Error::FailureProbability { found: failure, limit });
        }
        Ok(found)
    }

    /// Returns the literal of these parameters.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// Number of bits of one bootstrap.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.literal.bits()
    }

    /// Returns log2 of the probability that any bit of a ciphertext goes wrong, if each bit fails with its stated
    /// probability.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        FailureProbability::from_log2(self.literal.log2_fail).of_any(self.bits()).log2()
    }

    /// Returns how bits are packed.
    #[must_use]
    pub fn packing(&self) -> Packing {
        self.literal.packing
    }

    /// Distance between coefficients that hold values before and after half bootstraps: 1, or more for sparse packing.
    #[must_use]
    pub fn coefficient_gap(&self) -> usize {
        self.literal.ring_degree / 2 / self.literal.transformed()
    }

    /// Returns whether the parameters are secure, as construction checks, or toys for tests.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.literal.security
    }

    /// Estimated classical security in bits; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.security_bits
    }

    /// Returns the LWE problems on which the security of the dense and the sparse secret rests.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        self.primes.lwe_instances(self.literal.ring_degree, Some(self.literal.sparse_weight))
    }

    /// Returns the modulus q_0 of coefficients, before and after half bootstraps.
    #[must_use]
    pub fn bottom_prime(&self) -> u64 {
        self.primes.main[0]
    }

    /// Returns log2 of the largest modulus of any key: the modulus of the larger chain times the special primes.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        self.primes.log2_largest()
    }

    /// Precision after BinBoot.
    #[must_use]
    pub fn bin_boot_precision(&self) -> Precision {
        self.precision(&PeriodicFunction::bin_boot(), 1)
    }

    /// Precision after GateBoot.
    #[must_use]
    pub fn gate_boot_precision(&self) -> Precision {
        self.precision(&PeriodicFunction::gate_boot(Gate::Nand.outputs(), 3), 2)
    }

    /// Precision after GateBoot', which squares errors ([`crate::EvaluationKey::gate_boot_cleaning`]).
    #[must_use]
    pub fn gate_boot_cleaning_precision(&self) -> Precision {
        self.precision(&PeriodicFunction::hermite(&Gate::Nand.outputs()), 2)
    }

    /// Returns the precision for fresh bits that were lowered to the bottom level.
    fn precision(&self, function: &PeriodicFunction, bits: usize) -> Precision {
        let lowered = self.noise_model.fresh.with_independent(self.noise_model.rounding);
        let functions = std::slice::from_ref(function);
        let noise = self.noise_after_functions(functions, &vec![lowered; bits])[0];
        let log2_fail_per_bit = self.overflow_log2_fail().max(noise.log2_fail()) + 0.01;
        Precision { deviation: noise.deviation(), log2_fail_per_bit }
    }

    /// log2 of the probability that the overflow of ModRaise leaves the interval of the series.
    fn overflow_log2_fail(&self) -> f64 {
        self.literal.encapsulated_secret().tail_log2(self.circuit.series.bound)
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

    /// Returns the bytes of all switching keys in memory.
    #[must_use]
    pub fn key_memory_bytes(&self) -> usize {
        let moduli = self.moduli();
        self.circuit.key_requests().iter().map(|it| it.memory_bytes(&moduli)).sum()
    }

    /// Returns the literal as bytes, in JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&*self.literal).expect("a literal serialises")
    }

    /// Reads what [`Parameters::to_bytes`] wrote, and validates it as [`Parameters::new`] does.
    ///
    /// # Errors
    /// [`Error::Insecure`] if the parameters claim no security and [`Error::WeakFailureProbability`] if a bit fails too
    /// often, unless `options` allow it; also if the bytes are no literal, or the literal is not valid.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: ParametersLiteral = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameters", error, "a literal of bits"))?;
        options.check(literal.security)?;
        let parameters = Self::new(literal)?;
        let log2_fail = parameters.gate_boot_precision().log2_fail_per_bit;
        options.check_failures(FailureProbability::from_log2(log2_fail))?;
        Ok(parameters)
    }

    /// BLAKE3 digest of [`Parameters::to_bytes`], which keys and ciphertexts carry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }

    /// The moduli of the limbs of polynomials modulo the first `main` primes: one prime or the product of two.
    #[cfg(feature = "client")]
    pub(crate) fn limb_moduli(&self, main: usize) -> Vec<u64> {
        self.moduli().limb_values(Basis::main(main).sharing(self.literal.shared_limbs()))
    }

    /// The ring with all primes and their tables. All clones share it.
    pub(crate) fn ring(&self) -> Arc<Ring> {
        Arc::clone(self.ring.get_or_init(|| Arc::new(Ring::of(self.moduli()))))
    }

    /// The moduli of the ring, without their tables.
    pub(crate) fn moduli(&self) -> RingModuli {
        RingModuli::new(self.literal.ring_degree, self.chains(), &self.primes.special)
    }

    /// The moduli of public keys: the primes of fresh bits, and one special prime.
    #[cfg(feature = "client")]
    pub(crate) fn moduli_of_fresh_bits(&self) -> RingModuli {
        let primes = self.primes.main[..self.literal.output_limbs()].to_vec();
        let chain = Chain { primes, shared: self.literal.shared_limbs() };
        RingModuli::new(self.literal.ring_degree, vec![chain], &self.primes.special[..1])
    }

    fn chains(&self) -> Vec<Chain> {
        let ChainPrimes { main, raised, .. } = &self.primes;
        let first = Chain { primes: main.clone(), shared: self.literal.shared_limbs() };
        vec![first, Chain::new(raised)]
    }

    pub(crate) fn circuit(&self) -> &BitCircuit {
        &self.circuit
    }

    pub(crate) fn noise_model(&self) -> &NoiseModel {
        &self.noise_model
    }
}

/// The primes nearest to the sizes of the literal.
fn find_primes(literal: &ParametersLiteral) -> ChainPrimes {
    ChainPrimes::find(&ChainSizes {
        degree: literal.ring_degree,
        chain: &literal.chain(),
        levels: literal.input_limbs()..literal.output_limbs(),
        special: &literal.special,
        raised: &literal.coeffs_to_slots.primes,
    })
}

/// Checks that the products of primes that share a limb fit the vector kernels.
fn check_limbs(literal: &ParametersLiteral, main: &[u64]) -> Result<()> {
    let mut rest = main;
    for &count in &literal.limbs {
        let (limb, others) = rest.split_at(count);
        let bits = log2_product(limb);
        demand(bits < 50.0, "log2 of the product of a limb's primes", bits, "below 50")?;
        rest = others;
    }
    Ok(())
}

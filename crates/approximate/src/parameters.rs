//! Parameters: a validated literal, with everything that follows from it.

use std::sync::{Arc, OnceLock};

use cryptable_ckks::DryRun;
use cryptable_ckks::chain_primes::{ChainPrimes, ChainSizes};
use cryptable_ckks::dry_run::{Counts, Shape, SlotNoise};
use cryptable_lattice::embedding_bound::embedding_limit;
use cryptable_lattice::error::{Result, demand};
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{FailureProbability, ReadOptions, SecurityLevel};
use cryptable_ring::{Chain, Ring, RingModuli};
use cryptable_wire::WireError;

use crate::bootstrap_circuit::BootstrapCircuit;
use crate::bounds::SlotError;
use crate::levels::Levels;
use crate::literal::ParametersLiteral;
use crate::validation;

/// A validated, immutable parameter set. Clones share computed data.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Arc<ParametersLiteral>,
    primes: ChainPrimes,
    security_bits: f64,
    levels: Arc<Levels>,
    bootstrap: Arc<Option<BootstrapCircuit>>,
    digest: [u8; 32],
    /// Built on first use: planning does not need it.
    ring: Arc<OnceLock<Arc<Ring>>>,
}

impl Parameters {
    /// Validates a literal: checks every number against its bounds before anything is built, and the claimed security
    /// of all secrets by the embedded tables.
    ///
    /// # Errors
    /// If a number is out of bounds, or security is below what is claimed.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        validation::check(&literal)?;
        let primes = ChainPrimes::find(&ChainSizes {
            degree: literal.ring_degree,
            chain: &literal.chain(),
            levels: literal.bottom_limbs()..literal.top_limbs(),
            special: &literal.special,
            raised: literal.raised_chain(),
        });
        check_found(&literal, &primes.main)?;
        let (degree, sparse_weight) = secrets(&literal);
        let security_bits = primes.check_security(degree, sparse_weight, literal.security)?;
        let (main, raised) = (numbers(&primes.main), numbers(&primes.raised));
        let levels = Levels::new(&main, literal.bottom_limbs(), literal.top_limbs());
        levels.check()?;
        let bytes = serde_json::to_vec(&literal).expect("a literal serialises");
        let digest = *blake3::hash(&bytes).as_bytes();
        let bootstrap = Arc::new(BootstrapCircuit::new(&literal, &levels, &main, &raised));
        bootstrap.iter().try_for_each(BootstrapCircuit::check_scales)?;
        let (literal, levels) = (Arc::new(literal), Arc::new(levels));
        Ok(Self { literal, primes, security_bits, levels, bootstrap, digest, ring: Arc::default() })
    }

    /// Returns the literal of these parameters.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// Number of slots of a ciphertext.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.literal.slots
    }

    /// Number of multiplications that fresh and bootstrapped ciphertexts have left.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.literal.levels.len()
    }

    /// Returns whether there is a bootstrap.
    #[must_use]
    pub fn is_bootstrappable(&self) -> bool {
        self.literal.bootstrapping.is_some()
    }

    /// Estimated classical security in bits; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.security_bits
    }

    /// Returns the claimed security.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.literal.security
    }

    /// Returns log2 of the probability that any value of a bootstrapped ciphertext is completely wrong, counting both
    /// parts of all slots. Negative infinity without bootstrapping.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        FailureProbability::from_log2(self.log2_fail_per_slot()).of_any(2 * self.slots()).log2()
    }

    /// Returns log2 of the probability per slot that a bootstrap is completely wrong, because the overflow of ModRaise
    /// leaves the interval of the exponential. Negative infinity without bootstrapping.
    #[must_use]
    pub fn log2_fail_per_slot(&self) -> f64 {
        let bootstrapping = self.literal.bootstrapping.as_ref();
        bootstrapping.map_or(f64::NEG_INFINITY, |it| it.log2_fail)
    }

    /// Returns the LWE problems on which the security of all secrets rests.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        let (degree, sparse_weight) = secrets(&self.literal);
        self.primes.lwe_instances(degree, sparse_weight)
    }

    /// Returns log2 of the largest modulus of any key.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        self.primes.log2_largest()
    }

    /// Returns the literal as bytes, in JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&*self.literal).expect("a literal serialises")
    }

    /// Reads what [`Parameters::to_bytes`] wrote, and validates it as [`Parameters::new`] does.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Insecure`] if the parameters claim no security and `options` do not allow that; also
    /// if the bytes are no literal, or the literal is not valid.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: ParametersLiteral = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameters", error, "a literal of vectors"))?;
        options.check(literal.security)?;
        Self::new(literal)
    }

    /// BLAKE3 digest of [`Parameters::to_bytes`], which keys and ciphertexts carry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The ring with all primes and their tables. All clones share it.
    pub(crate) fn ring(&self) -> Arc<Ring> {
        Arc::clone(self.ring.get_or_init(|| Arc::new(Ring::of(self.moduli()))))
    }

    /// The moduli of the ring, without their tables.
    pub(crate) fn moduli(&self) -> RingModuli {
        RingModuli::new(self.literal.ring_degree, self.chains(), &self.primes.special)
    }

    fn chains(&self) -> Vec<Chain> {
        let ChainPrimes { main, raised, .. } = &self.primes;
        let raised = (!raised.is_empty()).then(|| Chain::new(raised));
        std::iter::once(Chain::new(main)).chain(raised).collect()
    }

    /// The first primes of the chain.
    #[cfg(feature = "client")]
    pub(crate) fn primes(&self, limbs: usize) -> &[u64] {
        &self.primes.main[..limbs]
    }

    /// Returns the special prime of public keys.
    #[cfg(feature = "client")]
    pub(crate) fn special_prime(&self) -> u64 {
        self.primes.special[0]
    }

    /// A dry run over these primes.
    pub(crate) fn dry_run(&self) -> DryRun {
        let (main, raised) = (numbers(&self.primes.main), numbers(&self.primes.raised));
        DryRun::new(self.literal.dry_run_parameters(&main, &raised))
    }

    pub(crate) fn bootstrap_circuit(&self) -> Option<&BootstrapCircuit> {
        (*self.bootstrap).as_ref()
    }

    /// Returns the error of a bootstrapped fresh ciphertext with parts up to 1, or `None` without bootstrapping.
    #[must_use]
    pub fn bootstrap_error(&self) -> Option<SlotError> {
        let circuit = self.bootstrap_circuit()?;
        let (shape, bias) = circuit.predict(&self.dry_run(), &self.fresh_shape(2.0), 2, 1.0);
        Some(self.slot_error(shape.noise, bias))
    }

    /// The limit on noise of slots that key generation enforces.
    pub(crate) fn slot_limit(&self) -> f64 {
        embedding_limit(self.literal.ring_degree)
    }

    /// An error of slots of these parameters.
    pub(crate) fn slot_error(&self, noise: SlotNoise, bias: f64) -> SlotError {
        SlotError { deviation: noise.total().sqrt(), bias, slot_limit: self.slot_limit() }
    }

    /// Counts the operations of a bootstrap of a ciphertext of the lowest level; `None` without bootstrapping.
    #[must_use]
    pub fn bootstrap_counts(&self) -> Option<Counts> {
        let (circuit, dry_run) = (self.bootstrap_circuit()?, self.dry_run());
        let (levels, fresh) = (self.level_scales(), self.fresh_shape(2.0));
        let lowered = levels.lower(&self.dry_run(), &fresh, levels.bottom());
        circuit.predict(&dry_run, &lowered, 2, 1.0);
        Some(dry_run.counts())
    }

    /// Returns the dry run's shape of a fresh ciphertext whose slots have this mean square.
    pub(crate) fn fresh_shape(&self, mean_square: f64) -> Shape {
        let scale = self.levels.scale_at(self.levels.top());
        self.encrypted_shape(mean_square, self.dry_run().fresh_noise(scale))
    }

    /// Returns the dry run's shape of a ciphertext with all levels, slots of this mean square, and the noise of its
    /// encryption.
    pub(crate) fn encrypted_shape(&self, mean_square: f64, mut noise: SlotNoise) -> Shape {
        let limbs = self.levels.top();
        let scale = self.levels.scale_at(limbs);
        // Encoding rounds two coefficients per slot.
        noise += SlotNoise::gaussian(self.literal.slots as f64 / 6.0 / (scale * scale));
        Shape::new(limbs, scale, mean_square, noise)
    }

    pub(crate) fn level_scales(&self) -> &Levels {
        &self.levels
    }
}

/// Checks that the primes of levels nearly have the requested sizes: they are chosen so that scales stay equal, which
/// works for similar sizes.
fn check_found(literal: &ParametersLiteral, main: &[u64]) -> Result<()> {
    for (&prime, size) in main.iter().zip(literal.chain()) {
        let bits = (prime as f64).log2();
        let limit =
            format!("it must be within 1 of {size} and below 50: primes of levels must be alike");
        demand(
            (bits - size).abs() < 1.0 && bits < 50.0,
            "log2 of a prime of levels",
            bits,
            &limit,
        )?;
    }
    Ok(())
}

fn numbers(primes: &[u64]) -> Vec<f64> {
    primes.iter().map(|&q| q as f64).collect()
}

/// Ring degree, and weight of the sparse secret if there is one.
fn secrets(literal: &ParametersLiteral) -> (usize, Option<u32>) {
    let sparse_weight = literal.bootstrapping.as_ref().map(|it| it.sparse_weight);
    (literal.ring_degree, sparse_weight)
}

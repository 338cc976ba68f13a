//! What a bridge needs to know of the engine at its other end: its parameters.

use cryptable_fhew::integers;
use cryptable_fhew::parameters::Parameters as FhewParameters;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{
    Error, FailureProbability, NoiseBound, ReadOptions, Result, SecurityLevel,
};
use cryptable_leveled::lookup as leveled;
use cryptable_wire::ObjectType;

/// Largest modulus of values that go on as digits of integers: digits have a spare bit.
const MAX_DIGIT_MODULUS: u64 = 16;

/// Parameters of an engine of single values, at the other end of a bridge.
pub trait Target: Clone + std::fmt::Debug + Send + Sync {
    /// Type of the server's keys in files.
    const OBJECT_TYPE: ObjectType;

    /// The numbers of blind rotation, of which the ring secret is the one that values are taken out to and packed from.
    fn fhew(&self) -> &FhewParameters;

    /// What the parameters claim of their security.
    fn security_level(&self) -> SecurityLevel;

    /// Estimated security in bits; 0 of insecure toys.
    fn security_bits(&self) -> f64;

    /// Canonical bytes.
    fn to_bytes(&self) -> Vec<u8>;

    /// The digest that names them.
    fn digest(&self) -> [u8; 32];

    /// Reads and validates canonical bytes.
    ///
    /// # Errors
    /// If they are none, or not accepted.
    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self>;

    /// Dimension and modulus of values under the ring secret: what is taken out, and packed.
    fn shape(&self) -> LweShape;

    /// log2 of the probability that values of a modulus and with this noise, taken out, go on wrong.
    ///
    /// # Errors
    /// If values of this modulus do not go on.
    fn log2_fail_of(&self, modulus: u64, noise: NoiseBound) -> Result<f64>;

    /// The problems that the secrets rest on.
    fn lwe_instances(&self) -> Vec<LweInstance> {
        self.fhew().lwe_instances()
    }
}

impl Target for integers::Parameters {
    const OBJECT_TYPE: ObjectType = ObjectType::IntegerBridgeKey;

    fn fhew(&self) -> &FhewParameters {
        self.fhew()
    }

    fn security_level(&self) -> SecurityLevel {
        self.security_level()
    }

    fn security_bits(&self) -> f64 {
        self.security_bits()
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn digest(&self) -> [u8; 32] {
        self.digest()
    }

    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Self::from_bytes(bytes, options)
    }

    fn shape(&self) -> LweShape {
        self.large_shape()
    }

    fn log2_fail_of(&self, modulus: u64, noise: NoiseBound) -> Result<f64> {
        if modulus == 1 << self.bits() {
            return Ok(self.integer_log2_fail(noise));
        }
        if modulus <= MAX_DIGIT_MODULUS && modulus.is_multiple_of(2) {
            return Ok(self.digit_log2_fail(modulus, noise));
        }
        let reason = format!(
            "it must be 2^{} for whole integers, or even and at most {MAX_DIGIT_MODULUS} for digits",
            self.bits()
        );
        Err(Error::PlaintextModulus { modulus, reason })
    }
}

impl Target for leveled::Parameters {
    const OBJECT_TYPE: ObjectType = ObjectType::LeveledBridgeKey;

    fn fhew(&self) -> &FhewParameters {
        self.circuit_bootstrapping().fhew()
    }

    fn security_level(&self) -> SecurityLevel {
        self.security_level()
    }

    fn security_bits(&self) -> f64 {
        self.security_bits()
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn digest(&self) -> [u8; 32] {
        self.digest()
    }

    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Self::from_bytes(bytes, options)
    }

    fn shape(&self) -> LweShape {
        self.circuit_bootstrapping().lwe_shape()
    }

    fn log2_fail_of(&self, modulus: u64, noise: NoiseBound) -> Result<f64> {
        let bits = self.circuit_bootstrapping().bits_per_ciphertext();
        if modulus != 1 << bits {
            let reason = format!("digits of leveled values have {bits} bits");
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        self.check_import(noise)?;
        Ok(self.lookup_log2_fail(noise))
    }
}

/// log2 of the largest failure probability of what goes on, beside the packed engine's own statement.
pub(super) fn limit(packed: f64) -> f64 {
    packed.max(FailureProbability::DEFAULT.log2())
}

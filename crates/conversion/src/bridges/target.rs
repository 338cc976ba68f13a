//! The engine at a bridge's other end: the properties of its parameters that a bridge needs.

use std::borrow::Borrow;
use std::fmt::Debug;

use cryptable_fhew::integers;
#[cfg(feature = "client")]
use cryptable_fhew::keys::ClientKey;
use cryptable_fhew::keys::{
    BootstrappingParameters, ServerKey, evaluation_key_bytes, evaluation_key_memory_bytes,
};
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{Error, FailureProbability, NoiseBound, Result, SecurityLevel};
use cryptable_leveled::lookup as leveled;
use cryptable_wire::ObjectType;

/// Largest modulus of values that are extracted as digits of integers, which have a spare bit.
const MAX_DIGIT_MODULUS: u64 = 16;

/// Parameters of an engine of single values, at the other end of a bridge.
pub trait Target: BootstrappingParameters + Debug {
    /// Type of the server's keys between both ends in files.
    const OBJECT_TYPE: ObjectType;

    /// Type of a client's keys of both ends in files.
    const SECRET_KEYS_TYPE: ObjectType;

    /// Type of all keys of a server in files.
    const EVALUATION_KEYS_TYPE: ObjectType;

    /// The server's key of the engine.
    type EvaluationKey: Borrow<ServerKey<Self>> + From<ServerKey<Self>> + Debug;

    /// The client's key of the engine.
    #[cfg(feature = "client")]
    type SecretKey: Borrow<ClientKey<Self>> + From<ClientKey<Self>> + Debug;

    /// Describes the engine in words: integers of a number of bits, or a method.
    fn name(&self) -> String;

    /// Returns the security that the parameters claim.
    fn security_level(&self) -> SecurityLevel;

    /// Returns the estimated security in bits; 0 for insecure toys.
    fn security_bits(&self) -> f64;

    /// Returns dimension and modulus of values under the ring secret, which are extracted and packed.
    fn shape(&self) -> LweShape;

    /// Returns the number of bytes of the server's key in memory, and in a file without its header.
    fn evaluation_key_bytes(&self) -> [usize; 2];

    /// Returns log2 of the probability that the next operation on one extracted value goes wrong, given its modulus and
    /// noise.
    ///
    /// # Errors
    /// If the engine does not accept values of this modulus.
    fn log2_fail_of(&self, modulus: u64, noise: NoiseBound) -> Result<f64>;

    /// Returns the LWE problems that the secrets rest on.
    fn lwe_instances(&self) -> Vec<LweInstance> {
        self.fhew().lwe_instances()
    }
}

impl Target for integers::Parameters {
    const OBJECT_TYPE: ObjectType = ObjectType::IntegerBridgeKey;
    const SECRET_KEYS_TYPE: ObjectType = ObjectType::IntegerBridgeSecretKeys;
    const EVALUATION_KEYS_TYPE: ObjectType = ObjectType::IntegerBridgeEvaluationKeys;

    type EvaluationKey = integers::EvaluationKey;
    #[cfg(feature = "client")]
    type SecretKey = integers::SecretKey;

    fn name(&self) -> String {
        format!("integers of {} bits", self.bits())
    }

    fn security_level(&self) -> SecurityLevel {
        self.security_level()
    }

    fn security_bits(&self) -> f64 {
        self.security_bits()
    }

    fn shape(&self) -> LweShape {
        self.large_shape()
    }

    fn evaluation_key_bytes(&self) -> [usize; 2] {
        [evaluation_key_memory_bytes(self.fhew()), evaluation_key_bytes(self.fhew())]
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
    const SECRET_KEYS_TYPE: ObjectType = ObjectType::LeveledBridgeSecretKeys;
    const EVALUATION_KEYS_TYPE: ObjectType = ObjectType::LeveledBridgeEvaluationKeys;

    type EvaluationKey = leveled::EvaluationKey;
    #[cfg(feature = "client")]
    type SecretKey = leveled::SecretKey;

    fn name(&self) -> String {
        self.method_name()
    }

    fn security_level(&self) -> SecurityLevel {
        self.security_level()
    }

    fn security_bits(&self) -> f64 {
        self.security_bits()
    }

    fn shape(&self) -> LweShape {
        self.circuit_bootstrapping().lwe_shape()
    }

    fn evaluation_key_bytes(&self) -> [usize; 2] {
        let prediction = self.prediction();
        [prediction.key_memory_bytes, prediction.key_file_bytes]
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

/// Returns log2 of the largest accepted failure probability per value: the one that the packed engine states, but at
/// least the default.
pub(super) fn limit(packed: f64) -> f64 {
    packed.max(FailureProbability::DEFAULT.log2())
}

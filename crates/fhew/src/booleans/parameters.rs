//! Parameters of Boolean gates.

use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::{FailureProbability, ReadOptions, Result, SecurityLevel, key_parameters};
use cryptable_wire::ObjectType;
use serde::{Deserialize, Serialize};

use crate::gates::{self, choose};
use crate::keys::BootstrappingParameters;
#[cfg(feature = "client")]
use crate::keys::PublicParameters;
use crate::noise::NoiseModel;
use crate::parameters::{Parameters as FhewParameters, ParametersLiteral};
use crate::serialization::{digest, literal_bytes, read_literal};

/// Domain of digests.
const DIGEST_CONTEXT: &str = "cryptable: parameters of Boolean gates";

/// Parameters as stored in files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Literal {
    security: SecurityLevel,
    numbers: ParametersLiteral,
}

/// Parameters of Boolean gates. Immutable, cheap to clone.
#[derive(Clone, Debug)]
pub struct Parameters {
    fhew: FhewParameters,
    security: SecurityLevel,
    log2_fail: f64,
    digest: [u8; 32],
}

impl Parameters {
    /// Ring degree 1,024, at least 128 bits of security, and wrong gates with probability below 2^-64.
    #[must_use]
    pub fn default_128() -> Self {
        Self::assemble(FhewParameters::gates_128(), SecurityLevel::Bits128)
    }

    /// The fastest with at least 128 bits of security whose gates are wrong with probability at most 2^`log2_fail`.
    ///
    /// ```
    /// use cryptable_fhew::booleans::Parameters;
    /// let parameters = Parameters::with_log2_fail(-40.0)?;
    /// assert!(parameters.log2_fail() <= -40.0 && parameters.security_bits() >= 128.0);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If none has so small a probability.
    pub fn with_log2_fail(log2_fail: f64) -> Result<Self> {
        Ok(Self::assemble(choose(log2_fail)?, SecurityLevel::Bits128))
    }

    /// Toy parameters for tests: not secure.
    #[must_use]
    pub fn insecure_toy() -> Self {
        Self::assemble(FhewParameters::insecure_toy(), SecurityLevel::Insecure)
    }

    fn assemble(fhew: FhewParameters, security: SecurityLevel) -> Self {
        let log2_fail = gates::log2_fail(&NoiseModel::new(&fhew));
        let literal = Literal { security, numbers: *fhew.literal() };
        let digest = digest(DIGEST_CONTEXT, &literal);
        Self { fhew, security, log2_fail, digest }
    }

    /// The numbers of blind rotation and key switching.
    #[must_use]
    pub fn fhew(&self) -> &FhewParameters {
        &self.fhew
    }

    /// Dimension and modulus of ciphertexts.
    pub(super) fn shape(&self) -> LweShape {
        LweShape { dimension: self.fhew.lwe_dimension(), modulus: self.fhew.lwe_modulus() }
    }

    /// log2 of the probability that a gate whose inputs are results of gates is wrong: the worst gate, a MUX.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// The probability of [`Parameters::log2_fail`].
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail)
    }

    /// Returns the security that the parameters claim.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.security
    }

    /// Estimated security in bits; 0 of insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        if self.security.is_insecure() { 0.0 } else { self.fhew.security_bits() }
    }

    /// Canonical bytes, of which the digest names these parameters.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        literal_bytes(&self.literal())
    }

    /// Reads what [`Parameters::to_bytes`] wrote and validates it, 128 bits of security included unless they state
    /// that they are insecure.
    ///
    /// # Errors
    /// If the bytes are no parameters, those are not valid, or they are insecure or fail too often and that is not
    /// allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: Literal = read_literal(bytes)?;
        options.check(literal.security)?;
        let fhew = match literal.security {
            SecurityLevel::Insecure => FhewParameters::insecure(literal.numbers)?,
            SecurityLevel::Bits128 => FhewParameters::new(literal.numbers)?,
        };
        let found = Self::assemble(fhew, literal.security);
        options.check_failures(found.failure_probability())?;
        Ok(found)
    }

    fn literal(&self) -> Literal {
        Literal { security: self.security, numbers: *self.fhew.literal() }
    }

    /// A digest that names these parameters.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

key_parameters!(Parameters);

impl BootstrappingParameters for Parameters {
    const SECRET_KEY: ObjectType = ObjectType::BooleanSecretKey;
    const EVALUATION_KEY: ObjectType = ObjectType::BooleanEvaluationKey;
    const IDENTIFIER: &'static str = "cryptable: identifier of a secret key for Boolean gates";

    fn fhew(&self) -> &FhewParameters {
        self.fhew()
    }
}

#[cfg(feature = "client")]
impl PublicParameters for Parameters {
    const PUBLIC_KEY: ObjectType = ObjectType::BooleanPublicKey;
}

//! Parameters of Boolean gates.

use cryptable_lattice::{Result, SecurityLevel};
use serde::{Deserialize, Serialize};

use crate::face_parameters::face_parameters;
use crate::gates::{self, choose};
use crate::noise::NoiseModel;
use crate::parameters::{Parameters as FhewParameters, ParametersLiteral};
use crate::serialization::digest;

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
    literal: Literal,
    log2_fail: f64,
    digest: [u8; 32],
}

impl Parameters {
    /// Returns the default: ring degree 1,024, at least 128 bits of security, and wrong gates with probability below 2^-64.
    #[must_use]
    pub fn default_128() -> Self {
        Self::claiming(FhewParameters::gates_128(), SecurityLevel::Bits128)
    }

    /// Returns the fastest parameters with at least 128 bits of security whose gates are wrong with probability at most
    /// 2^`log2_fail`.
    ///
    /// ```
    /// use cryptable_fhew::booleans::Parameters;
    /// let parameters = Parameters::with_log2_fail(-40.0)?;
    /// assert!(parameters.log2_fail() <= -40.0 && parameters.security_bits() >= 128.0);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no parameters reach this probability.
    pub fn with_log2_fail(log2_fail: f64) -> Result<Self> {
        Ok(Self::claiming(choose(log2_fail)?, SecurityLevel::Bits128))
    }

    /// Toy parameters for tests: not secure.
    #[must_use]
    pub fn insecure_toy() -> Self {
        Self::claiming(FhewParameters::insecure_toy(), SecurityLevel::Insecure)
    }

    fn claiming(fhew: FhewParameters, security: SecurityLevel) -> Self {
        let log2_fail = gates::log2_fail(&NoiseModel::new(&fhew));
        let literal = Literal { security, numbers: *fhew.literal() };
        let digest = digest(DIGEST_CONTEXT, &literal);
        Self { fhew, literal, log2_fail, digest }
    }

    /// Assembles the parameters from a literal.
    fn assemble(fhew: FhewParameters, literal: Literal) -> Result<Self> {
        Ok(Self::claiming(fhew, literal.security))
    }

    /// Returns log2 of the probability that the worst gate, a MUX, is wrong when its inputs are results of gates.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }
}

face_parameters!(
    "those of Boolean gates",
    "cryptable: identifier of a secret key for Boolean gates",
    BooleanSecretKey,
    BooleanEvaluationKey,
    BooleanPublicKey
);

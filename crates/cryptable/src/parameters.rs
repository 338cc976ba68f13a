//! Parameters of any engine: what keys are generated for.

use std::fmt;

use cryptable_lattice::security::LweInstance;

use crate::engine::{each_engine, engine_accessors};
use crate::engines::{bridged, leveled, packed, single};
use crate::{
    CostModel, Engine, FailureProbability, Prediction, ReadOptions, Result, SecurityLevel,
    SumLimits,
};

/// A validated parameter set of one engine, for tables of one input and one output modulus. Immutable.
///
/// A [`crate::Plan`] makes them. At least 128 bits of security and the stated failure probability, both computed, are
/// checked at construction; toys for tests call themselves insecure by [`Parameters::security_level`].
#[derive(Clone, Debug)]
pub enum Parameters {
    /// Of [`Engine::Packed`]: many values a ciphertext.
    Packed(Box<packed::Parameters>),
    /// Of [`Engine::Single`]: single values and small tables.
    Single(Box<single::Parameters>),
    /// Of [`Engine::Leveled`]: single values and larger tables.
    Leveled(Box<leveled::Parameters>),
    /// Of single values that a server may pack, to look many up at once ([`crate::Request::inputs`]).
    Bridged(Box<bridged::Parameters>),
}

impl Parameters {
    engine_accessors!(pub Parameters, "parameter set");

    /// INSECURE parameters of small rings, for tests: milliseconds instead of seconds.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters};
    /// let toy = Parameters::insecure_toy(Engine::Single, 4, 4)?;
    /// assert!(toy.security_level().is_insecure() && toy.security_bits() == 0.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the engine's toy does not serve these moduli.
    pub fn insecure_toy(engine: Engine, input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let (p, q) = (input_modulus, output_modulus);
        Ok(match engine {
            Engine::Packed => packed::Parameters::insecure_toy(p, q)?.into(),
            Engine::Single => single::Parameters::insecure_toy(p, q)?.into(),
            Engine::Leveled => leveled::Parameters::insecure_toy(p, q)?.into(),
        })
    }

    /// INSECURE parameters of single values that a server may pack, for tests.
    ///
    /// # Errors
    /// If the toy does not serve these moduli.
    pub fn insecure_bridged_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Ok(bridged::Parameters::insecure_toy(input_modulus, output_modulus)?.into())
    }

    /// How tables are evaluated, for people: `AKP`, `CMT 16^4`, `FDFB-KS`.
    #[must_use]
    pub fn method_name(&self) -> String {
        each_engine!(self, it => it.method_name())
    }

    /// Input modulus p of tables: values are 0 to p - 1.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        each_engine!(self, it => it.input_modulus())
    }

    /// Output modulus of tables: outputs are 0 to one less.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        each_engine!(self, it => it.output_modulus())
    }

    /// Ring degree N, a power of two: coefficients of each polynomial of the ciphertexts that lookups compute on.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        each_engine!(self, it => it.ring_degree())
    }

    /// log2 of [`Parameters::failure_probability`].
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.failure_probability().log2()
    }

    /// The probability that any value of one encryption goes wrong in a lookup, computed: what
    /// [`crate::Request::log2_fail`] bounds. At most [`Parameters::values_per_ciphertext`] times that of a value.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        each_engine!(self, it => it.failure_probability())
    }

    /// The probability that a lookup of one value goes wrong: what readers bound.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        match self {
            Self::Packed(it) => it.value_failure_probability(),
            _ => self.failure_probability(),
        }
    }

    /// Values of one encryption: those of a full packed ciphertext, 65,536 at most; one of the other engines, whose
    /// [`crate::Ciphertext`]s are lists.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        match self {
            Self::Packed(parameters) => parameters.literal().slots,
            Self::Single(_) | Self::Leveled(_) | Self::Bridged(_) => 1,
        }
    }

    /// Values that [`crate::SecretKey::encrypt`] puts into one part of a ciphertext, and that servers look up at once.
    #[must_use]
    pub fn values_per_part(&self) -> usize {
        match self {
            Self::Packed(it) => it.literal().slots,
            Self::Single(_) => single::VALUES_PER_CIPHERTEXT,
            Self::Leveled(_) => leveled::VALUES_PER_CIPHERTEXT,
            Self::Bridged(it) => it.packed().literal().slots,
        }
    }

    /// How many terms sums of values may have, so that lookups of sums and their decryption keep the stated failure
    /// probability; `None` of the leveled engine, which has no sums.
    #[must_use]
    pub fn sum_limits(&self) -> Option<SumLimits> {
        match self {
            Self::Packed(it) => Some(it.sum_limits()),
            Self::Single(it) => Some(it.sum_limits()),
            Self::Leveled(_) => None,
            Self::Bridged(it) => Some(it.single().sum_limits()),
        }
    }

    /// Whether they are secure, as they claim and construction checks, or toys for tests.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        each_engine!(self, it => it.security_level())
    }

    /// The LWE problems that its secrets rest on, each at the largest modulus that anything is encrypted under.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        each_engine!(self, it => it.lwe_instances())
    }

    /// Estimated security in bits, the least over all secrets; 0 of insecure ones.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        each_engine!(self, it => it.security_bits())
    }

    /// What a lookup of one ciphertext in one table will take: work, bytes of memory, of keys and of ciphertexts.
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        each_engine!(self, it => it.prediction())
    }

    /// What a lookup of so many values at once in so many tables of a kind will take; packed values are those of one ciphertext.
    /// Of single and leveled values the results of all are in memory together: who reads and writes files by the part says how
    /// many a part has ([`Parameters::values_per_part`]). Work is that of one ciphertext, or of one value, in all tables.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, engines::packed::EntryKind};
    /// let parameters = Parameters::insecure_toy(Engine::Packed, 4, 4)?;
    /// let [one, two] = [1, 2].map(|n| parameters.lookup_prediction(EntryKind::Shared, n, 10));
    /// assert!(one.peak_bytes() <= two.peak_bytes());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn lookup_prediction(
        &self,
        kind: packed::EntryKind,
        tables: usize,
        values: u64,
    ) -> Prediction {
        match self {
            Self::Packed(it) => it.prediction_for(kind, tables),
            Self::Bridged(it) => {
                // Few values are not packed.
                let crossing = it.crossing(&CostModel::calibrated());
                match crossing.is_none_or(|n| values < n) {
                    true => it.single().prediction_for(values, tables),
                    false => it.prediction_for(tables),
                }
            }
            Self::Single(it) => it.prediction_for(values, tables),
            Self::Leveled(it) => it.prediction_for(values, tables),
        }
    }

    /// The digest that names them in ciphertexts: BLAKE3 of [`Parameters::to_bytes`]; of [`Parameters::Bridged`] that of the
    /// parameters of its single values, which are ciphertexts as any others.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Bridged(it) => it.single().digest(),
            Self::Packed(it) => it.digest(),
            Self::Single(it) => it.digest(),
            Self::Leveled(it) => it.digest(),
        }
    }

    /// Canonical bytes: equal parameters have the same. The engine is not among them, so keep it beside them. Those of
    /// [`Parameters::Bridged`] are read by [`crate::engines::bridged::Parameters::from_bytes`].
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, ReadOptions};
    /// let toy = Parameters::insecure_toy(Engine::Leveled, 4, 4)?;
    /// let options = ReadOptions::default().allow_insecure();
    /// assert_eq!(Parameters::from_bytes(Engine::Leveled, &toy.to_bytes(), options)?, toy);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        each_engine!(self, it => it.to_bytes())
    }

    /// Reads what [`Parameters::to_bytes`] wrote and validates it.
    ///
    /// # Errors
    /// If the bytes are no valid parameters of this engine, or `options` do not accept that they are insecure or fail too
    /// often.
    pub fn from_bytes(engine: Engine, bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Ok(match engine {
            Engine::Packed => packed::Parameters::from_bytes(bytes, options)?.into(),
            Engine::Single => single::Parameters::from_bytes(bytes, options)?.into(),
            Engine::Leveled => leveled::Parameters::from_bytes(bytes, options)?.into(),
        })
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p, q) = (self.input_modulus(), self.output_modulus());
        write!(f, "{}: {}, tables {p} -> {q}, ", self.engine(), self.method_name())?;
        match self.security_level() {
            SecurityLevel::Insecure => f.write_str("INSECURE")?,
            SecurityLevel::Bits128 => write!(f, "{:.0}-bit security", self.security_bits())?,
        }
        write!(f, ", a value fails with a probability of {}", self.value_failure_probability())?;
        match self.values_per_ciphertext() {
            1 => Ok(()),
            values => {
                let ciphertext = self.failure_probability();
                write!(f, ", a ciphertext of {values} values with {ciphertext}")
            }
        }
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.engine() == other.engine() && self.to_bytes() == other.to_bytes()
    }
}

impl AsRef<Parameters> for Parameters {
    fn as_ref(&self) -> &Parameters {
        self
    }
}

impl From<packed::Parameters> for Parameters {
    fn from(parameters: packed::Parameters) -> Self {
        Self::Packed(Box::new(parameters))
    }
}

impl From<single::Parameters> for Parameters {
    fn from(parameters: single::Parameters) -> Self {
        Self::Single(Box::new(parameters))
    }
}

impl From<leveled::Parameters> for Parameters {
    fn from(parameters: leveled::Parameters) -> Self {
        Self::Leveled(Box::new(parameters))
    }
}

impl From<bridged::Parameters> for Parameters {
    fn from(parameters: bridged::Parameters) -> Self {
        Self::Bridged(Box::new(parameters))
    }
}

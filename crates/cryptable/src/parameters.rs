//! Parameter sets of all engines.

use std::fmt;

use cryptable_lattice::security::LweInstance;

use crate::engine::{each_engine, engine_accessors};
use crate::engines::{bridged, leveled, packed, single};
use crate::{
    CostModel, Engine, FailureProbability, Prediction, ReadOptions, Result, SecurityLevel,
    SumLimits,
};

/// Validated, immutable parameter set of one engine, for which keys are generated.
///
/// A set serves all tables with its input modulus and output modulus. A [`crate::Plan`] finds sets. Construction
/// computes security and failure probability, and fails below 128 bits of security or above the stated failure
/// probability. Toys for tests are exempt, and [`Parameters::security_level`] says so.
#[derive(Clone, Debug)]
pub enum Parameters {
    /// Parameters of [`Engine::Packed`]: many values per ciphertext.
    Packed(Box<packed::Parameters>),
    /// Parameters of [`Engine::Single`]: one value per ciphertext, small tables.
    Single(Box<single::Parameters>),
    /// Parameters of [`Engine::Leveled`]: one value at a time, larger tables.
    Leveled(Box<leveled::Parameters>),
    /// Parameters of single values that a server may pack, to look many up at once ([`crate::Request::inputs`]).
    Bridged(Box<bridged::Parameters>),
}

impl Parameters {
    engine_accessors!(pub Parameters, "parameter set");

    /// Returns INSECURE parameters on a small ring, for tests. Operations take milliseconds instead of seconds.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters};
    /// let toy = Parameters::insecure_toy(Engine::Single, 4, 4)?;
    /// assert!(toy.security_level().is_insecure() && toy.security_bits() == 0.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the engine has no toy for these moduli.
    pub fn insecure_toy(engine: Engine, input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let (p, q) = (input_modulus, output_modulus);
        Ok(match engine {
            Engine::Packed => packed::Parameters::insecure_toy(p, q)?.into(),
            Engine::Single => single::Parameters::insecure_toy(p, q)?.into(),
            Engine::Leveled => leveled::Parameters::insecure_toy(p, q)?.into(),
        })
    }

    /// Returns INSECURE parameters of single values that a server may pack, for tests.
    ///
    /// # Errors
    /// If there is no toy for these moduli.
    pub fn insecure_bridged_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Ok(bridged::Parameters::insecure_toy(input_modulus, output_modulus)?.into())
    }

    /// Returns the name of the method that evaluates tables, as shown to people: `AKP`, `CMT 16^4`, `FDFB-KS`.
    #[must_use]
    pub fn method_name(&self) -> String {
        each_engine!(self, it => it.method_name())
    }

    /// Returns the input modulus p of tables: values are 0 to p - 1.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        each_engine!(self, it => it.input_modulus())
    }

    /// Returns the output modulus P of tables: results are 0 to P - 1.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        each_engine!(self, it => it.output_modulus())
    }

    /// Returns the ring degree N, a power of two: the number of coefficients of every polynomial in the ciphertexts
    /// that lookups compute on.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        each_engine!(self, it => it.ring_degree())
    }

    /// Returns the base-2 logarithm of [`Parameters::failure_probability`].
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.failure_probability().log2()
    }

    /// Returns the computed probability that a lookup goes wrong for any value of one ciphertext.
    /// [`crate::Request::log2_fail`] limits it.
    ///
    /// By the union bound, this is at most [`Parameters::values_per_ciphertext`] times the probability for one value.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        each_engine!(self, it => it.failure_probability())
    }

    /// Returns the computed probability that the lookup of one value goes wrong. [`ReadOptions`] limit it.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        match self {
            Self::Packed(it) => it.value_failure_probability(),
            _ => self.failure_probability(),
        }
    }

    /// Returns the number of values in one encryption: up to 65,536 for a packed ciphertext, one for the other engines,
    /// whose [`crate::Ciphertext`]s are lists.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        match self {
            Self::Packed(parameters) => parameters.literal().slots,
            Self::Single(_) | Self::Leveled(_) | Self::Bridged(_) => 1,
        }
    }

    /// Returns the number of values that [`crate::SecretKey::encrypt`] puts into one part of a ciphertext; a server
    /// looks up one part at a time.
    #[must_use]
    pub fn values_per_part(&self) -> usize {
        match self {
            Self::Packed(it) => it.literal().slots,
            Self::Single(_) => single::VALUES_PER_CIPHERTEXT,
            Self::Leveled(_) => leveled::VALUES_PER_CIPHERTEXT,
            Self::Bridged(it) => it.packed().literal().slots,
        }
    }

    /// Returns the size in bytes of compressed results ([`crate::EvaluationKey::compress`]) of lookups of `values`
    /// fresh values; `None` for single values, which are not compressed.
    ///
    /// ```
    /// use cryptable::{Engine, Request};
    /// let bytes = |engine| {
    ///     let plan = Request::new(256, 256).engine(engine).plan()?;
    ///     Ok::<_, cryptable::Error>(plan.best().parameters().compressed_bytes(65_536).unwrap())
    /// };
    /// assert!(bytes(Engine::Packed)? < 100_000);
    /// assert!(bytes(Engine::Leveled)? < 4_000_000);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn compressed_bytes(&self, values: u64) -> Option<u64> {
        let bytes = |count: usize| match self {
            Self::Packed(it) => Some(it.compressed_bytes(count) as u64),
            Self::Leveled(it) => Some(it.compressed_bytes(count) as u64),
            Self::Single(_) | Self::Bridged(_) => None,
        };
        let part = self.values_per_part() as u64;
        let whole = (values / part).saturating_mul(bytes(part as usize)?);
        let rest = values % part;
        Some(if rest > 0 { whole.saturating_add(bytes(rest as usize)?) } else { whole })
    }

    /// Returns how many terms a sum of values may have such that lookups of the sum, and its decryption, keep the
    /// stated failure probability. `None` for the leveled engine, which has no sums.
    #[must_use]
    pub fn sum_limits(&self) -> Option<SumLimits> {
        match self {
            Self::Packed(it) => Some(it.sum_limits()),
            Self::Single(it) => Some(it.sum_limits()),
            Self::Leveled(_) => None,
            Self::Bridged(it) => Some(it.single().sum_limits()),
        }
    }

    /// Returns the parameter κ of hidden tables, in bits: the results of a lookup reveal nothing of its table but its
    /// outputs, up to a statistical distance of 2^-κ ([`Request::hide_table`](crate::Request::hide_table)). `None`
    /// where tables are not hidden.
    #[must_use]
    pub fn hidden_bits(&self) -> Option<u32> {
        match self {
            Self::Packed(it) => it.hidden_bits(),
            Self::Single(it) => it.hidden_bits(),
            Self::Leveled(_) | Self::Bridged(_) => None,
        }
    }

    /// Returns whether the parameters have 128 bits of security, as checked at construction, or are a toy for tests.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        each_engine!(self, it => it.security_level())
    }

    /// Returns the LWE problems that the secrets rest on, each at the largest modulus under which anything is
    /// encrypted.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        each_engine!(self, it => it.lwe_instances())
    }

    /// Returns the estimated security in bits, the minimum over all secrets; 0 for insecure parameters.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        each_engine!(self, it => it.security_bits())
    }

    /// Predicts a lookup of one ciphertext in one table: work, and the bytes of memory, keys and ciphertexts.
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        each_engine!(self, it => it.prediction())
    }

    /// Predicts a lookup of `values` values at once in `tables` tables of one kind.
    ///
    /// Memory: for packed values, that of one ciphertext; for the other engines, that of the results of all values
    /// together, so a program that reads and writes files part by part passes [`Parameters::values_per_part`]. Work:
    /// that of one ciphertext or of one value, in all tables.
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
                // Fewer values than this are looked up one by one.
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

    /// Returns the digest that identifies the parameters in ciphertexts: BLAKE3 of [`Parameters::to_bytes`].
    ///
    /// For [`Parameters::Bridged`], it is the digest of the parameters for single values, since these ciphertexts are
    /// like any other of that engine.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Bridged(it) => it.single().digest(),
            Self::Packed(it) => it.digest(),
            Self::Single(it) => it.digest(),
            Self::Leveled(it) => it.digest(),
        }
    }

    /// Returns the canonical encoding: equal parameters have equal bytes.
    ///
    /// The bytes do not name the engine, so store it beside them. For [`Parameters::Bridged`], read them with
    /// [`crate::engines::bridged::Parameters::from_bytes`].
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

    /// Reads and validates the output of [`Parameters::to_bytes`].
    ///
    /// # Errors
    /// If the bytes are not valid parameters of this engine, or if `options` refuse them because they are insecure or
    /// fail too often.
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

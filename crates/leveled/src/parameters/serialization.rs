//! Parameters as canonical bytes, and the digest that names them.

use cryptable_lattice::{ReadOptions, Result};
use cryptable_wire::WireError;

use super::circuit_bootstrapping_parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters,
};

impl CircuitBootstrappingParameters {
    /// Returns the canonical bytes, the literal as JSON; their digest names these parameters.
    ///
    /// ```
    /// use cryptable_lattice::ReadOptions;
    /// use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
    /// let parameters = ParameterSet::Aes128.parameters();
    /// let bytes = parameters.to_bytes();
    /// let read = CircuitBootstrappingParameters::from_bytes(&bytes, ReadOptions::default())?;
    /// assert_eq!(read, parameters);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self.literal()).expect("numbers serialise")
    }

    /// Reads the bytes of [`CircuitBootstrappingParameters::to_bytes`] and validates the parameters.
    ///
    /// # Errors
    /// If the bytes are not parameters, or the parameters are not valid, claim a security that they do not have, or are
    /// insecure and the options do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: CircuitBootstrappingLiteral = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameter set", error, "one of this format"))?;
        Self::read_literal(literal, options)
    }

    /// Validates a literal from an untrusted source.
    ///
    /// # Errors
    /// The errors of [`CircuitBootstrappingParameters::from_bytes`].
    pub fn read_literal(
        literal: CircuitBootstrappingLiteral,
        options: ReadOptions,
    ) -> Result<Self> {
        options.check(literal.security)?;
        Self::new(literal)
    }

    /// Returns the BLAKE3 digest of [`CircuitBootstrappingParameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}
